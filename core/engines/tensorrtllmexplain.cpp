// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/tensorrtllmexplain.h"

#include "core/engines/servingmemory.h"

namespace kvscope::tensorrtllm {

using serving::decimal;
using serving::number;

void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines)
{
    const Share &share = setup.shares[setup.binding];
    const std::string state = share.stateBytes > 0 ? " + " + number(share.stateBytes) : "";
    lines.addNeed("tensorrt.need",
                  "ceil(" + number(scenario.context.value) + " / " + number(setup.block) + ") x " + number(setup.block * share.tokenBytes) +
                      state + " B",
                  plan, "2.12");
    lines.addCount("engine_report.max_tokens_in_paged_kv_cache", "tensorrt.tokens",
                   number(share.pool.middle) + " / " + number(share.tokenBytes), setup.tokens, "1.5, 2.12",
                   scenario.serving.givenKv ? Confidence::Exact : Confidence::Assumed);
}

void explainMemory(const Setup &setup, const Scenario &scenario, serving::Lines &lines)
{
    const Share &share = setup.shares[setup.binding];
    const ServingOptions &options = scenario.serving;
    const Run &run = setup.run;
    // What the dummy pass finds in use; graphs are captured from the rest (1.5).
    lines.addMemory("kv_bytes", "tensorrt.budget",
                    "(" + number(setup.devices[setup.binding].usable - scenario.inUse) + " - " + number(share.weights.total()) + " - " +
                        number(share.activation.middle) + " - " + number(share.runtime.middle) + ") x " + decimal(setup.fraction) + " B",
                    share.pool, options.givenKv, "1.5");
    lines.addMemory("activation_bytes", "serving.forward",
                    serving::forwardFormula(run, options.batchedTokens.value_or(usualTokens), serving::keptTensors, share.workspaces),
                    share.activation, options.givenActivation, "5.1");
    const Stage &stage = run.stages[setup.binding];
    lines.addMemory("graph_bytes", "vllm.graphs", serving::graphFormula(run, stage.last - stage.first, serving::usualSizes), share.graphs,
                    options.givenGraph, "5.3");
    const Spread context = serving::contextOf(run);
    lines.addMemory("runtime_bytes", "serving.context", number(context.middle) + " B", context, options.givenRuntime, "5.4");
}

} // namespace kvscope::tensorrtllm
