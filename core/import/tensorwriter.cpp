// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/tensorwriter.h"

#include <algorithm>

namespace kvscope {

namespace {

/// Checkpoints with experts in MXFP4 keep them so.
Format expertFormat(const ModelSpec &model, Format otherwise)
{
    constexpr auto experts = static_cast<std::size_t>(Role::Experts);
    const std::optional<Quantization> &stored = model.quantization;
    const bool packed = stored && ((stored->format == Format::MXFP4 && stored->quantised[experts]) ||
                                   (stored->secondFormat == Format::MXFP4 && stored->secondQuantised[experts]));
    return packed ? Format::MXFP4 : otherwise;
}

} // namespace

TensorWriter::TensorWriter(ConvertedBlocks &blocks, GgufModel &out) :
    m_blocks(blocks),
    m_fields(blocks.fields()),
    m_shape(blocks.shape()),
    m_row(blocks.row()),
    m_out(out),
    m_matrix(blocks.model().nativeFormat == Format::BF16 ? Format::BF16 : Format::F16),
    m_expert(expertFormat(blocks.model(), m_matrix)),
    m_inputs(m_row.altup ? m_fields.need({"altup_num_inputs"}, {1, 64}) : 0),
    m_streams(m_row.compressed ? m_fields.need({"hc_mult"}, {1, 64}) : 0),
    m_tableLayers(m_row.compressed ? m_fields.find({"num_hash_layers"}, {0, largestLayerCount}).value_or(0) : 0)
{
}

void TensorWriter::write()
{
    m_out.tensors.reserve(static_cast<std::size_t>(m_blocks.count()) * 20 + 8);
    m_out.fileType = m_matrix == Format::BF16 ? 32 : 1;
    writeOuter();
    for (std::int64_t i = 0; i < m_blocks.count(); ++i)
        writeBlock(static_cast<std::size_t>(i));
}

void TensorWriter::put(std::string_view name, std::string_view suffix, Dims dims, Format type)
{
    GgufTensor &tensor = m_out.tensors.emplace_back();
    tensor.name.reserve(m_prefix.size() + name.size() + suffix.size());
    tensor.name.append(m_prefix).append(name).append(suffix);
    std::ranges::copy(dims, tensor.dims.begin());
    tensor.type = type;
}

void TensorWriter::norm(std::string_view name)
{
    if (m_shape.family->normVectors > 0)
        wide(name, {m_shape.hidden});
    if (m_shape.family->normVectors > 1)
        bias(name, {m_shape.hidden});
}

void TensorWriter::writeOuter()
{
    const std::int64_t h = m_shape.hidden;
    const Family &family = *m_shape.family;
    const std::int64_t multiple =
        m_row.vocabularyMultiple > 1 ? m_fields.find({"pad_vocab_size_multiple"}, {1, 65'536}).value_or(m_row.vocabularyMultiple) : 1;
    const std::int64_t rows = ceilDivide(m_shape.vocabulary, multiple) * multiple;
    m_out.vocab = m_row.tokens > 0 ? std::min(rows, m_row.tokens) : rows;
    m_prefix.clear();
    matrix("token_embd", {h, m_out.vocab});
    if (const std::int64_t each = m_blocks.perLayerWidth(); each > 0) {
        const std::int64_t width = each * m_shape.layers;
        matrix("per_layer_token_embd", {width, m_out.vocab}); // padded where the checkpoint's is shorter
        matrix("per_layer_model_proj", {h, width});
        wide("per_layer_proj_norm", {each});
    }
    if (family.positionRows != noPositions)
        wide("position_embd", {h, m_shape.context + family.positionRows});
    if (family.embeddingNorm)
        norm("token_embd_norm");
    norm(m_row.finalNorm);
    if (!m_shape.tied)
        matrix("output", {h, m_out.vocab});
    if (m_fields.flag(family.headBias))
        bias("output", {m_out.vocab});
    if (m_inputs > 0) {
        matrix("altup_proj", {h, h, m_inputs - 1});
        matrix("altup_unembd_proj", {h, h, m_inputs - 1});
    }
    if (m_streams > 0) {
        matrix("output_hc_fn", {m_streams * h, m_streams});
        wide("output_hc_base", {m_streams});
        wide("output_hc_scale", {1});
    }
    writeRopeFactors();
}

/// Factors of Llama 3's scaling, of long-rope's two, and of Gemma 4's partly turned heads.
void TensorWriter::writeRopeFactors()
{
    std::string type;
    for (const std::string_view name :
         {"rope_scaling.rope_type", "rope_scaling.type", "rope_parameters.rope_type", "rope_parameters.full_attention.rope_type"})
        if (type.empty())
            type = m_fields.text(name);
    if (type == "llama3" || m_row.fullRopeFactors)
        wide("rope_freqs", {m_shape.full.keyDim / 2});
    if (type == "longrope" || type == "su") {
        const double part = m_fields.decimal("partial_rotary_factor", 0, 1).value_or(1.0);
        const auto turned = static_cast<std::int64_t>(part * static_cast<double>(m_shape.full.keyDim)) / 2;
        wide("rope_factors_long", {turned});
        wide("rope_factors_short", {turned});
    }
}

void TensorWriter::writeBlock(std::size_t block)
{
    m_prefix.assign("blk.").append(std::to_string(block)).push_back('.');
    writeNorms(block);
    writeMixer(block);
    if (m_blocks.hasFfn(block)) {
        if (!m_blocks.hasExperts(block) || m_shape.family->denseBesideExperts)
            writeFfn(m_blocks.denseWidth(block));
        if (m_blocks.hasExperts(block))
            writeExperts(block);
    }
    if (const std::int64_t width = m_blocks.perLayerWidth(); width > 0) {
        matrix("inp_gate", {m_shape.hidden, width});
        matrix("proj", {width, m_shape.hidden});
        norm("post_norm");
    }
    if (m_inputs > 0)
        writeAltup();
    if (m_streams > 0) {
        const std::int64_t mixes = (2 + m_streams) * m_streams;
        for (const std::string_view part : {"hc_attn_", "hc_ffn_"}) {
            matrix(std::string(part) + "fn", {m_streams * m_shape.hidden, mixes});
            wide(std::string(part) + "base", {mixes});
            wide(std::string(part) + "scale", {3});
        }
    }
    if (!m_row.layerScalar.empty())
        wide(m_row.layerScalar, {1});
    if (m_blocks.predicts(block))
        writePrediction();
}

void TensorWriter::writeNorms(std::size_t block)
{
    if (m_row.blocksDiffer) { // what the search left out has no norm either
        if (m_blocks.group(block).parameters[Role::Attention] > 0)
            norm("attn_norm");
        if (m_blocks.denseWidth(block) > 0)
            norm("ffn_norm");
        return;
    }
    std::string_view names = m_row.norms;
    const bool both = m_shape.family->singleBlock && m_blocks.predicts(block); // attention and experts in one block here
    for (int n = 0; n < m_shape.norms + (both ? 1 : 0) && !names.empty(); ++n) {
        const std::size_t end = std::min(names.find(' '), names.size());
        norm(names.substr(0, end));
        names.remove_prefix(std::min(end + 1, names.size()));
    }
}

void TensorWriter::writeFfn(std::int64_t width)
{
    if (width == 0)
        return;
    const std::int64_t h = m_shape.hidden;
    const bool fused = m_row.fusedGateUp && m_shape.gated;
    const bool gate = m_shape.gated && !fused;
    const std::int64_t up = fused ? 2 * width : width;
    if (gate)
        matrix("ffn_gate", {h, width});
    matrix("ffn_up", {h, up});
    matrix("ffn_down", {width, h});
    if (!m_shape.ffnBias)
        return;
    if (gate)
        bias("ffn_gate", {width});
    bias("ffn_up", {up});
    bias("ffn_down", {h});
}

void TensorWriter::writeRouter(std::size_t block)
{
    const std::int64_t experts = m_shape.experts;
    wide("ffn_gate_inp", {m_shape.hidden, experts});
    if (m_shape.family->routerBias)
        bias("ffn_gate_inp", {experts});
    if (m_row.parallelExperts) {
        put("ffn_gate_inp", ".scale", {m_shape.hidden}, Format::F32);
        put("ffn_down_exps", ".scale", {experts}, Format::F32);
        for (const std::string_view name : {"pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2"})
            norm(name);
    } else if (static_cast<std::int64_t>(block) < m_tableLayers) {
        put("ffn_gate_tid2eid", ".weight", {m_shape.expertsPerToken, m_shape.vocabulary}, Format::I32);
    } else if (m_shape.scoreBias || m_row.compressed) {
        bias("exp_probs_b", {experts});
    }
}

void TensorWriter::writeExperts(std::size_t block)
{
    const std::int64_t h = m_shape.hidden;
    const std::int64_t experts = m_shape.experts;
    const std::int64_t width = m_shape.expertWidth;
    const std::int64_t inner = m_shape.expertLatent > 0 ? m_shape.expertLatent : h;
    writeRouter(block);
    if (m_row.parallelExperts) {
        put("ffn_gate_up_exps", ".weight", {inner, 2 * width, experts}, m_expert);
    } else {
        if (m_shape.gated)
            put("ffn_gate_exps", ".weight", {inner, width, experts}, m_expert);
        put("ffn_up_exps", ".weight", {inner, width, experts}, m_expert);
    }
    put("ffn_down_exps", ".weight", {width, inner, experts}, m_expert);
    if (m_shape.family->expertBias) {
        bias("ffn_gate_exps", {width, experts});
        bias("ffn_up_exps", {width, experts});
        bias("ffn_down_exps", {inner, experts});
    }
    if (m_shape.expertLatent > 0) {
        matrix("ffn_latent_down", {h, inner});
        matrix("ffn_latent_up", {inner, h});
    }
    if (m_shape.sharedWidth == 0)
        return;
    if (m_shape.family->sharedGate)
        wide("ffn_gate_inp_shexp", {h});
    if (m_shape.gated)
        matrix("ffn_gate_shexp", {h, m_shape.sharedWidth});
    matrix("ffn_up_shexp", {h, m_shape.sharedWidth});
    matrix("ffn_down_shexp", {m_shape.sharedWidth, h});
}

/// Gemma 3n. The router's matrix and the low-rank ones stay at 16 bit, the coefficients at f32.
void TensorWriter::writeAltup()
{
    const std::int64_t h = m_shape.hidden;
    const std::int64_t rank = m_fields.need({"laurel_rank"}, widthRange);
    wide("altup_correct_coef", {m_inputs, m_inputs});
    wide("altup_correct_scale", {h});
    wide("altup_predict_coef", {m_inputs, m_inputs * m_inputs});
    matrix("altup_router", {h, m_inputs});
    norm("altup_router_norm");
    matrix("laurel_l", {h, rank});
    matrix("laurel_r", {rank, h});
    norm("laurel_post_norm");
}

void TensorWriter::writePrediction()
{
    const std::int64_t h = m_shape.hidden;
    matrix("nextn.eh_proj", {2 * h, h});
    for (const std::string_view name : {"nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm"})
        norm(name);
    if (m_row.nextn == NextnBlocks::BlockAndTables)
        matrix("nextn.embed_tokens", {h, m_out.vocab});
    if (m_row.nextn != NextnBlocks::Block)
        matrix("nextn.shared_head_head", {h, m_out.vocab});
}

void convertTensors(ConvertedBlocks &blocks, GgufModel &out) { TensorWriter(blocks, out).write(); }

} // namespace kvscope
