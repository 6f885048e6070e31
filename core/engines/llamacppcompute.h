// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/llamacppplace.h"

#include <vector>

namespace kvscope::llamacpp {

/// The step at which the graph's live tensors are largest.
enum class Moment : std::uint8_t { FeedForward, Experts, Attention, Recurrence, Logits, Inputs };

struct ComputeMoment {
    Moment moment{};
    Phase phase;                     ///< Activation alone
    std::vector<const char *> rules; ///< of each term, for explain()

    void put(const CurveTerm &term, const char *rule)
    {
        phase.terms.push_back(term);
        rules.push_back(rule);
    }
};

/// The compute buffer of a device, or of the host, as the moments whose largest it is: one micro-batch over a full cache
/// (spec/local-engines.md 5.2 to 5.6). Empty where nothing runs.
std::vector<ComputeMoment> computeMoments(const Run &run, const Placement &placement, int device, const LocalOptions &options);

/// Logits that are handed out, on the host (5.1).
CurveTerm outputBuffer(const Run &run);

/// f16 copies of K and V of one layer that older versions take from the runtime's pool, unannounced (5.6); 0 where they lie in the compute buffer.
CurveTerm poolCopies(const Run &run);

/// How far the compute buffer may be off. The same for every context and batch, so that limits and plans agree.
Spread computeSpread(const Run &run, const std::vector<ComputeMoment> &moments);

} // namespace kvscope::llamacpp
