// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"
#include "core/plan.h"
#include "core/scenario.h"

#include <vector>

namespace kvscope {

/// A compiled scenario held against a cluster's memory: what fits, and how far it could go. Every answer is a closed form of the curves,
/// so plan(), limits, charts and sweeps agree. "Fits" means that the upper end of the range does.
class FitBoundary {
public:
    FitBoundary(Compiled compiled, const Scenario &scenario, const Cluster &cluster);

    /// Most sequences over all replicas that fit at this context; 0 if not even one in each does, largestBatch at the most.
    std::int64_t maxSequences(TokenCount context) const;
    /// Largest context that fits with this many sequences over all replicas; 0 if not one token does, largestContext at the most.
    TokenCount maxContext(std::int64_t sequences) const;
    /// By the range: fits = the high end does on every device, tight = only the low end.
    Verdict verdict(TokenCount context, std::int64_t sequences) const;
    /// Bytes on the fullest device, middle of the range.
    Bytes fullestTotal(TokenCount context, std::int64_t sequences) const;
    /// False where not even an empty cache fits.
    bool weightsFit() const;

    const Compiled &compiled() const { return m_compiled; }
    /// Sequences on the fullest replica.
    std::int64_t sequencesOnFullest(std::int64_t sequences) const { return ceilDivide(sequences, m_replicas); }
    int replicas() const { return m_replicas; }
    /// What a device may take: usable memory less what others hold and the reserve.
    static Bytes budgetOf(const Device &device, const Scenario &scenario);

private:
    Compiled m_compiled;
    std::vector<Bytes> m_budgets; ///< of the poorest device of each curve, same index as Compiled::devices
    int m_replicas = 1;
};

} // namespace kvscope
