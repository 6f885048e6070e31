// SPDX-License-Identifier: GPL-3.0-or-later
// llama.cpp: whole layers on devices and the host, a cache of a fixed number of cells, one compute buffer a device (spec/local-engines.md 1 to 5).
#include "core/catalog.h"
#include "core/engines/engines.h"
#include "core/engines/llamacppcache.h"
#include "core/engines/llamacppcompute.h"
#include "core/engines/llamacppexplain.h"
#include "core/engines/llamacppfit.h"
#include "core/engines/llamacppplace.h"
#include "core/gguf/quantise.h"

#include <algorithm>

namespace kvscope {

namespace {

using namespace llamacpp;

/// What lies outside the printed buffers: driver context, kernels, libraries' workspace (5.6).
Spread outsideBuffers(Backend backend)
{
    switch (backend) {
    case Backend::Rpc:
    case Backend::Cpu: return {};
    case Backend::Metal: return {Bytes{}, 256_MiB, 512_MiB};
    default: return {300_MiB, 457_MiB, 600_MiB};
    }
}

/// llama.cpp lays whole layers over all devices; rows and heads are not divided here.
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

class LlamaCppEngine : public Engine {
public:
    EngineId id() const override { return EngineId::LlamaCpp; }
    std::string_view name() const override { return "llama.cpp"; }
    std::string_view label() const override { return "llama.cpp"; }
    std::span<const std::string_view> versions() const override;
    std::span<const Format> kvFormats() const override { return cacheFormats(); }
    Format defaultKvFormat(const Scenario &) const override { return Format::F16; }
    std::span<const Format> weightFormats() const override;
    Format defaultWeightFormat(const Scenario &scenario) const override;
    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override;
    std::vector<ReportFigure> report(const Scenario &scenario, const Compiled &compiled, const Plan &plan) const override
    {
        return reportOf(scenario, compiled, plan);
    }
    std::vector<Warning> remarks(const Scenario &scenario, const Cluster &cluster, const Plan &plan) const override
    {
        return fitRemarks(*this, scenario, cluster, plan);
    }
    std::vector<Explanation> explain(const Scenario &scenario, const Compiled &compiled, const Plan &plan) const override
    {
        return explainRun(scenario, compiled, plan);
    }
    std::vector<Split> splits(const ModelSpec &model, int devices) const override;
};

std::span<const std::string_view> LlamaCppEngine::versions() const
{
    static const std::vector<std::string_view> newestFirst = [] {
        std::vector<std::string_view> list;
        for (const EngineRelease &r : engineReleases(EngineId::LlamaCpp)) {
            if (list.empty() || list.back() != r.release)
                list.push_back(r.release);
        }
        std::ranges::reverse(list);
        return list;
    }();
    return newestFirst;
}

/// What the quantiser can be asked for, widest first.
std::span<const Format> LlamaCppEngine::weightFormats() const
{
    static const std::vector<Format> widestFirst = [] {
        std::vector<Format> list;
        for (int f = 0; f < formatCount; ++f) {
            if (const auto format = static_cast<Format>(f); ggufFileType(format))
                list.push_back(format);
        }
        std::ranges::stable_sort(list, std::ranges::greater{}, [](Format f) { return infoOf(f).bitsPerElement(); });
        return list;
    }();
    return widestFirst;
}

/// A file's own mix; a model from elsewhere as the converter writes it, which dequantises what it must.
Format LlamaCppEngine::defaultWeightFormat(const Scenario &scenario) const
{
    const ModelSpec &model = *scenario.model;
    if (!model.gguf || !model.gguf->converted || model.gguf->tensors.empty())
        return Engine::defaultWeightFormat(scenario);
    return std::ranges::max_element(model.gguf->tensors, {}, [](const GgufTensor &t) { return t.bytes(); })->type;
}

Result<Compiled> LlamaCppEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    Compiled compiled;
    if (std::optional<Error> error = checkSplit(cluster))
        return *std::move(error);
    const Result<Run> run = runOf(scenario, cluster, compiled.warnings);
    if (!run)
        return run.error();
    const Result<GgufModel> weights = loadedTensors(*run, scenario);
    if (!weights)
        return weights.error();
    const Placement placement = placementOf(*run, scenario, cluster, *weights);
    const bool kvOnHost = scenario.local.kvOnHost;

    const auto curveOf = [&](const Phase &held, const std::vector<ComputeMoment> &moments) {
        CacheCurve curve;
        curve.leastSequences = run->leastSlots;
        curve.mostSequences = llamacpp::mostSlots;
        for (const ComputeMoment &moment : moments) {
            curve.phases.push_back(moment.phase);
            std::vector<CurveTerm> &terms = curve.phases.back().terms;
            terms.insert(terms.end(), held.terms.begin(), held.terms.end());
        }
        if (curve.phases.empty())
            curve.phases.push_back(held);
        return curve;
    };
    Run growing = *run; // what the sequences need, whatever the pool
    growing.fixedPool = false;
    Phase hostHeld;
    hostHeld.terms.push_back({Part::Weights, placement.host.weights});
    for (std::size_t d = 0; d < placement.devices.size(); ++d) {
        const Share &share = placement.devices[d];
        DeviceCurve device;
        device.device = static_cast<int>(d);
        device.hostHoldsRest = false;
        Phase held, needed;
        held.terms.push_back({Part::Weights, share.weights});
        for (std::size_t i = 0; i < run->layers.layers.size(); ++i) {
            if (placement.deviceOf(i) != static_cast<int>(d))
                continue;
            const GgufLayer &layer = run->layers.layers[i];
            addCacheTerms(*run, layer, kvOnHost ? hostHeld : held);
            if (kvOnHost)
                continue;
            addCacheTerms(growing, layer, needed);
            for (const CacheRow &row : cacheRows(*run, layer))
                device.kvPerToken += Bytes{row.both().value / row.ratio};
        }
        if (const CurveTerm copies = poolCopies(*run); copies.coefficient.value > 0 && !share.layers.empty() && !kvOnHost)
            held.terms.push_back(copies);
        const std::vector<ComputeMoment> moments = computeMoments(*run, placement, static_cast<int>(d), scenario.local);
        device.curve = curveOf(held, moments);
        std::erase_if(needed.terms, [](const CurveTerm &term) { return term.part != Part::Kv; });
        device.cache.phases = {needed};
        if (run->fixedPool) {
            Bytes pool;
            for (const CurveTerm &term : held.terms)
                pool += term.part == Part::Kv ? term.coefficient : Bytes{};
            if (pool.value > 0)
                device.pool = Pool{{pool, pool, pool}};
        }
        const Spread outside = outsideBuffers(run->backend), spread = computeSpread(*run, moments);
        device.runtime = {outside.low + spread.low, outside.middle, outside.high + spread.high};
        compiled.weights += share.weights;
        compiled.devices.push_back(std::move(device));
    }
    compiled.weights += placement.host.weights;

    Phase sequence;
    growing.leastSlots = 0;
    growing.slotCount = 1;
    for (std::size_t i = 0; i < run->layers.layers.size(); ++i) {
        const GgufLayer &layer = run->layers.layers[i];
        if (placement.deviceOf(i) == onHost)
            addCacheTerms(*run, layer, hostHeld);
        addCacheTerms(growing, layer, sequence);
        compiled.statePerSequence += stateBytes(*run, layer);
        for (const CacheRow &row : cacheRows(*run, layer))
            compiled.kvPerToken += Bytes{row.both().value / row.ratio};
    }
    std::erase_if(sequence.terms, [](const CurveTerm &term) { return term.part != Part::Kv; });
    for (CurveTerm &term : sequence.terms)
        term.pad = 1; // what a token is worth, not how cells are handed out
    compiled.sequence.phases = {sequence};
    hostHeld.terms.push_back(outputBuffer(*run));
    compiled.host = curveOf(hostHeld, computeMoments(*run, placement, onHost, scenario.local));
    return compiled;
}

std::vector<Split> LlamaCppEngine::splits(const ModelSpec &model, int devices) const
{
    Split layers;
    layers.pipeline = devices;
    return devices <= model.layerCount() + 1 ? std::vector{layers} : std::vector<Split>{};
}

} // namespace

const Engine &llamaCppEngine()
{
    static const LlamaCppEngine engine;
    return engine;
}

} // namespace kvscope
