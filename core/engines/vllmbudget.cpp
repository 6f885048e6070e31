// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM's start profile as estimates: spec/serving-engines.md 1 and 5.
#include "core/engines/vllmbudget.h"

#include "core/engines/servingmemory.h"
#include "core/engines/vllmpacked.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvscope::vllm {

using namespace serving;

namespace {

constexpr double gib = static_cast<double>(bytesPerGiB);

double samplerBytes(const Run &run, const Rules &rules, const Scenario &scenario, const BatchSizes &sizes)
{
    const ModelSpec &model = *run.model;
    if (rules.v0() && chunkedPrefill(rules, scenario))
        return 0;
    const double each = rules.logitBytes() + (run.dtype == Format::F32 ? 2.0 : 0.0);
    return static_cast<double>(sizes.sequences) * static_cast<double>(model.vocab) * each +
           1.13 * static_cast<double>(sizes.tokens) * model.hidden * static_cast<double>(run.b) + 0.05 * gib;
}

/// DeepSeek V3.2's indexer keeps a buffer for prompts of the whole length (5.4).
double indexerBytes(const Run &run, const Scenario &scenario)
{
    const bool sparse = std::ranges::any_of(
        run.model->groups, [](const LayerGroup &g) { return g.mixer == Mixer::Latent && g.indexKeyDim > 0 && g.compression.value == 1; });
    return sparse ? 40.0 * static_cast<double>(scenario.context.value) * 132 : 0.0;
}

/// MLA: a chunk of cached latents, projected up for every head while a prompt's attention runs (5.4). The profile allocates what the projection
/// gives, nope and value (vLLM's mla_attention.py); sparse attention has no such chunks.
double latentWorkspaceBytes(const Run &run, const Rules &rules, const Scenario &scenario, const BatchSizes &sizes)
{
    const LayerGroup *group = run.model->mainGroup();
    if (rules.v0() || !group || group->mixer != Mixer::Latent || group->indexKeyDim > 0 || isPacked(*run.model))
        return 0;
    constexpr std::int64_t most = 65'536;
    constexpr std::int64_t usualBlock = 16;
    const std::int64_t block = scenario.serving.blockSize.value_or(usualBlock);
    const std::int64_t blocks = saturatingMultiply(4 * sizes.sequences, block);
    const std::int64_t tokens = std::min(most, std::max(saturatingMultiply(8, scenario.context.value), blocks));
    const double heads = static_cast<double>(group->queryHeads) / run.tensor();
    return static_cast<double>(run.b) * (group->keyDim - group->ropeDim + group->valueDim) * heads * static_cast<double>(tokens);
}

// ---- outside torch

/// A row of the table in 5.4: GiB that a rank's memory outside torch grows by after the start snapshot.
struct Growth {
    Rules::Growth engine;
    int ranks, orMore;                                           ///< tensor-parallel ranks, from .. to
    enum class Cards : std::uint8_t { Any, Stages, Pcie } cards; ///< Stages: more than one pipeline stage; Pcie: no faster links
    double low, middle, high;
};
constexpr int anyRanks = 1 << 30;
constexpr std::array growthTable{
    Growth{Rules::Growth::V0, 1, 1, Growth::Cards::Any, 0.03, 0.25, 2.0},
    Growth{Rules::Growth::V0, 2, anyRanks, Growth::Cards::Any, 0.1, 0.6, 4.0},
    Growth{Rules::Growth::UpTo017, 1, 1, Growth::Cards::Any, 0.05, 0.13, 0.45},
    Growth{Rules::Growth::UpTo017, 2, anyRanks, Growth::Cards::Any, 0.3, 0.55, 1.2},
    Growth{Rules::Growth::From018, 1, 1, Growth::Cards::Stages, 0.03, 0.07, 0.3},
    Growth{Rules::Growth::From018, 1, 1, Growth::Cards::Any, 0.1, 0.25, 0.6},
    Growth{Rules::Growth::From018, 2, anyRanks, Growth::Cards::Pcie, 0.4, 0.9, 1.6},
    Growth{Rules::Growth::From018, 2, 2, Growth::Cards::Any, 0.5, 2.08, 2.4},
    Growth{Rules::Growth::From018, 3, anyRanks, Growth::Cards::Any, 0.5, 2.17, 2.6},
};

Spread growthOf(const Run &run, const Rules &rules, const Device &device, Interconnect interconnect)
{
    const auto applies = [&](const Growth &row) {
        if (row.engine != rules.growth() || run.tensor() < row.ranks || run.tensor() > row.orMore)
            return false;
        switch (row.cards) {
        case Growth::Cards::Any: return true;
        case Growth::Cards::Stages: return run.split.pipeline > 1;
        case Growth::Cards::Pcie: return !hasFastLinks(device, interconnect);
        }
        return false;
    };
    const Growth &row = *std::ranges::find_if(growthTable, applies); // each engine has rows for one rank and for more
    return spreadOf(row.low, row.middle, row.high);
}

// ---- graphs

void addGraphs(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, int layers, Budget &budget)
{
    const bool estimated = rules.subtractsGraphs() && !usesRunnerV2(run, rules);
    if (scenario.serving.givenGraph) {
        budget.graphs = exactly(*scenario.serving.givenGraph);
        budget.subtracted = estimated ? budget.graphs : Spread{};
        return;
    }
    if (scenario.serving.eager)
        return;
    const int sizes = captureSizes(run, rules, scenario, device);
    const double middle = graphGiB(run, layers, capturesFar(run) ? std::min(sizes, usualSizes) : sizes);
    budget.graphs = spreadOf(0.6 * middle, middle, 1.4 * middle);
    if (estimated) {
        const double printed = std::max(0.0, middle - 0.1);
        budget.subtracted = spreadOf(0.6 * printed, printed, 1.4 * printed);
    }
}

// ---- the sum

/// How far the rules were held against logs (5.6): 0.11 to 0.19 on H100, dense models and experts; experts in NVFP4 are known to take more
/// than the rules say (10).
bool isTried(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    const bool packedExperts =
        run.mixtureOfExperts() && formatsOfRoles(run, scenario)[static_cast<std::size_t>(Role::Experts)] == Format::NVFP4;
    const bool plain = !run.hasStates() && !isPacked(*run.model) && !packedExperts && run.drafts == 0;
    return rules.tried() && isTriedCard(device) && plain && scenario.inUse.value == 0;
}

Spread peakSpread(const Run &run, const Rules &rules, const Scenario &scenario, const Peak &peak)
{
    if (scenario.serving.givenActivation)
        return exactly(*scenario.serving.givenActivation);
    const auto total = static_cast<double>(peak.total);
    const double more =
        0.12 * gib + (run.hasVision() ? 0.15 * gib : 0.0) + (rules.ncclInGrowth() ? 0.5 * static_cast<double>(peak.forward) : 0.0);
    return {Bytes{std::max<std::int64_t>(0, wholeBytes(0.93 * total - 0.05 * gib))}, Bytes{peak.total},
            Bytes{wholeBytes(1.08 * total + more)}};
}

} // namespace

double utilizationOf(const Rules &rules, const Scenario &scenario)
{
    return scenario.serving.memoryFraction.value_or(rules.utilization92() ? 0.92 : 0.90);
}

int captureSizes(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    const BatchSizes sizes = batchSizes(rules, scenario, device);
    const std::int64_t limit = isSm100(device) && rules.wideCapture() ? 1024 : 512;
    const std::int64_t largest = capturesFar(run) ? 1024 : std::min(saturatingMultiply(sizes.sequences * (1 + run.drafts), 2), limit);
    if (sizes.tokens > largest)
        return serving::captureSizes(largest);
    return std::max(serving::captureSizes(sizes.tokens),
                    serving::captureSizes(sizes.tokens - 1) + 1); // that of a whole batch is one of them
}

Peak peakOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, std::size_t stage)
{
    Peak peak;
    if (run.model->hidden == 0)
        return peak;
    const BatchSizes sizes = batchSizes(rules, scenario, device);
    const auto tokens = static_cast<double>(sizes.tokens);
    peak.forward = wholeBytes(forwardBytes(run, tokens, rules.keptHiddens()) + latentWorkspaceBytes(run, rules, scenario, sizes));
    peak.experts = wholeBytes(expertWorkspaceBytes(run, scenario, tokens));
    if (stage + 1 == run.stages.size())
        peak.sampler = wholeBytes(samplerBytes(run, rules, scenario, sizes));
    if (run.hasVision() && stage == 0)
        peak.vision = wholeBytes(0.13 * gib);
    peak.fixed = wholeBytes(indexerBytes(run, scenario));
    const std::int64_t without = peak.sampler + (rules.expertWorkspacesStay() ? peak.experts : 0);
    peak.total = std::max(peak.forward + peak.experts, without) + peak.vision + peak.fixed;
    return peak;
}

std::vector<Budget> budgetsOf(const Run &run, const Rules &rules, const Scenario &scenario, const std::vector<Device> &devices,
                              Interconnect interconnect)
{
    const serving::WeightRules weightRules{rules.latentCache(), rules.padsExpertWidth(), true};
    const std::vector<serving::RankWeights> weights = serving::weightsOfStages(run, scenario, weightRules);
    const ServingOptions &options = scenario.serving;
    std::vector<Budget> budgets;
    for (std::size_t s = 0; s < run.stages.size(); ++s) {
        const Device &device = devices[s];
        Budget budget;
        budget.weights = weights[s];
        budget.requested = Bytes{wholeBytes(std::ceil(static_cast<double>(device.usable.value) * utilizationOf(rules, scenario)))};
        budget.peak = peakOf(run, rules, scenario, device, s);
        budget.activation = peakSpread(run, rules, scenario, budget.peak);
        budget.before = contextOf(run);
        budget.growth = growthOf(run, rules, device, interconnect);
        if (options.givenRuntime) {
            budget.before = exactly(std::min(*options.givenRuntime, budget.before.middle));
            budget.growth = exactly(*options.givenRuntime - budget.before.middle);
        }
        addGraphs(run, rules, scenario, device, run.stages[s].last - run.stages[s].first, budget);
        budget.tried = isTried(run, rules, scenario, device);
        if (options.givenKv) {
            budget.available = exactly(*options.givenKv);
            budget.given = true;
        } else {
            Bytes room = budget.requested - budget.weights.total();
            if (rules.countsOtherProcesses())
                room -= scenario.inUse;
            const auto left = [&](Bytes Spread::*end) {
                const Bytes counted = rules.countsOtherProcesses() ? budget.before.*end : Bytes{};
                return room - budget.activation.*end - budget.growth.*end - budget.subtracted.*end - counted;
            };
            budget.available = {left(&Spread::high), left(&Spread::middle), left(&Spread::low)};
            if (!budget.tried && !rules.v0()) // V0's table is wide as it stands
                budget.available = twiceAsWide(budget.available);
        }
        budgets.push_back(budget);
    }
    return budgets;
}

} // namespace kvscope::vllm
