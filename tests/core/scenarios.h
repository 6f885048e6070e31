// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario.h"

namespace kvscope::testing {

/// A scenario by hand on one card known only by its size.
inline Scenario handScenario(HandShape shape, TokenCount context, std::int64_t batch, Format kv, Bytes memory)
{
    Scenario scenario;
    scenario.model = std::make_shared<ModelSpec>(modelByHand(shape));
    scenario.context = context;
    scenario.batch = batch;
    scenario.kv.key = scenario.kv.value = kv;
    scenario.clusters = {clusterOf(deviceOfSize(memory))};
    return scenario;
}

} // namespace kvscope::testing
