// SPDX-License-Identifier: GPL-3.0-or-later
#include "chartscenario.h"

#include "ui/boundarychart.h"
#include "ui/comparechart.h"
#include "ui/growthchart.h"
#include "ui/tokenscale.h"

#include <QAccessible>
#include <QChart>
#include <QFontMetricsF>
#include <QLegend>
#include <QMouseEvent>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QTranslator>
#include <QValueAxis>

#include <cmath>
#include <limits>

using namespace kvscope;

Q_DECLARE_METATYPE(kvscope::Scenario)

namespace {

/// Marks what passed through tr(), so that a test sees which texts follow the language.
class MarkingTranslator : public QTranslator {
public:
    QString translate(const char *, const char *source, const char *, int) const override
    {
        return u'<' + QString::fromUtf8(source) + u'>';
    }
    bool isEmpty() const override { return false; }
};

template<typename Chart>
std::unique_ptr<Chart> shown(const ViewState &state, QSize size = {640, 420}, ChartMode mode = ChartMode::ByPrecision)
{
    auto chart = std::make_unique<Chart>();
    chart->resize(size);
    chart->setMode(mode);
    chart->show();
    chart->showResults(state);
    return chart;
}

const DrawnLine *mainLine(const ChartView &chart)
{
    for (const DrawnLine &line : chart.lines()) {
        if (line.main)
            return &line;
    }
    return nullptr;
}

void compareNear(QPointF a, QPointF b)
{
    QVERIFY2(std::abs(a.x() - b.x()) < 1e-9 && std::abs(a.y() - b.y()) < 1e-9,
             qPrintable(QStringLiteral("(%1, %2) is not (%3, %4)").arg(a.x()).arg(a.y()).arg(b.x()).arg(b.y())));
}

} // namespace

class TestCharts : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void aPoolIsTheLimitOfWhatIsNeeded()
    {
        Scenario scenario = handScenario();
        scenario.engine = {EngineId::Vllm, {}};
        const ViewState state = stateOf(scenario);
        const Plan &plan = *state.results->selectedPlan();
        QVERIFY(plan.pool);
        const auto chart = shown<GrowthChart>(state);
        QCOMPARE(chart->drawing().capacities.size(), 1);
        QVERIFY(chart->drawing().capacities.front().pooled);
        QCOMPARE(chart->drawing().capacities.front().bytes, plan.binding()->total); // the pool full, not the card
    }

    void filterKeepsWhatQtChartsCanDraw()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const double infinity = std::numeric_limits<double>::infinity();
        const Axis five{0, 5, {}, {}};
        // Leaves at the corner.
        QCOMPARE(cutTo({{0, 0}, {10, 10}}, five, five), (QList<QPointF>{{0, 0}, {5, 5}}));
        // Enters on the left edge at y = 1, leaves on the right at y = 3.5: y = 1 + x / 2.
        QCOMPARE(cutTo({{-2, 0}, {8, 5}}, five, five), (QList<QPointF>{{0, 1}, {5, 3.5}}));
        QCOMPARE(cutTo({{1, 1}, {2, nan}, {3, infinity}, {nan, 2}, {4, 3}}, five, five), (QList<QPointF>{{1, 1}, {4, 3}}));
        QCOMPARE(cutTo({{6, 6}, {7, 7}}, five, five), QList<QPointF>());
        QCOMPARE(cutTo({}, five, five), QList<QPointF>());
        QCOMPARE(cutTo({{2, 3}}, five, five), (QList<QPointF>{{2, 3}}));
        // A straight run needs its ends alone; a bend stays.
        QCOMPARE(cutTo({{0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 2}}, five, five), (QList<QPointF>{{0, 0}, {2, 2}, {4, 2}}));
    }

    void stickyEndMovesInRoundSteps()
    {
        StickyEnd end;
        QCOMPARE(end.update(100, StickyEnd::Steps::Binary), 112.0);
        QCOMPARE(end.update(90, StickyEnd::Steps::Binary), 112.0);
        QCOMPARE(end.update(113, StickyEnd::Steps::Binary), 128.0);
        QCOMPARE(end.update(60, StickyEnd::Steps::Binary), 128.0);
        QCOMPARE(end.update(50, StickyEnd::Steps::Binary), 56.0);
        StickyEnd decimal;
        QCOMPARE(decimal.update(28.8, StickyEnd::Steps::Decimal), 30.0);
        QCOMPARE(decimal.update(0.07, StickyEnd::Steps::Decimal), 0.08);
        // Nothing to show, or a figure that can't be counted, still gives an axis.
        QCOMPARE(decimal.update(std::numeric_limits<double>::quiet_NaN(), StickyEnd::Steps::Decimal), 1.0);
        QCOMPARE(StickyEnd().update(0, StickyEnd::Steps::Binary), 1.0);
    }

    void ticksAreRound()
    {
        QCOMPARE(binaryTicks(131072, 5), (QList<double>{0, 32768, 65536, 98304, 131072}));
        QCOMPARE(decimalTicks(30, 7), (QList<double>{0, 5, 10, 15, 20, 25, 30}));
        QCOMPARE(decimalTicks(0.08, 4), (QList<double>{0, 0.02, 0.04, 0.06, 0.08}));
    }

    void tokenScale()
    {
        QCOMPARE(roundTokens(16500).value, 16384);
        // 50000 lies above 32768: multiples of 512.
        QCOMPARE(roundTokens(50000).value, 50176);
        QCOMPARE(roundTokens(-4).value, 1);
        // Held to a thousand million, which lies in the octave of 2^29: 119 x 2^23 is its nearest multiple below.
        QCOMPARE(roundTokens(1e12).value, 998'244'352);
        QCOMPARE(stepBinary(65536, 1, false), 131072);
        QCOMPARE(stepBinary(65536, -1, false), 32768);
        QCOMPARE(stepBinary(65536, 1, true), 73728);
        QCOMPARE(stepBinary(65536, -1, true), 61440);
        QCOMPARE(stepBinary(3, 1, false), 4);
        QCOMPARE(stepBinary(3, -1, false), 2);
        QCOMPARE(stepBinary(1, -1, true), 1);
    }

    void labelPlacerKeepsWordsApart()
    {
        LabelPlacer placer(QRectF(0, 0, 100, 100));
        placer.avoid(QList<QPointF>{{0, 50}, {100, 50}});
        const QRectF onLine(10, 45, 20, 10);
        const QRectF above(10, 30, 20, 10);
        QVERIFY(!placer.isFree(onLine));
        QVERIFY(placer.isFree(onLine, 0));
        QCOMPARE(placer.place({onLine, above}), above);
        // Now taken; outside the bounds; only a place on the line is left.
        QVERIFY(!placer.place({above, QRectF(-5, 0, 20, 10)}));
        QCOMPARE(placer.placeOver({above, onLine}), onLine);
        QVERIFY(!placer.placeOver({above, onLine}));
        // A vertical piece and one that only grazes the columns.
        LabelPlacer steep(QRectF(0, 0, 100, 100));
        steep.avoid(QList<QPointF>{{0, 10}, {50, 10}, {50, 90}, {100, 90}});
        QVERIFY(!steep.isFree(QRectF(45, 40, 10, 10)));
        QVERIFY(steep.isFree(QRectF(60, 40, 10, 10)));
        QVERIFY(steep.isFree(QRectF(10, 40, 10, 10)));
    }

    // 13.1: made once, as the notes say.
    void isSetUpForQtCharts64()
    {
        const auto chart = shown<GrowthChart>(stateOf(handScenario()));
        QCOMPARE(chart->chart()->animationOptions(), QChart::NoAnimation);
        QVERIFY(chart->renderHints().testFlag(QPainter::Antialiasing));
        QVERIFY(chart->chart()->localizeNumbers());
        QVERIFY(!chart->chart()->legend()->isVisible());
        QCOMPARE(chart->chart()->axes().size(), 2);
        for (const QAbstractAxis *axis : chart->chart()->axes())
            QVERIFY(!axis->truncateLabels());
    }

    // 13.2: the points are the results', and nothing is made or deleted on the way.
    void pointsAreTheResults()
    {
        const auto chart = shown<GrowthChart>(stateOf(handScenario()));
        const DrawnLine *own = mainLine(*chart);
        QVERIFY(own);
        QVERIFY(own->name.contains(QStringLiteral("f16")));
        // A straight line: 0 at 0, and at the end of the axis 262144 B a token.
        QCOMPARE(own->points.size(), 2);
        QCOMPARE(chart->xAxis().high, 131072.0);
        compareNear(own->points.last(), {131072, 34.359738368});
        QCOMPARE(chart->drawing().capacities.size(), 1);
        QCOMPARE(chart->drawing().capacities.first().bytes, 24_GB);
        for (int i = 0; i < chart->lines().size(); ++i)
            QCOMPARE(chart->series()[i]->points(), chart->lines()[i].points);

        const QList<QAbstractSeries *> series = chart->chart()->series();
        const QList<QAbstractAxis *> axes = chart->chart()->axes();
        const qsizetype items = chart->scene()->items().size();
        Scenario other = eightCards();
        other.kv.key = other.kv.value = Format::Int8;
        chart->setMode(ChartMode::ByCluster);
        chart->showResults(stateOf(other));
        QCOMPARE(chart->chart()->series(), series);
        QCOMPARE(chart->chart()->axes(), axes);
        QCOMPARE(chart->scene()->items().size(), items);
    }

    void boundaryIsTheResults()
    {
        const auto chart = shown<BoundaryChart>(stateOf(handScenario()));
        const DrawnLine *own = mainLine(*chart);
        QVERIFY(own && own->points.size() > 3);
        for (const QPointF &p : own->points) {
            QVERIFY(p.x() >= chart->xAxis().low && p.x() <= chart->xAxis().high);
            QVERIFY(p.y() >= chart->yAxis().low && p.y() <= chart->yAxis().high);
        }
        // 24e9 / (131072 x 65536) = 2.79: two sequences.
        const auto spot = [&] {
            QTest::mouseMove(chart->viewport(), chart->toPixel({16, 1}).toPoint());
            return chart->spot();
        }();
        QVERIFY(spot);
        QVERIFY(spot->head.contains(QStringLiteral("65,536")));
        QVERIFY(std::abs(spot->at.y() - 1) < 1e-9);
    }

    void axesDoNotSwim()
    {
        const auto growth = shown<GrowthChart>(stateOf(handScenario()));
        const auto boundary = shown<BoundaryChart>(stateOf(handScenario()));
        const Axis x = growth->xAxis(), y = growth->yAxis(), bx = boundary->xAxis(), by = boundary->yAxis();
        const QRectF plot = growth->plotArea();
        Scenario scenario = handScenario();
        for (std::int64_t context = 30000; context <= 90000; context += 5000) {
            scenario.context = TokenCount{context};
            growth->showResults(stateOf(scenario));
            boundary->showResults(stateOf(scenario));
            QCOMPARE(growth->xAxis(), x);
            QCOMPARE(growth->yAxis(), y);
            QCOMPARE(boundary->xAxis(), bx);
            QCOMPARE(boundary->yAxis(), by);
            QCOMPARE(growth->plotArea(), plot);
        }
        // What no longer fits moves it at once.
        scenario.context = TokenCount{600000};
        growth->showResults(stateOf(scenario));
        QVERIFY(growth->xAxis().high >= 600000);
    }

    // 13.3 (QTBUG-118669: a press where the view has no item).
    void pressWhereNothingIs()
    {
        const auto chart = shown<BoundaryChart>(stateOf(handScenario()));
        QSignalSpy asked(chart.get(), &ChartView::requested);
        const auto press = [](ChartView &view, Qt::MouseButton button, QPointF at) {
            QMouseEvent event(QEvent::MouseButtonPress, at, view.mapToGlobal(at), button, button, Qt::NoModifier);
            QCoreApplication::sendEvent(view.viewport(), &event);
        };
        press(*chart, Qt::LeftButton, {1, 1});
        press(*chart, Qt::RightButton, chart->plotArea().center());
        press(*chart, Qt::LeftButton, chart->plotArea().bottomRight() + QPointF(3, 3));
        QCOMPARE(asked.size(), 0);
        BoundaryChart empty;
        empty.show();
        press(empty, Qt::LeftButton, {50, 50});
    }

    void dragAsksContinuously()
    {
        const auto chart = shown<BoundaryChart>(stateOf(handScenario()));
        QSignalSpy asked(chart.get(), &ChartView::requested);
        QSignalSpy ended(chart.get(), &ChartView::gestureEnded);
        const auto at = [&](double context, double batch) { return chart->toPixel({std::log2(context), std::log2(batch)}).toPoint(); };
        QTest::mousePress(chart->viewport(), Qt::LeftButton, {}, at(16384, 4));
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.last().first().value<Scenario>().context.value, 16384);
        QCOMPARE(asked.last().first().value<Scenario>().batch, 4);
        QTest::mouseMove(chart->viewport(), at(8192, 8));
        QCOMPARE(asked.last().first().value<Scenario>().context.value, 8192);
        QCOMPARE(asked.last().first().value<Scenario>().batch, 8);
        // Held at the edge outside the plot.
        QTest::mouseMove(chart->viewport(), QPoint(0, chart->height() - 1));
        QCOMPARE(asked.last().first().value<Scenario>().context.value, 512);
        QCOMPARE(asked.last().first().value<Scenario>().batch, 1);
        QCOMPARE(ended.size(), 0);
        QTest::mouseRelease(chart->viewport(), Qt::LeftButton, {}, at(512, 1));
        QCOMPARE(ended.size(), 1);
    }

    // A drag runs ahead of the results: back where they stand is a request as any other.
    void dragBackToTheStart()
    {
        const auto chart = shown<BoundaryChart>(stateOf(handScenario()));
        QSignalSpy asked(chart.get(), &ChartView::requested);
        const auto at = [&](double context, double batch) { return chart->toPixel({std::log2(context), std::log2(batch)}).toPoint(); };
        // Taken by its handle, a little off its middle: nothing moves yet.
        QTest::mousePress(chart->viewport(), Qt::LeftButton, {}, at(65536, 2) + QPoint(4, -3));
        QCOMPARE(asked.size(), 0);
        QTest::mouseMove(chart->viewport(), at(16384, 4) + QPoint(4, -3));
        QCOMPARE(asked.last().first().value<Scenario>().context.value, 16384);
        QTest::mouseMove(chart->viewport(), at(65536, 2) + QPoint(4, -3));
        QCOMPARE(asked.size(), 2);
        QCOMPARE(asked.last().first().value<Scenario>().context.value, 65536);
        QCOMPARE(asked.last().first().value<Scenario>().batch, 2);
        QTest::mouseRelease(chart->viewport(), Qt::LeftButton, {}, at(65536, 2));
    }

    void arrowKeysMoveThePoint_data()
    {
        QTest::addColumn<int>("key");
        QTest::addColumn<bool>("shift");
        QTest::addColumn<qint64>("context");
        QTest::addColumn<qint64>("batch");
        QTest::newRow("right") << int(Qt::Key_Right) << false << qint64(131072) << qint64(2);
        QTest::newRow("left") << int(Qt::Key_Left) << false << qint64(32768) << qint64(2);
        QTest::newRow("up") << int(Qt::Key_Up) << false << qint64(65536) << qint64(4);
        QTest::newRow("down") << int(Qt::Key_Down) << false << qint64(65536) << qint64(1);
        QTest::newRow("right finely") << int(Qt::Key_Right) << true << qint64(73728) << qint64(2);
        QTest::newRow("up finely") << int(Qt::Key_Up) << true << qint64(65536) << qint64(3);
    }
    void arrowKeysMoveThePoint()
    {
        QFETCH(int, key);
        QFETCH(bool, shift);
        QFETCH(qint64, context);
        QFETCH(qint64, batch);
        const auto chart = shown<BoundaryChart>(stateOf(handScenario()));
        QSignalSpy asked(chart.get(), &ChartView::requested);
        QSignalSpy ended(chart.get(), &ChartView::gestureEnded);
        QTest::keyClick(chart.get(), static_cast<Qt::Key>(key), shift ? Qt::ShiftModifier : Qt::NoModifier);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.first().first().value<Scenario>().context.value, context);
        QCOMPARE(asked.first().first().value<Scenario>().batch, batch);
        QCOMPARE(ended.size(), 1);
        QVERIFY(chart->spot());
    }

    void arrowKeysMoveTheReadout()
    {
        const auto chart = shown<GrowthChart>(stateOf(handScenario()));
        QSignalSpy asked(chart.get(), &ChartView::requested);
        QTest::keyClick(chart.get(), Qt::Key_Right);
        QVERIFY(chart->spot());
        QVERIFY(chart->spot()->head.contains(QStringLiteral("65,536")));
        bool exact = false;
        for (const Spot::Row &row : chart->spot()->rows)
            exact |= row.main && row.value == QStringLiteral("17.18 GB");
        QVERIFY(exact);
        QTest::keyClick(chart.get(), Qt::Key_Right);
        QVERIFY(chart->spot()->at.x() > 65536);
        QVERIFY(chart->accessibleDescription().contains(chart->spot()->head));
        QTest::keyClick(chart.get(), Qt::Key_Return);
        QCOMPARE(asked.size(), 1);
        QVERIFY(asked.first().first().value<Scenario>().context.value > 65536);
        QTest::keyClick(chart.get(), Qt::Key_Escape);
        QVERIFY(!chart->spot());
    }

    void readoutStaysInThePlotAndOffThePoint()
    {
        const QRectF plots[] = {{40, 20, 400, 260}, {40, 20, 130, 300}, {30, 10, 500, 90}};
        for (const QRectF &plot : plots) {
            for (qreal x = plot.left(); x <= plot.right(); x += 5) {
                for (qreal y = plot.top(); y <= plot.bottom(); y += 5) {
                    const QRectF box = readoutBox({x, y}, {120, 70}, plot);
                    if (plot.width() > 280 || plot.height() > 180) {
                        QVERIFY(plot.contains(box));
                        QVERIFY(!box.contains(QPointF(x, y)));
                    }
                }
            }
        }
        const auto chart = shown<GrowthChart>(stateOf(eightCards()), {480, 300}, ChartMode::ByCluster);
        QTest::mouseMove(chart->viewport(), chart->plotArea().center().toPoint());
        QVERIFY(chart->spot());
        QVERIFY(chart->readoutBox().left() >= 0 && chart->readoutBox().right() <= chart->width());
    }

    // 13.4
    void followsThePalette()
    {
        const auto chart = shown<GrowthChart>(stateOf(handScenario()));
        const auto ownPen = [&] {
            for (int i = 0; i < chart->lines().size(); ++i) {
                if (chart->lines()[i].main)
                    return chart->series()[i]->pen();
            }
            return QPen();
        };
        const int look = mainLine(*chart)->look;
        QCOMPARE(ownPen().color(), lightTheme().seriesLook(look).line);
        chart->setPalette(paletteOf(darkTheme()));
        QCOMPARE(ownPen().color(), darkTheme().seriesLook(look).line);
        QCOMPARE(chart->backgroundBrush().color(), darkTheme().card);
        chart->setPalette(paletteOf(lightTheme()));
        QCOMPARE(ownPen().color(), lightTheme().seriesLook(look).line);
    }

    // 13.5
    void speaks()
    {
        const auto chart = shown<GrowthChart>(stateOf(handScenario()));
        QAccessibleInterface *interface = QAccessible::queryAccessibleInterface(chart.get());
        QVERIFY(interface);
        QCOMPARE(interface->role(), QAccessible::Chart);
        QCOMPARE(interface->text(QAccessible::Name), chart->title());
        const QString words = interface->text(QAccessible::Description);
        for (const char *figure : {"17.18 GB", "65,536", "24 GB", "91,552"})
            QVERIFY2(words.contains(QLatin1String(figure)), qPrintable(words));
        QCOMPARE(chart->focusPolicy(), Qt::StrongFocus);
    }

    void textTwinHoldsTheData()
    {
        const auto chart = shown<GrowthChart>(stateOf(handScenario()));
        const ChartTable table = chart->table(CellStyle::Plain);
        QCOMPARE(table.rows.size(), chart->state().results->contexts.size());
        const auto row = std::find_if(table.rows.begin(), table.rows.end(),
                                      [](const QStringList &cells) { return cells.first() == QStringLiteral("65536"); });
        QVERIFY(row != table.rows.end());
        const auto column = table.columns.indexOf(QRegularExpression(QStringLiteral("^f16 .*")));
        QVERIFY(column > 0);
        QCOMPARE(row->at(column), QStringLiteral("17179869184"));

        text::Table odd{{QStringLiteral("a,b"), QStringLiteral("say \"x\"")}, {{QStringLiteral("=1+1"), QStringLiteral("-5")}}};
        QCOMPARE(text::csvOf(odd), QStringLiteral("\"a,b\",\"say \"\"x\"\"\"\r\n'=1+1,-5\r\n"));
    }

    // 13.7
    void retranslatesWhileRunning()
    {
        const auto chart = shown<GrowthChart>(stateOf(handScenario()));
        MarkingTranslator translator;
        qApp->installTranslator(&translator);
        QCoreApplication::processEvents();
        QVERIFY(chart->xAxis().title.startsWith(u'<'));
        QVERIFY(chart->yAxis().title.startsWith(u'<'));
        QVERIFY(chart->accessibleName().startsWith(u'<'));
        bool word = false;
        for (const Word &w : chart->words())
            word |= w.text.startsWith(u'<');
        QVERIFY(word);
        qApp->removeTranslator(&translator);
        QCoreApplication::processEvents();
        QVERIFY(!chart->xAxis().title.startsWith(u'<'));
    }

    void wordsNeverCollide_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("many");
        QTest::addColumn<bool>("pinned");
        for (const QSize size : {QSize(300, 220), QSize(480, 300), QSize(640, 420), QSize(1400, 900)}) {
            for (const bool many : {false, true}) {
                for (const bool pinned : {false, true})
                    QTest::addRow("%dx%d%s%s", size.width(), size.height(), many ? " eight cards" : "", pinned ? " pinned" : "")
                        << size << many << pinned;
            }
        }
    }
    void wordsNeverCollide()
    {
        QFETCH(QSize, size);
        QFETCH(bool, many);
        QFETCH(bool, pinned);
        Scenario scenario = many ? eightCards() : handScenario();
        ViewState state = stateOf(scenario);
        if (pinned) {
            Scenario other = scenario;
            other.context = TokenCount{16384};
            other.batch = 8;
            state.pinned = std::make_shared<const Results>(evaluate(other));
        }
        const auto growth = shown<GrowthChart>(state, size);
        const auto boundary = shown<BoundaryChart>(state, size);
        for (const std::int64_t context : {1024, 20000, 65536, 120000}) {
            for (const ChartMode mode : {ChartMode::ByPrecision, ChartMode::ByCluster}) {
                scenario.context = TokenCount{context};
                state.results = std::make_shared<const Results>(evaluate(scenario));
                for (ChartView *chart : {static_cast<ChartView *>(growth.get()), static_cast<ChartView *>(boundary.get())}) {
                    chart->setMode(mode);
                    chart->showResults(state);
                    const QList<Word> &words = chart->words();
                    for (qsizetype a = 0; a < words.size(); ++a) {
                        QVERIFY2(chart->plotArea().contains(words[a].box), qPrintable(words[a].text));
                        for (qsizetype b = a + 1; b < words.size(); ++b)
                            QVERIFY2(!words[a].box.intersects(words[b].box),
                                     qPrintable(words[a].text + QStringLiteral(" | ") + words[b].text));
                    }
                    if (size.width() < 480)
                        continue;
                    for (const DrawnLine &line : chart->lines()) {
                        if (line.points.size() < 2)
                            continue;
                        const bool named =
                            std::any_of(words.begin(), words.end(), [&line](const Word &word) { return word.text == line.name; });
                        QVERIFY2(named || (many && size.width() < 640), qPrintable(line.name));
                    }
                }
            }
        }
    }

    void tickTextsAreWhole()
    {
        for (const QSize size : {QSize(260, 180), QSize(480, 300), QSize(1400, 900)}) {
            const auto growth = shown<GrowthChart>(stateOf(handScenario()), size);
            const auto boundary = shown<BoundaryChart>(stateOf(handScenario()), size);
            for (const ChartView *chart : {static_cast<ChartView *>(growth.get()), static_cast<ChartView *>(boundary.get())}) {
                const QFontMetricsF metrics(chart->font());
                QVERIFY(chart->xAxis().ticks.size() >= 2);
                QVERIFY(chart->yAxis().ticks.size() >= 2);
                for (const Tick &tick : chart->xAxis().ticks) {
                    // The ticks' font is smaller than the widget's: 0.92 of it.
                    const qreal half = metrics.horizontalAdvance(tick.text) * 0.95 / 2;
                    const qreal x = chart->toPixel({tick.at, 0}).x();
                    QVERIFY2(x - half >= 0 && x + half <= size.width(), qPrintable(tick.text));
                }
                for (const Tick &tick : chart->yAxis().ticks)
                    QVERIFY2(metrics.horizontalAdvance(tick.text) * 0.95 <= chart->plotArea().left(), qPrintable(tick.text));
            }
        }
    }

    void oddResultsDraw()
    {
        GrowthChart growth;
        BoundaryChart boundary;
        CompareChart compare;
        Scenario huge = handScenario();
        huge.context = TokenCount{1'000'000'000};
        huge.batch = 1'000'000;
        Scenario noRoom = handScenario();
        noRoom.clusters = {clusterOf(deviceOfSize(Bytes{1}))};
        ViewState onePoint = stateOf(handScenario());
        Results few = *onePoint.results;
        few.contexts.resize(1);
        for (auto *lines : {&few.growthByCluster, &few.growthByPrecision}) {
            for (GrowthLine &line : *lines)
                line.total.resize(1);
        }
        for (auto *lines : {&few.boundaryByCluster, &few.boundaryByPrecision}) {
            for (BoundaryLine &line : *lines)
                line.sequences.resize(1);
        }
        onePoint.results = std::make_shared<const Results>(few);
        ViewState bare;
        bare.results = std::make_shared<const Results>();
        for (ChartView *chart :
             {static_cast<ChartView *>(&growth), static_cast<ChartView *>(&boundary), static_cast<ChartView *>(&compare)}) {
            chart->resize(500, 320);
            chart->show();
            for (const ViewState &state : {ViewState(), bare, stateOf(huge), stateOf(noRoom), onePoint, stateOf(handScenario())}) {
                chart->showResults(state);
                for (const DrawnLine &line : chart->lines()) {
                    for (const QPointF &p : line.points)
                        QVERIFY(std::isfinite(p.x()) && std::isfinite(p.y()));
                }
                QVERIFY(chart->xAxis().length() > 0 && chart->yAxis().length() > 0);
                QTest::mouseMove(chart->viewport(), chart->plotArea().center().toPoint());
                chart->grab();
                chart->description();
                chart->table(CellStyle::Read);
            }
        }
    }

    void refusalIsSaid()
    {
        ViewState state = stateOf(handScenario());
        Results refused = *state.results;
        refused.plans.front() = Plan();
        refused.plans.front().refusal = Error{ErrorCode::ImpossibleSplit, "tp 3", "1, 2, 4", {}};
        state.results = std::make_shared<const Results>(refused);
        const QString sentence = text::verdictSentence(refused.plans.front(), text::Unit::GB);
        const auto growth = shown<GrowthChart>(state, {900, 500});
        const auto boundary = shown<BoundaryChart>(state, {900, 500});
        for (const ChartView *chart : {static_cast<ChartView *>(growth.get()), static_cast<ChartView *>(boundary.get())})
            QVERIFY(std::any_of(chart->words().begin(), chart->words().end(), [&](const Word &word) { return word.text == sentence; }));
    }

    void hiddenViewDrawsWhenShown()
    {
        GrowthChart chart;
        chart.resize(500, 300);
        chart.showResults(stateOf(handScenario()));
        QVERIFY(chart.lines().isEmpty());
        chart.show();
        QVERIFY(!chart.lines().isEmpty());
    }

    void comparesByRow()
    {
        const auto chart = shown<CompareChart>(stateOf(eightCards()), {700, 420});
        QSignalSpy asked(chart.get(), &ChartView::requested);
        // Rows from the top: the third is the RTX 5090 with 34 GB; 34 - 17.179869184 = 16.82 free.
        QTest::mouseMove(chart->viewport(), chart->toPixel({1, 5.5}).toPoint());
        QVERIFY(chart->spot());
        QVERIFY(chart->spot()->sentence().contains(QStringLiteral("RTX 5090")));
        QVERIFY2(chart->spot()->sentence().contains(QStringLiteral("16.82 GB")), qPrintable(chart->spot()->sentence()));
        QTest::mouseClick(chart->viewport(), Qt::LeftButton, {}, chart->toPixel({1, 5.5}).toPoint());
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.first().first().value<Scenario>().selected, 2);
        const ChartTable table = chart->table(CellStyle::Plain);
        QCOMPARE(table.rows.size(), std::size_t{8});
        QVERIFY(table.rows[2].contains(QStringLiteral("17179869184")));
    }
};

QTEST_MAIN(TestCharts)
#include "tst_charts.moc"
