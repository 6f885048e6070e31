// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingrun.h"

namespace kvscope::serving {

/// What of a version decides over weights on the card.
struct WeightRules {
    bool latentCopies = true;     ///< MLA: the two halves of kv_b are kept once more, for absorbed attention (4.1)
    bool padsExpertWidth = true;  ///< 4-bit experts: the intermediate size is rounded up ...
    bool padsExpertHidden = true; ///< ... and the hidden size (4.2)
};

/// Weights on one rank of a stage, as the engine's log counts them: what the allocator hands out.
struct RankWeights {
    Bytes layers, tables, other; ///< other: final norm, vision tower, prediction layers
    Bytes copies;                ///< MLA's extra copies
    Bytes rotary;                ///< cos/sin tables
    Bytes rounding;              ///< of large tensors to blocks of 2 MiB (4.1)
    Bytes draft;                 ///< all of a model that drafts, which the last stage holds
    bool measured = false;       ///< scaled to a measured total

    Bytes total() const { return layers + tables + other + copies + rotary + rounding + draft; }
};

/// Of a rank of each stage, in order (spec/serving-engines.md 4.1 to 4.4).
std::vector<RankWeights> weightsOfStages(const Run &run, const Scenario &scenario, const WeightRules &rules);

/// The drafting model beside the model of `run`: split over the same tensor-parallel ranks, in one stage, in the format that it is stored in.
/// `scenario` has one. Errors: those of runOf.
Result<Run> draftRunOf(const Run &run, const Scenario &scenario);

/// What each role is in: as stored, or what the format asked for applies to by default (4.2).
std::array<Format, roleCount> formatsOfRoles(const Run &run, const Scenario &scenario);

/// Error: ImpossibleSplit where experts are to be dealt out and there are none (4.1).
std::optional<Error> checkWeightSplit(const Run &run);

} // namespace kvscope::serving
