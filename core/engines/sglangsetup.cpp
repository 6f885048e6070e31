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
    budget.draftsLater = setup.rules.reservesForDrafts();
    const Spread context = serving::contextOf(run);
    const Bytes there = device.usable - scenario.inUse;
    budget.before = {there - context.high, there - context.middle, there - context.low};
    if (options.givenKv) {
        budget.rest = serving::exactly(*options.givenKv);
        budget.given = true;
    } else {
        const auto rest = [&](Bytes before) {
            const double reserve = static_cast<double>(before.value) * (1 - setup.fraction);
            return before - budget.loaded() - Bytes{serving::wholeBytes(reserve)};
        };
        budget.rest = serving::twiceAsWide({rest(budget.before.low), rest(budget.before.middle), rest(budget.before.high)});
    }
    // Nothing is profiled: what a pass over one chunk takes must find room in what is left.
    const auto tokens = static_cast<double>(setup.tier.chunk);
    const bool modelled = run.model->hidden > 0;
    budget.workspaces = modelled ? serving::wholeBytes(serving::expertWorkspaceBytes(run, scenario, tokens)) : 0;
    const double peak = modelled ? serving::forwardBytes(run, tokens, serving::keptTensors) + static_cast<double>(budget.workspaces) : 0;
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

/// A rank with much less free memory than another stops the start (1.4).
std::optional<Error> checkDevices(const Run &run, const Scenario &scenario, const Cluster &cluster)
{
    constexpr double least = 0.9;
    const Bytes taken = scenario.inUse + serving::contextOf(run).middle;
    const std::size_t group = cluster.devices.size() / static_cast<std::size_t>(run.split.cardGroups());
    const auto used = static_cast<std::size_t>(run.tensor()) * run.stages.size();
    for (std::size_t first = 0; first + used <= cluster.devices.size(); first += std::max<std::size_t>(1, group)) {
        const auto ranks = std::span(cluster.devices).subspan(first, used);
        const auto [poorest, richest] = std::ranges::minmax_element(ranks, {}, &Device::usable);
        const auto there = [taken](const Device &device) { return static_cast<double>((device.usable - taken).value); };
        if (there(*poorest) < least * there(*richest))
            return Error{ErrorCode::UnevenMemory, poorest->name, richest->name, {}};
    }
    return {};
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
    for (const std::optional<Error> &error :
         {checkRun(*run, *rules), serving::checkWeightSplit(*run), checkDevices(*run, scenario, cluster)}) {
        if (error)
            return *error;
    }
    if (scenario.draft) {
        if (const Result<Run> draft = serving::draftRunOf(*run, scenario); !draft)
            return draft.error();
    }
    Setup setup;
    setup.run = *run;
    setup.rules = *rules;
    setup.devices = serving::devicesOfStages(*run, cluster);
    const Device &first = setup.devices.front();
    setup.tier = tierOf(*rules, first.memory.value / bytesPerMiB, run->tensor());
    if (scenario.serving.batchedTokens)
        setup.tier.chunk = *scenario.serving.batchedTokens;
    setup.fraction = fractionOf(*run, *rules, scenario, first, setup.tier);
    const std::int64_t chunk = setup.tier.chunk / (run->split.dataInTensor ? run->split.data : 1); // of one replica (SGLang)
    const std::vector<serving::RankWeights> weights = serving::weightsOfStages(*run, scenario, {});
    for (std::size_t s = 0; s < run->stages.size(); ++s) {
        setup.budgets.push_back(budgetOf(setup, scenario, s, weights[s]));
        setup.pools.push_back(poolOf(*run, *rules, scenario, setup.devices[s], s, chunk));
        const Capacity capacity = capacityOf(setup.pools[s], setup.budgets[s].rest.middle);
        if (s == 0 || capacity.tokens < setup.capacity.tokens) {
            setup.capacity = capacity;
            setup.binding = s;
        }
    }
    return setup;
}

} // namespace kvscope::sglang
