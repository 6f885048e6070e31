// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"

#include <optional>

namespace kvscope {

/// Where a plan lies on its growth line, and what that line may reach.
struct Reach {
    Bytes at;            ///< on the device that binds, as the line has it at the plan's context
    Bytes limit;         ///< beyond it the context does not fit
    bool pooled = false; ///< the limit is the engine's full KV pool, not the card
};

/// A pool is taken whole, whatever is asked of it: the line tells what is needed. Empty where the engine refuses.
std::optional<Reach> reachOf(const Plan &plan);

} // namespace kvscope
