// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/vllmexplain.h"

namespace kvscope::vllm {

std::vector<Explanation> explainSetup(const Scenario &, const Compiled &, const Plan &) { return {}; }

} // namespace kvscope::vllm
