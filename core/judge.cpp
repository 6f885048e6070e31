// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/judge.h"

#include <algorithm>

namespace kvscope {

namespace {

DevicePlan devicePlan(const DeviceCurve &curve, const Device &device, int index, const Scenario &scenario, std::int64_t sequences)
{
    DevicePlan plan;
    plan.name = device.name;
    plan.index = index;
    plan.memory = device.memory;
    plan.usable = device.usable;
    plan.budget = FitBoundary::budgetOf(device, scenario);
    plan.used = curve.curve.partsAt(scenario.context, sequences);
    const Bytes onCurve = plan.used.total();
    plan.used[Part::Runtime] += curve.runtime.middle;
    plan.kvNeeded = neededOn(curve, scenario.context, sequences);
    plan.total = onCurve + curve.runtime.middle;
    plan.low = onCurve + curve.runtime.low;
    plan.high = onCurve + curve.runtime.high;
    return plan;
}

/// Sequences that the engine takes at the most, over all replicas.
std::int64_t mostTaken(const FitBoundary &boundary)
{
    std::int64_t least = largestBatch;
    for (const DeviceCurve &device : boundary.compiled().devices)
        least = std::min(least, device.curve.mostSequences);
    return std::min(saturatingMultiply(least, boundary.replicas()), largestBatch);
}

/// A pool that the user set (llama.cpp's -c), not one that takes what memory leaves, is full at this context.
bool endsPool(const FitBoundary &boundary, std::int64_t sequences, TokenCount context)
{
    if (boundary.compiled().pool)
        return false;
    return std::ranges::any_of(boundary.compiled().devices, [&](const DeviceCurve &device) {
        return device.pool && claimOn(device).maxTokens(device.pool->bytes.high, boundary.sequencesOnFullest(sequences)) == context;
    });
}

/// Figures of one device are those of the one that decides.
KvFigures kvFigures(const FitBoundary &boundary, const Scenario &scenario, const DeviceCurve &fullest)
{
    const Compiled &compiled = boundary.compiled();
    KvFigures kv;
    kv.perToken = compiled.kvPerToken;
    const auto whole = [&](TokenCount tokens) { return compiled.sequence.at(tokens, 1); };
    kv.perTokenAtContext = whole(scenario.context + TokenCount{1}) - whole(scenario.context);
    kv.perTokenPerDevice = fullest.kvPerToken;
    kv.perSequence = neededOn(fullest, scenario.context, 1);
    kv.statePerSequence = compiled.statePerSequence;
    kv.total = kvTotal(boundary, scenario);
    return kv;
}

/// The largest load in 0 .. `most` that fits, where the engine derives settings from the load. `allowed(load)` is the most that the settings
/// of this load take: it fits where that is no less. `planned` is what those of the plan's own load take. Settings go one way with the load:
/// where those just above that limit set the same one, all between do. Else what one load allows is the guess for the next, halved in between
/// so that it ends.
template<typename Allowed>
std::int64_t largestFollowed(std::int64_t planned, std::int64_t most, const Allowed &allowed)
{
    if (planned < most && allowed(planned + 1) == planned)
        return planned;
    std::int64_t guess = planned, fitting = 0, beyond = most + 1;
    for (int tries = 1; fitting + 1 < beyond; ++tries) {
        guess = std::clamp(guess, fitting + 1, beyond - 1);
        const std::int64_t taken = allowed(guess);
        (taken >= guess ? fitting : beyond) = guess;
        guess = taken != guess && tries % 2 == 0 ? fitting + (beyond - fitting) / 2 : taken == guess ? guess + 1 : taken;
    }
    return fitting;
}

/// The scenario compiled anew for a trial load; empty where the engine refuses that.
std::optional<FitBoundary> compiledFor(const Scenario &trial, const Cluster &cluster)
{
    Result<Compiled> compiled = compile(trial, cluster);
    if (!compiled)
        return {};
    return FitBoundary(std::move(*compiled), trial, cluster);
}

bool hasRange(const FitBoundary &boundary)
{
    return std::ranges::any_of(boundary.compiled().devices, [](const DeviceCurve &device) {
        return device.runtime.low != device.runtime.high || (device.pool && device.pool->bytes.low != device.pool->bytes.high);
    });
}

/// A load, as a function of one of its two sides.
struct Load {
    TokenCount context;
    std::int64_t batch;
};

/// What stops a limit that no memory does: `larger` takes more than `large`, both beyond all windows.
LimitReason unlimited(const FitBoundary &boundary, Load large, Load larger)
{
    const auto onDevice = [&](const DeviceCurve &device, Load load) {
        const std::int64_t sequences = boundary.sequencesOnFullest(load.batch);
        const Bytes total = device.curve.at(load.context, sequences);
        return device.pool ? total + claimOn(device).at(load.context, sequences) : total;
    };
    const auto grows = [](Bytes less, Bytes more) { return more > less || more.tooLarge(); };
    for (const DeviceCurve &device : boundary.compiled().devices) {
        if (grows(onDevice(device, large), onDevice(device, larger)))
            return LimitReason::LargestCounted;
    }
    if (!grows(boundary.hostNeeded(large.context, large.batch), boundary.hostNeeded(larger.context, larger.batch)))
        return LimitReason::NoGrowth;
    return boundary.hostThere(large.context, large.batch) ? LimitReason::LargestCounted : LimitReason::HostUnknown;
}

} // namespace

Verdict verdictOf(const Scenario &scenario, const Cluster &cluster)
{
    const std::optional<FitBoundary> fit = compiledFor(scenario, cluster);
    return fit ? fit->verdict(scenario.context, scenario.batch) : Verdict::Refused;
}

Bytes kvTotal(const FitBoundary &boundary, const Scenario &scenario)
{
    const int replicas = boundary.replicas();
    const std::int64_t fuller = scenario.batch % replicas;
    Bytes total;
    for (const DeviceCurve &device : boundary.compiled().devices) {
        const auto onReplica = [&](int r) { return neededOn(device, scenario.context, boundary.sequencesOn(r, scenario.batch)); };
        const int peers = boundary.peersOfReplica(device);
        total += onReplica(replicas - 1) * (replicas - fuller) * peers;
        if (fuller > 0)
            total += onReplica(0) * fuller * peers;
    }
    for (int r = 0; r < replicas; ++r)
        total += boundary.compiled().host.partsAt(scenario.context, boundary.sequencesOn(r, scenario.batch))[Part::Kv];
    return total;
}

TokenCount longestContext(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster, Verdict worst)
{
    const TokenCount direct = boundary.maxContext(scenario.batch, worst);
    if (!engineOf(scenario.engine.id).followsLoad(scenario))
        return direct;
    Scenario trial = scenario;
    return {largestFollowed(direct.value, largestContext.value, [&](std::int64_t context) {
        trial.context = TokenCount{context};
        const std::optional<FitBoundary> fit = compiledFor(trial, cluster);
        return fit ? fit->maxContext(trial.batch, worst).value : 0;
    })};
}

std::int64_t mostSequences(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster, Verdict worst)
{
    const std::int64_t direct = boundary.maxSequences(scenario.context, worst);
    if (!engineOf(scenario.engine.id).followsLoad(scenario))
        return direct;
    Scenario trial = scenario;
    return largestFollowed(direct, largestBatch, [&](std::int64_t batch) {
        trial.batch = batch;
        const std::optional<FitBoundary> fit = compiledFor(trial, cluster);
        return fit ? fit->maxSequences(trial.context, worst) : 0;
    });
}

Limits limitsOf(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster)
{
    Limits limits;
    const bool holdsNothing = !boundary.weightsFit();
    const TokenCount context = scenario.context, far{largestContext.value / 2};
    limits.maxContextBeyondTraining = limits.maxContextSure = longestContext(boundary, scenario, cluster);
    limits.maxBatch = limits.maxBatchSure = mostSequences(boundary, scenario, cluster);
    if (hasRange(boundary)) {
        limits.maxContextSure = longestContext(boundary, scenario, cluster, Verdict::Fits);
        limits.maxBatchSure = mostSequences(boundary, scenario, cluster, Verdict::Fits);
    }
    limits.maxContext = limits.maxContextBeyondTraining;
    limits.contextReason = holdsNothing ? LimitReason::WeightsDoNotFit
                           : limits.maxContext == largestContext
                               ? unlimited(boundary, {far, scenario.batch}, {largestContext, scenario.batch})
                           : endsPool(boundary, scenario.batch, limits.maxContext) ? LimitReason::EngineLimit
                                                                                   : LimitReason::Memory;
    if (const TokenCount trained = scenario.model->trainedContext; trained.value > 0 && limits.maxContext > trained) {
        limits.maxContext = trained;
        limits.contextReason = LimitReason::TrainedLength;
    }
    limits.batchReason = holdsNothing                      ? LimitReason::WeightsDoNotFit
                         : limits.maxBatch == largestBatch ? unlimited(boundary, {context, largestBatch / 2}, {context, largestBatch})
                         : limits.maxBatch == mostTaken(boundary) ? LimitReason::EngineLimit
                                                                  : LimitReason::Memory;
    return limits;
}

Plan judge(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster)
{
    const Compiled &compiled = boundary.compiled();
    Plan plan;
    const DeviceCurve *fullest = nullptr;
    for (int g = 0; g < boundary.cardGroups(); ++g) {
        for (const DeviceCurve &curve : compiled.devices) {
            for (int p = 0; p < curve.peers; ++p) {
                const std::size_t index = static_cast<std::size_t>(g) * boundary.groupSize() + static_cast<std::size_t>(curve.device + p);
                plan.devices.push_back(devicePlan(curve, cluster.devices[index], static_cast<int>(index), scenario,
                                                  boundary.sequencesOn(boundary.replicaOf(curve, g, p), scenario.batch)));
                const DevicePlan &device = plan.devices.back();
                if (!fullest || device.free() < plan.devices[static_cast<std::size_t>(plan.fullest)].free()) {
                    plan.fullest = static_cast<int>(plan.devices.size()) - 1;
                    fullest = &curve;
                }
                if (curve.hostHoldsRest)
                    plan.hostKv += std::max(Bytes{}, device.kvNeeded - device.used[Part::Kv]);
            }
        }
    }
    if (fullest)
        plan.kv = kvFigures(boundary, scenario, *fullest);
    plan.pool = compiled.pool;
    plan.weightsTotal = compiled.weights;
    plan.hostWeights = compiled.hostWeights;
    plan.hostActivation = compiled.hostActivation;
    for (int r = 0; r < boundary.replicas(); ++r) {
        const PartBytes host = compiled.host.partsAt(scenario.context, boundary.sequencesOn(r, scenario.batch));
        plan.hostWeights += host[Part::Weights];
        plan.hostKv += host[Part::Kv] + host[Part::State];
        plan.hostActivation += host[Part::Activation];
    }
    if (plan.kv.total.tooLarge() || plan.binding()->high.tooLarge() || plan.weightsTotal.tooLarge()) {
        plan.refusal = Error{ErrorCode::TooLarge, "kv.total_bytes", {}, {}};
        return plan;
    }
    plan.limits = limitsOf(boundary, scenario, cluster);
    plan.verdict = boundary.verdict(scenario.context, scenario.batch);
    return plan;
}

} // namespace kvscope
