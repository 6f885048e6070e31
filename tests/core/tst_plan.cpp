// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine.h"
#include "core/judge.h"
#include "core/plan.h"
#include "tests/core/scenarios.h"

#include <QRegularExpression>
#include <QTest>

using namespace kvscope;
using kvscope::testing::handScenario;

namespace {

Plan planOf(const Scenario &scenario) { return plan(scenario, scenario.clusters.front()); }

bool warns(const Plan &plan, WarningCode code)
{
    return std::ranges::any_of(plan.warnings, [code](const Warning &w) { return w.code == code; });
}

} // namespace

class TestPlan : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // 2 x layers x KV heads x head dim x tokens x batch x bytes an element, by hand.
    void cacheBytes_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<qint64>("context");
        QTest::addColumn<qint64>("batch");
        QTest::addColumn<QString>("format");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("MHA 32 heads, 32K") << 32 << 32 << qint64{32768} << qint64{1} << "fp16" << qint64{17'179'869'184};
        QTest::newRow("GQA 8 heads, 32K") << 32 << 8 << qint64{32768} << qint64{1} << "fp16" << qint64{4'294'967'296};
        QTest::newRow("70B, 32K, batch 8, int8") << 80 << 8 << qint64{32768} << qint64{8} << "int8" << qint64{42'949'672'960};
        QTest::newRow("70B, 32K, batch 1, fp16") << 80 << 8 << qint64{32768} << qint64{1} << "fp16" << qint64{10'737'418'240};
        QTest::newRow("70B, 32K, batch 8, fp16") << 80 << 8 << qint64{32768} << qint64{8} << "fp16" << qint64{85'899'345'920};
        QTest::newRow("70B, 32K, batch 1, int8") << 80 << 8 << qint64{32768} << qint64{1} << "int8" << qint64{5'368'709'120};
        QTest::newRow("70B, 32K, batch 1, int4") << 80 << 8 << qint64{32768} << qint64{1} << "int4" << qint64{2'684'354'560};
        QTest::newRow("70B, 32K, batch 8, int4") << 80 << 8 << qint64{32768} << qint64{8} << "int4" << qint64{21'474'836'480};
        QTest::newRow("MHA 13B, 4K") << 40 << 40 << qint64{4096} << qint64{1} << "fp16" << qint64{3'355'443'200};
        QTest::newRow("MHA 13B, 8K") << 40 << 40 << qint64{8192} << qint64{1} << "fp16" << qint64{6'710'886'400};
        QTest::newRow("MHA 13B, 32K") << 40 << 40 << qint64{32768} << qint64{1} << "fp16" << qint64{26'843'545'600};
        QTest::newRow("MHA 13B, 128K") << 40 << 40 << qint64{131072} << qint64{1} << "fp16" << qint64{107'374'182'400};
        QTest::newRow("Llama-3-8B, 4K") << 32 << 8 << qint64{4096} << qint64{1} << "fp16" << qint64{536'870'912};
        QTest::newRow("Llama-3-8B by its attention heads") << 32 << 32 << qint64{4096} << qint64{1} << "fp16" << qint64{2'147'483'648};
        QTest::newRow("Qwen2.5-7B, 2K") << 28 << 4 << qint64{2048} << qint64{1} << "fp16" << qint64{117'440'512};
        QTest::newRow("Qwen2.5-7B, 16K") << 28 << 4 << qint64{16384} << qint64{1} << "fp16" << qint64{939'524'096};
        QTest::newRow("72B class, MHA, 8K, batch 8") << 80 << 64 << qint64{8192} << qint64{8} << "fp16" << qint64{171'798'691'840};
        QTest::newRow("q8_0: 34 bytes for 32") << 32 << 8 << qint64{32768} << qint64{1} << "q8_0" << qint64{4'294'967'296} / 64 * 34;
    }
    void cacheBytes()
    {
        QFETCH(int, layers);
        QFETCH(int, kvHeads);
        QFETCH(qint64, context);
        QFETCH(qint64, batch);
        QFETCH(QString, format);
        QFETCH(qint64, bytes);
        const Scenario scenario = handScenario({layers, kvHeads, 128}, {context}, batch, *formatByName(format.toStdString()), 24_GB);
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.kv.total.value, bytes);
        QCOMPARE(answer.kv.perSequence.value * batch, bytes);
        QCOMPARE(answer.kv.perToken.value * context * batch, bytes);
        QCOMPARE(answer.devices.front().used[Part::Kv].value, bytes);
        QCOMPARE(answer.verdict, bytes <= (24_GB).value ? Verdict::Fits : Verdict::OutOfMemory);
        QVERIFY(warns(answer, WarningCode::NoWeights));
    }

    void limitsByHand()
    {
        // 8.03 B parameters at 2 bytes leave 24e9 - 16.06e9 = 7.94e9; 131,072 bytes a token: 60,577 tokens.
        Scenario scenario = handScenario({32, 8, 128, 32, 8'030'000'000}, 32768_tokens, 1, Format::F16, 24_GB);
        Plan answer = planOf(scenario);
        QCOMPARE(answer.weightsTotal.value, 16'060'000'000);
        QCOMPARE(answer.limits.maxContext.value, 7'940'000'000 / 131'072);
        QCOMPARE(answer.limits.maxBatch, 7'940'000'000 / (131'072 * 32768LL));
        QCOMPARE(answer.limits.contextReason, LimitReason::Memory);
        QCOMPARE(answer.verdict, Verdict::Fits);

        auto trained = std::make_shared<ModelSpec>(*scenario.model);
        trained->trainedContext = 8192_tokens;
        scenario.model = trained;
        answer = planOf(scenario);
        QCOMPARE(answer.limits.maxContext.value, 8192);
        QCOMPARE(answer.limits.contextReason, LimitReason::TrainedLength);
        QCOMPARE(answer.limits.maxContextBeyondTraining.value, 60'577);
        QVERIFY(warns(answer, WarningCode::BeyondTrainedLength));

        scenario.clusters = {clusterOf(deviceOfSize(16_GB))};
        answer = planOf(scenario);
        QCOMPARE(answer.verdict, Verdict::OutOfMemory);
        QCOMPARE(answer.limits.maxContext.value, 0);
        QCOMPARE(answer.limits.contextReason, LimitReason::WeightsDoNotFit);
    }

    void inUseAndReserveComeOffTheBudget()
    {
        Scenario scenario = handScenario({32, 8, 128}, 32768_tokens, 1, Format::F16, 24_GB);
        scenario.inUse = 2_GB;
        scenario.reservePercent = 10;
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.devices.front().budget.value, 24'000'000'000 - 2'000'000'000 - 2'400'000'000);
        QCOMPARE(answer.limits.maxBatch, 19'600'000'000 / 4'294'967'296);
    }

    void precisionKeptInOuterLayers()
    {
        // 3 of 32 layers at 16 bit: (29 + 3 x 2) x 2 x 8 x 128 bytes a token
        Scenario scenario = handScenario({32, 8, 128}, 1024_tokens, 1, Format::Int8, 24_GB);
        scenario.kv.keepFirst = 1;
        scenario.kv.keepLast = 2;
        QCOMPARE(planOf(scenario).kv.perToken.value, (29 + 3 * 2) * 2 * 8 * 128);
        scenario.kv.keepFirst = 100;
        QCOMPARE(planOf(scenario).kv.perToken.value, 32 * 2 * 2 * 8 * 128);
    }

    void scales_data()
    {
        QTest::addColumn<int>("scales");
        QTest::addColumn<bool>("zeroPoints");
        QTest::addColumn<qint64>("bytes");
        // 32 layers, 8 x 128 elements, 100 tokens, 2 sequences: bits alone 32 x 2 x 1024 x 100 x 2 = 13,107,200
        const qint64 bits = 13'107'200;
        QTest::newRow("none") << static_cast<int>(KvScales::None) << false << bits;
        QTest::newRow("per tensor") << static_cast<int>(KvScales::PerTensor) << false << bits + 32 * 2 * 2;
        QTest::newRow("per token") << static_cast<int>(KvScales::PerToken) << false << bits + 32 * 2 * 2 * 100 * 2;
        QTest::newRow("per token, zero points") << static_cast<int>(KvScales::PerToken) << true << bits + 32 * 2 * 4 * 100 * 2;
        QTest::newRow("per channel") << static_cast<int>(KvScales::PerChannel) << false << bits + 32 * 2 * 2 * 1024 * 2;
        QTest::newRow("per group of 64") << static_cast<int>(KvScales::PerGroup) << false << bits + 32 * 2 * 2 * 16 * 100 * 2;
    }
    void scales()
    {
        QFETCH(int, scales);
        QFETCH(bool, zeroPoints);
        QFETCH(qint64, bytes);
        Scenario scenario = handScenario({32, 8, 128}, 100_tokens, 2, Format::Int8, 24_GB);
        scenario.kv.scales = static_cast<KvScales>(scales);
        scenario.kv.zeroPoints = zeroPoints;
        QCOMPARE(planOf(scenario).kv.total.value, bytes);
    }

    void windowsSharedPrefixAndSinks()
    {
        Scenario scenario = handScenario({4, 1, 64}, 10000_tokens, 3, Format::F16, 24_GB);
        auto model = std::make_shared<ModelSpec>(*scenario.model);
        LayerGroup sliding = model->groups.front();
        sliding.mixer = Mixer::Sliding;
        sliding.window = 1000_tokens;
        model->groups.push_back(sliding);
        model->layout = {0, 1, 1, 1}; // one full layer, three windowed; 256 bytes a token and layer
        scenario.model = model;
        QCOMPARE(planOf(scenario).kv.total.value, (256LL * 10000 + 3 * 256 * 1000) * 3);
        QCOMPARE(planOf(scenario).kv.perToken.value, 4 * 256);
        QCOMPARE(planOf(scenario).kv.perTokenAtContext.value, 256);

        scenario.sharedPrefix = 4000_tokens; // full: 4000 once and 6000 each; windowed: 1000 once and 1000 each
        QCOMPARE(planOf(scenario).kv.total.value, 256LL * (4000 + 6000 * 3) + 3 * 256 * (1000 + 1000 * 3));

        scenario.sharedPrefix = {};
        scenario.sinks = 4_tokens;
        scenario.streamWindow = 2044_tokens;
        QCOMPARE(planOf(scenario).kv.total.value, (256LL * 2048 + 3 * 256 * 1000) * 3);
    }

    void recurrentStateDoesNotGrow()
    {
        // Mamba-2.8b: 64 layers, 5120 channels x 3 columns and 5120 x 16 elements at 2 bytes (serving-engines.md 2.7)
        auto model = std::make_shared<ModelSpec>(modelByHand({64, 1, 1}));
        LayerGroup &group = model->groups.front();
        group = {};
        group.mixer = Mixer::None;
        group.state = {Recurrence::Mamba1, 5120, 4, 5120 * 16, false};
        Scenario scenario = handScenario({64, 1, 1}, 1000_tokens, 5, Format::F16, 24_GB);
        scenario.model = model;
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.kv.statePerSequence.value, 64LL * (5120 * 3 + 5120 * 16) * 2);
        QCOMPARE(answer.kv.total.value, 0);
        QCOMPARE(answer.devices.front().used[Part::State].value, answer.kv.statePerSequence.value * 5);
        QCOMPARE(answer.limits.contextReason, LimitReason::NoGrowth);
    }

    void latentIsNotDivided()
    {
        // DeepSeek-V3: 61 layers x 576 x 2 bytes = 70,272 B a token on each of 8 ranks (serving-engines.md 2.9)
        auto model = std::make_shared<ModelSpec>(modelByHand({61, 1, 192, 128}));
        LayerGroup &group = model->groups.front();
        group.mixer = Mixer::Latent;
        group.latentDim = 512;
        group.ropeDim = 64;
        Scenario scenario = handScenario({61, 1, 192}, 1000_tokens, 1, Format::F16, 80_GB);
        scenario.model = model;
        scenario.clusters = {clusterOf(deviceOfSize(80_GB), 8, {8, 1, 1, 1})};
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.kv.perToken.value, 70'272);
        QCOMPARE(answer.kv.perTokenPerDevice.value, 70'272);
        QCOMPARE(answer.kv.total.value, 8 * 70'272LL * 1000);
        QCOMPARE(answer.devices.size(), std::size_t{8});
    }

    void headsAreReplicatedBeyondTheirNumber()
    {
        // Llama-3.1-70B: TP 16 holds per rank what TP 8 does: 80 x 1 x 256 x 2 = 40,960 (serving-engines.md 2.9)
        Scenario scenario = handScenario({80, 8, 128, 64}, 1000_tokens, 1, Format::F16, 80_GB);
        for (const int tensor : {8, 16}) {
            scenario.clusters = {clusterOf(deviceOfSize(80_GB), tensor, {tensor, 1, 1, 1})};
            const Plan answer = planOf(scenario);
            QCOMPARE(answer.kv.perTokenPerDevice.value, 40'960);
            QCOMPARE(warns(answer, WarningCode::ReplicatedKvHeads), tensor == 16);
        }
    }

    void pipelineStages_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("stages");
        QTest::addColumn<QList<int>>("sizes");
        // serving-engines.md 2.9
        QTest::newRow("61 over 4") << 61 << 4 << QList<int>{15, 15, 16, 15};
        QTest::newRow("80 over 3") << 80 << 3 << QList<int>{27, 27, 26};
        QTest::newRow("61 over 8") << 61 << 8 << QList<int>{7, 7, 8, 8, 8, 8, 8, 7};
        QTest::newRow("one") << 61 << 1 << QList<int>{61};
    }
    void pipelineStages()
    {
        QFETCH(int, layers);
        QFETCH(int, stages);
        QFETCH(QList<int>, sizes);
        Scenario scenario = handScenario({layers, 8, 128}, 1_tokens, 1, Format::F16, 80_GB);
        scenario.clusters = {clusterOf(deviceOfSize(80_GB), stages, {1, stages, 1, 1})};
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.devices.size(), static_cast<std::size_t>(stages));
        for (std::size_t s = 0; s < answer.devices.size(); ++s)
            QCOMPARE(answer.devices[s].used[Part::Kv].value, sizes[static_cast<qsizetype>(s)] * 2LL * 8 * 128 * 2);
    }

    void replicasHoldWholeSequences()
    {
        // 7 sequences over 3 replicas: 3, 2, 2
        Scenario scenario = handScenario({32, 8, 128}, 1000_tokens, 7, Format::F16, 24_GB);
        scenario.clusters = {clusterOf(deviceOfSize(24_GB), 3, {1, 1, 1, 3})};
        const Plan answer = planOf(scenario);
        const qint64 each = 131'072LL * 1000;
        QCOMPARE(answer.devices[0].used[Part::Kv].value, 3 * each);
        QCOMPARE(answer.devices[2].used[Part::Kv].value, 2 * each);
        QCOMPARE(answer.kv.total.value, 7 * each);
        QCOMPARE(answer.limits.maxBatch, 3 * (24'000'000'000 / each));
    }

    void poorestCardBinds()
    {
        Scenario scenario = handScenario({32, 8, 128}, 32768_tokens, 2, Format::F16, 24_GB);
        Cluster mixed = clusterOf(deviceOfSize(24_GB), 2, {2, 1, 1, 1});
        mixed.devices[1].memory = mixed.devices[1].usable = 8_GB;
        mixed.devices[1].id = "small";
        scenario.clusters = {mixed};
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.fullest, 1);
        QCOMPARE(answer.limits.maxContext.value, 8'000'000'000 / (2 * 65'536));
        QVERIFY(warns(answer, WarningCode::MixedDevices));
    }

    /// 33 layers of 4,096 B a token over two stages: 17 and 16. The small card has the fewer layers and is fuller all the same.
    void figuresOfOneDeviceAreTheBindingOne()
    {
        Scenario scenario = handScenario({33, 8, 128}, 10'000_tokens, 1, Format::F16, 24_GB);
        Cluster mixed = clusterOf(deviceOfSize(24_GB), 2, {1, 2, 1, 1});
        mixed.devices[1].memory = mixed.devices[1].usable = 1_GB;
        scenario.clusters = {mixed};
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.fullest, 1);
        const qint64 stage = answer.devices[1].used[Part::Kv].value;
        QCOMPARE(answer.kv.perTokenPerDevice.value, stage / 10'000);
        QCOMPARE(answer.kv.perSequence.value, stage);
        QVERIFY(stage < answer.devices[0].used[Part::Kv].value);
    }

    void tensorGroupsAcrossMachinesAreSlow()
    {
        Scenario scenario = handScenario({32, 8, 128}, 1000_tokens, 1, Format::F16, 24_GB);
        const auto crosses = [&](Split split, int nodes) {
            scenario.clusters = {clusterOf(deviceOfSize(24_GB), static_cast<int>(split.devices()), split)};
            scenario.clusters.front().nodes = nodes;
            return warns(planOf(scenario), WarningCode::TensorAcrossMachines);
        };
        QVERIFY(!crosses({8, 1, 1, 1}, 1));
        QVERIFY(crosses({8, 1, 1, 1}, 2));
        QVERIFY(!crosses({4, 2, 1, 1}, 2));
        QVERIFY(crosses({4, 3, 1, 1}, 2)); // 6 cards a machine: the second group is torn
    }

    void longerPrefixThanContextIsSaid()
    {
        Scenario scenario = handScenario({32, 8, 128}, 1000_tokens, 3, Format::F16, 24_GB);
        scenario.sharedPrefix = 1000_tokens;
        QVERIFY(!warns(planOf(scenario), WarningCode::PrefixClipped));
        scenario.sharedPrefix = 1001_tokens;
        QVERIFY(warns(planOf(scenario), WarningCode::PrefixClipped));
        QCOMPARE(planOf(scenario).kv.total.value, 131'072'000); // all of it once
    }

    /// Two replicas within a group of two cards: each card has its replica's sequences. What a card holds of one is the engine's to say.
    void replicasWithinTheTensorGroup()
    {
        Scenario scenario = handScenario({32, 8, 128}, 1000_tokens, 3, Format::F16, 24_GB);
        Cluster cluster = clusterOf(deviceOfSize(24_GB), 2, {2, 1, 1, 1});
        Result<Compiled> compiled = compile(scenario, cluster);
        QVERIFY(compiled);
        cluster.split.data = 2;
        cluster.split.dataInTensor = true;
        const FitBoundary boundary(std::move(*compiled), scenario, cluster);
        QCOMPARE(boundary.cardGroups(), 1);
        QCOMPARE(boundary.replicas(), 2);
        const Plan answer = judge(boundary, scenario, cluster);
        QCOMPARE(answer.devices.size(), std::size_t{2});
        QCOMPARE(answer.devices[0].used[Part::Kv].value, 2 * 65'536LL * 1000); // 2 sequences and 1
        QCOMPARE(answer.devices[1].used[Part::Kv].value, 65'536LL * 1000);
        QCOMPARE(answer.kv.total.value, 3 * 65'536LL * 1000);
    }

    void offloadedKvIsCountedApart()
    {
        Scenario scenario = handScenario({32, 8, 128}, 32768_tokens, 4, Format::F16, 10_GB);
        QCOMPARE(planOf(scenario).verdict, Verdict::OutOfMemory); // 17.18 GB
        scenario.offloadKv = 8_GB;
        Plan answer = planOf(scenario);
        QCOMPARE(answer.verdict, Verdict::Fits);
        QCOMPARE(answer.hostKv.value, 8'000'000'000);
        QCOMPARE(answer.devices.front().used[Part::Kv].value, 17'179'869'184 - 8'000'000'000);
        QCOMPARE(answer.devices.front().kvNeeded.value, 17'179'869'184);
        QCOMPARE(answer.kv.total.value, 17'179'869'184);
        scenario.hostMemory = 4_GB;
        answer = planOf(scenario);
        QCOMPARE(answer.verdict, Verdict::OutOfMemory);
        QVERIFY(warns(answer, WarningCode::HostMemoryShort));
        scenario.batch = 1; // all of it may go
        QCOMPARE(planOf(scenario).devices.front().used[Part::Kv].value, 0);
        QCOMPARE(planOf(scenario).hostKv.value, 4'294'967'296);
    }

    void absurdlyLargeIsSaid()
    {
        Scenario scenario = handScenario({10000, 128, 256}, largestContext, largestBatch, Format::F32, 24_GB);
        const Plan answer = planOf(scenario);
        QCOMPARE(answer.verdict, Verdict::Refused);
        QVERIFY(answer.refusal);
        QCOMPARE(answer.refusal->code, ErrorCode::TooLarge);

        // Just countable: 10^9 tokens x 10^6 sequences x 2 x 1 x 1 x 1 layer x 2 B = 4 x 10^15
        const Plan largest = planOf(handScenario({1, 1, 1}, largestContext, largestBatch, Format::F16, 24_GB));
        QCOMPARE(largest.kv.total.value, 4'000'000'000'000'000);
        QCOMPARE(largest.verdict, Verdict::OutOfMemory);
    }

    void impossibleIsRefused()
    {
        Scenario scenario = handScenario({4, 8, 128}, 1024_tokens, 1, Format::F16, 24_GB);
        scenario.clusters = {clusterOf(deviceOfSize(24_GB), 2, {4, 1, 1, 1})};
        QCOMPARE(planOf(scenario).refusal->code, ErrorCode::ImpossibleSplit);
        scenario.clusters = {clusterOf(deviceOfSize(24_GB), 8, {1, 8, 1, 1})};
        QCOMPARE(planOf(scenario).refusal->code, ErrorCode::ImpossibleSplit);
        scenario.clusters = {clusterOf(deviceOfSize(24_GB), 1)};
        scenario.kv.key = Format::FP8DsMla;
        QCOMPARE(planOf(scenario).refusal->code, ErrorCode::UnsupportedFormat);
        scenario.kv.key = Format::Q6_K;
        QCOMPARE(planOf(scenario).refusal->code, ErrorCode::UnsupportedFormat);
        scenario.kv.key = Format::F16;
        scenario.model = nullptr;
        QCOMPARE(planOf(scenario).refusal->code, ErrorCode::MissingModel);
    }

    void smallestChanges()
    {
        // 4 x 4.29 GB at 16 bit = 17.18 GB. In 10 GB: q8_0 takes 9.13 GB and is the widest that fits.
        Scenario scenario = handScenario({32, 8, 128}, 32768_tokens, 4, Format::F16, 10_GB);
        QCOMPARE(*widestFittingKv(scenario, scenario.clusters.front()), Format::Q8_0);
        const std::optional<Split> split = fewestDevices(scenario, scenario.clusters.front());
        QVERIFY(split);
        QCOMPARE(split->devices(), 2);
        scenario.clusters = {clusterOf(deviceOfSize(1_GB))};
        // 17.18 GB over 1 GB cards: 18 and 19 leave some card two layers (1.07 GB) or four half ones; 20 = TP 4 x PP 5 leaves 7 quarter layers, 0.94 GB.
        QCOMPARE(fewestDevices(scenario, scenario.clusters.front())->devices(), 20);
    }

    void everyExplanationOfKvAddsUp()
    {
        const Scenario scenario = handScenario({32, 8, 128, 32, 8'030'000'000}, 32768_tokens, 2, Format::F16, 48_GB);
        const Plan answer = planOf(scenario);
        Bytes sum;
        bool formula = false;
        for (const Explanation &line : explain(scenario, scenario.clusters.front(), answer)) {
            QVERIFY(!line.rule.empty() && !line.formula.empty() && !line.source.empty());
            if (line.figure == "kv.total_bytes")
                sum += line.value;
            formula = formula || line.formula == "2 x 32 x 8 x 128 x 2 B x 32768 x 2";
        }
        QCOMPARE(sum.value, answer.kv.total.value);
        QVERIFY(formula);
    }
};

QTEST_GUILESS_MAIN(TestPlan)
#include "tst_plan.moc"
