// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/boundary.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

FitBoundary::FitBoundary(Compiled compiled, const Scenario &scenario, const Cluster &cluster) :
    m_compiled(std::move(compiled)), m_replicas(cluster.split.data)
{
    const std::size_t replicaSize = cluster.devices.size() / static_cast<std::size_t>(m_replicas);
    for (const DeviceCurve &curve : m_compiled.devices) {
        Bytes poorest{tooLargeValue};
        for (std::size_t r = 0; r < static_cast<std::size_t>(m_replicas); ++r) {
            for (int p = 0; p < curve.peers; ++p)
                poorest =
                    std::min(poorest, budgetOf(cluster.devices[r * replicaSize + static_cast<std::size_t>(curve.device + p)], scenario));
        }
        m_budgets.push_back(poorest);
    }
}

Bytes FitBoundary::budgetOf(const Device &device, const Scenario &scenario)
{
    const double reserve = static_cast<double>(device.memory.value) * scenario.reservePercent / 100;
    return device.usable - scenario.inUse - Bytes{std::llround(reserve)};
}

std::int64_t FitBoundary::maxSequences(TokenCount context) const
{
    std::int64_t least = largestBatch;
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        const DeviceCurve &device = m_compiled.devices[i];
        const Bytes around = device.pool ? device.runtime.low : device.runtime.high; // a pool's own range is told by what it holds
        least = std::min(least, device.curve.maxSequences(m_budgets[i] - around, context));
        if (device.pool)
            least = std::min(least, device.cache.maxSequences(device.pool->bytes.low, context));
    }
    return std::min(std::max(least, std::int64_t{0}) * m_replicas, largestBatch);
}

TokenCount FitBoundary::maxContext(std::int64_t sequences) const
{
    const std::int64_t onFullest = sequencesOnFullest(sequences);
    TokenCount least = largestContext;
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        const DeviceCurve &device = m_compiled.devices[i];
        const Bytes around = device.pool ? device.runtime.low : device.runtime.high;
        least = std::min(least, device.curve.maxTokens(m_budgets[i] - around, onFullest));
        if (device.pool)
            least = std::min(least, device.cache.maxTokens(device.pool->bytes.low, onFullest));
    }
    return std::max(least, TokenCount{0});
}

Verdict FitBoundary::verdict(TokenCount context, std::int64_t sequences) const
{
    const std::int64_t onFullest = sequencesOnFullest(sequences);
    Verdict worst = Verdict::Fits;
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        const DeviceCurve &device = m_compiled.devices[i];
        const Bytes total = device.curve.at(context, onFullest);
        if (total.tooLarge() || total + device.runtime.low > m_budgets[i])
            return Verdict::OutOfMemory;
        if (total + device.runtime.high > m_budgets[i])
            worst = Verdict::Tight;
        if (!device.pool)
            continue;
        const Bytes needed = device.cache.at(context, onFullest);
        if (needed.tooLarge() || needed > device.pool->bytes.high)
            return Verdict::OutOfMemory;
        if (needed > device.pool->bytes.low)
            worst = Verdict::Tight;
    }
    return worst;
}

Bytes FitBoundary::fullestTotal(TokenCount context, std::int64_t sequences) const
{
    const std::int64_t onFullest = sequencesOnFullest(sequences);
    Bytes most, leastFree{tooLargeValue};
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        const DeviceCurve &device = m_compiled.devices[i];
        Bytes total = device.curve.at(context, onFullest) + device.runtime.middle;
        if (device.pool) // what is needed of the pool, not the pool
            total += device.cache.at(context, onFullest) - device.pool->bytes.middle;
        if (const Bytes free = m_budgets[i] - total; free < leastFree || i == 0) {
            leastFree = free;
            most = total;
        }
    }
    return most;
}

bool FitBoundary::weightsFit() const
{
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        const DeviceCurve &device = m_compiled.devices[i];
        // A pool takes what is left: nothing fits where it is none.
        if (device.pool ? device.pool->bytes.low.value <= 0 : device.curve.at({}, 0) + device.runtime.high > m_budgets[i])
            return false;
    }
    return true;
}

} // namespace kvscope
