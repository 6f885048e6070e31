// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/adjust.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

void add(RoleCounts &counts, Role role, Count n) { counts[role] = saturatingAdd(counts[role], n.value); }

/// Width of Gemma's per-layer embeddings, 0 where the model has none.
std::int64_t perLayerWidth(Fields &fields) { return fields.find({"hidden_size_per_layer_input"}, {0, widthRange.highest}).value_or(0); }

/// Gemma's per-layer tables: rows of `width` for every layer, a projection from the hidden size, its norm (8.5, gemma4 E).
void addPerLayerTables(Fields &fields, const Shape &shape, std::int64_t width, ModelSpec &model)
{
    const std::int64_t rows = fields.find({"vocab_size_per_layer_input"}, vocabularyRange).value_or(shape.vocabulary);
    add(model.outer, Role::Embedding, Count{rows} * shape.layers * width);
    add(model.outer, Role::Ffn, Count{shape.hidden} * shape.layers * width);
    add(model.outer, Role::Small, width);
}

/// Gate and projection that bring a layer's own embedding in, and their norm.
void addPerLayerInput(const Shape &shape, std::int64_t width, LayerGroup &group)
{
    add(group.parameters, Role::Ffn, 2 * Count{shape.hidden} * width);
    add(group.parameters, Role::Small, shape.hidden);
}

} // namespace

/// AltUp, LAuReL and the per-layer input of Gemma 3n; not in 8.5, read from the class. Shared layers keep their K and V projections in the file.
void adjustGemma3nLayer(Fields &fields, const Shape &shape, const LayerPlan &plan, std::size_t index, LayerGroup &group)
{
    if (!plan.ownsKv[index]) {
        group.parameters = {};
        group.parameters += attentionOf(shape, plan.kinds[index], true);
        group.parameters += feedForward(shape, false);
        add(group.parameters, Role::Small, Count{4} * shape.hidden);
    }
    const Count inputs = fields.need({"altup_num_inputs"}, {1, 64});
    const Count rank = fields.need({"laurel_rank"}, widthRange);
    const Count h = shape.hidden;
    add(group.parameters, Role::Ffn, 2 * h * rank);
    add(group.parameters, Role::Small, h);                                                               // LAuReL's norm
    add(group.parameters, Role::Small, h + inputs * inputs + inputs * inputs * inputs + inputs * h + h); // AltUp
    addPerLayerInput(shape, perLayerWidth(fields), group);
}

void adjustGemma3nOuter(Fields &fields, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    addPerLayerTables(fields, shape, perLayerWidth(fields), model);
    const std::int64_t inputs = fields.need({"altup_num_inputs"}, {1, 64});
    add(model.outer, Role::Ffn, Count{2 * (inputs - 1)} * shape.hidden * shape.hidden);
}

/// 8.5, rows gemma4 and gemma4 E: norms around the experts, per-layer inputs, a wider FFN in shared layers.
void adjustGemma4Layer(Fields &fields, const Shape &shape, const LayerPlan &plan, std::size_t index, LayerGroup &group)
{
    if (plan.sparse[index])
        add(group.parameters, Role::Small, Count{4} * shape.hidden); // three norms and the router's scale
    if (!plan.ownsKv[index] && fields.flag({"use_double_wide_mlp", false}))
        group.parameters += ffnParameters(shape.hidden, shape.ffn, true, false);
    if (const std::int64_t width = perLayerWidth(fields); width > 0)
        addPerLayerInput(shape, width, group);
}

void adjustGemma4Outer(Fields &fields, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    if (const std::int64_t width = perLayerWidth(fields); width > 0)
        addPerLayerTables(fields, shape, width, model);
}

/// The compressed caches of spec 2.8: a sliding latent in every layer, one latent in `ratio` tokens beside it, an indexer where the ratio is 4.
/// Parameters: 8.5, row deepseek_v4. The first num_hash_layers route by a table instead of a score bias.
void adjustDeepSeekV4Layer(Fields &fields, const Shape &shape, const LayerPlan &plan, std::size_t index, LayerGroup &group)
{
    if (index >= plan.compression.size()) {
        fields.fail(ErrorCode::MissingField, "compress_ratios", "compress_ratios");
        return;
    }
    const std::int64_t ratio = plan.compression[index];
    const std::int64_t streams = fields.need({"hc_mult"}, {1, 64});
    const std::int64_t indexDim = fields.need({"index_head_dim"}, headDimRange);
    const std::int64_t indexHeads = fields.need({"index_n_heads"}, headRange);
    const std::int64_t rope = fields.need({"qk_rope_head_dim"}, {0, shape.full.keyDim - 1});
    const std::int64_t queryRank = fields.need({"q_lora_rank"}, widthRange);
    group.mixer = Mixer::Latent; // K and V are one vector of head_dim, for all heads
    group.kvHeads = 1;
    group.latentDim = static_cast<int>(shape.full.keyDim - rope);
    group.ropeDim = static_cast<int>(rope);
    group.queryLatentDim = static_cast<int>(queryRank);
    group.compression = {std::max<std::int64_t>(1, ratio)};
    group.window = {shape.window};
    group.indexKeyDim = ratio == 4 ? static_cast<int>(indexDim) : 0;
    group.parameters =
        compressedParameters({shape.hidden, shape.full.heads, shape.full.keyDim, queryRank, fields.need({"o_lora_rank"}, widthRange),
                              fields.need({"o_groups"}, headRange), ratio, indexHeads, indexDim, streams});
    group.parameters += feedForward(shape, true);
    const std::int64_t hashed = fields.find({"num_hash_layers"}, {0, largestLayerCount}).value_or(0);
    add(group.parameters, Role::Small,
        static_cast<std::int64_t>(index) < hashed ? Count{shape.vocabulary} * shape.expertsPerToken : Count{shape.experts});
    add(group.parameters, Role::Small, 2 * Count{shape.hidden});
}

void adjustDeepSeekV4Outer(Fields &fields, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    const Count streams = fields.need({"hc_mult"}, {1, 64});
    add(model.outer, Role::Small, streams * streams * shape.hidden + streams + 1);
}

/// Nemotron-NAS: each layer has its own attention, or none, and its own FFN width (8.4). What the search left out costs its norm too.
void adjustNemotronNasLayer(Fields &fields, const Shape &shape, const LayerPlan &, std::size_t index, LayerGroup &group)
{
    const Json *blocks = fields.raw("block_configs");
    if (!blocks)
        fields.fail(ErrorCode::MissingField, "block_configs", "block_configs");
    else if (!blocks->is_array() || blocks->size() < static_cast<std::size_t>(shape.layers))
        fields.fail(ErrorCode::OutOfRange, "block_configs.length", std::to_string(shape.layers) + ".." + std::to_string(largestLayerCount));
    else if (!(*blocks)[index].is_object())
        fields.fail(ErrorCode::WrongType, "block_configs[" + std::to_string(index) + ']', "object");
    if (fields.error())
        return;
    const std::string at = fields.path("block_configs[" + std::to_string(index) + "].");
    Fields block((*blocks)[index], (*blocks)[index], at);
    group = LayerGroup{};
    group.mixer = Mixer::None;
    const bool linearAttention = block.flag({"attention.replace_with_linear", false});
    if (linearAttention) {
        add(group.parameters, Role::Attention, Count{shape.hidden} * shape.hidden);
        add(group.parameters, Role::Small, shape.hidden);
    } else if (!block.flag({"attention.no_op", false})) {
        const std::int64_t perGroup = block.need({"attention.n_heads_in_group"}, {1, shape.full.heads});
        const std::int64_t window = block.find({"attention.window_length"}, {0, tokenRange.highest}).value_or(0);
        if (shape.full.heads % perGroup != 0)
            block.fail(ErrorCode::NotDivisible, "attention.n_heads_in_group",
                       std::to_string(shape.full.heads) + " by " + std::to_string(perGroup));
        const std::int64_t kvHeads = shape.full.heads / perGroup;
        group.mixer = window > 0 ? Mixer::Sliding : Mixer::Full;
        group.window = {window};
        group.queryHeads = static_cast<int>(shape.full.heads);
        group.kvHeads = static_cast<int>(kvHeads);
        group.keyDim = group.valueDim = static_cast<int>(shape.full.keyDim);
        Shape own = shape;
        own.full.kvHeads = kvHeads;
        group.parameters += attentionOf(own, LayerKind::Full, true);
        add(group.parameters, Role::Small, shape.hidden);
    }
    if (block.flag({"ffn.replace_with_linear", false})) {
        add(group.parameters, Role::Ffn, Count{shape.hidden} * shape.hidden);
        add(group.parameters, Role::Small, shape.hidden);
    } else if (!block.flag({"ffn.no_op", false})) {
        const double factor = block.decimal("ffn.ffn_mult", 0, 1024).value_or(0);
        if (factor == 0)
            block.fail(ErrorCode::MissingField, "ffn.ffn_mult", "ffn.ffn_mult");
        const auto exact = static_cast<std::int64_t>(2 * factor * static_cast<double>(shape.hidden) / 3);
        group.parameters += ffnParameters(shape.hidden, ceilDivide(exact, 256) * 256, true, shape.ffnBias);
        add(group.parameters, Role::Small, shape.hidden);
    }
    fields.adopt(block);
}

/// The indexer of MiniMax M3's sparse layers is not in 8.5: its keys' and queries' projections.
void adjustMinimaxM3Layer(Fields &, const Shape &shape, const LayerPlan &plan, std::size_t index, LayerGroup &group)
{
    if (plan.indexed[index])
        add(group.parameters, Role::Attention, Count{shape.hidden} * shape.indexDim * (shape.indexHeads + 1));
}

/// Cross-attention layers hold the image's K and V and none of the text's (8.4): q, k, v, o, norms of q and k, two gates.
void adjustMllamaLayer(Fields &, const Shape &shape, const LayerPlan &plan, std::size_t index, LayerGroup &group)
{
    if (plan.kinds[index] != LayerKind::Cross)
        return;
    group.queryHeads = static_cast<int>(shape.full.heads);
    group.crossKvHeads = static_cast<int>(shape.full.kvHeads);
    group.crossHeadDim = static_cast<int>(shape.full.keyDim);
    group.parameters += attentionOf(shape, LayerKind::Full, true);
    add(group.parameters, Role::Small, 2 * Count{shape.full.keyDim} + 2);
}

/// Eight rows of the table are for image tokens and have no counterpart in the head.
void adjustMllamaOuter(Fields &fields, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    add(model.outer, Role::Embedding, 8 * Count{shape.hidden});
    const Json *vision = fields.rawAnywhere("vision_config");
    if (!vision || !vision->is_object())
        return;
    Fields tower(*vision, *vision, "vision_config.");
    const std::int64_t side =
        tower.findOr({"image_size"}, {1, 65'536}, 560, "family_default") / tower.findOr({"patch_size"}, {1, 65'536}, 14, "family_default");
    const std::int64_t tiles = tower.findOr({"max_num_tiles"}, {1, 1024}, 4, "family_default");
    model.encoderLength = {(side * side + 1) * tiles};
    fields.adopt(tower);
}

namespace {

/// What both encoder-decoders share: a second attention over the encoder's output, with K and V of all heads.
void addCrossAttention(const Shape &shape, LayerGroup &group, const AttentionBlock &block)
{
    group.crossKvHeads = static_cast<int>(shape.full.kvHeads);
    group.crossHeadDim = static_cast<int>(shape.full.keyDim);
    group.parameters += attentionParameters(block);
    add(group.parameters, Role::Small, Count{shape.family->normVectors} * shape.hidden);
}

AttentionBlock plainAttention(const Shape &shape)
{
    return {shape.hidden, shape.full.heads, shape.full.kvHeads, shape.full.keyDim, shape.full.valueDim};
}

} // namespace

void adjustT5Layer(Fields &, const Shape &shape, const LayerPlan &, std::size_t, LayerGroup &group)
{
    addCrossAttention(shape, group, plainAttention(shape));
}

/// The encoder's layers, its final norm, and a table of relative positions each for encoder and decoder.
void adjustT5Outer(Fields &fields, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    const std::int64_t layers = fields.find({"num_layers"}, layerRange).value_or(shape.layers);
    RoleCounts layer = attentionParameters(plainAttention(shape));
    layer += feedForward(shape, false);
    add(layer, Role::Small, 2 * Count{shape.hidden});
    model.outer += layer * layers;
    const std::int64_t buckets = fields.need({"relative_attention_num_buckets"}, widthRange);
    add(model.outer, Role::Small, shape.hidden + 2 * Count{buckets} * shape.full.heads);
    model.encoderDecoder = true;
}

/// Whisper's key projections have no bias.
void adjustWhisperLayer(Fields &, const Shape &shape, const LayerPlan &, std::size_t, LayerGroup &group)
{
    AttentionBlock block = plainAttention(shape);
    block.qkvBias = block.outputBias = true;
    block.keyBias = false;
    add(group.parameters, Role::Small, Count{-1} * shape.full.kvHeads * shape.full.keyDim);
    addCrossAttention(shape, group, block);
}

/// Two convolutions over mel bands, learned positions, the encoder's layers and its final norm.
void adjustWhisperOuter(Fields &fields, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    const Count h = shape.hidden;
    const std::int64_t layers = fields.findOr({"encoder_layers"}, layerRange, shape.layers, "same_as_decoder");
    const std::int64_t width = fields.find({"encoder_ffn_dim"}, widthRange).value_or(shape.ffn);
    const std::int64_t frames = fields.need({"max_source_positions"}, tokenRange);
    const std::int64_t bands = fields.need({"num_mel_bins"}, widthRange);
    AttentionBlock block = plainAttention(shape);
    block.qkvBias = block.outputBias = true;
    block.keyBias = false;
    RoleCounts layer = attentionParameters(block);
    layer += ffnParameters(h, width, false, true);
    add(layer, Role::Small, 4 * h);
    model.outer += layer * layers;
    add(model.outer, Role::Embedding, Count{frames} * h);
    add(model.outer, Role::Small, 3 * Count{bands} * h + h + 3 * h * h + h + 2 * h);
    model.encoderDecoder = true;
    model.encoderLength = {frames};
}

namespace {

/// Rank of the low-rank adapters by which each hybrid layer of Zamba 2 bends the shared block.
std::int64_t adapterRank(Fields &fields) { return fields.find({"adapter_rank"}, {0, widthRange.highest}).value_or(128); }

} // namespace

/// Hybrid layers of Zamba 2 use a shared attention block on twice the hidden size; their own are its output projection and the adapters.
void adjustZamba2Layer(Fields &fields, const Shape &shape, const LayerPlan &plan, std::size_t index, LayerGroup &group)
{
    group.parameters = shape.stateParameters;
    add(group.parameters, Role::Small, shape.hidden);
    if (plan.kinds[index] != LayerKind::Hybrid)
        return;
    const Count h = shape.hidden;
    const Count rank = adapterRank(fields);
    add(group.parameters, Role::Ffn, h * h + h * rank + rank * 2 * shape.ffn);
    if (fields.flag({"use_shared_attention_adapter", true}))
        add(group.parameters, Role::Attention, 3 * (2 * h * rank + rank * shape.full.heads * shape.full.keyDim));
}

/// The shared blocks themselves: q, k, v from the hidden state and the embedding side by side, their norms, a gated FFN.
void adjustZamba2Outer(Fields &fields, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    const Count h = shape.hidden;
    const Count blocks = fields.find({"num_mem_blocks"}, layerRange).value_or(1);
    const Count query = Count{shape.full.heads} * shape.full.keyDim;
    const Count keys = Count{shape.full.kvHeads} * (Count{shape.full.keyDim} + shape.full.valueDim);
    add(model.outer, Role::Attention, blocks * (2 * h * (query + keys) + query * h));
    add(model.outer, Role::Ffn, blocks * 3 * h * shape.ffn);
    add(model.outer, Role::Small, blocks * 3 * h);
}

/// RWKV norms its embeddings once more before the first layer.
void adjustRwkvOuter(Fields &, const Shape &shape, const LayerPlan &, ModelSpec &model)
{
    add(model.outer, Role::Small, 2 * Count{shape.hidden});
}

} // namespace kvscope
