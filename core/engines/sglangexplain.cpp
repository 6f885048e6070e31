// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/sglangexplain.h"

#include "core/engines/servingmemory.h"

#include <algorithm>
#include <cmath>

namespace kvscope::sglang {

using serving::decimal;
using serving::number;

namespace {

/// What one sequence holds in each pool.
std::string needFormula(const PoolShape &pool, TokenCount context)
{
    const std::string length =
        pool.page > 1 ? "ceil(" + number(context.value) + " / " + number(pool.page) + ") x " + number(pool.page) : number(context.value);
    std::string formula;
    const auto add = [&formula](const std::string &term) { formula += (formula.empty() ? "" : " + ") + term; };
    if (pool.fullBytes > 0)
        add(length + " x " + number(pool.fullBytes));
    if (pool.slidingBytes > 0)
        add("min(" + number(pool.window) + ", " + length + ") x " + number(pool.slidingBytes));
    if (pool.stateBytes > 0)
        add(number(pool.slotsPerRequest) + " x " + decimal(pool.slotBytes()));
    return formula + " B";
}

/// max_running_requests: the least of what length, tokens, states and the setting allow (2.11).
std::string requestsFormula(const Setup &setup, const Scenario &scenario)
{
    const PoolShape &pool = setup.pools[setup.binding];
    const std::string tokens = number(setup.capacity.tokens);
    const bool asked = scenario.serving.maxSequences.has_value();
    std::string terms;
    const auto add = [&terms](const std::string &term) { terms += (terms.empty() ? "" : ", ") + term; };
    if (asked)
        add(number(std::int64_t{*scenario.serving.maxSequences}) +
            (setup.run.split.dataInTensor ? " / " + number(std::int64_t{setup.run.split.data}) : ""));
    if (!asked || !setup.rules.newPools())
        add("max(floor(" + tokens + " / " + number(scenario.context.value) + " x 512), 2048), 4096");
    if (setup.rules.newPools())
        add("floor(" + tokens + " / 2)");
    if (pool.stateBytes > 0)
        add("floor(" + number(setup.capacity.stateSlots) + " / " + number(pool.slotsPerRequest) + ")");
    return "min(" + terms + ")";
}

/// What tokens are cut from: the pool less what states and a sliding pool of fixed size take.
std::string leftFormula(const PoolShape &pool, const Budget &budget, const Capacity &capacity)
{
    std::string left = number(budget.rest.middle);
    if (pool.stateBytes > 0)
        left += " - " + number(capacity.stateSlots) + " x " + decimal(pool.slotBytes());
    if (pool.spareBytes > 0)
        left += " - " + number(pool.spareBytes);
    if (pool.slidingCap > 0)
        left += " - " + number(pool.slidingCap) + " x " + number(pool.slidingBytes);
    return left;
}

/// mem_fraction_static, a default with its reserve.
std::string fractionFormula(const Setup &setup, const Scenario &scenario)
{
    if (scenario.serving.memoryFraction || !setup.rules.computedFraction())
        return decimal(setup.fraction);
    const std::int64_t card = setup.devices.front().memory.value / bytesPerMiB;
    const double reserved = reservedMebibytes(setup.run, setup.rules, scenario, card, setup.tier);
    const double rounded = std::round((1 - reserved / static_cast<double>(card)) * 1000) / 1000;
    const std::string formula = "round(1 - " + decimal(reserved) + " / " + number(card) + ", 3)";
    const double factor = setup.fraction / rounded; // of a vision tower, of a back end
    return std::abs(factor - 1) < 1e-9 ? formula : formula + " x " + decimal(factor);
}

} // namespace

void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines)
{
    const PoolShape &pool = setup.pools[setup.binding];
    const Budget &budget = setup.budgets[setup.binding];
    const Capacity &capacity = setup.capacity;
    const Confidence confidence = budget.given ? Confidence::Exact : Confidence::Assumed;
    lines.addNeed("sglang.need", needFormula(pool, scenario.context), plan, "2.11");
    if (pool.fullBytes + pool.slidingBytes > 0) {
        const std::string sliding = pool.slidesByRatio() ? " + " + decimal(slidingRatio) + " x " + number(pool.slidingBytes) : "";
        lines.addCount("engine_report.max_total_num_tokens", pool.slidesByRatio() ? "sglang.two_pools" : "sglang.tokens",
                       "(" + leftFormula(pool, budget, capacity) + ") / (" + number(pool.fullBytes) + sliding + ")", capacity.tokens,
                       "2.11", confidence);
    }
    if (pool.slidingCap > 0)
        lines.addCount("engine_report.swa_max_total_num_tokens", "sglang.sliding_by_requests", number(pool.slidingCap), pool.slidingCap,
                       "2.11", Confidence::Assumed);
    if (pool.askedSlots > 0) {
        lines.addCount("engine_report.max_mamba_cache_size", "sglang.states_by_requests", number(pool.askedSlots), pool.askedSlots, "2.11",
                       Confidence::Exact);
    } else if (pool.stateBytes > 0) {
        const std::string spare = pool.spareBytes > 0 ? " - " + number(pool.spareBytes) : "";
        lines.addCount("engine_report.max_mamba_cache_size", "sglang.states",
                       "(" + number(budget.rest.middle) + " x " + decimal(stateRatio) + " / " + decimal(1 + stateRatio) + spare + ") / " +
                           decimal(pool.slotBytes()),
                       capacity.stateSlots, "2.11", confidence);
    }
    lines.addCount("engine_report.max_running_requests", "sglang.requests", requestsFormula(setup, scenario),
                   runningRequests(setup.run, setup.rules, scenario, capacity), "2.11", confidence);
}

void explainMemory(const Setup &setup, const Scenario &scenario, serving::Lines &lines)
{
    const Budget &budget = setup.budgets[setup.binding];
    const ServingOptions &options = scenario.serving;
    const Run &run = setup.run;
    lines.addMemory("kv_bytes", options.memoryFraction ? "sglang.rest" : "sglang.rest_by_default",
                    number(budget.before.middle) + " x " + fractionFormula(setup, scenario) + " - " + number(budget.loaded()) + " B",
                    budget.rest, options.givenKv, "1.4");
    lines.addMemory("activation_bytes", "serving.forward",
                    serving::forwardFormula(run, setup.tier.chunk, serving::keptTensors, budget.workspaces), budget.activation,
                    options.givenActivation, "5.1");
    const Stage &stage = run.stages[setup.binding];
    lines.addMemory("graph_bytes", "vllm.graphs",
                    serving::graphFormula(run, stage.last - stage.first, serving::captureSizes(setup.tier.graphBatch)), budget.graphs,
                    options.givenGraph, "5.3");
    const Spread context = serving::contextOf(run);
    lines.addMemory("runtime_bytes", "serving.context", number(context.middle) + " B", context, options.givenRuntime, "5.4");
}

} // namespace kvscope::sglang
