// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/boundary.h"

namespace kvscope {

/// The numbers of a plan from a compiled scenario: memory by device and part, verdict and limits. Refused where a figure can't be counted.
Plan judge(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster);

/// What the sequences need, over all devices, copies counted; no state (KvFigures::total).
Bytes kvTotal(const FitBoundary &boundary, const Scenario &scenario);

/// Largest context and batch, with what stops each.
Limits limitsOf(const FitBoundary &boundary, const Scenario &scenario);

} // namespace kvscope
