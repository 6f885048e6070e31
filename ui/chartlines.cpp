// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chartlines.h"

#include <algorithm>

namespace kvscope {

namespace {

constexpr double nearRatio = 0.8;

// Bytes that a line gains from the first sample to the last.
double growthOf(const LineChoice &choice)
{
    return static_cast<double>((choice.growth->total.back() - choice.growth->total.front()).value);
}

// One of a band: the scenario's own, else the one that most others equal, else the widest.
const LineChoice &representative(const LineChoice *first, const LineChoice *last)
{
    const LineChoice *best = first;
    std::ptrdiff_t most = 0;
    for (const LineChoice *at = first; at != last; ++at) {
        if (at->main)
            return *at;
        const std::ptrdiff_t equal =
            std::count_if(first, last, [at](const LineChoice &other) { return other.growth->total == at->growth->total; });
        if (equal > most) {
            best = at;
            most = equal;
        }
    }
    return *best;
}

template<typename Line>
const Line *ofCluster(const std::vector<Line> &lines, int cluster)
{
    const auto found = std::find_if(lines.begin(), lines.end(), [cluster](const Line &line) { return line.cluster == cluster; });
    return found == lines.end() ? nullptr : &*found;
}

std::vector<LineChoice> byPrecision(const Results &r, text::Unit unit)
{
    std::vector<LineChoice> all;
    LineChoice own{ownGrowth(r), ownBoundary(r), text::kvName(r.scenario), 0, true};
    const bool alike = keyFormat(r.scenario) == valueFormat(r.scenario);
    for (std::size_t i = 0; i < r.growthByPrecision.size(); ++i) {
        const GrowthLine &line = r.growthByPrecision[i];
        if (!line.kv || line.total.empty() || (own.growth && alike && *line.kv == keyFormat(r.scenario)))
            continue;
        const BoundaryLine *boundary = i < r.boundaryByPrecision.size() ? &r.boundaryByPrecision[i] : nullptr;
        all.push_back({&line, boundary, lineName(r, ChartMode::ByPrecision, line.kv, line.cluster, unit), 0, false});
    }
    if (own.growth && !own.growth->total.empty())
        all.push_back(own);
    std::stable_sort(all.begin(), all.end(), [](const LineChoice &a, const LineChoice &b) { return growthOf(a) > growthOf(b); });
    std::vector<LineChoice> result;
    for (std::size_t first = 0; first < all.size();) {
        std::size_t last = first + 1;
        while (last < all.size() && growthOf(all[last]) >= growthOf(all[first]) * nearRatio)
            ++last;
        result.push_back(representative(all.data() + first, all.data() + last));
        result.back().look = static_cast<int>(result.size()) - 1;
        first = last;
    }
    return result;
}

} // namespace

const GrowthLine *ownGrowth(const Results &results) { return ofCluster(results.growthByCluster, results.scenario.selected); }

const BoundaryLine *ownBoundary(const Results &results) { return ofCluster(results.boundaryByCluster, results.scenario.selected); }

QString lineName(const Results &results, ChartMode mode, std::optional<Format> kv, int cluster, text::Unit unit)
{
    if (mode == ChartMode::ByPrecision)
        return kv ? text::name(*kv) : text::kvName(results.scenario);
    return text::name(results.scenario.clusters[static_cast<std::size_t>(cluster)], unit);
}

std::vector<LineChoice> chooseLines(const Results &results, ChartMode mode, text::Unit unit)
{
    std::vector<LineChoice> choices;
    if (mode == ChartMode::ByPrecision) {
        choices = byPrecision(results, unit);
    } else {
        for (const GrowthLine &line : results.growthByCluster) {
            if (!line.total.empty())
                choices.push_back({&line, ofCluster(results.boundaryByCluster, line.cluster),
                                   lineName(results, mode, {}, line.cluster, unit), line.cluster,
                                   line.cluster == results.scenario.selected});
        }
    }
    std::stable_partition(choices.begin(), choices.end(), [](const LineChoice &choice) { return !choice.main; });
    return choices;
}

} // namespace kvscope
