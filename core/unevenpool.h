// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"

#include <optional>
#include <vector>

namespace kvscope {

/// What a KV pool really holds at one length.
struct PoolRow {
    TokenCount context;
    std::int64_t sequences = 0; ///< that the pool holds at once, in one replica
    TokenCount tokens;          ///< of all of them together
};

/// A pool that is not one rate a token: windows, states and groups of layers take blocks of their own, so that it holds more or fewer tokens
/// by the length of the sequences.
struct UnevenPool {
    std::vector<PoolRow> rows;    ///< rising contexts, the scenario's own among them
    Bytes block;                  ///< on the device that binds
    std::int64_t pinned = 0;      ///< blocks that a sequence takes with its first token
    bool printedByLength = false; ///< PoolFigures::capacity is another at another context
};

/// Empty for an engine without a pool, a refused plan, and a pool that holds the same tokens at every length (within 2 %).
std::optional<UnevenPool> unevenPool(const Scenario &scenario, const Cluster &cluster, const Plan &plan);

} // namespace kvscope
