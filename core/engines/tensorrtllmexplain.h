// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/tensorrtllmsetup.h"

namespace kvscope::tensorrtllm {

/// How each figure of a TensorRT-LLM plan came about.
std::vector<Explanation> explainSetup(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan);

} // namespace kvscope::tensorrtllm
