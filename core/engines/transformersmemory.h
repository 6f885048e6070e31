// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/transformersrun.h"

namespace kvscope::transformers {

/// What one device holds of the model.
struct Share {
    int device = 0;
    std::vector<int> layers; ///< of each group
    bool embedding = true;
    bool head = true;
    Bytes weights;
    Bytes loading; ///< more than `weights` for a moment while loading
    Bytes fixed;   ///< library workspace, tables and scratch that are always there (section 1, fixed)
};

/// A moment of the run at which memory may be largest (section 1).
enum class Moment : std::uint8_t { Load, Encoder, PrefillFfn, PrefillAttention, Logits, SecondStep, Decode };
struct Step {
    Moment moment{};
    std::size_t group = 0; ///< the kind of layer that is running
    Phase phase;
};

/// All moments of one device; those that another one exceeds term by term are left out.
std::vector<Step> stepsOf(const Run &run, const Share &share);

/// The cache at the end of the run, as the engine holds it, alone (2.1 to 2.9): R * sum over the share's layers.
Phase heldCache(const Run &run, const std::vector<int> &layers);
/// The same where nothing is off-loaded: what is on the device and on the host together.
Phase wholeCache(const Run &run, const std::vector<int> &layers);

} // namespace kvscope::transformers
