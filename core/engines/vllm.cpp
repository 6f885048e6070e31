// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM: a pool of blocks sized by a start profile, a check that one request of the full length fits, replicas of it (spec/serving-engines.md).
#include "core/catalog.h"
#include "core/engines/engines.h"
#include "core/engines/vllmexplain.h"
#include "core/engines/vllmpacked.h"
#include "core/engines/vllmsetup.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

using namespace vllm;

constexpr std::array kvFormatsWidestFirst{Format::BF16,     Format::F16,  Format::FP8,   Format::FP8E4M3, Format::FP8E5M2,
                                          Format::FP8DsMla, Format::Int8, Format::NVFP4, Format::Int4};
constexpr std::array weightFormatsWidestFirst{Format::F32,   Format::BF16, Format::F16,  Format::MXFP8, Format::FP8Block,
                                              Format::FP8,   Format::Int8, Format::NF4,  Format::NVFP4, Format::Int4Group32,
                                              Format::MXFP4, Format::AWQ,  Format::GPTQ, Format::Int4,  Format::NF4Double};

/// Blocks of one request as a curve (2.5): each group's part, in whole blocks of `bytes`.
Phase cachePhase(const PoolShape &pool, std::int64_t bytes, TokenCount sharedPrefix)
{
    Phase phase;
    const auto perSequence = [&phase](Bytes coefficient) { phase.terms.push_back({Part::Kv, coefficient, Growth::Constant, true}); };
    for (const GroupKind &group : pool.kinds) {
        const Bytes each = Bytes{bytes} * group.count;
        CurveTerm term{Part::Kv, each, Growth::Linear, true};
        term.every = term.pad = group.block;
        switch (group.kind) {
        case SpecKind::Full: serving::addBlocks(phase, term, sharedPrefix); break;
        case SpecKind::Sliding:
            term.limit = TokenCount{group.window - 1 + pool.holding.inFlight};
            phase.terms.push_back(term);
            perSequence(each); // the window starts within a block
            break;
        case SpecKind::Chunked:
            term.limit = TokenCount{group.window + pool.holding.inFlight};
            phase.terms.push_back(term);
            break;
        case SpecKind::State:
        case SpecKind::Cross: perSequence(each * pool.holding.blocks(group.kind, group.block, group.window, {})); break;
        }
    }
    return phase;
}

/// Bytes that one more token adds on a rank of each stage, windows not yet full.
std::vector<Bytes> perToken(const Run &run, const std::vector<PlacedSpec> &specs)
{
    const std::vector<std::size_t> stageOf = run.stageOfLayers();
    std::vector<Bytes> sums(run.stages.size());
    for (const PlacedSpec &s : specs) {
        if (s.spec.kind == SpecKind::Full || s.spec.kind == SpecKind::Sliding)
            sums[stageOf[static_cast<std::size_t>(s.layer)]] += Bytes{s.spec.page / s.spec.block};
    }
    return sums;
}

/// KV of one sequence of the whole model, token by token, no copies.
Phase sequencePhase(const std::vector<PlacedSpec> &specs)
{
    Phase phase;
    for (const PlacedSpec &s : specs) {
        if (s.spec.kind == SpecKind::State)
            continue;
        const Bytes each{s.spec.page / s.spec.block};
        if (s.spec.kind == SpecKind::Cross) {
            phase.terms.push_back({Part::Kv, each * s.spec.window, Growth::Constant, true});
            continue;
        }
        CurveTerm term{Part::Kv, each, Growth::Linear, true};
        if (s.spec.kind == SpecKind::Sliding)
            term.limit = TokenCount{s.spec.window};
        const auto known =
            std::ranges::find_if(phase.terms, [&term](const CurveTerm &t) { return t.growth == term.growth && t.limit == term.limit; });
        if (known == phase.terms.end())
            phase.terms.push_back(term);
        else
            known->coefficient += each;
    }
    return phase;
}

/// The caches that grow with the text, as they are before any group shares pages.
std::vector<PlacedSpec> growingSpecs(const Setup &setup, const Run &run, const Scenario &scenario, const Device &device)
{
    if (!isPacked(*run.model))
        return specsOf(run, setup.rules, scenario, device);
    std::vector<PlacedSpec> specs = packedSpecs(run);
    std::erase_if(specs, [](const PlacedSpec &s) { return isCompressorState(s.spec); });
    return specs;
}

/// The whole model's figures, as one rank would hold it.
void addWholeModel(const Setup &setup, const Scenario &scenario, Compiled &compiled)
{
    const ModelSpec &model = *setup.run.model;
    const Run whole = serving::wholeModel(setup.run);
    const std::vector<PlacedSpec> specs = growingSpecs(setup, whole, scenario, setup.devices.front());
    compiled.kvPerToken = perToken(whole, specs).front();
    compiled.sequence.phases = {sequencePhase(specs)};
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < counts.size(); ++g) {
        if (model.groups[g].state.kind != Recurrence::None)
            compiled.statePerSequence += Bytes{serving::stateBytes(whole, model.groups[g], false).total()} * counts[g];
    }
}

/// Tokens of a block of the attention that grows with the length; of the first group where none does.
std::int64_t blockTokensOf(const PoolShape &pool)
{
    const auto full = std::ranges::find(pool.kinds, SpecKind::Full, &GroupKind::kind);
    return full == pool.kinds.end() ? pool.kinds.front().block : full->block;
}

void addWarnings(const Setup &setup, const Scenario &scenario, std::vector<Warning> &warnings)
{
    const ModelSpec &model = *setup.run.model;
    const Budget &budget = setup.budgets[setup.binding()];
    const bool statesElsewhere = setup.run.hasStates() && !setup.rules.groups(); // before the pool held them: not read
    if (model.hidden == 0 || statesElsewhere)
        warnings.push_back({WarningCode::ActivationsNotModelled, {model.family.empty() ? model.name : model.family}});
    if (!budget.given && !budget.tried)
        warnings.push_back({WarningCode::BudgetNotTried, {}});
    const std::int64_t sequences = ceilDivide(scenario.batch, setup.run.split.data);
    if (const std::int64_t most = batchSizes(setup.rules, scenario, setup.devices.front()).sequences; sequences > most)
        warnings.push_back({WarningCode::SequencesWait, {std::to_string(sequences), std::to_string(most)}});
    if (setup.pool.empty())
        return;
    if (const Bytes needed = setup.needed(scenario.context); needed > budget.available.middle) {
        const TokenCount longest = longestOf(setup.pool, setup.rules, setup.available(), scenario.context);
        const Bytes there = std::max(Bytes{}, budget.available.middle);
        warnings.push_back(
            {WarningCode::StartRefused, {std::to_string(needed.value), std::to_string(there.value), std::to_string(longest.value)}});
    }
}

DeviceCurve deviceOf(const Setup &setup, std::size_t stage, TokenCount sharedPrefix)
{
    const Budget &budget = setup.budgets[stage];
    const std::int64_t bytes = setup.pool.empty() ? 0 : setup.pool.blockBytes[stage];
    // One block is the engine's own: the null block (2.6).
    const auto usable = [&](Bytes available) { return std::max(Bytes{}, available - Bytes{bytes}); };
    const Spread pool{usable(budget.available.low), usable(budget.available.middle), usable(budget.available.high)};
    // What the pool does not level out: the pool takes what weights, profile and growth leave of the fraction.
    const Bytes outside = budget.before.middle + budget.growth.middle;
    const Spread runtime{outside - (budget.before.middle - budget.before.low) - (budget.graphs.middle - budget.graphs.low), outside,
                         outside + (budget.before.high - budget.before.middle) + (budget.graphs.high - budget.graphs.middle)};
    DeviceCurve device =
        serving::poolDevice(setup.run, stage, pool, budget.weights.total(), budget.activation.middle, budget.graphs.middle, runtime);
    if (!setup.pool.empty())
        device.cache.phases = {cachePhase(setup.pool, bytes, sharedPrefix)};
    return device;
}

PoolKind kindOf(SpecKind kind)
{
    switch (kind) {
    case SpecKind::Full: return PoolKind::Full;
    case SpecKind::Sliding: return PoolKind::Sliding;
    case SpecKind::Chunked: return PoolKind::Chunked;
    case SpecKind::State: return PoolKind::State;
    case SpecKind::Cross: return PoolKind::Cross;
    }
    return PoolKind::Full;
}

class VllmEngine : public Engine {
public:
    EngineId id() const override { return EngineId::Vllm; }
    std::string_view name() const override { return "vllm"; }
    std::string_view label() const override { return "vLLM"; }
    std::span<const std::string_view> versions() const override
    {
        static const std::vector<std::string_view> newestFirst = releaseNames(EngineId::Vllm);
        return newestFirst;
    }
    std::span<const Format> kvFormats() const override { return kvFormatsWidestFirst; }
    Format defaultKvFormat(const Scenario &scenario) const override { return serving::defaultKv(scenario); }
    std::span<const Format> weightFormats() const override { return weightFormatsWidestFirst; }
    Format defaultWeightFormat(const Scenario &scenario) const override { return serving::loadedFormat(*scenario.model); }

    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override;
    std::vector<ReportFigure> report(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override;
    std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override
    {
        return explainSetup(scenario, cluster, compiled, plan);
    }
    std::vector<Split> splits(const ModelSpec &model, int devices) const override { return serving::splitsOf(model, devices); }
};

Result<Compiled> VllmEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    Compiled compiled;
    const Result<Setup> setup = setUp(scenario, cluster, compiled.warnings);
    if (!setup)
        return setup.error();
    serving::addRunWarnings(setup->run, scenario, compiled.warnings);
    const TokenCount prefix = prefixCaching(setup->run, setup->rules, scenario) ? scenario.sharedPrefix : TokenCount{};
    const std::vector<Bytes> tokenBytes = perToken(setup->run, growingSpecs(*setup, setup->run, scenario, setup->devices.front()));
    for (std::size_t s = 0; s < setup->budgets.size(); ++s) {
        DeviceCurve device = deviceOf(*setup, s, prefix);
        device.kvPerToken = tokenBytes[s];
        compiled.weights += setup->budgets[s].weights.total() * setup->run.tensor();
        compiled.devices.push_back(std::move(device));
    }
    addWholeModel(*setup, scenario, compiled);
    if (!setup->pool.empty()) {
        const Printed printed = printedOf(setup->pool, setup->rules, setup->blocks, setup->configuredBlock, scenario.context);
        compiled.pool = PoolFigures{{blockTokensOf(setup->pool)}, setup->blocks, {printed.tokens}, printed.concurrency, 1, {}};
        for (const BlockGroup &group : setup->pool.groups) {
            const std::int64_t blocks = setup->pool.holding.blocks(group.kind, group.block, group.window, scenario.context);
            compiled.pool->groups.push_back({kindOf(group.kind), static_cast<int>(group.members.size()), {group.block}, blocks});
        }
    }
    addWarnings(*setup, scenario, compiled.warnings);
    return compiled;
}

std::vector<ReportFigure> VllmEngine::report(const Scenario &scenario, const Cluster &cluster, const Compiled &, const Plan &) const
{
    std::vector<Warning> known;
    const Result<Setup> setup = setUp(scenario, cluster, known);
    if (!setup || setup->pool.empty())
        return {};
    const Budget &budget = setup->budgets[setup->binding()];
    const Printed printed = printedOf(setup->pool, setup->rules, setup->blocks, setup->configuredBlock, scenario.context);
    const auto figure = [](const char *name, std::int64_t value) { return ReportFigure{name, static_cast<double>(value)}; };
    return {figure("available_kv_cache_bytes", budget.available.middle.value),
            figure("available_kv_cache_low_bytes", budget.available.low.value),
            figure("available_kv_cache_high_bytes", budget.available.high.value),
            figure("kv_cache_tokens", printed.tokens),
            {"max_concurrency", printed.concurrency},
            figure("bytes_needed_for_max_model_len", setup->needed(scenario.context).value),
            figure("estimated_max_model_len", longestOf(setup->pool, setup->rules, setup->available(), scenario.context).value)};
}

} // namespace

const Engine &vllmEngine()
{
    static const VllmEngine engine;
    return engine;
}

} // namespace kvscope
