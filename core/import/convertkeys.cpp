// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/model.h"
#include "core/import/convertedblocks.h"

#include <algorithm>

namespace kvscope {

namespace {

class KeyWriter {
public:
    KeyWriter(ConvertedBlocks &blocks, GgufModel &out) :
        m_blocks(blocks), m_fields(blocks.fields()), m_shape(blocks.shape()), m_row(blocks.row()), m_out(out)
    {
    }

    void write() { writeKeys(); }

private:
    /// The entry of feed_forward_length.
    std::int64_t ffnLength(std::size_t block)
    {
        if (!m_blocks.hasFfn(block))
            return 0;
        const bool experts = m_blocks.hasExperts(block) && (m_shape.family->singleBlock || m_shape.ffn == 0);
        return experts ? m_shape.expertWidth : m_blocks.denseWidth(block);
    }

    void key(std::string_view name, std::int64_t value) { m_out.keys.insert_or_assign(std::string(name), GgufNumbers{{value}, false}); }
    void keyIf(std::string_view name, std::int64_t value)
    {
        if (value > 0)
            key(name, value);
    }
    /// One number if all blocks have the same, else an array.
    template<typename ValueOf>
    void perBlock(std::string_view name, const ValueOf &valueOf)
    {
        GgufNumbers numbers;
        for (std::size_t i = 0; i < static_cast<std::size_t>(m_blocks.count()); ++i)
            numbers.values.push_back(valueOf(i));
        numbers.array = std::ranges::any_of(numbers.values, [&](std::int64_t v) { return v != numbers.values.front(); });
        if (!numbers.array)
            numbers.values.resize(1);
        m_out.keys.insert_or_assign(std::string(name), std::move(numbers));
    }

    void writeKeys()
    {
        key("context_length", m_row.context > 0 ? m_row.context : m_shape.context);
        key("block_count", m_blocks.count());
        key("embedding_length", m_shape.hidden);
        keyIf("nextn_predict_layers", m_blocks.nextn());
        if (m_shape.family->noAttention) {
            key("feed_forward_length", 0);
            key("attention.head_count", 0);
        } else {
            perBlock("feed_forward_length", [&](std::size_t i) { return ffnLength(i); });
            writeAttentionKeys();
        }
        if (m_blocks.perLayerWidth() > 0 || m_row.parallelExperts)
            key("embedding_length_per_layer_input", m_blocks.perLayerWidth());
        keyIf("attention.shared_kv_layers", std::ranges::count(m_blocks.plan().ownsKv, false));
        if (m_shape.experts > 0)
            writeExpertKeys();
        if (m_shape.state.kind != Recurrence::None)
            writeStateKeys();
        if (m_shape.indexDim > 0)
            writeIndexerKeys();
        if (m_row.compressed)
            writeCompressedKeys();
    }

    void writeAttentionKeys()
    {
        const bool latent = m_shape.latent > 0;
        perBlock("attention.head_count", [&](std::size_t i) { return m_blocks.headsOf(i).heads; });
        perBlock("attention.head_count_kv", [&](std::size_t i) {
            return m_row.kvHeadsTellLayers && !m_blocks.hasAttention(i) ? std::int64_t{0} : m_blocks.headsOf(i).kvHeads;
        });
        key("attention.key_length", latent ? m_shape.latent + m_shape.rope : m_shape.full.keyDim);
        key("attention.value_length", latent ? m_shape.latent : m_shape.full.valueDim);
        if (latent) {
            key("attention.kv_lora_rank", m_shape.latent);
            keyIf("attention.q_lora_rank", m_shape.queryRank);
            key("attention.key_length_mla", m_shape.nope + m_shape.rope);
            key("attention.value_length_mla", m_shape.full.valueDim);
        } else if (m_shape.sliding.keyDim != m_shape.full.keyDim || m_shape.sliding.valueDim != m_shape.full.valueDim) {
            key("attention.key_length_swa", m_shape.sliding.keyDim);
            key("attention.value_length_swa", m_shape.sliding.valueDim);
        }
        keyIf("attention.sliding_window", m_shape.window);
        if (m_row.windowPattern)
            perBlock("attention.sliding_window_pattern",
                     [&](std::size_t i) { return std::int64_t{m_blocks.kindOf(i) == LayerKind::Sliding}; });
    }

    void writeExpertKeys()
    {
        key("expert_count", m_shape.experts);
        key("expert_used_count", m_shape.expertsPerToken);
        key("expert_feed_forward_length", m_shape.expertWidth);
        if (m_shape.sharedWidth > 0) {
            key("expert_shared_feed_forward_length", m_shape.sharedWidth);
            keyIf("expert_shared_count", m_shape.sharedWidth / m_shape.expertWidth);
        }
        const auto firstSparse = std::ranges::find(m_blocks.plan().sparse, true);
        if (std::all_of(firstSparse, m_blocks.plan().sparse.end(), [](bool sparse) { return sparse; }))
            keyIf("leading_dense_block_count", firstSparse - m_blocks.plan().sparse.begin());
    }

    void writeStateKeys()
    {
        const RecurrentShape &r = m_shape.recurrent;
        switch (m_shape.state.kind) {
        case Recurrence::ShortConv: key("shortconv.l_cache", r.kernel); return;
        case Recurrence::KDA:
            key("ssm.conv_kernel", r.kernel);
            key("kda.head_dim", r.keyDim);
            return;
        case Recurrence::GatedDelta:
            key("full_attention_interval", interval());
            key("ssm.state_size", r.keyDim);
            key("ssm.group_count", r.keyHeads);
            break;
        default: key("ssm.state_size", r.stateSize); keyIf("ssm.group_count", r.groups);
        }
        key("ssm.conv_kernel", r.kernel);
        key("ssm.inner_size", r.inner);
        key("ssm.time_step_rank", r.stepRank > 0 ? r.stepRank : r.heads);
    }

    /// DeepSeek V4 (3.7).
    void writeCompressedKeys()
    {
        key("attention.q_lora_rank", m_fields.need({"q_lora_rank"}, widthRange));
        key("attention.output_lora_rank", m_fields.need({"o_lora_rank"}, widthRange));
        key("attention.output_group_count", m_fields.need({"o_groups"}, headRange));
        key("hyper_connection.count", m_fields.need({"hc_mult"}, {1, 64}));
        const std::vector<std::int64_t> &ratios = m_blocks.plan().compression;
        perBlock("attention.compress_ratios", [&](std::size_t i) { return i < ratios.size() ? ratios[i] : std::int64_t{0}; });
    }

    std::int64_t interval()
    {
        const LayerPattern &pattern = m_shape.family->pattern;
        return m_fields.find({pattern.periodField}, {1, largestLayerCount}).value_or(pattern.period);
    }

    void writeIndexerKeys()
    {
        key("attention.indexer.key_length", m_shape.indexDim);
        key("attention.indexer.head_count", m_shape.indexHeads);
        if (m_fields.has("indexer_types"))
            perBlock("attention.indexer.types", [&](std::size_t i) { return std::int64_t{m_blocks.hasIndexer(i)}; });
    }

    ConvertedBlocks &m_blocks;
    Fields &m_fields;
    const Shape &m_shape;
    const Conversion &m_row;
    GgufModel &m_out;
};

} // namespace

void convertKeys(ConvertedBlocks &blocks, GgufModel &out) { KeyWriter(blocks, out).write(); }

} // namespace kvscope
