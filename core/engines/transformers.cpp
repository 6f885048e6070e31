// SPDX-License-Identifier: GPL-3.0-or-later
// Hugging Face transformers' generate() on PyTorch: no pool and no admission, memory is what tensors are alive (spec/transformers.md).
#include "core/catalog.h"
#include "core/engines/engines.h"
#include "core/engines/transformersbytes.h"
#include "core/engines/transformersexplain.h"
#include "core/engines/transformersmemory.h"
#include "core/engines/transformersweights.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

using namespace transformers;

constexpr std::array kvFormatsWidestFirst{Format::F32, Format::BF16, Format::F16, Format::Int8, Format::Int4};
constexpr std::array weightFormatsWidestFirst{Format::F32, Format::BF16,  Format::F16, Format::FP8Block, Format::FP8,      Format::Int8,
                                              Format::NF4, Format::MXFP4, Format::AWQ, Format::GPTQ,     Format::NF4Double};

/// The driver's context of one process, what libraries add as kernels load, and the allocator's holes: 2 to 10 % of the card (7.2, 7.3).
Spread runtimeOf(const Device &device)
{
    const Bytes card = device.memory;
    return {300_MiB + 20_MiB, 450_MiB + 400_MiB + Bytes{card.value / 50}, 600_MiB + 512_MiB + Bytes{card.value / 10}};
}

/// device_map lays whole layers over all devices of a replica; it has no tensor parallelism (6.2).
std::optional<Error> checkSplit(const Cluster &cluster)
{
    const Split &split = cluster.split;
    const auto devices = static_cast<int>(cluster.devices.size());
    if (split.tensor > 1)
        return Error{ErrorCode::ImpossibleSplit, "tp = " + std::to_string(split.tensor), "tp = 1", {}};
    if (devices % split.data != 0)
        return Error{ErrorCode::ImpossibleSplit, "dp = " + std::to_string(split.data), std::to_string(devices) + " / dp", {}};
    if (split.pipeline > 1 && split.pipeline != devices / split.data)
        return Error{
            ErrorCode::ImpossibleSplit, "pp = " + std::to_string(split.pipeline), "pp = " + std::to_string(devices / split.data), {}};
    return {};
}

void addWarnings(const Run &run, std::vector<Warning> &warnings)
{
    // A shape by hand has no hidden size; recurrent layers without their fused kernels hold many fp32 copies of the sequence (2.6);
    // the compressed caches of DeepSeek V4 were not read (8).
    const ModelSpec &model = *run.model;
    const bool unknown = model.hidden == 0 || std::ranges::any_of(model.groups, [](const LayerGroup &g) {
                             return (g.state.kind != Recurrence::None && g.state.kind != Recurrence::ShortConv) || g.compression.value > 1;
                         });
    if (unknown)
        warnings.push_back({WarningCode::ActivationsNotModelled, {model.family.empty() ? model.name : model.family}});
}

class TransformersEngine : public Engine {
public:
    EngineId id() const override { return EngineId::Transformers; }
    std::string_view name() const override { return "transformers"; }
    std::string_view label() const override { return "Transformers"; }
    std::span<const std::string_view> versions() const override;
    std::span<const Format> kvFormats() const override { return kvFormatsWidestFirst; }
    Format defaultKvFormat(const Scenario &scenario) const override;
    std::span<const Format> weightFormats() const override { return weightFormatsWidestFirst; }
    Format defaultWeightFormat(const Scenario &scenario) const override;

    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override;
    std::vector<ReportFigure> report(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override;
    std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override
    {
        return explainRun(scenario, cluster, compiled, plan);
    }
    std::vector<Split> splits(const ModelSpec &model, int devices) const override;
};

std::span<const std::string_view> TransformersEngine::versions() const
{
    static const std::vector<std::string_view> newestFirst = releaseNames(EngineId::Transformers);
    return newestFirst;
}

Format TransformersEngine::defaultWeightFormat(const Scenario &scenario) const
{
    std::vector<Warning> ignored;
    const Result<Rules> rules = rulesOf(scenario.engine.version, ignored);
    return loadedFormat(*scenario.model, rules ? *rules : Rules{});
}

Format TransformersEngine::defaultKvFormat(const Scenario &scenario) const
{
    return scenario.model ? activationFormat(*scenario.model, weightFormat(scenario)) : Format::F16;
}

Result<Compiled> TransformersEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    Compiled compiled;
    const Result<Run> run = runOf(scenario, compiled.warnings);
    if (!run)
        return run.error();
    const ModelSpec &model = *run->model;
    if (std::optional<Error> error = checkSplit(cluster))
        return *std::move(error);
    addWarnings(*run, compiled.warnings);

    const WeightBytes weights = loadedWeights(*run, scenario);
    for (const Share &share : sharesOf(*run, scenario, cluster, weights)) {
        DeviceCurve device;
        device.device = share.device;
        for (Step &step : stepsOf(*run, share))
            device.curve.phases.push_back(std::move(step.phase));
        device.cache.phases = {wholeCache(*run, share.layers)};
        device.hostHoldsRest = run->cache == CacheClass::Offloaded;
        device.runtime = runtimeOf(cluster.devices[static_cast<std::size_t>(share.device)]);
        for (std::size_t g = 0; g < share.layers.size(); ++g)
            device.kvPerToken += Bytes{storedBytes(*run, model.groups[g], share.layers[g]) / model.groups[g].compression.value};
        compiled.weights += share.weights;
        compiled.kvPerToken += device.kvPerToken;
        compiled.devices.push_back(std::move(device));
    }
    const std::vector<int> counts = model.groupCounts();
    compiled.sequence.phases = {wholeCache(*run, counts)};
    for (std::size_t g = 0; g < counts.size(); ++g)
        compiled.statePerSequence += stateBytes(*run, model.groups[g]) * counts[g];
    return compiled;
}

std::vector<ReportFigure> TransformersEngine::report(const Scenario &scenario, const Cluster &, const Compiled &compiled,
                                                     const Plan &plan) const
{
    const Reserved reserved = reservedOf(scenario, compiled, plan);
    return {{"allocated_peak_bytes", reserved.allocated},
            {"kv_bytes", reserved.cache},
            {"reserved_low_bytes", reserved.low},
            {"reserved_high_bytes", reserved.high}};
}

std::vector<Split> TransformersEngine::splits(const ModelSpec &model, int devices) const
{
    Split layers;
    layers.pipeline = devices;
    return devices <= model.layerCount() ? std::vector{layers} : std::vector<Split>{};
}

} // namespace

const Engine &transformersEngine()
{
    static const TransformersEngine engine;
    return engine;
}

} // namespace kvscope
