// SPDX-License-Identifier: GPL-3.0-or-later
// Weights per GPU, start profile and KV budget of vLLM against the worked examples and printed figures of spec/serving-engines.md 1, 4, 5, 7.
#include "core/engines/vllmsetup.h"
#include "tests/core/servingmodels.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using vllm::Setup;

Setup setupOf(const Scenario &scenario)
{
    static std::vector<std::shared_ptr<const ModelSpec>> kept; // a setup points into its model
    kept.push_back(scenario.model);
    std::vector<Warning> warnings;
    Result<Setup> setup = vllm::setUp(scenario, scenario.clusters.front(), warnings);
    if (!setup) {
        QTest::qFail(setup.error().where.c_str(), __FILE__, __LINE__);
        return {};
    }
    return *setup;
}

Scenario scenarioOf(const QByteArray &model, const char *version, Split split = {}, std::optional<Format> weights = {})
{
    Scenario scenario = servingScenario(EngineId::Vllm, version, catalogued(model.constData()), split);
    scenario.weights.format = weights;
    scenario.context = 8192_tokens;
    return scenario;
}

double gibOf(Bytes bytes) { return testing::gibOf(static_cast<double>(bytes.value)); }

#define COMPARE_NEAR(actual, expected, tolerance)                                                                                          \
    QVERIFY2(std::abs((actual) - (expected)) <= (tolerance), qPrintable(QStringLiteral("%1 instead of %2").arg(actual).arg(expected)))

} // namespace

class TestVllmBudget : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 4.1: parameters of one rank, and their bytes without rotary table and rounding.
    void splitsLlama70B_data()
    {
        QTest::addColumn<int>("tensor");
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<double>("gib");
        QTest::newRow("tp 1") << 1 << qint64{70'553'706'496} << 131.42;
        QTest::newRow("tp 2") << 2 << qint64{35'277'512'704} << 65.71;
        QTest::newRow("tp 4") << 4 << qint64{17'639'415'808} << 32.86;
        QTest::newRow("tp 8") << 8 << qint64{8'820'367'360} << 16.43;
        QTest::newRow("tp 16") << 16 << qint64{4'494'729'216} << 8.37;
    }

    void splitsLlama70B()
    {
        QFETCH(int, tensor);
        QFETCH(qint64, parameters);
        QFETCH(double, gib);
        const serving::RankWeights weights =
            setupOf(scenarioOf("llama-3.1-70b-instruct", "0.29.0", {.tensor = tensor})).budgets.front().weights;
        const Bytes plain = weights.layers + weights.tables + weights.other;
        QCOMPARE(plain.value, 2 * parameters);
        QCOMPARE(rounded(gibOf(plain), 2), gib);
    }

    /// 4.1: what the log prints, with the rotary table and rounding.
    void countsWhatTheAllocatorHandsOut_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<double>("printed");
        QTest::addColumn<double>("within");
        QTest::newRow("Llama-3.1-8B") << QByteArray("llama-3.1-8b-instruct") << 1 << 14.9888 << 0.0005;
        QTest::newRow("Qwen2.5-7B") << QByteArray("qwen2.5-7b-instruct") << 1 << 14.25 << 0.005;
        QTest::newRow("Qwen2.5-72B tp 2") << QByteArray("qwen2.5-72b") << 2 << 67.80 << 0.068;
    }

    void countsWhatTheAllocatorHandsOut()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, tensor);
        QFETCH(double, printed);
        QFETCH(double, within);
        const serving::RankWeights weights = setupOf(scenarioOf(model, "0.19.0", {.tensor = tensor})).budgets.front().weights;
        COMPARE_NEAR(gibOf(weights.total()), printed, within);
    }

    void roundsLargeTensors()
    {
        // Qwen2.5-7B: 28 layers of 2 MiB and half a MiB for each of table and head; Qwen2.5-72B on two: 80 MiB.
        QCOMPARE(setupOf(scenarioOf("qwen2.5-7b-instruct", "0.19.0")).budgets.front().weights.rounding, 57_MiB);
        const Bytes large = setupOf(scenarioOf("qwen2.5-72b", "0.19.0", {.tensor = 2})).budgets.front().weights.rounding;
        COMPARE_NEAR(static_cast<double>(large.value) / bytesPerMiB, 80.0, 1.0);
    }

    void keepsRotaryTables()
    {
        const auto rotary = [](const char *model) { return setupOf(scenarioOf(model, "0.19.0")).budgets.front().weights.rotary; };
        QCOMPARE(rotary("llama-3.1-8b-instruct"), Bytes{131'072LL * 128 * 2}); // whatever the context
        QCOMPARE(rotary("llama-4-scout-17b-16e-instruct"), Bytes{10'485'760LL * 128 * 2});
        // Gemma 3: local and, eight times as long, global positions of heads of 256: 0.56 GiB. The catalogue's 27B has heads of 128.
        QCOMPARE(rotary("gemma-3-27b-it"), Bytes{(131'072LL + 1'048'576) * 128 * 2});
        QCOMPARE(rotary("deepseek-v2-lite"), Bytes{163'840LL * 64 * 4}); // yarn, fp32
        QCOMPARE(rotary("gpt-oss-20b"), Bytes{131'072LL * 64 * 2});
    }

    /// 4.3: whole models by format, without rotary tables and rounding.
    void weighsFormats_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("format");
        QTest::addColumn<double>("gib");
        const auto row = [](const char *name, const char *model, Format format, double gib) {
            QTest::newRow(name) << QByteArray(model) << static_cast<int>(format) << gib;
        };
        row("8B bf16", "llama-3.1-8b-instruct", Format::BF16, 14.96);
        row("8B fp8", "llama-3.1-8b-instruct", Format::FP8, 8.46);
        row("8B awq", "llama-3.1-8b-instruct", Format::AWQ, 5.33);
        row("8B gptq", "llama-3.1-8b-instruct", Format::GPTQ, 5.33);
        row("70B fp8", "llama-3.1-70b-instruct", Format::FP8, 67.67);
        row("70B awq", "llama-3.1-70b-instruct", Format::AWQ, 37.04);
        row("70B nvfp4", "llama-3.1-70b-instruct", Format::NVFP4, 39.78);
        row("70B nf4 double", "llama-3.1-70b-instruct", Format::NF4Double, 36.80);
    }

    void weighsFormats()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, format);
        QFETCH(double, gib);
        const serving::RankWeights weights = setupOf(scenarioOf(model, "0.29.0", {}, static_cast<Format>(format))).budgets.front().weights;
        COMPARE_NEAR(gibOf(weights.layers + weights.tables + weights.other), gib, 0.006);
    }

    /// 4.2: gpt-oss on a GPU: 4-bit values padded on both sides in 0.19, on one in 0.11.
    void padsFourBitExperts()
    {
        const auto weights = [](const char *model, const char *version) {
            return gibOf(setupOf(scenarioOf(model, version)).budgets.front().weights.total());
        };
        COMPARE_NEAR(weights("gpt-oss-20b", "0.19.0"), 13.64, 0.02);
        COMPARE_NEAR(weights("gpt-oss-20b", "0.11.0"), 13.43, 0.02);
        COMPARE_NEAR(weights("gpt-oss-120b", "0.11.0"), 64.38, 0.05);
    }

    /// 4.3: DeepSeek-V3 in FP8: 79.5 GiB a rank on eight by TP or by EP, 0.24 of it the latents' copies; 40.3 on sixteen.
    void splitsDeepSeekV3()
    {
        const serving::RankWeights by8 = setupOf(scenarioOf("deepseek-v3", "0.29.0", {.tensor = 8})).budgets.front().weights;
        const serving::RankWeights experts =
            setupOf(scenarioOf("deepseek-v3", "0.29.0", {.tensor = 8, .expert = 8})).budgets.front().weights;
        const serving::RankWeights by16 = setupOf(scenarioOf("deepseek-v3", "0.29.0", {.tensor = 16})).budgets.front().weights;
        COMPARE_NEAR(gibOf(by8.total()), 79.5, 0.4);
        COMPARE_NEAR(gibOf(experts.total()), 79.5, 0.4);
        COMPARE_NEAR(gibOf(by8.copies), 0.24, 0.005);
        COMPARE_NEAR(gibOf(by16.total()), 40.3, 0.3);
    }

    /// 4.1: a tied table is held on the first and on the last stage; Qwen3-0.6B holds it once on one GPU: 596,049,920 parameters.
    void holdsTiedTablesOnBothEnds()
    {
        const serving::RankWeights alone = setupOf(scenarioOf("qwen3-0.6b", "0.19.0")).budgets.front().weights;
        QCOMPARE(alone.layers + alone.tables + alone.other, Bytes{2 * 596'049'920LL});
        const Setup stages = setupOf(scenarioOf("qwen3-0.6b", "0.19.0", {.pipeline = 2}));
        QCOMPARE(stages.budgets.front().weights.tables, stages.budgets.back().weights.tables);
        QCOMPARE(stages.budgets.front().weights.tables, alone.tables);
    }

    /// Tables for each layer are split with the vocabulary, learned positions are not.
    void splitsTablesByWhatTheyHold()
    {
        const auto tables = [](const char *model, int tensor) {
            return setupOf(scenarioOf(model, "0.29.0", {.tensor = tensor})).budgets.front().weights.tables.value;
        };
        const std::int64_t perLayer = tables("gemma-3n-e4b-it", 1);
        QVERIFY(std::abs(tables("gemma-3n-e4b-it", 2) - perLayer / 2) < bytesPerMiB);
        const std::int64_t positions = 2 * 2050 * 768LL; // OPT-125m: 2,048 and two rows
        QVERIFY(std::abs(tables("opt-125m", 2) - positions - (tables("opt-125m", 1) - positions) / 2) < bytesPerMiB / 4);
    }

    /// Bytes of a quantised checkpoint's own files win over what its format gives, unless they hold something else.
    void takesStoredBytes()
    {
        auto model = std::make_shared<ModelSpec>(*catalogued("qwen2.5-7b-instruct-awq"));
        const auto bytes = [&model] {
            Scenario scenario = scenarioOf("qwen2.5-7b-instruct-awq", "0.19.0");
            scenario.model = model;
            const serving::RankWeights weights = setupOf(scenario).budgets.front().weights;
            return weights.layers + weights.tables + weights.other;
        };
        model->measuredWeights.reset();
        const Bytes byFormat = bytes();
        model->measuredWeights = Bytes{byFormat.value / 100 * 103};
        COMPARE_NEAR(gibOf(bytes()), gibOf(*model->measuredWeights), 0.001);
        model->measuredWeights = Bytes{byFormat.value * 2};
        QCOMPARE(bytes(), byFormat);
    }

    /// 5.1, 5.2: peaks as printed on H100.
    void estimatesPeaks_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<double>("gib");
        QTest::addColumn<double>("within");
        const auto row = [](const char *name, const char *model, const char *version, int tensor, double gib, double within) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(version) << tensor << gib << within;
        };
        row("Llama-3.1-8B, 0.19", "llama-3.1-8b-instruct", "0.19.0", 1, 1.89, 0.006);
        row("Llama-3.1-8B, 0.16", "llama-3.1-8b-instruct", "0.16.0", 1, 4.8, 0.05);
        row("Llama-3.1-8B, V0", "llama-3.1-8b-instruct", "2024-12-14", 1, 1.26, 0.006);
        row("Qwen3-30B", "qwen3-30b-a3b", "0.19.0", 1, 2.68, 0.03);
        row("Mixtral tp 2", "mixtral-8x7b-v0.1", "0.19.0", 2, 1.21, 0.03);
    }

    void estimatesPeaks()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(int, tensor);
        QFETCH(double, gib);
        QFETCH(double, within);
        const Setup setup = setupOf(scenarioOf(model, version.constData(), {.tensor = tensor}));
        COMPARE_NEAR(testing::gibOf(static_cast<double>(setup.budgets.front().peak.total)), gib, within);
    }

    /// 5.1: V0 on an RTX 3090: 20,000 tokens take 2.06 GiB, 29,000 take 2.99; longer prompts are cut and nothing is sampled (5.2).
    void followsPromptsOfV0()
    {
        const auto peakAt = [](TokenCount context) {
            Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2024-12-02");
            scenario.clusters = {clusterOf(deviceOfSize(Bytes{static_cast<std::int64_t>(23.58 * static_cast<double>(bytesPerGiB))}))};
            scenario.context = context;
            return setupOf(scenario).budgets.front().peak;
        };
        COMPARE_NEAR(testing::gibOf(static_cast<double>(peakAt(20'000_tokens).total)), 2.06, 0.006);
        COMPARE_NEAR(testing::gibOf(static_cast<double>(peakAt(29'000_tokens).total)), 2.99, 0.006);
        QCOMPARE(peakAt(35'000_tokens).sampler, 0);
        QVERIFY(peakAt(35'000_tokens).total < bytesPerGiB);
    }

    void freesMemoryWithFewerSequences()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "0.19.0");
        const std::int64_t all = setupOf(scenario).budgets.front().peak.sampler;
        scenario.serving.maxSequences = 256;
        const std::int64_t quarter = setupOf(scenario).budgets.front().peak.sampler;
        QCOMPARE(all - quarter, static_cast<std::int64_t>(768 * 128'256 * 14.5));
    }

    /// 5.3: how many sizes are captured.
    void capturesSizes_data()
    {
        QTest::addColumn<int>("sequences");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("architecture");
        QTest::addColumn<int>("sizes");
        QTest::newRow("max 16") << 8 << QByteArray("0.19.0") << QByteArray("Hopper") << 5;
        QTest::newRow("max 64") << 32 << QByteArray("0.19.0") << QByteArray("Hopper") << 11;
        QTest::newRow("max 512") << 1024 << QByteArray("0.19.0") << QByteArray("Hopper") << 51;
        QTest::newRow("max 1024") << 1024 << QByteArray("0.29.0") << QByteArray("Blackwell") << 83;
    }

    void capturesSizes()
    {
        QFETCH(int, sequences);
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, architecture);
        QFETCH(int, sizes);
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", version.constData());
        scenario.serving.maxSequences = sequences;
        scenario.clusters[0].devices[0].architecture = architecture.toStdString();
        const Setup setup = setupOf(scenario);
        QCOMPARE(vllm::captureSizes(setup.run, setup.rules, scenario, setup.devices.front()), sizes);
    }

    /// 1.3: the H100 example of today's rules, and what 0.19.0 printed at 0.95.
    void leavesAKvBudget()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-08-17");
        const Setup today = setupOf(scenario);
        const vllm::Budget &budget = today.budgets.front();
        QCOMPARE(rounded(gibOf(budget.requested), 2), 72.85);
        COMPARE_NEAR(gibOf(budget.weights.total()), 14.99, 0.005);
        COMPARE_NEAR(testing::gibOf(static_cast<double>(budget.peak.forward)), 0.92, 0.005);
        QCOMPARE(budget.subtracted.middle, Bytes{}); // the second runner
        COMPARE_NEAR(gibOf(budget.available.middle), 55.72, 0.01);
        COMPARE_NEAR(static_cast<double>(today.blocks), 28'529.0, 5.0);
        // 5.6 gives 55.10 .. 56.05; after 0.19 the rules were not tried, so both ends are twice as far away.
        QVERIFY(!budget.tried);
        COMPARE_NEAR(gibOf(budget.available.low), 55.72 - 2 * (55.72 - 55.10), 0.02);
        COMPARE_NEAR(gibOf(budget.available.high), 55.72 + 2 * (56.05 - 55.72), 0.02);

        scenario.engine.version = "0.19.0";
        scenario.serving.memoryFraction = 0.95;
        const vllm::Budget printed = setupOf(scenario).budgets.front();
        QVERIFY(printed.tried);
        COMPARE_NEAR(gibOf(printed.available.middle), 58.10, 0.01);
        COMPARE_NEAR(gibOf(printed.available.middle) - gibOf(printed.available.low), 55.72 - 55.10, 0.02);
        QVERIFY(printed.available.low <= Bytes{static_cast<std::int64_t>(58.11 * static_cast<double>(bytesPerGiB))});
    }

    /// 7.6: two H100, Llama-3.1-70B in FP8 with FP8 KV.
    void worksTheLaunchExample()
    {
        Scenario scenario = scenarioOf("llama-3.1-70b-instruct", "2026-08-17", {.tensor = 2}, Format::FP8);
        scenario.context = 32'768_tokens;
        scenario.batch = 64;
        scenario.kv.key = scenario.kv.value = Format::FP8;
        scenario.serving.maxSequences = 64;
        scenario.serving.memoryFraction = 0.92;
        const Setup setup = setupOf(scenario);
        const vllm::Budget &budget = setup.budgets.front();
        // The text has 33.91; its own totals of 4.3, halved, and the rotary table are 33.87.
        COMPARE_NEAR(gibOf(budget.weights.total()), 67.67 / 2 + 0.03, 0.01);
        COMPARE_NEAR(testing::gibOf(static_cast<double>(budget.peak.total)), 1.19, 0.005);
        COMPARE_NEAR(gibOf(budget.available.middle), 35.7, 0.05);
        COMPARE_NEAR(gibOf(budget.available.middle) - gibOf(budget.available.low), 2 * (35.7 - 35.1), 0.15); // twice: not tried
        QCOMPARE(setup.pool.blockBytes.front(), 1'310'720);
        COMPARE_NEAR(static_cast<double>(setup.blocks), 29'230.0, 40.0);
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(planned.verdict, Verdict::OutOfMemory); // about 50 sequences would wait
    }

    /// 5.4: growth and what is in use before the snapshot, as printed on H100.
    void countsMemoryOutsideTorch_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<double>("gib");
        QTest::newRow("alone") << QByteArray("llama-3.1-8b-instruct") << 1 << 1 << 0.76;
        QTest::newRow("tp 2") << QByteArray("llama-3.1-8b-instruct") << 2 << 1 << 3.58;
        QTest::newRow("tp 4") << QByteArray("llama-3.1-8b-instruct") << 4 << 1 << 3.67;
        QTest::newRow("pp 2") << QByteArray("llama-3.1-8b-instruct") << 1 << 2 << 1.57;
        QTest::newRow("experts, tp 2") << QByteArray("mixtral-8x7b-v0.1") << 2 << 1 << 4.08;
    }

    void countsMemoryOutsideTorch()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, tensor);
        QFETCH(int, pipeline);
        QFETCH(double, gib);
        const vllm::Budget budget = setupOf(scenarioOf(model, "0.19.0", {.tensor = tensor, .pipeline = pipeline})).budgets.front();
        COMPARE_NEAR(gibOf(budget.before.middle + budget.growth.middle), gib, 0.01);
    }

    /// 5.4: without NVLink two ranks take 0.9 GiB, low 0.4 and high 1.6.
    void countsLessWithoutFastLinks()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "0.19.0", {.tensor = 2});
        for (Device &device : scenario.clusters[0].devices)
            device.architecture = "Ada Lovelace";
        const Spread growth = setupOf(scenario).budgets.front().growth;
        COMPARE_NEAR(gibOf(growth.low), 0.4, 0.001);
        COMPARE_NEAR(gibOf(growth.middle), 0.9, 0.001);
        COMPARE_NEAR(gibOf(growth.high), 1.6, 0.001);
    }

    /// 4.1: experts are shared out over data parallel ranks too, whole with EP; the rest is on each.
    void sharesExpertsOverReplicas()
    {
        const auto layers = [](Split split) {
            return setupOf(scenarioOf("qwen3-30b-a3b", "0.29.0", split)).budgets.front().weights.layers.value;
        };
        const std::int64_t experts = 2LL * 48 * 128 * 3 * 2048 * 768;
        const std::int64_t alone = layers({});
        QCOMPARE(alone - layers({.data = 2}), experts / 2);
        QCOMPARE(alone - layers({.expert = 2, .data = 2}), experts / 2);
        QCOMPARE(alone - layers({.expert = 3, .data = 3}), experts / 128 * (128 - 43)); // 43 of 128 on the first rank
    }

    /// A figure that was measured takes the estimate's place, and its interval with it.
    void takesMeasuredFigures()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "0.19.0");
        scenario.serving.givenActivation = 2_GiB;
        scenario.serving.givenGraph = 1_GiB;
        scenario.serving.givenRuntime = 1_GiB;
        const vllm::Budget budget = setupOf(scenario).budgets.front();
        QCOMPARE(budget.available.low, budget.available.high);
        QCOMPARE(budget.available.middle, budget.requested - budget.weights.total() - 2_GiB - budget.growth.middle);
        QCOMPARE(budget.before.middle + budget.growth.middle, 1_GiB);
        QCOMPARE(budget.graphs.middle, 1_GiB);
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(planned.devices.front().used[Part::Activation], 2_GiB);
        scenario.serving.givenKv = 30_GiB;
        QCOMPARE(setupOf(scenario).budgets.front().available.middle, 30_GiB);
    }

    /// 7.2: batch sizes by card and version.
    void choosesBatchSizes_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<double>("gib");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("context");
        QTest::addColumn<qint64>("tokens");
        QTest::addColumn<qint64>("sequences");
        const auto row = [](const char *what, const char *version, double gib, const char *name, int context, qint64 tokens,
                            qint64 sequences) {
            QTest::newRow(what) << QByteArray(version) << gib << QByteArray(name) << context << tokens << sequences;
        };
        row("H100", "0.19.0", 79.19, "H100", 8192, 8192, 1024);
        row("A100", "0.19.0", 79.2, "A100 SXM4 80GB", 8192, 2048, 256);
        row("A100 before 0.9", "0.8.5", 79.2, "A100 SXM4 80GB", 8192, 8192, 1024);
        row("24 GiB", "0.19.0", 23.6, "RTX 4090", 8192, 2048, 256);
        row("B200", "0.27.0", 178, "B200", 8192, 8192, 1024);
        row("B200 later", "0.28.0", 178, "B200", 8192, 16'384, 1024);
        row("V0, short", "0.6.6", 79.19, "H100", 1024, 2048, 256);
        row("V0, long", "0.6.6", 79.19, "H100", 20'000, 20'000, 256);
        row("V0, cut", "0.6.6", 79.19, "H100", 65'536, 2048, 256);
    }

    void choosesBatchSizes()
    {
        QFETCH(QByteArray, version);
        QFETCH(double, gib);
        QFETCH(QByteArray, name);
        QFETCH(int, context);
        QFETCH(qint64, tokens);
        QFETCH(qint64, sequences);
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", version.constData());
        Device &device = scenario.clusters[0].devices[0];
        device.memory = device.usable = Bytes{static_cast<std::int64_t>(gib * static_cast<double>(bytesPerGiB))};
        device.name = name.toStdString();
        scenario.context = TokenCount{context};
        const vllm::BatchSizes sizes = vllm::batchSizes(setupOf(scenario).rules, scenario, device);
        QCOMPARE(sizes.tokens, tokens);
        QCOMPARE(sizes.sequences, sequences);
    }

    /// 1.1: where the graphs' estimate is taken off the budget.
    void subtractsGraphsWhereTheRunnerEstimatesThem_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<bool>("subtracted");
        const auto row = [](const char *name, const char *model, const char *version, bool subtracted) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(version) << subtracted;
        };
        row("before", "llama-3.1-8b-instruct", "0.19.1", false);
        row("first runner", "llama-3.1-8b-instruct", "0.20.0", true);
        row("Llama in 0.23", "llama-3.1-8b-instruct", "0.23.0", false);
        row("Gemma in 0.24", "gemma-2-9b-it", "0.24.0", true);
        row("dense in 0.25", "gemma-2-9b-it", "0.25.0", false);
        row("Qwen2-MoE in 0.23", "qwen1.5-moe-a2.7b", "0.23.0", true);
        row("Qwen2-MoE in 0.24", "qwen1.5-moe-a2.7b", "0.24.0", false);
        row("other experts", "qwen3-30b-a3b", "0.29.0", true);
        row("hybrids", "qwen3.5-27b", "0.29.0", true);
    }

    void subtractsGraphsWhereTheRunnerEstimatesThem()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(bool, subtracted);
        Scenario scenario = scenarioOf(model, version.constData());
        QCOMPARE(setupOf(scenario).budgets.front().subtracted.middle.value > 0, subtracted);
        scenario.serving.eager = true;
        QCOMPARE(setupOf(scenario).budgets.front().subtracted.middle, Bytes{});
    }

    /// 0.2: which rules a version stands for.
    void takesVersionsByTable()
    {
        const auto rules = [](const char *version) {
            std::vector<Warning> warnings;
            const Result<vllm::Rules> found = vllm::rulesOf(version, warnings);
            return found ? *found : vllm::Rules{-1};
        };
        QCOMPARE(vllm::utilizationOf(rules("0.19.1"), {}), 0.90);
        QCOMPARE(vllm::utilizationOf(rules("0.20.0"), {}), 0.92);
        QVERIFY(!rules("0.20.0").tokensByConcurrency());
        QVERIFY(rules("0.20.2").tokensByConcurrency());
        QVERIFY(rules("0.20.3").tokensByConcurrency());
        QVERIFY(!rules("0.24.0").inFlightDoubles());
        QVERIFY(rules("0.25.0").inFlightDoubles());
        QVERIFY(!rules("2026-07-07").inFlightDoubles());
        QVERIFY(rules("2026-07-08").inFlightDoubles());
        QVERIFY(rules("0.6.6").v0());
        QVERIFY(!rules("0.8.0").v0());
        QVERIFY(!rules("0.7.0").latentCache());
        QVERIFY(rules("0.7.1").latentCache());
        QVERIFY(rules("0.17.0").smallSampler());
        QVERIFY(!rules("0.17.0").lateGrowth());
        QVERIFY(rules("0.18.0").lateGrowth());
        QCOMPARE(rules("not a version").date, -1);
        QCOMPARE(rules("").date, rules("0.29.0").date);
    }

    /// The plan says where its rules were not tried, and where the engine would refuse to start.
    void saysWhatIsNotSure()
    {
        const auto codes = [](const Scenario &scenario) {
            QList<QByteArray> list;
            for (const Warning &warning : plan(scenario, scenario.clusters.front()).warnings)
                list << codeOf(warning.code);
            return list;
        };
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "0.19.0");
        QVERIFY(!codes(scenario).contains("budget_not_tried"));
        scenario.engine.version = "0.29.0";
        QVERIFY(codes(scenario).contains("budget_not_tried"));
        scenario.serving.givenKv = 10_GiB;
        scenario.context = 131'072_tokens;
        QVERIFY(!codes(scenario).contains("budget_not_tried"));
        QVERIFY(codes(scenario).contains("start_refused"));
        scenario.context = 81'920_tokens;
        QVERIFY(!codes(scenario).contains("start_refused"));
        scenario.batch = 2000;
        QVERIFY(codes(scenario).contains("sequences_wait"));
    }

    /// Lines of an explanation add up to the figures that they explain.
    void explainsItsFigures()
    {
        const Scenario scenario = scenarioOf("gemma-3-27b-it", "0.29.0");
        const Plan planned = plan(scenario, scenario.clusters.front());
        Bytes weights;
        Bytes sequence;
        for (const Explanation &line : explain(scenario, scenario.clusters.front(), planned)) {
            QVERIFY(!line.source.empty());
            if (line.figure == "weights")
                weights += line.value;
            if (line.figure == "kv.bytes_per_sequence")
                sequence += line.value;
        }
        QCOMPARE(weights, planned.weightsTotal);
        QCOMPARE(sequence, planned.kv.perSequence);
    }
};

QTEST_GUILESS_MAIN(TestVllmBudget)
#include "tst_vllmbudget.moc"
