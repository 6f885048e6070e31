// SPDX-License-Identifier: GPL-3.0-or-later
// From a slider's step to the pixels, against a forced full repaint of the same charts and fields without any change. In turn, so that
// the machine's mood meets both. Prints: step p50 and p95, repaint p50 and p95 in ms, and the ratio of the medians.
#include "core/catalog.h"
#include "ui/mainwindow.h"
#include "ui/opening.h"
#include "ui/theme.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QElapsedTimer>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace kvscope;

namespace {

/// Knows whether a widget has been painted since it was asked last.
class PaintWatch : public QObject {
public:
    explicit PaintWatch(QWidget *widget) { widget->installEventFilter(this); }

    bool take() { return std::exchange(m_painted, false); }

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        m_painted = m_painted || event->type() == QEvent::Paint;
        return false;
    }

private:
    bool m_painted = false;
};

double milliseconds(const QElapsedTimer &timer) { return static_cast<double>(timer.nsecsElapsed()) / 1e6; }

double quantile(std::vector<double> values, double share)
{
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void paintAll(PaintWatch &watch)
{
    do
        QCoreApplication::processEvents();
    while (!watch.take());
    QCoreApplication::sendPostedEvents();
}

} // namespace

int main(int argc, char **argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    QStandardPaths::setTestModeEnabled(true);
    const QTemporaryDir folder;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;

    applyTheme(application, ThemeChoice::Light);
    Catalog catalog;
    Planner planner;
    Session session(folder.filePath(QStringLiteral("session.kvscope")), [&planner] { return planner.scenario(); });
    planner.start(worthwhileScenario(catalog));
    planner.flush();
    MainWindow window(Settings{}, catalog, planner, session);
    window.resize(1280, 720);
    window.show();
    window.finish();
    QCoreApplication::processEvents();

    const QList<QAbstractScrollArea *> areas = window.findChildren<QAbstractScrollArea *>();
    const QList<QWidget *> widgets = window.findChildren<QWidget *>();
    QWidget *growth = nullptr;
    for (QAbstractScrollArea *area : areas) {
        if (area->inherits("QChartView") && area->isVisible())
            growth = area->viewport();
    }
    if (!growth) {
        std::fprintf(stderr, "no chart is shown\n");
        return 1;
    }
    PaintWatch watch(growth);

    std::vector<double> steps, repaints;
    QElapsedTimer timer;
    for (int i = 0; i < rounds; ++i) {
        // A hand's drag: a little further each time, turning round at the ends.
        const std::int64_t context = 4096 + 512 * (i % 120 < 60 ? i % 60 : 60 - i % 60);
        watch.take();
        timer.start();
        planner.edit([context](Scenario &scenario) { scenario.context = TokenCount{context}; }, Field::Context);
        paintAll(watch);
        steps.push_back(milliseconds(timer));

        watch.take();
        timer.start();
        for (QWidget *widget : widgets) {
            if (widget->isVisible())
                widget->update();
        }
        paintAll(watch);
        repaints.push_back(milliseconds(timer));
    }
    const double step = quantile(steps, 0.5), repaint = quantile(repaints, 0.5);
    std::printf("step p50 %.2f p95 %.2f ms, full repaint p50 %.2f p95 %.2f ms, ratio %.3f\n", step, quantile(steps, 0.95), repaint,
                quantile(repaints, 0.95), step / repaint);
    return 0;
}
