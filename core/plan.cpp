// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan.h"

#include "core/boundary.h"
#include "core/engine.h"
#include "core/gguf/model.h"
#include "core/judge.h"

#include <algorithm>
#include <string>

namespace kvscope {

namespace {

/// A tensor-parallel group, whose ranks follow one another, stands in two machines of `each` devices.
bool crosses(const Cluster &cluster, std::int64_t each)
{
    const std::int64_t tensor = cluster.split.tensor;
    if (cluster.nodes < 2 || tensor < 2 || each < 1)
        return false;
    for (std::int64_t first = 0; first < cluster.split.devices(); first += tensor) {
        if (first / each != (first + tensor - 1) / each)
            return true;
    }
    return false;
}

std::vector<Warning> deviceWarnings(const Cluster &cluster, const Plan &plan)
{
    std::vector<Warning> warnings;
    const std::size_t used = plan.devices.size();
    const std::size_t there = cluster.devices.size();
    bool mixed = false;
    for (std::size_t i = 0; i < there; ++i) {
        const Device &device = cluster.devices[i];
        if (i > 0 && device.id == cluster.devices[i - 1].id)
            continue;
        mixed = mixed || i > 0;
        if (device.memoryAssumed)
            warnings.push_back({WarningCode::AssumedMemory, {device.name}});
        else if (device.usableAssumed)
            warnings.push_back({WarningCode::AssumedUsable, {device.name}});
        if (device.unified && device.vendor == "Apple" && device.usable < device.memory)
            warnings.push_back({WarningCode::UnifiedLimit, {device.name, std::to_string(device.usable.value)}});
    }
    if (const std::int64_t each = static_cast<std::int64_t>(there) / cluster.nodes; crosses(cluster, each))
        warnings.push_back({WarningCode::TensorAcrossMachines, {std::to_string(cluster.split.tensor), std::to_string(each)}});
    if (used < there)
        warnings.push_back({WarningCode::UnusedDevices, {std::to_string(there - used), std::to_string(there)}});
    if (mixed && plan.binding())
        warnings.push_back({WarningCode::MixedDevices, {plan.binding()->name}});
    return warnings;
}

void addModelWarnings(const Scenario &scenario, std::vector<Warning> &warnings)
{
    const ModelSpec &model = *scenario.model;
    std::ranges::copy(modelWarnings(model), std::back_inserter(warnings));
    if (!model.parametersKnown && !model.measuredWeights && !scenario.weights.measured)
        warnings.push_back({WarningCode::NoWeights, {}});
    if (scenario.sharedPrefix > scenario.context)
        warnings.push_back(
            {WarningCode::PrefixClipped, {std::to_string(scenario.sharedPrefix.value), std::to_string(scenario.context.value)}});
    if (model.trainedContext.value > 0 && scenario.context > model.trainedContext) {
        warnings.push_back(
            {WarningCode::BeyondTrainedLength, {std::to_string(scenario.context.value), std::to_string(model.trainedContext.value)}});
    }
}

void addHostWarning(const FitBoundary &boundary, const Scenario &scenario, std::vector<Warning> &warnings)
{
    const std::optional<Bytes> there = boundary.hostThere(scenario.context, scenario.batch);
    if (!there)
        return;
    const Bytes needed = boundary.hostNeeded(scenario.context, scenario.batch);
    if (needed.value > 0 && needed > *there)
        warnings.push_back({WarningCode::HostMemoryShort, {std::to_string(needed.value), std::to_string(std::max(*there, Bytes{}).value)}});
}

/// Cards with a driver that falls back to the host's memory on Windows (spec/local-engines.md 8.2, 8.3): those that people put into a desktop.
bool spillsOnWindows(const Device &device)
{
    return !device.unified && (device.vendor == "NVIDIA" || device.vendor == "AMD") && device.memory <= 32_GiB;
}

/// vLLM and SGLang have no back end for Apple's GPUs, TensorRT-LLM is NVIDIA's own.
bool hasBackend(EngineId engine, const Device &device)
{
    if (engine == EngineId::TensorRtLlm)
        return device.vendor.empty() || device.vendor == "NVIDIA";
    return (engine != EngineId::Vllm && engine != EngineId::Sglang) || device.vendor != "Apple";
}

bool runsOnWindows(EngineId engine)
{
    return engine == EngineId::LlamaCpp || engine == EngineId::Ollama || engine == EngineId::Transformers;
}

Plan refused(Error error)
{
    Plan plan;
    plan.verdict = Verdict::Refused;
    plan.refusal = std::move(error);
    return plan;
}

} // namespace

std::vector<Warning> modelWarnings(const ModelSpec &model)
{
    std::vector<Warning> warnings;
    if (model.unknownArchitecture)
        warnings.push_back({WarningCode::UnknownArchitecture, {model.family}});
    if (model.gguf && model.gguf->incomplete)
        warnings.push_back({WarningCode::IncompleteFile, {model.id}});
    return warnings;
}

const char *codeOf(WarningCode code)
{
    switch (code) {
    case WarningCode::BeyondTrainedLength: return "beyond_trained_length";
    case WarningCode::UnknownArchitecture: return "unknown_architecture";
    case WarningCode::IncompleteFile: return "incomplete_file";
    case WarningCode::NoWeights: return "no_weights";
    case WarningCode::AssumedMemory: return "assumed_memory";
    case WarningCode::AssumedUsable: return "assumed_usable";
    case WarningCode::UnusedDevices: return "unused_devices";
    case WarningCode::ReplicatedKvHeads: return "replicated_kv_heads";
    case WarningCode::UnevenHeads: return "uneven_heads";
    case WarningCode::EngineLacksOption: return "engine_lacks_option";
    case WarningCode::HostMemoryShort: return "host_memory_short";
    case WarningCode::UnknownVersion:
    case WarningCode::OlderThanListed: return "unknown_version";
    case WarningCode::ActivationsNotModelled: return "activations_not_modelled";
    case WarningCode::MixedDevices: return "mixed_devices";
    case WarningCode::TooLarge: return "too_large";
    case WarningCode::UnknownFormatSize: return "unknown_format_size";
    case WarningCode::BudgetNotTried: return "budget_not_tried";
    case WarningCode::StartRefused: return "start_refused";
    case WarningCode::EngineNotForDevice: return "engine_not_for_device";
    case WarningCode::UnifiedLimit: return "unified_limit";
    case WarningCode::SilentSpill: return "silent_spill";
    case WarningCode::CacheTypeIgnored: return "cache_type_ignored";
    case WarningCode::FitContext: return "fit_context";
    case WarningCode::FitExperts: return "fit_experts";
    case WarningCode::EngineOffloadsLess: return "engine_offloads_less";
    case WarningCode::SequencesWait: return "sequences_wait";
    case WarningCode::RecurrentSplit: return "recurrent_split";
    case WarningCode::TensorAcrossMachines: return "tensor_across_machines";
    case WarningCode::OptionOfOtherEngine: return "option_of_other_engine";
    case WarningCode::ThousandsOfTokens: return "thousands_of_tokens";
    case WarningCode::PrefixClipped: return "prefix_clipped";
    }
    return "";
}

Plan plan(const Scenario &scenario, const Cluster &cluster)
{
    Result<Compiled> compiled = compile(scenario, cluster);
    if (!compiled)
        return refused(compiled.error());
    const FitBoundary boundary(std::move(*compiled), scenario, cluster);
    Plan plan = judge(boundary, scenario, cluster);
    if (plan.verdict == Verdict::Refused)
        return plan;
    plan.engineReport = engineOf(scenario.engine.id).report(scenario, cluster, boundary.compiled(), plan);
    plan.warnings = boundary.compiled().warnings;
    for (Warning &remark : engineOf(scenario.engine.id).remarks(scenario, cluster, plan))
        plan.warnings.push_back(std::move(remark));
    addModelWarnings(scenario, plan.warnings);
    for (Warning &warning : deviceWarnings(cluster, plan))
        plan.warnings.push_back(std::move(warning));
    const auto without =
        std::ranges::find_if(cluster.devices, [&](const Device &device) { return !hasBackend(scenario.engine.id, device); });
    if (without != cluster.devices.end())
        plan.warnings.push_back({WarningCode::EngineNotForDevice, {without->name}});
    addHostWarning(boundary, scenario, plan.warnings);
    const DevicePlan *fullest = plan.binding();
    if (fullest && fullest->high > fullest->budget && runsOnWindows(scenario.engine.id) &&
        std::ranges::any_of(cluster.devices, spillsOnWindows))
        plan.warnings.push_back({WarningCode::SilentSpill, {}});
    return plan;
}

std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Plan &plan)
{
    const Result<Compiled> compiled = compile(scenario, cluster);
    if (!compiled)
        return {};
    return engineOf(scenario.engine.id).explain(scenario, cluster, *compiled, plan);
}

std::optional<Format> widestFittingKv(const Scenario &scenario, const Cluster &cluster)
{
    Scenario trial = scenario;
    for (const Format format : engineOf(scenario.engine.id).kvFormats()) {
        trial.kv.key = trial.kv.value = format;
        if (verdictOf(trial, cluster) <= Verdict::Tight)
            return format;
    }
    return {};
}

namespace {

constexpr int mostDevices = 4096;

/// Fewer devices than this can't hold what one device is asked for: not even in even shares. Nothing where one is enough or none ever is.
int leastDevices(const Scenario &scenario, const Cluster &one)
{
    Result<Compiled> compiled = compile(scenario, one);
    if (!compiled)
        return 1;
    const Plan answer = judge(FitBoundary(std::move(*compiled), scenario, one), scenario, one);
    const DevicePlan *device = answer.binding();
    if (!device || answer.verdict <= Verdict::Tight)
        return 1;
    if (device->budget.value <= 0)
        return mostDevices + 1;
    // Of an engine's pool what is needed counts, not what it takes. What is worked in may be less on each of several.
    const Bytes kv = answer.pool ? device->kvNeeded : device->used[Part::Kv];
    const Bytes held = device->used[Part::Weights] + device->used[Part::State] + kv;
    return static_cast<int>(std::clamp<std::int64_t>(ceilDivide(held.value, device->budget.value), 1, mostDevices + 1));
}

/// For each tensor parallelism that the engine allows, the split with the most stages.
std::vector<Split> furthestSplits(const Engine &engine, const ModelSpec &model)
{
    std::vector<Split> furthest;
    for (int devices = mostDevices; devices >= 1; --devices) {
        for (const Split &split : engine.splits(model, devices)) {
            if (std::ranges::find(furthest, split.tensor, &Split::tensor) == furthest.end())
                furthest.push_back(split);
        }
    }
    return furthest;
}

} // namespace

std::optional<Split> fewestDevices(const Scenario &scenario, const Cluster &cluster)
{
    if (!scenario.model || cluster.devices.empty())
        return {};
    const Engine &engine = engineOf(scenario.engine.id);
    const auto clusterFor = [&](const Split &split) {
        Cluster trial = clusterOf(cluster.devices.front(), static_cast<int>(split.devices()), split);
        trial.interconnect = cluster.interconnect;
        return trial;
    };
    const auto verdict = [&](const Split &split) { return verdictOf(scenario, clusterFor(split)); };
    const auto fits = [&](const Split &split) { return verdict(split) <= Verdict::Tight; };
    const auto isTooMuch = [&](const Split &split) { return verdict(split) == Verdict::OutOfMemory; };
    constexpr int unasked = 4; // device counts that are tried before it is asked whether any can do
    const int least = leastDevices(scenario, clusterFor({}));
    for (int devices = least; devices <= mostDevices; ++devices) {
        // What does not fit a layer a device does not fit at all.
        if (devices == least + unasked && std::ranges::all_of(furthestSplits(engine, *scenario.model), isTooMuch))
            return {};
        const std::vector<Split> splits = engine.splits(*scenario.model, devices);
        if (const auto found = std::ranges::find_if(splits, fits); found != splits.end())
            return *found;
    }
    return {};
}

} // namespace kvscope
