// SPDX-License-Identifier: GPL-3.0-or-later
// KV budget of vLLM against the worked examples and printed figures of spec/serving-engines.md 1, 5.3 to 5.6 and 7.6.
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;
using vllm::Setup;

class TestVllmBudget : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 1.3: a V0 run of the 8B class on a 79.22 GiB H100 at 0.90, alone and with a second rank.
    void worksTheOldExample()
    {
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "2024-12-14");
        scenario.clusters = {clusterOf(deviceOfSize(Bytes{static_cast<std::int64_t>(79.22 * static_cast<double>(bytesPerGiB))}))};
        const vllm::Budget budget = vllmSetup(scenario).budgets.front();
        COMPARE_NEAR(gibOf(budget.requested), 71.29, 0.01);
        COMPARE_NEAR(gibOf(budget.weights.total()), 14.96, 0.04); // that log leaves the rotary table out
        COMPARE_NEAR(testing::gibOf(static_cast<double>(budget.peak.total)), 1.26, 0.006);
        const double counted = gibOf(budget.before.high + budget.growth.high);
        QVERIFY(counted > 1.79); // context and communicators are within the interval
    }

    /// 1.3: the H100 example of today's rules, and what 0.19.0 printed at 0.95.
    void leavesAKvBudget()
    {
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "2026-08-17");
        const Setup today = vllmSetup(scenario);
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
        const vllm::Budget printed = vllmSetup(scenario).budgets.front();
        QVERIFY(printed.tried);
        COMPARE_NEAR(gibOf(printed.available.middle), 58.10, 0.01);
        COMPARE_NEAR(gibOf(printed.available.middle) - gibOf(printed.available.low), 55.72 - 55.10, 0.02);
        QVERIFY(printed.available.low <= Bytes{static_cast<std::int64_t>(58.11 * static_cast<double>(bytesPerGiB))});
    }

    /// 7.6: two H100, Llama-3.1-70B in FP8 with FP8 KV.
    void worksTheLaunchExample()
    {
        Scenario scenario = vllmScenarioOf("llama-3.1-70b-instruct", "2026-08-17", {.tensor = 2}, Format::FP8);
        scenario.context = 32'768_tokens;
        scenario.batch = 64;
        scenario.kv.key = scenario.kv.value = Format::FP8;
        scenario.serving.maxSequences = 64;
        scenario.serving.memoryFraction = 0.92;
        const Setup setup = vllmSetup(scenario);
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
        const vllm::Budget budget = vllmSetup(vllmScenarioOf(model, "0.19.0", {.tensor = tensor, .pipeline = pipeline})).budgets.front();
        COMPARE_NEAR(gibOf(budget.before.middle + budget.growth.middle), gib, 0.01);
    }

    /// 5.4: before the snapshot, at least 0.3 GiB of context and 342 or 392 MiB of communicators.
    void startsWithContextAndCommunicators()
    {
        const auto least = [](Split split) {
            return gibOf(vllmSetup(vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0", split)).budgets.front().before.low);
        };
        COMPARE_NEAR(least({}), 0.3, 0.0001);
        COMPARE_NEAR(least({.tensor = 2}), 0.3 + 342.0 / 1024, 0.0001);
        COMPARE_NEAR(least({.tensor = 8}), 0.3 + 392.0 / 1024, 0.0001);
    }

    /// 5.4: the table of what grows after the start snapshot, row by row.
    void growsByTheTable_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("pipeline");
        QTest::addColumn<int>("interconnect");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("middle");
        QTest::addColumn<double>("high");
        const auto row = [](const char *name, const char *version, int tensor, int pipeline, Interconnect link, double low, double middle,
                            double high) {
            QTest::newRow(name) << QByteArray(version) << tensor << pipeline << static_cast<int>(link) << low << middle << high;
        };
        row("V0", "0.6.6", 1, 1, Interconnect::Automatic, 0.03, 0.25, 2.0);
        row("V0, tp 2", "0.6.6", 2, 1, Interconnect::Automatic, 0.1, 0.6, 4.0);
        row("0.11", "0.11.0", 1, 1, Interconnect::Automatic, 0.05, 0.13, 0.45);
        row("0.17, tp 4", "0.17.0", 4, 1, Interconnect::Automatic, 0.3, 0.55, 1.2);
        row("0.18", "0.18.0", 1, 1, Interconnect::Automatic, 0.1, 0.25, 0.6);
        row("0.19, tp 2", "0.19.0", 2, 1, Interconnect::Automatic, 0.5, 2.08, 2.4);
        row("0.19, tp 2, pp 2", "0.19.0", 2, 2, Interconnect::Automatic, 0.5, 2.08, 2.4);
        row("0.19, tp 4", "0.19.0", 4, 1, Interconnect::Automatic, 0.5, 2.17, 2.6);
        row("0.19, tp 8", "0.19.0", 8, 1, Interconnect::NvLink, 0.5, 2.17, 2.6);
        row("0.19, pp 2", "0.19.0", 1, 2, Interconnect::Automatic, 0.03, 0.07, 0.3);
        row("0.19, tp 2 over PCIe", "0.19.0", 2, 1, Interconnect::Pcie, 0.4, 0.9, 1.6);
        row("0.19, tp 4 over PCIe", "0.19.0", 4, 1, Interconnect::Pcie, 0.4, 0.9, 1.6);
        row("0.19, one card, PCIe", "0.19.0", 1, 1, Interconnect::Pcie, 0.1, 0.25, 0.6);
        row("newest", "0.29.0", 1, 1, Interconnect::Automatic, 0.1, 0.25, 0.6);
    }

    void growsByTheTable()
    {
        QFETCH(QByteArray, version);
        QFETCH(int, tensor);
        QFETCH(int, pipeline);
        QFETCH(int, interconnect);
        QFETCH(double, low);
        QFETCH(double, middle);
        QFETCH(double, high);
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", version.constData(), {.tensor = tensor, .pipeline = pipeline});
        scenario.clusters[0].interconnect = static_cast<Interconnect>(interconnect);
        const Spread growth = vllmSetup(scenario).budgets.front().growth;
        COMPARE_NEAR(gibOf(growth.low), low, 0.0001);
        COMPARE_NEAR(gibOf(growth.middle), middle, 0.0001);
        COMPARE_NEAR(gibOf(growth.high), high, 0.0001);
    }

    /// Without a word about it, the card decides what joins it to its like.
    void takesLinksByCard()
    {
        const auto growth = [](const char *gpu) {
            const Result<Device> card = Catalog().device(gpu);
            Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0", {.tensor = 2});
            scenario.clusters[0].devices.assign(2, *card);
            return gibOf(vllmSetup(scenario).budgets.front().growth.middle);
        };
        for (const char *gpu : {"h100-sxm5-80gb", "h200-sxm-141gb", "a100-sxm4-80gb", "b200-sxm", "instinct-mi300x"})
            COMPARE_NEAR(growth(gpu), 2.08, 0.0001);
        for (const char *gpu : {"l4", "rtx-4090", "rtx-3090", "l40s", "a100-pcie-80gb"})
            COMPARE_NEAR(growth(gpu), 0.9, 0.0001);
    }

    /// 5.6: the rules are known to hold on H100 alone, for one process, and not for hybrids, DeepSeek V4, drafting or FP4 experts.
    void saysWhereItWasTried()
    {
        const auto tried = [](Scenario scenario, const char *gpu = nullptr) {
            if (gpu)
                scenario.clusters[0].devices.assign(1, *Catalog().device(gpu));
            return vllmSetup(scenario).budgets.front().tried;
        };
        const Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0");
        QVERIFY(tried(scenario));
        QVERIFY(tried(scenario, "h100-sxm5-80gb"));
        QVERIFY(!tried(scenario, "h200-sxm-141gb"));
        QVERIFY(!tried(scenario, "a100-sxm4-80gb"));
        QVERIFY(!tried(vllmScenarioOf("llama-3.1-8b-instruct", "0.20.0")));
        QVERIFY(tried(vllmScenarioOf("gpt-oss-20b", "0.19.0")));
        QVERIFY(!tried(vllmScenarioOf("qwen3-30b-a3b", "0.19.0", {}, Format::NVFP4)));
        QVERIFY(!tried(vllmScenarioOf("qwen3-next-80b-a3b-thinking", "0.19.0")));
        Scenario changed = scenario;
        changed.inUse = 1_GiB;
        QVERIFY(!tried(changed));
        changed = scenario;
        changed.serving.draftTokens = 3;
        QVERIFY(!tried(changed));
    }

    /// A figure that was measured takes the estimate's place, and its interval with it.
    void takesMeasuredFigures()
    {
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0");
        scenario.serving.givenActivation = 2_GiB;
        scenario.serving.givenGraph = 1_GiB;
        scenario.serving.givenRuntime = 1_GiB;
        const vllm::Budget budget = vllmSetup(scenario).budgets.front();
        QCOMPARE(budget.available.low, budget.available.high);
        QCOMPARE(budget.available.middle, budget.requested - budget.weights.total() - 2_GiB - budget.growth.middle);
        QCOMPARE(budget.before.middle + budget.growth.middle, 1_GiB);
        QCOMPARE(budget.graphs.middle, 1_GiB);
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(planned.devices.front().used[Part::Activation], 2_GiB);
        scenario.serving.givenKv = 30_GiB;
        QCOMPARE(vllmSetup(scenario).budgets.front().available.middle, 30_GiB);
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
        Scenario scenario = vllmScenarioOf(model, version.constData());
        QCOMPARE(vllmSetup(scenario).budgets.front().subtracted.middle.value > 0, subtracted);
        scenario.serving.eager = true;
        QCOMPARE(vllmSetup(scenario).budgets.front().subtracted.middle, Bytes{});
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
        Scenario scenario = vllmScenarioOf("llama-3.1-8b-instruct", "0.19.0");
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
        QVERIFY(codes(vllmScenarioOf("llama-3.2-11b-vision-instruct", "0.6.6")).contains("activations_not_modelled")); // the largest images
        QVERIFY(!codes(vllmScenarioOf("gemma-3-27b-it", "0.19.0")).contains("activations_not_modelled"));
    }

    /// Lines of an explanation add up to the figures that they explain.
    void explainsItsFigures()
    {
        const Scenario scenario = vllmScenarioOf("gemma-3-27b-it", "0.29.0");
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
