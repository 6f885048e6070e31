// SPDX-License-Identifier: GPL-3.0-or-later
// SGLang: a static fraction of the card for weights and pools, nothing profiled (spec/serving-engines.md 1.4, 2.11).
#include "core/catalog.h"
#include "core/engines/engines.h"
#include "core/engines/servingmemory.h"
#include "core/engines/sglangexplain.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvscope {

namespace {

using namespace sglang;

constexpr std::array kvFormatsWidestFirst{Format::BF16,    Format::F16,     Format::MXFP8, Format::FP8,
                                          Format::FP8E4M3, Format::FP8E5M2, Format::NVFP4};
constexpr std::array weightFormatsWidestFirst{Format::F32,   Format::BF16, Format::F16,  Format::MXFP8, Format::FP8Block,
                                              Format::FP8,   Format::Int8, Format::NF4,  Format::NVFP4, Format::Int4Group32,
                                              Format::MXFP4, Format::AWQ,  Format::GPTQ, Format::Int4,  Format::NF4Double};

/// What sequences need of the pool. Full, sliding and state pools are cut from it in fixed shares, so the one that is first used up decides:
/// each is a moment of its own, in bytes of the whole pool.
CacheCurve cacheOf(const PoolShape &pool, TokenCount sharedPrefix)
{
    CacheCurve curve;
    const double each = pool.bytesPerToken();
    const auto ofPages = [&](double bytes, TokenCount limit) {
        CurveTerm term{Part::Kv, Bytes{std::llround(bytes * static_cast<double>(pool.page))}, Growth::Linear, true};
        term.every = term.pad = pool.page;
        term.limit = limit;
        return term;
    };
    if (each > 0) {
        Phase full;
        serving::addBlocks(full, ofPages(each, largestContext), sharedPrefix);
        curve.phases.push_back(std::move(full));
    }
    if (pool.slidingBytes > 0)
        curve.phases.push_back({{ofPages(each / slidingRatio, TokenCount{pool.window})}});
    if (const double share = pool.stateShare(); share > 0) {
        const double request = static_cast<double>(pool.stateBytes) * static_cast<double>(pool.slotsPerRequest) / share;
        curve.phases.push_back({{{Part::Kv, Bytes{std::llround(request)}, Growth::Constant, true}}});
    }
    return curve;
}

/// The whole model's figures, as one rank would hold it.
void addWholeModel(const Setup &setup, const Scenario &scenario, Compiled &compiled)
{
    const PoolShape pool = poolOf(serving::wholeModel(setup.run), setup.rules, scenario, 0, 0);
    compiled.kvPerToken = Bytes{pool.fullBytes + pool.slidingBytes};
    compiled.statePerSequence = Bytes{pool.stateBytes};
    Phase phase;
    if (pool.fullBytes > 0)
        phase.terms.push_back({Part::Kv, Bytes{pool.fullBytes}, Growth::Linear, true});
    if (pool.slidingBytes > 0)
        phase.terms.push_back({Part::Kv, Bytes{pool.slidingBytes}, Growth::Linear, true, {}, TokenCount{pool.window}});
    compiled.sequence.phases = {std::move(phase)};
}

class SglangEngine : public Engine {
public:
    EngineId id() const override { return EngineId::Sglang; }
    std::string_view name() const override { return "sglang"; }
    std::string_view label() const override { return "SGLang"; }
    std::span<const std::string_view> versions() const override
    {
        static const std::vector<std::string_view> newestFirst = releaseNames(EngineId::Sglang);
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

Result<Compiled> SglangEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    Compiled compiled;
    const Result<Setup> setup = setUp(scenario, cluster, compiled.warnings);
    if (!setup)
        return setup.error();
    const Run &run = setup->run;
    serving::addRunWarnings(run, scenario, compiled.warnings);
    const TokenCount prefix = scenario.serving.prefixCaching.value_or(true) ? scenario.sharedPrefix : TokenCount{};
    for (std::size_t s = 0; s < setup->budgets.size(); ++s) {
        const Budget &budget = setup->budgets[s];
        DeviceCurve device = serving::poolDevice(run, s, budget.rest, budget.weights.total(), budget.activation.middle,
                                                 budget.graphs.middle, budget.runtime);
        device.cache = cacheOf(setup->pools[s], prefix);
        device.kvPerToken = Bytes{setup->pools[s].fullBytes + setup->pools[s].slidingBytes};
        compiled.weights += budget.weights.total() * run.tensor();
        compiled.devices.push_back(std::move(device));
    }
    addWholeModel(*setup, scenario, compiled);
    const Capacity &capacity = setup->capacity;
    const double length = static_cast<double>(std::max<std::int64_t>(1, scenario.context.value));
    compiled.pool = PoolFigures{{setup->pools.front().page},
                                capacity.tokens / setup->pools.front().page,
                                {capacity.tokens},
                                static_cast<double>(capacity.tokens) / length,
                                0,
                                {}};
    if (run.model->hidden == 0)
        compiled.warnings.push_back(
            {WarningCode::ActivationsNotModelled, {run.model->family.empty() ? run.model->name : run.model->family}});
    if (!scenario.serving.givenKv)
        compiled.warnings.push_back({WarningCode::BudgetNotTried, {}});
    const std::int64_t sequences = ceilDivide(scenario.batch, run.split.data);
    if (const std::int64_t most = runningRequests(setup->rules, scenario, capacity); sequences > most)
        compiled.warnings.push_back({WarningCode::SequencesWait, {std::to_string(sequences), std::to_string(most)}});
    return compiled;
}

std::vector<ReportFigure> SglangEngine::report(const Scenario &scenario, const Cluster &cluster, const Compiled &, const Plan &) const
{
    std::vector<Warning> known;
    const Result<Setup> setup = setUp(scenario, cluster, known);
    if (!setup)
        return {};
    const Capacity &capacity = setup->capacity;
    const std::size_t stage = setup->binding;
    const Buffers buffers = buffersOf(setup->run, setup->rules, setup->pools[stage], capacity, stage);
    const auto figure = [](const char *name, std::int64_t value) { return ReportFigure{name, static_cast<double>(value)}; };
    std::vector<ReportFigure> figures{figure("max_total_num_tokens", capacity.tokens), figure("k_bytes", buffers.key.value),
                                      figure("v_bytes", buffers.value.value)};
    if (setup->pools[stage].slidingBytes > 0)
        figures.push_back(figure("swa_max_total_num_tokens", capacity.slidingTokens));
    if (setup->pools[stage].stateBytes > 0)
        figures.push_back(figure("max_mamba_cache_size", capacity.stateSlots));
    figures.push_back(figure("max_running_requests", runningRequests(setup->rules, scenario, capacity)));
    figures.push_back({"mem_fraction_static", setup->fraction});
    return figures;
}

} // namespace

const Engine &sglangEngine()
{
    static const SglangEngine engine;
    return engine;
}

} // namespace kvscope
