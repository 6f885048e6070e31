// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM: a pool of blocks sized by a start profile, a check that one request of the full length fits, replicas of it (spec/serving-engines.md).
#include "core/engines/engines.h"
#include "core/engines/servingengine.h"
#include "core/engines/vllmexplain.h"
#include "core/engines/vllmpacked.h"
#include "core/engines/vllmsetup.h"

#include <algorithm>

namespace kvscope {

namespace {

using namespace vllm;

/// Blocks of one request as a curve (2.5): each group's part, in whole blocks of `bytes`.
Phase cachePhase(const PoolShape &pool, std::int64_t bytes, TokenCount sharedPrefix)
{
    Phase phase;
    const auto perSequence = [&phase](Bytes coefficient) { phase.terms.push_back({Part::Kv, coefficient, Growth::Constant, true}); };
    for (const GroupKind &group : pool.kinds) {
        const Bytes each = Bytes{bytes} * group.count;
        CurveTerm term{Part::Kv, each, Growth::Linear, true};
        term.every = term.pad = pool.holding.tokensOf(group.kind, group.block);
        switch (group.kind) {
        case SpecKind::Full: serving::addBlocks(phase, term, sharedPrefix); break;
        case SpecKind::Sliding:
        case SpecKind::Chunked:
            term.limit = TokenCount{pool.holding.reach(group.kind, group.window)};
            phase.terms.push_back(term);
            if (group.kind == SpecKind::Sliding)
                perSequence(each); // the window starts within a block
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
    for (Bytes &sum : sums) // with ranks that share the tokens out, no cache has a window (2.9)
        sum = Bytes{ceilDivide(sum.value, run.split.decodeContext)};
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

/// Tokens of a block of the attention that grows with the length; of the first group where none does.
std::int64_t blockTokensOf(const PoolShape &pool)
{
    const auto full = std::ranges::find(pool.kinds, SpecKind::Full, &GroupKind::kind);
    return full == pool.kinds.end() ? pool.kinds.front().block : full->block;
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

class VllmStart : public serving::Start {
public:
    VllmStart(const Scenario &scenario, Setup setup) : Start(scenario), m_setup(std::move(setup)) {}

    const Run &run() const override { return m_setup.run; }
    serving::RankMemory memory(std::size_t stage) const override;
    CacheCurve cache(std::size_t stage, TokenCount sharedPrefix) const override;
    CacheCurve oneRequest(std::size_t stage) const override;
    Bytes kept(std::size_t stage) const override { return nullBlock(stage); }
    Bytes kvPerToken(std::size_t stage) const override { return perToken(run(), growing(run()))[stage]; }
    serving::WholeModel wholeModel() const override;
    std::optional<PoolFigures> pool() const override;
    std::vector<ReportFigure> report() const override;

    std::size_t binding() const override { return m_setup.binding(); }
    bool sharesPrefixes() const override { return prefixCaching(run(), m_setup.rules, scenario()); }
    /// States before the pool held them were not read.
    bool modelsActivations() const override
    {
        const bool largestImages = m_setup.rules.v0() && run().hasVision(); // V0 profiled these: not computable (5.2)
        return Start::modelsActivations() && (m_setup.rules.groups() || !run().hasStates()) && !largestImages;
    }
    bool tried() const override { return m_setup.budgets[binding()].tried; }
    std::int64_t mostSequences() const override { return batchSizes(m_setup.rules, scenario(), m_setup.devices.front()).sequences; }
    void addWarnings(std::vector<Warning> &warnings) const override;

    void explainPool(const Plan &plan, serving::Lines &lines) const override { vllm::explainPool(m_setup, scenario(), plan, lines); }
    void explainMemory(serving::Lines &lines) const override { vllm::explainMemory(m_setup, scenario(), lines); }

private:
    /// One block is the engine's own (2.6).
    Bytes nullBlock(std::size_t stage) const { return {m_setup.pool.empty() ? 0 : m_setup.pool.blockBytes[stage]}; }
    std::vector<PlacedSpec> growing(const Run &run) const { return growingSpecs(m_setup, run, scenario(), m_setup.devices.front()); }
    TokenCount longest() const { return longestOf(m_setup.pool, m_setup.rules, m_setup.available(), scenario().context); }
    Printed printed() const { return printedOf(m_setup.pool, m_setup.rules, m_setup.blocks, m_setup.configuredBlock, scenario().context); }

    Setup m_setup;
};

serving::RankMemory VllmStart::memory(std::size_t stage) const
{
    const Budget &budget = m_setup.budgets[stage];
    const auto usable = [null = nullBlock(stage)](Bytes available) { return std::max(Bytes{}, available - null); };
    // What the pool does not level out: the pool takes what weights, profile and growth leave of the fraction.
    const Bytes outside = budget.before.middle + budget.growth.middle;
    const Spread runtime{outside - (budget.before.middle - budget.before.low) - (budget.graphs.middle - budget.graphs.low), outside,
                         outside + (budget.before.high - budget.before.middle) + (budget.graphs.high - budget.graphs.middle)};
    return {budget.weights,
            {usable(budget.available.low), usable(budget.available.middle), usable(budget.available.high)},
            budget.activation.middle,
            budget.graphs.middle,
            runtime};
}

CacheCurve VllmStart::cache(std::size_t stage, TokenCount sharedPrefix) const
{
    CacheCurve curve;
    if (!m_setup.pool.empty())
        curve.phases = {cachePhase(m_setup.pool, m_setup.pool.blockBytes[stage], sharedPrefix)};
    return curve;
}

/// The check at start (3.3), which takes no account of shared prefixes.
CacheCurve VllmStart::oneRequest(std::size_t stage) const
{
    CacheCurve curve;
    if (!m_setup.pool.empty())
        curve.phases = {
            cachePhase(m_setup.pool, m_setup.rules.needPerRank() ? m_setup.pool.checkBytes[stage] : m_setup.pool.wholeBlock, {})};
    return curve;
}

serving::WholeModel VllmStart::wholeModel() const
{
    const ModelSpec &model = *run().model;
    const Run whole = serving::wholeModel(run());
    const std::vector<PlacedSpec> specs = growing(whole);
    serving::WholeModel figures{perToken(whole, specs).front(), {}, sequencePhase(specs)};
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < counts.size(); ++g) {
        if (model.groups[g].state.kind != Recurrence::None)
            figures.statePerSequence += Bytes{stateBytesOf(whole, m_setup.rules, model.groups[g]).total()} * counts[g];
    }
    return figures;
}

std::optional<PoolFigures> VllmStart::pool() const
{
    if (m_setup.pool.empty())
        return {};
    const Printed figures = printed();
    PoolFigures pool{{blockTokensOf(m_setup.pool)}, m_setup.blocks, {figures.tokens}, figures.concurrency, 1, {}};
    for (const BlockGroup &group : m_setup.pool.groups) {
        const std::int64_t blocks = m_setup.pool.holding.blocks(group.kind, group.block, group.window, scenario().context);
        pool.groups.push_back({kindOf(group.kind), static_cast<int>(group.members.size()), {group.block}, blocks});
    }
    return pool;
}

std::vector<ReportFigure> VllmStart::report() const
{
    if (m_setup.pool.empty())
        return {};
    const Spread &available = m_setup.budgets[binding()].available;
    const Printed figures = printed();
    return {{"available_kv_cache_bytes", available.middle},
            {"available_kv_cache_low_bytes", available.low},
            {"available_kv_cache_high_bytes", available.high},
            {"kv_cache_tokens", static_cast<double>(figures.tokens)},
            {"max_concurrency", figures.concurrency},
            {"bytes_needed_for_max_model_len", m_setup.needed(scenario().context)},
            {"estimated_max_model_len", static_cast<double>(longest().value)}};
}

void VllmStart::addWarnings(std::vector<Warning> &warnings) const
{
    if (m_setup.pool.empty())
        return;
    const Bytes needed = m_setup.needed(scenario().context);
    const Bytes there = m_setup.budgets[binding()].available.middle;
    if (needed > there)
        warnings.push_back(
            {WarningCode::StartRefused,
             {std::to_string(needed.value), std::to_string(std::max(Bytes{}, there).value), std::to_string(longest().value)}});
}

class VllmEngine : public serving::ServingEngine {
public:
    VllmEngine() : ServingEngine({EngineId::Vllm, "vllm", "vLLM", vllm::cacheFormats(), serving::checkpointFormats, {}}) {}

private:
    Started start(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings) const override
    {
        return startedFrom<VllmStart>(scenario, setUp(scenario, cluster, warnings));
    }
};

} // namespace

const Engine &vllmEngine()
{
    static const VllmEngine engine;
    return engine;
}

} // namespace kvscope
