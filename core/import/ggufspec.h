// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/model.h"
#include "core/result.h"

#include <array>
#include <string_view>

namespace kvscope {

/// A GGUF as every engine sees a model: kinds of layers by the architecture's row (core/gguf/layers.h), parameters by role from the tensors' names,
/// the tensors' bytes as measured. `name` is taken where the file does not name its model, and as id.
/// Errors: OutOfRange for a layer of no possible shape (where: its key).
Result<ModelSpec> modelFromGguf(GgufModel gguf, std::string_view name);

/// The tensors' bytes by role, as modelFromGguf counts their parameters.
std::array<Bytes, roleCount> ggufBytesByRole(const GgufModel &gguf);

/// Where a tensor's parameters count. `recurrent`: of a layer without attention, whose projections are named as attention's.
Role roleOfTensor(const GgufTensor &tensor, bool recurrent = false);

} // namespace kvscope
