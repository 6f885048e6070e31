// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"

namespace kvscope {

/// How the formula engine came to each figure of a plan. The lines of one figure add up to it.
std::vector<Explanation> explainFormula(const Scenario &scenario, const Compiled &compiled, const Plan &plan);

} // namespace kvscope
