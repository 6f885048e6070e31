// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/shape.h"

#include <algorithm>

namespace kvscope {

namespace {

/// Names of 8.2. Names that only encoder-decoder files have come first: there the plain ones mean the encoder.
constexpr Range optionalCount{0, 65'536};
constexpr Range optionalWidth{0, widthRange.highest};
constexpr Range optionalTokens{0, tokenRange.highest};

/// The number of layers, or the length of the list that names each.
std::int64_t readLayerCount(Fields &fields, const Family &family)
{
    if (family.doubledLayers && !fields.has("num_hidden_layers"))
        return 2 * fields.need({"num_layers"}, {1, layerRange.highest / 2});
    if (const auto count =
            fields.find({"num_decoder_layers", "decoder_layers", "num_hidden_layers", "n_layer", "n_layers", "num_layers"}, layerRange))
        return *count;
    for (const std::string_view list : {"layers_block_type", "layer_types", "block_configs", "hybrid_override_pattern"}) {
        const Json *value = fields.raw(list);
        if (!value)
            continue;
        const std::size_t length = value->is_string() ? value->get_ref<const std::string &>().size() : value->size();
        if (length == 0 || length > static_cast<std::size_t>(layerRange.highest))
            fields.fail(ErrorCode::OutOfRange, std::string(list) + ".length", "1.." + std::to_string(layerRange.highest));
        fields.assume("num_hidden_layers", std::to_string(length), "list_length");
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(length), layerRange.lowest, layerRange.highest);
    }
    return fields.need({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, layerRange);
}

std::int64_t readHeads(Fields &fields)
{
    return fields.need({"decoder_attention_heads", "num_attention_heads", "n_head", "n_heads", "num_heads"}, headRange);
}

std::int64_t readKvHeads(Fields &fields, const Family &family, std::int64_t heads)
{
    if (fields.flag(family.multiQuery) && !fields.flag(family.notMultiQueryIf))
        return 1;
    if (fields.flag({"multi_query_attention", false}))
        if (const auto groups = fields.find({"multi_query_group_num"}, headRange))
            return *groups;
    const auto found =
        fields.find({"n_head_kv", "num_kv_heads", "num_key_value_heads", "num_attention_groups", "attn_config.kv_n_heads"}, headRange);
    if (found)
        return *found;
    if (!fields.has("block_configs")) // there each layer says its own
        fields.assume("num_key_value_heads", std::to_string(heads), "attention_heads");
    return heads;
}

std::int64_t readHeadDim(Fields &fields, std::int64_t hidden, std::int64_t heads)
{
    const auto found =
        fields.find({"head_dim", "attention_head_dim", "hidden_size_per_head", "kv_channels", "d_kv"}, {0, headDimRange.highest});
    if (found.value_or(0) > 0)
        return *found;
    if (hidden % heads != 0)
        fields.fail(ErrorCode::NotDivisible, "hidden_size", std::to_string(hidden) + " by " + std::to_string(heads));
    const std::int64_t dim = std::max<std::int64_t>(1, hidden / heads);
    fields.assume("head_dim", std::to_string(dim), "hidden_size_over_heads");
    return dim;
}

/// Heads of sliding or full layers where a family has them apart (MiMo, Step: sliding; Gemma 4: full).
void readHeadKinds(Fields &fields, Shape &shape)
{
    HeadShape &main = shape.full;
    HeadShape &sliding = shape.sliding;
    sliding.heads = fields.find({"swa_num_attention_heads", "attention_other_setting.num_attention_heads"}, headRange).value_or(main.heads);
    sliding.kvHeads =
        fields.find({"swa_num_key_value_heads", "attention_other_setting.num_attention_groups"}, headRange).value_or(main.kvHeads);
    const auto slidingDim = fields.find({"swa_head_dim"}, headDimRange);
    sliding.keyDim = slidingDim.value_or(main.keyDim);
    sliding.valueDim = fields.find({"swa_v_head_dim"}, headDimRange).value_or(slidingDim.value_or(main.valueDim));
    if (const auto dim = fields.find({"global_head_dim"}, headDimRange))
        main.keyDim = main.valueDim = *dim;
    if (const auto kvHeads = fields.find({"num_global_key_value_heads"}, headRange))
        main.kvHeads = *kvHeads;
    for (const HeadShape &kind : {main, sliding})
        if (kind.heads % kind.kvHeads != 0)
            fields.fail(ErrorCode::NotDivisible, "num_attention_heads", std::to_string(kind.heads) + " by " + std::to_string(kind.kvHeads));
}

/// MLA: the width of a head follows from its two parts; `head_dim` and the KV heads of such files mean nothing for the cache (8.2, "Traps").
void readLatent(Fields &fields, Shape &shape)
{
    shape.queryRank = fields.find({"q_lora_rank"}, optionalWidth).value_or(0);
    shape.rope = fields.need({"qk_rope_head_dim"}, {0, headDimRange.highest});
    shape.nope = fields.need({"qk_nope_head_dim"}, headDimRange);
    shape.full.keyDim = shape.nope + shape.rope;
    shape.full.valueDim = fields.need({"v_head_dim"}, headDimRange);
    shape.full.kvHeads = 1;
    shape.sliding = shape.full;
}

void readAttention(Fields &fields, Shape &shape)
{
    const Family &family = *shape.family;
    HeadShape &main = shape.full;
    main.heads = readHeads(fields);
    shape.latent = fields.find({"kv_lora_rank"}, optionalWidth).value_or(0);
    if (shape.latent > 0) {
        readLatent(fields, shape);
    } else {
        main.kvHeads = readKvHeads(fields, family, main.heads);
        main.keyDim = readHeadDim(fields, shape.hidden, main.heads);
        main.valueDim = fields.find({"v_head_dim"}, headDimRange).value_or(main.keyDim);
        readHeadKinds(fields, shape);
    }
    shape.indexDim = fields.find({"index_head_dim", "sparse_attention_config.sparse_index_dim"}, {0, headDimRange.highest}).value_or(0);
    if (shape.indexDim > 0)
        shape.indexHeads = fields.find({"index_n_heads", "sparse_attention_config.sparse_num_index_heads"}, headRange).value_or(0);
    shape.qkvBias = fields.flag(family.qkvBias);
    shape.outputBias = fields.flag(family.outputBias);
    shape.qkNorm = family.qkNorm != QkNorm::None && fields.flag(family.qkNormWhen);
    shape.headGate = fields.flag(family.headGate);
    shape.valueIsKey = fields.flag(family.valueIsKey);
    shape.fullSinks = fields.flag(family.fullSinks);
    shape.slidingSinks = fields.flag(family.slidingSinks);
}

/// `sliding_window: 0` means none, and Qwen's window holds only with its flag (8.2, "Traps").
void readWindow(Fields &fields, Shape &shape)
{
    const bool wanted = fields.flag({"use_sliding_window", !shape.family->windowNeedsFlag});
    if (wanted)
        shape.window =
            fields.find({"sliding_window", "sliding_window_size", "attention_window_size", "window_size"}, optionalTokens).value_or(0);
    shape.chunk = fields.find({"attention_chunk_size"}, optionalTokens).value_or(0);
}

/// LFM2 writes the width of an ungated FFN; the gated one is two thirds of it, rounded up.
std::int64_t adjustedWidth(Fields &fields, std::int64_t width)
{
    if (!fields.flag({"block_auto_adjust_ff_dim", false}))
        return width;
    const double factor = fields.decimal("block_ffn_dim_multiplier", 0, 1000).value_or(1.0);
    const std::int64_t step = fields.find({"block_multiple_of"}, widthRange).value_or(256);
    const auto scaled = static_cast<std::int64_t>(factor * static_cast<double>(2 * width / 3));
    return ceilDivide(scaled, step) * step;
}

void readFeedForward(Fields &fields, Shape &shape)
{
    shape.gated = shape.family->gated;
    if (const std::string projection = fields.text("feed_forward_proj"); !projection.empty()) // T5: "relu" or "gated-gelu"
        shape.gated = projection.starts_with("gated");
    shape.ffnBias = fields.flag(shape.family->ffnBias);

    shape.experts =
        fields
            .find({"num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts", "ffn_config.moe_num_experts"}, optionalCount)
            .value_or(0);
    const auto width = fields.find({"dense_intermediate_size", "intermediate_size_mlp", "decoder_ffn_dim", "intermediate_size",
                                    "ffn_hidden_size", "n_inner", "ffn_dim", "d_ff", "ffn_config.ffn_hidden_size", "block_ff_dim"},
                                   optionalWidth);
    if (width) {
        shape.ffn = adjustedWidth(fields, *width) / shape.family->ffnShare;
    } else if (const auto ratio = fields.find({"expansion_ratio"}, {1, 1024})) {
        shape.ffn = *ratio * shape.hidden;
    } else if (!shape.family->singleBlock && shape.experts == 0 && !fields.has("block_configs")) {
        shape.ffn = 4 * shape.hidden;
        fields.assume("intermediate_size", std::to_string(shape.ffn), "four_times_hidden");
    }

    if (shape.experts == 0) {
        // GraniteMoeHybrid without experts: the shared MLP is the only one.
        if (const auto shared = fields.find({"shared_intermediate_size"}, widthRange))
            shape.ffn = *shared;
        return;
    }
    shape.expertsPerToken = fields
                                .findFirst({"num_experts_per_tok", "num_experts_per_token", "top_k_experts", "moe_topk", "moe_k",
                                            "moe_top_k", "experts_per_token", "ffn_config.moe_top_k"},
                                           {1, shape.experts})
                                .value_or(0);
    if (shape.expertsPerToken == 0) {
        shape.expertsPerToken = 1;
        fields.assume("num_experts_per_tok", "1", "unknown_active_experts");
    }
    shape.expertWidth =
        fields.findFirst({"moe_intermediate_size", "expert_ffn_hidden_size", "intermediate_size", "ffn_config.ffn_hidden_size"}, widthRange)
            .value_or(0);
    if (shape.expertWidth == 0)
        fields.fail(ErrorCode::MissingField, "moe_intermediate_size", "moe_intermediate_size, expert_ffn_hidden_size, intermediate_size");
    const auto sharedWidth = fields.find(
        {"shared_expert_intermediate_size", "shared_intermediate_size", "moe_shared_expert_intermediate_size", "share_expert_dim"},
        optionalWidth);
    const auto sharedCount =
        fields.findFirst({"n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"}, optionalCount);
    shape.sharedWidth = sharedWidth ? *sharedWidth : sharedCount.value_or(0) * shape.expertWidth;
    shape.expertLatent = fields.find({"moe_latent_size", "routed_expert_hidden_size"}, optionalWidth).value_or(0);
    shape.zeroExperts = fields.find({"zero_expert_num"}, optionalCount).value_or(0);
    shape.scoreBias = fields.flag(shape.family->scoreBias);
}

/// The length the model was trained for, as the file says it (names of 3.4). Rope factors are an engine's business.
std::int64_t readContext(Fields &fields)
{
    const auto context = fields.find({"max_target_positions", "max_position_embeddings", "n_positions", "max_seq_len", "seq_length",
                                      "model_max_length", "max_sequence_length", "max_seq_length", "seq_len", "context_length"},
                                     tokenRange);
    return context.value_or(0);
}

} // namespace

Shape readShape(Fields &fields, const Family &family)
{
    Shape shape;
    shape.family = &family;
    shape.layers = readLayerCount(fields, family);
    shape.hidden = fields.need({"hidden_size", "n_embd", "n_embed", "d_model", "dim"}, widthRange);
    shape.vocabulary = fields.need({"vocab_size", "padded_vocab_size"}, vocabularyRange);
    shape.context = readContext(fields);
    if (!family.noAttention)
        readAttention(fields, shape);
    shape.norms = family.norms + (fields.flag(family.oneMoreNorm) ? 1 : 0);
    readWindow(fields, shape);
    readFeedForward(fields, shape);
    shape.mtpLayers =
        fields.find({"num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers", "num_mtp_modules"}, optionalCount).value_or(0);
    readRecurrence(fields, shape);
    return shape;
}

} // namespace kvscope
