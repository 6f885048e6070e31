// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/fields.h"
#include "core/import/parameters.h"
#include "core/model.h"

#include <span>
#include <string_view>

namespace kvscope {

struct Shape;
struct LayerPlan;

/// What a layer is made of, as layer lists name it.
enum class LayerKind : std::uint8_t {
    Full,    ///< attention over all tokens
    Sliding, ///< attention over a window
    Chunked, ///< attention over a chunk
    State,   ///< the family's recurrence
    Hybrid,  ///< attention and recurrence side by side
    Cross,   ///< cross attention only
    Ffn,     ///< no mixer (single-block families)
    Moe,     ///< no mixer, experts (single-block families)
};

/// Which layer is what, when the file has no list (8.3): layer i is `there` if i mod period = offset, else `elsewhere`.
struct LayerPattern {
    int period = 0; ///< 0: no rule; all layers as the window fields say
    int offset = 0;
    LayerKind there = LayerKind::Full;
    LayerKind elsewhere = LayerKind::Sliding;
    std::string_view periodField{}; ///< overrides the period (with offset = period - 1 unless offsetField says it); null: all full
                                    ///< attention; a string of L and G: sliding and full in turn
    std::string_view offsetField{};
    bool firstToo = false; ///< the first layer is `there` as well
    bool lastToo = false;  ///< the last one
};

/// How the multi-token-prediction layers of a checkpoint are counted (8.5).
enum class MtpStyle : std::uint8_t {
    Unknown,              ///< not counted, said as an assumption
    Layer,                ///< one full expert layer + 2hh + 3h
    LayerAndTables,       ///< and an embedding and a head of its own
    WindowedLayerAndTable ///< one windowed dense layer + 2hh + 3h and an embedding of its own (Step)
};

inline constexpr int noPositions = -1;

/// One row of the table of families (8.4 and 8.5): what a config of this model_type means beyond its fields.
struct Family {
    std::string_view types;     ///< values of model_type, space separated
    bool tied = false;          ///< head tied to the embedding where the file does not say
    int normVectors = 1;        ///< weights of one norm in hidden sizes: 1 RMSNorm, 2 LayerNorm, 0 without weights
    int norms = 2;              ///< a layer
    Flag oneMoreNorm = never;   ///< a norm that only some models of the family have
    bool doubledLayers = false; ///< `num_layers` counts pairs: an attention and a dense FFN each, the experts once (LongCat)
    int layerScalars = 0;       ///< single numbers a layer
    Flag qkvBias{"attention_bias", false};
    Flag outputBias{"attention_bias", false};
    Flag ffnBias{"mlp_bias", false};
    Flag headBias = never;
    QkNorm qkNorm = QkNorm::None;
    Flag qkNormWhen = always;
    bool gated = true;       ///< three matrices in an FFN, else two
    int ffnShare = 1;        ///< intermediate_size counts this many gate widths
    bool outputGate = false; ///< doubles the query projection
    Flag headGate = never;   ///< a gate a head, from the hidden size (Step)
    Flag valueIsKey = never; ///< full layers project V with K's matrix (Gemma 4)
    Flag fullSinks = never;
    Flag slidingSinks = never;
    int positionRows = noPositions; ///< learned positions: rows beyond the trained context
    bool embeddingNorm = false;
    Flag multiQuery = never; ///< one KV head whatever the head fields say
    Flag notMultiQueryIf = never;
    bool windowNeedsFlag = false; ///< sliding_window holds only with use_sliding_window (Qwen)
    LayerPattern pattern{};
    Recurrence recurrence = Recurrence::None; ///< of State and Hybrid layers
    bool recurrentNorms = false;              ///< Jamba's norms over dt, B and C
    Flag stateNorm = always;                  ///< Mamba 2's gated norm over the inner width
    bool noAttention = false;                 ///< head fields, if any, are the recurrence's
    bool singleBlock = false;                 ///< a layer is a mixer or an FFN, not both
    bool denseBesideExperts = false;          ///< a layer with experts has its dense FFN too
    Flag scoreBias = never;
    bool routerBias = false;
    bool expertBias = false;
    bool sharedGate = false;
    MtpStyle mtp = MtpStyle::Unknown;
    bool stateInFloat = false;     ///< recurrent part fp32 where the file does not say
    bool formulaUnchecked = false; ///< no published count was at hand to hold the formula against
    std::span<const FieldDefault> defaults{};
    std::span<const FieldDefault> nestedDefaults{}; ///< only for a text_config that lists what differs from its class
    /// Mends a layer built by the common rules: what no flag says.
    void (*adjustLayer)(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &) = nullptr;
    /// The same for what lies outside the layers.
    void (*adjustOuter)(Fields &, const Shape &, const LayerPlan &, ModelSpec &) = nullptr;
};

/// The row for a model_type; nullptr if no row names it.
const Family *familyOf(std::string_view modelType);

/// Whether a row's space-separated `types` name `wanted`.
bool listsType(std::string_view types, std::string_view wanted);

/// The row by which unknown model types are read: standard field names, nothing else.
const Family &standardFamily();

} // namespace kvscope
