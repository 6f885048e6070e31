// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace kvscope {

using Json = nlohmann::json;

/// Deepest nesting that is read; a config.json has about eight levels.
inline constexpr int deepestJson = 64;

/// Parses a file's text. Python's NaN, Infinity and -Infinity (written by json.dump) count as a value that is no number.
/// Errors: FileEmpty; NotJson with the byte offset in `detail`, also for nesting below deepestJson. `name` goes into Error::where.
Result<Json> parseJson(std::string_view text, std::string_view name);

} // namespace kvscope
