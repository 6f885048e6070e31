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
/// Recurrent state of one sequence (2.6).
Bytes stateBytes(const Run &run, const LayerGroup &group);

// Coefficients, in bytes, of one layer of a group. `bytes` a token and row unless said.

/// K and V in the model's dtype; MLA the latent or the expanded heads, by version (2.1, 2.8).
std::int64_t cacheBytes(const Run &run, const LayerGroup &group);
/// The same as held, of so many layers: QuantizedCache in its bits (2.7).
std::int64_t storedBytes(const Run &run, const LayerGroup &group, int layers);
/// What the running layer of a decode step needs beside the cache: concatenation, dequantisation (2.1, 2.7).
std::int64_t stepBytes(const Run &run, const LayerGroup &group);
/// Expansion of a latent cache (2.8).
std::int64_t expansionBytes(const Run &run, const LayerGroup &group);
/// K and V repeated to all query heads (4.1).
std::int64_t repeatBytes(const Run &run, const LayerGroup &group);
/// Scores: a query token, a held token and a row (4.1).
std::int64_t scoreBytes(const Run &run, const LayerGroup &group);
/// A(T) of the feed-forward side: dense and, where the layer has experts, theirs (5.1).
std::int64_t ffnBytes(const Run &run, const LayerGroup &group, bool embedding);
/// The attention side (5.1).
std::int64_t attentionBytes(const Run &run, const LayerGroup &group);
/// cos and sin: a token, whatever the rows (5.1).
std::int64_t rotaryBytes(const Run &run);
/// Logits of one row: of its last token, or of each token if allRows() (5.2).
std::int64_t logitBytes(const Run &run);
bool allRows(const Run &run);

} // namespace kvscope::transformers
