// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/judge.h"

#include <algorithm>

namespace kvscope {

namespace {

Bytes cacheAt(const DeviceCurve &device, TokenCount tokens, std::int64_t sequences)
{
    return device.cache.phases.empty() ? device.curve.partsAt(tokens, sequences)[Part::Kv] : device.cache.at(tokens, sequences);
}

/// Sequences of replica r: the first ones take one more where the batch does not divide.
std::int64_t sequencesOf(std::int64_t batch, int replica, int replicas) { return batch / replicas + (replica < batch % replicas); }

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
    plan.kvNeeded = cacheAt(curve, scenario.context, sequences);
    plan.total = onCurve + curve.runtime.middle;
    plan.low = onCurve + curve.runtime.low;
    plan.high = onCurve + curve.runtime.high;
    return plan;
}

/// Sequences that the engine takes at the most, over all replicas.
std::int64_t mostSequences(const FitBoundary &boundary)
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
        return device.pool && device.cache.maxTokens(device.pool->bytes.low, boundary.sequencesOnFullest(sequences)) == context;
    });
}

KvFigures kvFigures(const FitBoundary &boundary, const Scenario &scenario)
{
    const Compiled &compiled = boundary.compiled();
    KvFigures kv;
    kv.perToken = compiled.kvPerToken;
    const auto whole = [&](TokenCount tokens) { return compiled.sequence.at(tokens, 1); };
    kv.perTokenAtContext = whole(scenario.context + TokenCount{1}) - whole(scenario.context);
    kv.statePerSequence = compiled.statePerSequence;
    kv.total = kvTotal(boundary, scenario);
    for (const DeviceCurve &device : compiled.devices) {
        kv.perTokenPerDevice = std::max(kv.perTokenPerDevice, device.kvPerToken);
        kv.perSequence = std::max(kv.perSequence, cacheAt(device, scenario.context, 1));
    }
    return kv;
}

} // namespace

Bytes kvTotal(const FitBoundary &boundary, const Scenario &scenario)
{
    const int replicas = boundary.replicas();
    const std::int64_t fuller = scenario.batch % replicas;
    Bytes total;
    for (const DeviceCurve &device : boundary.compiled().devices) {
        const auto onReplica = [&](int r) { return cacheAt(device, scenario.context, sequencesOf(scenario.batch, r, replicas)); };
        total += onReplica(replicas - 1) * (replicas - fuller) * device.peers;
        if (fuller > 0)
            total += onReplica(0) * fuller * device.peers;
    }
    for (int r = 0; r < replicas; ++r)
        total += boundary.compiled().host.partsAt(scenario.context, sequencesOf(scenario.batch, r, replicas))[Part::Kv];
    return total;
}

Limits limitsOf(const FitBoundary &boundary, const Scenario &scenario)
{
    Limits limits;
    const bool holdsNothing = !boundary.weightsFit();
    const TokenCount trained = scenario.model->trainedContext;
    limits.maxContextBeyondTraining = boundary.maxContext(scenario.batch);
    limits.maxContext = limits.maxContextBeyondTraining;
    limits.contextReason = holdsNothing                          ? LimitReason::WeightsDoNotFit
                           : limits.maxContext == largestContext ? LimitReason::NoGrowth
                                                                 : LimitReason::Memory;
    if (limits.contextReason == LimitReason::Memory && endsPool(boundary, scenario.batch, limits.maxContext))
        limits.contextReason = LimitReason::EngineLimit;
    if (trained.value > 0 && limits.maxContext > trained) {
        limits.maxContext = trained;
        limits.contextReason = LimitReason::TrainedLength;
    }
    limits.maxBatch = boundary.maxSequences(scenario.context);
    limits.batchReason = holdsNothing                                 ? LimitReason::WeightsDoNotFit
                         : limits.maxBatch == largestBatch            ? LimitReason::LargestCounted
                         : limits.maxBatch == mostSequences(boundary) ? LimitReason::EngineLimit
                                                                      : LimitReason::Memory;
    return limits;
}

Plan judge(const FitBoundary &boundary, const Scenario &scenario, const Cluster &cluster)
{
    const Compiled &compiled = boundary.compiled();
    Plan plan;
    const int replicas = boundary.replicas();
    const std::size_t replicaSize = cluster.devices.size() / static_cast<std::size_t>(replicas);
    for (int r = 0; r < replicas; ++r) {
        for (const DeviceCurve &curve : compiled.devices) {
            for (int p = 0; p < curve.peers; ++p) {
                const auto index = static_cast<std::size_t>(r) * replicaSize + static_cast<std::size_t>(curve.device + p);
                plan.devices.push_back(
                    devicePlan(curve, cluster.devices[index], static_cast<int>(index), scenario, sequencesOf(scenario.batch, r, replicas)));
                const DevicePlan &device = plan.devices.back();
                if (device.free() < plan.devices[static_cast<std::size_t>(plan.fullest)].free())
                    plan.fullest = static_cast<int>(plan.devices.size()) - 1;
                if (curve.hostHoldsRest)
                    plan.hostKv += std::max(Bytes{}, device.kvNeeded - device.used[Part::Kv]);
            }
        }
    }
    plan.kv = kvFigures(boundary, scenario);
    plan.pool = compiled.pool;
    plan.weightsTotal = compiled.weights;
    plan.hostWeights = compiled.hostWeights;
    plan.hostActivation = compiled.hostActivation;
    for (int r = 0; r < replicas; ++r) {
        const PartBytes host = compiled.host.partsAt(scenario.context, sequencesOf(scenario.batch, r, replicas));
        plan.hostWeights += host[Part::Weights];
        plan.hostKv += host[Part::Kv] + host[Part::State];
        plan.hostActivation += host[Part::Activation];
    }
    if (plan.kv.total.tooLarge() || plan.binding()->high.tooLarge() || plan.weightsTotal.tooLarge()) {
        plan.refusal = Error{ErrorCode::TooLarge, "kv.total_bytes", {}, {}};
        return plan;
    }
    plan.limits = limitsOf(boundary, scenario);
    plan.verdict = boundary.verdict(scenario.context, scenario.batch);
    return plan;
}

} // namespace kvscope
