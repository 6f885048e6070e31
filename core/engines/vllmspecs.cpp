// SPDX-License-Identifier: GPL-3.0-or-later
// Which caches a model's layers own on one rank: spec/serving-engines.md 2.1 to 2.5, 2.7 and 2.10.
#include "core/engines/vllmspecs.h"

#include "core/engines/servingmemory.h"

#include <algorithm>

namespace kvscope::vllm {

namespace {

constexpr std::int64_t usualBlock = 16;
constexpr std::int64_t sparseBlock = 64;           ///< FlashMLA and the indexer
constexpr std::int64_t flashInferLatentBlock = 32; ///< FLASHINFER_MLA on SM100
constexpr std::int64_t latentHybridBlock = 128;
constexpr std::int64_t paddedHead = 256; ///< MLA before the latent cache: K and V of every head

/// Whole blocks that hold so many bytes: a state (2.7, modes `none` and `align`), or a page in the model's dtype (2.3).
std::int64_t enlargedBlock(std::int64_t kernelBlock, std::int64_t tokenBytes, std::int64_t bytes)
{
    return saturatingMultiply(kernelBlock, ceilDivide(bytes, std::max<std::int64_t>(1, saturatingMultiply(kernelBlock, tokenBytes))));
}

/// The block that the attention backend takes by itself (2.4).
std::int64_t kernelBlock(const Run &run, const Device &device)
{
    if (!run.hasMixer(Mixer::Latent))
        return usualBlock;
    if (run.isSparse())
        return sparseBlock;
    if (serving::isSm100(device))
        return flashInferLatentBlock;
    return run.kv == run.dtype ? usualBlock : sparseBlock;
}

} // namespace

std::int64_t Holding::reach(SpecKind kind, std::int64_t window) const
{
    return saturatingAdd(kind == SpecKind::Sliding ? window - 1 + ahead : window, inFlight);
}

std::int64_t Holding::blocks(SpecKind kind, std::int64_t block, std::int64_t window, TokenCount length) const
{
    switch (kind) {
    case SpecKind::Full: return ceilDivide(length.value, tokensOf(kind, block));
    case SpecKind::Sliding: return ceilDivide(std::min(reach(kind, window), length.value), block) + 1;
    case SpecKind::Chunked: return ceilDivide(std::min(reach(kind, window), length.value), block);
    case SpecKind::State: return stateBlocks;
    case SpecKind::Cross: return ceilDivide(window, block);
    }
    return 0;
}

Holding holdingOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    const int modules = run.drafts > 0 && !run.draft ? run.model->predictionLayers : 0;
    return {inFlightTokens(run, rules, batchSizes(rules, scenario, device)),
            (prefixCaching(run, rules, scenario) ? 2 : 1) + std::int64_t{run.drafts}, std::max(0, modules - 1), run.split.decodeContext};
}

std::vector<LayerGroup> draftingLayers(const Run &run)
{
    std::vector<LayerGroup> layers;
    const ModelSpec &model = *run.model;
    if (run.draft) {
        for (const std::uint16_t group : run.draft->layout)
            layers.push_back(run.draft->groups[group]);
        return layers;
    }
    const LayerGroup *main = run.drafts > 0 ? model.mainGroup() : nullptr;
    if (!main)
        return layers;
    LayerGroup layer = *main;
    layer.state = {};
    layer.compression = TokenCount{1}; // DeepSeek V4's predicts from the window alone: the last of its compress_ratios is 0
    if (model.predictionLayers == 0) { // an EAGLE head
        if (layer.mixer != Mixer::Latent)
            layer.mixer = Mixer::Full;
        return {layer};
    }
    if (const auto windowed = std::ranges::find(model.groups, Mixer::Sliding, &LayerGroup::mixer);
        model.predictionWindowed && windowed != model.groups.end())
        layer = *windowed;
    layers.assign(static_cast<std::size_t>(model.predictionLayers), layer);
    return layers;
}

serving::StateBytes stateBytesOf(const Run &run, const Rules &rules, const LayerGroup &group)
{
    const RecurrentState &state = group.state;
    return serving::stateBytes(run, group, state.alwaysF32 && (rules.floatStatesByDefault() || !state.f32ByDefault));
}

std::int64_t attentionBlock(const Run &run, const Scenario &scenario, const Device &device)
{
    return scenario.serving.blockSize ? *scenario.serving.blockSize : kernelBlock(run, device);
}

std::int64_t tokenBytesOf(const Run &run, const Rules &rules, const LayerGroup &group)
{
    if (group.mixer == Mixer::Latent && !rules.latentCache())
        return std::int64_t{group.queryHeads} / run.tensor() * 2 * paddedHead * run.b;
    if (group.mixer == Mixer::Latent && run.kv == Format::FP8DsMla)
        return serving::packedLatentBytes(group);
    return serving::tokenBytes(group, run.tensor(), run.kv);
}

std::int64_t indexBytesOf(const Run &run, const LayerGroup &group)
{
    if (group.indexKeyDim == 0)
        return 0;
    return group.mixer == Mixer::Latent ? group.indexKeyDim + ceilDivide(group.indexKeyDim, 128) * 4 : group.indexKeyDim * run.b;
}

namespace {

/// Blocks of attention as a run cuts them.
struct Blocks {
    std::int64_t tokens = usualBlock; ///< of layers that keep every token
    std::int64_t shared = 0;          ///< with layers kept in the model's dtype: bytes of the quantised layers' page
    bool hybrid = false;              ///< a page holds a state, so windowed layers take blocks as large
};

Blocks blocksOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, const std::vector<LayerGroup> &drafting)
{
    Blocks blocks;
    blocks.tokens = attentionBlock(run, scenario, device);
    const std::int64_t kernel = kernelBlock(run, device);
    const std::int64_t least = std::max(kernel, blocks.tokens);
    std::int64_t largestState = 0;
    for (const std::vector<LayerGroup> *groups : {&run.model->groups, &drafting}) {
        for (const LayerGroup &group : *groups) {
            if (group.state.kind != Recurrence::None)
                largestState = std::max(largestState, stateBytesOf(run, rules, group).total());
        }
    }
    blocks.hybrid = rules.groups() && largestState > 0;
    const LayerGroup *attention = run.model->mainGroup();
    if (!attention) {
        blocks.tokens = std::max<std::int64_t>(scenario.context.value, 1); // states alone: a block for the whole length
        return blocks;
    }
    const std::int64_t token = tokenBytesOf(run, rules, *attention);
    if (blocks.hybrid)
        blocks.tokens = enlargedBlock(run.hasMixer(Mixer::Latent) ? std::max(least, latentHybridBlock) : least, token, largestState);
    const std::int64_t plain = serving::tokenBytes(*attention, run.tensor(), run.dtype);
    if (run.keepsLayers && plain != token) { // 2.3, "With skipped layers"
        const std::int64_t padded = blocks.hybrid ? saturatingMultiply(blocks.tokens, token) : 0;
        blocks.tokens = std::max(blocks.tokens, enlargedBlock(least, token, std::max(saturatingMultiply(plain, kernel), padded)));
        blocks.shared = saturatingMultiply(blocks.tokens, token);
    }
    return blocks;
}

bool isKept(const Run &run, int layer) { return layer < run.keepFirst || layer >= run.model->layerCount() - run.keepLast; }

/// Collects the caches of one layer after the other.
class Specs {
public:
    Specs(const Run &run, const Rules &rules, Blocks blocks) : m_run(run), m_rules(rules), m_blocks(blocks) {}

    /// `kept`: in the model's dtype, whatever the cache is in.
    void addLayer(const LayerGroup &group, int layer, bool kept)
    {
        if (group.hasCache())
            addAttention(group, layer, kept);
        if (group.state.kind != Recurrence::None && m_blocks.hybrid)
            add(SpecKind::State, m_blocks.tokens, stateBytesOf(m_run, m_rules, group).total(), 0, layer);
        if (group.crossKvHeads > 0)
            addCross(group, layer);
    }

    std::vector<PlacedSpec> take() { return std::move(m_specs); }

private:
    void addAttention(const LayerGroup &group, int layer, bool kept)
    {
        const std::int64_t token = kept ? serving::tokenBytes(group, m_run.tensor(), m_run.dtype) : tokenBytesOf(m_run, m_rules, group);
        const bool windowed = m_rules.groups() && group.mixer == Mixer::Sliding; // chunked attention counts as full (2.6, 0)
        if (windowed && kept && token > 0) { // the largest kernel block that fits the shared page, padded to it
            const std::int64_t own = std::max(usualBlock, m_blocks.shared / token / usualBlock * usualBlock);
            add(SpecKind::Sliding, own, std::max(m_blocks.shared, saturatingMultiply(own, token)), group.window.value, layer);
        } else {
            const std::int64_t own = windowed && !m_blocks.hybrid ? std::min(m_blocks.tokens, usualBlock) : m_blocks.tokens;
            add(windowed ? SpecKind::Sliding : SpecKind::Full, own, saturatingMultiply(own, token), windowed ? group.window.value : 0,
                layer);
        }
        add(SpecKind::Full, m_blocks.tokens, saturatingMultiply(m_blocks.tokens, indexBytesOf(m_run, group)), 0, layer);
    }

    void addCross(const LayerGroup &group, int layer)
    {
        LayerGroup cross;
        cross.kvHeads = group.crossKvHeads;
        cross.keyDim = cross.valueDim = group.crossHeadDim;
        const std::int64_t bytes = saturatingMultiply(m_blocks.tokens, serving::tokenBytes(cross, m_run.tensor(), m_run.kv));
        if (m_rules.groups())
            add(SpecKind::Cross, m_blocks.tokens, bytes, m_run.encoderTokens.value, layer);
        else if (group.mixer == Mixer::None) // V0 gives layers with cross attention alone blocks like any other (8.4, mllama)
            add(SpecKind::Full, m_blocks.tokens, bytes, 0, layer);
    }

    void add(SpecKind kind, std::int64_t tokens, std::int64_t bytes, std::int64_t window, int layer)
    {
        if (bytes > 0)
            m_specs.push_back({{kind, tokens, bytes, window}, layer});
    }

    const Run &m_run;
    const Rules &m_rules;
    Blocks m_blocks;
    std::vector<PlacedSpec> m_specs;
};

} // namespace

std::vector<PlacedSpec> specsOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    const ModelSpec &model = *run.model;
    const std::vector<LayerGroup> drafting = draftingLayers(run);
    Specs specs(run, rules, blocksOf(run, rules, scenario, device, drafting));
    const int layers = model.layerCount();
    for (int i = 0; i < layers; ++i)
        specs.addLayer(model.groups[model.layout[static_cast<std::size_t>(i)]], i, run.keepsLayers && isKept(run, i));
    for (const LayerGroup &group : drafting) // on the last stage
        specs.addLayer(group, layers - 1, false);
    return specs.take();
}

} // namespace kvscope::vllm
