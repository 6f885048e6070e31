// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/units.h"

namespace kvscope {

/// The round token count near `value` that a pointer means: a power of two within 3 % of it, else a multiple of 1/64 of the power of two below.
TokenCount roundTokens(double value);
/// The next power of two in the direction (+1, -1); fine: the next multiple of 1/8 of the power of two below. Never below 1.
std::int64_t stepBinary(std::int64_t value, int direction, bool fine);

} // namespace kvscope
