// SPDX-License-Identifier: GPL-3.0-or-later
// SGLang: a static fraction of the card for weights and pools, nothing profiled (spec/serving-engines.md 1.4, 2.11).
#include "core/engines/engines.h"
#include "core/engines/servingengine.h"
#include "core/engines/sglangexplain.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvscope {

namespace {

using namespace sglang;

constexpr std::array kvFormatsWidestFirst{Format::BF16,    Format::F16,     Format::MXFP8, Format::FP8,
                                          Format::FP8E4M3, Format::FP8E5M2, Format::NVFP4};

CurveTerm pagesOf(const PoolShape &pool, double tokenBytes, TokenCount limit)
{
    CurveTerm term{Part::Kv, Bytes{std::llround(tokenBytes * static_cast<double>(pool.page))}, Growth::Linear, true};
    term.every = term.pad = pool.page;
    term.limit = limit;
    return term;
}

/// What sequences hold, each in its own pool: pages of tokens, windows, slots of states.
CacheCurve cacheOf(const PoolShape &pool, TokenCount sharedPrefix)
{
    Phase phase;
    if (pool.fullBytes > 0)
        serving::addBlocks(phase, pagesOf(pool, static_cast<double>(pool.fullBytes), largestContext), sharedPrefix);
    if (pool.slidingBytes > 0)
        phase.terms.push_back(pagesOf(pool, static_cast<double>(pool.slidingBytes), TokenCount{pool.window}));
    if (pool.stateBytes > 0)
        phase.terms.push_back({Part::Kv, Bytes{std::llround(pool.requestBytes())}, Growth::Constant, true});
    CacheCurve curve;
    curve.phases = {std::move(phase)};
    return curve;
}

/// Full, sliding and state pools are cut from the whole in fixed shares, so the one that is first used up decides: each is a moment of its own.
CacheCurve claimOf(const PoolShape &pool, TokenCount sharedPrefix)
{
    CacheCurve curve;
    const double share = pool.stateShare();
    const double each = pool.tokenBytes() / (1 - std::min(share, 0.999)); // of the whole pool
    if (each > 0) {
        Phase full;
        serving::addBlocks(full, pagesOf(pool, each, largestContext), sharedPrefix);
        if (const std::int64_t fixed = pool.fixedBytes(); fixed > 0)
            full.terms.push_back({Part::Kv, Bytes{fixed}, Growth::Constant});
        curve.phases.push_back(std::move(full));
    }
    if (pool.slidesByRatio())
        curve.phases.push_back({{pagesOf(pool, each / slidingRatio, TokenCount{pool.window})}});
    if (share > 0)
        curve.phases.push_back({{{Part::Kv, Bytes{std::llround(pool.requestBytes() / share)}, Growth::Constant, true}}});
    return curve;
}

class SglangStart : public serving::Start {
public:
    SglangStart(const Scenario &scenario, Setup setup) : Start(scenario), m_setup(std::move(setup)) {}

    const Run &run() const override { return m_setup.run; }
    serving::RankMemory memory(std::size_t stage) const override
    {
        const Budget &budget = m_setup.budgets[stage];
        return {budget.weights, budget.rest, budget.activation.middle, budget.graphs.middle, budget.runtime};
    }
    CacheCurve cache(std::size_t stage, TokenCount sharedPrefix) const override { return cacheOf(m_setup.pools[stage], sharedPrefix); }
    CacheCurve claim(std::size_t stage, TokenCount sharedPrefix) const override { return claimOf(m_setup.pools[stage], sharedPrefix); }
    Bytes kvPerToken(std::size_t stage) const override { return Bytes{m_setup.pools[stage].fullBytes + m_setup.pools[stage].slidingBytes}; }
    serving::WholeModel wholeModel() const override;
    std::optional<PoolFigures> pool() const override;
    std::vector<ReportFigure> report() const override;

    std::size_t binding() const override { return m_setup.binding; }
    std::int64_t mostSequences() const override { return runningRequests(run(), m_setup.rules, scenario(), m_setup.capacity); }

    void explainPool(const Plan &plan, serving::Lines &lines) const override { sglang::explainPool(m_setup, scenario(), plan, lines); }
    void explainMemory(serving::Lines &lines) const override { sglang::explainMemory(m_setup, scenario(), lines); }

private:
    Setup m_setup;
};

serving::WholeModel SglangStart::wholeModel() const
{
    const PoolShape pool = poolOf(serving::wholeModel(run()), m_setup.rules, scenario(), m_setup.devices.front(), 0, 0);
    serving::WholeModel figures{Bytes{pool.fullBytes + pool.slidingBytes}, Bytes{pool.stateBytes}, {}};
    std::vector<CurveTerm> &terms = figures.sequence.terms;
    if (pool.fullBytes > 0)
        terms.push_back({Part::Kv, Bytes{pool.fullBytes}, Growth::Linear, true});
    if (pool.slidingBytes > 0)
        terms.push_back({Part::Kv, Bytes{pool.slidingBytes}, Growth::Linear, true, {}, TokenCount{pool.window}});
    return figures;
}

std::optional<PoolFigures> SglangStart::pool() const
{
    const std::int64_t page = m_setup.pools.front().page;
    return serving::poolFigures(scenario(), m_setup.capacity.tokens, page, m_setup.capacity.tokens / page);
}

std::vector<ReportFigure> SglangStart::report() const
{
    const Capacity &capacity = m_setup.capacity;
    const PoolShape &pool = m_setup.pools[binding()];
    const Buffers buffers = buffersOf(run(), m_setup.rules, pool, capacity, binding());
    const auto figure = [](const char *name, std::int64_t value) { return ReportFigure{name, static_cast<double>(value)}; };
    std::vector<ReportFigure> figures{
        figure("max_total_num_tokens", capacity.tokens), {"k_bytes", buffers.key}, {"v_bytes", buffers.value}};
    if (pool.slidingBytes > 0)
        figures.push_back(figure("swa_max_total_num_tokens", capacity.slidingTokens));
    if (pool.stateBytes > 0)
        figures.push_back(figure("max_mamba_cache_size", capacity.stateSlots));
    figures.push_back(figure("max_running_requests", mostSequences()));
    figures.push_back({"mem_fraction_static", m_setup.fraction});
    return figures;
}

class SglangEngine : public serving::ServingEngine {
public:
    SglangEngine() : ServingEngine({EngineId::Sglang, "sglang", "SGLang", kvFormatsWidestFirst, serving::checkpointFormats, {}}) {}

private:
    Started start(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings) const override
    {
        return startedFrom<SglangStart>(scenario, setUp(scenario, cluster, warnings));
    }
};

} // namespace

const Engine &sglangEngine()
{
    static const SglangEngine engine;
    return engine;
}

} // namespace kvscope
