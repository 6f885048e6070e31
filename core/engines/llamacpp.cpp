// SPDX-License-Identifier: GPL-3.0-or-later
// llama.cpp: whole layers on devices and the host, a cache of a fixed number of cells, one compute buffer a device (spec/local-engines.md 1 to 5).
#include "core/catalog.h"
#include "core/engines/engines.h"
#include "core/engines/llamacppcompile.h"
#include "core/engines/llamacppexplain.h"
#include "core/engines/llamacppfit.h"
#include "core/engines/llamacpprun.h"
#include "core/gguf/quantise.h"

#include <algorithm>

namespace kvscope {

namespace {

using namespace llamacpp;

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
    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override { return compileRun(scenario, cluster); }
    bool followsLoad(const Scenario &) const override { return true; } // slots, and steps no longer than the context
    std::vector<ReportFigure> report(const Scenario &scenario, const Cluster &cluster, const Compiled &, const Plan &plan) const override
    {
        return reportOf(scenario, cluster, plan);
    }
    std::vector<Warning> remarks(const Scenario &scenario, const Cluster &cluster, const Plan &plan) const override
    {
        return fitRemarks(*this, scenario, cluster, plan);
    }
    std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override
    {
        return explainRun(scenario, cluster, compiled, plan);
    }
    std::vector<Split> splits(const ModelSpec &model, int devices) const override;
};

std::span<const std::string_view> LlamaCppEngine::versions() const
{
    static const std::vector<std::string_view> newestFirst = releaseNames(EngineId::LlamaCpp);
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
