// SPDX-License-Identifier: GPL-3.0-or-later
// Engines side by side: what each takes beyond the theory, and why.
#include "core/catalog.h"
#include "core/compare.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace kvscope;

namespace {

Scenario scenarioOf(const char *model, TokenCount context)
{
    Scenario scenario;
    scenario.model = std::make_shared<const ModelSpec>(*Catalog().model(model));
    scenario.clusters = {clusterOf(*Catalog().device("h100-sxm5-80gb"))};
    scenario.context = context;
    return scenario;
}

Bytes differenceOf(const Compared &row, DifferenceReason reason)
{
    const auto found = std::ranges::find(row.differences, reason, &Difference::reason);
    return found == row.differences.end() ? Bytes{} : found->bytes;
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void rowsAreClustersTimesEngines()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 8192_tokens);
        scenario.clusters.push_back(clusterOf(*Catalog().device("rtx-4090")));
        scenario.otherEngines = {{EngineId::Vllm, "0.19.0"}, {EngineId::LlamaCpp, {}}};
        const std::vector<Compared> rows = compareEngines(scenario);
        QCOMPARE(rows.size(), std::size_t{6});
        QCOMPARE(rows[1].engine.id, EngineId::Vllm);
        QCOMPARE(rows[4].cluster, 1);
        QVERIFY(rows[0].differences.empty()); // the theory itself
    }

    /// Llama 3.1 8B keeps 131,072 bytes a token: 5,000 tokens are 5,120 cells in llama.cpp and 313 blocks of 16 in vLLM.
    void tellsRoundingApart()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 5000_tokens);
        scenario.otherEngines = {{EngineId::LlamaCpp, "b10488"}, {EngineId::Vllm, "0.19.0"}};
        const std::vector<Compared> rows = compareEngines(scenario);
        QCOMPARE(differenceOf(rows[1], DifferenceReason::Rounding).value, std::int64_t{120} * 131'072);
        QCOMPARE(differenceOf(rows[2], DifferenceReason::Rounding).value, std::int64_t{8} * 131'072);
        QCOMPARE(differenceOf(rows[1], DifferenceReason::UnusedPool).value, std::int64_t{0});
        QVERIFY(differenceOf(rows[2], DifferenceReason::UnusedPool) > 40_GiB);
    }

    void addUpToTheTotals_data()
    {
        QTest::addColumn<QString>("model");
        for (const char *model : {"llama-3.1-8b-instruct", "gemma-3-12b-it", "qwen3-next-80b-a3b-instruct", "gpt-oss-20b"})
            QTest::newRow(model) << QString::fromLatin1(model);
    }
    void addUpToTheTotals()
    {
        QFETCH(QString, model);
        Scenario scenario = scenarioOf(model.toLatin1().constData(), 20000_tokens);
        scenario.batch = 3;
        scenario.clusters = {clusterOf(*Catalog().device("h200-sxm-141gb"), 2, {2, 1, 1, 1})};
        scenario.otherEngines = {{EngineId::Vllm, {}}, {EngineId::Sglang, {}}};
        const std::vector<Compared> rows = compareEngines(scenario);
        for (const Compared &row : rows) {
            const DevicePlan &device = *row.plan.binding();
            const DevicePlan &theory = rows[0].plan.devices.at(static_cast<std::size_t>(device.index));
            Bytes sum;
            for (const Difference &difference : row.differences)
                sum += difference.bytes;
            QCOMPARE(sum.value, (device.total - theory.total).value);
        }
    }

    /// vLLM cuts each layer in four; llama.cpp lays whole layers over the same four cards.
    void eachEngineSplitsItsOwnWay()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 8192_tokens);
        scenario.engine = {EngineId::Vllm, {}};
        scenario.clusters = {clusterOf(*Catalog().device("h100-sxm5-80gb"), 4, {.tensor = 4})};
        scenario.otherEngines = {{EngineId::LlamaCpp, {}}, {EngineId::Sglang, {}}};
        const std::vector<Compared> rows = compareEngines(scenario);
        QCOMPARE(rows[0].split, scenario.clusters.front().split);
        QCOMPARE(rows[1].split.tensor, 1);
        QCOMPARE(rows[1].plan.verdict, Verdict::Fits);
        QCOMPARE(rows[1].plan.devices.size(), std::size_t{4});
        QCOMPARE(rows[2].split, scenario.clusters.front().split); // takes it as it is
    }

    void refusedPlansHaveNone()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 8192_tokens);
        scenario.kv.key = scenario.kv.value = Format::Q8_0;
        scenario.otherEngines = {{EngineId::Vllm, {}}};
        const std::vector<Compared> rows = compareEngines(scenario);
        QCOMPARE(rows[1].plan.verdict, Verdict::Refused);
        QVERIFY(rows[1].differences.empty());
    }
};

QTEST_APPLESS_MAIN(TestCompare)
#include "tst_compare.moc"
