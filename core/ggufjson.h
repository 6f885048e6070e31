// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/modeljson.h"

namespace kvscope {

/// A GGUF's header as in scenario files. Tensors stand in the file's order: those of a run of blocks as one entry, in which each tensor of a
/// block is a row with the blocks that have it so.
OrderedJson ggufToJson(const GgufModel &model, Extent extent);
/// The inverse. Errors go to the reader's sink, those of ggufProblem among them.
GgufModel ggufFromJson(ObjectReader &reader);

} // namespace kvscope
