// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace kvscope {

/// Which layers run a recurrence and so hold a state of fixed size (spec/local-engines.md 2.4).
enum class RecurrentLayers : std::uint8_t {
    Never,
    Trunk,            ///< all but the next-token-prediction blocks
    NoKvHeads,        ///< head_count_kv is 0
    NoKvHeadsNoFfn,   ///< head_count_kv and feed_forward_length are 0
    BetweenIntervals, ///< all but each `interval`-th, unless recurrent_layers says
};

/// Which layers have cells in the KV cache.
enum class KvLayers : std::uint8_t {
    Never,
    All, ///< next-token-prediction blocks included, though they are not loaded
    Trunk,
    NotRecurrent, ///< next-token-prediction blocks included
    TrunkNotRecurrent,
    KvHeadsNoFfn, ///< head_count_kv is not 0 and feed_forward_length is
};

/// Which layers of the trunk keep a window (2.3). Where a rule wants a scalar, an array in the file is not read.
enum class WindowPattern : std::uint8_t {
    Never,
    Period,           ///< layer mod p < p - 1; a scalar key replaces p
    PeriodDenseFirst, ///< layer mod p != 0
    PeriodOrArray,    ///< a scalar key is p, an array is the pattern itself
    PeriodDenseFirstOrArray,
    Array, ///< a scalar key is the same for all layers
    Every,
};

/// How the state of a recurrent layer is counted where the keys do not tell (2.5).
enum class StateRule : std::uint8_t { ByKeys, LinearHeads };

/// A second cache beside the main one, for sparse attention (3.6).
enum class IndexerCache : std::uint8_t {
    None,
    Keys,           ///< K alone in all layers of the trunk
    KeysWhereTyped, ///< K alone in layers whose indexer.types is 1
    AfterDense,     ///< K and an unused V in layers behind the leading dense blocks
};

/// What llama.cpp does with an architecture's name, as far as memory is concerned: a row of the one table.
/// Source: spec/local-engines.md 2.3, 2.4, 2.5, 3.3, 3.6, 3.7, 4.2; llama.cpp of 2026-08-18.
struct Architecture {
    std::string_view name; ///< general.architecture
    KvLayers kv = KvLayers::All;
    RecurrentLayers recurrent = RecurrentLayers::Never;

    WindowPattern pattern = WindowPattern::Never;
    int period = 1;
    int window = 0;            ///< tokens; 0: the key's
    int windowIfAbsent = 0;    ///< tokens where the key is not there; 0: no window
    int windowOnlyOfTrunk = 0; ///< windows only in models of this many layers

    bool latent = false;     ///< one latent a token where key_length_mla is set
    bool compressed = false; ///< raw window, compressed and indexer caches, one stream a sequence (3.7)
    IndexerCache indexer = IndexerCache::None;

    StateRule state = StateRule::ByKeys;
    int interval = 4;      ///< full_attention_interval where the key is not there
    bool rollback = false; ///< speculative decoding keeps copies of the state

    int kvLayerLimit = 0;    ///< only the first layers hold KV; 0: no limit
    bool extraLayer = false; ///< one more layer with one KV head at the end
    bool neverFlash = false; ///< flash attention is always off

    bool weighsExpertsFirst = false;    ///< experts' inputs are weighed, not their outputs
    bool lateRows = false;              ///< the rows that logits are wanted of are taken behind the last block, not within it
    bool causal = true;                 ///< false: whole batches whatever the context
    bool tiesOutput = true;             ///< without output.weight the token table is the output matrix
    bool embeddingNormIsOutput = false; ///< token_embd_norm is the output's norm, else it belongs to block 0
    bool ropeFactorsOnDense = false;    ///< only devices that run a block without a window hold a copy of rope_freqs
};

/// By general.architecture; nullptr for a name that this llama.cpp does not know.
const Architecture *architectureByName(std::string_view name);
/// All rows, in the order of their names.
std::span<const Architecture> architectures();

} // namespace kvscope
