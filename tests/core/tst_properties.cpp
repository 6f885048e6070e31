// SPDX-License-Identifier: GPL-3.0-or-later
// What must hold for any scenario, tried on random ones from fixed seeds.
#include "core/boundary.h"
#include "core/engine.h"
#include "core/evaluate.h"
#include "core/plan.h"
#include "tests/core/dice.h"
#include "tests/core/scenarios.h"

#include <QRegularExpression>
#include <QTest>

using namespace kvscope;
using testing::Dice;

namespace {

LayerGroup randomGroup(Dice &dice)
{
    LayerGroup group;
    group.mixer = dice.oneOf({Mixer::Full, Mixer::Full, Mixer::Sliding, Mixer::Chunked, Mixer::Latent, Mixer::Shared, Mixer::None});
    group.kvHeads = static_cast<int>(dice.oneOf({1, 2, 4, 8, 32}));
    group.queryHeads = group.kvHeads * static_cast<int>(dice.oneOf({1, 4, 8}));
    group.keyDim = dice.oneOf({64, 80, 128, 256});
    group.valueDim = dice.chance(80) ? group.keyDim : 128;
    group.window = TokenCount{dice.oneOf<std::int64_t>({128, 1024, 4096})};
    group.latentDim = 512;
    group.ropeDim = 64;
    group.indexKeyDim = group.mixer == Mixer::Latent && dice.chance(30) ? 128 : 0;
    group.compression = TokenCount{dice.chance(10) ? dice.oneOf<std::int64_t>({4, 128}) : 1};
    if (dice.chance(25))
        group.state = {Recurrence::Mamba2, dice.whole(1, 20000), 4, dice.whole(1, 500000), dice.chance(50)};
    if (dice.chance(10)) {
        group.crossKvHeads = 8;
        group.crossHeadDim = 64;
    }
    group.parameters[Role::Attention] = dice.whole(0, 50'000'000);
    group.parameters[Role::Ffn] = dice.whole(0, 200'000'000);
    group.parameters[Role::Small] = dice.whole(0, 10'000);
    return group;
}

std::shared_ptr<ModelSpec> randomModel(Dice &dice)
{
    auto model = std::make_shared<ModelSpec>();
    model->id = "random";
    model->hidden = 4096;
    model->intermediate = 14336;
    model->vocab = 32000;
    const std::int64_t kinds = dice.whole(1, 3);
    for (std::int64_t k = 0; k < kinds; ++k)
        model->groups.push_back(randomGroup(dice));
    const std::int64_t layers = dice.whole(1, 96);
    for (std::int64_t i = 0; i < layers; ++i)
        model->layout.push_back(static_cast<std::uint16_t>(dice.whole(0, kinds - 1)));
    model->outer[Role::Embedding] = model->outer[Role::OutputHead] = 4096LL * 32000;
    model->parametersKnown = true;
    model->trainedContext = TokenCount{dice.chance(80) ? dice.whole(2048, 1'048'576) : 0};
    return model;
}

Scenario randomScenario(Dice &dice)
{
    Scenario scenario;
    scenario.model = randomModel(dice);
    scenario.context = TokenCount{dice.chance(80) ? dice.whole(1, 300'000) : dice.whole(1, 20)};
    scenario.batch = dice.chance(80) ? dice.whole(1, 64) : dice.whole(1, 5000);
    scenario.kv.key = scenario.kv.value = dice.oneOf({Format::F16, Format::Q8_0, Format::Int8, Format::Q4_0, Format::Int4});
    if (dice.chance(20)) {
        scenario.kv.scales = dice.oneOf({KvScales::PerTensor, KvScales::PerToken, KvScales::PerChannel, KvScales::PerGroup});
        scenario.kv.zeroPoints = dice.chance(50);
    }
    if (dice.chance(20))
        scenario.sharedPrefix = TokenCount{dice.whole(1, 100'000)};
    if (dice.chance(10)) {
        scenario.sinks = 4_tokens;
        scenario.streamWindow = 4096_tokens;
    }
    if (dice.chance(20))
        scenario.offloadKv = Bytes{dice.whole(1, 60'000'000'000)};
    if (dice.chance(20))
        scenario.inUse = Bytes{dice.whole(0, 3'000'000'000)};
    if (dice.chance(20))
        scenario.reservePercent = static_cast<double>(dice.whole(0, 20));
    const int tensor = dice.oneOf({1, 1, 2, 4, 8, 16});
    const int pipeline = static_cast<int>(std::min<std::int64_t>(dice.oneOf({1, 1, 2, 3}), scenario.model->layerCount()));
    const int data = dice.oneOf({1, 1, 3});
    scenario.clusters = {
        clusterOf(deviceOfSize(Bytes{dice.whole(8, 192) * bytesPerGB}), tensor * pipeline * data, {tensor, pipeline, 1, data})};
    if (dice.chance(10)) {
        Device &other = scenario.clusters.front().devices.back();
        other.id = "other";
        other.memory = other.usable = Bytes{dice.whole(8, 192) * bytesPerGB};
    }
    return scenario;
}

constexpr unsigned rounds = 3000;

bool fits(const Scenario &scenario) { return plan(scenario, scenario.clusters.front()).verdict == Verdict::Fits; }

} // namespace

class TestProperties : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void partsAddUpToTheTotal()
    {
        for (unsigned seed = 0; seed < rounds; ++seed) {
            Dice dice(seed);
            const Scenario scenario = randomScenario(dice);
            const Plan answer = plan(scenario, scenario.clusters.front());
            QVERIFY(answer.verdict != Verdict::Refused);
            Bytes kv, host;
            for (const DevicePlan &device : answer.devices) {
                QCOMPARE(device.used.total().value, device.total.value);
                QVERIFY(device.low <= device.total && device.total <= device.high);
                QVERIFY(device.used[Part::Kv] >= Bytes{} && device.used[Part::Kv] <= device.kvNeeded);
                kv += device.kvNeeded;
                host += device.kvNeeded - device.used[Part::Kv];
            }
            QCOMPARE(kv.value, answer.kv.total.value);
            QCOMPARE(host.value, answer.hostKv.value);
            QVERIFY(host <= scenario.offloadKv);
        }
    }

    void explanationsAddUpToTheCache()
    {
        for (unsigned seed = 0; seed < rounds / 10; ++seed) {
            Dice dice(seed);
            const Scenario scenario = randomScenario(dice);
            const Plan answer = plan(scenario, scenario.clusters.front());
            Bytes sum;
            for (const Explanation &line : explain(scenario, scenario.clusters.front(), answer)) {
                QVERIFY(!line.rule.empty() && !line.formula.empty() && !line.source.empty());
                if (line.figure == "kv.total_bytes")
                    sum += line.value;
            }
            QCOMPARE(sum.value, answer.kv.total.value);
        }
    }

    void boundaryAgreesWithPlan()
    {
        for (unsigned seed = 0; seed < rounds; ++seed) {
            Dice dice(seed + 100'000);
            Scenario scenario = randomScenario(dice);
            const Cluster &cluster = scenario.clusters.front();
            Result<Compiled> compiled = compile(scenario, cluster);
            QVERIFY(compiled);
            const FitBoundary boundary(std::move(*compiled), scenario, cluster);

            const std::int64_t sequences = boundary.maxSequences(scenario.context);
            if (sequences > 0) {
                scenario.batch = sequences;
                QVERIFY2(fits(scenario), qPrintable(QStringLiteral("seed %1, at %2 sequences").arg(seed).arg(sequences)));
                scenario.batch = std::max<std::int64_t>(1, sequences - 1);
                QVERIFY(fits(scenario));
            }
            if (sequences < largestBatch) {
                scenario.batch = sequences + 1;
                QVERIFY2(!fits(scenario), qPrintable(QStringLiteral("seed %1, above %2 sequences").arg(seed).arg(sequences)));
            }

            scenario.batch = dice.whole(1, 40);
            const TokenCount context = boundary.maxContext(scenario.batch);
            if (context.value > 0) {
                scenario.context = context;
                QVERIFY2(fits(scenario), qPrintable(QStringLiteral("seed %1, at %2 tokens").arg(seed).arg(context.value)));
                scenario.context = TokenCount{std::max<std::int64_t>(0, context.value - 1)};
                QVERIFY(fits(scenario));
            }
            if (context < largestContext) {
                scenario.context = context + 1_tokens;
                QVERIFY2(!fits(scenario), qPrintable(QStringLiteral("seed %1, above %2 tokens").arg(seed).arg(context.value)));
            }
        }
    }

    void moreMemoryNeverFitsLess()
    {
        for (unsigned seed = 0; seed < rounds; ++seed) {
            Dice dice(seed + 200'000);
            Scenario scenario = randomScenario(dice);
            const Plan before = plan(scenario, scenario.clusters.front());
            for (Device &device : scenario.clusters.front().devices) {
                const Bytes more{dice.whole(0, 20'000'000'000)};
                device.memory += more;
                device.usable += more;
            }
            const Plan after = plan(scenario, scenario.clusters.front());
            QVERIFY(after.verdict <= before.verdict);
            QVERIFY(after.limits.maxContextBeyondTraining >= before.limits.maxContextBeyondTraining);
            QVERIFY(after.limits.maxBatch >= before.limits.maxBatch);
        }
    }

    void moreLoadNeverTakesLess()
    {
        for (unsigned seed = 0; seed < rounds; ++seed) {
            Dice dice(seed + 300'000);
            Scenario scenario = randomScenario(dice);
            const Plan before = plan(scenario, scenario.clusters.front());
            (dice.chance(50) ? scenario.context.value : scenario.batch) += dice.whole(0, 1000);
            const Plan after = plan(scenario, scenario.clusters.front());
            QVERIFY(after.binding()->high >= before.devices[static_cast<std::size_t>(after.fullest)].high);
            QVERIFY(after.kv.total >= before.kv.total);
        }
    }

    void widerPrecisionIsNeverSmaller()
    {
        for (unsigned seed = 0; seed < rounds; ++seed) {
            Dice dice(seed + 400'000);
            Scenario scenario = randomScenario(dice);
            scenario.kv.scales = KvScales::None;
            Bytes wider{tooLargeValue};
            for (const Format format : {Format::F32, Format::F16, Format::Q8_0, Format::Int8, Format::Q5_1, Format::Q4_0, Format::Int4}) {
                scenario.kv.key = scenario.kv.value = format;
                const Bytes total = plan(scenario, scenario.clusters.front()).kv.total;
                QVERIFY(total <= wider);
                wider = total;
            }
        }
    }

    void moreDevicesNeverRaiseAShare()
    {
        for (unsigned seed = 0; seed < rounds; ++seed) {
            Dice dice(seed + 500'000);
            Scenario scenario = randomScenario(dice);
            scenario.offloadKv = {};
            const Device device = scenario.clusters.front().devices.front();
            Bytes before{tooLargeValue};
            for (const int tensor : {1, 2, 4, 8, 16, 32}) {
                scenario.clusters = {clusterOf(device, tensor, {tensor, 1, 1, 1})};
                const Bytes share = plan(scenario, scenario.clusters.front()).binding()->total;
                QVERIFY2(share <= before, qPrintable(QStringLiteral("seed %1, TP %2").arg(seed).arg(tensor)));
                before = share;
            }
        }
    }

    void linesOfTheChartsAreThePlans()
    {
        for (unsigned seed = 0; seed < 60; ++seed) {
            Dice dice(seed + 600'000);
            Scenario scenario = randomScenario(dice);
            const Results results = evaluate(scenario);
            QCOMPARE(results.plans.size(), scenario.clusters.size());
            QVERIFY(std::ranges::is_sorted(results.contexts));
            QVERIFY(std::ranges::find(results.contexts, scenario.context) != results.contexts.end());
            for (std::size_t i = 0; i < results.contexts.size(); i += 13) {
                Scenario at = scenario;
                at.context = results.contexts[i];
                QCOMPARE(results.growthByCluster.front().total[i].value, plan(at, at.clusters.front()).binding()->total.value);
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestProperties)
#include "tst_properties.moc"
