// SPDX-License-Identifier: GPL-3.0-or-later
// SGLang's static fraction and pools: spec/serving-engines.md 1.4 and 2.11.
#include "core/engines/sglangpool.h"

#include "core/engines/rulesdate.h"
#include "core/engines/servingmemory.h"

#include <algorithm>
#include <cmath>

namespace kvscope::sglang {

namespace {

constexpr double compressedRatio = 0.1;
constexpr double stateRatio = 0.9; ///< mamba_full_memory_ratio
constexpr std::int64_t sparsePage = 64;
constexpr std::int64_t compressedPage = 256;

/// Shared layers get pools of their own; a window tells which kind they are of.
bool isWindowed(const Run &run, const Rules &rules, const LayerGroup &group)
{
    const bool sliding = group.mixer == Mixer::Sliding || (group.mixer == Mixer::Shared && group.window.value > 0);
    return sliding && rules.slidingPools() && (run.hasMixer(Mixer::Full) || run.hasMixer(Mixer::Latent));
}

bool hasPool(const LayerGroup &group) { return group.mixer != Mixer::None && group.keyDim + group.latentDim > 0; }

std::int64_t indexBytes(const Run &run, const LayerGroup &group)
{
    if (group.indexKeyDim == 0)
        return 0;
    return group.mixer == Mixer::Latent ? group.indexKeyDim + 4 : group.indexKeyDim * run.b;
}

/// Bytes of one token of one layer on one rank.
std::int64_t layerBytes(const Run &run, const LayerGroup &group)
{
    if (group.mixer == Mixer::Latent && group.indexKeyDim > 0 && serving::isFp8(run.kv)) // sparse attention packs its latents
        return serving::packedLatentBytes(group) + indexBytes(run, group);
    return serving::tokenBytes(group, run.tensor(), run.kv) + indexBytes(run, group);
}

bool isCompressed(const ModelSpec &model)
{
    return std::ranges::any_of(model.groups, [](const LayerGroup &g) { return g.compression.value > 1; });
}

/// DeepSeek V4, bytes for one token of the full pool in one layer (2.11): a share of the sliding pool, compressed latents, index keys
/// and the state of overlapping compressors.
double compressedBytes(const Run &run, const LayerGroup &group)
{
    const auto ratio = static_cast<double>(group.compression.value);
    const double latent = group.latentDim + 2 * group.ropeDim + 8;
    double bytes = compressedRatio * latent;
    if (ratio <= 1)
        return bytes;
    bytes += latent / ratio;
    if (group.indexKeyDim > 0) {
        constexpr double ring = 8; // two spans of overlapping compression
        const auto width = static_cast<double>(run.b * 4);
        bytes += (group.indexKeyDim + 4) / ratio;
        bytes += compressedRatio * ring / static_cast<double>(std::max<std::int64_t>(1, group.window.value)) *
                 (width * (group.latentDim + group.ropeDim) + width * group.indexKeyDim);
    }
    return bytes;
}

std::int64_t pageOf(const Run &run, const Scenario &scenario)
{
    if (scenario.serving.blockSize)
        return *scenario.serving.blockSize;
    if (isCompressed(*run.model))
        return compressedPage;
    const bool sparse =
        std::ranges::any_of(run.model->groups, [](const LayerGroup &g) { return g.mixer == Mixer::Latent && g.indexKeyDim > 0; });
    return sparse ? sparsePage : 1;
}

/// Vision towers take more of the card than the reserve knows of. Its size stands for layers x hidden^2: 12 of these make a layer.
double visionFactor(const ModelSpec &model)
{
    const double ratio = static_cast<double>(model.outer[Role::Vision]) / 12 / (24.0 * 1024 * 1024);
    return 0.95 * std::clamp(1 - 0.1 * (ratio - 1), 0.8, 1.05);
}

double roundedFraction(double fraction) { return std::round(fraction * 1000) / 1000; }

} // namespace

Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings)
{
    const Result<int> date = rulesDate(EngineId::Sglang, version, warnings);
    if (!date)
        return date.error();
    return Rules{*date};
}

Tier tierOf(const Rules &rules, std::int64_t mebibytes, int tensor)
{
    const bool wide = tensor >= 4;
    constexpr std::int64_t gib = 1024;
    if (mebibytes < 20 * gib)
        return {2048, 8};
    if (mebibytes < 35 * gib)
        return rules.newPools() ? Tier{4096, wide ? 160 : 48} : Tier{2048, wide ? 80 : 24};
    if (mebibytes < 60 * gib)
        return {4096, wide ? 160 : 32};
    if (mebibytes < 160 * gib)
        return {8192, wide ? 512 : 256};
    return {16'384, 512};
}

double defaultFraction(const Run &run, const Rules &rules, std::int64_t mebibytes, const Tier &tier, bool eager)
{
    const int tensor = run.tensor();
    if (!rules.computedFraction())
        return tensor >= 4 ? 0.85 : tensor >= 2 ? 0.87 : 0.88;
    const auto card = static_cast<double>(mebibytes);
    double reserved = 512 + 1.5 * static_cast<double>(std::max<std::int64_t>(tier.chunk, 2048)) +
                      static_cast<double>(tensor * run.split.pipeline) / 8 * 1024;
    if (!eager)
        reserved += 2 * static_cast<double>(tier.graphBatch);
    if (card > 60 * 1024)
        reserved = std::max(reserved, 10.0 * 1024);
    const double fraction = roundedFraction((card - reserved) / card);
    return run.hasVision() ? fraction * visionFactor(*run.model) : fraction;
}

double fractionOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, const Tier &tier)
{
    const ServingOptions &options = scenario.serving;
    double fraction = options.memoryFraction ? *options.memoryFraction
                                             : defaultFraction(run, rules, device.memory.value / bytesPerMiB, tier, options.eager);
    const bool aiter = device.architecture == "CDNA 3.0" || device.architecture == "CDNA 4.0";
    if (aiter && scenario.context.value > 8192)
        fraction *= 0.85;
    return fraction;
}

double PoolShape::stateShare() const
{
    if (stateBytes == 0)
        return 0;
    return fullBytes + slidingBytes == 0 ? 1 : stateRatio / (1 + stateRatio);
}

double PoolShape::bytesPerToken() const
{
    const double kv = static_cast<double>(fullBytes) + (slidingBytes > 0 ? slidingRatio * static_cast<double>(slidingBytes) : 0.0);
    return kv / (1 - std::min(stateShare(), 0.999));
}

PoolShape poolOf(const Run &run, const Rules &rules, const Scenario &scenario, std::size_t stage, std::int64_t chunk)
{
    const ModelSpec &model = *run.model;
    PoolShape pool;
    pool.page = pageOf(run, scenario);
    double compressed = 0;
    std::int64_t widest = 0;
    for (int i = run.stages[stage].first; i < run.stages[stage].last; ++i) {
        const LayerGroup &group = model.groups[model.layout[static_cast<std::size_t>(i)]];
        if (group.state.kind != Recurrence::None)
            pool.stateBytes = saturatingAdd(pool.stateBytes, serving::stateBytes(run, group, true).total());
        if (!hasPool(group))
            continue;
        if (isCompressed(model)) {
            compressed += compressedBytes(run, group);
        } else if (isWindowed(run, rules, group)) {
            pool.slidingBytes = saturatingAdd(pool.slidingBytes, layerBytes(run, group));
            widest = std::max(widest, group.window.value);
        } else {
            pool.fullBytes = saturatingAdd(pool.fullBytes, layerBytes(run, group));
        }
    }
    pool.fullBytes = saturatingAdd(pool.fullBytes, static_cast<std::int64_t>(compressed));
    if (run.drafts > 0 && model.layerCount() > 0 && stage + 1 == run.stages.size()) // one drafting layer beside the stage's own
        pool.fullBytes += pool.fullBytes / std::max(1, run.stages[stage].last - run.stages[stage].first);
    pool.window = widest + chunk;
    if (pool.stateBytes > 0)
        pool.slotsPerRequest = scenario.serving.prefixCaching.value_or(true) ? 3 : 1;
    return pool;
}

Capacity capacityOf(const PoolShape &pool, const Rules &rules, Bytes bytes)
{
    Capacity capacity;
    capacity.requests = largestBatch;
    const auto whole = static_cast<double>(std::max<std::int64_t>(0, bytes.value));
    double left = whole;
    const auto paged = [&pool](std::int64_t tokens) { return tokens / pool.page * pool.page; };
    if (pool.stateBytes > 0) {
        const double states = whole * pool.stateShare();
        const auto each = static_cast<double>(pool.stateBytes);
        capacity.stateSlots = static_cast<std::int64_t>((rules.newPools() ? std::max(0.0, states - each) : states) / each);
        capacity.requests = pool.slotsPerRequest > 0 ? capacity.stateSlots / pool.slotsPerRequest : 0;
        left -= static_cast<double>(capacity.stateSlots + (rules.newPools() ? 1 : 0)) * each;
    }
    if (const double each = pool.bytesPerToken() * (1 - pool.stateShare()); each > 0) // of the KV pools alone
        capacity.tokens = paged(static_cast<std::int64_t>(std::max(0.0, left) / each));
    if (pool.slidingBytes > 0)
        capacity.slidingTokens = paged(static_cast<std::int64_t>(static_cast<double>(capacity.tokens) * slidingRatio));
    return capacity;
}

Buffers buffersOf(const Run &run, const Rules &rules, const PoolShape &pool, const Capacity &capacity, std::size_t stage)
{
    const ModelSpec &model = *run.model;
    Buffers buffers;
    if (isCompressed(model)) {
        buffers.key = Bytes{pool.fullBytes} * (capacity.tokens + pool.page);
        return buffers;
    }
    for (int i = run.stages[stage].first; i < run.stages[stage].last; ++i) {
        const LayerGroup &group = model.groups[model.layout[static_cast<std::size_t>(i)]];
        if (!hasPool(group))
            continue;
        const std::int64_t tokens = (isWindowed(run, rules, group) ? capacity.slidingTokens : capacity.tokens) + pool.page;
        if (group.mixer == Mixer::Latent) {
            buffers.key += Bytes{layerBytes(run, group)} * tokens;
            continue;
        }
        const std::int64_t heads = serving::kvHeadsOnRank(group, run.tensor());
        buffers.key += Bytes{heads * serving::headBytes(group.keyDim, 0, run.kv)} * tokens;
        buffers.value += Bytes{heads * serving::headBytes(0, group.valueDim, run.kv)} * tokens;
    }
    return buffers;
}

std::int64_t runningRequests(const Rules &rules, const Scenario &scenario, const Capacity &capacity)
{
    std::int64_t requests = 0;
    if (scenario.serving.maxSequences) {
        requests = *scenario.serving.maxSequences;
    } else {
        const auto context = static_cast<double>(std::max<std::int64_t>(1, scenario.context.value));
        const auto byLength = static_cast<std::int64_t>(static_cast<double>(capacity.tokens) / context * 512);
        requests = std::clamp<std::int64_t>(byLength, 2048, 4096);
        if (rules.newPools())
            requests = std::min(requests, std::max<std::int64_t>(1, capacity.tokens / 2));
    }
    return std::min(requests, std::max<std::int64_t>(capacity.requests, 0));
}

} // namespace kvscope::sglang
