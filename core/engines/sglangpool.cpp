// SPDX-License-Identifier: GPL-3.0-or-later
// SGLang's pools: spec/serving-engines.md 2.11.
#include "core/engines/sglangpool.h"

#include <algorithm>
#include <cmath>

namespace kvscope::sglang {

namespace {

constexpr double compressedRatio = 0.1;        ///< swa_full_tokens_ratio of DeepSeek V4
constexpr std::int64_t evictionInterval = 128; ///< decode steps between evictions out of windows (SGLang)

/// Shared layers get pools of their own; a window tells which kind they are of.
bool isWindowed(const Run &run, const Rules &rules, const LayerGroup &group)
{
    const bool sliding = group.mixer == Mixer::Sliding || (group.mixer == Mixer::Shared && group.window.value > 0);
    return sliding && rules.slidingPools() && (run.hasMixer(Mixer::Full) || run.hasMixer(Mixer::Latent));
}

bool hasPool(const LayerGroup &group) { return group.mixer != Mixer::None && group.keyDim + group.latentDim > 0; }

/// Bytes of one token of one layer on one rank. Where an indexer picks tokens every layer has room for its keys (SGLang), and e4m3 latents are packed.
std::int64_t layerBytes(const Run &run, const LayerGroup &group)
{
    if (group.mixer == Mixer::Latent && run.isSparse()) {
        constexpr std::int64_t scale = 4; // fp32, one for 128 elements
        const auto widest = std::ranges::max(run.model->groups, {}, &LayerGroup::indexKeyDim).indexKeyDim;
        const bool packs = serving::isFp8(run.kv) && run.kv != Format::FP8E5M2;
        return (packs ? serving::packedLatentBytes(group) : serving::tokenBytes(group, run.attentionTensor(), run.kv)) + widest + scale;
    }
    const std::int64_t index = group.indexKeyDim * run.b;
    return serving::tokenBytes(group, run.attentionTensor(), run.kv) + index;
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

/// Tokens of windowed layers for the requests that were asked for: each has its window, what comes between two evictions and what the next
/// step takes, and two prefills are in flight (SGLang, SWAChunkCapPoolConfigurator).
std::int64_t slidingCapOf(const Run &run, std::int64_t requests, std::int64_t window, std::int64_t page, std::int64_t chunk)
{
    const std::int64_t drafts = std::max(1, run.drafts);
    const std::int64_t step = run.drafts > 0 ? 2 * drafts : page;
    const std::int64_t each = window + evictionInterval * drafts + page + step;
    return ceilDivide(saturatingMultiply(each, requests) + 2 * chunk + page, page) * page;
}

/// Requests of one replica of those that were asked for.
std::int64_t askedRequests(const Run &run, const Scenario &scenario)
{
    return std::max(1, *scenario.serving.maxSequences / (run.split.dataInTensor ? run.split.data : 1));
}

/// Layers of a drafting model count like the target's own that keep every token (2.10, 2.11).
int draftLayers(const Run &run, const Scenario &scenario) { return scenario.draft ? scenario.draft->layerCount() : run.drafts > 0 ? 1 : 0; }

} // namespace

double PoolShape::stateShare() const
{
    if (stateBytes == 0 || askedSlots > 0)
        return 0;
    return fullBytes + slidingBytes == 0 ? 1 : stateRatio / (1 + stateRatio);
}

double PoolShape::tokenBytes() const
{
    return static_cast<double>(fullBytes) + (slidingCap == 0 ? slidingRatio * static_cast<double>(slidingBytes) : 0.0);
}

std::int64_t PoolShape::fixedBytes() const
{
    const auto slots = static_cast<std::int64_t>(static_cast<double>(askedSlots) * slotBytes());
    return saturatingAdd(slots, saturatingMultiply(slidingCap, slidingBytes));
}

PoolShape poolOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, std::size_t stage, std::int64_t chunk)
{
    const ModelSpec &model = *run.model;
    PoolShape pool;
    pool.page = pageOf(run, rules, scenario, device);
    Run withoutDrafts = run; // states of drafts lie apart
    withoutDrafts.drafts = 0;
    double compressed = 0;
    std::int64_t widest = 0;
    int fullLayers = 0;
    for (int i = run.stages[stage].first; i < run.stages[stage].last; ++i) {
        const LayerGroup &group = model.groups[model.layout[static_cast<std::size_t>(i)]];
        if (group.state.kind != Recurrence::None)
            pool.stateBytes = saturatingAdd(pool.stateBytes, serving::stateBytes(withoutDrafts, group, true).total());
        if (!hasPool(group))
            continue;
        if (isCompressed(model)) {
            compressed += compressedBytes(run, group);
            ++fullLayers;
        } else if (isWindowed(run, rules, group)) {
            pool.slidingBytes = saturatingAdd(pool.slidingBytes, layerBytes(run, group));
            widest = std::max(widest, group.window.value);
        } else {
            pool.fullBytes = saturatingAdd(pool.fullBytes, layerBytes(run, group));
            ++fullLayers;
        }
    }
    pool.fullBytes = saturatingAdd(pool.fullBytes, static_cast<std::int64_t>(compressed));
    if (fullLayers > 0 && stage + 1 == run.stages.size())
        pool.fullBytes = saturatingAdd(pool.fullBytes, saturatingMultiply(pool.fullBytes, draftLayers(run, scenario)) / fullLayers);
    if (pool.fullBytes + pool.slidingBytes == 0)
        pool.tokensOfNone = scenario.context.value;
    pool.window = widest + chunk;
    const bool radix = scenario.serving.prefixCaching.value_or(true);
    const bool byRequests = !radix && scenario.serving.maxSequences;
    if (byRequests && pool.slidingBytes > 0 && rules.newPools())
        pool.slidingCap = slidingCapOf(run, askedRequests(run, scenario), widest, pool.page, chunk);
    if (pool.stateBytes == 0)
        return pool;
    pool.slotsPerRequest = radix ? 3 : 1;
    pool.askedSlots = byRequests ? askedRequests(run, scenario) : 0;
    if (rules.newPools()) {
        pool.slotDrafts = static_cast<double>(run.drafts) / static_cast<double>(pool.slotsPerRequest);
        pool.spareBytes = saturatingMultiply(pool.stateBytes, 1 + run.drafts);
    }
    return pool;
}

Capacity capacityOf(const PoolShape &pool, Bytes bytes)
{
    Capacity capacity;
    capacity.requests = largestBatch;
    const auto whole = static_cast<double>(std::max<std::int64_t>(0, bytes.value));
    double left = whole;
    const auto paged = [&pool](std::int64_t tokens) { return tokens / pool.page * pool.page; };
    if (pool.stateBytes > 0) {
        const auto spare = static_cast<double>(pool.spareBytes);
        const double states = std::max(0.0, whole * pool.stateShare() - spare);
        capacity.stateSlots = pool.askedSlots > 0 ? pool.askedSlots : static_cast<std::int64_t>(states / pool.slotBytes());
        capacity.requests = capacity.stateSlots / pool.slotsPerRequest;
        left -= static_cast<double>(capacity.stateSlots) * pool.slotBytes() + spare;
    }
    left -= static_cast<double>(saturatingMultiply(pool.slidingCap, pool.slidingBytes));
    capacity.tokens = pool.tokensOfNone;
    if (pool.tokenBytes() > 0)
        capacity.tokens = paged(static_cast<std::int64_t>(std::max(0.0, left) / pool.tokenBytes()));
    if (pool.slidingBytes > 0)
        capacity.slidingTokens =
            pool.slidingCap > 0 ? pool.slidingCap : paged(static_cast<std::int64_t>(static_cast<double>(capacity.tokens) * slidingRatio));
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
        const std::int64_t heads = serving::kvHeadsOnRank(group, run.attentionTensor());
        buffers.key += Bytes{heads * serving::headBytes(group.keyDim, 0, run.kv)} * tokens;
        buffers.value += Bytes{heads * serving::headBytes(0, group.valueDim, run.kv)} * tokens;
    }
    return buffers;
}

std::int64_t runningRequests(const Run &run, const Rules &rules, const Scenario &scenario, const Capacity &capacity)
{
    const auto context = static_cast<double>(std::max<std::int64_t>(1, scenario.context.value));
    const std::int64_t byTokens = std::max<std::int64_t>(1, capacity.tokens / 2);
    const std::int64_t byLength =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(capacity.tokens) / context * 512), 2048, 4096);
    std::int64_t requests = rules.newPools() ? std::min(byLength, byTokens) : byLength;
    if (scenario.serving.maxSequences) // divided by dp; what follows from the length is a replica's own (SGLang)
        requests = std::min(askedRequests(run, scenario), rules.newPools() ? byTokens : byLength);
    return std::min(requests, std::max<std::int64_t>(capacity.requests, 0));
}

} // namespace kvscope::sglang
