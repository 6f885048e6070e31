// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/sglangexplain.h"

#include "core/engines/engines.h"
#include "core/engines/servingexplain.h"
#include "core/engines/servingmemory.h"

namespace kvscope::sglang {

namespace {

using serving::number;
using serving::rangeOf;

std::string engineName(const Scenario &scenario)
{
    if (!scenario.engine.version.empty())
        return "SGLang " + scenario.engine.version;
    const std::span<const std::string_view> versions = sglangEngine().versions();
    return versions.empty() ? std::string("SGLang") : "SGLang " + std::string(versions.front());
}

void addPools(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines)
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

void addMemory(const Setup &setup, const Scenario &scenario, int device, serving::Lines &lines)
{
    const Budget &budget = setup.budgets[setup.binding];
    const std::string path = "devices." + std::to_string(device) + ".";
    if (budget.given) {
        lines.add(path + "kv_bytes", "serving.given", number(budget.rest.middle) + " B", budget.rest.middle, "1.4", Confidence::Exact);
    } else {
        std::string fraction = std::to_string(setup.fraction);
        fraction.resize(5);
        lines.add(path + "kv_bytes", scenario.serving.memoryFraction ? "sglang.rest" : "sglang.rest_by_default",
                  number(budget.before.middle) + " x " + fraction + " - " + number(budget.weights.total()) + " B; " + rangeOf(budget.rest),
                  budget.rest.middle, "1.4", Confidence::Assumed);
    }
    lines.add(path + "activation_bytes", scenario.serving.givenActivation ? "serving.given" : "serving.forward",
              number(setup.tier.chunk) + " tokens; " + rangeOf(budget.activation), budget.activation.middle, "5.1",
              scenario.serving.givenActivation ? Confidence::Exact : Confidence::Assumed);
    if (budget.graphs.middle.value > 0)
        lines.add(path + "graph_bytes", scenario.serving.givenGraph ? "serving.given" : "vllm.graphs", rangeOf(budget.graphs),
                  budget.graphs.middle, "5.3", scenario.serving.givenGraph ? Confidence::Exact : Confidence::Assumed);
    const Spread context = scenario.serving.givenRuntime ? serving::exactly(*scenario.serving.givenRuntime) : serving::contextOf(setup.run);
    lines.add(path + "runtime_bytes", scenario.serving.givenRuntime ? "serving.given" : "serving.context",
              number(budget.runtime.middle) + " B; " + rangeOf(context), budget.runtime.middle, "5.4",
              scenario.serving.givenRuntime ? Confidence::Exact : Confidence::Assumed);
}

} // namespace

std::vector<Explanation> explainSetup(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan)
{
    std::vector<Warning> known;
    const Result<Setup> setup = setUp(scenario, cluster, known);
    if (!setup || compiled.devices.size() != setup->budgets.size())
        return {};
    serving::Lines lines(engineName(scenario));
    addPools(*setup, scenario, plan, lines);
    std::vector<serving::RankWeights> stages;
    for (const Budget &budget : setup->budgets)
        stages.push_back(budget.weights);
    lines.addWeights(setup->run, stages, compiled.weights);
    addMemory(*setup, scenario, compiled.devices[setup->binding].device, lines);
    return lines.take();
}

} // namespace kvscope::sglang
