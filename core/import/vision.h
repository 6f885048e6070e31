// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/shape.h"

namespace kvscope {

/// Adds the vision tower and its projector (Role::Vision) where the file has a vision_config whose class 8.5 gives a formula for.
/// Other towers, and audio towers, are not counted; the assumptions say so.
void countVision(Fields &fields, const Shape &shape, ModelSpec &model);

} // namespace kvscope
