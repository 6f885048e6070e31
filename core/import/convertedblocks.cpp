// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/convertedblocks.h"

namespace kvscope {

namespace {

/// Most blocks that llama.cpp loads (spec/local-engines.md 1.6).
constexpr std::int64_t mostBlocks = 512;

} // namespace

ConvertedBlocks::ConvertedBlocks(const Fields &fields, const Shape &shape, const LayerPlan &plan, const ModelSpec &model,
                                 const Conversion &row) :
    m_fields(fields),
    m_shape(shape),
    m_plan(plan),
    m_model(model),
    m_row(row),
    m_nextn(row.nextn == NextnBlocks::Dropped ? 0 : shape.mtpLayers),
    m_perLayerWidth(m_fields.find({"hidden_size_per_layer_input"}, {0, widthRange.highest}).value_or(0))
{
}

bool ConvertedBlocks::covered()
{
    // Kimi K3's language model says kimi_linear too, but is another architecture: a gate of full rank, experts in a narrower width.
    const bool otherGate = m_fields.flag({"linear_attn_config.use_full_rank_gate", false});
    return count() <= mostBlocks && !otherGate;
}

LayerKind ConvertedBlocks::kindOf(std::size_t block) const
{
    if (predicts(block))
        return m_row.nextn == NextnBlocks::WindowedBlockAndHead ? LayerKind::Sliding : LayerKind::Full;
    return m_plan.kinds[block];
}

bool ConvertedBlocks::hasExperts(std::size_t block) const
{
    return predicts(block) ? m_shape.experts > 0 && m_row.nextn != NextnBlocks::WindowedBlockAndHead : m_plan.sparse[block];
}

bool ConvertedBlocks::hasAttention(std::size_t block) const
{
    if (m_row.blocksDiffer)
        return group(block).queryHeads > 0;
    const LayerKind kind = kindOf(block);
    return kind == LayerKind::Full || kind == LayerKind::Sliding || kind == LayerKind::Chunked || kind == LayerKind::Hybrid;
}

bool ConvertedBlocks::hasState(std::size_t block) const { return kindOf(block) == LayerKind::State || kindOf(block) == LayerKind::Hybrid; }

bool ConvertedBlocks::hasFfn(std::size_t block) const
{
    const LayerKind kind = kindOf(block);
    return predicts(block) || !m_shape.family->singleBlock || kind == LayerKind::Ffn || kind == LayerKind::Moe;
}

HeadShape ConvertedBlocks::headsOf(std::size_t block) const
{
    if (m_row.blocksDiffer)
        return {group(block).queryHeads, group(block).kvHeads, m_shape.full.keyDim, m_shape.full.valueDim};
    return kindOf(block) == LayerKind::Sliding ? m_shape.sliding : m_shape.full;
}

std::int64_t ConvertedBlocks::denseWidth(std::size_t block)
{
    if (m_row.blocksDiffer)
        return group(block).parameters[Role::Ffn] / (3 * m_shape.hidden);
    return m_shape.ffn * (!ownsKv(block) && m_fields.flag({"use_double_wide_mlp", false}) ? 2 : 1);
}

} // namespace kvscope
