// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingweights.h"
#include "core/engines/vllmrules.h"

namespace kvscope::vllm {

/// What the start profile holds at its peak beside weights (spec/serving-engines.md 5.1, 5.2), bytes of one rank.
struct Peak {
    std::int64_t forward = 0; ///< of one pass over max_num_batched_tokens; MLA: with the workspace for cached latents
    std::int64_t experts = 0; ///< workspaces of the fused expert kernels
    std::int64_t sampler = 0; ///< logits of max_num_seqs rows and what the sampler makes of them
    std::int64_t vision = 0;
    std::int64_t fixed = 0; ///< buffers of a sparse attention's indexer
    std::int64_t total = 0;
};
Peak peakOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, std::size_t stage);

/// Memory of a rank of one stage, and the KV budget that is left (1.1, 1.2, 5.6).
struct Budget {
    Bytes requested; ///< memory x utilization
    serving::RankWeights weights;
    Peak peak;
    Spread activation;  ///< the peak as an interval
    Spread growth;      ///< outside torch, since the start snapshot
    Spread before;      ///< in use before it: outside the sum, on the card all the same
    Spread graphs;      ///< as captured
    Spread subtracted;  ///< the estimate of them that is taken off the budget, 0 where none is
    Spread available;   ///< low .. high: what the pool may get
    bool given = false; ///< the budget was measured
    bool tried = false; ///< the rules were held against logs of this version and kind (5.6); else the interval is twice as wide
};

/// Of a rank of each stage. `devices`: the poorest device of each stage. `interconnect`: what joins them.
std::vector<Budget> budgetsOf(const Run &run, const Rules &rules, const Scenario &scenario, const std::vector<Device> &devices,
                              Interconnect interconnect);

double utilizationOf(const Rules &rules, const Scenario &scenario);

/// Sizes that graphs are captured for (5.3).
int captureSizes(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device);

} // namespace kvscope::vllm
