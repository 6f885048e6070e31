// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/vllmpool.h"

namespace kvscope::vllm {

/// Compressed sparse attention (DeepSeek V4): caches of several rates in one packed layout.
bool isPacked(const ModelSpec &model);

/// All caches of the whole model, compressors' states included.
std::vector<PlacedSpec> packedSpecs(const Run &run);
/// Keys and scores of the span that a compressor is in: it does not grow with the text.
bool isCompressorState(const Spec &spec);

/// Groups, block bytes and check bytes of the packed layout (spec/serving-engines.md 2.8).
PoolShape packedPool(const Run &run, const Rules &rules);

} // namespace kvscope::vllm
