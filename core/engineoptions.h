// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/modeljson.h"
#include "core/scenario.h"

namespace kvscope {

/// The settings that only some engines have, an object each: "transformers", "llama_cpp" (Ollama's too), "serving" (vLLM, SGLang, TensorRT-LLM).
void writeEngineOptions(ObjectWriter &writer, const Scenario &scenario, Extent extent);
/// The inverse. Errors go to the reader's sink.
void readEngineOptions(ObjectReader &reader, Scenario &scenario);

} // namespace kvscope
