// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/import/shape.h"

namespace kvscope {

/// The GGUF that llama.cpp's converter would write for a config: the metadata that decides memory and the tensors, unquantised
/// (spec/gguf-quantize.md 2 and 6). `model` holds what the config was read as. Null where no row of the table of conversions names the
/// model_type, or the config asks for what no rule covers. The vision tower is a file of its own there and not in it.
GgufPointer convertedModel(const Fields &fields, const Shape &shape, const LayerPlan &plan, const ModelSpec &model);

} // namespace kvscope
