// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

namespace kvscope {

/// How llama.cpp writes the next-token-prediction layers of a checkpoint.
enum class NextnBlocks : std::uint8_t {
    Dropped,
    Block,                ///< a full block, the projection of embedding and state, three norms
    BlockAndTables,       ///< and an embedding and a head of its own
    WindowedBlockAndHead, ///< a windowed block without experts, and a head of its own (Step)
};

/// One row of the table of conversions (spec/gguf-quantize.md 6): what a config of this model_type becomes as a GGUF, beyond what its Family
/// says already (biases, norms of q and k, gates, experts, recurrence).
struct Conversion {
    std::string_view types;                        ///< values of model_type, space separated
    std::string_view architecture;                 ///< general.architecture
    std::string_view expertArchitecture{};         ///< the same with experts; empty: no other
    std::string_view norms = "attn_norm ffn_norm"; ///< of a block, as many as the family has
    std::string_view finalNorm = "output_norm";
    std::string_view layerScalar{}; ///< a single number a block; empty: the family's are metadata
    bool fusedQkv = false;          ///< q, k and v in one matrix
    bool fusedGateUp = false;       ///< gate and up in one matrix named ffn_up
    bool parallelExperts = false;   ///< beside a dense FFN, with norms and scales of their own, gate and up in one matrix (Gemma 4)
    bool normByHead = false;        ///< norms of q and k are matrices, a row a head
    bool separateBetaGates = false; ///< gated delta: alpha and beta apart, else one matrix
    bool kvHeadsTellLayers = false; ///< head_count_kv is 0 in recurrent layers
    bool windowPattern = false;     ///< sliding_window_pattern, an entry a layer
    bool indexerInFloat = false;    ///< the indexer's matrices stay f32
    bool fullRopeFactors = false;   ///< rope factors of full-attention heads whatever the config says (Gemma 4)
    bool altup = false;             ///< several streams predicted from one, low-rank sums; all blocks have K and V (Gemma 3n)
    bool compressed = false;        ///< latents of many tokens, hyper-connections (DeepSeek V4)
    bool blocksDiffer = false;      ///< each block has heads and widths of its own, or none
    NextnBlocks nextn = NextnBlocks::Dropped;
    std::int64_t vocabularyMultiple = 1; ///< the table is padded up to it, unless pad_vocab_size_multiple says another
    std::int64_t tokens = 0;             ///< entries of the tokenizer where the table is cut to them; 0: the table's rows
    std::int64_t context = 0;            ///< tokens written whatever the config says; 0: the config's
};

/// The row for a model_type; nullptr if llama.cpp's converter has no such model, or its tensors are not known here.
const Conversion *conversionOf(std::string_view modelType);

} // namespace kvscope
