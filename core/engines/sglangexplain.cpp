// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/sglangexplain.h"

#include "core/engines/servingmemory.h"

namespace kvscope::sglang {

using serving::number;
using serving::rangeOf;

void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines)
{
    const PoolShape &pool = setup.pools[setup.binding];
    const Budget &budget = setup.budgets[setup.binding];
    const Capacity &capacity = setup.capacity;
    const std::string rest = number(budget.rest.middle);
    lines.add("kv.total_bytes", "sglang.need", number(scenario.context.value) + " x " + number(scenario.batch), plan.kv.total, "2.11",
              Confidence::Exact);
    if (pool.fullBytes + pool.slidingBytes > 0) {
        const std::string sliding = pool.slidingBytes > 0 ? " + 0.8 x " + number(pool.slidingBytes) : "";
        const std::string states = pool.stateBytes > 0 ? " / 1.9" : "";
        lines.add("engine_report.max_total_num_tokens", pool.slidingBytes > 0 ? "sglang.two_pools" : "sglang.tokens",
                  rest + " B" + states + " / (" + number(pool.fullBytes) + sliding + ") B", Bytes{capacity.tokens}, "2.11",
                  budget.given ? Confidence::Exact : Confidence::Assumed);
    }
    if (pool.stateBytes > 0)
        lines.add("engine_report.max_mamba_cache_size", "sglang.states", rest + " B x 0.9 / 1.9 / " + number(pool.stateBytes) + " B",
                  Bytes{capacity.stateSlots}, "2.11", budget.given ? Confidence::Exact : Confidence::Assumed);
}

void explainMemory(const Setup &setup, const Scenario &scenario, serving::Lines &lines)
{
    const Budget &budget = setup.budgets[setup.binding];
    if (budget.given) {
        lines.add(lines.onDevice("kv_bytes"), "serving.given", number(budget.rest.middle) + " B", budget.rest.middle, "1.4",
                  Confidence::Exact);
    } else {
        std::string fraction = std::to_string(setup.fraction);
        fraction.resize(5);
        lines.add(lines.onDevice("kv_bytes"), scenario.serving.memoryFraction ? "sglang.rest" : "sglang.rest_by_default",
                  number(budget.before.middle) + " x " + fraction + " - " + number(budget.weights.total()) + " B; " + rangeOf(budget.rest),
                  budget.rest.middle, "1.4", Confidence::Assumed);
    }
    lines.add(lines.onDevice("activation_bytes"), scenario.serving.givenActivation ? "serving.given" : "serving.forward",
              number(setup.tier.chunk) + " tokens; " + rangeOf(budget.activation), budget.activation.middle, "5.1",
              scenario.serving.givenActivation ? Confidence::Exact : Confidence::Assumed);
    if (budget.graphs.middle.value > 0)
        lines.add(lines.onDevice("graph_bytes"), scenario.serving.givenGraph ? "serving.given" : "vllm.graphs", rangeOf(budget.graphs),
                  budget.graphs.middle, "5.3", scenario.serving.givenGraph ? Confidence::Exact : Confidence::Assumed);
    const Spread context = scenario.serving.givenRuntime ? serving::exactly(*scenario.serving.givenRuntime) : serving::contextOf(setup.run);
    lines.add(lines.onDevice("runtime_bytes"), scenario.serving.givenRuntime ? "serving.given" : "serving.context",
              number(budget.runtime.middle) + " B; " + rangeOf(context), budget.runtime.middle, "5.4",
              scenario.serving.givenRuntime ? Confidence::Exact : Confidence::Assumed);
}

} // namespace kvscope::sglang
