// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/devicerows.h"

#include "ui/memorybar.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace kvscope {

namespace {

constexpr int columnGap = 8;
constexpr int slack = 4; ///< words are drawn a little wider than measured where fonts are mixed

QString translated(const char *source) { return QCoreApplication::translate("kvscope::DeviceRows", source); }

QString nameOf(const DevicePlan &first, int last, text::Unit unit)
{
    const QString card = first.name.empty() ? text::bytes(first.memory, unit) : QString::fromStdString(first.name);
    return first.index == last ? QStringLiteral("GPU %1 · %2").arg(QString::number(first.index), card)
                               : QStringLiteral("GPU %1–%2 · %3").arg(QString::number(first.index), QString::number(last), card);
}

/// What the host holds, in the form of a device.
DevicePlan hostShare(const Scenario &scenario, const Plan &plan)
{
    DevicePlan host;
    host.used[Part::Weights] = plan.hostWeights;
    host.used[Part::Kv] = plan.hostKv;
    host.used[Part::Activation] = plan.hostActivation;
    host.total = host.used.total();
    host.memory = host.usable = host.budget = scenario.hostMemory.value_or(host.total);
    return host;
}

} // namespace

std::vector<DeviceRow> deviceRows(const Scenario &scenario, const Plan &plan, text::Unit unit)
{
    std::vector<DeviceRow> rows;
    if (plan.verdict == Verdict::Refused || plan.devices.empty())
        return rows;
    for (std::size_t i = 0; i < plan.devices.size();) {
        const DevicePlan &first = plan.devices[i];
        std::size_t end = i + 1;
        while (end < plan.devices.size() && plan.devices[end].used == first.used && plan.devices[end].budget == first.budget &&
               plan.devices[end].name == first.name)
            ++end;
        const auto fullest = static_cast<std::size_t>(plan.fullest);
        rows.push_back({nameOf(first, plan.devices[end - 1].index, unit), first, i <= fullest && fullest < end, false, false});
        i = end;
    }
    if (rows.size() == 1 && plan.devices.size() == 1)
        rows.clear(); // the bar tells it
    else if (rows.size() == 1)
        rows.front().alike = true;
    const DevicePlan host = hostShare(scenario, plan);
    if (host.total.value > 0)
        rows.push_back({translated(QT_TRANSLATE_NOOP("kvscope::DeviceRows", "Host")), host, false, true, false});
    return rows;
}

DeviceRows::DeviceRows(QWidget *parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void DeviceRows::showState(const ViewState &state)
{
    const Plan *plan = state.results ? state.results->selectedPlan() : nullptr;
    const std::size_t before = m_rows.size();
    m_unit = state.unit;
    m_rows = plan ? deviceRows(state.results->scenario, *plan, m_unit) : std::vector<DeviceRow>{};
    setAccessibleName(tr("Memory of each GPU and the host"));
    QStringList words;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        words += readout(i).replace(QLatin1Char('\n'), QStringLiteral(", "));
    setAccessibleDescription(words.join(QStringLiteral("; ")));
    if (m_rows.size() != before)
        updateGeometry();
    update();
}

QString DeviceRows::figure(const DeviceRow &row) const
{
    const QString total = text::bytes(row.share.total, m_unit);
    return row.share.budget == row.share.total ? total : tr("%1 of %2").arg(total, text::bytes(row.share.budget, m_unit));
}

QString DeviceRows::readout(std::size_t row) const
{
    const DeviceRow &shown = m_rows[row];
    QStringList lines{QStringLiteral("%1: %2").arg(shown.name, figure(shown))};
    if (shown.alike)
        lines += tr("each holds the same, as the bar shows");
    else if (shown.decides)
        lines += tr("The verdict is decided here");
    for (const BarPiece &piece : barPieces(shown.share))
        lines += QStringLiteral("%1 %2").arg(kvscope::name(piece), text::bytes(piece.bytes, m_unit));
    return lines.join(QLatin1Char('\n'));
}

int DeviceRows::rowHeight() const { return fontMetrics().height() + 3; }

bool DeviceRows::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    const int row = help->pos().y() / rowHeight();
    if (row < rowCount())
        QToolTip::showText(help->globalPos(), readout(static_cast<std::size_t>(row)), this);
    else
        QToolTip::hideText();
    return true;
}

void DeviceRows::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    const Theme &theme = themeOf(palette());
    QFont bold = font();
    bold.setBold(true);
    int names = 0, figures = 0;
    Bytes longest, host;
    for (const DeviceRow &row : m_rows) {
        if (row.alike)
            continue;
        names = std::max(names, QFontMetrics(bold).horizontalAdvance(row.name) + slack);
        figures = std::max(figures, fontMetrics().horizontalAdvance(figure(row)));
        (row.host ? host : longest) = std::max(row.host ? host : longest, barLength(row.share));
    }
    names = std::min(names, width() / 3);
    int y = 0;
    for (const DeviceRow &row : m_rows) {
        const QRect line(0, y, width(), rowHeight());
        y += rowHeight();
        if (row.alike) {
            p.setFont(font());
            p.setPen(theme.muted);
            const QString words = tr("%1: each holds the same, as the bar shows").arg(row.name);
            p.drawText(line, Qt::AlignVCenter | Qt::AlignLeading, fontMetrics().elidedText(words, Qt::ElideRight, line.width()));
            continue;
        }
        p.setFont(row.decides ? bold : font());
        p.setPen(row.decides ? theme.text : theme.muted);
        p.drawText(line.adjusted(0, 0, names - width(), 0), Qt::AlignVCenter | Qt::AlignLeading,
                   p.fontMetrics().elidedText(row.name, Qt::ElideRight, names));
        p.setFont(font());
        p.drawText(line, Qt::AlignVCenter | Qt::AlignTrailing, figure(row));
        const QRectF bar(names + columnGap, line.top() + 3, width() - names - figures - 2 * columnGap, rowHeight() - 6);
        if (bar.width() > 0)
            paintBar(p, bar, row.share, row.host ? host : longest, theme);
    }
}

QSize DeviceRows::sizeHint() const { return {320, rowCount() * rowHeight()}; }

QSize DeviceRows::minimumSizeHint() const { return {160, rowCount() * rowHeight()}; }

} // namespace kvscope
