// SPDX-License-Identifier: GPL-3.0-or-later
// What mixes tokens: attention and recurrences.
#include "core/import/tensorwriter.h"

#include <utility>

namespace kvscope {

void TensorWriter::writeMixer(std::size_t block)
{
    if (m_row.compressed) {
        writeCompressed(block);
        return;
    }
    if (m_blocks.hasAttention(block)) {
        if (m_shape.latent > 0)
            writeLatent();
        else
            writeAttention(block);
        if (m_blocks.hasIndexer(block))
            writeIndexer();
    } else if (m_row.blocksDiffer && m_blocks.group(block).parameters[Role::Attention] > 0) {
        matrix("attn_output", {m_shape.hidden, m_shape.hidden}); // a linear map in the place of attention
    }
    if (m_blocks.hasState(block))
        writeState();
}

void TensorWriter::writeAttention(std::size_t block)
{
    const Family &family = *m_shape.family;
    const HeadShape heads = m_blocks.headsOf(block);
    const bool full = m_blocks.kindOf(block) == LayerKind::Full;
    const bool sliding = m_blocks.kindOf(block) == LayerKind::Sliding;
    const std::int64_t h = m_shape.hidden;
    const std::int64_t query = heads.heads * heads.keyDim;
    const std::int64_t key = heads.kvHeads * heads.keyDim;
    const std::int64_t value = heads.kvHeads * heads.valueDim;
    const bool own = m_blocks.ownsKv(block) || m_row.altup;
    if (m_row.fusedQkv) {
        matrix("attn_qkv", {h, query + key + value});
        if (m_shape.qkvBias)
            bias("attn_qkv", {query + key + value});
    } else {
        matrix("attn_q", {h, query * (family.outputGate ? 2 : 1)});
        if (own)
            matrix("attn_k", {h, key});
        if (own && !(m_shape.valueIsKey && full))
            matrix("attn_v", {h, value});
        if (m_shape.qkvBias) {
            bias("attn_q", {query});
            bias("attn_k", {key});
            bias("attn_v", {value});
        }
    }
    matrix("attn_output", {heads.heads * heads.valueDim, h});
    if (m_shape.outputBias)
        bias("attn_output", {h});
    if (m_shape.qkNorm) {
        const bool whole = family.qkNorm == QkNorm::FullWidth && !m_row.normByHead;
        wide("attn_q_norm", {whole ? query : heads.keyDim, m_row.normByHead ? heads.heads : 1});
        if (own)
            wide("attn_k_norm", {whole ? key : heads.keyDim, m_row.normByHead ? heads.kvHeads : 1});
    }
    if (m_shape.headGate)
        matrix("attn_gate", {h, heads.heads});
    if (sliding ? m_shape.slidingSinks : m_shape.fullSinks)
        wide("attn_sinks", {heads.heads});
}

/// Latent attention as one KV head: the projections of the latent's two halves stand apart.
void TensorWriter::writeLatent()
{
    const std::int64_t h = m_shape.hidden;
    const std::int64_t heads = m_shape.full.heads;
    const std::int64_t query = heads * (m_shape.nope + m_shape.rope);
    if (m_shape.queryRank > 0) {
        matrix("attn_q_a", {h, m_shape.queryRank});
        wide("attn_q_a_norm", {m_shape.queryRank});
        matrix("attn_q_b", {m_shape.queryRank, query});
    } else {
        matrix("attn_q", {h, query});
    }
    matrix("attn_kv_a_mqa", {h, m_shape.latent + m_shape.rope});
    wide("attn_kv_a_norm", {m_shape.latent});
    matrix("attn_k_b", {m_shape.nope, m_shape.latent, heads});
    matrix("attn_v_b", {m_shape.latent, m_shape.full.valueDim, heads});
    matrix("attn_output", {heads * m_shape.full.valueDim, h});
}

/// DeepSeek V4: one vector a token for K and V, compressed ones beside the window, an indexer where four tokens share one.
void TensorWriter::writeCompressed(std::size_t block)
{
    const std::int64_t h = m_shape.hidden;
    const std::int64_t heads = m_shape.full.heads;
    const std::int64_t dim = m_shape.full.keyDim;
    const std::int64_t queryRank = m_fields.need({"q_lora_rank"}, widthRange);
    const std::int64_t outputRank = m_fields.need({"o_lora_rank"}, widthRange);
    const std::int64_t outputGroups = m_fields.need({"o_groups"}, headRange);
    const std::int64_t ratio = block < m_blocks.plan().compression.size() ? m_blocks.plan().compression[block] : 0;
    wide("attn_sinks", {heads});
    matrix("attn_q_a", {h, queryRank});
    wide("attn_q_a_norm", {queryRank});
    matrix("attn_q_b", {queryRank, heads * dim});
    matrix("attn_kv", {h, dim});
    wide("attn_kv_a_norm", {dim});
    matrix("attn_output_a", {heads * dim / outputGroups, outputRank, outputGroups});
    matrix("attn_output_b", {outputGroups * outputRank, h});
    const auto compressor = [&](const std::string &name, std::int64_t width, std::int64_t normWidth) {
        matrix(name + "_compressor_kv", {h, width});
        matrix(name + "_compressor_gate", {h, width});
        matrix(name + "_compressor_ape", {width, ratio});
        wide(name + "_compressor_norm", {normWidth});
    };
    constexpr std::int64_t indexedRatio = 4;
    if (ratio > 0)
        compressor("attn", ratio == indexedRatio ? 2 * dim : dim, dim);
    if (ratio == indexedRatio) {
        matrix("indexer.proj", {h, m_shape.indexHeads});
        matrix("indexer.attn_q_b", {queryRank, m_shape.indexHeads * m_shape.indexDim});
        compressor("indexer", 2 * m_shape.indexDim, m_shape.indexDim);
    }
}

void TensorWriter::writeIndexer()
{
    const std::int64_t h = m_shape.hidden;
    const std::int64_t dim = m_shape.indexDim;
    if (m_row.indexerInFloat) {
        wide("indexer.q_proj", {h, m_shape.indexHeads * dim});
        wide("indexer.k_proj", {h, dim});
        wide("indexer.q_norm", {dim});
        wide("indexer.k_norm", {dim});
        return;
    }
    wide("indexer.k_norm", {dim});
    bias("indexer.k_norm", {dim});
    matrix("indexer.proj", {h, m_shape.indexHeads});
    matrix("indexer.attn_k", {h, dim});
    matrix("indexer.attn_q_b", {m_shape.queryRank, m_shape.indexHeads * dim});
}

void TensorWriter::writeState()
{
    const std::int64_t h = m_shape.hidden;
    switch (m_shape.state.kind) {
    case Recurrence::Mamba1: writeMamba1(); return;
    case Recurrence::Mamba2: writeMamba2(); return;
    case Recurrence::GatedDelta: writeGatedDelta(); return;
    case Recurrence::KDA: writeKda(); return;
    case Recurrence::ShortConv:
        wide("shortconv.conv", {m_shape.recurrent.kernel, h});
        matrix("shortconv.in_proj", {h, 3 * h});
        matrix("shortconv.out_proj", {h, h});
        return;
    case Recurrence::None:
    case Recurrence::LinearAttention:
    case Recurrence::RWKV:
    case Recurrence::RGLRU: return; // no row of the table of conversions has these
    }
}

void TensorWriter::writeConvolution()
{
    wide("ssm_conv1d", {m_shape.recurrent.kernel, m_shape.state.convChannels});
    if (m_shape.recurrent.convBias)
        bias("ssm_conv1d", {m_shape.state.convChannels});
}

void TensorWriter::writeMamba1()
{
    const RecurrentShape &r = m_shape.recurrent;
    matrix("ssm_in", {m_shape.hidden, 2 * r.inner});
    writeConvolution();
    matrix("ssm_x", {r.inner, r.stepRank + 2 * r.stateSize});
    if (m_shape.family->recurrentNorms) {
        wide("ssm_dt_norm", {r.stepRank});
        wide("ssm_b_norm", {r.stateSize});
        wide("ssm_c_norm", {r.stateSize});
    }
    matrix("ssm_dt", {r.stepRank, r.inner});
    bias("ssm_dt", {r.inner});
    put("ssm_a", {}, {r.stateSize, r.inner}, Format::F32);
    put("ssm_d", {}, {r.inner}, Format::F32);
    matrix("ssm_out", {r.inner, m_shape.hidden});
}

void TensorWriter::writeMamba2()
{
    const RecurrentShape &r = m_shape.recurrent;
    matrix("ssm_in", {m_shape.hidden, r.inner + m_shape.state.convChannels + r.heads});
    writeConvolution();
    bias("ssm_dt", {r.heads});
    put("ssm_a", {}, {1, r.heads}, Format::F32);
    put("ssm_d", {}, {1, r.heads}, Format::F32);
    if (r.norm)
        wide("ssm_norm", {r.inner / r.groups, r.groups});
    matrix("ssm_out", {r.inner, m_shape.hidden});
}

void TensorWriter::writeGatedDelta()
{
    const std::int64_t h = m_shape.hidden;
    const RecurrentShape &r = m_shape.recurrent;
    matrix("attn_qkv", {h, m_shape.state.convChannels});
    matrix("attn_gate", {h, r.inner});
    writeConvolution();
    bias("ssm_dt", {r.heads});
    put("ssm_a", {}, {r.heads}, Format::F32);
    if (m_row.separateBetaGates) {
        matrix("ssm_alpha", {h, r.heads});
        matrix("ssm_beta", {h, r.heads});
    } else {
        matrix("ssm_ba", {h, 2 * r.heads});
    }
    wide("ssm_norm", {r.inner / r.heads});
    matrix("ssm_out", {r.inner, h});
}

void TensorWriter::writeKda()
{
    const std::int64_t h = m_shape.hidden;
    const RecurrentShape &r = m_shape.recurrent;
    for (const std::string_view part : {"attn_q", "attn_k", "attn_v"})
        matrix(part, {h, r.inner});
    for (const std::string_view part : {"ssm_conv1d_q", "ssm_conv1d_k", "ssm_conv1d_v"})
        wide(part, {r.kernel, 1, r.inner});
    for (const auto &[thin, thick] : {std::pair{"ssm_f_a", "ssm_f_b"}, std::pair{"ssm_g_a", "ssm_g_b"}}) {
        matrix(thin, {h, r.keyDim});
        matrix(thick, {r.keyDim, r.inner});
    }
    matrix("ssm_beta", {h, r.heads});
    put("ssm_a", {}, {1, r.heads}, Format::F32);
    bias("ssm_dt", {r.inner});
    wide("ssm_norm", {r.keyDim});
    matrix("attn_output", {r.inner, h});
}

} // namespace kvscope
