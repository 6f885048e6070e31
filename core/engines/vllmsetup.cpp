// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/vllmsetup.h"

#include "core/engines/vllmpacked.h"

#include <algorithm>

namespace kvscope::vllm {

namespace {

Error unsupported(Format format, std::string near)
{
    return {ErrorCode::UnsupportedFormat, std::string(infoOf(format).name), std::move(near), {}};
}

/// Cache formats by model and version (2.3).
std::optional<Error> checkFormat(const Run &run, const Rules &rules)
{
    if (run.kv == Format::FP8DsMla && (!run.hasMixer(Mixer::Latent) || !rules.dsMlaFormat()))
        return unsupported(run.kv, "fp8");
    // int8_per_token_head and int4_per_token_head: integers with a scale for each head and token.
    if (run.kv == Format::Int8 && (!rules.tokenScales() || run.hasMixer(Mixer::Latent)))
        return unsupported(run.kv, "fp8");
    if (run.kv == Format::Int4 && (!rules.fourBitTokenScales() || run.hasMixer(Mixer::Latent)))
        return unsupported(run.kv, "fp8");
    if (run.kv == Format::NVFP4 && (rules.date < 20260417 || run.hasMixer(Mixer::Latent)))
        return unsupported(run.kv, "fp8");
    return {};
}

/// Experts are dealt out over all ranks of tensor and data parallelism, or not at all (4.1).
std::optional<Error> checkExperts(const Run &run)
{
    if (run.split.expert > 1 && run.split.expert != run.expertRanks()) {
        return Error{ErrorCode::ImpossibleSplit,
                     "ep = " + std::to_string(run.split.expert),
                     "ep = tp x dp = " + std::to_string(run.expertRanks()),
                     {}};
    }
    return {};
}

/// fp8_per_token_head: fp8 with scales a token where they are asked for (2.3).
bool hasTokenScales(const Run &run, const Rules &rules, const Scenario &scenario)
{
    const bool fp8 = run.kv == Format::FP8 || run.kv == Format::FP8E4M3;
    return fp8 && scenario.kv.scales == KvScales::PerToken && rules.tokenScales() && !run.hasMixer(Mixer::Latent);
}

/// Layers can be left out of a quantised cache since 2026-04 (2.3); latents were not read.
bool keepsLayers(const Run &run, const Rules &rules)
{
    return rules.keepsLayers() && run.keepFirst + run.keepLast > 0 && run.kv != run.dtype && !run.hasMixer(Mixer::Latent);
}

} // namespace

std::vector<Bytes> Setup::available() const
{
    std::vector<Bytes> list;
    for (const Budget &budget : budgets)
        list.push_back(budget.available.middle);
    return list;
}

std::size_t Setup::binding() const
{
    std::size_t poorest = 0;
    for (std::size_t s = 1; s < budgets.size(); ++s) {
        if (pool.empty() ? budgets[s].available.middle < budgets[poorest].available.middle
                         : blocksIn(pool, s, budgets[s].available.middle) < blocksIn(pool, poorest, budgets[poorest].available.middle))
            poorest = s;
    }
    return poorest;
}

Bytes Setup::needed(TokenCount length) const
{
    if (!rules.needPerRank())
        return neededWhole(pool, length);
    const std::int64_t most = pool.empty() ? 0 : std::ranges::max(pool.checkBytes);
    return Bytes{most} * pool.blocksOf(length);
}

Result<Setup> setUp(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings)
{
    const Result<Rules> rules = rulesOf(scenario.engine.version, warnings);
    if (!rules)
        return rules.error();
    const Result<Run> run = serving::runOf(scenario, cluster.split);
    if (!run)
        return run.error();
    Setup setup;
    setup.run = *run;
    setup.run.keepsLayers = keepsLayers(*run, *rules);
    setup.run.tokenScales = hasTokenScales(*run, *rules, scenario);
    setup.rules = *rules;
    for (const std::optional<Error> &error : {checkFormat(*run, *rules), checkExperts(*run), serving::checkWeightSplit(*run)}) {
        if (error)
            return *error;
    }
    constexpr int smallestBlock = 16; // kernels take multiples of it (2.4)
    if (const std::optional<int> asked = scenario.serving.blockSize; asked && *asked % smallestBlock != 0)
        return Error{ErrorCode::NotDivisible, "--block-size", std::to_string(*asked) + " by " + std::to_string(smallestBlock), {}};
    setup.devices = serving::devicesOfStages(*run, cluster);
    setup.budgets = budgetsOf(setup.run, *rules, scenario, setup.devices, cluster.interconnect);
    setup.configuredBlock = attentionBlock(setup.run, scenario, setup.devices.front());
    setup.pool = poolOf(setup.run, *rules, scenario, setup.devices.front());
    if (!setup.pool.empty()) {
        const std::size_t stage = setup.binding();
        setup.blocks = blocksIn(setup.pool, stage, setup.budgets[stage].available.middle);
    }
    return setup;
}

} // namespace kvscope::vllm
