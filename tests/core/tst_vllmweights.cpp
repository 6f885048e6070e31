// SPDX-License-Identifier: GPL-3.0-or-later
// Weights per GPU under vLLM against the worked examples and printed figures of spec/serving-engines.md 4.
#include "core/engines/servingshares.h"
#include "core/weights.h"
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;
using vllm::Setup;

class TestVllmWeights : public QObject {
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
            vllmSetup(vllmScenarioOf("llama-3.1-70b-instruct", "0.29.0", {.tensor = tensor})).budgets.front().weights;
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
        const serving::RankWeights weights = vllmSetup(vllmScenarioOf(model, "0.19.0", {.tensor = tensor})).budgets.front().weights;
        COMPARE_NEAR(gibOf(weights.total()), printed, within);
    }

    void roundsLargeTensors()
    {
        // Qwen2.5-7B: 28 layers of 2 MiB and half a MiB for each of table and head; Qwen2.5-72B on two: 80 MiB.
        QCOMPARE(vllmSetup(vllmScenarioOf("qwen2.5-7b-instruct", "0.19.0")).budgets.front().weights.rounding, 57_MiB);
        const Bytes large = vllmSetup(vllmScenarioOf("qwen2.5-72b", "0.19.0", {.tensor = 2})).budgets.front().weights.rounding;
        COMPARE_NEAR(static_cast<double>(large.value) / bytesPerMiB, 80.0, 1.0);
    }

    void keepsRotaryTables()
    {
        const auto rotary = [](const char *model) { return vllmSetup(vllmScenarioOf(model, "0.19.0")).budgets.front().weights.rotary; };
        QCOMPARE(rotary("llama-3.1-8b-instruct"), Bytes{131'072LL * 128 * 2}); // whatever the context
        QCOMPARE(rotary("llama-4-scout-17b-16e-instruct"), Bytes{10'485'760LL * 128 * 2});
        // Gemma 3: local and, eight times as long, global positions of heads of 256: 0.56 GiB. The catalogue's 27B has heads of 128.
        QCOMPARE(rotary("gemma-3-27b-it"), Bytes{(131'072LL + 1'048'576) * 128 * 2});
        QCOMPARE(rotary("deepseek-v2-lite"), Bytes{163'840LL * 64 * 4}); // yarn, fp32
        QCOMPARE(rotary("gpt-oss-20b"), Bytes{131'072LL * 64 * 2});
        QCOMPARE(rotary("phi-3.5-mini-instruct"), Bytes{(131'072LL + 4096) * 96 * 2}); // long and short texts
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
        const serving::RankWeights weights =
            vllmSetup(vllmScenarioOf(model, "0.29.0", {}, static_cast<Format>(format))).budgets.front().weights;
        COMPARE_NEAR(gibOf(weights.layers + weights.tables + weights.other), gib, 0.006);
    }

    /// 4.3: whole models of several formats, as their files hold them.
    void weighsMixedFiles()
    {
        const auto bytes = [](const char *model) { return weightBytes(*catalogued(model), {}).total; };
        COMPARE_NEAR(gibOf(bytes("gpt-oss-120b")), 60.77, 0.005);
        COMPARE_NEAR(gibOf(bytes("gpt-oss-20b")), 12.82, 0.005);
        COMPARE_NEAR(static_cast<double>(bytes("deepseek-v4-flash").value) / 1e9, 155.6, 0.05);
    }

    /// 4.3: of DeepSeek-V3's 79.5 GiB on each of eight ranks, 2.08 are attention: 61 layers of q_a and kv_a whole, the rest an eighth, in FP8.
    void splitsLatentAttention()
    {
        const Scenario scenario = vllmScenarioOf("deepseek-v3", "0.29.0", {.tensor = 8});
        const Setup setup = vllmSetup(scenario);
        std::int64_t elements = 0;
        for (const std::uint16_t group : setup.run.model->layout)
            elements += serving::elementsOnRank(setup.run, setup.run.model->groups[group], Role::Attention);
        QCOMPARE(elements, 61LL * (7168 * (1536 + 576) + (1536 * 128 * 192 + 512 * 128 * 256 + 128 * 128 * 7168) / 8));
        COMPARE_NEAR(testing::gibOf(static_cast<double>(elements)), 2.08, 0.01);
    }

    /// 4.2: gpt-oss on a GPU: 4-bit values padded on both sides in 0.19, on one in 0.11.
    void padsFourBitExperts()
    {
        const auto weights = [](const char *model, const char *version) {
            return gibOf(vllmSetup(vllmScenarioOf(model, version)).budgets.front().weights.total());
        };
        COMPARE_NEAR(weights("gpt-oss-20b", "0.19.0"), 13.64, 0.02);
        COMPARE_NEAR(weights("gpt-oss-20b", "0.11.0"), 13.47, 0.02); // as printed; the text's rules leave a MiB a layer out, 13.43
        COMPARE_NEAR(weights("gpt-oss-120b", "0.11.0"), 64.38, 0.05);
    }

    /// 4.3: DeepSeek-V3 in FP8: 79.5 GiB a rank on eight by TP or by EP, 0.24 of it the latents' copies; 40.3 on sixteen.
    void splitsDeepSeekV3()
    {
        const serving::RankWeights by8 = vllmSetup(vllmScenarioOf("deepseek-v3", "0.29.0", {.tensor = 8})).budgets.front().weights;
        const serving::RankWeights experts =
            vllmSetup(vllmScenarioOf("deepseek-v3", "0.29.0", {.tensor = 8, .expert = 8})).budgets.front().weights;
        const serving::RankWeights by16 = vllmSetup(vllmScenarioOf("deepseek-v3", "0.29.0", {.tensor = 16})).budgets.front().weights;
        COMPARE_NEAR(gibOf(by8.total()), 79.5, 0.4);
        COMPARE_NEAR(gibOf(experts.total()), 79.5, 0.4);
        COMPARE_NEAR(gibOf(by8.copies), 0.24, 0.005);
        COMPARE_NEAR(gibOf(by16.total()), 40.3, 0.3);
    }

    /// 4.1: a tied table is held on the first and on the last stage; Qwen3-0.6B holds it once on one GPU: 596,049,920 parameters.
    void holdsTiedTablesOnBothEnds()
    {
        const serving::RankWeights alone = vllmSetup(vllmScenarioOf("qwen3-0.6b", "0.19.0")).budgets.front().weights;
        QCOMPARE(alone.layers + alone.tables + alone.other, Bytes{2 * 596'049'920LL});
        const Setup stages = vllmSetup(vllmScenarioOf("qwen3-0.6b", "0.19.0", {.pipeline = 2}));
        QCOMPARE(stages.budgets.front().weights.tables, stages.budgets.back().weights.tables);
        QCOMPARE(stages.budgets.front().weights.tables, alone.tables);
    }

    /// Tables for each layer are split with the vocabulary, learned positions are not.
    void splitsTablesByWhatTheyHold()
    {
        const auto tables = [](const char *model, int tensor) {
            return vllmSetup(vllmScenarioOf(model, "0.29.0", {.tensor = tensor})).budgets.front().weights.tables.value;
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
            Scenario scenario = vllmScenarioOf("qwen2.5-7b-instruct-awq", "0.19.0");
            scenario.model = model;
            const serving::RankWeights weights = vllmSetup(scenario).budgets.front().weights;
            return weights.layers + weights.tables + weights.other;
        };
        model->measuredWeights.reset();
        const Bytes byFormat = bytes();
        model->measuredWeights = Bytes{byFormat.value / 100 * 103};
        COMPARE_NEAR(gibOf(bytes()), gibOf(*model->measuredWeights), 0.001);
        model->measuredWeights = Bytes{byFormat.value * 2};
        QCOMPARE(bytes(), byFormat);
    }

    /// Two projections around experts of a narrower width are whole on every rank: 40 layers of 2 x 4,096 x 1,024.
    void replicatesProjectionsForExperts()
    {
        const auto model = catalogued("nvidia-nemotron-3-super-120b-a12b-fp8");
        const Setup setup = vllmSetup(servingScenario(EngineId::Vllm, "0.29.0", model, {.tensor = 8}));
        std::int64_t whole = 0, onRank = 0;
        for (const std::uint16_t group : model->layout) {
            whole += model->groups[group].parameters[Role::Ffn];
            onRank += serving::elementsOnRank(setup.run, model->groups[group], Role::Ffn);
        }
        QCOMPARE(whole, 40LL * 2 * 4096 * 1024);
        QCOMPARE(onRank, whole);
        const auto dense = catalogued("gemma-4-26b-a4b"); // a dense block beside experts is split
        const Setup gemma = vllmSetup(servingScenario(EngineId::Vllm, "0.29.0", dense, {.tensor = 2}));
        QCOMPARE(serving::elementsOnRank(gemma.run, dense->groups.front(), Role::Ffn), dense->groups.front().parameters[Role::Ffn] / 2);
    }

    /// gpt-oss: biases of the experts go with them, 2,880 for the outputs and twice that for the inputs of each.
    void splitsExpertsBiases()
    {
        const auto vectors = [](Split split) {
            const Setup setup = vllmSetup(vllmScenarioOf("gpt-oss-20b", "0.29.0", split));
            return serving::elementsOnRank(setup.run, setup.run.model->groups.front(), Role::Small);
        };
        const std::int64_t alone = vectors({});
        QCOMPARE(alone - vectors({.tensor = 2}), 32LL * 2 * 2880 / 2);
        QCOMPARE(alone - vectors({.tensor = 2, .expert = 2}), 32LL * 3 * 2880 / 2);
    }

    /// 4.2: INT8 has a scale for each output row: Qwen3-30B's experts 2 x 768 + 2,048 each.
    void scalesRows()
    {
        const auto layers = [](Format format) {
            return vllmSetup(vllmScenarioOf("qwen3-30b-a3b", "0.29.0", {}, format)).budgets.front().weights.layers.value;
        };
        const std::int64_t attention = 2 * 2048 * 32 * 128 + 2 * 2048 * 4 * 128;
        const std::int64_t perLayer = 4 * (128 * (2 * 768 + 2048) + attention / 2048);
        QCOMPARE(layers(Format::Int8) - layers(Format::FP8), 48 * perLayer);
    }

    /// A drafting model is split like its target and lies on the last stage: Llama-3.2-1B on two ranks holds half of its 1,235,746,816 parameters
    /// in matrices, all of 67,584 in norms, and a rotary table of 131,072 x 64.
    void holdsADraftingModel()
    {
        const auto draftOn = [](Split split, std::size_t stage) {
            Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0", split);
            const Bytes without = vllmSetup(scenario).budgets[stage].weights.total();
            scenario.draft = catalogued("llama-3.2-1b-instruct");
            return vllmSetup(scenario).budgets[stage].weights.total() - without;
        };
        QCOMPARE(draftOn({.tensor = 2}, 0), Bytes{2 * (1'235'746'816LL / 2 + 67'584) + 131'072LL * 64 * 2});
        QCOMPARE(draftOn({.pipeline = 2}, 0), Bytes{});
        QVERIFY(draftOn({.pipeline = 2}, 1) > 2_GiB);
    }

    /// 4.1: experts are shared out over data parallel ranks too, whole with EP; the rest is on each.
    void sharesExpertsOverReplicas()
    {
        const auto layers = [](Split split) {
            return vllmSetup(vllmScenarioOf("qwen3-30b-a3b", "0.29.0", split)).budgets.front().weights.layers.value;
        };
        const std::int64_t experts = 2LL * 48 * 128 * 3 * 2048 * 768;
        const std::int64_t alone = layers({});
        QCOMPARE(alone - layers({.data = 2}), experts / 2);
        QCOMPARE(alone - layers({.expert = 2, .data = 2}), experts / 2);
        QCOMPARE(alone - layers({.expert = 3, .data = 3}), experts / 128 * (128 - 43)); // 43 of 128 on the first rank
    }
};

QTEST_GUILESS_MAIN(TestVllmWeights)
#include "tst_vllmweights.moc"
