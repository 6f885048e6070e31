// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"
#include "core/plan.h"
#include "core/scenario.h"

#include <optional>
#include <vector>

namespace kvscope {

/// A compiled scenario held against a cluster's memory and its host's: what fits, and how far it could go. The devices' answers are closed
/// forms of the curves, so plan(), limits, charts and sweeps agree. `worst` says what counts: Tight, the lower end of the range must fit; Fits,
/// the upper end must. Where the engine follows the load (Engine::followsLoad) an answer for another load is only as good as the settings
/// compiled in: core/judge.h has those that compile anew.
class FitBoundary {
public:
    FitBoundary(Compiled compiled, const Scenario &scenario, const Cluster &cluster);

    /// Most sequences over all replicas at this context; 0 if not even one in each, largestBatch at the most.
    std::int64_t maxSequences(TokenCount context, Verdict worst = Verdict::Tight) const;
    /// Largest context with this many sequences over all replicas; 0 if not one token, largestContext at the most.
    TokenCount maxContext(std::int64_t sequences, Verdict worst = Verdict::Tight) const;
    /// By the range: fits = the high end does on every device, tight = only the low end. What the host must hold has no range.
    Verdict verdict(TokenCount context, std::int64_t sequences) const;
    /// Bytes on the fullest device, middle of the range.
    Bytes fullestTotal(TokenCount context, std::int64_t sequences) const;
    /// False where not even an empty cache fits.
    bool weightsFit() const;

    /// What lies in host memory, all replicas together.
    Bytes hostNeeded(TokenCount context, std::int64_t sequences) const;
    /// What the host has for it: as the scenario says; what a device that shares it leaves. Empty: not known, so not judged.
    std::optional<Bytes> hostThere(TokenCount context, std::int64_t sequences) const;

    const Compiled &compiled() const { return m_compiled; }
    /// Sequences on the fullest replica.
    std::int64_t sequencesOnFullest(std::int64_t sequences) const { return ceilDivide(sequences, m_replicas); }
    /// Sequences of a replica: the first ones take one more where they do not divide.
    std::int64_t sequencesOn(int replica, std::int64_t sequences) const
    {
        return sequences / m_replicas + (replica < sequences % m_replicas);
    }
    int replicas() const { return m_replicas; }
    /// Groups of cards of which each holds the whole model, and cards of one.
    int cardGroups() const { return m_cardGroups; }
    std::size_t groupSize() const { return m_groupSize; }
    /// The replica that a curve's peer serves, in a group of cards.
    int replicaOf(const DeviceCurve &curve, int group, int peer) const;
    /// Cards of a curve that serve one replica.
    int peersOfReplica(const DeviceCurve &curve) const;
    /// What a device may take: usable memory less what others hold and the reserve.
    static Bytes budgetOf(const Device &device, const Scenario &scenario);

private:
    bool hostFits(TokenCount context, std::int64_t sequences) const;

    Compiled m_compiled;
    std::vector<Bytes> m_budgets; ///< of the poorest device of each curve, same index as Compiled::devices
    int m_replicas = 1, m_cardGroups = 1;
    std::size_t m_groupSize = 1;
    std::optional<Bytes> m_hostMemory;
    std::optional<std::size_t> m_sharesHost; ///< the first curve whose device has the host's memory ...
    Bytes m_sharedMemory;                    ///< ... all of it
};

/// What sequences take of a device's pool: what must fit into it. The device has a pool.
const CacheCurve &claimOn(const DeviceCurve &device);

/// KV that the sequences need of a device, the host's part included.
Bytes neededOn(const DeviceCurve &device, TokenCount tokens, std::int64_t sequences);

} // namespace kvscope
