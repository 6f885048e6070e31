// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/boundary.h"
#include "core/compare.h"
#include "core/plan.h"

#include <optional>
#include <vector>

namespace kvscope {

/// Bytes on the fullest device for each context of Results::contexts.
struct GrowthLine {
    int cluster = 0;          ///< index into Scenario::clusters
    std::optional<Format> kv; ///< the precision this line stands for (K and V alike), or empty: the scenario's own
    std::vector<Bytes> total; ///< same length as Results::contexts
    TokenCount crossing;      ///< largest context that fits (0 = none); beyond the chart's end where it is larger
};

/// Most sequences that fit, for each context.
struct BoundaryLine {
    int cluster = 0;
    std::optional<Format> kv;
    std::vector<std::int64_t> sequences; ///< same length as Results::contexts; 0 = none
};

/// All that the window draws.
struct Results {
    Scenario scenario;
    std::vector<Plan> plans;                   ///< one a cluster
    std::vector<Compared> compared;            ///< each cluster under each engine, where several are compared
    std::vector<TokenCount> contexts;          ///< sample points, rising, log-spaced plus the scenario's own context
    std::vector<Format> precisions;            ///< the engine's, widest first
    std::vector<GrowthLine> growthByPrecision; ///< selected cluster, a line a precision
    std::vector<GrowthLine> growthByCluster;   ///< scenario's precision, a line a cluster
    std::vector<BoundaryLine> boundaryByPrecision;
    std::vector<BoundaryLine> boundaryByCluster;

    const Plan *selectedPlan() const;
    const Cluster *selectedCluster() const;
};

/// The precisions that the charts draw a line for: from the engine's default downwards, each at least a quarter narrower than the one before,
/// and the scenario's own.
std::vector<Format> chartPrecisions(const Scenario &scenario);

/// Everything for one redraw. Contexts are sampled at `points` points up to `furthest` tokens (raised to the scenario's context);
/// the lines by precision are those of `precisions`.
Results evaluate(const Scenario &scenario, TokenCount furthest, int points, const std::vector<Format> &precisions);
/// The same with chartPrecisions(), 128 points, and as far as the model was trained, at least 32768 tokens; doubled until it holds the context.
Results evaluate(const Scenario &scenario);

} // namespace kvscope
