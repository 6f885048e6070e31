// SPDX-License-Identifier: GPL-3.0-or-later
// TensorRT-LLM's blocks against spec/serving-engines.md 1.5 and 2.12.
#include "core/engines/tensorrtllmsetup.h"
#include "tests/core/servingmodels.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

Scenario scenarioOf(const char *model, Split split = {})
{
    Scenario scenario = servingScenario(EngineId::TensorRtLlm, "", catalogued(model), split);
    scenario.context = 8192_tokens;
    return scenario;
}

tensorrtllm::Setup setupOf(const Scenario &scenario)
{
    static std::vector<std::shared_ptr<const ModelSpec>> kept; // a setup points into its model
    kept.push_back(scenario.model);
    Result<tensorrtllm::Setup> setup = tensorrtllm::setUp(scenario, scenario.clusters.front());
    if (!setup) {
        QTest::qFail(setup.error().where.c_str(), __FILE__, __LINE__);
        return {};
    }
    return *setup;
}

} // namespace

class TestTensorRt : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 1.5, worked: an H100 with weights, a pass and a context of 16.9 GiB leaves 56.1 GiB, 459,000 tokens.
    void takesAFractionOfWhatIsFree()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct");
        scenario.weights.measured = Bytes{static_cast<std::int64_t>(14.96 * static_cast<double>(bytesPerGiB))};
        scenario.serving.givenActivation = Bytes{static_cast<std::int64_t>(1.3 * static_cast<double>(bytesPerGiB))};
        scenario.serving.givenRuntime = Bytes{static_cast<std::int64_t>(0.6 * static_cast<double>(bytesPerGiB))};
        const tensorrtllm::Setup setup = setupOf(scenario);
        QCOMPARE(rounded(gibOf(static_cast<double>(setup.shares.front().pool.middle.value)), 1), 56.1);
        QVERIFY(std::abs(static_cast<double>(setup.tokens) - 459'000) < 1000);
        scenario.serving.memoryFraction = 0.45;
        QCOMPARE(setupOf(scenario).shares.front().pool.middle.value, setup.shares.front().pool.middle.value / 2);
    }

    /// 2.12: blocks of 32, their number rounded up; every layer of a model with windows is charged.
    void roundsBlocksUp()
    {
        Scenario scenario = scenarioOf("gpt-oss-120b");
        scenario.serving.givenKv = Bytes{36LL * 8 * 128 * 2 * 1001}; // K and V of 64 in bf16, 1,001 tokens
        const tensorrtllm::Setup setup = setupOf(scenario);
        QCOMPARE(setup.shares.front().tokenBytes, 36LL * 8 * 128 * 2);
        QCOMPARE(setup.tokens, 1001);
        QCOMPARE(setup.blocks, 32);
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(reported(planned, "max_tokens_in_paged_kv_cache"), 1001.0);
        QCOMPARE(planned.verdict, Verdict::OutOfMemory);
        QCOMPARE(planned.devices.front().kvNeeded, Bytes{8192LL * 36 * 8 * 128 * 2});
    }

    void keepsLatentsWhole()
    {
        const Scenario scenario = scenarioOf("deepseek-v3", {.tensor = 8});
        QCOMPARE(setupOf(scenario).shares.front().tokenBytes, 70'272);
    }

    void dividesHeads()
    {
        QCOMPARE(setupOf(scenarioOf("llama-3.1-70b-instruct", {.tensor = 8})).shares.front().tokenBytes, 40'960);
        QCOMPARE(setupOf(scenarioOf("llama-3.1-70b-instruct", {.tensor = 4, .pipeline = 2})).shares.front().tokenBytes, 40'960);
    }

    /// 2.12: a rank holds the larger stage's tokens the fewer; the minimum counts. 61 layers over four stages: 15, 15, 16, 15.
    void countsThePoorestRank()
    {
        Scenario scenario = scenarioOf("deepseek-v3", {.tensor = 8, .pipeline = 4});
        scenario.serving.givenKv = Bytes{16LL * 576 * 2 * 1000};
        const tensorrtllm::Setup setup = setupOf(scenario);
        QCOMPARE(setup.binding, std::size_t{2});
        QCOMPARE(setup.tokens, 1000);
    }

    /// 2.3, 2.12: four bits and a scale of one byte for 16 of them.
    void packsFourBits()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct");
        scenario.kv.key = scenario.kv.value = Format::NVFP4;
        QCOMPARE(setupOf(scenario).shares.front().tokenBytes, 32LL * 8 * 2 * (64 + 8));
    }

    /// Its releases are in no table: a version is answered with what is known.
    void knowsNoVersions()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct");
        const auto warns = [&scenario] {
            const Plan planned = plan(scenario, scenario.clusters.front());
            return std::ranges::find(planned.warnings, WarningCode::UnknownVersion, &Warning::code) != planned.warnings.end();
        };
        QVERIFY(!warns());
        scenario.engine.version = "1.2.0";
        QVERIFY(warns());
        scenario.engine.version = "newest!";
        QCOMPARE(plan(scenario, scenario.clusters.front()).refusal->code, ErrorCode::UnknownName);
    }

    void explainsItsFigures()
    {
        const Scenario scenario = scenarioOf("llama-3.1-8b-instruct");
        const Plan planned = plan(scenario, scenario.clusters.front());
        QVERIFY(planned.verdict != Verdict::Refused);
        Bytes weights;
        QCOMPARE(explained(scenario, planned, "kv.bytes_per_sequence").formula, "ceil(8192 / 32) x 4194304 B");
        QCOMPARE(explained(scenario, planned, "engine_report.max_tokens_in_paged_kv_cache").quantity, Quantity::Count);
        for (const Explanation &line : explain(scenario, scenario.clusters.front(), planned)) {
            QVERIFY2(isArithmetic(line.formula), line.formula.c_str());
            QVERIFY2(line.source.starts_with("TensorRT-LLM 2026; rules "), line.source.c_str());
            if (line.figure == "weights")
                weights += line.value;
        }
        QCOMPARE(weights, planned.weightsTotal);
    }
};

QTEST_GUILESS_MAIN(TestTensorRt)
#include "tst_tensorrt.moc"
