// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/convert.h"

#include "core/import/conversion.h"

#include <algorithm>
#include <memory>

namespace kvscope {

namespace {

/// Most blocks that llama.cpp loads (spec/local-engines.md 1.6).
constexpr std::int64_t mostBlocks = 512;

using Dims = std::initializer_list<std::int64_t>;

/// The tensors and keys of one model. Names are those of spec/gguf-quantize.md 6, and of llama.cpp's own list where that page has none.
class Converter {
public:
    Converter(const Fields &fields, const Shape &shape, const LayerPlan &plan, const ModelSpec &model, const Conversion &row) :
        m_fields(fields),
        m_shape(shape),
        m_plan(plan),
        m_model(model),
        m_row(row),
        m_matrix(model.nativeFormat == Format::BF16 ? Format::BF16 : Format::F16),
        m_expert(expertFormat()),
        m_nextn(row.nextn == NextnBlocks::Dropped ? 0 : shape.mtpLayers),
        m_blocks(shape.layers + m_nextn),
        m_perLayerWidth(m_fields.find({"hidden_size_per_layer_input"}, {0, widthRange.highest}).value_or(0))
    {
    }

    GgufPointer convert()
    {
        // Kimi K3's language model says kimi_linear; its gate and its latent experts are tensors of another architecture.
        const bool known = !m_fields.flag({"linear_attn_config.use_full_rank_gate", false});
        if (m_blocks > mostBlocks || !known)
            return {};
        const bool experts = m_shape.experts > 0 && !m_row.expertArchitecture.empty();
        m_out.architecture = experts ? m_row.expertArchitecture : m_row.architecture;
        m_out.name = m_model.name;
        m_out.converted = true;
        m_out.fileType = m_matrix == Format::BF16 ? 32 : 1;
        m_out.tensors.reserve(static_cast<std::size_t>(m_blocks) * 20 + 8);
        writeOuter();
        for (std::int64_t i = 0; i < m_blocks; ++i)
            writeBlock(static_cast<std::size_t>(i));
        writeKeys();
        if (m_fields.error())
            return {};
        return std::make_shared<const GgufModel>(std::move(m_out));
    }

private:
    // What the model is asked for, block by block; prediction blocks are full ones behind the layers.

    bool predicts(std::size_t block) const { return block >= m_plan.kinds.size() || block >= static_cast<std::size_t>(m_shape.layers); }
    LayerKind kindOf(std::size_t block) const { return predicts(block) ? LayerKind::Full : m_plan.kinds[block]; }
    bool hasExperts(std::size_t block) const { return predicts(block) ? m_shape.experts > 0 : m_plan.sparse[block]; }
    bool hasIndexer(std::size_t block) const { return predicts(block) ? m_shape.indexDim > 0 : m_plan.indexed[block]; }
    bool ownsKv(std::size_t block) const { return predicts(block) || m_plan.ownsKv[block]; }
    bool hasAttention(std::size_t block) const
    {
        const LayerKind kind = kindOf(block);
        return kind == LayerKind::Full || kind == LayerKind::Sliding || kind == LayerKind::Chunked || kind == LayerKind::Hybrid;
    }
    bool hasState(std::size_t block) const { return kindOf(block) == LayerKind::State || kindOf(block) == LayerKind::Hybrid; }
    bool hasFfn(std::size_t block) const
    {
        const LayerKind kind = kindOf(block);
        return !m_shape.family->singleBlock || kind == LayerKind::Ffn || kind == LayerKind::Moe;
    }
    const HeadShape &headsOf(std::size_t block) const { return kindOf(block) == LayerKind::Sliding ? m_shape.sliding : m_shape.full; }
    std::int64_t denseWidth(std::size_t block)
    {
        return m_shape.ffn * (!ownsKv(block) && m_fields.flag({"use_double_wide_mlp", false}) ? 2 : 1);
    }
    /// The entry of feed_forward_length.
    std::int64_t ffnLength(std::size_t block)
    {
        if (!hasFfn(block))
            return 0;
        const bool experts = hasExperts(block) && (m_shape.family->singleBlock || m_shape.ffn == 0);
        return experts ? m_shape.expertWidth : denseWidth(block);
    }

    /// Checkpoints with experts in MXFP4 keep them so.
    Format expertFormat() const
    {
        constexpr auto experts = static_cast<std::size_t>(Role::Experts);
        const std::optional<Quantization> &stored = m_model.quantization;
        if (stored && ((stored->format == Format::MXFP4 && stored->quantised[experts]) ||
                       (stored->secondFormat == Format::MXFP4 && stored->secondQuantised[experts])))
            return Format::MXFP4;
        return m_matrix;
    }

    // Tensors.

    void put(std::string_view name, std::string_view suffix, Dims dims, Format type)
    {
        GgufTensor &tensor = m_out.tensors.emplace_back();
        tensor.name.reserve(m_prefix.size() + name.size() + suffix.size());
        tensor.name.append(m_prefix).append(name).append(suffix);
        std::ranges::copy(dims, tensor.dims.begin());
        tensor.type = type;
    }
    void matrix(std::string_view name, Dims dims) { put(name, ".weight", dims, m_matrix); }
    /// What the converter keeps in f32: vectors, norms, routers, convolutions.
    void wide(std::string_view name, Dims dims) { put(name, ".weight", dims, Format::F32); }
    void bias(std::string_view name, Dims dims) { put(name, ".bias", dims, Format::F32); }
    void norm(std::string_view name)
    {
        if (m_shape.family->normVectors > 0)
            wide(name, {m_shape.hidden});
        if (m_shape.family->normVectors > 1)
            bias(name, {m_shape.hidden});
    }

    void writeOuter()
    {
        const std::int64_t h = m_shape.hidden;
        const Family &family = *m_shape.family;
        const std::int64_t multiple =
            m_row.vocabularyMultiple > 1 ? m_fields.find({"pad_vocab_size_multiple"}, {1, 65'536}).value_or(m_row.vocabularyMultiple) : 1;
        const std::int64_t rows = ceilDivide(m_shape.vocabulary, multiple) * multiple;
        m_out.vocab = m_row.tokens > 0 ? std::min(rows, m_row.tokens) : rows;
        m_prefix.clear();
        matrix("token_embd", {h, m_out.vocab});
        if (m_perLayerWidth > 0) {
            const std::int64_t width = m_perLayerWidth * m_shape.layers;
            matrix("per_layer_token_embd", {width, m_fields.find({"vocab_size_per_layer_input"}, vocabularyRange).value_or(m_out.vocab)});
            matrix("per_layer_model_proj", {h, width});
            wide("per_layer_proj_norm", {m_perLayerWidth});
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
        writeRopeFactors();
    }

    /// Factors of Llama 3's scaling, of long-rope's two, and of Gemma 4's partly turned heads.
    void writeRopeFactors()
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

    void writeBlock(std::size_t block)
    {
        m_prefix.assign("blk.").append(std::to_string(block)).push_back('.');
        writeNorms();
        if (hasAttention(block)) {
            if (m_shape.latent > 0)
                writeLatent();
            else
                writeAttention(block);
            if (hasIndexer(block))
                writeIndexer();
        }
        if (hasState(block))
            writeState();
        if (hasFfn(block)) {
            if (!hasExperts(block) || m_shape.family->denseBesideExperts)
                writeFfn(denseWidth(block));
            if (hasExperts(block))
                writeExperts();
        }
        if (m_perLayerWidth > 0) {
            matrix("inp_gate", {m_shape.hidden, m_perLayerWidth});
            matrix("proj", {m_perLayerWidth, m_shape.hidden});
            norm("post_norm");
        }
        if (!m_row.layerScalar.empty())
            wide(m_row.layerScalar, {1});
        if (predicts(block))
            writePrediction();
    }

    void writeNorms()
    {
        std::string_view names = m_row.norms;
        for (int n = 0; n < m_shape.norms && !names.empty(); ++n) {
            const std::size_t end = std::min(names.find(' '), names.size());
            norm(names.substr(0, end));
            names.remove_prefix(std::min(end + 1, names.size()));
        }
    }

    void writeAttention(std::size_t block)
    {
        const Family &family = *m_shape.family;
        const HeadShape &heads = headsOf(block);
        const bool sliding = kindOf(block) == LayerKind::Sliding;
        const std::int64_t h = m_shape.hidden;
        const std::int64_t query = heads.heads * heads.keyDim;
        const std::int64_t key = heads.kvHeads * heads.keyDim;
        const std::int64_t value = heads.kvHeads * heads.valueDim;
        const bool own = ownsKv(block);
        if (m_row.fusedQkv) {
            matrix("attn_qkv", {h, query + key + value});
            if (m_shape.qkvBias)
                bias("attn_qkv", {query + key + value});
        } else {
            matrix("attn_q", {h, query * (family.outputGate ? 2 : 1)});
            if (own)
                matrix("attn_k", {h, key});
            if (own && !(m_shape.valueIsKey && kindOf(block) == LayerKind::Full))
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
            const std::int64_t queryRows = m_row.normByHead ? heads.heads : 1;
            const std::int64_t keyRows = m_row.normByHead ? heads.kvHeads : 1;
            wide("attn_q_norm", {whole ? query : heads.keyDim, queryRows});
            if (own)
                wide("attn_k_norm", {whole ? key : heads.keyDim, keyRows});
        }
        if (m_shape.headGate)
            matrix("attn_gate", {h, heads.heads});
        if (sliding ? m_shape.slidingSinks : m_shape.fullSinks)
            wide("attn_sinks", {heads.heads});
    }

    /// Latent attention as one KV head: the projections of the latent's two halves stand apart.
    void writeLatent()
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

    void writeIndexer()
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

    void writeState()
    {
        const std::int64_t h = m_shape.hidden;
        const RecurrentShape &r = m_shape.recurrent;
        const std::int64_t channels = m_shape.state.convChannels;
        const auto convolution = [&] {
            wide("ssm_conv1d", {r.kernel, channels});
            if (r.convBias)
                bias("ssm_conv1d", {channels});
        };
        switch (m_shape.state.kind) {
        case Recurrence::Mamba1:
            matrix("ssm_in", {h, 2 * r.inner});
            convolution();
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
            matrix("ssm_out", {r.inner, h});
            return;
        case Recurrence::Mamba2:
            matrix("ssm_in", {h, r.inner + channels + r.heads});
            convolution();
            bias("ssm_dt", {r.heads});
            put("ssm_a", {}, {1, r.heads}, Format::F32);
            put("ssm_d", {}, {1, r.heads}, Format::F32);
            if (r.norm)
                wide("ssm_norm", {r.inner / r.groups, r.groups});
            matrix("ssm_out", {r.inner, h});
            return;
        case Recurrence::GatedDelta:
            matrix("attn_qkv", {h, channels});
            matrix("attn_gate", {h, r.inner});
            convolution();
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
            return;
        case Recurrence::KDA:
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
            return;
        case Recurrence::ShortConv:
            wide("shortconv.conv", {r.kernel, h});
            matrix("shortconv.in_proj", {h, 3 * h});
            matrix("shortconv.out_proj", {h, h});
            return;
        case Recurrence::None:
        case Recurrence::LinearAttention:
        case Recurrence::RWKV:
        case Recurrence::RGLRU: return; // no row of the table has these
        }
    }

    void writeFfn(std::int64_t width)
    {
        const std::int64_t h = m_shape.hidden;
        const bool fused = m_row.fusedGateUp && m_shape.gated;
        if (m_shape.gated && !fused)
            matrix("ffn_gate", {h, width});
        matrix("ffn_up", {h, fused ? 2 * width : width});
        matrix("ffn_down", {width, h});
        if (!m_shape.ffnBias)
            return;
        if (m_shape.gated && !fused)
            bias("ffn_gate", {width});
        bias("ffn_up", {fused ? 2 * width : width});
        bias("ffn_down", {h});
    }

    void writeExperts()
    {
        const Family &family = *m_shape.family;
        const std::int64_t h = m_shape.hidden;
        const std::int64_t experts = m_shape.experts;
        const std::int64_t width = m_shape.expertWidth;
        const std::int64_t inner = m_shape.expertLatent > 0 ? m_shape.expertLatent : h;
        wide("ffn_gate_inp", {h, experts});
        if (family.routerBias)
            bias("ffn_gate_inp", {experts});
        if (m_row.parallelExperts) {
            put("ffn_gate_inp", ".scale", {h}, Format::F32);
            put("ffn_down_exps", ".scale", {experts}, Format::F32);
            for (const std::string_view name : {"pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2"})
                norm(name);
            put("ffn_gate_up_exps", ".weight", {inner, 2 * width, experts}, m_expert);
        } else {
            if (m_shape.scoreBias)
                bias("exp_probs_b", {experts});
            if (m_shape.gated)
                put("ffn_gate_exps", ".weight", {inner, width, experts}, m_expert);
            put("ffn_up_exps", ".weight", {inner, width, experts}, m_expert);
        }
        put("ffn_down_exps", ".weight", {width, inner, experts}, m_expert);
        if (family.expertBias) {
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
        if (family.sharedGate)
            wide("ffn_gate_inp_shexp", {h});
        if (m_shape.gated)
            matrix("ffn_gate_shexp", {h, m_shape.sharedWidth});
        matrix("ffn_up_shexp", {h, m_shape.sharedWidth});
        matrix("ffn_down_shexp", {m_shape.sharedWidth, h});
    }

    void writePrediction()
    {
        const std::int64_t h = m_shape.hidden;
        matrix("nextn.eh_proj", {2 * h, h});
        for (const std::string_view name : {"nextn.enorm", "nextn.hnorm", "nextn.shared_head_norm"})
            norm(name);
        if (m_row.nextn == NextnBlocks::BlockAndTables) {
            matrix("nextn.embed_tokens", {h, m_out.vocab});
            matrix("nextn.shared_head_head", {h, m_out.vocab});
        }
    }

    // Keys (spec/local-engines.md 2.1).

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
        for (std::size_t i = 0; i < static_cast<std::size_t>(m_blocks); ++i)
            numbers.values.push_back(valueOf(i));
        numbers.array = std::ranges::any_of(numbers.values, [&](std::int64_t v) { return v != numbers.values.front(); });
        if (!numbers.array)
            numbers.values.resize(1);
        m_out.keys.insert_or_assign(std::string(name), std::move(numbers));
    }

    void writeKeys()
    {
        key("context_length", m_row.context > 0 ? m_row.context : m_shape.context);
        key("block_count", m_blocks);
        key("embedding_length", m_shape.hidden);
        keyIf("nextn_predict_layers", m_nextn);
        if (m_shape.family->noAttention) {
            key("feed_forward_length", 0);
            key("attention.head_count", 0);
        } else {
            perBlock("feed_forward_length", [&](std::size_t i) { return ffnLength(i); });
            writeAttentionKeys();
        }
        if (m_perLayerWidth > 0 || m_row.parallelExperts)
            key("embedding_length_per_layer_input", m_perLayerWidth);
        keyIf("attention.shared_kv_layers", std::ranges::count(m_plan.ownsKv, false));
        if (m_shape.experts > 0)
            writeExpertKeys();
        if (m_shape.state.kind != Recurrence::None)
            writeStateKeys();
        if (m_shape.indexDim > 0)
            writeIndexerKeys();
    }

    void writeAttentionKeys()
    {
        const bool latent = m_shape.latent > 0;
        perBlock("attention.head_count", [&](std::size_t i) { return headsOf(i).heads; });
        perBlock("attention.head_count_kv",
                 [&](std::size_t i) { return m_row.kvHeadsTellLayers && !hasAttention(i) ? std::int64_t{0} : headsOf(i).kvHeads; });
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
            perBlock("attention.sliding_window_pattern", [&](std::size_t i) { return std::int64_t{kindOf(i) == LayerKind::Sliding}; });
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
        const auto firstSparse = std::ranges::find(m_plan.sparse, true);
        if (std::all_of(firstSparse, m_plan.sparse.end(), [](bool sparse) { return sparse; }))
            keyIf("leading_dense_block_count", firstSparse - m_plan.sparse.begin());
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
            perBlock("attention.indexer.types", [&](std::size_t i) { return std::int64_t{hasIndexer(i)}; });
    }

    Fields m_fields; ///< a copy: what is assumed here is no matter of the model's
    const Shape &m_shape;
    const LayerPlan &m_plan;
    const ModelSpec &m_model;
    const Conversion &m_row;
    Format m_matrix;
    Format m_expert;
    std::int64_t m_nextn;
    std::int64_t m_blocks;
    std::int64_t m_perLayerWidth;
    std::string m_prefix; ///< "blk.3."
    GgufModel m_out;
};

} // namespace

GgufPointer convertedModel(const Fields &fields, const Shape &shape, const LayerPlan &plan, const ModelSpec &model)
{
    const Conversion *row = conversionOf(model.family);
    return row ? Converter(fields, shape, plan, model, *row).convert() : GgufPointer{};
}

} // namespace kvscope
