// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"

namespace kvscope {

// One function an engine, each in the file of its name; engines.cpp lists them in the order of EngineId.
const Engine &formulaEngine();
const Engine &transformersEngine();
const Engine &llamaCppEngine();
const Engine &ollamaEngine();
const Engine &vllmEngine();
const Engine &sglangEngine();
const Engine &tensorRtLlmEngine();

} // namespace kvscope
