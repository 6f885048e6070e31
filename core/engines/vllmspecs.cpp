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

bool isFp8(Format kv) { return kv == Format::FP8 || kv == Format::FP8E4M3 || kv == Format::FP8E5M2; }

/// The packed layout: fp8 latent, an fp32 scale for each 128 of it, the rotary part in 16 bit.
std::int64_t packedLatent(const LayerGroup &group) { return group.latentDim + group.latentDim / 128 * 4 + 2 * group.ropeDim; }

/// Models that keep fp32 states by their own class, whatever the file says: none known to the rules beyond what the model says (2.7).
constexpr bool statesAlwaysFloat = false;

/// Attention blocks of a hybrid hold one state (2.7): modes `none` and `align`.
std::int64_t enlargedBlock(std::int64_t kernelBlock, std::int64_t tokenBytes, std::int64_t stateBytes)
{
    return kernelBlock * ceilDivide(stateBytes, kernelBlock * tokenBytes);
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
        return serving::tokenBytes(group, run.tensor(), run.kv);
    if (!rules.latentCache())
        return std::int64_t{group.queryHeads} / run.tensor() * 2 * paddedHead * run.b;
    const bool sparseFp8 = group.indexKeyDim > 0 && isFp8(run.kv) && rules.dsMlaFormat() && !serving::isSm100(device);
    if (run.kv == Format::FP8DsMla || sparseFp8)
        return packedLatent(group);
    return serving::tokenBytes(group, run.tensor(), run.kv);
}

std::int64_t indexBytesOf(const Run &run, const LayerGroup &group)
{
    if (group.indexKeyDim == 0)
        return 0;
    return group.mixer == Mixer::Latent ? group.indexKeyDim + ceilDivide(group.indexKeyDim, 128) * 4 : group.indexKeyDim * run.b;
}

std::vector<PlacedSpec> specsOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    const ModelSpec &model = *run.model;
    std::int64_t block = attentionBlock(run, scenario, device);
    std::int64_t largestState = 0;
    std::int64_t token = 0; // of the attention layer that shares pages with states
    for (const LayerGroup &group : model.groups) {
        if (group.state.kind != Recurrence::None)
            largestState = std::max(largestState, serving::stateBytes(run, group, statesAlwaysFloat).total());
        if (group.hasCache() && token == 0)
            token = tokenBytesOf(run, rules, group, device);
    }
    const bool hybrid = rules.groups() && largestState > 0;
    if (hybrid && token > 0) {
        const std::int64_t kernel = run.hasMixer(Mixer::Latent) ? std::max(block, latentHybridBlock) : block;
        block = enlargedBlock(kernel, token, largestState);
    }
    const std::int64_t stateBlock = token > 0 ? block : std::max<std::int64_t>(scenario.context.value, 1);

    std::vector<PlacedSpec> specs;
    const auto add = [&specs](SpecKind kind, std::int64_t tokens, std::int64_t bytes, std::int64_t window, int layer) {
        if (bytes > 0)
            specs.push_back({{kind, tokens, bytes, window}, layer});
    };
    const int layers = model.layerCount();
    for (int i = 0; i < layers; ++i) {
        const LayerGroup &group = model.groups[model.layout[static_cast<std::size_t>(i)]];
        if (group.hasCache()) {
            const bool windowed = rules.groups() && group.mixer == Mixer::Sliding; // chunked attention counts as full (2.6, 0)
            const std::int64_t own = windowed && !hybrid ? std::min(block, usualBlock) : block;
            add(windowed ? SpecKind::Sliding : SpecKind::Full, own, own * tokenBytesOf(run, rules, group, device),
                windowed ? group.window.value : 0, i);
            add(SpecKind::Full, block, block * indexBytesOf(run, group), 0, i);
        }
        if (hybrid && group.state.kind != Recurrence::None)
            add(SpecKind::State, stateBlock, serving::stateBytes(run, group, statesAlwaysFloat).total(), 0, i);
        if (group.crossKvHeads > 0) {
            LayerGroup cross;
            cross.kvHeads = group.crossKvHeads;
            cross.keyDim = cross.valueDim = group.crossHeadDim;
            const std::int64_t bytes = block * serving::tokenBytes(cross, run.tensor(), run.kv);
            if (rules.groups())
                add(SpecKind::Cross, block, bytes, run.encoderTokens.value, i);
            else if (group.mixer == Mixer::None) // V0 gives layers with cross attention alone blocks like any other (8.4, mllama)
                add(SpecKind::Full, block, bytes, 0, i);
        }
    }
    if (run.predicts()) {
        if (const LayerGroup *main = model.mainGroup()) {
            add(SpecKind::Full, block, block * tokenBytesOf(run, rules, *main, device), 0, layers - 1);
            add(SpecKind::Full, block, block * indexBytesOf(run, *main), 0, layers - 1);
        }
    }
    return specs;
}

} // namespace kvscope::vllm
