// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/verdictstrip.h"

#include "ui/clampedlabel.h"
#include "ui/memorybar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace kvscope {

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
    m_badge(new QLabel(this)),
    m_context(new Figure("maxContext", this)),
    m_concurrency(new Figure("maxConcurrency", this)),
    m_narrower(new Figure("widestKv", this)),
    m_devices(new Figure("fewestDevices", this)),
    m_bar(new MemoryBar(this)),
    m_legend(new MemoryLegend(this)),
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

    // The same rows whatever the answer is, so that the charts below do not jump while a drag crosses the limit.
    auto *row = new QHBoxLayout;
    row->setSpacing(18);
    row->addWidget(m_badge);
    for (Figure *figure : {m_context, m_concurrency, m_narrower, m_devices})
        row->addWidget(figure);
    row->addWidget(m_remarks, 1);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 10, 12, 10);
    layout->setSpacing(5);
    layout->addLayout(row);
    layout->addWidget(m_bar);
    layout->addWidget(m_legend);
    layout->addWidget(m_refusal);
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
    const auto context = [&limits] {
        return limits.contextReason == LimitReason::NoGrowth ? QStringLiteral("∞") : text::tokens(limits.maxContext);
    };
    const auto batch = [&limits] {
        return limits.batchReason == LimitReason::NoGrowth ? QStringLiteral("∞") : text::count(limits.maxBatch);
    };
    QString contextWhy = text::reason(limits.contextReason);
    if (limits.maxContextBeyondTraining > limits.maxContext)
        contextWhy += QLatin1Char('\n') + tr("memory would hold %1 tokens").arg(text::tokens(limits.maxContextBeyondTraining));
    m_context->setWords(tr("max context"), context(), contextWhy);
    m_concurrency->setWords(tr("max concurrency"), batch(), text::reason(limits.batchReason));

    // What would mend it is asked only when something is to be mended.
    const bool short_ = plan.verdict == Verdict::OutOfMemory || plan.verdict == Verdict::Tight;
    std::optional<Format> narrower;
    std::optional<Split> more;
    if (short_) {
        narrower = widestFittingKv(m_state.results->scenario, *m_state.results->selectedCluster());
        more = fewestDevices(m_state.results->scenario, *m_state.results->selectedCluster());
    }
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
        remarks += tr("%1: %2 (%3), of which the plan may take %4")
                       .arg(QString::fromStdString(device->name), text::bytes(device->memory, m_state.unit),
                            text::bytes(device->memory, other), text::bytes(device->budget, m_state.unit));
    }
    m_remarks->setText(remarks.join(QStringLiteral(" · ")));
}

void VerdictStrip::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if ((event->type() == QEvent::LanguageChange || event->type() == QEvent::PaletteChange) && m_state.results)
        showState(m_state);
}

} // namespace kvscope
