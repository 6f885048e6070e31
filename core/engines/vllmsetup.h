// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/vllmbudget.h"
#include "core/engines/vllmpool.h"

namespace kvscope::vllm {

/// A scenario on a cluster as vLLM would start it: what compile(), report() and explain() all read.
struct Setup {
    Run run;
    Rules rules;
    std::vector<Device> devices; ///< the poorest of each stage
    std::vector<Budget> budgets; ///< of a rank of each stage
    PoolShape pool;
    std::int64_t blocks = 0; ///< smallest number over the ranks, the null block counted
    std::int64_t configuredBlock = 16;

    /// Budgets of the stages, the middle of each interval.
    std::vector<Bytes> available() const;
    /// The stage whose ranks bound the blocks.
    std::size_t binding() const;
    /// Bytes needed for one request, as this version's log counts them (3.3).
    Bytes needed(TokenCount length) const;
};

/// Cache formats that can be chosen, widest first (2.3).
std::span<const Format> cacheFormats();

/// Errors: UnknownName (version), ImpossibleSplit, UnsupportedFormat.
Result<Setup> setUp(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings);

} // namespace kvscope::vllm
