// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"
#include "core/units.h"

#include <string_view>

namespace kvscope {

// A BadNumber's detail is what would be one: "tokens", "parameters", or the range.

/// `24GB` = 10^9, `24GiB` = 2^30 (KB MB TB, KiB MiB TiB likewise), plain digits are bytes; a decimal point and one space before the unit are taken,
/// any case. Errors: BadSize, TooLarge. (spec/cli.md, Sizes)
Result<Bytes> parseBytes(std::string_view text);

/// `128k` = 131072 (k = 1024, m = 1048576), digits may be grouped by `,` or `_`. Error: BadNumber, OutOfRange above largestContext.
Result<TokenCount> parseTokens(std::string_view text);

/// `30.53B`, `135M`, `7k`, decimal; plain digits. Errors: BadNumber, TooLarge.
Result<std::int64_t> parseParameters(std::string_view text);

/// A whole number in lowest..highest. Errors: BadNumber, OutOfRange.
Result<std::int64_t> parseWhole(std::string_view text, std::int64_t lowest, std::int64_t highest);

/// A decimal number in lowest..highest. Errors: BadNumber, OutOfRange.
Result<double> parseDecimal(std::string_view text, double lowest, double highest);

} // namespace kvscope
