// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// A regular expression written out as names with the wildcard `*`, as far as lists of modules use them: `.*`, `\.`, `\d+`, alternatives in
/// parentheses, digits in brackets. None where it holds anything else, is longer than 1,024 characters or would come to more than 256 names.
std::vector<std::string> alternativesOf(std::string_view expression);

} // namespace kvscope
