// SPDX-License-Identifier: GPL-3.0-or-later
// The start profile of vLLM against the printed figures of spec/serving-engines.md 5.1 to 5.3 and 7.2.
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;
using vllm::Setup;

class TestVllmProfile : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

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
        const Setup setup = vllmSetup(vllmScenarioOf(model, version.constData(), {.tensor = tensor}));
        COMPARE_NEAR(testing::gibOf(static_cast<double>(setup.budgets.front().peak.total)), gib, within);
    }

    /// 5.1: V0 on an RTX 3090: 20,000 tokens take 2.06 GiB, 29,000 take 2.99; longer prompts are cut and nothing is sampled (5.2).
    void followsPromptsOfV0()
    {
        const auto peakAt = [](TokenCount context) {
            Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "2024-12-02");
            scenario.clusters = {clusterOf(deviceOfSize(Bytes{static_cast<std::int64_t>(23.58 * static_cast<double>(bytesPerGiB))}))};
            scenario.context = context;
            return vllmSetup(scenario).budgets.front().peak;
        };
        COMPARE_NEAR(testing::gibOf(static_cast<double>(peakAt(20'000_tokens).total)), 2.06, 0.006);
        COMPARE_NEAR(testing::gibOf(static_cast<double>(peakAt(29'000_tokens).total)), 2.99, 0.006);
        QCOMPARE(peakAt(35'000_tokens).sampler, 0);
        QVERIFY(peakAt(35'000_tokens).total < bytesPerGiB);
    }

    /// 5.1: workspaces of the fused expert kernels, as four models showed them; MXFP4 experts add nothing.
    void countsExpertWorkspaces_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<double>("gib");
        QTest::newRow("Qwen3-30B") << QByteArray("qwen3-30b-a3b") << 1 << 0.50;
        QTest::newRow("Mixtral tp 2") << QByteArray("mixtral-8x7b-v0.1") << 2 << 0.66;
        QTest::newRow("Qwen1.5-MoE") << QByteArray("qwen1.5-moe-a2.7b") << 1 << 0.30;
        QTest::newRow("V2-Lite") << QByteArray("deepseek-v2-lite") << 1 << 0.45;
        QTest::newRow("gpt-oss") << QByteArray("gpt-oss-20b") << 1 << 0.0;
    }

    void countsExpertWorkspaces()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, tensor);
        QFETCH(double, gib);
        const Setup setup = vllmSetup(vllmScenarioOf(model, "0.19.0", {.tensor = tensor}));
        COMPARE_NEAR(testing::gibOf(static_cast<double>(setup.budgets.front().peak.experts)), gib, 0.006);
    }

    /// 5.1, 5.4: DeepSeek-V4-Flash with one sequence took 5.30 GiB for 8,224 tokens and 1.39 for 2,048; V3.2's indexer keeps 40 prompts' keys.
    void countsSparseAttention()
    {
        Scenario packed = vllmScenarioOf("deepseek-v4-flash", "0.29.0");
        packed.serving.maxSequences = 1;
        packed.serving.batchedTokens = 8224;
        COMPARE_NEAR(testing::gibOf(static_cast<double>(vllmSetup(packed).budgets.front().peak.forward)), 5.30, 0.07);
        packed.serving.batchedTokens = 2048;
        COMPARE_NEAR(testing::gibOf(static_cast<double>(vllmSetup(packed).budgets.front().peak.forward)), 1.39, 0.07);
        Scenario sparse = vllmScenarioOf("deepseek-v3.2", "0.29.0", {.tensor = 8});
        sparse.context = 163'840_tokens;
        QCOMPARE(vllmSetup(sparse).budgets.front().peak.fixed, 865'075'200);
    }

    void freesMemoryWithFewerSequences()
    {
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0");
        const std::int64_t all = vllmSetup(scenario).budgets.front().peak.sampler;
        scenario.serving.maxSequences = 256;
        const std::int64_t quarter = vllmSetup(scenario).budgets.front().peak.sampler;
        QCOMPARE(all - quarter, static_cast<std::int64_t>(768 * 128'256 * 14.5));
    }

    /// 5.3: how many sizes are captured.
    void capturesSizes_data()
    {
        QTest::addColumn<int>("sequences");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("capability");
        QTest::addColumn<int>("sizes");
        QTest::newRow("max 16") << 8 << QByteArray("0.19.0") << QByteArray("9.0") << 5;
        QTest::newRow("max 64") << 32 << QByteArray("0.19.0") << QByteArray("9.0") << 11;
        QTest::newRow("max 512") << 1024 << QByteArray("0.19.0") << QByteArray("9.0") << 51;
        QTest::newRow("max 1024") << 1024 << QByteArray("0.29.0") << QByteArray("10.0") << 83;
        QTest::newRow("GB10") << 1024 << QByteArray("0.29.0") << QByteArray("12.1") << 51;
    }

    void capturesSizes()
    {
        QFETCH(int, sequences);
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, capability);
        QFETCH(int, sizes);
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", version.constData());
        scenario.serving.maxSequences = sequences;
        scenario.clusters[0].devices[0].computeCapability = capability.toStdString();
        const Setup setup = vllmSetup(scenario);
        QCOMPARE(vllm::captureSizes(setup.run, setup.rules, scenario, setup.devices.front()), sizes);
    }

    /// 5.3: the whole batch is a size of its own; gpt-oss goes up to 1,024 whatever is asked for, and takes the same for it.
    void capturesOtherSizes()
    {
        const auto sizesOf = [](const Scenario &scenario) {
            const Setup setup = vllmSetup(scenario);
            return vllm::captureSizes(setup.run, setup.rules, scenario, setup.devices.front());
        };
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0");
        scenario.serving.batchedTokens = 304; // 1, 2, 4, 31 from 8 to 248, 4 from 256 to 304
        QCOMPARE(sizesOf(scenario), 38);
        scenario.serving.batchedTokens = 300; // 288 and 300
        QCOMPARE(sizesOf(scenario), 38);
        Scenario gptOss = vllmScenarioOf("gpt-oss-20b", "0.19.0");
        const Bytes all = vllmSetup(gptOss).budgets.front().graphs.middle;
        COMPARE_NEAR(gibOf(all), 0.39 + 0.016 * 24 + 0.7, 0.001);
        gptOss.serving.maxSequences = 8;
        QCOMPARE(sizesOf(gptOss), 83);
        QCOMPARE(vllmSetup(gptOss).budgets.front().graphs.middle, all);
    }

    /// 5.4: with MLA a chunk of 65,536 latents is projected up, to 128 and 128 for each of 16 heads on a rank.
    void projectsCachedLatents()
    {
        Scenario scenario = vllmScenarioOf("deepseek-v3", "0.19.0", {.tensor = 8});
        const std::int64_t whole = vllmSetup(scenario).budgets.front().peak.forward;
        scenario.context = 1024_tokens; // 8 x 1,024 is less than 4 x 256 blocks of 16
        scenario.serving.maxSequences = 256;
        scenario.serving.batchedTokens = 8192;
        const std::int64_t few = vllmSetup(scenario).budgets.front().peak.forward;
        QCOMPARE(whole - few, std::int64_t{65'536 - 16'384} * 16 * (128 + 128) * 2);
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
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", version.constData());
        Device &device = scenario.clusters[0].devices[0];
        device.memory = device.usable = Bytes{static_cast<std::int64_t>(gib * static_cast<double>(bytesPerGiB))};
        device.name = name.toStdString();
        scenario.context = TokenCount{context};
        const vllm::BatchSizes sizes = vllm::batchSizes(vllmSetup(scenario).rules, scenario, device);
        QCOMPARE(sizes.tokens, tokens);
        QCOMPARE(sizes.sequences, sequences);
    }
};

QTEST_GUILESS_MAIN(TestVllmProfile)
#include "tst_vllmprofile.moc"
