// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace kvscope {

/// The largest of `from` .. `to` that `fits`, which holds for `from` and never again once it does not.
template<typename Fits>
std::int64_t largestThatFits(std::int64_t from, std::int64_t to, const Fits &fits)
{
    while (from < to) {
        const std::int64_t middle = from + (to - from + 1) / 2;
        if (fits(middle))
            from = middle;
        else
            to = middle - 1;
    }
    return from;
}

} // namespace kvscope
