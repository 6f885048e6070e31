// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingweights.h"
#include "core/engines/sglangpool.h"

namespace kvscope::sglang {

/// Memory of a rank of one stage (1.4).
struct Budget {
    serving::RankWeights weights;
    Spread before; ///< free memory when weights start to load
    Spread rest;   ///< what the pools get
    Spread activation, graphs, runtime;
    std::int64_t workspaces = 0; ///< of the activation, those of the experts' kernels
    bool given = false;
    bool draftsLater = false; ///< a drafting model is loaded after the pool was cut

    /// Weights that are there before the pool is cut.
    Bytes loaded() const { return draftsLater ? weights.total() - weights.draft : weights.total(); }
};

/// A scenario on a cluster as SGLang would start it.
struct Setup {
    Run run;
    Rules rules;
    Tier tier;
    double fraction = 0;
    std::vector<Device> devices; ///< the poorest of each stage
    std::vector<Budget> budgets;
    std::vector<PoolShape> pools;
    Capacity capacity;       ///< smallest over the stages
    std::size_t binding = 0; ///< the stage that it is of
};

/// Errors: UnknownName (version), ImpossibleSplit, UnsupportedFormat.
Result<Setup> setUp(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings);

} // namespace kvscope::sglang
