// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/layers.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace kvscope {

namespace {

constexpr Architecture plainRow{.name = ""};
/// A model without a GGUF says itself which layers do what.
constexpr int largestBlockCount = largestLayerCount;

/// W of the architecture's rule; 0: no layer keeps a window (2.3).
TokenCount windowOf(const GgufModel &model, const Architecture &row, int trunk)
{
    if (row.pattern == WindowPattern::Never || (row.windowOnlyOfTrunk > 0 && trunk != row.windowOnlyOfTrunk))
        return {};
    constexpr std::string_view key = "attention.sliding_window";
    if (!model.has(key))
        return {row.windowIfAbsent};
    const std::int64_t said = model.number(key);
    return {said > 0 && row.window > 0 ? row.window : std::max<std::int64_t>(said, 0)};
}

/// Whether a layer of the trunk keeps the window (2.3).
bool windowedBy(const GgufModel &model, const Architecture &row, std::size_t layer)
{
    constexpr std::string_view key = "attention.sliding_window_pattern";
    const auto found = model.keys.find(key);
    const bool array = found != model.keys.end() && found->second.array;
    const bool scalar = found != model.keys.end() && !array;
    const auto period = static_cast<std::size_t>(std::max<std::int64_t>(0, scalar ? model.number(key) : row.period));
    const bool denseLast = period == 0 || layer % period < period - 1;
    const bool denseFirst = period == 0 || layer % period != 0;
    switch (row.pattern) {
    case WindowPattern::Never: return false;
    case WindowPattern::Every: return true;
    case WindowPattern::Period: return denseLast;
    case WindowPattern::PeriodDenseFirst: return denseFirst;
    case WindowPattern::PeriodOrArray: return array ? model.ofLayer(key, layer) != 0 : denseLast;
    case WindowPattern::PeriodDenseFirstOrArray: return array ? model.ofLayer(key, layer) != 0 : denseFirst;
    case WindowPattern::Array: return model.ofLayer(key, layer) != 0;
    }
    return false;
}

bool recurrentBy(const GgufModel &model, const Architecture &row, const GgufLayer &layer, std::size_t index)
{
    if (!layer.trunk)
        return false;
    switch (row.recurrent) {
    case RecurrentLayers::Never: return false;
    case RecurrentLayers::Trunk: return true;
    case RecurrentLayers::NoKvHeads: return layer.kvHeads == 0;
    case RecurrentLayers::NoKvHeadsNoFfn: return layer.kvHeads == 0 && layer.ffn == 0;
    case RecurrentLayers::BetweenIntervals: {
        if (model.has("attention.recurrent_layers"))
            return model.ofLayer("attention.recurrent_layers", index) != 0;
        const auto interval = static_cast<std::size_t>(std::max<std::int64_t>(1, model.number("full_attention_interval", row.interval)));
        return (index + 1) % interval != 0;
    }
    }
    return false;
}

bool holdsKvBy(const Architecture &row, const GgufLayer &layer)
{
    switch (row.kv) {
    case KvLayers::Never: return false;
    case KvLayers::All: return true;
    case KvLayers::Trunk: return layer.trunk;
    case KvLayers::NotRecurrent: return !layer.recurrent;
    case KvLayers::TrunkNotRecurrent: return layer.trunk && !layer.recurrent;
    case KvLayers::KvHeadsNoFfn: return layer.kvHeads != 0 && layer.ffn == 0;
    }
    return false;
}

/// R and S of a recurrent layer: the first rule whose key is there (2.5).
void setState(const GgufModel &model, const GgufLayers &all, GgufLayer &layer)
{
    const std::int64_t columns = std::max<std::int64_t>(0, all.convKernel - 1);
    const std::int64_t inner = all.stateInner + 2 * saturatingMultiply(all.stateGroups, all.stateSize);
    if (const std::int64_t head = model.number("wkv.head_size"); head > 0) {
        layer.convState = saturatingMultiply(model.number("token_shift_count", 2), all.embedding);
        layer.matrixState = saturatingMultiply(all.embedding, head);
    } else if (const std::int64_t cache = model.number("shortconv.l_cache"); cache > 0) {
        layer.convState = saturatingMultiply(all.embedding, cache - 1);
        layer.matrixState = saturatingMultiply(all.stateSize, all.stateInner);
    } else if (const std::int64_t dim = model.number("kda.head_dim"); dim > 0) {
        const std::int64_t heads = model.number("attention.head_count");
        layer.convState = saturatingMultiply(3 * (columns > 0 ? columns : 3), saturatingMultiply(heads, dim));
        layer.matrixState = saturatingMultiply(saturatingMultiply(dim, dim), heads);
    } else {
        layer.convState = saturatingMultiply(columns, inner);
        layer.matrixState = all.architecture->state == StateRule::LinearHeads
                                ? saturatingMultiply(saturatingMultiply(layer.keyDim, layer.keyDim), model.number("attention.head_count"))
                                : saturatingMultiply(all.stateSize, all.stateInner);
    }
}

/// Running sums of the compressor, f32, two tensors (3.7).
void setCompressorState(GgufLayer &layer)
{
    constexpr std::int64_t tensors = 2;
    if (layer.compression == 4)
        layer.convState = tensors * 8 * 2 * (layer.keyDim + layer.indexKeyRow);
    else if (layer.compression > 0)
        layer.convState = tensors * layer.compression * layer.keyDim;
}

/// What a block's tensors tell more surely than any list of names or keys.
struct BlockTensors {
    bool gate = false;   ///< a matrix of its own for the gate of the feed-forward network
    std::int64_t up = 0; ///< width of "up"; twice that of the network where the gate lies within it
    bool router = false; ///< routed experts
};

std::vector<BlockTensors> blockTensors(const GgufModel &model, int blocks)
{
    std::vector<BlockTensors> facts(static_cast<std::size_t>(blocks));
    for (const GgufTensor &tensor : model.tensors) {
        const int block = blockOf(tensor.name);
        if (block < 0 || block >= blocks)
            continue;
        BlockTensors &fact = facts[static_cast<std::size_t>(block)];
        const std::string_view name = tensor.name;
        fact.gate = fact.gate || name.ends_with(".ffn_gate.weight");
        fact.router = fact.router || name.ends_with(".ffn_gate_inp.weight");
        if (name.ends_with(".ffn_up.weight"))
            fact.up = tensor.dims[1];
    }
    return facts;
}

GgufLayer layerOf(const GgufModel &model, const GgufLayers &all, std::size_t index, const BlockTensors &tensors)
{
    const Architecture &row = *all.architecture;
    GgufLayer layer;
    layer.trunk = static_cast<int>(index) < all.trunk;
    layer.windowed = all.windows() && layer.trunk && windowedBy(model, row, index);
    layer.heads = static_cast<int>(model.ofLayer("attention.head_count", index));
    layer.kvHeads = static_cast<int>(model.ofLayer("attention.head_count_kv", index, layer.heads));
    layer.ffn = model.ofLayer("feed_forward_length", index);
    layer.gatedFfn = tensors.gate || tensors.up == 0 || tensors.up == 2 * layer.ffn;
    layer.experts =
        all.experts > 0 &&
        (model.tensors.empty() ? static_cast<std::int64_t>(index) >= model.number("leading_dense_block_count") : tensors.router);

    const std::int64_t firstHeads = model.number("attention.head_count");
    const std::int64_t plainDim = firstHeads > 0 ? all.embedding / firstHeads : 0;
    if (firstHeads > 0) {
        layer.keyDim = model.number("attention.key_length", plainDim);
        layer.valueDim = model.number("attention.value_length", plainDim);
        if (layer.windowed) {
            layer.keyDim = model.number("attention.key_length_swa", layer.keyDim);
            layer.valueDim = model.number("attention.value_length_swa", layer.valueDim);
        }
    }
    layer.keyRow = saturatingMultiply(layer.keyDim, layer.kvHeads);
    layer.valueRow = all.latent || row.compressed ? 0 : saturatingMultiply(layer.valueDim, layer.kvHeads);

    layer.recurrent = recurrentBy(model, row, layer, index);
    layer.holdsKv = holdsKvBy(row, layer);
    if (row.kvLayerLimit > 0)
        layer.holdsKv = layer.holdsKv && static_cast<int>(index) < row.kvLayerLimit;
    layer.holdsKv = layer.holdsKv && static_cast<std::int64_t>(index) < all.blocks - model.number("attention.shared_kv_layers");

    const std::int64_t indexWidth = model.number("attention.indexer.key_length");
    switch (row.indexer) {
    case IndexerCache::None: break;
    case IndexerCache::Keys: layer.indexKeyRow = layer.trunk ? indexWidth : 0; break;
    case IndexerCache::KeysWhereTyped:
        layer.indexKeyRow = layer.trunk && model.ofLayer("attention.indexer.types", index, 1) == 1 ? indexWidth : 0;
        break;
    case IndexerCache::AfterDense:
        if (static_cast<std::int64_t>(index) >= model.number("leading_dense_block_count")) {
            layer.indexKeyRow = indexWidth;
            layer.indexValueRow = layer.valueDim;
        }
        break;
    }
    if (row.compressed && layer.trunk) {
        layer.compression = std::max<std::int64_t>(0, model.ofLayer("attention.compress_ratios", index));
        layer.indexKeyRow = layer.compression == 4 ? indexWidth : 0;
        setCompressorState(layer);
    }
    if (layer.recurrent)
        setState(model, all, layer);
    return layer;
}

std::int64_t expertWidth(const GgufModel &model)
{
    // Files without the key (Mixtral's) say the experts' width as that of the feed-forward network.
    return model.number("expert_feed_forward_length", model.number("feed_forward_length"));
}

/// Width of the experts that every token takes; where no key says it (Llama 4), their matrices do.
std::int64_t sharedWidth(const GgufModel &model, std::int64_t expertFfn)
{
    if (model.has("expert_shared_feed_forward_length"))
        return model.number("expert_shared_feed_forward_length");
    if (model.has("expert_shared_count"))
        return saturatingMultiply(model.number("expert_shared_count"), expertFfn);
    const auto up = std::ranges::find_if(model.tensors, [](const GgufTensor &t) { return t.name.ends_with(".ffn_up_shexp.weight"); });
    return up == model.tensors.end() ? 0 : up->dims[1];
}

/// A group of a model without GGUF as a layer; keeps what the model's own description says.
GgufLayer layerOf(const ModelSpec &spec, const LayerGroup &group)
{
    GgufLayer layer;
    layer.windowed = group.window.value > 0 && (group.mixer == Mixer::Sliding || group.mixer == Mixer::Chunked);
    layer.holdsKv = group.hasCache();
    layer.recurrent = group.state.kind != Recurrence::None;
    layer.heads = group.queryHeads;
    const bool latent = group.mixer == Mixer::Latent;
    layer.kvHeads = latent ? 1 : group.kvHeads;
    layer.keyDim = latent ? group.latentDim + group.ropeDim : group.keyDim;
    layer.valueDim = latent ? group.latentDim : group.valueDim;
    layer.keyRow = saturatingMultiply(layer.keyDim, layer.kvHeads);
    layer.valueRow = latent ? 0 : saturatingMultiply(layer.valueDim, layer.kvHeads);
    layer.indexKeyRow = group.indexKeyDim;
    layer.convState = saturatingMultiply(group.state.convChannels, std::max(0, group.state.convKernel - 1));
    layer.matrixState = group.state.elements;
    layer.experts = group.parameters[Role::Experts] > 0;
    layer.ffn = layer.experts && group.parameters[Role::Ffn] == 0 ? 0 : spec.intermediate;
    layer.gatedFfn = spec.gatedFfn;
    return layer;
}

} // namespace

int blockOf(std::string_view tensorName)
{
    constexpr std::string_view stem = "blk.";
    if (!tensorName.starts_with(stem))
        return -1;
    int block = -1;
    const char *const end = tensorName.data() + tensorName.size();
    const auto [rest, error] = std::from_chars(tensorName.data() + stem.size(), end, block);
    return error == std::errc() && rest != end && *rest == '.' && block >= 0 ? block : -1;
}

bool GgufLayers::recurs() const
{
    return std::ranges::any_of(layers, [](const GgufLayer &l) { return l.convState + l.matrixState > 0; });
}

bool GgufLayers::holdsKv() const { return std::ranges::any_of(layers, &GgufLayer::holdsKv); }

GgufLayers layersOf(const GgufModel &model)
{
    GgufLayers all;
    const Architecture *const row = architectureByName(model.architecture);
    all.architecture = row ? row : &plainRow;
    all.known = row != nullptr;
    all.blocks = std::clamp(model.blocks(), 0, largestBlockCount);
    all.trunk = static_cast<int>(std::clamp<std::int64_t>(all.blocks - model.number("nextn_predict_layers"), 0, all.blocks));
    all.embedding = model.number("embedding_length");
    all.vocab = model.vocab;
    all.trained = {model.number("context_length")};
    all.window = windowOf(model, *all.architecture, all.trunk);
    all.latentKeyDim = model.number("attention.key_length_mla");
    all.latentValueDim = model.number("attention.value_length_mla");
    all.latent = all.architecture->latent && all.latentKeyDim > 0 && all.latentValueDim > 0;
    all.latentRank = model.number("attention.kv_lora_rank");
    all.experts = model.number("expert_count");
    all.expertsUsed = model.number("expert_used_count");
    all.expertFfn = all.experts > 0 ? expertWidth(model) : 0;
    all.sharedFfn = sharedWidth(model, all.expertFfn);
    all.convKernel = model.number("ssm.conv_kernel");
    all.stateInner = model.number("ssm.inner_size");
    all.stateSize = model.number("ssm.state_size");
    all.stateRank = model.number("ssm.time_step_rank");
    all.stateGroups = model.number("ssm.group_count");
    all.sideEmbedding = model.number("embedding_length_per_layer_input");
    all.indexHeads = model.number("attention.indexer.head_count");
    all.wkvHead = model.number("wkv.head_size");
    all.gatedSharedExpert =
        std::ranges::any_of(model.tensors, [](const GgufTensor &t) { return t.name.ends_with(".ffn_gate_inp_shexp.weight"); });

    const std::int64_t loops = std::clamp<std::int64_t>(model.number("num_loops", 1), 1, largestBlockCount);
    const std::int64_t logical = std::min<std::int64_t>(all.blocks * loops, largestBlockCount);
    const std::vector<BlockTensors> tensors = blockTensors(model, all.blocks);
    for (std::int64_t i = 0; i < logical; ++i) {
        const auto block = static_cast<std::size_t>(i % std::max(1, all.blocks));
        all.layers.push_back(layerOf(model, all, block, tensors[block]));
    }
    if (all.architecture->extraLayer && !all.layers.empty()) {
        GgufLayer extra = all.layers.back();
        extra.kvHeads = 1;
        extra.keyRow = extra.keyDim;
        extra.valueRow = extra.valueDim;
        all.layers.push_back(extra);
    }
    return all;
}

GgufLayers layersOf(const ModelSpec &model)
{
    if (model.gguf)
        return layersOf(*model.gguf);
    GgufLayers all;
    all.architecture = &plainRow;
    all.blocks = all.trunk = model.layerCount();
    all.embedding = model.hidden;
    all.vocab = model.vocab;
    all.trained = model.trainedContext;
    all.experts = model.experts;
    all.expertsUsed = model.expertsPerToken;
    all.expertFfn = model.expertIntermediate;
    for (const std::uint16_t group : model.layout) {
        const LayerGroup &g = model.groups[group];
        all.layers.push_back(layerOf(model, g));
        if (all.layers.back().windowed)
            all.window = std::max(all.window, g.window);
        all.latent = all.latent || g.mixer == Mixer::Latent;
        if (g.mixer == Mixer::Latent) {
            all.latentKeyDim = g.keyDim;
            all.latentValueDim = g.valueDim;
            all.latentRank = g.latentDim;
        }
        all.convKernel = std::max<std::int64_t>(all.convKernel, g.state.convKernel);
    }
    return all;
}

} // namespace kvscope
