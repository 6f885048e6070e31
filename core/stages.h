// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario.h"

#include <vector>

namespace kvscope {

/// Heads of one device: whole, and replicated once the devices outnumber them (serving-engines.md 2.1).
int headsOnDevice(int heads, int tensor);

/// Layers [first, last) of one pipeline stage.
struct Stage {
    int first = 0;
    int last = 0;
};

/// Layers spread evenly; the remainder goes one each to the stages counted from the second last backwards (serving-engines.md 2.9).
std::vector<Stage> stagesOf(int layers, int pipeline);

/// How many layers of a group a stage has, and how many of these keep the model's precision.
struct GroupShare {
    int layers = 0;
    int kept = 0;
};

/// The groups' shares of a stage, same index as ModelSpec::groups.
std::vector<GroupShare> sharesOf(const Scenario &scenario, Stage stage);

} // namespace kvscope
