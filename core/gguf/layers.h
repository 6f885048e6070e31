// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/architecture.h"
#include "core/gguf/model.h"
#include "core/model.h"
#include "core/units.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace kvscope {

/// What one layer keeps and computes, in elements (spec/local-engines.md 2.2 to 2.5). All figures are of the whole layer.
struct GgufLayer {
    bool trunk = true;     ///< no next-token-prediction block
    bool windowed = false; ///< keeps the last `window` tokens
    bool holdsKv = true;   ///< has cells in the KV cache
    bool recurrent = false;
    int heads = 0;                  ///< of queries; 0: no attention
    int kvHeads = 0;                ///< as the file says; 1 for a latent
    std::int64_t keyDim = 0;        ///< of one cached head; latent: the latent and its rotary part
    std::int64_t valueDim = 0;      ///< of one cached head, whether it is cached or seen within K
    std::int64_t keyRow = 0;        ///< K of one token: keyDim x kvHeads
    std::int64_t valueRow = 0;      ///< V of one token; 0 for a latent: V is seen within K
    std::int64_t indexKeyRow = 0;   ///< indexer cache of one token
    std::int64_t indexValueRow = 0; ///< allocated beside it, never used
    std::int64_t compression = 0;   ///< compressed caches: one latent per this many tokens; 0: none
    std::int64_t convState = 0;     ///< R, elements a sequence
    std::int64_t matrixState = 0;   ///< S, elements a sequence
    std::int64_t ffn = 0;           ///< width of the dense feed-forward network; 0: none
    bool gatedFfn = true;
    bool experts = false; ///< routed experts
};

/// A model as llama.cpp sees it before it reads a weight.
struct GgufLayers {
    const Architecture *architecture = nullptr; ///< never nullptr: the plain row stands for unknown names
    bool known = true;                          ///< false: the plain row was taken
    std::vector<GgufLayer> layers;              ///< next-token-prediction blocks and virtual layers included
    int blocks = 0;                             ///< block_count: units of -ngl but one
    int trunk = 0;                              ///< blocks without next-token prediction
    std::int64_t embedding = 0;                 ///< E
    std::int64_t vocab = 0;
    TokenCount trained;                                ///< context_length
    TokenCount window;                                 ///< 0: no windowed layers
    bool latent = false;                               ///< key_length_mla is set and the architecture caches latents
    std::int64_t latentKeyDim = 0, latentValueDim = 0; ///< key_length_mla, value_length_mla: of the expanded heads
    std::int64_t latentRank = 0;                       ///< kv_lora_rank
    std::int64_t experts = 0, expertsUsed = 0, expertFfn = 0, sharedFfn = 0;
    std::int64_t convKernel = 0, stateInner = 0, stateSize = 0, stateRank = 0, stateGroups = 0; ///< ssm.*
    bool gatedSharedExpert = false; ///< the shared expert's output is weighed by a gate of its own
    std::int64_t indexHeads = 0;    ///< attention.indexer.head_count
    std::int64_t wkvHead = 0;       ///< wkv.head_size: RWKV
    std::int64_t sideEmbedding = 0; ///< embedding_length_per_layer_input

    bool windows() const { return window.value > 0; }
    bool recurs() const;  ///< any layer keeps a state
    bool holdsKv() const; ///< any layer has cells
};

/// The block of a tensor `blk.N.`; -1 for one outside the blocks.
int blockOf(std::string_view tensorName);

/// The layers of a GGUF by its architecture's row.
GgufLayers layersOf(const GgufModel &model);
/// The same for a model without a GGUF (by hand, families without a converter): the model's own layers, plain rules.
GgufLayers layersOf(const ModelSpec &model);

} // namespace kvscope
