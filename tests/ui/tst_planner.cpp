// SPDX-License-Identifier: GPL-3.0-or-later
// The one object with state: coalescing, undo that joins a gesture, pinning. Figures: 2 x 32 layers x 8 heads x 128 x 2 B = 131,072 B a token.
#include "ui/planner.h"

#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

using namespace kvscope;

namespace {

Scenario scenarioByHand()
{
    Scenario scenario;
    scenario.model = std::make_shared<const ModelSpec>(modelByHand({.layers = 32, .kvHeads = 8, .headDim = 128, .heads = 32}));
    scenario.clusters = {clusterOf(deviceOfSize(24_GB)), clusterOf(deviceOfSize(48_GB)), clusterOf(deviceOfSize(80_GB))};
    return scenario;
}

void setContext(Planner &planner, std::int64_t tokens)
{
    planner.edit([tokens](Scenario &s) { s.context = {tokens}; }, Field::Context);
}

} // namespace

class TestPlanner : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void manyRequestsInOneTurnAreOneEvaluation()
    {
        Planner planner;
        planner.start(scenarioByHand());
        planner.flush();
        QSignalSpy changed(&planner, &Planner::changed);
        QSignalSpy stored(&planner, &Planner::scenarioChanged);
        for (int i = 1; i <= 200; ++i)
            setContext(planner, i * 100);
        QCOMPARE(changed.count(), 0);
        QCOMPARE(stored.count(), 200);
        QTRY_COMPARE(changed.count(), 1);
        // The one frame shows the last value.
        QCOMPARE(planner.state().results->scenario.context.value, std::int64_t{20'000});
        QCOMPARE(planner.state().results->selectedPlan()->kv.total.value, std::int64_t{131'072} * 20'000);
        QTest::qWait(20);
        QCOMPARE(changed.count(), 1);
    }

    void editsOfTwoFieldsInOneTurnBothCount()
    {
        Planner planner;
        planner.start(scenarioByHand());
        setContext(planner, 4096);
        planner.edit([](Scenario &s) { s.batch = 8; }, Field::Concurrency);
        planner.flush();
        QCOMPARE(planner.state().results->scenario.context.value, std::int64_t{4096});
        QCOMPARE(planner.state().results->scenario.batch, std::int64_t{8});
        QCOMPARE(planner.history().count(), 2);
    }

    void oneDragIsOneStep()
    {
        Planner planner;
        planner.start(scenarioByHand());
        const std::int64_t before = planner.scenario().context.value;
        for (int i = 1; i <= 50; ++i)
            setContext(planner, 1000 + i);
        planner.endGesture();
        for (int i = 1; i <= 50; ++i)
            setContext(planner, 2000 + i);
        QCOMPARE(planner.history().count(), 2);
        planner.history().undo();
        QCOMPARE(planner.scenario().context.value, std::int64_t{1050});
        planner.history().undo();
        QCOMPARE(planner.scenario().context.value, before);
        QVERIFY(!planner.history().canUndo());
        planner.history().redo();
        planner.history().redo();
        QCOMPARE(planner.scenario().context.value, std::int64_t{2050});
    }

    void aDragBackToTheStartIsNoStep()
    {
        Planner planner;
        planner.start(scenarioByHand());
        const std::int64_t before = planner.scenario().context.value;
        setContext(planner, before * 2);
        setContext(planner, before);
        QCOMPARE(planner.history().count(), 0);
        QCOMPARE(planner.scenario().context.value, before);
    }

    void anotherFieldStartsAStep()
    {
        Planner planner;
        planner.start(scenarioByHand());
        setContext(planner, 1000);
        planner.edit([](Scenario &s) { s.batch = 2; }, Field::Concurrency);
        setContext(planner, 2000);
        QCOMPARE(planner.history().count(), 3);
    }

    void whatChangesNothingIsNoStep()
    {
        Planner planner;
        planner.start(scenarioByHand());
        QSignalSpy stored(&planner, &Planner::scenarioChanged);
        planner.request(planner.scenario(), Field::Document);
        QCOMPARE(planner.history().count(), 0);
        QCOMPARE(stored.count(), 0);
    }

    void openIsUndoneWithItsFile()
    {
        Planner planner;
        planner.start(scenarioByHand(), QStringLiteral("/a.kvscope"));
        setContext(planner, 1000);
        QVERIFY(planner.isModified());
        Scenario other = scenarioByHand();
        other.batch = 32;
        planner.open(other, QStringLiteral("/b.kvscope"));
        QVERIFY(!planner.isModified());
        QCOMPARE(planner.file(), QStringLiteral("/b.kvscope"));
        planner.history().undo();
        QCOMPARE(planner.file(), QStringLiteral("/a.kvscope"));
        QCOMPARE(planner.scenario().context.value, std::int64_t{1000});
        QVERIFY(planner.isModified());
    }

    void pinKeepsWhatWasShown()
    {
        Planner planner;
        planner.start(scenarioByHand());
        setContext(planner, 1000);
        planner.pin(); // evaluates what is pending first
        QVERIFY(planner.isPinned());
        setContext(planner, 5000);
        planner.flush();
        QCOMPARE(planner.state().pinned->scenario.context.value, std::int64_t{1000});
        QCOMPARE(planner.state().results->scenario.context.value, std::int64_t{5000});
        planner.unpin();
        QVERIFY(!planner.state().pinned);
    }

    void theUnitIsShownAtOnce()
    {
        Planner planner;
        planner.start(scenarioByHand());
        planner.flush();
        QSignalSpy changed(&planner, &Planner::changed);
        planner.setUnit(text::Unit::GiB);
        planner.setUnit(text::Unit::GiB);
        QCOMPARE(changed.count(), 1);
        QCOMPARE(planner.history().count(), 0);
    }

    void removeCluster_data()
    {
        QTest::addColumn<int>("selected");
        QTest::addColumn<int>("removed");
        QTest::addColumn<int>("selectedAfter");
        QTest::newRow("one before the selected") << 2 << 0 << 1;
        QTest::newRow("one behind the selected") << 0 << 2 << 0;
        QTest::newRow("the selected itself") << 1 << 1 << 1;
        QTest::newRow("the selected last one") << 2 << 2 << 1;
    }
    void removeCluster()
    {
        QFETCH(int, selected);
        QFETCH(int, removed);
        QFETCH(int, selectedAfter);
        Scenario scenario = scenarioByHand();
        scenario.selected = selected;
        kvscope::removeCluster(scenario, removed);
        QCOMPARE(scenario.clusters.size(), std::size_t{2});
        QCOMPARE(scenario.selected, selectedAfter);
    }

    void theLastClusterStays()
    {
        Scenario scenario = scenarioByHand();
        scenario.clusters.resize(1);
        kvscope::removeCluster(scenario, 0);
        kvscope::removeCluster(scenario, 7);
        QCOMPARE(scenario.clusters.size(), std::size_t{1});
    }
};

QTEST_MAIN(TestPlanner)
#include "tst_planner.moc"
