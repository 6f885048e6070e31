// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/shape.h"

#include <algorithm>
#include <charconv>

namespace kvscope {

namespace {

constexpr Range indexRange{0, largestLayerCount};

/// The words of layer lists.
struct KindWord {
    std::string_view word;
    LayerKind kind;
};
constexpr KindWord kindWords[] = {
    {"full_attention", LayerKind::Full},
    {"deepseek_sparse_attention", LayerKind::Full},
    {"sliding_attention", LayerKind::Sliding},
    {"local_attention", LayerKind::Sliding},
    {"chunked_attention", LayerKind::Chunked},
    {"linear_attention", LayerKind::State},
    {"mamba", LayerKind::State},
    {"mamba2", LayerKind::State},
    {"conv", LayerKind::State},
    {"recurrent", LayerKind::State},
    {"hybrid", LayerKind::Hybrid},
    {"moe", LayerKind::Moe},
    {"mlp", LayerKind::Ffn},
};

class LayerPlanner {
public:
    LayerPlanner(Fields &fields, const Shape &shape) : m_fields(fields), m_shape(shape), m_layers(static_cast<std::size_t>(shape.layers)) {}

    LayerPlan plan()
    {
        LayerPlan plan;
        plan.kinds = kinds();
        for (LayerKind &kind : plan.kinds) {
            if ((kind == LayerKind::Sliding && m_shape.window == 0) || (kind == LayerKind::Chunked && m_shape.chunk == 0))
                kind = LayerKind::Full; // a list of windowed layers without a window (8.2, "Traps")
        }
        plan.sparse = sparse(plan.kinds);
        plan.ownsKv = ownsKv();
        plan.indexed = indexed();
        plan.compression = m_fields.numbers("compress_ratios", {0, 65'536});
        if (!plan.compression.empty())
            covers(plan.compression, "compress_ratios");
        return plan;
    }

private:
    using Kinds = std::vector<LayerKind>;

    /// Longer lists are taken as they come (a layer list may name the prediction layers too), shorter ones are an error.
    template<typename List>
    bool covers(const List &list, std::string_view name)
    {
        if (list.size() >= m_layers)
            return true;
        m_fields.fail(ErrorCode::OutOfRange, std::string(name) + ".length",
                      std::to_string(m_layers) + ".." + std::to_string(largestLayerCount));
        return false;
    }

    /// The kind that "attention" stands for in this family.
    LayerKind attention() const
    {
        const LayerKind there = m_shape.family->pattern.there;
        return there == LayerKind::Sliding ? there : LayerKind::Full;
    }

    LayerKind kindOf(std::string_view word, std::string_view name)
    {
        if (word == "attention")
            return attention();
        const auto found =
            std::find_if(std::begin(kindWords), std::end(kindWords), [&](const KindWord &known) { return known.word == word; });
        if (found != std::end(kindWords))
            return found->kind;
        std::string accepted = "attention";
        for (const KindWord &known : kindWords)
            accepted.append(", ").append(known.word);
        m_fields.fail(ErrorCode::OutOfRange, name, accepted);
        return LayerKind::Full;
    }

    Kinds fromWords(std::string_view name, bool repeating)
    {
        const std::vector<std::string> words = m_fields.words(name);
        Kinds kinds(m_layers, LayerKind::Full);
        if (words.empty() || (!repeating && !covers(words, name)))
            return kinds;
        for (std::size_t i = 0; i < m_layers; ++i)
            kinds[i] = kindOf(words[i % words.size()], std::string(name) + '[' + std::to_string(i % words.size()) + ']');
        return kinds;
    }

    /// Nemotron-H's letters.
    Kinds fromLetters(const std::string &letters, std::string_view name)
    {
        Kinds kinds(m_layers, LayerKind::Full);
        if (!covers(letters, name))
            return kinds;
        for (std::size_t i = 0; i < m_layers; ++i) {
            switch (letters[i]) {
            case 'M': kinds[i] = LayerKind::State; break;
            case '*': kinds[i] = LayerKind::Full; break;
            case '-': kinds[i] = LayerKind::Ffn; break;
            case 'E': kinds[i] = LayerKind::Moe; break;
            default: m_fields.fail(ErrorCode::OutOfRange, name, "M, *, -, E");
            }
        }
        return kinds;
    }

    /// A number a layer.
    Kinds fromNumbers(std::string_view name, LayerKind zero, LayerKind other)
    {
        const std::vector<std::int64_t> list = m_fields.numbers(name, indexRange);
        Kinds kinds(m_layers, LayerKind::Full);
        if (covers(list, name))
            std::transform(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(m_layers), kinds.begin(),
                           [&](std::int64_t value) { return value == 0 ? zero : other; });
        return kinds;
    }

    /// The layers that are `named`, counted from `first`.
    Kinds fromIndices(std::string_view name, std::int64_t first, LayerKind named, LayerKind other)
    {
        Kinds kinds(m_layers, other);
        for (const std::int64_t index : m_fields.numbers(name, {first, m_shape.layers - 1 + first}))
            kinds[static_cast<std::size_t>(index - first)] = named;
        return kinds;
    }

    bool isList(std::string_view name) const
    {
        const Json *value = m_fields.raw(name);
        return value && value->is_array() && !value->empty();
    }

    Kinds kinds()
    {
        for (const std::string_view name : {"layer_types", "layers_block_type"})
            if (isList(name))
                return fromWords(name, false);
        if (const std::string letters = m_fields.text("hybrid_override_pattern"); !letters.empty())
            return fromLetters(letters, "hybrid_override_pattern");
        if (isList("hybrid_layer_pattern"))
            return fromNumbers("hybrid_layer_pattern", LayerKind::Full, LayerKind::Sliding);
        if (isList("attn_type_list"))
            return fromNumbers("attn_type_list", LayerKind::State, LayerKind::Full);
        for (const std::string_view name : {"full_attn_idxs", "attn_layer_indices"})
            if (isList(name))
                return fromIndices(name, 0, LayerKind::Full, LayerKind::State);
        if (isList("hybrid_layer_ids"))
            return fromIndices("hybrid_layer_ids", 0, LayerKind::Hybrid, LayerKind::State);
        for (const std::string_view name : {"block_types", "_block_types"})
            if (isList(name))
                return fromWords(name, true);
        if (isList("linear_attn_config.full_attn_layers"))
            return fromIndices("linear_attn_config.full_attn_layers", 1, LayerKind::Full, LayerKind::State);
        if (isList("cross_attention_layers"))
            return fromIndices("cross_attention_layers", 0, LayerKind::Cross, LayerKind::Full);
        // Llama 4: layers without rope attend to all, those with it in chunks. Other families have the list without chunks.
        if (m_shape.family->pattern.elsewhere == LayerKind::Chunked && isList("no_rope_layers"))
            return fromNumbers("no_rope_layers", LayerKind::Full, LayerKind::Chunked);
        return fromPattern(m_shape.family->pattern);
    }

    Kinds fromPattern(LayerPattern pattern)
    {
        Kinds kinds(m_layers, LayerKind::Full);
        if (pattern.period == 0)
            return fromWindow();
        if (!pattern.periodField.empty() && m_fields.mentions(pattern.periodField)) {
            if (!m_fields.has(pattern.periodField))
                return kinds;
            if (const std::string letters = m_fields.text(pattern.periodField); !letters.empty()) {
                for (std::size_t i = 0; i < m_layers; ++i)
                    kinds[i] = letters[i % letters.size()] == 'G' ? LayerKind::Full : LayerKind::Sliding;
                return kinds;
            }
            pattern.period = static_cast<int>(m_fields.need({pattern.periodField}, {1, largestLayerCount}));
            if (pattern.offsetField.empty())
                pattern.offset = pattern.period - 1;
        }
        if (!pattern.offsetField.empty())
            pattern.offset = static_cast<int>(m_fields.find({pattern.offsetField}, {0, largestLayerCount}).value_or(pattern.offset));
        const auto period = static_cast<std::size_t>(pattern.period);
        for (std::size_t i = 0; i < m_layers; ++i)
            kinds[i] = i % period == static_cast<std::size_t>(pattern.offset) ? pattern.there : pattern.elsewhere;
        if (pattern.firstToo)
            kinds.front() = pattern.there;
        if (pattern.lastToo)
            kinds.back() = pattern.there;
        if (pattern.period > 1)
            m_fields.assume("layer_types", std::to_string(pattern.period), "family_pattern");
        return kinds;
    }

    /// No list and no rule: a window holds for all layers, Qwen's from max_window_layers on; then a chunk (spec/transformers.md 8).
    Kinds fromWindow()
    {
        Kinds kinds(m_layers, LayerKind::Full);
        if (m_shape.window > 0) {
            std::int64_t first = 0;
            if (m_shape.family->windowNeedsFlag)
                first = m_fields.findOr({"max_window_layers"}, indexRange, 28, "family_default");
            for (std::size_t i = static_cast<std::size_t>(first); i < m_layers; ++i)
                kinds[i] = LayerKind::Sliding;
        } else if (m_shape.chunk > 0) {
            std::fill(kinds.begin(), kinds.end(), LayerKind::Chunked);
        }
        return kinds;
    }

    /// Which layers have experts (8.2, row "which layers are MoE").
    std::vector<bool> sparse(const Kinds &kinds)
    {
        std::vector<bool> result(m_layers, false);
        if (m_shape.experts == 0)
            return result;
        const auto where = [&](const auto &isSparse) {
            for (std::size_t i = 0; i < m_layers; ++i)
                result[i] = isSparse(static_cast<std::int64_t>(i));
        };
        if (m_shape.family->singleBlock) {
            where([&](std::int64_t i) { return kinds[static_cast<std::size_t>(i)] == LayerKind::Moe; });
            return result;
        }
        if (m_shape.family->doubledLayers) {
            where([](std::int64_t i) { return i % 2 == 0; });
            return result;
        }
        if (isList("mlp_layer_types")) {
            const std::vector<std::string> words = m_fields.words("mlp_layer_types");
            if (covers(words, "mlp_layer_types"))
                where([&](std::int64_t i) { return words[static_cast<std::size_t>(i)] != "dense"; });
            return result;
        }
        if (isList("moe_layer_freq")) {
            const std::vector<std::int64_t> list = m_fields.numbers("moe_layer_freq", indexRange);
            if (covers(list, "moe_layer_freq"))
                where([&](std::int64_t i) { return list[static_cast<std::size_t>(i)] != 0; });
            return result;
        }
        if (const std::string listed = m_fields.text("moe_layers_enum"); !listed.empty()) { // Step: "3,4,5"
            markListed(listed, result);
            return result;
        }
        if (isList("moe_layers")) {
            for (const std::int64_t i : m_fields.numbers("moe_layers", {0, m_shape.layers - 1}))
                result[static_cast<std::size_t>(i)] = true;
            return result;
        }
        const std::int64_t firstSparse =
            m_fields.find({"first_k_dense_replace", "num_dense_layers", "moe_layer_num_skipped", "moe_layer_start_index"}, indexRange)
                .value_or(0);
        const std::int64_t lastSparse = m_fields.find({"moe_layer_end_index"}, {-1, largestLayerCount}).value_or(-1);
        const std::int64_t step =
            m_fields.find({"decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval"}, {1, largestLayerCount}).value_or(1);
        const std::int64_t every = m_fields.find({"moe_layer_freq", "expert_layer_period"}, {1, largestLayerCount}).value_or(1);
        const std::int64_t offset = m_fields.find({"expert_layer_offset"}, indexRange).value_or(0);
        where([&](std::int64_t i) {
            return i >= firstSparse && (lastSparse < 0 || i <= lastSparse) && (i + 1) % step == 0 && i % every == offset;
        });
        for (const std::int64_t i : m_fields.numbers("mlp_only_layers", {0, m_shape.layers - 1}))
            result[static_cast<std::size_t>(i)] = false;
        return result;
    }

    void markListed(std::string_view listed, std::vector<bool> &result)
    {
        while (!listed.empty()) {
            const std::size_t comma = std::min(listed.find(','), listed.size());
            std::size_t layer = m_layers;
            std::from_chars(listed.data(), listed.data() + comma, layer);
            if (layer >= m_layers) {
                m_fields.fail(ErrorCode::OutOfRange, "moe_layers_enum", "0.." + std::to_string(m_layers - 1));
                return;
            }
            result[layer] = true;
            listed.remove_prefix(std::min(comma + 1, listed.size()));
        }
    }

    /// Layers that read an earlier one's cache (2.1).
    std::vector<bool> ownsKv()
    {
        std::vector<bool> owns(m_layers, true);
        const std::int64_t shared = m_fields.find({"num_kv_shared_layers"}, {0, m_shape.layers}).value_or(0);
        std::fill(owns.end() - static_cast<std::ptrdiff_t>(std::min(shared, m_shape.layers)), owns.end(), false);
        if (m_fields.flag({"use_cla", false})) {
            const auto factor = static_cast<std::size_t>(m_fields.findOr({"cla_share_factor"}, layerRange, 2, "family_default"));
            for (std::size_t i = 0; i < m_layers; ++i)
                owns[i] = i % factor == 0;
        }
        return owns;
    }

    std::vector<bool> indexed()
    {
        std::vector<bool> keeps(m_layers, m_shape.indexDim > 0);
        if (isList("sparse_attention_config.sparse_attention_freq")) { // MiniMax M3
            const std::vector<std::int64_t> sparse = m_fields.numbers("sparse_attention_config.sparse_attention_freq", {0, 1});
            if (covers(sparse, "sparse_attention_config.sparse_attention_freq"))
                for (std::size_t i = 0; i < m_layers; ++i)
                    keeps[i] = keeps[i] && sparse[i] != 0;
        }
        if (isList("indexer_types")) {
            const std::vector<std::string> words = m_fields.words("indexer_types");
            if (covers(words, "indexer_types"))
                for (std::size_t i = 0; i < m_layers; ++i)
                    keeps[i] = keeps[i] && words[i] != "shared";
        }
        return keeps;
    }

    Fields &m_fields;
    const Shape &m_shape;
    std::size_t m_layers;
};

} // namespace

LayerPlan planLayers(Fields &fields, const Shape &shape) { return LayerPlanner(fields, shape).plan(); }

} // namespace kvscope
