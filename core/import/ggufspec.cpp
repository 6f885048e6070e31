// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/ggufspec.h"

#include "core/gguf/layers.h"
#include "core/gguf/quantise.h"
#include "core/import/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>

namespace kvscope {

namespace {

/// A tensor's block and the rest of its name: "blk.12.attn_q.weight" is 12, "attn_q.weight". A decoder's blocks count, an encoder's do not.
struct BlockName {
    std::optional<std::size_t> block;
    std::string_view rest;
};

BlockName blockNameOf(std::string_view name)
{
    for (const std::string_view prefix : {"blk.", "dec.blk."}) {
        if (!name.starts_with(prefix))
            continue;
        std::size_t block = 0;
        const char *const end = name.data() + name.size();
        const auto [rest, problem] = std::from_chars(name.data() + prefix.size(), end, block);
        if (problem == std::errc() && rest != end && *rest == '.')
            return {block, {rest + 1, static_cast<std::size_t>(end - rest - 1)}};
    }
    return {std::nullopt, name.starts_with("enc.blk.") ? name.substr(name.find('.', sizeof("enc.blk.") - 1) + 1) : name};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// Files of 2023 hold each expert as a matrix of its own: ffn_up.3.weight.
bool isLoneExpert(std::string_view name)
{
    const std::size_t dot = name.find('.');
    return name.starts_with("ffn_") && dot + 1 < name.size() && name[dot + 1] >= '0' && name[dot + 1] <= '9';
}

struct NamedRole {
    std::string_view beginning;
    Role role;
};
/// By how a name begins, within a block or outside; the first that fits.
constexpr std::array roleRows{
    NamedRole{"v.", Role::Vision},
    NamedRole{"mm.", Role::Vision},
    NamedRole{"a.", Role::Vision},
    NamedRole{"output.", Role::OutputHead},
    NamedRole{"cls", Role::OutputHead},
    NamedRole{"token_embd.", Role::Embedding},
    NamedRole{"token_types.", Role::Embedding},
    NamedRole{"position_embd.", Role::Embedding},
    NamedRole{"per_layer_token_embd.", Role::Embedding},
    NamedRole{"ffn_gate_inp.", Role::Router},
    NamedRole{"attn_", Role::Attention},
    NamedRole{"cross_attn_", Role::Attention},
    NamedRole{"indexer", Role::Attention},
    NamedRole{"ssm_", Role::Recurrent},
    NamedRole{"time_mix_", Role::Recurrent},
    NamedRole{"shortconv.", Role::Recurrent},
};

/// Convolution kernels and norms stay vectors in kind though some have two dimensions.
bool isVector(const GgufTensor &tensor, std::string_view name)
{
    const bool flat = tensor.dims[1] <= 1 && tensor.dims[2] <= 1 && tensor.dims[3] <= 1;
    return flat || !name.ends_with("weight") || contains(name, "_norm") || contains(name, "conv1d") || contains(name, "shortconv.conv");
}

Recurrence recurrenceOf(const GgufModel &gguf, const Architecture &row, std::size_t block)
{
    const std::string prefix = "blk." + std::to_string(block) + '.';
    const auto has = [&](const char *name) { return gguf.tensor(prefix + name) != nullptr; };
    if (gguf.number("wkv.head_size") > 0)
        return Recurrence::RWKV;
    if (gguf.number("shortconv.l_cache") > 0)
        return Recurrence::ShortConv;
    if (gguf.number("kda.head_dim") > 0)
        return Recurrence::KDA;
    if (row.state == StateRule::LinearHeads)
        return Recurrence::LinearAttention;
    if (has("ssm_ba.weight") || has("ssm_beta.weight") || has("ssm_beta_alpha.weight"))
        return Recurrence::GatedDelta;
    return has("ssm_x.weight") ? Recurrence::Mamba1 : Recurrence::Mamba2;
}

/// nullptr for what stands outside the layers.
const GgufLayer *layerOf(const BlockName &name, const GgufLayers &layers)
{
    return name.block && *name.block < layers.layers.size() ? &layers.layers[*name.block] : nullptr;
}

Role roleWithin(const GgufLayer *layer, const GgufTensor &tensor)
{
    if (layer && !layer->trunk)
        return Role::Mtp;
    return roleOfTensor(tensor, layer && layer->recurrent && !layer->holdsKv);
}

class SpecBuilder {
public:
    explicit SpecBuilder(GgufModel gguf) :
        m_gguf(std::make_shared<const GgufModel>(std::move(gguf))), m_layers(layersOf(*m_gguf)), m_groups(m_layers.layers.size())
    {
    }

    Result<ModelSpec> build(std::string_view name)
    {
        countTensors();
        for (std::size_t i = 0; i < m_layers.layers.size() && !m_error; ++i) {
            // Prediction blocks belong to no engine's layers but llama.cpp's own.
            if (m_layers.layers[i].trunk)
                place(layerGroup(i));
        }
        if (!m_error && m_spec.layout.empty())
            fail("block_count", "1..512");
        if (m_error)
            return *m_error;
        describe(name);
        describeFormat();
        return std::move(m_spec);
    }

private:
    void fail(std::string_view key, std::string accepted)
    {
        if (!m_error)
            m_error = Error{ErrorCode::OutOfRange, m_gguf->architecture + '.' + std::string(key), std::move(accepted), {}};
    }

    void countTensors()
    {
        for (const GgufTensor &tensor : m_gguf->tensors) {
            const BlockName name = blockNameOf(tensor.name);
            const GgufLayer *const layer = layerOf(name, m_layers);
            const Role role = roleWithin(layer, tensor);
            std::int64_t &count = layer && layer->trunk ? m_groups[*name.block].parameters[role] : m_spec.outer[role];
            count = saturatingAdd(count, tensor.elements());
            if (role == Role::Small && contains(name.rest, "_exps"))
                m_spec.expertVectors = saturatingAdd(m_spec.expertVectors, tensor.elements());
            m_spec.qkNorm = m_spec.qkNorm || name.rest.starts_with("attn_q_norm");
            m_quantised[static_cast<std::size_t>(role)] |= role != Role::Small && infoOf(tensor.type).blockElements > 1;
        }
    }

    std::int64_t held(std::string_view key, std::int64_t value, std::int64_t highest)
    {
        if (value < 0 || value > highest)
            fail(key, "0.." + std::to_string(highest));
        return value;
    }

    LayerGroup layerGroup(std::size_t index)
    {
        const GgufLayer &layer = m_layers.layers[index];
        LayerGroup group;
        group.parameters = m_groups[index].parameters;
        group.queryHeads = layer.heads;
        setCache(layer, group);
        if (layer.recurrent && layer.convState + layer.matrixState > 0) {
            // Only what engines keep: R is all columns of the convolution but the newest one.
            const std::int64_t columns = stateColumns();
            group.state.kind = recurrenceOf(*m_gguf, *m_layers.architecture, index);
            group.state.convChannels = held("ssm.inner_size", layer.convState / columns, widthRange.highest);
            group.state.convKernel = group.state.convChannels > 0 ? static_cast<int>(columns + 1) : 0;
            constexpr std::int64_t largestState = 1'000'000'000'000;
            group.state.elements = held("ssm.state_size", layer.matrixState, largestState);
        }
        return group;
    }

    std::int64_t stateColumns() const
    {
        if (m_gguf->number("wkv.head_size") > 0)
            return std::max<std::int64_t>(1, m_gguf->number("token_shift_count", 2));
        if (const std::int64_t cache = m_gguf->number("shortconv.l_cache"); cache > 0)
            return std::max<std::int64_t>(1, cache - 1);
        if (m_gguf->number("kda.head_dim") > 0 && m_layers.convKernel < 2)
            return 3;
        return std::max<std::int64_t>(1, m_layers.convKernel - 1);
    }

    void setCache(const GgufLayer &layer, LayerGroup &group)
    {
        group.kvHeads = layer.kvHeads;
        group.keyDim = static_cast<int>(held("attention.key_length", layer.keyDim, headDimRange.highest));
        group.valueDim = static_cast<int>(held("attention.value_length", layer.valueDim, headDimRange.highest));
        group.indexKeyDim = static_cast<int>(held("attention.indexer.key_length", layer.indexKeyRow, headDimRange.highest));
        const bool possible = group.kvHeads > 0 && group.keyDim > 0 && (group.valueDim > 0 || m_layers.latent);
        if (!layer.holdsKv || !possible) {
            // Late layers of some families attend to an earlier layer's cells.
            group.mixer = layer.heads > 0 && possible && !layer.recurrent && layersShare() ? Mixer::Shared : Mixer::None;
            if (group.mixer == Mixer::None)
                group.queryHeads = group.kvHeads = group.keyDim = group.valueDim = group.indexKeyDim = 0;
            return;
        }
        const std::int64_t window = std::min(m_layers.window.value, largestContext.value);
        if (m_layers.latent || m_layers.architecture->compressed) {
            const std::int64_t rope = m_gguf->number("rope.dimension_count");
            const std::int64_t rank = m_layers.latentRank > 0 ? m_layers.latentRank : layer.keyDim - rope;
            group.mixer = Mixer::Latent;
            group.kvHeads = 1;
            group.latentDim = static_cast<int>(std::clamp<std::int64_t>(rank, 1, layer.keyDim));
            group.ropeDim = static_cast<int>(layer.keyDim) - group.latentDim;
            if (m_layers.latent) {
                group.keyDim = static_cast<int>(held("attention.key_length_mla", m_layers.latentKeyDim, headDimRange.highest));
                group.valueDim = static_cast<int>(held("attention.value_length_mla", m_layers.latentValueDim, headDimRange.highest));
            }
            if (m_layers.architecture->compressed) {
                group.window = {window};
                group.compression = {std::clamp<std::int64_t>(layer.compression, 1, largestContext.value)};
            }
        } else if (layer.windowed && window > 0) {
            group.mixer = m_layers.architecture->window > 0 ? Mixer::Chunked : Mixer::Sliding;
            group.window = {window};
        }
    }

    bool layersShare() const { return m_layers.architecture->kvLayerLimit > 0 || m_gguf->number("attention.shared_kv_layers") > 0; }

    void place(const LayerGroup &group)
    {
        const auto known = std::ranges::find(m_spec.groups, group);
        m_spec.layout.push_back(static_cast<std::uint16_t>(known - m_spec.groups.begin()));
        if (known == m_spec.groups.end())
            m_spec.groups.push_back(group);
    }

    void describe(std::string_view name)
    {
        m_spec.id = name;
        m_spec.name = m_gguf->name.empty() ? m_spec.id : m_gguf->name;
        m_spec.family = m_gguf->architecture;
        m_spec.origin = ModelOrigin::File;
        m_spec.unknownArchitecture = !m_layers.known;
        m_spec.hidden = static_cast<int>(m_layers.embedding);
        for (const GgufLayer &layer : m_layers.layers) {
            m_spec.intermediate = std::max(m_spec.intermediate, static_cast<int>(layer.ffn));
            m_spec.gatedFfn = m_spec.gatedFfn && layer.gatedFfn;
            m_spec.predictionLayers += layer.trunk ? 0 : 1;
        }
        m_spec.vocab = m_gguf->vocab;
        m_spec.tiedEmbeddings = m_gguf->tensor("token_embd.weight") && !m_gguf->tensor("output.weight");
        m_spec.trainedContext = m_layers.trained;
        m_spec.experts = static_cast<int>(m_layers.experts);
        m_spec.expertsPerToken = static_cast<int>(m_layers.expertsUsed);
        m_spec.expertIntermediate = static_cast<int>(m_layers.expertFfn);
        m_spec.parametersKnown = !m_gguf->tensors.empty();
        m_spec.gguf = m_gguf;
    }

    /// What the file type asked for, else what most bytes are in.
    Format format() const
    {
        constexpr int guessed = 1024; // spec/local-engines.md 1.3
        const int fileType = m_gguf->fileType % guessed;
        for (int i = formatCount - 1; i >= 0; --i) { // mixes stand behind the types that they may be called by
            const std::optional<GgufFileType> type = ggufFileType(static_cast<Format>(i));
            if (type && type->id == fileType)
                return static_cast<Format>(i);
        }
        std::array<Bytes, formatCount> bytes{};
        for (const GgufTensor &tensor : m_gguf->tensors)
            bytes[static_cast<std::size_t>(tensor.type)] += tensor.bytes();
        return static_cast<Format>(std::ranges::max_element(bytes) - bytes.begin());
    }

    void describeFormat()
    {
        if (m_gguf->tensors.empty())
            return;
        const Format stored = format();
        if (infoOf(stored).blockElements == 1) {
            m_spec.nativeFormat = stored;
            m_spec.nativeFormatKnown = true;
        } else {
            m_spec.nativeFormat = Format::F16; // llama.cpp computes and caches in it
            Quantization &quantization = m_spec.quantization.emplace();
            quantization.format = stored;
            quantization.method = "gguf";
            quantization.quantised = m_quantised;
        }
        m_spec.measuredWeights = m_gguf->tensorBytes();
        m_spec.measuredSource = "gguf";
    }

    GgufPointer m_gguf;
    GgufLayers m_layers;
    std::vector<LayerGroup> m_groups; ///< parameters alone, by block
    std::array<bool, roleCount> m_quantised{};
    ModelSpec m_spec;
    std::optional<Error> m_error;
};

} // namespace

std::array<Bytes, roleCount> ggufBytesByRole(const GgufModel &gguf)
{
    std::array<Bytes, roleCount> bytes{};
    const GgufLayers layers = layersOf(gguf);
    for (const GgufTensor &tensor : gguf.tensors) {
        const GgufLayer *const layer = layerOf(blockNameOf(tensor.name), layers);
        bytes[static_cast<std::size_t>(roleWithin(layer, tensor))] += tensor.bytes();
    }
    return bytes;
}

Role roleOfTensor(const GgufTensor &tensor, bool recurrent)
{
    const std::string_view name = blockNameOf(tensor.name).rest;
    if (name.starts_with("nextn."))
        return Role::Mtp;
    if (isVector(tensor, name) && !name.starts_with("v.") && !name.starts_with("mm."))
        return Role::Small;
    if (contains(name, "_exps") || isLoneExpert(name))
        return Role::Experts;
    if (contains(name, "_shexp"))
        return Role::SharedExperts;
    const auto *const row = std::ranges::find_if(roleRows, [name](const NamedRole &r) { return name.starts_with(r.beginning); });
    const Role role = row == roleRows.end() ? Role::Ffn : row->role;
    return recurrent && role == Role::Attention ? Role::Recurrent : role;
}

Result<ModelSpec> modelFromGguf(GgufModel gguf, std::string_view name) { return SpecBuilder(std::move(gguf)).build(name); }

} // namespace kvscope
