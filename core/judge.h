// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/boundary.h"

namespace kvscope {

/// The numbers of a plan from a compiled scenario: memory by device and part, verdict and limits. Refused where a figure can't be counted.
Plan judge(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster);

/// The verdict alone; Refused where the engine refuses.
Verdict verdictOf(const Scenario &scenario, const Cluster &cluster);

/// What the sequences need, over all devices, copies counted; no state (KvFigures::total).
Bytes kvTotal(const FitBoundary &boundary, const Scenario &scenario);

/// Largest context with the scenario's batch that comes out no worse than `worst`, whatever the engine derives from it: planned at this
/// context it does, one token above it does not. 0 if not one token, largestContext at the most.
TokenCount longestContext(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster, Verdict worst = Verdict::Tight);
/// The same of the sequences at the scenario's context, over all replicas, largestBatch at the most.
std::int64_t mostSequences(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster, Verdict worst = Verdict::Tight);

/// Largest context and batch, with what stops each.
Limits limitsOf(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster);

} // namespace kvscope
