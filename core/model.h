// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format.h"
#include "core/units.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kvscope {

struct GgufModel;

/// What kind of cache the attention of a layer keeps.
enum class Mixer : std::uint8_t {
    Full,    ///< MHA, GQA, MQA: K and V of every token
    Sliding, ///< K and V of the last `window` tokens
    Chunked, ///< K and V of the running chunk of `window` tokens (Llama 4)
    Latent,  ///< MLA: one latent of `latentDim` and `ropeDim` a token, shared by all heads
    Shared,  ///< reads an earlier layer's cache, owns none
    None,    ///< no attention cache (recurrent only, cross attention only, MLP only, no_op)
};

/// Which recurrence a layer runs; its state does not grow with the context.
enum class Recurrence : std::uint8_t { None, Mamba1, Mamba2, GatedDelta, KDA, LinearAttention, ShortConv, RWKV, RGLRU };

/// The state of one layer and one sequence, in elements; engines choose precision and how many conv columns they keep.
struct RecurrentState {
    Recurrence kind = Recurrence::None;
    std::int64_t convChannels = 0;  ///< width of the short convolution, elements a column
    int convKernel = 0;             ///< its length in tokens; k - 1 columns are needed, Transformers keeps k
    std::int64_t elements = 0;      ///< recurrent matrix, elements
    bool alwaysF32 = false;         ///< the recurrent part is fp32 whatever the model's dtype (KDA, Qwen3.5 by config)
    bool f32ByDefault = false;      ///< alwaysF32 by the family's default alone: the file says nothing
    int groups = 0;                 ///< Mamba 2: groups of heads that share B and C; engines copy them where devices do not divide them
    std::int64_t groupChannels = 0; ///< of convChannels, those of each group

    bool operator==(const RecurrentState &) const = default;
};

/// Where parameters live, since formats treat them differently (spec/serving-engines.md 4.2).
enum class Role : std::uint8_t {
    Embedding,     ///< token table (and per-layer and position tables)
    OutputHead,    ///< 0 when tied to the embedding
    Attention,     ///< matrices of attention
    Recurrent,     ///< matrices of recurrent mixers
    Ffn,           ///< dense feed-forward matrices
    Experts,       ///< routed experts, all of them
    SharedExperts, ///< always-on experts
    Router,        ///< expert gates
    Small,         ///< norms, biases, scales, convolution kernels: vectors that stay unquantised
    Vision,        ///< vision or audio tower and projector
    Mtp,           ///< multi-token-prediction layers that a checkpoint ships
};
inline constexpr int roleCount = static_cast<int>(Role::Mtp) + 1;

/// Parameters by role; index with static_cast<int>(Role).
struct RoleCounts {
    std::array<std::int64_t, roleCount> count{};

    std::int64_t &operator[](Role r) { return count[static_cast<std::size_t>(r)]; }
    std::int64_t operator[](Role r) const { return count[static_cast<std::size_t>(r)]; }
    std::int64_t total() const;
    RoleCounts &operator+=(const RoleCounts &o);
    RoleCounts operator*(std::int64_t n) const;
    bool operator==(const RoleCounts &) const = default;
};

/// Layers that are alike in cache and parameters. All figures are of one layer of the whole model (no split).
struct LayerGroup {
    Mixer mixer = Mixer::Full;
    int queryHeads = 0;
    int kvHeads = 0;           ///< cached heads (not attention heads); 1 for MLA
    int keyDim = 0;            ///< K head dim, elements (MLA: nope + rope, of the expanded K)
    int valueDim = 0;          ///< V head dim, elements
    TokenCount window;         ///< Sliding, Chunked; Latent: only the last tokens' latents, or those beside the compressed ones
    int latentDim = 0;         ///< MLA: kv_lora_rank
    int ropeDim = 0;           ///< MLA: qk_rope_head_dim
    int queryLatentDim = 0;    ///< MLA: q_lora_rank, 0 = q is projected at once
    int indexKeyDim = 0;       ///< sparse attention with an indexer: extra index-key elements a token (0 = none)
    TokenCount compression{1}; ///< compressed sparse attention (DeepSeek V4): one latent per this many tokens
    RecurrentState state;
    int crossKvHeads = 0; ///< cross attention over the encoder's tokens (0 = none)
    int crossHeadDim = 0;
    RoleCounts parameters; ///< of one layer

    bool hasCache() const { return mixer != Mixer::None && mixer != Mixer::Shared; }
    bool operator==(const LayerGroup &) const = default;
};

/// How a checkpoint is stored, as its config says.
struct Quantization {
    Format format = Format::BF16;
    std::string method;                      ///< as the config names it: "awq", "fp8", "compressed-tensors"
    std::array<bool, roleCount> quantised{}; ///< roles that the format applies to
    std::optional<Format> secondFormat; ///< mixed checkpoints: what other roles are in (DeepSeek V4: experts MXFP4, the rest FP8 block)
    std::array<bool, roleCount> secondQuantised{};
    std::array<double, roleCount> leftOut{}; ///< of a role that a format applies to, the share that stays in 16 bit: modules named as such
    double bits = 0; ///< an element in `format`, scales included, where these are not the format's own (groups of another size); else 0

    /// Bytes of `elements` of a role that is in `in`, the main or second format: in groups of the checkpoint's own size, and what is left out by
    /// name in `otherwise`.
    Bytes bytesOf(Role role, Format in, std::int64_t elements, Format otherwise) const;

    bool operator==(const Quantization &) const = default;
};

/// A cos/sin table of rotary positions, as serving engines keep one for each distinct setting among the layers (spec/serving-engines.md 4.1).
struct RotaryTable {
    TokenCount positions;
    int dim = 0;      ///< elements rotated of a head
    bool f32 = false; ///< kept in fp32 whatever the model's dtype

    bool operator==(const RotaryTable &) const = default;
};

/// Something read as a default because the file did not say it.
struct Assumption {
    std::string field;  ///< "head_dim"
    std::string value;  ///< "128"
    std::string reason; ///< code, worded by ui/text: "hidden_size_over_heads", "family_default", ...

    bool operator==(const Assumption &) const = default;
};

/// Where a model came from, so that it can be shown and read again.
enum class ModelOrigin : std::uint8_t { ByHand, Catalogue, File };

/// Shared and immutable; compared by value.
struct GgufPointer : std::shared_ptr<const GgufModel> {
    using std::shared_ptr<const GgufModel>::shared_ptr;
    GgufPointer(std::shared_ptr<const GgufModel> model) : std::shared_ptr<const GgufModel>(std::move(model)) {}

    bool operator==(const GgufPointer &other) const;
};

/// Sizes of a vision tower by the names `num_hidden_layers` and `hidden_size` of its config; 0 where it uses others.
struct VisionTower {
    int layers = 0;
    int width = 0;

    bool operator==(const VisionTower &) const = default;
};

/// A model's shape and parameter counts. Says nothing about an engine or a GPU.
struct ModelSpec {
    std::string id;     ///< catalogue id, file name or "by-hand"
    std::string name;   ///< as shown
    std::string family; ///< model_type
    ModelOrigin origin = ModelOrigin::ByHand;
    std::string reference; ///< catalogue id or absolute path

    std::vector<LayerGroup> groups;    ///< kinds of layers
    std::vector<std::uint16_t> layout; ///< for each layer in order, its group; layout.size() = number of layers
    RoleCounts outer;                  ///< parameters outside the layers: tables, head, final norm, vision, MTP
    bool parametersKnown = false;      ///< false: a shape by hand without --params

    int hidden = 0;
    int intermediate = 0; ///< widest dense FFN, elements
    bool gatedFfn = true;
    bool qkNorm = false;
    std::int64_t vocab = 0;
    bool tiedEmbeddings = false;
    TokenCount trainedContext; ///< 0 = not known
    int experts = 0;
    int expertsPerToken = 0;
    int expertIntermediate = 0;
    std::int64_t expertVectors = 0;  ///< of the parameters under Small, those of all routed experts (gpt-oss: their biases)
    int predictionLayers = 0;        ///< modules that predict further tokens (MTP), a layer each, as the checkpoint ships them
    bool predictionWindowed = false; ///< they attend within the window
    std::vector<RotaryTable> rotary; ///< empty: no rotary positions, or a shape by hand
    bool encoderDecoder = false;
    std::optional<VisionTower> vision; ///< empty: no vision_config
    TokenCount encoderLength;          ///< cross attention: the model's own number of encoder tokens (whisper 1500), 0 = none

    Format nativeFormat = Format::BF16; ///< dtype of the checkpoint's unquantised tensors; activations' dtype
    bool nativeFormatKnown = false;
    std::optional<Quantization> quantization;
    std::optional<Format> kvFormat;       ///< the checkpoint declares scales for a cache in this format
    std::optional<Bytes> measuredWeights; ///< bytes of the checkpoint as stored, from an index or a listing
    bool measuredAsLoaded = false;        ///< they are without prediction layers and a second copy of a tied table
    std::string measuredSource;
    std::optional<std::int64_t> publishedParameters; ///< where a source counts what the config can't tell
    std::optional<std::int64_t> publishedActive;

    /// The model as a GGUF: a file's own header, or what llama.cpp's converter would write (unquantised). Null: no rule for the family.
    GgufPointer gguf;

    std::vector<Assumption> assumptions;
    bool unknownArchitecture = false; ///< read by the standard field names only
    std::vector<std::string> sources; ///< where the facts were read

    int layerCount() const { return static_cast<int>(layout.size()); }
    /// Layers of each group, same index as `groups`.
    std::vector<int> groupCounts() const;
    /// All parameters by role, layers summed.
    RoleCounts parameters() const;
    /// Parameters that one token passes through: routed experts count by expertsPerToken / experts.
    std::int64_t activeParameters() const;
    /// The group of the first layer with full attention, else with any cache, else nullptr: what "KV heads" names for a person.
    const LayerGroup *mainGroup() const;

    bool operator==(const ModelSpec &) const = default;
};

/// The five numbers by hand.
struct HandShape {
    int layers = 0;
    int kvHeads = 0;
    int headDim = 0;
    int heads = 0;               ///< 0 = same as kvHeads
    std::int64_t parameters = 0; ///< 0 = not known: no weights
};

/// A plain transformer from five numbers. All layers full attention.
ModelSpec modelByHand(const HandShape &shape);

} // namespace kvscope
