// SPDX-License-Identifier: GPL-3.0-or-later
// What a KV pool holds by length. Figures: spec/serving-engines.md 3.1: vLLM prints 145,829 tokens for Gemma-3-27B with 20 GiB at 131,072
// tokens a request (1.11 of them) and 37,386 at 8,192 (4.56).
#include "core/catalog.h"
#include "core/plan.h"
#include "core/unevenpool.h"
#include "ui/poolview.h"

#include <QRegularExpression>
#include <QTest>

#include <numeric>

using namespace kvscope;

namespace {

Scenario scenarioOf(const char *model, std::int64_t context)
{
    const Catalog catalog;
    Scenario scenario;
    scenario.model = std::make_shared<const ModelSpec>(*catalog.model(model));
    scenario.engine = {EngineId::Vllm, "2026-05-15"};
    scenario.clusters.push_back(clusterOf(*catalog.device("h100-sxm5-80gb")));
    scenario.context = {context};
    scenario.serving.givenKv = 20_GiB;
    return scenario;
}

std::optional<UnevenPool> poolOf(const Scenario &scenario)
{
    const Cluster &cluster = scenario.clusters.front();
    return unevenPool(scenario, cluster, plan(scenario, cluster));
}

} // namespace

class TestPoolView : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void windowsMakeAPoolUneven()
    {
        const std::optional<UnevenPool> pool = poolOf(scenarioOf("gemma-3-27b-it", 8192));
        QVERIFY(pool);
        const auto held = [&](std::int64_t context) {
            const auto at = std::ranges::find(pool->rows, TokenCount{context}, &PoolRow::context);
            return at == pool->rows.end() ? std::int64_t{-1} : at->sequences;
        };
        QCOMPARE(held(8192), std::int64_t{4});
        QCOMPARE(held(131'072), std::int64_t{1});
        QVERIFY(pool->pinned >= 1);
        QCOMPARE(pool->block.value, std::int64_t{10} * 131'072);      // 10 layers' pages of 131,072 B
        const Scenario scenario = scenarioOf("gemma-3-27b-it", 8192); // 62 layers: 10 full, 52 in six groups of ten at the most
        const std::vector<PoolGroup> groups = plan(scenario, scenario.clusters.front()).pool->groups;
        QCOMPARE(groups.size(), std::size_t{7});
        QCOMPARE(std::accumulate(groups.begin(), groups.end(), 0, [](int sum, const PoolGroup &g) { return sum + g.layers; }), 62);
    }

    void fullAttentionIsEven()
    {
        QVERIFY(!poolOf(scenarioOf("llama-3.1-8b-instruct", 8192)));
        Scenario formula = scenarioOf("gemma-3-27b-it", 8192);
        formula.engine = {};
        QVERIFY(!poolOf(formula)); // has no pool
    }

    void theTableTellsEachLength()
    {
        Scenario scenario = scenarioOf("gemma-3-27b-it", 8192);
        auto results = std::make_shared<Results>();
        results->scenario = scenario;
        results->plans.push_back(plan(scenario, scenario.clusters.front()));
        const ViewState state{results, nullptr, text::Unit::GB};
        const PoolAccount account = poolAccount(state);
        QVERIFY(account.sentence.contains(QLatin1String("16,384 blocks of 1.311 MB")));
        QVERIFY2(account.sentence.contains(QLatin1String("37,386 tokens at this context")), qPrintable(account.sentence));
        QCOMPARE(account.tables.size(), std::size_t{2});
        const PoolTable &lengths = account.tables.front();
        const auto own = std::ranges::find(lengths.lines, true, &PoolLine::current);
        QVERIFY(own != lengths.lines.end());
        QCOMPARE(own->cells, QStringList({QStringLiteral("8,192"), QStringLiteral("4"), QStringLiteral("32,768"), QStringLiteral("88 %")}));
        QCOMPARE(lengths.lines.back().cells.front(), QStringLiteral("131,072"));
        QCOMPARE(lengths.lines.back().bar, 1.0);
        // Five of the six groups of windowed layers are alike: one line.
        QVERIFY(account.tables.back().lines.size() < 7);
        QVERIFY(account.asText().contains(QLatin1String("8,192\t4\t32,768\t88 %")));

        scenario.engine.version = "0.19.0"; // prints blocks, whatever the length
        results->scenario = scenario;
        results->plans.front() = plan(scenario, scenario.clusters.front());
        QVERIFY2(poolAccount(state).sentence.contains(QLatin1String("whatever the context")), qPrintable(poolAccount(state).sentence));
        results->scenario = scenarioOf("llama-3.1-8b-instruct", 8192);
        results->plans.front() = plan(results->scenario, results->scenario.clusters.front());
        QVERIFY(poolAccount(state).tables.empty());
        QVERIFY2(poolAccount(state).sentence.startsWith(QLatin1String("One rate a token")), qPrintable(poolAccount(state).sentence));
    }
};

QTEST_MAIN(TestPoolView)
#include "tst_poolview.moc"
