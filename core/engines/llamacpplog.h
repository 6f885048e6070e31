// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario.h"

#include <optional>

namespace kvscope::llamacpp {

/// What llama.cpp's log tells of a run beside the figures of its report.
struct LogFacts {
    Backend backend = Backend::Cuda;
    std::int64_t slotCount = 1;
    std::int64_t streams = 1; ///< caches that the slots share out
    Format key = Format::F16, value = Format::F16;
    int denseLayers = 0, windowedLayers = 0, recurrentLayers = 0; ///< with cells of every token, of the window, with a state
};

/// Of the scenario's own run or, for Ollama, of the one that it starts; empty where that is refused.
std::optional<LogFacts> logFacts(const Scenario &scenario, const Cluster &cluster);

} // namespace kvscope::llamacpp
