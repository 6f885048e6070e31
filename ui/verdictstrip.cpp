// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdictstrip.h"

#include "ui/clampedlabel.h"
#include "ui/devicerows.h"
#include "ui/flowlayout.h"
#include "ui/memorybar.h"
#include "ui/text/surelimits.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QGridLayout>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace kvscope {

namespace {

constexpr int figureGap = 18;
constexpr int mostRows = 4;                         ///< of devices, before they scroll
constexpr int longestMending = 4, restOfHand = 150; // milliseconds

} // namespace

Figure::Figure(const char *name, QWidget *parent) : QWidget(parent), m_caption(new QLabel(this)), m_figure(new QLabel(this))
{
    setObjectName(QLatin1String(name));
    m_caption->setObjectName(objectName() + QStringLiteral("Caption"));
    m_caption->setProperty("role", QStringLiteral("muted"));
    m_figure->setObjectName(objectName() + QStringLiteral("Value"));
    m_figure->setProperty("role", QStringLiteral("figure"));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addStretch();
    layout->addWidget(m_caption);
    layout->addWidget(m_figure);
    layout->addStretch();
}

void Figure::setWords(const QString &caption, const QString &figure, const QString &why)
{
    m_caption->setText(caption);
    m_figure->setText(figure);
    m_figure->setAccessibleName(QStringLiteral("%1: %2").arg(caption, figure));
    setToolTip(why);
    // Only ever wider while shown, so that the strip does not jump as digits come and go during a drag.
    m_figure->setMinimumWidth(std::max(m_figure->minimumWidth(), m_figure->sizeHint().width()));
}

VerdictStrip::VerdictStrip(QWidget *parent) :
    QFrame(parent),
    m_figures(new FlowLayout(nullptr, figureGap)),
    m_top(new QGridLayout),
    m_badge(new QLabel(this)),
    m_context(new Figure("maxContext", this)),
    m_concurrency(new Figure("maxConcurrency", this)),
    m_narrower(new Figure("widestKv", this)),
    m_devices(new Figure("fewestDevices", this)),
    m_bar(new MemoryBar(this)),
    m_legend(new MemoryLegend(this)),
    m_rows(new DeviceRows(this)),
    m_rowsArea(new QScrollArea(this)),
    m_refusal(new QLabel(this)),
    m_remarks(new ClampedLabel(2, this))
{
    setProperty("card", true);
    m_badge->setObjectName(QStringLiteral("verdictBadge"));
    m_badge->setAlignment(Qt::AlignCenter);
    m_badge->setFixedHeight(fontMetrics().height() * 5 / 2);
    m_bar->setObjectName(QStringLiteral("memoryBar"));
    m_legend->setObjectName(QStringLiteral("memoryLegend"));
    m_refusal->setObjectName(QStringLiteral("refusal"));
    m_refusal->setWordWrap(true);
    m_remarks->setObjectName(QStringLiteral("remarks"));

    m_rows->setObjectName(QStringLiteral("deviceRows"));
    m_rowsArea->setObjectName(QStringLiteral("deviceRowsArea"));
    m_rowsArea->setFrameShape(QFrame::NoFrame);
    m_rowsArea->setWidgetResizable(true);
    m_rowsArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_rowsArea->setFocusPolicy(Qt::NoFocus);
    m_rowsArea->setWidget(m_rows);
    m_rowsArea->viewport()->setAutoFillBackground(false);
    m_rows->setAutoFillBackground(false);

    // The same rows whatever the answer is, so that the charts below do not jump while a drag crosses the limit.
    m_figures->addWidget(m_badge);
    for (Figure *figure : {m_context, m_concurrency, m_narrower, m_devices})
        m_figures->addWidget(figure);
    m_top->setHorizontalSpacing(figureGap);
    m_top->setVerticalSpacing(5);
    m_top->addLayout(m_figures, 0, 0);
    m_top->addWidget(m_remarks, 0, 1);
    m_top->setColumnStretch(1, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 10);
    layout->setSpacing(5);
    layout->addLayout(m_top);
    layout->addWidget(m_bar);
    layout->addWidget(m_legend);
    layout->addWidget(m_rowsArea);
    layout->addWidget(m_refusal);
    m_rest.setSingleShot(true);
    m_rest.setInterval(restOfHand);
    connect(&m_rest, &QTimer::timeout, this, &VerdictStrip::showMending);
    connect(m_bar, &MemoryBar::explanationWanted, this, &VerdictStrip::explanationWanted);
}

void VerdictStrip::showState(const ViewState &state)
{
    m_state = state;
    const Plan *plan = state.results->selectedPlan();
    setVisible(plan != nullptr);
    if (!plan)
        return;
    const bool refused = plan->verdict == Verdict::Refused;
    m_bar->setVisible(!refused);
    m_legend->setVisible(!refused);
    m_refusal->setVisible(refused);
    m_refusal->setText(refused && plan->refusal ? text::sentence(*plan->refusal) : QString());
    showBadge(*plan);
    showLimits(*plan);
    showRemarks(*plan);
    m_bar->showState(state);
    m_legend->showState(state);
    m_rows->showState(state);
    m_rowsArea->setVisible(m_rows->rowCount() > 0);
    m_rowsArea->setFixedHeight(std::min(m_rows->rowCount(), mostRows) * m_rows->rowHeight());
    placeRemarks();
}

/// Beside the figures, or below them where the strip is narrow.
void VerdictStrip::placeRemarks()
{
    const int room = width() - layout()->contentsMargins().left() - layout()->contentsMargins().right();
    const bool beside = room >= m_figures->sizeHint().width() + fontMetrics().horizontalAdvance(QLatin1Char('0')) * 30;
    const int row = beside ? 0 : 1;
    int at = 0, column = 0, rows = 0, columns = 0;
    m_top->getItemPosition(m_top->indexOf(m_remarks), &at, &column, &rows, &columns);
    if (at == row)
        return;
    m_top->removeWidget(m_remarks);
    m_top->removeItem(m_figures);
    m_top->addLayout(m_figures, 0, 0, 1, beside ? 1 : 2);
    m_top->addWidget(m_remarks, row, beside ? 1 : 0, 1, beside ? 1 : 2);
}

void VerdictStrip::showBadge(const Plan &plan)
{
    m_badge->setText(plan.verdict == Verdict::Refused ? text::name(plan.verdict) : text::verdictSentence(plan, m_state.unit));
    const VerdictLook &look = themeOf(palette()).look(plan.verdict);
    const QString sheet =
        QStringLiteral("QLabel { background: %1; color: %2; border-left: 4px solid %2; border-radius: 6px; padding: 4px 14px; "
                       "font-weight: 600; font-size: 13pt; }")
            .arg(look.fill.name(), look.text.name());
    if (m_badge->styleSheet() != sheet)
        m_badge->setStyleSheet(sheet);
    m_badge->setAccessibleName(text::verdictSentence(plan, m_state.unit));
}

void VerdictStrip::showLimits(const Plan &plan)
{
    const bool refused = plan.verdict == Verdict::Refused;
    m_context->setVisible(!refused);
    m_concurrency->setVisible(!refused);
    const Limits &limits = plan.limits;
    QString contextWhy = text::reason(limits.contextReason);
    if (limits.maxContextBeyondTraining > limits.maxContext)
        contextWhy += QLatin1Char('\n') + tr("memory would hold %1 tokens").arg(text::contextLimitBeyondTraining(limits));
    const auto withLine = [](const QString &words, const QString &line) {
        return line.isEmpty() ? words : words + QLatin1Char('\n') + line;
    };
    m_context->setWords(tr("max context"), text::contextLimit(limits), withLine(contextWhy, text::sureContext(limits)));
    m_concurrency->setWords(tr("max concurrency"), text::batchLimit(limits),
                            withLine(text::reason(limits.batchReason), text::sureBatch(limits)));

    // What would mend it is asked only when something is to be mended; and where the answer takes long, only once the hand rests.
    if (plan.verdict != Verdict::OutOfMemory && plan.verdict != Verdict::Tight) {
        m_rest.stop();
        m_narrower->hide();
        m_devices->hide();
    } else if (m_mendingTook > longestMending) {
        m_rest.start();
    } else {
        showMending();
    }
}

void VerdictStrip::showMending()
{
    if (!m_state.results->selectedPlan())
        return;
    QElapsedTimer clock;
    clock.start();
    const Scenario &scenario = m_state.results->scenario;
    const std::optional<Format> narrower = widestFittingKv(scenario, *m_state.results->selectedCluster());
    const std::optional<Split> more = fewestDevices(scenario, *m_state.results->selectedCluster());
    m_mendingTook = clock.elapsed();
    m_narrower->setVisible(narrower.has_value());
    if (narrower)
        m_narrower->setWords(tr("fits with KV"), text::name(*narrower),
                             tr("The widest KV precision that fits with everything else as it is"));
    m_devices->setVisible(more.has_value());
    if (more)
        m_devices->setWords(
            tr("or with GPUs"), text::count(more->devices()),
            tr("The fewest GPUs of this kind that hold it: TP %1, PP %2, DP %3").arg(more->tensor).arg(more->pipeline).arg(more->data));
}

void VerdictStrip::showRemarks(const Plan &plan)
{
    QStringList remarks;
    for (const Warning &warning : plan.warnings)
        remarks += QStringLiteral("⚠ ") + text::sentence(warning, m_state.unit);
    remarks.removeDuplicates();
    if (const DevicePlan *device = plan.binding()) {
        const text::Unit other = m_state.unit == text::Unit::GB ? text::Unit::GiB : text::Unit::GB;
        const QString size = text::bytes(device->memory, m_state.unit), inOther = text::bytes(device->memory, other),
                      budget = text::bytes(device->budget, m_state.unit);
        remarks += device->name.empty()
                       ? tr("%1 (%2) of memory, of which the plan may take %3").arg(size, inOther, budget)
                       : tr("%1: %2 (%3), of which the plan may take %4").arg(QString::fromStdString(device->name), size, inOther, budget);
    }
    m_remarks->setText(remarks.join(QStringLiteral(" · ")));
}

void VerdictStrip::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if ((event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) && m_state.results)
        showState(m_state);
}

void VerdictStrip::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    placeRemarks();
}

} // namespace kvscope
