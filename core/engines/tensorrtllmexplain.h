// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingexplain.h"
#include "core/engines/tensorrtllmsetup.h"

namespace kvscope::tensorrtllm {

/// Lines on blocks: what sequences need, what the pool holds.
void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines);
/// Lines on the fraction of what is free, and what is not.
void explainMemory(const Setup &setup, const Scenario &scenario, serving::Lines &lines);

} // namespace kvscope::tensorrtllm
