// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/llamacppplace.h"

#include <vector>

namespace kvscope::llamacpp {

/// The step of a layer at which the graph's live tensors are largest.
enum class Moment : std::uint8_t { FeedForward, Attention, Recurrence, Logits, Inputs };

struct ComputeMoment {
    Moment moment{};
    Phase phase; ///< Activation alone
};

/// The compute buffer of a device, or of the host, as the moments whose largest it is: one micro-batch over a full cache
/// (spec/local-engines.md 5.2, 5.3, 5.5). Empty where nothing runs.
std::vector<ComputeMoment> computeMoments(const Run &run, const Placement &placement, int device, bool kvOnHost);

/// Logits and embeddings that are handed out, on the host (5.1).
CurveTerm outputBuffer(const Run &run);

/// How far the closed form may be off for this model, of its value (5.2): what the measurements of its kind showed.
struct ComputeRange {
    double below = 0;
    double above = 0;
};
ComputeRange computeRange(const Run &run);

} // namespace kvscope::llamacpp
