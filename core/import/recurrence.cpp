// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/shape.h"

namespace kvscope {

namespace {

constexpr Range kernelRange{1, 1024};

/// fp32 if the file says so under the name its family has for it; else as the family does (2.7).
bool floatState(const Fields &fields, const Shape &shape)
{
    for (const std::string_view name : {"mamba_ssm_dtype", "mamba_ssm_cache_dtype"})
        if (const std::string type = fields.text(name); !type.empty())
            return type == "float32";
    return shape.family->stateInFloat;
}

void readMamba1(Fields &fields, Shape &shape)
{
    const std::int64_t expand = fields.findOr({"expand", "mamba_expand"}, {1, 64}, 2, "family_default");
    const std::int64_t inner = shape.family->singleBlock
                                   ? fields.find({"intermediate_size", "d_inner"}, widthRange).value_or(expand * shape.hidden)
                                   : expand * shape.hidden;
    const std::int64_t state = fields.need({"state_size", "mamba_d_state"}, widthRange);
    const std::int64_t kernel = fields.need({"conv_kernel", "mamba_d_conv"}, kernelRange);
    std::int64_t stepRank = ceilDivide(shape.hidden, 16);
    for (const std::string_view name : {"time_step_rank", "mamba_dt_rank"})
        if (const Json *value = fields.raw(name); value && !(value->is_string() && value->get_ref<const std::string &>() == "auto"))
            stepRank = fields.find({name}, widthRange).value_or(stepRank);
    const bool convBias = fields.flag({"use_conv_bias", true}) && fields.flag({"mamba_conv_bias", true});
    shape.state.convChannels = inner;
    shape.state.convKernel = static_cast<int>(kernel);
    shape.state.elements = (Count{inner} * state).value;
    shape.recurrent = {.inner = inner, .stateSize = state, .stepRank = stepRank, .kernel = kernel, .convBias = convBias};
    shape.stateParameters = mamba1Parameters({shape.hidden, inner, state, stepRank, kernel, shape.family->recurrentNorms, convBias});
}

void readMamba2(Fields &fields, Shape &shape)
{
    const std::int64_t expand = fields.find({"expand", "mamba_expand"}, {1, 64}).value_or(2);
    const std::int64_t inner = fields.find({"mamba_d_ssm"}, widthRange).value_or(expand * shape.hidden);
    auto namedHeads = fields.find({"mamba_num_heads", "mamba_n_heads", "n_mamba_heads"}, headRange);
    if (!namedHeads && shape.family->singleBlock) // Mamba 2 itself: there are no other heads
        namedHeads = fields.find({"num_heads"}, headRange);
    const std::int64_t heads = namedHeads ? *namedHeads : fields.need({"mamba_num_heads", "mamba_n_heads", "n_mamba_heads"}, headRange);
    std::int64_t headDim = std::max<std::int64_t>(1, inner / heads);
    for (const std::string_view name : {"mamba_head_dim", "mamba_d_head", "mamba_headdim"})
        if (const Json *value = fields.raw(name); value && !value->is_string()) // "auto" = expand * hidden / heads
            headDim = fields.find({name}, headDimRange).value_or(headDim);
    if (shape.family->singleBlock && !fields.has("mamba_head_dim"))
        headDim = fields.find({"head_dim"}, headDimRange).value_or(headDim);
    const std::int64_t groups = fields.findOr({"n_groups", "mamba_n_groups", "mamba_ngroups"}, headRange, 1, "family_default");
    const std::int64_t state = fields.need({"ssm_state_size", "mamba_d_state", "state_size"}, widthRange);
    const std::int64_t kernel = fields.need({"conv_kernel", "mamba_d_conv"}, kernelRange);
    const bool convBias = fields.flag({"use_conv_bias", true}) && fields.flag({"mamba_conv_bias", true});
    const bool projectionBias = fields.flag({"mamba_proj_bias", false});
    shape.state.convChannels = (Count{heads} * headDim + 2 * Count{groups} * state).value;
    shape.state.convKernel = static_cast<int>(kernel);
    shape.state.elements = (Count{heads} * headDim * state).value;
    shape.state.groups = static_cast<int>(groups);
    shape.state.groupChannels = 2 * state;
    const bool norm = fields.flag(shape.family->stateNorm);
    shape.recurrent = {.inner = (Count{heads} * headDim).value,
                       .heads = heads,
                       .groups = groups,
                       .stateSize = state,
                       .kernel = kernel,
                       .convBias = convBias,
                       .norm = norm};
    shape.stateParameters = mamba2Parameters({shape.hidden, heads, headDim, groups, state, kernel, convBias, projectionBias, norm});
}

void readGatedDelta(Fields &fields, Shape &shape)
{
    const std::int64_t keyHeads = fields.need({"linear_num_key_heads"}, headRange);
    const std::int64_t valueHeads = fields.need({"linear_num_value_heads"}, headRange);
    const std::int64_t keyDim = fields.need({"linear_key_head_dim"}, headDimRange);
    const std::int64_t valueDim = fields.need({"linear_value_head_dim"}, headDimRange);
    const std::int64_t kernel = fields.need({"linear_conv_kernel_dim"}, kernelRange);
    shape.state.convChannels = (2 * Count{keyHeads} * keyDim + Count{valueHeads} * valueDim).value;
    shape.state.convKernel = static_cast<int>(kernel);
    shape.state.elements = (Count{valueHeads} * keyDim * valueDim).value;
    shape.recurrent = {
        .inner = (Count{valueHeads} * valueDim).value, .heads = valueHeads, .keyHeads = keyHeads, .keyDim = keyDim, .kernel = kernel};
    shape.stateParameters = gatedDeltaParameters({shape.hidden, keyHeads, valueHeads, keyDim, valueDim, kernel});
}

void readKda(Fields &fields, Shape &shape)
{
    const std::int64_t heads = fields.need({"linear_attn_config.num_heads"}, headRange);
    const std::int64_t headDim = fields.need({"linear_attn_config.head_dim"}, headDimRange);
    const std::int64_t kernel = fields.need({"linear_attn_config.short_conv_kernel_size"}, kernelRange);
    shape.state.convChannels = (3 * Count{heads} * headDim).value;
    shape.state.convKernel = static_cast<int>(kernel);
    shape.state.elements = (Count{heads} * headDim * headDim).value;
    shape.recurrent = {.inner = (Count{heads} * headDim).value, .heads = heads, .keyDim = headDim, .kernel = kernel};
    shape.stateParameters =
        kdaParameters({shape.hidden, heads, headDim, kernel, fields.flag({"linear_attn_config.use_full_rank_gate", false})});
}

void readRglru(Fields &fields, Shape &shape)
{
    const std::int64_t width = fields.find({"lru_width"}, widthRange).value_or(shape.hidden);
    const std::int64_t kernel = fields.need({"conv1d_width"}, kernelRange);
    shape.state.convChannels = width;
    shape.state.convKernel = static_cast<int>(kernel);
    shape.state.elements = width;
    shape.stateParameters = rglruParameters(shape.hidden, width, shape.full.heads, kernel);
}

/// RWKV-4: the last token's input of both blocks, and numerator, denominator and exponent of the running average, which stay fp32.
void readRwkv(Fields &fields, Shape &shape)
{
    const std::int64_t width = fields.find({"attention_hidden_size"}, widthRange).value_or(shape.hidden);
    shape.state.convChannels = 2 * shape.hidden;
    shape.state.convKernel = 2;
    shape.state.elements = 3 * width;
    shape.stateParameters = rwkvParameters(shape.hidden, width, shape.ffn);
}

} // namespace

void readRecurrence(Fields &fields, Shape &shape)
{
    shape.state.kind = shape.family->recurrence;
    switch (shape.family->recurrence) {
    case Recurrence::None: return;
    case Recurrence::RWKV: readRwkv(fields, shape); break;
    case Recurrence::Mamba1: readMamba1(fields, shape); break;
    case Recurrence::Mamba2: readMamba2(fields, shape); break;
    case Recurrence::GatedDelta: readGatedDelta(fields, shape); break;
    case Recurrence::KDA: readKda(fields, shape); break;
    case Recurrence::LinearAttention:
        shape.state.elements = (Count{shape.full.heads} * shape.full.keyDim * shape.full.keyDim).value;
        shape.stateParameters = linearAttentionParameters(shape.hidden, shape.full.heads, shape.full.keyDim);
        break;
    case Recurrence::ShortConv: {
        const std::int64_t kernel = fields.need({"conv_L_cache"}, kernelRange);
        shape.state.convChannels = fields.find({"conv_dim"}, widthRange).value_or(shape.hidden);
        shape.state.convKernel = static_cast<int>(kernel);
        shape.recurrent.kernel = kernel;
        shape.stateParameters = shortConvParameters(shape.hidden, kernel, fields.flag({"conv_bias", false}));
        break;
    }
    case Recurrence::RGLRU: readRglru(fields, shape); break;
    }
    shape.state.alwaysF32 = floatState(fields, shape);
    shape.state.f32ByDefault = shape.state.alwaysF32 && shape.state.kind == Recurrence::Mamba2 && fields.text("mamba_ssm_dtype").empty() &&
                               fields.text("mamba_ssm_cache_dtype").empty();
}

} // namespace kvscope
