// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/llamacpprun.h"

#include <cstddef>
#include <vector>

namespace kvscope::llamacpp {

/// Bytes for one token of a micro-batch, of what the graph holds at its steps (spec/local-engines.md 5.2); f32 throughout. Where a term differs
/// from the closed form there (experts' outputs, delta rules, heads beside the feed-forward network), it follows the constants measured in 5.4.
struct Widths {
    std::int64_t embedding = 0;  ///< Eb
    std::int64_t heads = 0;      ///< Qb: the widest layer's heads as their values leave attention
    std::int64_t queries = 0;    ///< the widest layer's queries
    std::int64_t firstHeads = 0; ///< Qb where the model's first block attends, else 0
    std::int64_t headsBesideFfn =
        0;                ///< Qb where its place is not one that an earlier layer left: of the first block, or of wider ones behind it
    std::int64_t ffn = 0; ///< Fb: the widest dense feed-forward network
    bool gatedFfn = true;
    bool firstBlock = false;                                                    ///< the first block runs here
    bool dense = false, experts = false, attention = false, recurrence = false; ///< what the layers that run here have

    std::int64_t feedForward() const;
};

/// Of the layers that run on one device, indices into GgufLayers::layers.
Widths widthsOf(const Run &run, const std::vector<std::size_t> &layers);

/// Routed experts; `elsewhere`: their matrices are kept on the host, and only what they give comes here.
std::int64_t expertBytes(const Run &run, const Widths &w, bool elsewhere);
std::int64_t attentionBytes(const Run &run, const Widths &w, const std::vector<std::size_t> &layers);
std::int64_t recurrentBytes(const Run &run, const Widths &w);
/// Copies of one layer's state while it runs, a slot.
std::int64_t recurrentSlotBytes(const Run &run);
/// Embeddings beside the main ones (Gemma 3n, Gemma 4).
std::int64_t sideBytes(const Run &run, const Widths &w);
/// What the indexer and the choice of tokens add to attention, a token, and a token and cell (5.4).
struct SparseBytes {
    std::int64_t token = 0;
    std::int64_t cell = 0;
};
SparseBytes sparseBytes(const Run &run, const Widths &w);

} // namespace kvscope::llamacpp
