// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/shape.h"

namespace kvscope {

/// The cos/sin tables of the model's layers, as engines that keep whole tables size them (spec/serving-engines.md 4.1, "Rotary tables").
/// The model's groups must be there. Unknown scalings count as none.
void readRotary(const Fields &config, const Shape &shape, ModelSpec &model);

} // namespace kvscope
