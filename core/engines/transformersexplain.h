// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"

namespace kvscope::transformers {

/// What torch would report for one replica, all its devices summed, as measured tables do.
struct Reserved {
    Bytes allocated; ///< max_memory_allocated
    Bytes cache;     ///< K and V at the end of the run
    Bytes low, high; ///< max_memory_reserved
};
Reserved reservedOf(const Scenario &scenario, const Compiled &compiled, const Plan &plan);

/// How each figure came about, with the numbers put in.
std::vector<Explanation> explainRun(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan);

} // namespace kvscope::transformers
