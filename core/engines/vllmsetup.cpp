// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/vllmsetup.h"

#include "core/engines/servingmemory.h"
#include "core/engines/vllmpacked.h"

#include <algorithm>
#include <array>

namespace kvscope::vllm {

namespace {

// Widest first by the bits of their elements, scales aside.
constexpr std::array kvFormatsWidestFirst{Format::BF16,
                                          Format::F16,
                                          Format::FP8,
                                          Format::FP8E4M3,
                                          Format::FP8E5M2,
                                          Format::FP8Inc,
                                          Format::FP8DsMla,
                                          Format::FP8PerTokenHead,
                                          Format::Int8PerTokenHead,
                                          Format::TurboK8V4,
                                          Format::NVFP4,
                                          Format::NVFP4FourOverSix,
                                          Format::Int4PerTokenHead,
                                          Format::Turbo4Bit,
                                          Format::TurboK3V4,
                                          Format::Turbo3Bit};

bool isTurbo(Format kv) { return kv == Format::TurboK8V4 || kv == Format::Turbo4Bit || kv == Format::TurboK3V4 || kv == Format::Turbo3Bit; }
bool isPlain(Format kv) { return kv == Format::F32 || kv == Format::F16 || kv == Format::BF16; }

/// Formats of heads are not for latents, the packed latent is for nothing else (2.3).
bool takes(const Run &run, const Rules &rules, Format kv)
{
    const bool ofLatents = isPlain(kv) || serving::isFp8(kv) || kv == Format::FP8DsMla;
    return rules.hasKvFormat(kv) && (run.hasMixer(Mixer::Latent) ? ofLatents : kv != Format::FP8DsMla);
}

std::optional<Error> checkFormat(const Run &run, const Rules &rules)
{
    if (takes(run, rules, run.kv))
        return {};
    std::string others;
    for (const Format kv : kvFormatsWidestFirst) {
        if (takes(run, rules, kv))
            others += (others.empty() ? "" : ", ") + std::string(infoOf(kv).name);
    }
    return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(run.kv).name), others, {}};
}

/// What the backend of sparse latents makes of the format asked for (2.3): SM100's keeps plain fp8, the others take the packed latent. So do
/// SM120 and DeepSeek V4 where nothing is asked for.
Format packedFormat(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    const bool asked = scenario.kv.key || scenario.kv.value;
    const bool automatic = !asked && (isPacked(*run.model) || serving::isSm120(device));
    const bool quantised = serving::isFp8(run.kv) && !serving::isSm100(device);
    const bool packs = run.isSparse() && rules.hasKvFormat(Format::FP8DsMla) && (automatic || quantised);
    return packs ? Format::FP8DsMla : run.kv;
}

/// Ranks over which the tokens of a request can be spread: as many as there are copies of each KV head, any of them for latents (2.9).
bool spreads(const Run &run, int ranks)
{
    const int tensor = run.tensor();
    return tensor % ranks == 0 && std::ranges::all_of(run.model->groups, [=](const LayerGroup &g) {
               if (!g.hasCache() || g.mixer == Mixer::Latent)
                   return true;
               return tensor > g.kvHeads && ranks <= tensor / g.kvHeads && g.queryHeads / g.kvHeads % ranks == 0;
           });
}

/// Windows are not spread (2.9).
std::optional<Error> checkContextRanks(const Run &run, const Rules &rules)
{
    const int asked = run.split.decodeContext;
    const bool windowed = rules.groups() && (run.hasMixer(Mixer::Sliding) || isPacked(*run.model));
    std::string allowed = "dcp = 1";
    bool found = asked == 1;
    for (int ranks = 2; ranks <= run.tensor() && rules.contextRanks() && !windowed && !found; ++ranks) {
        if (!spreads(run, ranks))
            continue;
        found = ranks == asked;
        allowed += ", " + std::to_string(ranks);
    }
    if (found)
        return {};
    return Error{ErrorCode::ImpossibleSplit, "dcp = " + std::to_string(asked), allowed, {}};
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

/// A drafting model is split like the model itself (2.10).
std::optional<Error> checkDraft(const Run &run, const Scenario &scenario)
{
    if (!run.draft)
        return {};
    const Result<Run> draft = serving::draftRunOf(run, scenario);
    return draft ? std::optional<Error>() : draft.error();
}

/// Layers that stay in the model's dtype (2.3): those asked for, and the first and last two of dense models with TurboQuant. DeepSeek V4's
/// layout has no such layers.
void keepLayers(Run &run, const Rules &rules)
{
    run.keepsLayers = rules.keepsLayers() && run.keepFirst + run.keepLast > 0 && !isPlain(run.kv) && !isPacked(*run.model);
    if (!isTurbo(run.kv) || run.mixtureOfExperts())
        return;
    constexpr int ends = 2;
    run.keepsLayers = true;
    run.keepFirst = std::max(run.keepFirst, ends);
    run.keepLast = std::max(run.keepLast, ends);
}

} // namespace

std::span<const Format> cacheFormats() { return kvFormatsWidestFirst; }

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
    for (const std::optional<Error> &error : {checkFormat(*run, *rules), checkExperts(*run), serving::checkWeightSplit(*run),
                                              checkContextRanks(*run, *rules), checkDraft(*run, scenario)}) {
        if (error)
            return *error;
    }
    constexpr int smallestBlock = 16; // kernels take multiples of it (2.4)
    if (const std::optional<int> asked = scenario.serving.blockSize; asked && *asked % smallestBlock != 0)
        return Error{ErrorCode::NotDivisible, "--block-size", std::to_string(*asked) + " by " + std::to_string(smallestBlock), {}};
    Setup setup;
    setup.rules = *rules;
    setup.run = *run;
    keepLayers(setup.run, *rules);
    setup.devices = serving::devicesOfStages(*run, cluster);
    setup.run.kv = packedFormat(*run, *rules, scenario, setup.devices.front());
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
