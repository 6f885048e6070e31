// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/boundary.h"

#include "core/search.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

/// What stands beside the curve at the end of the range that counts.
Bytes around(const DeviceCurve &device, Verdict worst) { return worst == Verdict::Fits ? device.runtime.high : device.runtime.low; }
Bytes poolOf(const DeviceCurve &device, Verdict worst) { return worst == Verdict::Fits ? device.pool->bytes.low : device.pool->bytes.high; }

bool holds(const CacheCurve &curve, Bytes room, TokenCount tokens, std::int64_t sequences)
{
    const Bytes needed = curve.at(tokens, sequences);
    return !needed.tooLarge() && needed <= room;
}

/// The device at this end of its range.
bool deviceFits(const DeviceCurve &device, Bytes budget, TokenCount context, std::int64_t sequences, Verdict worst)
{
    return holds(device.curve, budget - around(device, worst), context, sequences) &&
           (!device.pool || (holds(claimOn(device), poolOf(device, worst), context, sequences) &&
                             holds(device.pool->oneRequest, poolOf(device, worst) + device.pool->kept, context, 1)));
}

} // namespace

const CacheCurve &claimOn(const DeviceCurve &device) { return device.pool->claim.phases.empty() ? device.cache : device.pool->claim; }

Bytes neededOn(const DeviceCurve &device, TokenCount tokens, std::int64_t sequences)
{
    return device.cache.phases.empty() ? device.curve.partsAt(tokens, sequences)[Part::Kv] : device.cache.at(tokens, sequences);
}

FitBoundary::FitBoundary(Compiled compiled, const Scenario &scenario, const Cluster &cluster) :
    m_compiled(std::move(compiled)),
    m_replicas(cluster.split.data),
    m_cardGroups(cluster.split.cardGroups()),
    m_groupSize(cluster.devices.size() / static_cast<std::size_t>(m_cardGroups)),
    m_hostMemory(scenario.hostMemory)
{
    for (std::size_t i = 0; i < m_compiled.devices.size(); ++i) {
        const DeviceCurve &curve = m_compiled.devices[i];
        Bytes poorest{tooLargeValue};
        for (std::size_t g = 0; g < static_cast<std::size_t>(m_cardGroups); ++g) {
            for (int p = 0; p < curve.peers; ++p) {
                const Device &device = cluster.devices[g * m_groupSize + static_cast<std::size_t>(curve.device + p)];
                poorest = std::min(poorest, budgetOf(device, scenario));
                if (device.unified && !m_hostMemory && !m_sharesHost) {
                    m_sharesHost = i;
                    m_sharedMemory = device.memory;
                }
            }
        }
        m_budgets.push_back(poorest);
    }
}

Bytes FitBoundary::budgetOf(const Device &device, const Scenario &scenario)
{
    const double reserve = static_cast<double>(device.memory.value) * scenario.reservePercent / 100;
    return device.usable - scenario.inUse - Bytes{std::llround(reserve)};
}

int FitBoundary::peersOfReplica(const DeviceCurve &curve) const
{
    return m_cardGroups == m_replicas ? curve.peers : std::max(1, curve.peers / m_replicas);
}

int FitBoundary::replicaOf(const DeviceCurve &curve, int group, int peer) const
{
    return m_cardGroups == m_replicas ? group : std::min(peer / peersOfReplica(curve), m_replicas - 1);
}

Bytes FitBoundary::hostNeeded(TokenCount context, std::int64_t sequences) const
{
    const auto ofReplica = [&](std::int64_t there) {
        Bytes sum;
        if (!m_compiled.host.phases.empty())
            sum = m_compiled.host.at(context, there);
        for (const DeviceCurve &device : m_compiled.devices) {
            if (device.hostHoldsRest && !device.cache.phases.empty()) {
                const Bytes rest = neededOn(device, context, there) - device.curve.partsAt(context, there)[Part::Kv];
                sum += std::max(Bytes{}, rest) * peersOfReplica(device);
            }
        }
        return sum;
    };
    const std::int64_t fuller = sequences % m_replicas;
    Bytes sum = m_compiled.hostWeights + m_compiled.hostActivation + ofReplica(sequences / m_replicas) * (m_replicas - fuller);
    if (fuller > 0)
        sum += ofReplica(sequencesOnFullest(sequences)) * fuller;
    return sum;
}

std::optional<Bytes> FitBoundary::hostThere(TokenCount context, std::int64_t sequences) const
{
    if (!m_sharesHost)
        return m_hostMemory;
    const DeviceCurve &device = m_compiled.devices[*m_sharesHost];
    return m_sharedMemory - device.curve.at(context, sequencesOnFullest(sequences)) - device.runtime.middle;
}

bool FitBoundary::hostFits(TokenCount context, std::int64_t sequences) const
{
    if (!m_hostMemory && !m_sharesHost)
        return true;
    const Bytes needed = hostNeeded(context, sequences);
    return needed.value == 0 || (!needed.tooLarge() && needed <= *hostThere(context, sequences));
}

std::int64_t FitBoundary::maxSequences(TokenCount context, Verdict worst) const
{
    std::int64_t least = largestBatch;
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        const DeviceCurve &device = m_compiled.devices[i];
        least = std::min(least, device.curve.maxSequences(m_budgets[i] - around(device, worst), context));
        if (!device.pool)
            continue;
        least = std::min(least, claimOn(device).maxSequences(poolOf(device, worst), context));
        if (!holds(device.pool->oneRequest, poolOf(device, worst) + device.pool->kept, context, 1))
            return 0;
    }
    const std::int64_t onDevices = std::min(std::max(least, std::int64_t{0}) * m_replicas, largestBatch);
    const auto fits = [&](std::int64_t sequences) { return hostFits(context, sequences); };
    if (onDevices <= 0 || fits(onDevices))
        return onDevices;
    return fits(1) ? largestThatFits(1, onDevices, fits) : 0;
}

TokenCount FitBoundary::maxContext(std::int64_t sequences, Verdict worst) const
{
    const std::int64_t onFullest = sequencesOnFullest(sequences);
    TokenCount least = largestContext;
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        const DeviceCurve &device = m_compiled.devices[i];
        least = std::min(least, device.curve.maxTokens(m_budgets[i] - around(device, worst), onFullest));
        if (!device.pool)
            continue;
        least = std::min(least, claimOn(device).maxTokens(poolOf(device, worst), onFullest));
        if (!device.pool->oneRequest.phases.empty())
            least = std::min(least, device.pool->oneRequest.maxTokens(poolOf(device, worst) + device.pool->kept, 1));
    }
    const auto fits = [&](std::int64_t context) { return hostFits(TokenCount{context}, sequences); };
    if (least.value <= 0 || fits(least.value))
        return std::max(least, TokenCount{0});
    return TokenCount{fits(0) ? largestThatFits(0, least.value, fits) : 0};
}

Verdict FitBoundary::verdict(TokenCount context, std::int64_t sequences) const
{
    const std::int64_t onFullest = sequencesOnFullest(sequences);
    if (!hostFits(context, sequences))
        return Verdict::OutOfMemory;
    Verdict worst = Verdict::Fits;
    for (std::size_t i = 0; i < m_budgets.size(); ++i) {
        while (!deviceFits(m_compiled.devices[i], m_budgets[i], context, onFullest, worst)) {
            if (worst == Verdict::Tight)
                return Verdict::OutOfMemory;
            worst = Verdict::Tight;
        }
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
        if (device.pool) // what is taken of the pool, not the pool
            total += claimOn(device).at(context, onFullest) - device.pool->bytes.middle;
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
        if (device.pool ? device.pool->bytes.high.value <= 0 : device.curve.at({}, 0) + device.runtime.low > m_budgets[i])
            return false;
    }
    return hostFits({}, 0);
}

} // namespace kvscope
