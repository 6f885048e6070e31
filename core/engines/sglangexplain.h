// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/sglangsetup.h"

namespace kvscope::sglang {

/// How each figure of an SGLang plan came about.
std::vector<Explanation> explainSetup(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan);

} // namespace kvscope::sglang
