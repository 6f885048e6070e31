// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"

#include <vector>

namespace kvscope {

/// Why an engine takes other bytes than the theory (the formula engine) for the same model and load.
enum class DifferenceReason : std::uint8_t {
    Weights,        ///< formats, padding, copies, tables that stay on the host
    CacheFormat,    ///< the engine's own KV type is another
    Rounding,       ///< cells or blocks are handed out in steps
    WindowRule,     ///< windowed, chunked, latent or compressed layers keep more or fewer tokens
    StatePrecision, ///< recurrent states: their precision and copies
    Activations,    ///< compute buffer or profiling peak
    Graphs,         ///< CUDA graphs
    Runtime,        ///< driver context, libraries, allocator
    UnusedPool,     ///< KV that is reserved and not needed at this load
};
inline constexpr int differenceReasons = static_cast<int>(DifferenceReason::UnusedPool) + 1;

struct Difference {
    DifferenceReason reason{};
    Bytes bytes; ///< on the device that binds; negative: the engine takes less

    bool operator==(const Difference &) const = default;
};

/// One machine under one engine.
struct Compared {
    int cluster = 0; ///< index into Scenario::clusters
    EngineChoice engine;
    Split split; ///< the cluster's, or the engine's own where it can't be split so
    Plan plan;
    std::vector<Difference>
        differences; ///< from the theory to the plan's binding device, the largest first; they sum up to the difference of totals
};

/// The scenario on each of its clusters under its own engine and each further one (Scenario::otherEngines), cluster by cluster. A further engine
/// that can't be split as the cluster says takes its own best way over the same devices.
std::vector<Compared> compareEngines(const Scenario &scenario);

/// What stands between the theory and this plan of the scenario's engine; empty for a refused plan and for the theory itself.
std::vector<Difference> differencesFromTheory(const Scenario &scenario, const Cluster &cluster, const Plan &plan);

} // namespace kvscope
