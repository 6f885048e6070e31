// SPDX-License-Identifier: GPL-3.0-or-later
// Groups and blocks of vLLM's pool, and what the log says of it: spec/serving-engines.md 2.6, 3.1 and 3.3.
#include "core/engines/vllmpool.h"

#include "core/engines/vllmpacked.h"
#include "core/search.h"

#include <algorithm>
#include <numeric>

namespace kvscope::vllm {

namespace {

bool sameKind(const std::vector<PlacedSpec> &specs)
{
    const Spec &first = specs.front().spec;
    return std::ranges::all_of(specs, [&first](const PlacedSpec &s) {
        return s.spec.kind == first.kind && s.spec.block == first.block && s.spec.window == first.window;
    });
}

/// One group: every layer has tensors of its own (2.6, rules 2 and 3).
PoolShape uniformPool(const Run &run, std::vector<PlacedSpec> specs)
{
    PoolShape pool;
    const Spec first = specs.front().spec;
    const std::vector<std::size_t> stageOf = run.stageOfLayers();
    pool.blockBytes.assign(run.stages.size(), 0);
    for (const PlacedSpec &s : specs) {
        std::int64_t &bytes = pool.blockBytes[stageOf[static_cast<std::size_t>(s.layer)]];
        bytes = saturatingAdd(bytes, s.spec.page);
    }
    pool.wholeBlock = std::accumulate(pool.blockBytes.begin(), pool.blockBytes.end(), std::int64_t{0}, saturatingAdd);
    pool.groups.push_back({first.kind, first.block, first.window, std::move(specs)});
    return pool;
}

/// Pages of one size: smaller ones that divide it get more tokens, states and the rest are padded (2.6, 5a).
void shareWidth(std::vector<PlacedSpec> &specs, std::int64_t width)
{
    for (PlacedSpec &s : specs) {
        if (s.spec.kind != SpecKind::State && width % s.spec.page == 0)
            s.spec.block = saturatingMultiply(s.spec.block, width / s.spec.page);
        s.spec.page = width;
    }
}

std::vector<std::vector<PlacedSpec>> bucketsOf(const std::vector<PlacedSpec> &specs)
{
    std::vector<std::vector<PlacedSpec>> buckets;
    for (const PlacedSpec &s : specs) {
        const auto known = std::ranges::find_if(buckets, [&s](const auto &b) { return b.front().spec == s.spec; });
        if (known == buckets.end())
            buckets.push_back({s});
        else
            known->push_back(s);
    }
    return buckets;
}

/// Several groups over shared tensors (2.6, rule 5).
PoolShape sharedPool(const Run &run, const Rules &rules, std::vector<PlacedSpec> specs)
{
    PoolShape pool;
    for (const PlacedSpec &s : specs)
        pool.sharedPage = std::max(pool.sharedPage, s.spec.page);
    shareWidth(specs, pool.sharedPage);
    const std::vector<std::vector<PlacedSpec>> buckets = bucketsOf(specs);
    std::size_t smallest = specs.size();
    std::size_t largest = 0;
    for (const auto &bucket : buckets) {
        smallest = std::min(smallest, bucket.size());
        largest = std::max(largest, bucket.size());
    }
    const bool nearlyEqual = static_cast<double>(largest) < rules.largestGroupRatio() * static_cast<double>(smallest);
    const std::size_t size = nearlyEqual ? largest : smallest;
    for (const auto &bucket : buckets) {
        const std::size_t count = (bucket.size() + size - 1) / size;
        const Spec &spec = bucket.front().spec;
        const std::size_t first = pool.groups.size();
        pool.groups.resize(first + count, {spec.kind, spec.block, spec.window, {}});
        for (std::size_t i = 0; i < bucket.size(); ++i)
            pool.groups[first + (rules.dealsGroups() ? i % count : i / size)].members.push_back(bucket[i]);
    }
    pool.tensors = static_cast<std::int64_t>(size);
    for (const std::int64_t layers : mostOnStages(run, pool.groups, [](const PlacedSpec &) { return 1; }))
        pool.blockBytes.push_back(saturatingMultiply(layers, pool.sharedPage));
    pool.wholeBlock = saturatingMultiply(pool.tensors, pool.sharedPage);
    return pool;
}

} // namespace

std::vector<std::int64_t> mostOnStages(const Run &run, const std::vector<BlockGroup> &groups,
                                       const std::function<std::int64_t(const PlacedSpec &)> &amount)
{
    const std::vector<std::size_t> stageOf = run.stageOfLayers();
    std::vector<std::int64_t> most(run.stages.size());
    std::vector<std::int64_t> sums(run.stages.size());
    for (const BlockGroup &group : groups) {
        for (const PlacedSpec &s : group.members) {
            const std::size_t stage = stageOf[static_cast<std::size_t>(s.layer)];
            sums[stage] = saturatingAdd(sums[stage], amount(s));
            most[stage] = std::max(most[stage], sums[stage]);
        }
        for (const PlacedSpec &s : group.members)
            sums[stageOf[static_cast<std::size_t>(s.layer)]] = 0;
    }
    return most;
}

std::int64_t PoolShape::blocksOf(TokenCount length) const
{
    std::int64_t sum = 0;
    for (const GroupKind &k : kinds)
        sum = saturatingAdd(sum, saturatingMultiply(holding.blocks(k.kind, k.block, k.window, length), k.count));
    return sum;
}

std::int64_t PoolShape::smallestBlock() const
{
    std::int64_t least = tooLargeValue;
    for (const GroupKind &k : kinds)
        least = std::min(least, k.block);
    return kinds.empty() ? 1 : least;
}

PoolShape poolOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    PoolShape pool;
    if (isPacked(*run.model)) {
        pool = packedPool(run, rules);
    } else {
        std::vector<PlacedSpec> specs = specsOf(run, rules, scenario, device);
        if (!prefixCaching(run, rules, scenario)) { // a state is one block of the whole length then (2.7)
            for (PlacedSpec &s : specs) {
                if (s.spec.kind == SpecKind::State)
                    s.spec.block = std::max<std::int64_t>(scenario.context.value, 1);
            }
        }
        if (!specs.empty())
            pool = sameKind(specs) ? uniformPool(run, std::move(specs)) : sharedPool(run, rules, std::move(specs));
    }
    if (pool.checkBytes.empty())
        pool.checkBytes = pool.blockBytes;
    for (const BlockGroup &group : pool.groups) {
        const auto alike = std::ranges::find_if(pool.kinds, [&group](const GroupKind &k) {
            return k.kind == group.kind && k.block == group.block && k.window == group.window;
        });
        if (alike == pool.kinds.end())
            pool.kinds.push_back({group.kind, group.block, group.window, 1});
        else
            ++alike->count;
    }
    pool.holding = holdingOf(run, rules, scenario, device);
    return pool;
}

std::int64_t blocksIn(const PoolShape &pool, std::size_t stage, Bytes available)
{
    const std::int64_t bytes = pool.blockBytes[stage];
    return bytes > 0 && available.value > 0 ? available.value / bytes : 0;
}

Bytes neededWhole(const PoolShape &pool, TokenCount length) { return Bytes{pool.wholeBlock} * pool.blocksOf(length); }

Printed printedOf(const PoolShape &pool, const Rules &rules, std::int64_t blocks, std::int64_t configuredBlock, TokenCount length)
{
    Printed printed;
    if (pool.empty())
        return printed;
    const auto tokensOf = [&](std::int64_t block) {
        return saturatingMultiply(saturatingMultiply(blocks / static_cast<std::int64_t>(pool.groups.size()), block),
                                  pool.holding.contextRanks);
    };
    const std::int64_t each = pool.blocksOf(length);
    printed.concurrency = each > 0 ? static_cast<double>(blocks) / static_cast<double>(each) : 0;
    if (!rules.groups()) {
        printed.tokens = tokensOf(pool.smallestBlock());
        printed.concurrency = length.value > 0 ? static_cast<double>(printed.tokens) / static_cast<double>(length.value) : 0;
    } else if (!rules.tokensByConcurrency()) {
        printed.tokens = tokensOf(rules.configuredBlockInTokens() ? configuredBlock : pool.smallestBlock());
    } else {
        printed.tokens = static_cast<std::int64_t>(printed.concurrency * static_cast<double>(length.value));
    }
    return printed;
}

TokenCount longestOf(const PoolShape &pool, const Rules &rules, const std::vector<Bytes> &available, TokenCount length)
{
    const auto fits = [&](std::int64_t tokens) {
        const std::int64_t blocks = pool.blocksOf(TokenCount{tokens});
        for (std::size_t s = 0; s < available.size(); ++s) {
            const Bytes need = Bytes{rules.needPerRank() ? pool.checkBytes[s] : pool.wholeBlock} * blocks;
            if (pool.blockBytes[s] > 0 && need > available[s])
                return false;
        }
        return true;
    };
    return {largestThatFits(0, length.value, fits)};
}

} // namespace kvscope::vllm
