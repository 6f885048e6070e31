// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/transformersrun.h"

namespace kvscope::transformers {

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
/// Recurrent state of one sequence (2.6).
Bytes stateBytes(const Run &run, const LayerGroup &group);

/// Whether the layer attends at all, its own cache or another's.
bool attends(const LayerGroup &group);
/// Whether fewer K and V heads than query heads are there, so that some kernels repeat them (4.1).
bool repeats(const LayerGroup &group);

} // namespace kvscope::transformers
