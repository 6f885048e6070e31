// SPDX-License-Identifier: GPL-3.0-or-later
// SGLang's static fraction and pools against the worked examples of spec/serving-engines.md 1.4 and 2.11.
#include "core/engines/sglangsetup.h"
#include "tests/core/servingmodels.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using sglang::Setup;

Setup setupOf(const Scenario &scenario)
{
    static std::vector<std::shared_ptr<const ModelSpec>> kept; // a setup points into its model
    kept.push_back(scenario.model);
    std::vector<Warning> warnings;
    Result<Setup> setup = sglang::setUp(scenario, scenario.clusters.front(), warnings);
    if (!setup) {
        QTest::qFail(setup.error().where.c_str(), __FILE__, __LINE__);
        return {};
    }
    return *setup;
}

Scenario scenarioOf(const char *model, const char *version, double poolGiB, Split split = {})
{
    Scenario scenario = servingScenario(EngineId::Sglang, version, catalogued(model), split);
    if (poolGiB > 0)
        scenario.serving.givenKv = Bytes{static_cast<std::int64_t>(poolGiB * static_cast<double>(bytesPerGiB))};
    return scenario;
}

} // namespace

class TestSglang : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 1.4, worked: without prefill graphs.
    void reservesByDefault_data()
    {
        QTest::addColumn<int>("mebibytes");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<double>("fraction");
        QTest::newRow("H100") << 81'559 << 1 << 0.835;
        QTest::newRow("H100 tp 8") << 81'559 << 8 << 0.818;
        QTest::newRow("RTX 4090") << 24'564 << 1 << 0.720;
        QTest::newRow("H200") << 143'771 << 1 << 0.907;
        QTest::newRow("B200") << 183'359 << 1 << 0.857;
    }

    void reservesByDefault()
    {
        QFETCH(int, mebibytes);
        QFETCH(int, tensor);
        QFETCH(double, fraction);
        Split split;
        split.tensor = tensor;
        const auto model = catalogued("llama-3.1-8b-instruct");
        const Scenario scenario = servingScenario(EngineId::Sglang, "2026-08-01", model, split);
        const Result<serving::Run> run = serving::runOf(scenario, split);
        QVERIFY(run);
        const sglang::Rules rules{20260801};
        const sglang::Tier tier = sglang::tierOf(rules, mebibytes, tensor);
        QCOMPARE(sglang::defaultFraction(*run, rules, mebibytes, tier, false), fraction);
    }

    /// Before mid-2025 the fraction was a table (1.4).
    void tookFractionsFromATable()
    {
        const auto fraction = [](const char *version, int tensor) {
            return setupOf(scenarioOf("llama-3.1-8b-instruct", version, 0, {.tensor = tensor})).fraction;
        };
        QCOMPARE(fraction("2025-03-27", 1), 0.88);
        QCOMPARE(fraction("2025-03-27", 4), 0.85);
    }

    /// 1.4: the aiter backend takes 0.85 of a fraction beyond 8,192 tokens, of a given one too: 0.85 -> 0.7225.
    void shrinksTheFractionOnMi300()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-07-01", 0);
        scenario.serving.memoryFraction = 0.85;
        scenario.clusters[0].devices[0].architecture = "CDNA 3.0";
        QCOMPARE(setupOf(scenario).fraction, 0.7225);
        scenario.context = 8192_tokens;
        QCOMPARE(setupOf(scenario).fraction, 0.85);
    }

    /// 1.4: Llama-3.1-8B on H100 at 0.835: rest about 50.6 GiB, about 414,800 tokens.
    void leavesThePoolWhatTheWeightsDoNotTake()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-07-01", 0);
        scenario.serving.memoryFraction = 0.835;
        const Setup setup = setupOf(scenario);
        const double rest = gibOf(static_cast<double>(setup.budgets.front().rest.middle.value));
        QVERIFY2(std::abs(rest - 50.6) < 0.15, qPrintable(QString::number(rest)));
        QVERIFY(std::abs(static_cast<double>(setup.capacity.tokens) - 414'800) < 1500);
        QVERIFY(setup.budgets.front().rest.low < setup.budgets.front().rest.middle);
    }

    /// 2.11: gpt-oss-120b, 10 GiB: a full and a sliding pool.
    void cutsTwoPools()
    {
        const Setup setup = setupOf(scenarioOf("gpt-oss-120b", "2026-07-01", 10));
        QCOMPARE(setup.capacity.tokens, 161'817);
        QCOMPARE(setup.capacity.slidingTokens, 129'453);
        // A sequence fills the full pool by its length and the sliding one by window and chunk: the full pool goes first.
        Scenario scenario = scenarioOf("gpt-oss-120b", "2026-07-01", 10);
        scenario.batch = 1;
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(planned.limits.maxContextBeyondTraining, TokenCount{161'817});
        // 8,320 tokens of the sliding pool each (128 + 8,192): 15 sequences at most, however short the rest is.
        scenario.context = 8320_tokens;
        QCOMPARE(plan(scenario, scenario.clusters.front()).limits.maxBatch, 129'453 / 8320);
    }

    /// 2.11: in early 2025 every layer counted as full: 139,264 B a token of Gemma-3-4B.
    void hadOnePoolInEarly2025()
    {
        const Setup setup = setupOf(scenarioOf("gemma-3-4b-it", "2025-03-27", 108.24));
        QCOMPARE(setup.pools.front().fullBytes, 139'264);
        QCOMPARE(setup.pools.front().slidingBytes, 0);
        const sglang::Buffers buffers = sglang::buffersOf(setup.run, setup.rules, setup.pools.front(), setup.capacity, 0);
        QCOMPARE(buffers.key, buffers.value);
        QCOMPARE(buffers.key, Bytes{139'264 / 2} * (setup.capacity.tokens + 1)); // a page more than the tokens
    }

    /// 2.11: Qwen3-Next, 30 GiB: 197 slots, 65 requests of three, 691,352 tokens.
    void cutsSlotsForStates()
    {
        const Setup setup = setupOf(scenarioOf("qwen3-next-80b-a3b-instruct", "2026-07-01", 30));
        QCOMPARE(setup.pools.front().stateBytes, 36LL * 2'146'304);
        QCOMPARE(setup.capacity.stateSlots, 197);
        QCOMPARE(setup.capacity.requests, 65);
        QVERIFY(std::abs(static_cast<double>(setup.capacity.tokens) - 691'352) <= 1); // what whole slots leave
        // New code keeps a slot back.
        QCOMPARE(setupOf(scenarioOf("qwen3-next-80b-a3b-instruct", "2026-08-01", 30)).capacity.stateSlots, 196);
        // The plan stops at the requests that states allow.
        Scenario scenario = scenarioOf("qwen3-next-80b-a3b-instruct", "2026-07-01", 30);
        scenario.context = 1024_tokens;
        scenario.clusters = {clusterOf(deviceOfSize(200_GiB))};
        QCOMPARE(plan(scenario, scenario.clusters.front()).limits.maxBatch, 65);
    }

    /// 2.11: cells of latents, indexed ones in fp8, and layers that share KV elsewhere.
    void weighsCells_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("format");
        QTest::addColumn<qint64>("bytes");
        const auto row = [](const char *name, const char *model, Format format, qint64 bytes) {
            QTest::newRow(name) << QByteArray(model) << static_cast<int>(format) << bytes;
        };
        row("MLA bf16", "deepseek-v3", Format::BF16, 61 * 576 * 2);
        row("MLA fp8", "deepseek-v3", Format::FP8E4M3, 61 * 576);
        row("DSA bf16", "deepseek-v3.2", Format::BF16, 61 * (576 * 2 + 132));
        row("DSA fp8", "deepseek-v3.2", Format::FP8E4M3, 61 * (656 + 132));
        row("GQA fp4", "llama-3.1-8b-instruct", Format::NVFP4, 32 * 8 * 2 * (64 + 8));
    }

    void weighsCells()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, format);
        QFETCH(qint64, bytes);
        Scenario scenario = scenarioOf(model.constData(), "2026-08-01", 20);
        scenario.kv.key = scenario.kv.value = static_cast<Format>(format);
        QCOMPARE(setupOf(scenario).pools.front().fullBytes, bytes);
    }

    /// 2.6 [V], 2.11: Qwen3-235B on four GPUs: 367,404 tokens, K 8.23 GiB.
    void printsWhatALogPrinted()
    {
        Scenario scenario = scenarioOf("qwen3-235b-a22b", "2025-07-22", 0, {.tensor = 4});
        scenario.serving.givenKv = Bytes{367'404LL * 48'128};
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(reported(planned, "max_total_num_tokens"), 367'404.0);
        QCOMPARE(rounded(gibOf(reported(planned, "k_bytes")), 2), 8.23);
        QCOMPARE(reported(planned, "k_bytes"), reported(planned, "v_bytes"));
        QVERIFY(planned.pool.has_value());
        QCOMPARE(planned.pool->capacity, 367'404_tokens);
    }

    /// 2.11: max_running_requests.
    void limitsRunningRequests()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-07-01", 50);
        const Setup setup = setupOf(scenario);
        QCOMPARE(setup.capacity.tokens, 409'600);
        QCOMPARE(sglang::runningRequests(setup.rules, scenario, setup.capacity), 2048);
        scenario.context = 40'960_tokens; // 10 x 512
        QCOMPARE(sglang::runningRequests(setup.rules, scenario, setup.capacity), 4096);
        scenario.serving.maxSequences = 7;
        QCOMPARE(sglang::runningRequests(setup.rules, scenario, setup.capacity), 7);
    }

    void explainsItsFigures()
    {
        const Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "", 0);
        const Plan planned = plan(scenario, scenario.clusters.front());
        Bytes weights;
        for (const Explanation &line : explain(scenario, scenario.clusters.front(), planned)) {
            QVERIFY(!line.source.empty());
            if (line.figure == "weights")
                weights += line.value;
        }
        QCOMPARE(weights, planned.weightsTotal);
    }
};

QTEST_GUILESS_MAIN(TestSglang)
#include "tst_sglang.moc"
