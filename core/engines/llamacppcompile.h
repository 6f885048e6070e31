// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"

namespace kvscope::llamacpp {

/// The rules applied: weights, caches, states and compute buffers of each device and the host as curves. Errors: ImpossibleSplit, of runOf() and of
/// the quantiser.
Result<Compiled> compileRun(const Scenario &scenario, const Cluster &cluster);

} // namespace kvscope::llamacpp
