// SPDX-License-Identifier: GPL-3.0-or-later
// Which caches a model's layers own on one rank: spec/serving-engines.md 2.1 to 2.5 and 2.7.
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

/// Models that keep fp32 states by their own class, whatever the file says: none known to the rules beyond what the model says (2.7).
constexpr bool statesAlwaysFloat = false;

/// Attention blocks of a hybrid hold one state (2.7): modes `none` and `align`.
std::int64_t enlargedBlock(std::int64_t kernelBlock, std::int64_t tokenBytes, std::int64_t stateBytes)
{
    return saturatingMultiply(kernelBlock, ceilDivide(stateBytes, std::max<std::int64_t>(1, saturatingMultiply(kernelBlock, tokenBytes))));
}

} // namespace

std::int64_t Holding::blocks(SpecKind kind, std::int64_t block, std::int64_t window, TokenCount length) const
{
    switch (kind) {
    case SpecKind::Full: return ceilDivide(length.value, block);
    case SpecKind::Sliding: return ceilDivide(std::min(window - 1 + inFlight, length.value), block) + 1;
    case SpecKind::Chunked: return ceilDivide(std::min(window + inFlight, length.value), block);
    case SpecKind::State: return stateBlocks;
    case SpecKind::Cross: return ceilDivide(window, block);
    }
    return 0;
}

Holding holdingOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    return {inFlightTokens(run, rules, batchSizes(rules, scenario, device)),
            (prefixCaching(run, rules, scenario) ? 2 : 1) + std::int64_t{run.drafts}};
}

std::int64_t attentionBlock(const Run &run, const Scenario &scenario, const Device &device)
{
    if (scenario.serving.blockSize)
        return *scenario.serving.blockSize;
    if (!run.hasMixer(Mixer::Latent))
        return usualBlock;
    if (std::ranges::any_of(run.model->groups, [](const LayerGroup &g) { return g.indexKeyDim > 0; }))
        return sparseBlock;
    if (serving::isSm100(device))
        return flashInferLatentBlock;
    return run.kv == run.dtype ? usualBlock : sparseBlock;
}

std::int64_t tokenBytesOf(const Run &run, const Rules &rules, const LayerGroup &group, const Device &device)
{
    if (group.mixer != Mixer::Latent)
        return serving::tokenBytes(group, run.tensor(), run.kv, run.tokenScales);
    if (!rules.latentCache())
        return std::int64_t{group.queryHeads} / run.tensor() * 2 * paddedHead * run.b;
    const bool sparseFp8 = group.indexKeyDim > 0 && serving::isFp8(run.kv) && rules.dsMlaFormat() && !serving::isSm100(device);
    if (run.kv == Format::FP8DsMla || sparseFp8)
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

Blocks blocksOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    Blocks blocks;
    blocks.tokens = attentionBlock(run, scenario, device);
    const std::int64_t kernel = std::max(blocks.tokens, usualBlock);
    std::int64_t largestState = 0;
    const LayerGroup *attention = nullptr;
    for (const LayerGroup &group : run.model->groups) {
        if (group.state.kind != Recurrence::None)
            largestState = std::max(largestState, serving::stateBytes(run, group, statesAlwaysFloat).total());
        if (group.hasCache() && !attention)
            attention = &group;
    }
    blocks.hybrid = rules.groups() && largestState > 0;
    if (!attention) {
        blocks.tokens = std::max<std::int64_t>(scenario.context.value, 1); // states alone: a block for the whole length
        return blocks;
    }
    const std::int64_t token = tokenBytesOf(run, rules, *attention, device);
    if (blocks.hybrid)
        blocks.tokens =
            enlargedBlock(run.hasMixer(Mixer::Latent) ? std::max(blocks.tokens, latentHybridBlock) : blocks.tokens, token, largestState);
    if (run.keepsLayers) { // 2.3, "With skipped layers"
        const std::int64_t plain = saturatingMultiply(serving::tokenBytes(*attention, run.tensor(), run.dtype), usualBlock);
        const std::int64_t padded = blocks.hybrid ? saturatingMultiply(blocks.tokens, token) : 0;
        blocks.tokens = std::max(blocks.tokens, enlargedBlock(kernel, token, std::max(plain, padded)));
        blocks.shared = saturatingMultiply(blocks.tokens, token);
    }
    return blocks;
}

bool isKept(const Run &run, int layer) { return layer < run.keepFirst || layer >= run.model->layerCount() - run.keepLast; }

/// Collects the caches of one layer after the other.
class Specs {
public:
    Specs(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device) :
        m_run(run), m_rules(rules), m_device(device), m_blocks(blocksOf(run, rules, scenario, device))
    {
    }

    void addAttention(const LayerGroup &group, int layer)
    {
        const bool kept = m_run.keepsLayers && isKept(m_run, layer);
        const std::int64_t token =
            kept ? serving::tokenBytes(group, m_run.tensor(), m_run.dtype) : tokenBytesOf(m_run, m_rules, group, m_device);
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

    void addState(const LayerGroup &group, int layer)
    {
        if (m_blocks.hybrid)
            add(SpecKind::State, m_blocks.tokens, serving::stateBytes(m_run, group, statesAlwaysFloat).total(), 0, layer);
    }

    void addCross(const LayerGroup &group, int layer)
    {
        LayerGroup cross;
        cross.kvHeads = group.crossKvHeads;
        cross.keyDim = cross.valueDim = group.crossHeadDim;
        const std::int64_t bytes =
            saturatingMultiply(m_blocks.tokens, serving::tokenBytes(cross, m_run.tensor(), m_run.kv, m_run.tokenScales));
        if (m_rules.groups())
            add(SpecKind::Cross, m_blocks.tokens, bytes, m_run.encoderTokens.value, layer);
        else if (group.mixer == Mixer::None) // V0 gives layers with cross attention alone blocks like any other (8.4, mllama)
            add(SpecKind::Full, m_blocks.tokens, bytes, 0, layer);
    }

    std::vector<PlacedSpec> take() { return std::move(m_specs); }

private:
    void add(SpecKind kind, std::int64_t tokens, std::int64_t bytes, std::int64_t window, int layer)
    {
        if (bytes > 0)
            m_specs.push_back({{kind, tokens, bytes, window}, layer});
    }

    const Run &m_run;
    const Rules &m_rules;
    const Device &m_device;
    Blocks m_blocks;
    std::vector<PlacedSpec> m_specs;
};

} // namespace

std::vector<PlacedSpec> specsOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    const ModelSpec &model = *run.model;
    Specs specs(run, rules, scenario, device);
    const int layers = model.layerCount();
    for (int i = 0; i < layers; ++i) {
        const LayerGroup &group = model.groups[model.layout[static_cast<std::size_t>(i)]];
        if (group.hasCache())
            specs.addAttention(group, i);
        if (group.state.kind != Recurrence::None)
            specs.addState(group, i);
        if (group.crossKvHeads > 0)
            specs.addCross(group, i);
    }
    // A layer of the target's kind drafts, the model's own or an EAGLE head's (2.10).
    if (const LayerGroup *main = run.drafts > 0 ? model.mainGroup() : nullptr)
        specs.addAttention(*main, layers - 1);
    return specs.take();
}

} // namespace kvscope::vllm
