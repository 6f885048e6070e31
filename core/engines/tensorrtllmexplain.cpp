// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/tensorrtllmexplain.h"

#include "core/engines/servingexplain.h"
#include "core/engines/servingmemory.h"

namespace kvscope::tensorrtllm {

using serving::number;
using serving::rangeOf;

std::vector<Explanation> explainSetup(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan)
{
    const Result<Setup> setup = setUp(scenario, cluster);
    if (!setup || compiled.devices.size() != setup->shares.size())
        return {};
    const Share &share = setup->shares[setup->binding];
    const ServingOptions &options = scenario.serving;
    const std::string path = "devices." + std::to_string(compiled.devices[setup->binding].device) + ".";
    const Confidence budget = options.givenKv ? Confidence::Exact : Confidence::Assumed;
    serving::Lines lines("TensorRT-LLM");
    lines.add("kv.total_bytes", "tensorrt.need",
              "ceil(" + number(scenario.context.value) + " / " + number(setup->block) + ") x " + number(setup->block * share.tokenBytes) +
                  " B x " + number(scenario.batch),
              plan.kv.total, "2.12", Confidence::Exact);
    lines.add("engine_report.max_tokens_in_paged_kv_cache", "tensorrt.tokens",
              number(share.pool.middle) + " B / " + number(share.tokenBytes) + " B", Bytes{setup->tokens}, "1.5, 2.12", budget);
    std::vector<serving::RankWeights> stages;
    for (const Share &stage : setup->shares)
        stages.push_back(stage.weights);
    lines.addWeights(setup->run, stages, compiled.weights);
    if (options.givenKv) {
        lines.add(path + "kv_bytes", "serving.given", number(share.pool.middle) + " B", share.pool.middle, "1.5", Confidence::Exact);
    } else {
        std::string fraction = std::to_string(setup->fraction);
        fraction.resize(5);
        lines.add(path + "kv_bytes", "tensorrt.budget",
                  "(" + number(setup->devices[setup->binding].usable) + " - " + number(share.weights.total()) + " - " +
                      number(share.activation.middle) + " - " + number(share.runtime.middle) + ") x " + fraction + " B; " +
                      rangeOf(share.pool),
                  share.pool.middle, "1.5", Confidence::Assumed);
    }
    const auto memory = [&](const char *figure, const char *rule, const std::optional<Bytes> &given, const Spread &spread,
                            const char *section) {
        lines.add(path + figure, given ? "serving.given" : rule, number(spread.middle) + " B; " + rangeOf(spread), spread.middle, section,
                  given ? Confidence::Exact : Confidence::Assumed);
    };
    memory("activation_bytes", "serving.forward", options.givenActivation, share.activation, "5.1");
    memory("graph_bytes", "vllm.graphs", options.givenGraph, share.graphs, "5.3");
    memory("runtime_bytes", "serving.context", options.givenRuntime,
           options.givenRuntime ? serving::exactly(*options.givenRuntime) : serving::contextOf(setup->run), "5.4");
    return lines.take();
}

} // namespace kvscope::tensorrtllm
