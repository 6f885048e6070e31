// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/growthlines.h"

#include "core/reach.h"
#include "ui/axis.h"
#include "ui/growthchart.h"

#include <algorithm>

namespace kvscope {

namespace {

using Drawn = std::pair<const GrowthLine *, DrawnLine>;

DrawnLine lineOf(const GrowthLine &line, const Results &of, text::Unit unit)
{
    DrawnLine result;
    for (std::size_t i = 0; i < of.contexts.size() && i < line.total.size(); ++i) {
        if (!line.total[i].tooLarge())
            result.points.append({static_cast<double>(of.contexts[i].value), inUnit(line.total[i], unit)});
    }
    return result;
}

/// The same engine on the same number of cards needs the same memory: such lines are one, named after all.
std::vector<Drawn> linesOf(const ViewState &state, ChartMode mode)
{
    std::vector<Drawn> lines;
    std::vector<int> merged;
    for (const LineChoice &choice : chooseLines(*state.results, mode, state.unit)) {
        const auto same = std::ranges::find_if(lines, [&](const Drawn &drawn) { return drawn.first->total == choice.growth->total; });
        if (same != lines.end()) {
            ++merged[static_cast<std::size_t>(same - lines.begin())];
            if (choice.main) {
                same->second.main = true;
                same->second.look = choice.look;
            }
            continue;
        }
        DrawnLine line = lineOf(*choice.growth, *state.results, state.unit);
        line.name = choice.name;
        line.look = choice.look;
        line.main = choice.main;
        lines.emplace_back(choice.growth, std::move(line));
        merged.push_back(0);
    }
    if (mode == ChartMode::ByPrecision)
        return lines;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines.size() == 1)
            lines[i].second.name = GrowthChart::tr("needed");
        else if (merged[i] > 0)
            lines[i].second.name = GrowthChart::tr("%1 and %n more", "name of a GPU", merged[i]).arg(lines[i].second.name);
    }
    std::stable_partition(lines.begin(), lines.end(), [](const Drawn &drawn) { return !drawn.second.main; });
    return lines;
}

void addGhost(GrowthDrawing &drawing, const ViewState &state)
{
    const Results &pinned = *state.pinned;
    const Plan *plan = pinned.selectedPlan();
    const std::optional<Reach> reach = plan ? reachOf(*plan) : std::nullopt;
    const GrowthLine *own = ownGrowth(pinned);
    if (!reach || !own)
        return;
    DrawnLine ghost = lineOf(*own, pinned, state.unit);
    ghost.name = GrowthChart::tr("pinned");
    ghost.ghost = true;
    drawing.lines.emplace_back(own, std::move(ghost));
    drawing.pinnedPoint = QPointF(static_cast<double>(pinned.scenario.context.value), inUnit(reach->at, state.unit));
    drawing.pinnedCapacity = GrowthDrawing::Capacity{GrowthChart::tr("pinned"), reach->limit};
}

void addCapacities(GrowthDrawing &drawing, const ViewState &state, ChartMode mode)
{
    const Results &r = *state.results;
    const auto selected = static_cast<std::size_t>(r.scenario.selected);
    for (std::size_t i = 0; i < r.plans.size(); ++i) {
        const std::optional<Reach> reach = reachOf(r.plans[i]);
        if (!reach)
            continue;
        if (i == selected)
            drawing.point = QPointF(static_cast<double>(r.scenario.context.value), inUnit(reach->at, state.unit));
        if (mode == ChartMode::ByPrecision && i != selected)
            continue;
        const bool only = mode == ChartMode::ByPrecision || r.plans.size() == 1;
        drawing.capacities.append(
            {text::name(r.scenario.clusters[i], state.unit), reach->limit, only ? -1 : static_cast<int>(i), reach->pooled});
    }
}

/// The line between its samples; empty beyond them.
std::optional<double> valueAt(const GrowthLine &line, const Results &of, TokenCount context, text::Unit unit)
{
    const auto after = std::ranges::lower_bound(of.contexts, context);
    const auto i = static_cast<std::size_t>(after - of.contexts.begin());
    if (after == of.contexts.end() || i >= line.total.size() || line.total[i].tooLarge())
        return {};
    const double end = inUnit(line.total[i], unit);
    if (i == 0 || *after == context)
        return end;
    const double begin = inUnit(line.total[i - 1], unit);
    const double from = static_cast<double>(of.contexts[i - 1].value), to = static_cast<double>(after->value);
    return begin + (end - begin) * (static_cast<double>(context.value) - from) / (to - from);
}

/// Each on its line: beyond the capacity by as much as its range allows.
void addCrossings(GrowthDrawing &drawing, const ViewState &state, ChartMode mode)
{
    const Results &r = *state.results;
    const auto add = [&](const GrowthLine &line, int look, bool main) {
        const std::optional<Reach> reach = reachOf(r.plans[static_cast<std::size_t>(line.cluster)]);
        if (!reach || line.crossing.value <= 0)
            return;
        const double limit = inUnit(reach->limit, state.unit);
        const QPointF at(static_cast<double>(line.crossing.value), valueAt(line, r, line.crossing, state.unit).value_or(limit));
        if (std::ranges::none_of(drawing.crossings, [at](const auto &other) { return other.at == at; }))
            drawing.crossings.append({at, line.crossing, look, main});
    };
    for (const GrowthLine &line : mode == ChartMode::ByPrecision ? r.growthByPrecision : r.growthByCluster) {
        const auto drawn = std::ranges::find_if(
            drawing.lines, [&](const Drawn &other) { return !other.second.ghost && other.first->total == line.total; });
        if (drawn == drawing.lines.end())
            continue;
        if (mode == ChartMode::ByCluster)
            add(line, line.cluster, line.cluster == r.scenario.selected);
        else
            add(line, drawn->second.look, drawn->second.main);
    }
    // A mixed K and V precision has no line among the precisions.
    const GrowthLine *own = ownGrowth(r);
    if (own && std::ranges::none_of(drawing.crossings, &GrowthDrawing::Crossing::main))
        add(*own, 0, true);
    std::ranges::stable_partition(drawing.crossings, &GrowthDrawing::Crossing::main);

    const Plan *plan = r.selectedPlan();
    const std::optional<Reach> reach = plan ? reachOf(*plan) : std::nullopt;
    if (!reach)
        return;
    drawing.outOfMemory = inUnit(reach->limit, state.unit);
    if (own && own->crossing.value > 0)
        drawing.outOfMemory = std::max(*drawing.outOfMemory, valueAt(*own, r, own->crossing, state.unit).value_or(0));
}

/// As far as the trained length or half again what fits, whichever is less; always past the operating point.
double furthestOf(const Results &r, ChartMode mode)
{
    double wanted = r.contexts.empty() ? 1 : static_cast<double>(r.contexts.back().value);
    if (r.scenario.model && r.scenario.model->trainedContext.value > 0)
        wanted = std::min(wanted, static_cast<double>(r.scenario.model->trainedContext.value));
    std::int64_t crossing = 0;
    if (mode == ChartMode::ByCluster) {
        for (const GrowthLine &line : r.growthByCluster)
            crossing = std::max(crossing, line.crossing.value);
    } else if (const GrowthLine *own = ownGrowth(r)) {
        crossing = own->crossing.value;
    }
    if (crossing > 0)
        wanted = std::min(wanted, static_cast<double>(crossing) * 1.6);
    return std::max({wanted, static_cast<double>(r.scenario.context.value), 1024.0});
}

} // namespace

GrowthDrawing growthDrawing(const ViewState &state, ChartMode mode)
{
    GrowthDrawing drawing;
    drawing.lines = linesOf(state, mode);
    if (state.pinned)
        addGhost(drawing, state);
    addCapacities(drawing, state, mode);
    addCrossings(drawing, state, mode);
    drawing.furthest = furthestOf(*state.results, mode);
    drawing.highest = drawing.point ? drawing.point->y() * 1.15 : 0;
    for (const GrowthDrawing::Capacity &capacity : drawing.capacities)
        drawing.highest = std::max(drawing.highest, inUnit(capacity.bytes, state.unit) * (drawing.capacities.size() > 1 ? 1.1 : 1.2));
    return drawing;
}

} // namespace kvscope
