// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/sglangsetup.h"

#include "core/engines/servingmemory.h"

#include <algorithm>
#include <cmath>

namespace kvscope::sglang {

namespace {

Budget budgetOf(const Setup &setup, const Scenario &scenario, std::size_t stage, const serving::RankWeights &weights)
{
    const Run &run = setup.run;
    const Device &device = setup.devices[stage];
    const ServingOptions &options = scenario.serving;
    Budget budget;
    budget.weights = weights;
    const Spread context = serving::contextOf(run);
    const Bytes there = device.usable - scenario.inUse;
    budget.before = {there - context.high, there - context.middle, there - context.low};
    if (options.givenKv) {
        budget.rest = serving::exactly(*options.givenKv);
        budget.given = true;
    } else {
        const auto rest = [&](Bytes before) {
            const double reserve = static_cast<double>(before.value) * (1 - setup.fraction);
            return before - weights.total() - Bytes{serving::wholeBytes(reserve)};
        };
        budget.rest = serving::twiceAsWide({rest(budget.before.low), rest(budget.before.middle), rest(budget.before.high)});
    }
    // Nothing is profiled: what a pass over one chunk takes must find room in what is left.
    const auto tokens = static_cast<double>(setup.tier.chunk);
    const double peak =
        run.model->hidden == 0 ? 0 : serving::forwardBytes(run, tokens, 4.25) + serving::expertWorkspaceBytes(run, scenario, tokens);
    budget.activation = options.givenActivation ? serving::exactly(*options.givenActivation)
                                                : Spread{Bytes{serving::wholeBytes(0.6 * peak)}, Bytes{serving::wholeBytes(peak)},
                                                         Bytes{serving::wholeBytes(1.6 * peak)}};
    if (options.givenGraph) {
        budget.graphs = serving::exactly(*options.givenGraph);
    } else if (!options.eager) {
        // SGLang's own sizes were not measured: vLLM's list.
        const double graphs =
            serving::graphGiB(run, run.stages[stage].last - run.stages[stage].first, serving::captureSizes(setup.tier.graphBatch));
        budget.graphs = serving::spreadOf(0.4 * graphs, graphs, 2 * graphs);
    }
    budget.runtime = options.givenRuntime ? serving::exactly(*options.givenRuntime) : context;
    budget.runtime.low -= (budget.activation.middle - budget.activation.low) + (budget.graphs.middle - budget.graphs.low);
    budget.runtime.high += (budget.activation.high - budget.activation.middle) + (budget.graphs.high - budget.graphs.middle);
    return budget;
}

} // namespace

Result<Setup> setUp(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings)
{
    const Result<Rules> rules = rulesOf(scenario.engine.version, warnings);
    if (!rules)
        return rules.error();
    const Result<Run> run = serving::runOf(scenario, cluster.split);
    if (!run)
        return run.error();
    if (std::optional<Error> error = serving::checkWeightSplit(*run))
        return *std::move(error);
    Setup setup;
    setup.run = *run;
    setup.rules = *rules;
    setup.devices = serving::devicesOfStages(*run, cluster);
    const Device &first = setup.devices.front();
    setup.tier = tierOf(*rules, first.memory.value / bytesPerMiB, run->tensor());
    if (scenario.serving.batchedTokens)
        setup.tier.chunk = *scenario.serving.batchedTokens;
    setup.fraction = fractionOf(*run, *rules, scenario, first, setup.tier);
    const std::vector<serving::RankWeights> weights = serving::weightsOfStages(*run, scenario, {});
    for (std::size_t s = 0; s < run->stages.size(); ++s) {
        setup.budgets.push_back(budgetOf(setup, scenario, s, weights[s]));
        setup.pools.push_back(poolOf(*run, *rules, scenario, s, setup.tier.chunk));
        const Capacity capacity = capacityOf(setup.pools[s], *rules, setup.budgets[s].rest.middle);
        if (s == 0 || capacity.tokens < setup.capacity.tokens) {
            setup.capacity = capacity;
            setup.binding = s;
        }
    }
    return setup;
}

} // namespace kvscope::sglang
