// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingexplain.h"
#include "core/engines/vllmsetup.h"

namespace kvscope::vllm {

/// Lines on blocks: what sequences need, what the pool holds.
void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines);
/// Lines on the start profile, the budget and what the log says.
void explainMemory(const Setup &setup, const Scenario &scenario, serving::Lines &lines);

} // namespace kvscope::vllm
