// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/evaluate.h"

#include "core/engine.h"
#include "core/judge.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

constexpr TokenCount shortestContext{512};

/// Half of the points evenly spaced and half by equal ratios, so that both a linear and a logarithmic axis are drawn smoothly; and the scenario's own.
std::vector<TokenCount> samplePoints(TokenCount own, TokenCount furthest, int points)
{
    const std::int64_t end = std::max({own.value, furthest.value, shortestContext.value * 2});
    std::vector<TokenCount> contexts{own, TokenCount{0}};
    const int half = std::max(points / 2, 2);
    const double ratio = static_cast<double>(end) / static_cast<double>(shortestContext.value);
    for (int i = 0; i < half; ++i) {
        const double share = static_cast<double>(i) / (half - 1);
        contexts.push_back({std::llround(share * static_cast<double>(end))});
        contexts.push_back({std::llround(static_cast<double>(shortestContext.value) * std::pow(ratio, share))});
    }
    std::ranges::sort(contexts);
    contexts.erase(std::ranges::unique(contexts).begin(), contexts.end());
    return contexts;
}

/// One line of each chart from one compiled scenario; nothing where the engine refuses.
struct Lines {
    GrowthLine growth;
    BoundaryLine boundary;
};

std::optional<Lines> linesOf(const Scenario &scenario, int cluster, std::optional<Format> kv, const std::vector<TokenCount> &contexts)
{
    const Cluster &machine = scenario.clusters[static_cast<std::size_t>(cluster)];
    Result<Compiled> compiled = compile(scenario, machine);
    if (!compiled)
        return {};
    const FitBoundary fit(std::move(*compiled), scenario, machine);
    Lines lines;
    lines.growth.cluster = lines.boundary.cluster = cluster;
    lines.growth.kv = lines.boundary.kv = kv;
    lines.growth.total.reserve(contexts.size());
    lines.boundary.sequences.reserve(contexts.size());
    for (const TokenCount context : contexts) {
        lines.growth.total.push_back(fit.fullestTotal(context, scenario.batch));
        lines.boundary.sequences.push_back(fit.maxSequences(context));
    }
    lines.growth.crossing = longestContext(fit, scenario, machine);
    return lines;
}

} // namespace

const Plan *Results::selectedPlan() const
{
    const auto index = static_cast<std::size_t>(scenario.selected);
    return index < plans.size() ? &plans[index] : nullptr;
}

const Cluster *Results::selectedCluster() const
{
    const auto index = static_cast<std::size_t>(scenario.selected);
    return index < scenario.clusters.size() ? &scenario.clusters[index] : nullptr;
}

std::vector<Format> chartPrecisions(const Scenario &scenario)
{
    const Engine &engine = engineOf(scenario.engine.id);
    std::vector<Format> formats(engine.kvFormats().begin(), engine.kvFormats().end());
    const auto width = [](Format f) { return infoOf(f).bitsPerElement(); };
    // Among formats of as many bits, the engine's first: scales aside.
    std::ranges::stable_sort(formats, std::ranges::greater{}, [&](Format f) { return std::lround(width(f)); });
    const Format widest = scenario.model ? engine.defaultKvFormat(scenario) : Format::F16;
    const bool latent = scenario.model && scenario.model->mainGroup() && scenario.model->mainGroup()->mixer == Mixer::Latent;
    const auto taken = [&](Format format) {
        const auto index = static_cast<std::size_t>(scenario.selected);
        if (format == Format::FP8DsMla && !latent)
            return false;
        if (!scenario.model || index >= scenario.clusters.size())
            return true;
        Scenario trial = scenario;
        trial.kv.key = trial.kv.value = format;
        const Result<Compiled> compiled = compile(trial, scenario.clusters[index]);
        return compiled || compiled.error().code != ErrorCode::UnsupportedFormat;
    };
    std::vector<Format> chosen{widest};
    for (const Format format : formats) {
        if (width(format) <= 0.75 * width(chosen.back()) && taken(format))
            chosen.push_back(format);
    }
    const Format own = keyFormat(scenario);
    if (own == valueFormat(scenario) && std::ranges::find(chosen, own) == chosen.end())
        chosen.push_back(own);
    std::ranges::stable_sort(chosen, std::ranges::greater{}, width);
    return chosen;
}

Results evaluate(const Scenario &scenario)
{
    constexpr TokenCount leastFurthest{32768};
    constexpr int points = 128;
    TokenCount furthest = std::max(scenario.model ? scenario.model->trainedContext : TokenCount{}, leastFurthest);
    // A context beyond that is not the end of its lines: they go on to the next doubling.
    while (furthest < scenario.context)
        furthest = furthest + furthest;
    return evaluate(scenario, furthest, points, chartPrecisions(scenario));
}

Results evaluate(const Scenario &scenario, TokenCount furthest, int points, const std::vector<Format> &precisions)
{
    Results results;
    results.scenario = scenario;
    results.contexts = samplePoints(scenario.context, furthest, points);
    if (!scenario.model)
        return results;
    const int clusters = static_cast<int>(scenario.clusters.size());
    if (!scenario.otherEngines.empty())
        results.compared = compareEngines(scenario);
    for (int c = 0; c < clusters; ++c) {
        results.plans.push_back(plan(scenario, scenario.clusters[static_cast<std::size_t>(c)]));
        if (std::optional<Lines> lines = linesOf(scenario, c, {}, results.contexts)) {
            results.growthByCluster.push_back(std::move(lines->growth));
            results.boundaryByCluster.push_back(std::move(lines->boundary));
        }
    }
    if (!results.selectedCluster())
        return results;
    Scenario trial = scenario;
    for (const Format format : precisions) {
        trial.kv.key = trial.kv.value = format;
        if (std::optional<Lines> lines = linesOf(trial, scenario.selected, format, results.contexts)) {
            results.growthByPrecision.push_back(std::move(lines->growth));
            results.boundaryByPrecision.push_back(std::move(lines->boundary));
        }
    }
    return results;
}

} // namespace kvscope
