// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tokenscale.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kvscope {

namespace {

std::int64_t powerBelow(std::int64_t value)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, value))));
}

} // namespace

TokenCount roundTokens(double value)
{
    value = std::clamp(value, 1.0, static_cast<double>(largestContext.value));
    const double nearest = std::exp2(std::round(std::log2(value)));
    if (std::abs(value / nearest - 1) < 0.03)
        return {std::min(static_cast<std::int64_t>(nearest), largestContext.value)};
    const std::int64_t grain = std::max<std::int64_t>(1, powerBelow(static_cast<std::int64_t>(value)) / 64);
    return {std::min<std::int64_t>(std::llround(value / static_cast<double>(grain)) * grain, largestContext.value)};
}

std::int64_t stepBinary(std::int64_t value, int direction, bool fine)
{
    value = std::max<std::int64_t>(1, value);
    const std::int64_t power = powerBelow(value);
    // Downwards from a power of two the steps are those of the octave below.
    const std::int64_t octave = direction < 0 && value == power ? std::max<std::int64_t>(1, power / 2) : power;
    const std::int64_t step = fine ? std::max<std::int64_t>(1, octave / 8) : octave;
    return std::max<std::int64_t>(1, direction > 0 ? (value / step + 1) * step : (value - 1) / step * step);
}

} // namespace kvscope
