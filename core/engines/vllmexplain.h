// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/vllmsetup.h"

namespace kvscope::vllm {

/// How each figure of a vLLM plan came about.
std::vector<Explanation> explainSetup(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan);

} // namespace kvscope::vllm
