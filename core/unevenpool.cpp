// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/unevenpool.h"

#include "core/engine.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

constexpr std::array<std::int64_t, 5> usualLengths{1'024, 4'096, 16'384, 65'536, 131'072};
constexpr double evenWithin = 0.02;

/// Sequences of this length that all pools of a replica hold.
std::int64_t sequencesHeld(const Compiled &compiled, TokenCount context)
{
    std::int64_t least = largestBatch;
    for (const DeviceCurve &device : compiled.devices) {
        if (!device.pool)
            continue;
        CacheCurve cache = device.cache;
        cache.mostSequences = largestBatch; // what the pool holds, not what the engine runs
        least = std::min(least, cache.maxSequences(device.pool->bytes.middle, context));
    }
    return least;
}

} // namespace

std::optional<UnevenPool> unevenPool(const Scenario &scenario, const Cluster &cluster, const Plan &plan)
{
    if (!plan.pool || plan.pool->blocks <= 0 || plan.verdict == Verdict::Refused || !plan.binding())
        return {};
    const Result<Compiled> compiled = compile(scenario, cluster);
    if (!compiled)
        return {};
    const auto binding = std::ranges::find_if(compiled->devices, [](const DeviceCurve &d) { return d.pool.has_value(); });
    if (binding == compiled->devices.end())
        return {};
    UnevenPool pool;
    const std::int64_t bytes = binding->pool->bytes.middle.value, blocks = plan.pool->blocks;
    pool.block = Bytes{bytes / std::max<std::int64_t>(1, blocks - plan.pool->ownBlocks)};
    if (pool.block.value > 0)
        pool.pinned = ceilDivide(binding->cache.at({1}, 1).value, pool.block.value);

    Scenario longer = scenario;
    longer.context = scenario.context + scenario.context;
    if (const Result<Compiled> other = compile(longer, cluster); other && other->pool)
        pool.printedByLength = other->pool->blocks == blocks && other->pool->capacity != plan.pool->capacity;

    std::vector<std::int64_t> lengths(usualLengths.begin(), usualLengths.end());
    const std::int64_t trained = scenario.model->trainedContext.value;
    std::erase_if(lengths, [trained](std::int64_t length) { return trained > 0 && length > trained; });
    lengths.push_back(scenario.context.value);
    std::ranges::sort(lengths);
    lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    std::int64_t fewest = tooLargeValue, most = 0;
    for (const std::int64_t length : lengths) {
        const std::int64_t sequences = sequencesHeld(*compiled, {length});
        if (sequences < 1)
            continue;
        // Whole sequences alone would make any pool uneven at great lengths.
        const TokenCount oneMore{saturatingMultiply(sequences + 1, length)}, held{saturatingMultiply(sequences, length)};
        pool.rows.push_back({{length}, sequences, held});
        fewest = std::min(fewest, oneMore.value);
        most = std::max(most, held.value);
    }
    if (pool.rows.size() < 2 || static_cast<double>(most) <= static_cast<double>(fewest) * (1 + evenWithin))
        return {};
    return pool;
}

} // namespace kvscope
