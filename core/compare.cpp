// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare.h"

#include "core/engine.h"
#include "core/judge.h"

#include <algorithm>
#include <cstdlib>

namespace kvscope {

namespace {

/// The KV of the binding device without its steps of cells or blocks; a fixed pool's is the need, as the plan has it.
Bytes smoothKv(const DeviceCurve &device, TokenCount context, std::int64_t sequences)
{
    CacheCurve curve = device.cache.phases.empty() ? device.curve : device.cache;
    for (Phase &phase : curve.phases) {
        for (CurveTerm &term : phase.terms) {
            if (term.growth == Growth::Linear && term.every == term.pad) { // bytes of a block: of a token then
                term.coefficient = {term.coefficient.value / term.every};
                term.every = 1;
            }
            term.pad = 1;
        }
    }
    return curve.partsAt(context, sequences)[Part::Kv];
}

const DeviceCurve *curveOf(const Compiled &compiled, int device)
{
    const auto found = std::ranges::find_if(compiled.devices,
                                            [device](const DeviceCurve &d) { return device >= d.device && device < d.device + d.peers; });
    return found == compiled.devices.end() ? nullptr : &*found;
}

} // namespace

std::vector<Difference> differencesFromTheory(const Scenario &scenario, const Cluster &cluster, const Plan &plan)
{
    const DevicePlan *device = plan.binding();
    if (!device || plan.verdict == Verdict::Refused || scenario.engine.id == EngineId::Formula)
        return {};
    Scenario theory = scenario;
    theory.engine = {};
    Cluster even = cluster;
    if (even.split.devices() == 1) // an engine that lays layers over all devices
        even.split.pipeline = static_cast<int>(std::min<std::size_t>(cluster.devices.size(), scenario.model->layout.size()));
    const Plan plain = kvscope::plan(theory, even);
    theory.kv.key = keyFormat(scenario);
    theory.kv.value = valueFormat(scenario);
    const Plan sameFormat = kvscope::plan(theory, even);
    const auto index = static_cast<std::size_t>(device->index);
    if (index >= plain.devices.size() || index >= sameFormat.devices.size())
        return {};

    const Bytes kvPlain = plain.devices[index].used[Part::Kv], kvSame = sameFormat.devices[index].used[Part::Kv];
    Bytes smooth = device->kvNeeded;
    if (const Result<Compiled> compiled = compile(scenario, cluster)) {
        if (const DeviceCurve *curve = curveOf(*compiled, device->index))
            smooth = std::min(smooth, smoothKv(*curve, scenario.context, ceilDivide(scenario.batch, cluster.split.data)));
    }
    const auto part = [&](Part p) { return device->used[p] - plain.devices[index].used[p]; };
    std::vector<Difference> all{
        {DifferenceReason::Weights, part(Part::Weights)},
        {DifferenceReason::CacheFormat, kvSame - kvPlain},
        {DifferenceReason::Rounding, device->kvNeeded - smooth},
        {DifferenceReason::WindowRule, smooth - kvSame},
        {DifferenceReason::StatePrecision, part(Part::State)},
        {DifferenceReason::Activations, part(Part::Activation)},
        {DifferenceReason::Graphs, part(Part::Graph)},
        {DifferenceReason::Runtime, part(Part::Runtime)},
        {DifferenceReason::UnusedPool, device->used[Part::Kv] - device->kvNeeded},
    };
    std::erase_if(all, [](const Difference &d) { return d.bytes.value == 0; });
    std::ranges::stable_sort(all, std::ranges::greater{}, [](const Difference &d) { return std::abs(d.bytes.value); });
    return all;
}

namespace {

Cluster splitAsAllowed(const Scenario &scenario, const Cluster &cluster)
{
    const Result<Compiled> compiled = compile(scenario, cluster);
    if (compiled || compiled.error().code != ErrorCode::ImpossibleSplit || !scenario.model)
        return cluster;
    const std::vector<Split> splits = engineOf(scenario.engine.id).splits(*scenario.model, static_cast<int>(cluster.devices.size()));
    Cluster own = cluster;
    if (!splits.empty())
        own.split = splits.front();
    return own;
}

} // namespace

std::vector<Compared> compareEngines(const Scenario &scenario)
{
    std::vector<Compared> rows;
    Scenario trial = scenario;
    std::vector<EngineChoice> engines{scenario.engine};
    engines.insert(engines.end(), scenario.otherEngines.begin(), scenario.otherEngines.end());
    for (std::size_t c = 0; c < scenario.clusters.size(); ++c) {
        for (const EngineChoice &engine : engines) {
            trial.engine = engine;
            trial.selected = static_cast<int>(c);
            const Cluster cluster = engine == scenario.engine ? scenario.clusters[c] : splitAsAllowed(trial, scenario.clusters[c]);
            Plan answer = plan(trial, cluster);
            std::vector<Difference> differences = differencesFromTheory(trial, cluster, answer);
            rows.push_back({static_cast<int>(c), engine, cluster.split, std::move(answer), std::move(differences)});
        }
    }
    return rows;
}

} // namespace kvscope
