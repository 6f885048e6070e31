// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kvscope {

inline constexpr std::size_t longestGgufTensorName = 63; ///< bytes (spec/local-engines.md 1.6)
inline constexpr std::int64_t mostGgufTensors = 262'144; ///< far more than any model has

/// A key behind `<arch>.` that decides memory and so must hold a whole number, or one for each layer.
bool isGgufNumber(std::string_view key);

/// The first thing that can't be so: a key that is missing or out of range (spec/local-engines.md 1.6, 2.1), a list that has not an entry a block,
/// a tensor named twice. Whoever makes a GgufModel from outside asks. `keyPrefix` stands before a key's name in Error::where.
/// Errors: MissingField, OutOfRange, WrongLength; DuplicateName (detail: the tensor) and TooLarge at "tensors".
std::optional<Error> ggufProblem(const GgufModel &model, const std::string &keyPrefix);

} // namespace kvscope
