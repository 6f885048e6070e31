// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model.h"

namespace kvscope {

/// A number of parameters. Sums and products saturate, so that an absurd shape reads "too large" instead of wrapping.
struct Count {
    std::int64_t value = 0;

    constexpr Count(std::int64_t v = 0) : value(v) {}
};
constexpr Count operator+(Count a, Count b) { return saturatingAdd(a.value, b.value); }
constexpr Count operator*(Count a, Count b) { return saturatingMultiply(a.value, b.value); }

/// The blocks of spec/serving-engines.md 8.5. Each gives one block's parameters by role: matrices under their own, vectors under Small.

enum class QkNorm : std::uint8_t {
    None,
    PerHead,      ///< one weight vector of a head's width for q, one for k
    FullWidth,    ///< a weight for every element of q and of k
    QueryPerHead, ///< q alone: the layer reads another's keys
};

/// `A` and what may hang on it.
struct AttentionBlock {
    Count hidden, heads, kvHeads, keyDim, valueDim;
    bool qkvBias = false;
    bool outputBias = false;
    QkNorm qkNorm = QkNorm::None;
    bool outputGate = false; ///< the query projection is twice as wide (Qwen3-Next)
    bool headGate = false;   ///< one gate a head, from the hidden size (Step)
    bool ownsKeys = true;    ///< false: shares another layer's K and V, has no projections for them
    bool valueIsKey = false; ///< V is the K projection's output (Gemma 4)
    bool keyBias = true;     ///< false: k has no bias though q and v have (Whisper)
    bool sinks = false;      ///< one learned logit a head
};
RoleCounts attentionParameters(const AttentionBlock &block);

/// `MLA`, and `IDX` where indexHeads > 0.
struct LatentBlock {
    Count hidden, heads;
    std::int64_t queryRank = 0; ///< 0 = plain query projection
    Count latent, rope, nope, valueDim;
    Count indexHeads, indexDim;
};
RoleCounts latentParameters(const LatentBlock &block);

/// DeepSeek V4's compressed attention with its hyper-connections (8.5, row deepseek_v4, without the experts).
struct CompressedBlock {
    Count hidden, heads, headDim, queryRank, outputRank, outputGroups;
    std::int64_t ratio = 0; ///< 0 = no compression, 4 = with indexer, else the heavy one
    Count indexHeads, indexDim, streams;
};
RoleCounts compressedParameters(const CompressedBlock &block);

/// `G(i)` or `M(i)`.
RoleCounts ffnParameters(Count hidden, Count width, bool gated, bool bias, Role role = Role::Ffn);

/// `MOE`.
struct MoeBlock {
    Count hidden, experts, width;
    Count sharedWidth; ///< all shared experts together, 0 = none
    Count latent;      ///< experts work in this width, reached by two projections; 0 = in the hidden size
    Count zeroExperts; ///< entries of the router without an expert (LongCat)
    bool gated = true;
    bool scoreBias = false;  ///< one correction an expert
    bool routerBias = false; ///< the router's own bias
    bool expertBias = false; ///< each projection of each expert has one (gpt-oss)
    bool sharedGate = false; ///< a one-column gate on the shared expert (Qwen)
};
RoleCounts moeParameters(const MoeBlock &block);

/// `Mamba1`; `norms`: Jamba's three over dt, B and C.
struct Mamba1Block {
    Count hidden, inner, stateSize, stepRank, kernel;
    bool norms = false;
    bool convBias = true;
};
RoleCounts mamba1Parameters(const Mamba1Block &block);

/// `Mamba2`.
struct Mamba2Block {
    Count hidden, heads, headDim, groups, stateSize, kernel;
    bool convBias = true;
    bool projectionBias = false;
    bool norm = true;
};
RoleCounts mamba2Parameters(const Mamba2Block &block);

/// `GDN`.
struct GatedDeltaBlock {
    Count hidden, keyHeads, valueHeads, keyDim, valueDim, kernel;
};
RoleCounts gatedDeltaParameters(const GatedDeltaBlock &block);

/// `KDA`; `fullRankGate`: the output gate is one matrix instead of two thin ones (Kimi K3).
struct KdaBlock {
    Count hidden, heads, headDim, kernel;
    bool fullRankGate = false;
};
RoleCounts kdaParameters(const KdaBlock &block);

/// MiniMax's lightning attention: fused qkv, output gate, output, a norm over all heads. Not in 8.5; the sum for Text-01 is 456.1e9, its card says 456B.
RoleCounts linearAttentionParameters(Count hidden, Count heads, Count headDim);

/// LFM2's short convolution.
RoleCounts shortConvParameters(Count hidden, Count kernel, bool bias);

/// Griffin's recurrent block (RecurrentGemma): two inputs, an output, a convolution, block-diagonal gates. Not in 8.5.
RoleCounts rglruParameters(Count hidden, Count width, Count heads, Count kernel);

/// RWKV-4's two blocks: time mixing over `width`, channel mixing over `ffn`. Not in 8.5.
RoleCounts rwkvParameters(Count hidden, Count width, Count ffn);

} // namespace kvscope
