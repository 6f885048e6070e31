// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/growthchart.h"

#include "core/reach.h"
#include "ui/hatch.h"
#include "ui/tokenscale.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

constexpr qreal markRadius = 4; ///< of a crossing, for the words beside it

/// Boxes for words beside a point: near ones first, in every corner.
QList<QRectF> boxesAround(QPointF p, QSizeF size)
{
    constexpr qreal gap = 8;
    QList<QRectF> boxes;
    for (const qreal dx : {gap, gap * 3, gap * 6}) {
        for (const qreal dy : {gap * 0.75, gap * 2.5}) {
            boxes.append({QPointF(p.x() + dx, p.y() + dy), size});
            boxes.append({QPointF(p.x() - dx - size.width(), p.y() - dy - size.height()), size});
            boxes.append({QPointF(p.x() + dx, p.y() - dy - size.height()), size});
            boxes.append({QPointF(p.x() - dx - size.width(), p.y() + dy), size});
        }
    }
    return boxes;
}

} // namespace

GrowthChart::GrowthChart(QWidget *parent) : ChartView(parent) { setObjectName(QStringLiteral("growthChart")); }

QString GrowthChart::title() const { return tr("KV growth"); }

QString GrowthChart::subtitle() const
{
    if (!state().results)
        return {};
    return tr("memory of the fullest GPU over context, %n sequence(s)", nullptr,
              static_cast<int>(std::min<std::int64_t>(state().results->scenario.batch, largestBatch)));
}

QString GrowthChart::description() const
{
    if (!state().results)
        return {};
    const Results &r = *state().results;
    const Plan *plan = r.selectedPlan();
    const std::optional<Reach> reach = plan ? reachOf(*plan) : std::nullopt;
    const GrowthLine *own = ownGrowth(r);
    if (!reach || !own)
        return plan ? text::verdictSentence(*plan, state().unit) : QString();
    const QString sentence = own->crossing.value >= largestContext.value
                                 ? tr("Memory over context on %1: %2 at %3 tokens of %4 usable; no context runs out of memory.")
                                 : tr("Memory over context on %1: %2 at %3 tokens of %4 usable; out of memory beyond %5 tokens.");
    const QString filled = sentence.arg(text::name(*r.selectedCluster(), state().unit), text::bytes(reach->at, state().unit),
                                        text::tokens(r.scenario.context), text::bytes(reach->limit, state().unit));
    return own->crossing.value >= largestContext.value ? filled : filled.arg(text::tokens(own->crossing));
}

ChartTable GrowthChart::table(CellStyle style) const
{
    ChartTable result;
    if (!state().results)
        return result;
    const Results &r = *state().results;
    result.columns.append(tr("context (tokens)"));
    const auto &all = mode() == ChartMode::ByPrecision ? r.growthByPrecision : r.growthByCluster;
    for (const GrowthLine &line : all)
        result.columns.append(text::byteHead(lineName(r, mode(), line.kv, line.cluster, state().unit), state().unit, style));
    for (std::size_t i = 0; i < r.contexts.size(); ++i) {
        QStringList row{text::cell(r.contexts[i], style)};
        for (const GrowthLine &line : all)
            row.append(i < line.total.size() ? text::cell(line.total[i], state().unit, style) : QString());
        result.rows.push_back(row);
    }
    return result;
}

double GrowthChart::valueOf(Bytes bytes) const { return inUnit(bytes, state().unit); }

void GrowthChart::draw()
{
    m_drawing = {};
    if (!state().results)
        return;
    m_drawing = growthDrawing(state(), mode());
    m_x.low = 0;
    m_x.high = m_xEnd.update(m_drawing.furthest, StickyEnd::Steps::Binary);
    m_x.title = tr("context per sequence (tokens)");

    double top = m_drawing.highest, highest = 0;
    for (const auto &[line, drawn] : m_drawing.lines) {
        if (drawn.main || mode() == ChartMode::ByCluster) {
            for (const QPointF &p : drawn.points)
                highest = p.x() <= m_x.high ? std::max(highest, p.y()) : highest;
        }
    }
    top = std::max(top, m_drawing.capacities.isEmpty() ? highest * 1.1 : std::min(highest * 1.1, top * 1.6));
    m_y.low = 0;
    m_y.high = m_yEnd.update(top, StickyEnd::Steps::Decimal);
    m_y.title = tr("memory (%1)").arg(text::unitName(state().unit));

    for (const auto &[line, drawn] : m_drawing.lines) {
        DrawnLine cut = drawn;
        cut.points = cutTo(drawn.points, m_x, m_y);
        m_lines.append(cut);
    }
}

void GrowthChart::makeTicks(QSizeF room)
{
    m_x.ticks.clear();
    for (const double at :
         binaryTicks(m_x.high, std::max(2, static_cast<int>((room.width() - 60) / (textSize(QStringLiteral("128K")).width() + 28)))))
        m_x.ticks.append({at, text::tokensShort({static_cast<std::int64_t>(at)})});
    m_y.ticks.clear();
    const QLocale locale;
    const QList<double> ticks = decimalTicks(m_y.high, std::max(2, static_cast<int>((room.height() - 60) / 28)));
    const double step = ticks.size() > 1 ? ticks[1] : 1;
    const int decimals =
        step >= 1 && step == std::floor(step) ? 0 : std::max(1, static_cast<int>(std::ceil(-std::log10(step) + (step >= 1 ? 1 : 0))));
    for (const double at : ticks)
        m_y.ticks.append({at, locale.toString(at, 'f', decimals)});
}

qreal GrowthChart::levelOf(Bytes bytes) const { return toPixel({0, valueOf(bytes)}).y(); }

/// Words are placed the most important first.
void GrowthChart::arrange()
{
    const QRectF plot = plotArea();
    m_hatch.clear();
    m_crossings.clear();
    LabelPlacer placer(plot.adjusted(2, 2, -2, -2));
    for (const DrawnLine &line : lines())
        placer.avoid(pixels(line.points));
    for (const GrowthDrawing::Capacity &capacity : m_drawing.capacities) {
        const qreal level = std::clamp(levelOf(capacity.bytes), plot.top() - 1, plot.bottom());
        placer.avoid(QList<QPointF>{{plot.left(), level}, {plot.right(), level}});
    }
    if (m_drawing.point)
        placer.avoid(QRectF(toPixel(*m_drawing.point) - QPointF(10, 10), QSizeF(20, 20)));
    for (const GrowthDrawing::Crossing &crossing : m_drawing.crossings) {
        if (crossing.at.x() > m_x.high)
            continue;
        m_crossings.append(crossing);
        placer.avoid(QRectF(toPixel(crossing.at) - QPointF(markRadius, markRadius), QSizeF(2 * markRadius, 2 * markRadius)));
    }
    const Plan *plan = state().results ? state().results->selectedPlan() : nullptr;
    if (plan && !reachOf(*plan))
        addNotice(placer, text::verdictSentence(*plan, state().unit));
    addCapacityWords(placer);
    nameLines(placer);
    addCrossings(placer);
    addRegion(placer);
}

void GrowthChart::addCapacityWords(LabelPlacer &placer)
{
    const QRectF plot = plotArea();
    for (const GrowthDrawing::Capacity &capacity : m_drawing.capacities) {
        const QString words =
            (capacity.pooled ? tr("%1: KV pool full at %2", "name of a GPU, its memory") : tr("%1: %2 usable", "name of a GPU, its memory"))
                .arg(capacity.name, text::bytes(capacity.bytes, state().unit));
        const QSizeF size = textSize(words) + QSizeF(6, 0);
        const qreal y = std::clamp(levelOf(capacity.bytes), plot.top() - 1, plot.bottom());
        QList<QRectF> boxes;
        for (const qreal top : {y - size.height() - 2, y + 2}) {
            for (qreal x = plot.left() + 4; x + size.width() < plot.right(); x += 16)
                boxes.append({QPointF(x, top), size});
        }
        addWord(placer, boxes, words, capacity.look < 0 ? theme().outOfMemory : theme().seriesLook(capacity.look).text, false, true);
    }
}

void GrowthChart::addCrossings(LabelPlacer &placer)
{
    for (const GrowthDrawing::Crossing &crossing : m_crossings) {
        const QString words = crossing.main ? tr("%1 tokens fit").arg(text::tokens(crossing.tokens)) : text::tokens(crossing.tokens);
        addWord(placer, boxesAround(toPixel(crossing.at), textSize(words) + QSizeF(6, 0)), words, theme().muted, false);
    }
}

/// Out of memory lies above the selected cluster's capacity and what its range allows beyond.
QRectF GrowthChart::lostRegion() const
{
    const QRectF plot = plotArea();
    if (!m_drawing.outOfMemory)
        return {};
    return {plot.topLeft(), QPointF(plot.right(), std::clamp(toPixel({0, *m_drawing.outOfMemory}).y(), plot.top(), plot.bottom()))};
}

void GrowthChart::addRegion(LabelPlacer &placer)
{
    const QRectF above = lostRegion();
    if (above.isEmpty())
        return;
    m_hatch = hatchLines(QPolygonF(above), 9, true);
    const QString words = tr("out of memory");
    const QSizeF size = textSize(words) + QSizeF(8, 0);
    QList<QRectF> boxes;
    for (qreal y = above.top() + 6; y + size.height() < above.bottom() - 4; y += 10) {
        for (qreal x = above.left() + 6; x + size.width() < above.right(); x += 24)
            boxes.append({QPointF(x, y), size});
    }
    addWord(placer, boxes, words, theme().outOfMemory, false);
}

void GrowthChart::paintUnder(QPainter &painter) const
{
    const QRectF above = lostRegion();
    if (above.isEmpty())
        return;
    painter.fillRect(above, theme().outOfMemoryTint);
    QColor ink = theme().outOfMemory;
    ink.setAlphaF(0.16F);
    painter.setPen(QPen(ink, 1));
    painter.drawLines(m_hatch);
}

void GrowthChart::paintOver(QPainter &painter) const
{
    const QRectF plot = plotArea();
    const auto drawLevel = [&](Bytes bytes, const QColor &colour, qreal width, const QList<qreal> &dashes) {
        const qreal y = levelOf(bytes);
        if (y < plot.top() || y > plot.bottom())
            return;
        QPen pen(colour, width);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(dashes);
        painter.setPen(pen);
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y));
    };
    const std::optional<GrowthDrawing::Capacity> &pinned = m_drawing.pinnedCapacity;
    if (pinned && (m_drawing.capacities.isEmpty() || m_drawing.capacities.first().bytes != pinned->bytes))
        drawLevel(pinned->bytes, theme().ghost, 1.2, {4, 4});
    for (const GrowthDrawing::Capacity &capacity : m_drawing.capacities)
        drawLevel(capacity.bytes, capacity.look < 0 ? theme().outOfMemory : theme().seriesLook(capacity.look).line, 1.6, {6, 3});
    for (const GrowthDrawing::Crossing &crossing : m_crossings) {
        const qreal radius = crossing.main ? markRadius + 0.5 : markRadius - 0.5;
        painter.setPen(QPen(theme().card, 1));
        painter.setBrush(crossing.main ? theme().outOfMemory : theme().seriesLook(crossing.look).line);
        painter.drawEllipse(toPixel(crossing.at), radius, radius);
    }
    const auto inPlot = [&](const std::optional<QPointF> &p) { return p && p->x() <= m_x.high && p->y() <= m_y.high; };
    if (inPlot(m_drawing.pinnedPoint)) {
        painter.setPen(QPen(theme().ghost, 2));
        painter.setBrush(theme().card);
        drawMarker(painter, Marker::Diamond, toPixel(*m_drawing.pinnedPoint), 4.5);
    }
    if (inPlot(m_drawing.point)) {
        const QPointF p = toPixel(*m_drawing.point);
        painter.setPen(QPen(theme().accent, 1, Qt::DotLine));
        painter.drawLine(QLineF(p, QPointF(p.x(), plot.bottom())));
        painter.setPen(QPen(theme().accent, 3));
        painter.setBrush(theme().card);
        painter.drawEllipse(p, 6, 6);
    }
}

std::optional<Spot> GrowthChart::spotAt(QPointF value) const
{
    if (!state().results || state().results->contexts.empty())
        return std::nullopt;
    const Results &r = *state().results;
    std::size_t best = 0;
    for (std::size_t i = 0; i < r.contexts.size(); ++i) {
        const auto off = [&](std::size_t k) { return std::abs(static_cast<double>(r.contexts[k].value) - value.x()); };
        if (off(i) < off(best) && static_cast<double>(r.contexts[i].value) <= m_x.high)
            best = i;
    }
    Spot spot;
    spot.head = tr("%1 tokens").arg(text::tokens(r.contexts[best]));
    double y = 0;
    std::vector<std::pair<Bytes, Spot::Row>> figures;
    for (const auto &[line, drawn] : m_drawing.lines) {
        if (drawn.ghost || best >= line->total.size())
            continue;
        figures.emplace_back(line->total[best],
                             Spot::Row{drawn.name, text::bytes(line->total[best], state().unit), drawn.look, drawn.main});
        if (drawn.main)
            y = valueOf(line->total[best]);
    }
    for (const GrowthDrawing::Capacity &capacity : m_drawing.capacities)
        figures.emplace_back(
            capacity.bytes,
            Spot::Row{capacity.name,
                      (capacity.pooled ? tr("pool full at %1") : tr("%1 usable")).arg(text::bytes(capacity.bytes, state().unit)), -1,
                      false});
    // As the lines lie, the highest first.
    std::stable_sort(figures.begin(), figures.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    for (const auto &[bytes, row] : figures)
        spot.rows.append(row);
    spot.at = {static_cast<double>(r.contexts[best].value), std::min(y, m_y.high)};
    return spot;
}

bool GrowthChart::arrowKey(int key, bool fine)
{
    if ((key != Qt::Key_Left && key != Qt::Key_Right) || !state().results || state().results->contexts.empty())
        return false;
    const auto &contexts = state().results->contexts;
    const double from = spot() ? spot()->at.x() : static_cast<double>(state().results->scenario.context.value);
    if (!spot()) {
        showSpot(spotAt({from, 0}));
        return true;
    }
    std::ptrdiff_t at =
        std::lower_bound(contexts.begin(), contexts.end(), from, [](TokenCount c, double x) { return static_cast<double>(c.value) < x; }) -
        contexts.begin();
    at += (key == Qt::Key_Right ? 1 : -1) * (fine ? 1 : 6);
    at = std::clamp<std::ptrdiff_t>(at, 0, static_cast<std::ptrdiff_t>(contexts.size()) - 1);
    showSpot(spotAt({static_cast<double>(contexts[static_cast<std::size_t>(at)].value), 0}));
    setAccessibleDescription(spot() ? spot()->sentence() : description());
    return true;
}

std::optional<Scenario> GrowthChart::scenarioAt(QPointF value) const
{
    if (!state().results)
        return std::nullopt;
    Scenario scenario = state().results->scenario;
    scenario.context = roundTokens(value.x());
    return scenario;
}

} // namespace kvscope
