// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/tensorrtllmsetup.h"

#include "core/engines/servingmemory.h"

#include <algorithm>

namespace kvscope::tensorrtllm {

namespace {

constexpr double usualFraction = 0.9;
constexpr std::int64_t usualBlock = 32;

/// Activations of the dummy pass and memory outside torch were not measured on this engine: vLLM's figures, wide (5).
void addMemory(const Run &run, const Scenario &scenario, std::size_t stage, Share &share)
{
    const ServingOptions &options = scenario.serving;
    const auto tokens = static_cast<double>(options.batchedTokens.value_or(usualTokens));
    const bool modelled = run.model->hidden > 0;
    share.workspaces = modelled ? serving::wholeBytes(serving::expertWorkspaceBytes(run, scenario, tokens)) : 0;
    const double peak = modelled ? serving::forwardBytes(run, tokens, serving::keptTensors) + static_cast<double>(share.workspaces) : 0;
    share.activation = options.givenActivation ? serving::exactly(*options.givenActivation)
                                               : Spread{Bytes{serving::wholeBytes(0.6 * peak)}, Bytes{serving::wholeBytes(peak)},
                                                        Bytes{serving::wholeBytes(1.8 * peak)}};
    share.runtime = options.givenRuntime ? serving::exactly(*options.givenRuntime) : serving::contextOf(run);
    if (options.givenGraph) {
        share.graphs = serving::exactly(*options.givenGraph);
    } else if (!options.eager) {
        const double graphs = serving::graphGiB(run, run.stages[stage].last - run.stages[stage].first, serving::usualSizes);
        share.graphs = serving::spreadOf(0.4 * graphs, graphs, 2 * graphs);
    }
}

/// (total - peak) * fraction; graphs are captured from the rest (1.5).
Spread poolOf(const Scenario &scenario, const Device &device, double fraction, const Share &share)
{
    if (scenario.serving.givenKv)
        return serving::exactly(*scenario.serving.givenKv);
    const Bytes room = device.usable - scenario.inUse - share.weights.total();
    const auto part = [fraction](Bytes free) { return Bytes{serving::wholeBytes(static_cast<double>(free.value) * fraction)}; };
    return {part(room - share.activation.high - share.runtime.high), part(room - share.activation.middle - share.runtime.middle),
            part(room - share.activation.low - share.runtime.low)};
}

} // namespace

Share shareOf(const Run &run, std::size_t stage)
{
    const ModelSpec &model = *run.model;
    Share share;
    for (int i = run.stages[stage].first; i < run.stages[stage].last; ++i) {
        const LayerGroup &group = model.groups[model.layout[static_cast<std::size_t>(i)]];
        if (group.hasCache())
            share.tokenBytes = saturatingAdd(share.tokenBytes, serving::tokenBytes(group, run.tensor(), run.kv));
        if (group.state.kind != Recurrence::None)
            share.stateBytes = saturatingAdd(share.stateBytes, serving::stateBytes(run, group, group.state.alwaysF32).total());
    }
    return share;
}

Result<Setup> setUp(const Scenario &scenario, const Cluster &cluster)
{
    const Result<Run> run = serving::runOf(scenario, cluster.split);
    if (!run)
        return run.error();
    if (std::optional<Error> error = serving::checkWeightSplit(*run))
        return *std::move(error);
    Setup setup;
    setup.run = *run;
    setup.devices = serving::devicesOfStages(*run, cluster);
    setup.fraction = scenario.serving.memoryFraction.value_or(usualFraction);
    setup.block = scenario.serving.blockSize.value_or(usualBlock);
    const std::vector<serving::RankWeights> weights = serving::weightsOfStages(*run, scenario, {});
    for (std::size_t s = 0; s < run->stages.size(); ++s) {
        Share share = shareOf(*run, s);
        share.weights = weights[s];
        addMemory(*run, scenario, s, share);
        share.pool = poolOf(scenario, setup.devices[s], setup.fraction, share);
        const std::int64_t tokens = share.tokenBytes > 0 ? std::max<std::int64_t>(0, share.pool.middle.value) / share.tokenBytes : 0;
        // What the pool leaves open: graphs, and what was not taken up by the fraction.
        share.runtime.high += share.graphs.high - share.graphs.middle;
        share.runtime.low -= share.graphs.middle - share.graphs.low;
        if (s == 0 || tokens < setup.tokens) {
            setup.tokens = tokens;
            setup.binding = s;
        }
        setup.shares.push_back(share);
    }
    setup.blocks = ceilDivide(setup.tokens, setup.block);
    return setup;
}

} // namespace kvscope::tensorrtllm
