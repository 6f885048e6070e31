// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingweights.h"

namespace kvscope::tensorrtllm {

using serving::Run;

inline constexpr int usualTokens = 8192; ///< max_num_tokens

/// A rank of one stage (spec/serving-engines.md 1.5, 2.12).
struct Share {
    std::int64_t tokenBytes = 0; ///< one token in all layers; windows are not made use of
    std::int64_t stateBytes = 0; ///< of one sequence
    serving::RankWeights weights;
    Spread activation, graphs, runtime;
    std::int64_t workspaces = 0; ///< of the activation, those of the experts' kernels
    Spread pool;
};

struct Setup {
    Run run;
    std::vector<Device> devices; ///< the poorest of each stage
    std::vector<Share> shares;
    double fraction = 0.9; ///< of what is free
    std::int64_t block = 32;
    std::int64_t tokens = 0; ///< smallest over the ranks
    std::int64_t blocks = 0; ///< rounded up
    std::size_t binding = 0;
};

/// Errors: ImpossibleSplit, UnsupportedFormat.
Result<Setup> setUp(const Scenario &scenario, const Cluster &cluster);

/// What the layers of a stage keep; no weights yet.
Share shareOf(const Run &run, std::size_t stage);

} // namespace kvscope::tensorrtllm
