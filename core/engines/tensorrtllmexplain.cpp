// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/tensorrtllmexplain.h"

#include "core/engines/servingmemory.h"

namespace kvscope::tensorrtllm {

using serving::number;
using serving::rangeOf;

void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, serving::Lines &lines)
{
    const Share &share = setup.shares[setup.binding];
    lines.add("kv.total_bytes", "tensorrt.need",
              "ceil(" + number(scenario.context.value) + " / " + number(setup.block) + ") x " + number(setup.block * share.tokenBytes) +
                  " B x " + number(scenario.batch),
              plan.kv.total, "2.12", Confidence::Exact);
    lines.add("engine_report.max_tokens_in_paged_kv_cache", "tensorrt.tokens",
              number(share.pool.middle) + " B / " + number(share.tokenBytes) + " B", Bytes{setup.tokens}, "1.5, 2.12",
              scenario.serving.givenKv ? Confidence::Exact : Confidence::Assumed);
}

void explainMemory(const Setup &setup, const Scenario &scenario, serving::Lines &lines)
{
    const Share &share = setup.shares[setup.binding];
    const ServingOptions &options = scenario.serving;
    if (options.givenKv) {
        lines.add(lines.onDevice("kv_bytes"), "serving.given", number(share.pool.middle) + " B", share.pool.middle, "1.5",
                  Confidence::Exact);
    } else {
        std::string fraction = std::to_string(setup.fraction);
        fraction.resize(5);
        lines.add(lines.onDevice("kv_bytes"), "tensorrt.budget",
                  "(" + number(setup.devices[setup.binding].usable) + " - " + number(share.weights.total()) + " - " +
                      number(share.activation.middle) + " - " + number(share.runtime.middle) + ") x " + fraction + " B; " +
                      rangeOf(share.pool),
                  share.pool.middle, "1.5", Confidence::Assumed);
    }
    const auto memory = [&](const char *figure, const char *rule, const std::optional<Bytes> &given, const Spread &spread,
                            const char *section) {
        lines.add(lines.onDevice(figure), given ? "serving.given" : rule, number(spread.middle) + " B; " + rangeOf(spread), spread.middle,
                  section, given ? Confidence::Exact : Confidence::Assumed);
    };
    memory("activation_bytes", "serving.forward", options.givenActivation, share.activation, "5.1");
    memory("graph_bytes", "vllm.graphs", options.givenGraph, share.graphs, "5.3");
    memory("runtime_bytes", "serving.context", options.givenRuntime,
           options.givenRuntime ? serving::exactly(*options.givenRuntime) : serving::contextOf(setup.run), "5.4");
}

} // namespace kvscope::tensorrtllm
