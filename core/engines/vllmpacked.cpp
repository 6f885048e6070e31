// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSeek V4's packed layout in vLLM: spec/serving-engines.md 2.8.
#include "core/engines/vllmpacked.h"

#include <algorithm>
#include <map>
#include <set>

namespace kvscope::vllm {

namespace {

constexpr std::int64_t slidingBlock = 64;
constexpr std::int64_t compressedBlock = 256; ///< tokens of a block of compressed latents and index keys
constexpr std::int64_t overlapRatio = 4;      ///< layers of this ratio compress overlapping spans and own an indexer

bool isPlain(const Run &run) { return run.kv == Format::BF16 || run.kv == Format::F16 || run.kv == Format::F32; }

/// Bytes of one latent: fp8 with 8 bytes of scales and a 16-bit rotary part, or in 16 bit throughout.
std::int64_t latentBytes(const Run &run, const LayerGroup &group)
{
    return isPlain(run) ? (group.latentDim + group.ropeDim) * run.b : group.latentDim + 2 * group.ropeDim + 8;
}

std::int64_t aligned(const Run &run, std::int64_t bytes)
{
    const std::int64_t unit = isPlain(run) ? 512 : 576;
    return ceilDivide(bytes, unit) * unit;
}

/// The caches of one layer (table of 2.8).
void addLayer(const Run &run, const LayerGroup &group, int layer, std::vector<PlacedSpec> &specs)
{
    const auto add = [&](SpecKind kind, std::int64_t block, std::int64_t bytes, std::int64_t window) {
        specs.push_back({{kind, block, aligned(run, bytes), window}, layer});
    };
    if (group.mixer != Mixer::Latent) { // another model's, drafting: full attention joins what keeps every token
        if (group.hasCache())
            add(SpecKind::Full, compressedBlock, saturatingMultiply(compressedBlock, serving::tokenBytes(group, run.tensor(), run.kv)), 0);
        return;
    }
    const std::int64_t ratio = group.compression.value;
    add(SpecKind::Sliding, slidingBlock, slidingBlock * latentBytes(run, group), group.window.value);
    if (ratio <= 1)
        return;
    add(SpecKind::Full, compressedBlock, compressedBlock / ratio * latentBytes(run, group), 0);
    const bool overlaps = ratio == overlapRatio;
    // Compressors keep fp32 keys and scores of the span that they are in, and of the one before where spans overlap.
    const std::int64_t spans = overlaps ? 2 : 1;
    const std::int64_t stateBlock = overlaps ? 4 : 8;
    const auto addCompressor = [&](std::int64_t width) {
        add(SpecKind::Sliding, stateBlock, stateBlock * width * spans * 2 * 4, ratio * spans);
    };
    addCompressor(group.latentDim + group.ropeDim);
    if (group.indexKeyDim > 0) {
        add(SpecKind::Full, compressedBlock, compressedBlock / ratio * (group.indexKeyDim + 4), 0);
        addCompressor(group.indexKeyDim);
    }
}

/// Caches that are cut alike; a tuple has one of each page size.
struct Bucket {
    Spec spec; ///< kind, block, window; the page means nothing
    std::map<std::int64_t, std::vector<PlacedSpec>> byPage;

    std::int64_t tuples() const
    {
        std::size_t most = 0;
        for (const auto &[page, specs] : byPage)
            most = std::max(most, specs.size());
        return static_cast<std::int64_t>(most);
    }
};

std::vector<Bucket> bucketsOf(const std::vector<PlacedSpec> &specs)
{
    std::vector<Bucket> buckets;
    for (const PlacedSpec &s : specs) {
        const Spec kind{s.spec.kind, s.spec.block, 0, s.spec.window};
        auto known = std::ranges::find(buckets, kind, &Bucket::spec);
        if (known == buckets.end())
            known = buckets.insert(buckets.end(), {kind, {}});
        known->byPage[s.spec.page].push_back(s);
    }
    return buckets;
}

/// The number of tuples to a group that wastes fewest places, the largest on a tie.
std::int64_t tuplesOfGroup(const std::vector<Bucket> &buckets)
{
    std::int64_t least = 1;
    std::int64_t most = 1;
    for (const Bucket &bucket : buckets) {
        most = std::max(most, bucket.tuples());
        if (bucket.spec.kind == SpecKind::Full)
            least = std::max(least, bucket.tuples());
    }
    std::int64_t best = least;
    std::int64_t fewest = tooLargeValue;
    for (std::int64_t d = least; d <= most; ++d) {
        std::int64_t empty = 0;
        for (const Bucket &bucket : buckets)
            empty += (d - bucket.tuples() % d) % d;
        if (empty <= fewest) {
            fewest = empty;
            best = d;
        }
    }
    return best;
}

/// What the check at start counted for a block before it took the stride.
std::int64_t fullBytes(const std::vector<Bucket> &buckets, std::int64_t tuples)
{
    std::int64_t distinct = 0;
    for (const Bucket &bucket : buckets) {
        if (bucket.spec.kind == SpecKind::Full) {
            for (const auto &[page, specs] : bucket.byPage)
                distinct += page;
        }
    }
    return tuples * distinct;
}

} // namespace

bool isCompressorState(const Spec &spec) { return spec.kind == SpecKind::Sliding && spec.block < slidingBlock; }

bool isPacked(const ModelSpec &model)
{
    return std::ranges::any_of(model.groups, [](const LayerGroup &g) { return g.mixer == Mixer::Latent && g.compression.value > 1; });
}

std::vector<PlacedSpec> packedSpecs(const Run &run)
{
    const ModelSpec &model = *run.model;
    std::vector<PlacedSpec> specs;
    for (int i = 0; i < model.layerCount(); ++i)
        addLayer(run, model.groups[model.layout[static_cast<std::size_t>(i)]], i, specs);
    for (const LayerGroup &group : draftingLayers(run))
        addLayer(run, group, model.layerCount() - 1, specs);
    return specs;
}

PoolShape packedPool(const Run &run, const Rules &rules)
{
    const std::vector<Bucket> buckets = bucketsOf(packedSpecs(run));
    const std::int64_t tuples = tuplesOfGroup(buckets);
    PoolShape pool;
    for (const Bucket &bucket : buckets) {
        const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, ceilDivide(bucket.tuples(), tuples)));
        const std::size_t first = pool.groups.size();
        for (std::size_t g = 0; g < count; ++g)
            pool.groups.push_back({bucket.spec.kind, bucket.spec.block, bucket.spec.window, {}});
        for (const auto &[page, placed] : bucket.byPage) {
            for (std::size_t i = 0; i < placed.size(); ++i)
                pool.groups[first + i % count].members.push_back(placed[i]);
        }
    }
    const auto strides = [&](const Run &ranks) {
        return mostOnStages(ranks, pool.groups, [](const PlacedSpec &p) { return p.spec.page; });
    };
    const std::int64_t whole = fullBytes(buckets, tuples);
    const bool byStride = rules.packedCheckByStride();
    pool.wholeBlock = byStride ? strides(serving::wholeModel(run)).front() : whole;
    for (const std::int64_t stride : strides(run)) {
        const bool onlyStage = run.stages.size() == 1;
        pool.checkBytes.push_back(byStride || !onlyStage ? stride : whole);
        pool.blockBytes.push_back(rules.packedByCheckBytes() ? pool.checkBytes.back() : stride);
    }
    return pool;
}

} // namespace kvscope::vllm
