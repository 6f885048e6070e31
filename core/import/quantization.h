// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/fields.h"
#include "core/model.h"

#include <optional>

namespace kvscope {

/// How the checkpoint is stored: quantization_config in the language object or the whole file, or compression_config
/// (spec/serving-engines.md 4.2). `model`: its layers, to tell whether a list of excluded modules covers a role.
/// Empty for a 16-bit checkpoint. A scheme that is not known leaves it empty and is noted as an assumption.
std::optional<Quantization> readQuantization(Fields &fields, const ModelSpec &model);

/// The same from a ModelOpt hf_quant_config.json's text, into `model`. Errors: NotJson, NotThisKind.
Result<ModelSpec> withModelOptConfig(ModelSpec model, std::string_view json, std::string_view name);

/// The format of the cache that the checkpoint declares scales for: `kv_cache_scheme` (compressed-tensors) or `kv_cache_quant_algo`
/// (ModelOpt) of the same objects (2.3). Empty: none, or one that is not known.
std::optional<Format> readKvFormat(const Fields &fields);

} // namespace kvscope
