// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario.h"

#include "core/engine.h"

namespace kvscope {

bool Scenario::operator==(const Scenario &o) const
{
    const auto alike = [](const auto &a, const auto &b) { return a == b || (a && b && *a == *b); };
    return alike(model, o.model) && alike(draft, o.draft) && weights == o.weights && engine == o.engine && otherEngines == o.otherEngines &&
           clusters == o.clusters && selected == o.selected && context == o.context && batch == o.batch && kv == o.kv && sinks == o.sinks &&
           streamWindow == o.streamWindow && encoderLength == o.encoderLength && sharedPrefix == o.sharedPrefix &&
           offloadKv == o.offloadKv && inUse == o.inUse && reservePercent == o.reservePercent && hostMemory == o.hostMemory &&
           transformers == o.transformers && local == o.local && serving == o.serving && unknownKeys == o.unknownKeys;
}

Format keyFormat(const Scenario &scenario) { return scenario.kv.key.value_or(engineOf(scenario.engine.id).defaultKvFormat(scenario)); }

Format valueFormat(const Scenario &scenario) { return scenario.kv.value.value_or(engineOf(scenario.engine.id).defaultKvFormat(scenario)); }

Format weightFormat(const Scenario &scenario)
{
    return scenario.weights.format ? *scenario.weights.format : engineOf(scenario.engine.id).defaultWeightFormat(scenario);
}

} // namespace kvscope
