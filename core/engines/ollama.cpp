// SPDX-License-Identifier: GPL-3.0-or-later
// Ollama: llama.cpp with settings that Ollama chooses (spec/local-engines.md 6).
#include "core/catalog.h"
#include "core/engines/engines.h"
#include "core/engines/ollamalaunch.h"

#include <algorithm>

namespace kvscope {

namespace {

using namespace ollama;

class OllamaEngine : public Engine {
public:
    EngineId id() const override { return EngineId::Ollama; }
    std::string_view name() const override { return "ollama"; }
    std::string_view label() const override { return "Ollama"; }
    std::span<const std::string_view> versions() const override;
    std::span<const Format> kvFormats() const override { return llamaCppEngine().kvFormats(); }
    Format defaultKvFormat(const Scenario &scenario) const override { return llamaCppEngine().defaultKvFormat(scenario); }
    std::span<const Format> weightFormats() const override { return llamaCppEngine().weightFormats(); }
    Format defaultWeightFormat(const Scenario &scenario) const override { return llamaCppEngine().defaultWeightFormat(scenario); }
    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override;
    bool followsLoad(const Scenario &) const override { return true; } // num_batch, the cards it takes, slots
    std::vector<ReportFigure> report(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override;
    std::vector<Warning> remarks(const Scenario &scenario, const Cluster &cluster, const Plan &plan) const override;
    std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override;
    std::vector<Split> splits(const ModelSpec &model, int devices) const override { return llamaCppEngine().splits(model, devices); }
};

std::span<const std::string_view> OllamaEngine::versions() const
{
    static const std::vector<std::string_view> newestFirst = releaseNames(EngineId::Ollama);
    return newestFirst;
}

Result<Compiled> OllamaEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    std::vector<Warning> warnings;
    const Result<Launch> launch = launchOf(scenario, cluster, warnings);
    if (!launch)
        return launch.error();
    Result<Compiled> compiled = llamaCppEngine().compile(launch->run, cluster);
    if (!compiled)
        return compiled;
    for (const Warning &warning : compiled->warnings) {
        if (warning.code != WarningCode::UnknownVersion) // llama.cpp's stands for a day of Ollama's
            warnings.push_back(warning);
    }
    const Rules rules = *rulesOf(scenario.engine.version, compiled->warnings);
    if (!rules.runsServer() && !scenario.local.gpuLayers) {
        const Estimate estimate = estimateOf(*launch, cluster, rules);
        if (estimate.units > 0 && estimate.layersOnGpu < estimate.units)
            warnings.push_back({WarningCode::EngineOffloadsLess, {std::to_string(estimate.layersOnGpu), std::to_string(estimate.units)}});
    }
    compiled->warnings = std::move(warnings);
    for (DeviceCurve &device : compiled->devices) {
        if (launch->oneSlot)
            device.curve.mostSequences = device.cache.mostSequences = 1;
    }
    return compiled;
}

std::vector<ReportFigure> OllamaEngine::report(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                               const Plan &plan) const
{
    std::vector<Warning> ignored;
    const Result<Launch> launch = launchOf(scenario, cluster, ignored);
    if (!launch)
        return {};
    std::vector<ReportFigure> figures = llamaCppEngine().report(launch->run, cluster, compiled, plan);
    // As `ollama ps` counts (6.1): buffers on cards; the host's beside them unless everything is on cards.
    Bytes cards;
    for (const DevicePlan &device : plan.devices)
        cards += device.used.total() - device.used[Part::Runtime];
    const bool all = !scenario.local.gpuLayers || *scenario.local.gpuLayers > scenario.model->layerCount();
    figures.emplace_back("size_vram", cards);
    figures.emplace_back("size", all ? cards : cards + plan.hostWeights + plan.hostKv + plan.hostActivation);
    figures.emplace_back("num_ctx", static_cast<double>(launch->run.context.value));
    figures.emplace_back("default_num_ctx", static_cast<double>(launch->defaultContext.value));
    figures.emplace_back("num_batch", static_cast<double>(launch->batch));
    figures.emplace_back("predicted_bytes", launch->predicted);
    const Rules rules = *rulesOf(scenario.engine.version, ignored);
    if (const Estimate estimate = estimateOf(*launch, cluster, rules); estimate.units > 0) {
        figures.emplace_back("estimated_kv_bytes", estimate.kv);
        figures.emplace_back("estimated_graph_bytes", estimate.graph);
        figures.emplace_back("estimated_gpu_layers", static_cast<double>(estimate.layersOnGpu));
    }
    return figures;
}

std::vector<Warning> OllamaEngine::remarks(const Scenario &scenario, const Cluster &cluster, const Plan &plan) const
{
    std::vector<Warning> ignored;
    const Result<Launch> launch = launchOf(scenario, cluster, ignored);
    if (!launch)
        return {};
    std::vector<Warning> remarks = llamaCppEngine().remarks(launch->run, cluster, plan);
    std::erase_if(remarks, [](const Warning &w) { return w.code == WarningCode::FitContext; }); // -c is always given (6.1)
    return remarks;
}

std::vector<Explanation> OllamaEngine::explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                               const Plan &plan) const
{
    std::vector<Warning> ignored;
    const Result<Launch> launch = launchOf(scenario, cluster, ignored);
    if (!launch)
        return {};
    std::vector<Explanation> rows = llamaCppEngine().explain(launch->run, cluster, compiled, plan);
    const auto report = [&](const char *name) {
        const auto found = std::ranges::find(plan.engineReport, std::string(name), &ReportFigure::name);
        return found == plan.engineReport.end() ? Bytes{} : Bytes{static_cast<std::int64_t>(found->value)};
    };
    rows.push_back({"engine_report.num_batch", "ollama.batch", std::to_string(launch->batch), report("num_batch"), "local-engines.md 6.1",
                    Confidence::Exact, Quantity::Count});
    rows.push_back(
        {"engine_report.size_vram", "ollama.size_vram", {}, report("size_vram"), "local-engines.md 6.1", Confidence::Calibrated});
    rows.push_back({"engine_report.default_num_ctx",
                    "ollama.default_context",
                    {},
                    report("default_num_ctx"),
                    "local-engines.md 6.1, 6.2",
                    Confidence::Exact,
                    Quantity::Count});
    return rows;
}

} // namespace

const Engine &ollamaEngine()
{
    static const OllamaEngine engine;
    return engine;
}

} // namespace kvscope
