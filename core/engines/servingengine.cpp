// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/servingengine.h"

#include "core/catalog.h"

namespace kvscope::serving {

namespace {

/// Memory, cache and weights of a rank of each stage.
void addDevices(const Start &start, TokenCount sharedPrefix, Compiled &compiled)
{
    const Run &run = start.run();
    for (std::size_t s = 0; s < run.stages.size(); ++s) {
        const RankMemory memory = start.memory(s);
        DeviceCurve device;
        device.device = static_cast<int>(s) * run.tensor();
        device.peers = run.tensor();
        device.hostHoldsRest = false;
        device.pool = Pool{{std::max(Bytes{}, memory.pool.low), std::max(Bytes{}, memory.pool.middle), memory.pool.high},
                           start.oneRequest(s),
                           start.claim(s, sharedPrefix),
                           start.kept(s)};
        device.curve.phases = {{{{Part::Weights, memory.weights.total()},
                                 {Part::Kv, device.pool->bytes.middle},
                                 {Part::Activation, memory.activation},
                                 {Part::Graph, memory.graphs}}}};
        device.runtime = memory.runtime;
        device.cache = start.cache(s, sharedPrefix);
        device.kvPerToken = start.kvPerToken(s);
        compiled.weights += memory.weights.total() * run.tensor();
        compiled.devices.push_back(std::move(device));
    }
}

void addWarnings(const Start &start, const Scenario &scenario, std::vector<Warning> &warnings)
{
    const ModelSpec &model = *start.run().model;
    if (!start.modelsActivations())
        warnings.push_back({WarningCode::ActivationsNotModelled, {model.family.empty() ? model.name : model.family}});
    if (!scenario.serving.givenKv && !start.tried())
        warnings.push_back({WarningCode::BudgetNotTried, {}});
    const std::int64_t sequences = ceilDivide(scenario.batch, start.run().split.data);
    if (const std::int64_t most = start.mostSequences(); sequences > most)
        warnings.push_back({WarningCode::SequencesWait, {std::to_string(sequences), std::to_string(most)}});
    start.addWarnings(warnings);
}

} // namespace

PoolFigures poolFigures(const Scenario &scenario, std::int64_t tokens, std::int64_t blockTokens, std::int64_t blocks)
{
    const auto length = static_cast<double>(std::max<std::int64_t>(1, scenario.context.value));
    return {{blockTokens}, blocks, {tokens}, static_cast<double>(tokens) / length, 0, {}};
}

ServingEngine::ServingEngine(const EngineFacts &facts) : m_facts(facts), m_newestFirst(releaseNames(facts.id)) {}

Result<Compiled> ServingEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    Compiled compiled;
    if (const std::string &version = scenario.engine.version; m_newestFirst.empty() && !version.empty()) {
        if (const Result<ResolvedRelease> known = resolveRelease(m_facts.id, version); !known)
            return known.error();
        compiled.warnings.push_back({WarningCode::UnknownVersion, {version, std::string(m_facts.rulesYear)}});
    }
    const Started started = start(scenario, cluster, compiled.warnings);
    if (!started)
        return started.error();
    const Start &start = **started;
    addRunWarnings(start.run(), scenario, compiled.warnings);
    addDevices(start, start.sharesPrefixes() ? scenario.sharedPrefix : TokenCount{}, compiled);
    WholeModel whole = start.wholeModel();
    compiled.kvPerToken = whole.kvPerToken;
    compiled.statePerSequence = whole.statePerSequence;
    compiled.sequence.phases = {std::move(whole.sequence)};
    compiled.pool = start.pool();
    addWarnings(start, scenario, compiled.warnings);
    return compiled;
}

std::vector<ReportFigure> ServingEngine::report(const Scenario &scenario, const Cluster &cluster, const Compiled &, const Plan &) const
{
    std::vector<Warning> known;
    const Started started = start(scenario, cluster, known);
    return started ? (*started)->report() : std::vector<ReportFigure>();
}

std::vector<Explanation> ServingEngine::explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                                const Plan &plan) const
{
    std::vector<Warning> known;
    const Started started = start(scenario, cluster, known);
    if (!started)
        return {};
    const Start &start = **started;
    const std::string newest(m_newestFirst.empty() ? m_facts.rulesYear : m_newestFirst.front());
    const std::string &asked = scenario.engine.version;
    const bool toldApart = !asked.empty() && !m_newestFirst.empty();
    Lines lines(std::string(m_facts.label) + " " + (toldApart ? asked : newest), compiled.devices[start.binding()].device);
    start.explainPool(plan, lines);
    std::vector<RankWeights> stages;
    for (std::size_t s = 0; s < start.run().stages.size(); ++s)
        stages.push_back(start.memory(s).weights);
    lines.addWeights(start.run(), stages, compiled.weights);
    start.explainMemory(lines);
    return lines.take();
}

} // namespace kvscope::serving
