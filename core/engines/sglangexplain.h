// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingexplain.h"
#include "core/engines/sglangsetup.h"

namespace kvscope::sglang {

/// Lines on the pools: what sequences need, what they hold.
void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines);
/// Lines on the static fraction and what lies beside it.
void explainMemory(const Setup &setup, const Scenario &scenario, serving::Lines &lines);

} // namespace kvscope::sglang
