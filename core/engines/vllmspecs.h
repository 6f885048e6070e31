// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/vllmrules.h"

namespace kvscope::vllm {

/// What a layer keeps, as vLLM tells caches apart (spec/serving-engines.md 2.2, 2.5).
enum class SpecKind : std::uint8_t {
    Full,    ///< every token: attention, latents, index keys
    Sliding, ///< the last `window` tokens and those in flight
    Chunked, ///< the running chunk of `window` tokens and those in flight
    State,   ///< recurrent state, whatever the length
    Cross,   ///< `window` tokens of an encoder
};

/// One cache of one layer on one rank.
struct Spec {
    SpecKind kind = SpecKind::Full;
    std::int64_t block = 16; ///< tokens
    std::int64_t page = 0;   ///< bytes of a block
    std::int64_t window = 0;

    bool operator==(const Spec &) const = default;
};

struct PlacedSpec {
    Spec spec;
    int layer = 0;
};

/// How many blocks a request holds beside its length: what 2.5 takes from the run.
struct Holding {
    std::int64_t inFlight = 0;     ///< tokens
    std::int64_t stateBlocks = 1;  ///< of each group of states: 1, with prefix caching 2, and one a draft token
    std::int64_t ahead = 0;        ///< tokens that prediction modules beyond the first look back by
    std::int64_t contextRanks = 1; ///< over which the tokens of what keeps all of them are spread

    /// Tokens that a windowed group keeps at the most.
    std::int64_t reach(SpecKind kind, std::int64_t window) const;
    /// Tokens of a sequence that one more block of a group takes in.
    std::int64_t tokensOf(SpecKind kind, std::int64_t block) const
    {
        return kind == SpecKind::Full ? saturatingMultiply(block, contextRanks) : block;
    }
    /// Blocks of one request of this length (2.5).
    std::int64_t blocks(SpecKind kind, std::int64_t block, std::int64_t window, TokenCount length) const;
};
Holding holdingOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device);

/// Tokens of an attention block before hybrids enlarge it: as set, else by backend (2.4).
std::int64_t attentionBlock(const Run &run, const Scenario &scenario, const Device &device);

/// The layers that draft (2.10): all of a drafting model's, else the prediction layers that the model ships, else an EAGLE head's one layer of
/// full attention with the model's heads.
std::vector<LayerGroup> draftingLayers(const Run &run);

/// State of one layer and sequence on one rank (2.7).
serving::StateBytes stateBytesOf(const Run &run, const Rules &rules, const LayerGroup &group);

/// Bytes of one token of one layer on one rank (2.2, 2.3). Index keys are apart.
std::int64_t tokenBytesOf(const Run &run, const Rules &rules, const LayerGroup &group);
/// Bytes of one token's index key; 0 where the layer has none (2.2).
std::int64_t indexBytesOf(const Run &run, const LayerGroup &group);

/// All caches of the whole model on a rank of its stage, in the layers' order; nothing padded (2.1 to 2.7). Not for DeepSeek V4 (2.8).
std::vector<PlacedSpec> specsOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device);

} // namespace kvscope::vllm
