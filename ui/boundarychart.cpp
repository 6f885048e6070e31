// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/boundarychart.h"

#include "ui/hatch.h"
#include "ui/tokenscale.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

// Room below one sequence, so that a point at one does not lie on the axis.
constexpr double belowOne = -0.45;

double exponent(std::int64_t value) { return std::log2(static_cast<double>(std::max<std::int64_t>(1, value))); }

double roundedUp(double value) { return std::exp2(std::ceil(std::log2(value) - 1e-6)); }

std::int64_t sequencesAt(const Results &results, const BoundaryLine &line, TokenCount context)
{
    const auto at = std::lower_bound(results.contexts.begin(), results.contexts.end(), context) - results.contexts.begin();
    return static_cast<std::size_t>(at) < line.sequences.size() ? line.sequences[static_cast<std::size_t>(at)] : 0;
}

} // namespace

BoundaryChart::BoundaryChart(QWidget *parent) : ChartView(parent) { setObjectName(QStringLiteral("boundaryChart")); }

QString BoundaryChart::title() const { return tr("Fit / OOM boundary"); }

QString BoundaryChart::subtitle() const { return tr("drag the point to move context and concurrency"); }

QString BoundaryChart::subtitleOfPicture() const { return tr("most sequences that fit at each context"); }

QString BoundaryChart::description() const
{
    if (!state().results || !state().results->selectedPlan())
        return {};
    const Results &r = *state().results;
    const Plan &plan = *r.selectedPlan();
    if (plan.verdict == Verdict::Refused)
        return text::verdictSentence(plan, state().unit);
    return tr("At %1 tokens and %2 sequences on %3: %4; at most %5 sequences at this context, at most %6 tokens at this concurrency.")
        .arg(text::tokens(r.scenario.context), text::count(r.scenario.batch), text::name(*r.selectedCluster(), state().unit),
             text::verdictSentence(plan, state().unit), text::batchLimit(plan.limits), text::contextLimitBeyondTraining(plan.limits));
}

ChartTable BoundaryChart::table(CellStyle style) const
{
    ChartTable result;
    if (!state().results)
        return result;
    const Results &r = *state().results;
    const auto &all = mode() == ChartMode::ByPrecision ? r.boundaryByPrecision : r.boundaryByCluster;
    result.columns.append(tr("context (tokens)"));
    for (const BoundaryLine &line : all)
        result.columns.append(tr("%1 (most sequences)").arg(lineName(r, mode(), line.kv, line.cluster, state().unit)));
    for (std::size_t i = 0; i < r.contexts.size(); ++i) {
        QStringList row{text::cell(r.contexts[i], style)};
        for (const BoundaryLine &line : all)
            row.append(i < line.sequences.size() ? text::cell(line.sequences[i], style) : QString());
        result.rows.push_back(row);
    }
    return result;
}

DrawnLine BoundaryChart::lineOf(const Results &results, const BoundaryLine &line) const
{
    DrawnLine result;
    for (std::size_t i = 0; i < results.contexts.size() && i < line.sequences.size(); ++i) {
        const double x = exponent(results.contexts[i].value);
        if (line.sequences[i] < 1) {
            // Nothing fits from here on: the boundary falls to the axis.
            if (!result.points.isEmpty())
                result.points.append({result.points.last().x(), belowOne});
            break;
        }
        result.points.append({x, exponent(line.sequences[i])});
    }
    return result;
}

QPointF BoundaryChart::pointOf(const Scenario &scenario) const { return {exponent(scenario.context.value), exponent(scenario.batch)}; }

void BoundaryChart::draw()
{
    m_region.clear();
    if (!state().results)
        return;
    const Results &r = *state().results;
    const BoundaryLine *own = ownBoundary(r);

    // As far as the trained length, where memory reaches so far; always past the operating point.
    const double context = static_cast<double>(std::max<std::int64_t>(1, r.scenario.context.value));
    double wanted = r.contexts.empty() ? context : static_cast<double>(r.contexts.back().value);
    if (r.scenario.model && r.scenario.model->trainedContext.value > 0)
        wanted = std::min(wanted, static_cast<double>(r.scenario.model->trainedContext.value));
    m_x.low = std::min(9.0, std::floor(std::log2(context)));
    m_x.high = std::log2(m_xEnd.update(roundedUp(std::max({wanted, context, 8192.0})), StickyEnd::Steps::Binary, 0.3));
    m_x.title = tr("context per sequence (tokens)");

    double most = 8;
    if (own && !own->sequences.empty()) {
        const double left = static_cast<double>(sequencesAt(r, *own, {static_cast<std::int64_t>(std::exp2(m_x.low))}));
        const double here = static_cast<double>(sequencesAt(r, *own, r.scenario.context));
        most = std::max(most, std::min(left * 1.5, std::max(256.0, here * 4)));
    }
    most = std::max(most, static_cast<double>(r.scenario.batch) * 2);
    m_y.low = belowOne;
    m_y.high = std::log2(m_yEnd.update(roundedUp(most), StickyEnd::Steps::Binary, 0.2));
    m_y.title = tr("concurrency (sequences at once)");

    const auto add = [this](DrawnLine line) {
        line.points = cutTo(line.points, m_x, m_y);
        m_lines.append(line);
    };
    for (const LineChoice &choice : chooseLines(r, mode(), state().unit)) {
        if (!choice.boundary)
            continue;
        DrawnLine line = lineOf(r, *choice.boundary);
        line.name = choice.name;
        line.look = choice.look;
        line.main = choice.main;
        add(line);
    }
    if (state().pinned) {
        if (const BoundaryLine *pinned = ownBoundary(*state().pinned)) {
            DrawnLine ghost = lineOf(*state().pinned, *pinned);
            ghost.name = tr("pinned");
            ghost.ghost = true;
            add(ghost);
        }
    }
}

void BoundaryChart::makeTicks(QSizeF room)
{
    const auto fill = [](Axis &axis, int most, auto name) {
        axis.ticks.clear();
        int step = 1;
        const double first = std::ceil(axis.low);
        while ((axis.high - first) / step > most)
            ++step;
        for (double at = first; at <= axis.high + 1e-9; at += step)
            axis.ticks.append({at, name(static_cast<std::int64_t>(std::exp2(at)))});
    };
    const double wide = textSize(QStringLiteral("128K")).width() + 16;
    fill(m_x, std::max(2, static_cast<int>((room.width() - 60) / wide)), [](std::int64_t v) { return text::tokensShort({v}); });
    fill(m_y, std::max(2, static_cast<int>((room.height() - 60) / 22)), [](std::int64_t v) { return text::count(v); });
}

void BoundaryChart::arrange()
{
    m_region.clear();
    m_hatch.clear();
    if (!state().results)
        return;
    const Results &r = *state().results;
    const QRectF plot = plotArea();

    // The region under the own line, held inside the plot.
    if (const BoundaryLine *own = ownBoundary(r)) {
        const QList<QPointF> line = lineOf(r, *own).points;
        if (!line.isEmpty()) {
            const auto inside = [&](QPointF value) {
                return toPixel({std::clamp(value.x(), m_x.low, m_x.high), std::clamp(value.y(), m_y.low, m_y.high)});
            };
            m_region.append(inside({m_x.low, m_y.low}));
            m_region.append(inside({m_x.low, line.first().y()}));
            for (std::size_t i = 0; i < static_cast<std::size_t>(line.size()); ++i)
                m_region.append(inside(line[static_cast<qsizetype>(i)]));
            m_region.append(inside({line.last().x(), m_y.low}));
            m_hatch = hatchLines(m_region, 9, false);
        }
    }

    LabelPlacer placer(plot.adjusted(2, 2, -2, -2));
    for (const DrawnLine &line : lines())
        placer.avoid(pixels(line.points));
    placer.avoid(QRectF(toPixel(pointOf(r.scenario)) - QPointF(12, 12), QSizeF(24, 24)));
    const Plan *plan = r.selectedPlan();
    const bool refused = plan && plan->verdict == Verdict::Refused;
    if (refused)
        addNotice(placer, text::verdictSentence(*plan, state().unit));
    nameLines(placer);
    if (refused)
        return;
    // The first free place on a grid, from the corner that belongs to the word.
    const auto placeWord = [&](const QString &words, const QColor &colour, bool fromTopRight, auto accept) {
        const QSizeF size = textSize(words) + QSizeF(8, 0);
        for (qreal v = 10; v + size.height() < plot.height() - 6; v += 12) {
            for (qreal u = 12; u + size.width() < plot.width() - 6; u += 20) {
                const QRectF box(fromTopRight ? QPointF(plot.right() - u - size.width(), plot.top() + v)
                                              : QPointF(plot.left() + u, plot.bottom() - v - size.height()),
                                 size);
                if (placer.isFree(box) && accept(box)) {
                    addWord(placer, {box}, words, colour, false);
                    return;
                }
            }
        }
    };
    const auto within = [this](QPointF p) { return m_region.containsPoint(p, Qt::OddEvenFill); };
    placeWord(tr("out of memory"), theme().outOfMemory, true, [&](const QRectF &box) { return !within(box.bottomLeft()); });
    if (!m_region.isEmpty()) {
        placeWord(tr("fits on %1").arg(text::name(*r.selectedCluster(), state().unit)), theme().look(Verdict::Fits).text, false,
                  [&](const QRectF &box) { return within(box.topRight()) && within(box.bottomLeft()); });
    }
}

void BoundaryChart::paintUnder(QPainter &painter) const
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().fitTint);
    painter.drawPolygon(m_region);
    QColor ink = theme().look(Verdict::Fits).text;
    ink.setAlphaF(0.14F);
    painter.setPen(QPen(ink, 1));
    painter.drawLines(m_hatch);
}

void BoundaryChart::paintOver(QPainter &painter) const
{
    if (!state().results)
        return;
    const QRectF plot = plotArea();
    const auto shown = [&](QPointF p) { return p.x() >= m_x.low && p.x() <= m_x.high && p.y() <= m_y.high; };
    if (state().pinned && shown(pointOf(state().pinned->scenario))) {
        painter.setPen(QPen(theme().ghost, 2));
        painter.setBrush(theme().card);
        drawMarker(painter, Marker::Diamond, toPixel(pointOf(state().pinned->scenario)), 5);
    }
    const QPointF value = pointOf(state().results->scenario);
    if (!shown(value))
        return;
    const QPointF p = toPixel(value);
    painter.setPen(QPen(theme().accent, 1, Qt::DotLine));
    painter.drawLine(QLineF(p, QPointF(p.x(), plot.bottom())));
    painter.drawLine(QLineF(p, QPointF(plot.left(), p.y())));
    const Plan *plan = state().results->selectedPlan();
    const bool fits = plan && (plan->verdict == Verdict::Fits || plan->verdict == Verdict::Tight);
    painter.setPen(QPen(fits ? theme().accent : theme().outOfMemory, 3));
    painter.setBrush(theme().card);
    painter.drawEllipse(p, 7, 7);
    if (!fits)
        drawMarker(painter, Marker::Cross, p, 2.5);
}

std::optional<Spot> BoundaryChart::spotAt(QPointF value) const
{
    if (!state().results || state().results->contexts.empty())
        return std::nullopt;
    const Results &r = *state().results;
    std::size_t best = 0;
    const auto off = [&](std::size_t i) { return std::abs(exponent(r.contexts[i].value) - value.x()); };
    for (std::size_t i = 1; i < r.contexts.size(); ++i) {
        if (off(i) < off(best))
            best = i;
    }
    Spot spot;
    spot.head = tr("%1 tokens: at most").arg(text::tokens(r.contexts[best]));
    spot.at = {std::clamp(exponent(r.contexts[best].value), m_x.low, m_x.high), m_y.low};
    std::vector<std::pair<std::int64_t, Spot::Row>> rows;
    for (const LineChoice &choice : chooseLines(r, mode(), state().unit)) {
        if (!choice.boundary || best >= choice.boundary->sequences.size())
            continue;
        const std::int64_t sequences = choice.boundary->sequences[best];
        const QString words =
            sequences < 1 ? tr("out of memory") : tr("%n sequence(s)", nullptr, static_cast<int>(std::min(sequences, largestBatch)));
        rows.emplace_back(sequences, Spot::Row{choice.name, words, choice.look, choice.main});
        if (choice.main && sequences >= 1)
            spot.at.setY(std::min(exponent(sequences), m_y.high));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    for (const auto &[sequences, row] : rows)
        spot.rows.append(row);
    const Plan *plan = r.selectedPlan();
    if (plan && r.contexts[best] == r.scenario.context) {
        spot.rows.append({tr("now: %n sequence(s)", nullptr, static_cast<int>(std::min(r.scenario.batch, largestBatch))),
                          text::verdictSentence(*plan, state().unit), -1, false});
    }
    return spot;
}

std::optional<QPointF> BoundaryChart::handle() const
{
    return state().results ? std::optional(pointOf(state().results->scenario)) : std::nullopt;
}

void BoundaryChart::requestPoint(std::int64_t context, std::int64_t batch)
{
    Scenario scenario = state().results->scenario;
    scenario.context = {std::clamp<std::int64_t>(context, 1, largestContext.value)};
    scenario.batch = std::clamp<std::int64_t>(batch, 1, largestBatch);
    request(scenario);
    showSpot(spotAt(pointOf(scenario)));
}

bool BoundaryChart::arrowKey(int key, bool fine)
{
    if (!state().results)
        return false;
    const Scenario &now = state().results->scenario;
    switch (key) {
    case Qt::Key_Left: requestPoint(stepBinary(now.context.value, -1, fine), now.batch); break;
    case Qt::Key_Right: requestPoint(stepBinary(now.context.value, 1, fine), now.batch); break;
    case Qt::Key_Up: requestPoint(now.context.value, fine ? now.batch + 1 : stepBinary(now.batch, 1, false)); break;
    case Qt::Key_Down: requestPoint(now.context.value, fine ? now.batch - 1 : stepBinary(now.batch, -1, false)); break;
    default: return false;
    }
    return true;
}

std::optional<Scenario> BoundaryChart::scenarioAt(QPointF value) const
{
    if (!state().results)
        return std::nullopt;
    Scenario scenario = state().results->scenario;
    scenario.context = roundTokens(std::exp2(value.x()));
    scenario.batch = std::clamp<std::int64_t>(std::llround(std::exp2(value.y())), 1, largestBatch);
    return scenario;
}

} // namespace kvscope
