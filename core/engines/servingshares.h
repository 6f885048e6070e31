// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingrun.h"

namespace kvscope::serving {

/// One of `ranks` parts, the largest.
std::int64_t share(std::int64_t elements, std::int64_t ranks);

/// Elements of one layer's role on a rank: split, replicated or, experts, dealt out (4.1).
std::int64_t elementsOnRank(const Run &run, const LayerGroup &group, Role role);

} // namespace kvscope::serving
