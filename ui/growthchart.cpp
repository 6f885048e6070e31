// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/growthchart.h"

#include "ui/hatch.h"
#include "ui/tokenscale.h"

#include <QLocale>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

bool hasCapacity(const Plan &plan) { return plan.verdict != Verdict::Refused && plan.binding(); }

/// What the lines say of the plan's own context, and what they may reach. A pool is taken whole, whatever is asked of it: the lines tell what is
/// needed, and their limit is the full pool.
struct Reach {
    Bytes at, limit;
    bool pooled = false;
};

/// The plan has a capacity.
Reach reachOf(const Plan &plan)
{
    const DevicePlan &device = *plan.binding();
    const Bytes pool = device.used[Part::Kv];
    if (!plan.pool && !(device.kvNeeded.value > 0 && pool > device.kvNeeded))
        return {device.total, device.budget};
    return {device.total - pool + device.kvNeeded, std::min(device.total, device.budget), true};
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
    const GrowthLine *own = ownGrowth(r);
    if (!plan || !hasCapacity(*plan) || !own)
        return plan ? text::verdictSentence(*plan, state().unit) : QString();
    const QString sentence = own->crossing.value >= largestContext.value
                                 ? tr("Memory over context on %1: %2 at %3 tokens of %4 usable; no context runs out of memory.")
                                 : tr("Memory over context on %1: %2 at %3 tokens of %4 usable; out of memory beyond %5 tokens.");
    const QString filled = sentence.arg(text::name(*r.selectedCluster(), state().unit), text::bytes(reachOf(*plan).at, state().unit),
                                        text::tokens(r.scenario.context), text::bytes(reachOf(*plan).limit, state().unit));
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

double GrowthChart::inUnit(Bytes bytes) const
{
    return static_cast<double>(bytes.value) / static_cast<double>(state().unit == text::Unit::GB ? bytesPerGB : bytesPerGiB);
}

DrawnLine GrowthChart::lineOf(const GrowthLine &line, const QString &name) const
{
    DrawnLine result;
    result.name = name;
    const auto &contexts = state().results->contexts;
    for (std::size_t i = 0; i < contexts.size() && i < line.total.size(); ++i) {
        if (!line.total[i].tooLarge())
            result.points.append({static_cast<double>(contexts[i].value), inUnit(line.total[i])});
    }
    return result;
}

void GrowthChart::addLines()
{
    // The same engine on the same number of cards needs the same memory: such lines are one, named after all.
    std::vector<int> merged;
    for (const LineChoice &choice : chooseLines(*state().results, mode(), state().unit)) {
        const auto same =
            std::find_if(m_drawn.begin(), m_drawn.end(), [&](const auto &drawn) { return drawn.first->total == choice.growth->total; });
        if (same != m_drawn.end()) {
            ++merged[static_cast<std::size_t>(same - m_drawn.begin())];
            if (choice.main) {
                same->second.main = true;
                same->second.look = choice.look;
            }
            continue;
        }
        DrawnLine line = lineOf(*choice.growth, choice.name);
        line.look = choice.look;
        line.main = choice.main;
        m_drawn.emplace_back(choice.growth, line);
        merged.push_back(0);
    }
    if (mode() == ChartMode::ByPrecision)
        return;
    for (std::size_t i = 0; i < m_drawn.size(); ++i) {
        if (m_drawn.size() == 1)
            m_drawn[i].second.name = tr("needed");
        else if (merged[i] > 0)
            m_drawn[i].second.name = tr("%1 and %n more", "name of a GPU", merged[i]).arg(m_drawn[i].second.name);
    }
    std::stable_partition(m_drawn.begin(), m_drawn.end(), [](const auto &drawn) { return !drawn.second.main; });
}

void GrowthChart::addGhost()
{
    m_pinnedPoint.reset();
    m_pinnedCapacity.reset();
    if (!state().pinned)
        return;
    const Results &p = *state().pinned;
    const Plan *plan = p.selectedPlan();
    const GrowthLine *own = ownGrowth(p);
    if (!plan || !hasCapacity(*plan) || !own)
        return;
    DrawnLine ghost;
    ghost.name = tr("pinned");
    ghost.ghost = true;
    for (std::size_t i = 0; i < p.contexts.size() && i < own->total.size(); ++i)
        ghost.points.append({static_cast<double>(p.contexts[i].value), inUnit(own->total[i])});
    m_drawn.emplace_back(own, ghost);
    m_pinnedPoint = QPointF(static_cast<double>(p.scenario.context.value), inUnit(reachOf(*plan).at));
    m_pinnedCapacity = Capacity{tr("pinned"), reachOf(*plan).limit, -1};
}

void GrowthChart::draw()
{
    m_capacities.clear();
    m_drawn.clear();
    m_point.reset();
    m_pinnedPoint.reset();
    m_pinnedCapacity.reset();
    if (!state().results)
        return;
    const Results &r = *state().results;
    const Plan *selected = r.selectedPlan();
    addLines();
    addGhost();

    for (std::size_t i = 0; i < r.plans.size(); ++i) {
        if (!hasCapacity(r.plans[i]) || (mode() == ChartMode::ByPrecision && &r.plans[i] != selected))
            continue;
        const bool only = mode() == ChartMode::ByPrecision || r.plans.size() == 1;
        const Reach reach = reachOf(r.plans[i]);
        m_capacities.append({text::name(r.scenario.clusters[i], state().unit), reach.limit, only ? -1 : static_cast<int>(i), reach.pooled});
    }
    if (selected && hasCapacity(*selected))
        m_point = QPointF(static_cast<double>(r.scenario.context.value), inUnit(reachOf(*selected).at));

    // As far as the trained length or half again what fits, whichever is less; always past the operating point.
    const double context = static_cast<double>(r.scenario.context.value);
    double wanted = r.contexts.empty() ? 1 : static_cast<double>(r.contexts.back().value);
    if (r.scenario.model && r.scenario.model->trainedContext.value > 0)
        wanted = std::min(wanted, static_cast<double>(r.scenario.model->trainedContext.value));
    std::int64_t crossing = 0;
    if (mode() == ChartMode::ByCluster) {
        for (const GrowthLine &line : r.growthByCluster)
            crossing = std::max(crossing, line.crossing.value);
    } else if (const GrowthLine *own = ownGrowth(r)) {
        crossing = own->crossing.value;
    }
    if (crossing > 0)
        wanted = std::min(wanted, static_cast<double>(crossing) * 1.6);
    m_x.low = 0;
    m_x.high = m_xEnd.update(std::max({wanted, context, 1024.0}), StickyEnd::Steps::Binary);
    m_x.title = tr("context per sequence (tokens)");

    double top = m_point ? m_point->y() * 1.15 : 0;
    for (const Capacity &capacity : m_capacities)
        top = std::max(top, inUnit(capacity.bytes) * (m_capacities.size() > 1 ? 1.1 : 1.2));
    double highest = 0;
    for (const auto &[line, drawn] : m_drawn) {
        if (drawn.main || mode() == ChartMode::ByCluster) {
            for (const QPointF &p : drawn.points)
                highest = p.x() <= m_x.high ? std::max(highest, p.y()) : highest;
        }
    }
    top = std::max(top, m_capacities.isEmpty() ? highest * 1.1 : std::min(highest * 1.1, top * 1.6));
    m_y.low = 0;
    m_y.high = m_yEnd.update(top, StickyEnd::Steps::Decimal);
    m_y.title = tr("memory (%1)").arg(text::unitName(state().unit));

    for (const auto &[line, drawn] : m_drawn) {
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

void GrowthChart::arrange()
{
    const QRectF plot = plotArea();
    m_hatch.clear();
    m_crossings.clear();
    LabelPlacer placer(plot.adjusted(2, 2, -2, -2));
    for (const DrawnLine &line : lines())
        placer.avoid(pixels(line.points));
    const auto level = [&](Bytes bytes) { return std::clamp(toPixel({0, inUnit(bytes)}).y(), plot.top() - 1, plot.bottom()); };
    for (const Capacity &capacity : m_capacities)
        placer.avoid(QList<QPointF>{{plot.left(), level(capacity.bytes)}, {plot.right(), level(capacity.bytes)}});
    if (m_point)
        placer.avoid(QRectF(toPixel(*m_point) - QPointF(10, 10), QSizeF(20, 20)));

    // Crossings of each line with the capacity it is held to.
    struct Crossing {
        QPointF pixel;
        TokenCount tokens;
        int look;
        bool main;
    };
    QList<Crossing> found;
    if (state().results) {
        const Results &r = *state().results;
        for (const GrowthLine &line : mode() == ChartMode::ByPrecision ? r.growthByPrecision : r.growthByCluster) {
            const auto drawn = std::find_if(m_drawn.begin(), m_drawn.end(),
                                            [&](const auto &d) { return !d.second.ghost && d.first->total == line.total; });
            const bool own =
                mode() == ChartMode::ByCluster ? line.cluster == r.scenario.selected : drawn != m_drawn.end() && drawn->second.main;
            if (drawn == m_drawn.end() || line.crossing.value <= 0 || static_cast<double>(line.crossing.value) > m_x.high)
                continue;
            const Plan &plan = r.plans[static_cast<std::size_t>(line.cluster)];
            if (!hasCapacity(plan))
                continue;
            const QPointF pixel = toPixel({static_cast<double>(line.crossing.value), inUnit(reachOf(plan).limit)});
            if (std::none_of(found.begin(), found.end(), [&](const Crossing &c) { return c.pixel == pixel; }))
                found.append({pixel, line.crossing, mode() == ChartMode::ByCluster ? line.cluster : drawn->second.look, own});
        }
        // A mixed K and V precision has no line among the precisions.
        const GrowthLine *own = ownGrowth(r);
        const Plan *plan = r.selectedPlan();
        if (own && plan && hasCapacity(*plan) && std::none_of(found.begin(), found.end(), [](const Crossing &c) { return c.main; }) &&
            own->crossing.value > 0 && static_cast<double>(own->crossing.value) <= m_x.high)
            found.append({toPixel({static_cast<double>(own->crossing.value), inUnit(reachOf(*plan).limit)}), own->crossing, 0, true});
    }
    for (const Crossing &c : found) {
        m_crossings.append({c.pixel, c.look, c.main});
        placer.avoid(QRectF(c.pixel - QPointF(4, 4), QSizeF(8, 8)));
    }

    // Words, the most important first.
    const Plan *plan = state().results ? state().results->selectedPlan() : nullptr;
    if (plan && !hasCapacity(*plan))
        addNotice(placer, text::verdictSentence(*plan, state().unit));
    const auto around = [](QPointF p, QSizeF size) {
        const qreal gap = 8;
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
    };
    for (const Capacity &capacity : m_capacities) {
        const QString words =
            (capacity.pooled ? tr("%1: KV pool full at %2", "name of a GPU, its memory") : tr("%1: %2 usable", "name of a GPU, its memory"))
                .arg(capacity.name, text::bytes(capacity.bytes, state().unit));
        const QSizeF size = textSize(words) + QSizeF(6, 0);
        const qreal y = level(capacity.bytes);
        QList<QRectF> boxes;
        for (qreal x = plot.left() + 4; x + size.width() < plot.right(); x += 16)
            boxes.append({QPointF(x, y - size.height() - 2), size});
        for (qreal x = plot.left() + 4; x + size.width() < plot.right(); x += 16)
            boxes.append({QPointF(x, y + 2), size});
        addWord(placer, boxes, words, capacity.look < 0 ? theme().outOfMemory : theme().seriesLook(capacity.look).text, false, true);
    }
    nameLines(placer);
    std::stable_partition(found.begin(), found.end(), [](const Crossing &c) { return c.main; });
    for (const Crossing &c : found) {
        const QString words = c.main ? tr("%1 tokens fit").arg(text::tokens(c.tokens)) : text::tokens(c.tokens);
        addWord(placer, around(c.pixel, textSize(words) + QSizeF(6, 0)), words, theme().muted, false);
    }

    // Out of memory lies above the selected cluster's capacity.
    if (plan && hasCapacity(*plan)) {
        const QRectF above(plot.topLeft(), QPointF(plot.right(), level(reachOf(*plan).limit)));
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
}

void GrowthChart::paintUnder(QPainter &painter) const
{
    const Plan *plan = state().results ? state().results->selectedPlan() : nullptr;
    if (!plan || !hasCapacity(*plan))
        return;
    const QRectF plot = plotArea();
    const qreal y = std::clamp(toPixel({0, inUnit(reachOf(*plan).limit)}).y(), plot.top(), plot.bottom());
    painter.fillRect(QRectF(plot.topLeft(), QPointF(plot.right(), y)), theme().outOfMemoryTint);
    QColor ink = theme().outOfMemory;
    ink.setAlphaF(0.16F);
    painter.setPen(QPen(ink, 1));
    painter.drawLines(m_hatch);
}

void GrowthChart::paintOver(QPainter &painter) const
{
    const QRectF plot = plotArea();
    const auto level = [&](Bytes bytes) { return toPixel({0, inUnit(bytes)}).y(); };
    const auto drawLevel = [&](Bytes bytes, const QColor &colour, qreal width, const QList<qreal> &dashes) {
        const qreal y = level(bytes);
        if (y < plot.top() || y > plot.bottom())
            return;
        QPen pen(colour, width);
        pen.setCapStyle(Qt::FlatCap);
        pen.setDashPattern(dashes);
        painter.setPen(pen);
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y));
    };
    if (m_pinnedCapacity && (m_capacities.isEmpty() || m_capacities.first().bytes != m_pinnedCapacity->bytes))
        drawLevel(m_pinnedCapacity->bytes, theme().ghost, 1.2, {4, 4});
    for (const Capacity &capacity : m_capacities)
        drawLevel(capacity.bytes, capacity.look < 0 ? theme().outOfMemory : theme().seriesLook(capacity.look).line, 1.6, {6, 3});
    for (const Mark &mark : m_crossings) {
        painter.setPen(QPen(theme().card, 1));
        painter.setBrush(mark.main ? theme().outOfMemory : theme().seriesLook(mark.look).line);
        painter.drawEllipse(mark.pixel, mark.main ? 4.5 : 3.5, mark.main ? 4.5 : 3.5);
    }
    const auto inPlot = [&](const std::optional<QPointF> &p) { return p && p->x() <= m_x.high && p->y() <= m_y.high; };
    if (inPlot(m_pinnedPoint)) {
        painter.setPen(QPen(theme().ghost, 2));
        painter.setBrush(theme().card);
        drawMarker(painter, Marker::Diamond, toPixel(*m_pinnedPoint), 4.5);
    }
    if (inPlot(m_point)) {
        const QPointF p = toPixel(*m_point);
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
    for (const auto &[line, drawn] : m_drawn) {
        if (drawn.ghost || best >= line->total.size())
            continue;
        figures.emplace_back(line->total[best],
                             Spot::Row{drawn.name, text::bytes(line->total[best], state().unit), drawn.look, drawn.main});
        if (drawn.main)
            y = inUnit(line->total[best]);
    }
    for (const Capacity &capacity : m_capacities)
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
