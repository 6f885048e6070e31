// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/comparechart.h"

#include "ui/hatch.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

constexpr qreal swatch = 12;

} // namespace

CompareChart::CompareChart(QWidget *parent) : ChartView(parent) { setObjectName(QStringLiteral("compareChart")); }

QString CompareChart::title() const { return tr("GPUs side by side"); }

QString CompareChart::subtitle() const { return tr("memory of the fullest GPU by part, same model, same load"); }

QString CompareChart::description() const
{
    if (!state().results)
        return {};
    QStringList parts;
    const Results &r = *state().results;
    for (const Row &row : rowsOf(r))
        parts.append(tr("%1: %2", "a GPU and whether it fits").arg(row.name, text::verdictSentence(*row.plan, state().unit)));
    return parts.join(tr("; ", "between GPUs in a list"));
}

ChartTable CompareChart::table(CellStyle style) const
{
    return state().results ? text::comparisonTable(*state().results, state().unit, style) : ChartTable();
}

QSize CompareChart::sizeHint() const
{
    const int rows = state().results ? static_cast<int>(rowsOf(*state().results).size()) : 4;
    return {560, 90 + 40 * rows};
}

double CompareChart::valueOf(Bytes bytes) const { return inUnit(bytes, state().unit); }

/// A row a machine, under each compared engine.
std::vector<CompareChart::Row> CompareChart::rowsOf(const Results &r) const
{
    std::vector<Row> rows;
    const auto name = [&](int cluster) { return text::name(r.scenario.clusters[static_cast<std::size_t>(cluster)], state().unit); };
    for (const Compared &compared : r.compared) {
        rows.push_back(
            {r.scenario.clusters.size() == 1 ? text::engineName(compared.engine) // the machine's name need not stand in every row
                                             : QStringLiteral("%1 · %2").arg(name(compared.cluster), text::engineName(compared.engine)),
             &compared.plan, compared.cluster, compared.cluster == r.scenario.selected && compared.engine == r.scenario.engine, false});
    }
    for (int i = 0; r.compared.empty() && i < static_cast<int>(r.plans.size()); ++i)
        rows.push_back({name(i), &r.plans[static_cast<std::size_t>(i)], i, i == r.scenario.selected, false});
    return rows;
}

void CompareChart::draw()
{
    m_rows.clear();
    if (!state().results)
        return;
    m_rows = rowsOf(*state().results);
    if (state().pinned && state().pinned->selectedPlan())
        m_rows.push_back({tr("pinned: %1", "name of a GPU").arg(text::name(*state().pinned->selectedCluster(), state().unit)),
                          state().pinned->selectedPlan(), -1, false, true});
    double longest = 0;
    for (const Row &row : m_rows) {
        if (const DevicePlan *device = row.plan->binding())
            longest = std::max({longest, valueOf(device->total), valueOf(device->budget)});
    }
    m_longest = longest;
    m_x.low = 0;
    m_x.title = tr("memory (%1)").arg(text::unitName(state().unit));
    m_y.low = 0;
    m_y.high = std::max<double>(1, static_cast<double>(m_rows.size()));
    m_y.ticks.clear();
    m_y.title.clear();
}

void CompareChart::makeTicks(QSizeF room)
{
    // Room behind each bar for its verdict, up to a third of the plot: where it is longer, one word stands for it.
    const qreal plotWidth = std::max<qreal>(100, room.width() - sideRoom() - 40);
    double needed = m_longest;
    for (const Row &row : m_rows) {
        if (const DevicePlan *device = row.plan->binding()) {
            const qreal words =
                std::min(plotWidth / 3, textSize(text::verdictSentence(*row.plan, state().unit), row.selected).width() + 12);
            needed = std::max(needed, valueOf(std::max(device->total, device->budget)) * plotWidth / (plotWidth - words));
        }
    }
    m_x.high = m_xEnd.update(needed, StickyEnd::Steps::Decimal);
    m_x.ticks.clear();
    const QLocale locale;
    const QList<double> ticks = decimalTicks(m_x.high, std::max(2, static_cast<int>((room.width() - sideRoom()) / 70)));
    const bool whole = ticks.size() < 2 || ticks[1] == std::floor(ticks[1]);
    for (const double at : ticks)
        m_x.ticks.append({at, locale.toString(at, 'f', whole ? 0 : 1)});

    // A legend of the parts that occur, in as many lines as it takes.
    m_legend.clear();
    const qreal line = textSize(QStringLiteral("0")).height() + 4;
    QPointF at(5, 5);
    for (int i = 0; i < partCount; ++i) {
        const Part part = static_cast<Part>(i);
        const bool occurs = std::any_of(m_rows.begin(), m_rows.end(), [part](const Row &row) {
            return row.plan->binding() && row.plan->binding()->used[part].value > 0;
        });
        if (!occurs)
            continue;
        const QString name = text::name(part);
        const qreal width = swatch + 5 + textSize(name).width() + 16;
        if (at.x() > 5 && at.x() + width > room.width())
            at = {5, at.y() + line};
        m_legend.append({part, name, at});
        at.rx() += width;
    }
    m_legendHeight = at.y() + line + 4;
}

qreal CompareChart::sideRoom() const
{
    qreal widest = 40;
    for (const Row &row : m_rows)
        widest = std::max(widest, textSize(row.name, true).width());
    return widest + 6;
}

qreal CompareChart::topRoom() const { return m_legendHeight; }

void CompareChart::arrange() {}

QRectF CompareChart::barOf(int row) const
{
    const QRectF plot = plotArea();
    const qreal pitch = plot.height() / static_cast<qreal>(m_rows.size());
    const qreal height = std::min<qreal>(26, pitch * 0.62);
    return {plot.left(), plot.top() + pitch * (row + 0.5) - height / 2, plot.width(), height};
}

void CompareChart::paintUnder(QPainter &) const {}

void CompareChart::paintRow(QPainter &painter, int index) const
{
    const Row &row = m_rows[static_cast<std::size_t>(index)];
    const QRectF bar = barOf(index);
    painter.setOpacity(1);
    painter.setFont(chartFont(row.selected));
    painter.setPen(row.ghost ? theme().muted : theme().text);
    painter.drawText(QRectF(5, bar.top(), bar.left() - 15, bar.height()), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, row.name);
    const DevicePlan *device = row.plan->binding();
    const QString verdict = text::verdictSentence(*row.plan, state().unit);
    if (!device || row.plan->verdict == Verdict::Refused) {
        painter.setPen(theme().muted);
        const QFontMetricsF metrics(painter.font());
        painter.drawText(bar.adjusted(4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(verdict, Qt::ElideRight, bar.width() - 8));
        return;
    }
    if (row.ghost)
        painter.setOpacity(0.5);
    const auto x = [this](double value) { return toPixel({value, 0}).x(); };
    const qreal capacity = x(valueOf(device->budget));
    const qreal end = x(valueOf(device->total));
    painter.fillRect(QRectF(QPointF(bar.left(), bar.top()), QPointF(capacity, bar.bottom())), theme().free);
    double from = 0;
    for (int i = 0; i < partCount; ++i) {
        const Part part = static_cast<Part>(i);
        const double to = from + valueOf(device->used[part]);
        // What does not fit keeps its length, not its fill.
        const QRectF segment(QPointF(x(from), bar.top()), QPointF(std::min(x(to), capacity), bar.bottom()));
        if (segment.width() > 0.2) {
            fillPart(painter, segment, part, theme());
            const QString words = text::bytesNumber(device->used[part], state().unit);
            const QSizeF size = textSize(words);
            if (size.width() + 10 < segment.width()) {
                const QRectF plate(segment.center() - QPointF(size.width() / 2 + 3, size.height() / 2), size + QSizeF(6, 0));
                painter.fillRect(plate, theme().look(part).fill);
                painter.setPen(readableOn(theme().look(part).fill));
                painter.setFont(chartFont());
                painter.drawText(plate, Qt::AlignCenter | Qt::TextSingleLine, words);
            }
        }
        from = to;
    }
    if (end > capacity)
        fillOutOfMemory(painter, QRectF(QPointF(capacity, bar.top()), QPointF(end, bar.bottom())), theme());
    QPen mark(row.ghost ? theme().ghost : theme().text, 2);
    mark.setCapStyle(Qt::FlatCap);
    painter.setPen(mark);
    painter.drawLine(QLineF(capacity, bar.top() - 3, capacity, bar.bottom() + 3));
    painter.setOpacity(1);
    painter.setFont(chartFont(row.selected));
    painter.setPen(row.ghost ? theme().muted : theme().look(row.plan->verdict).text);
    const qreal left = std::max(capacity, end) + 8;
    const QFontMetricsF metrics(painter.font());
    const QRectF room(left, bar.top(), bar.right() - left, bar.height());
    const QString words = metrics.horizontalAdvance(verdict) <= room.width() ? verdict : text::name(row.plan->verdict);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, metrics.elidedText(words, Qt::ElideRight, room.width()));
}

void CompareChart::paintOver(QPainter &painter) const
{
    painter.setFont(chartFont());
    const qreal height = textSize(QStringLiteral("0")).height();
    for (const LegendEntry &entry : m_legend) {
        fillPart(painter, QRectF(entry.at + QPointF(0, (height - swatch) / 2), QSizeF(swatch, swatch)), entry.part, theme());
        painter.setPen(theme().muted);
        painter.drawText(QRectF(entry.at + QPointF(swatch + 5, 0), QSizeF(400, height)),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, entry.name);
    }
    for (int i = 0; i < static_cast<int>(m_rows.size()); ++i)
        paintRow(painter, i);
}

int CompareChart::rowAt(QPointF value) const
{
    return m_rows.empty() ? -1 : std::clamp(static_cast<int>(m_y.high - value.y()), 0, static_cast<int>(m_rows.size()) - 1);
}

std::optional<Spot> CompareChart::spotOf(int index) const
{
    if (index < 0 || index >= static_cast<int>(m_rows.size()))
        return std::nullopt;
    const Row &row = m_rows[static_cast<std::size_t>(index)];
    Spot spot;
    spot.head = row.name;
    spot.at = {m_x.high / 2, m_y.high - index - 0.5};
    if (const DevicePlan *device = row.plan->binding()) {
        for (int i = 0; i < partCount; ++i) {
            const Part part = static_cast<Part>(i);
            if (device->used[part].value > 0)
                spot.rows.append({text::name(part), text::bytes(device->used[part], state().unit), -1, false});
        }
        spot.rows.append({tr("total"), text::bytes(device->total, state().unit), -1, true});
        spot.rows.append({tr("usable"), text::bytes(device->budget, state().unit), -1, false});
        spot.at.setX(std::min(valueOf(device->total), m_x.high));
    }
    spot.rows.append({QString(), text::verdictSentence(*row.plan, state().unit), -1, true});
    return spot;
}

std::optional<Spot> CompareChart::spotAt(QPointF value) const { return spotOf(rowAt(value)); }

bool CompareChart::arrowKey(int key, bool)
{
    if (key != Qt::Key_Up && key != Qt::Key_Down)
        return false;
    int row = static_cast<int>(std::ranges::find(m_rows, true, &Row::selected) - m_rows.begin());
    if (spot())
        row = rowAt(spot()->at) + (key == Qt::Key_Down ? 1 : -1);
    showSpot(spotOf(std::clamp(row, 0, static_cast<int>(m_rows.size()) - 1)));
    setAccessibleDescription(spot() ? spot()->sentence() : description());
    return true;
}

std::optional<Scenario> CompareChart::scenarioAt(QPointF value) const
{
    const int row = rowAt(value);
    if (row < 0 || m_rows[static_cast<std::size_t>(row)].ghost)
        return std::nullopt;
    Scenario scenario = state().results->scenario;
    scenario.selected = m_rows[static_cast<std::size_t>(row)].cluster;
    return scenario;
}

} // namespace kvscope
