// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/transformersmemory.h"
#include "core/weights.h"

namespace kvscope::transformers {

/// Weights as loaded: weightBytes() with bitsandbytes int8 and the dtype of this version (6.1, 6.3, 6.4).
WeightBytes loadedWeights(const Run &run, const Scenario &scenario);

/// What the allocator adds to a layer, and to the tables outside, before 4.50: each tensor of 10 MiB or more takes whole 2 MiB blocks
/// where that adds at most 1 MiB (6.1). 0 from 4.50 on.
Bytes roundingOfLayer(const Run &run, const LayerGroup &group);
Bytes roundingOfTables(const Run &run);

/// What each device of one replica holds: everything on one; over several by device_map="auto" (6.2). Layers that no device has room for
/// stay on the last.
std::vector<Share> sharesOf(const Run &run, const Scenario &scenario, const Cluster &cluster, const WeightBytes &weights);

/// Workspace, rotary tables, mask and scratch that are there all the time on a device with these layers (section 1, fixed; 0.1; 6.4).
Bytes fixedBytes(const Run &run, const Device &device, int layers, bool embedding);

} // namespace kvscope::transformers
