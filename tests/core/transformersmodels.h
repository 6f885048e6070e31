// SPDX-License-Identifier: GPL-3.0-or-later
// Models with the shapes of spec/transformers.md's worked examples, and short words for asking a plan.
#pragma once

#include "core/engine.h"
#include "core/engines/transformersrun.h"
#include "core/plan.h"

#include <QString>

#include <algorithm>

namespace kvscope::testing {

struct Dense {
    int layers, hidden, heads, kvHeads, headDim, intermediate;
    std::int64_t vocab;
    bool tied = false;
    bool qkvBias = false;
    const char *family = "llama";
    int trained = 131072;
};

inline constexpr Dense llama8B{32, 4096, 32, 8, 128, 14336, 128256};
inline constexpr Dense llama2With7B{32, 4096, 32, 32, 128, 11008, 32000, false, false, "llama", 4096};
inline constexpr Dense qwen25With3B{36, 2048, 16, 2, 128, 11008, 151936, true, true, "qwen2", 32768};
inline constexpr Dense qwen25With7B{28, 3584, 28, 4, 128, 18944, 152064, false, true, "qwen2", 32768};
inline constexpr Dense qwen25With14B{48, 5120, 40, 8, 128, 13824, 152064, false, true, "qwen2", 32768};
inline constexpr Dense gemma3With4B{34, 2560, 8, 4, 256, 10240, 262208, true, false, "gemma3_text"};

inline LayerGroup denseLayer(const Dense &d)
{
    LayerGroup group;
    group.queryHeads = d.heads;
    group.kvHeads = d.kvHeads;
    group.keyDim = group.valueDim = d.headDim;
    const std::int64_t hidden = d.hidden;
    group.parameters[Role::Attention] = hidden * d.headDim * (2 * d.heads + 2 * d.kvHeads);
    group.parameters[Role::Ffn] = 3 * hidden * d.intermediate;
    group.parameters[Role::Small] = 2 * hidden + (d.qkvBias ? d.headDim * (d.heads + 2 * d.kvHeads) : 0);
    return group;
}

inline ModelSpec modelOf(const Dense &d)
{
    ModelSpec model;
    model.name = model.family = d.family;
    model.groups = {denseLayer(d)};
    model.layout.assign(static_cast<std::size_t>(d.layers), 0);
    model.hidden = d.hidden;
    model.intermediate = d.intermediate;
    model.vocab = d.vocab;
    model.tiedEmbeddings = d.tied;
    model.trainedContext = TokenCount{d.trained};
    model.outer[Role::Embedding] = d.vocab * d.hidden;
    model.outer[Role::OutputHead] = d.tied ? 0 : d.vocab * d.hidden;
    model.outer[Role::Small] = d.hidden;
    model.parametersKnown = true;
    model.nativeFormat = Format::BF16;
    return model;
}

/// The first `full` of `layers` are full, the next windowed, the last `shared` own no cache.
inline ModelSpec windowedModel(const Dense &d, int full, TokenCount window, int shared = 0)
{
    ModelSpec model = modelOf(d);
    LayerGroup sliding = model.groups[0];
    sliding.mixer = Mixer::Sliding;
    sliding.window = window;
    LayerGroup reader = model.groups[0];
    reader.mixer = Mixer::Shared;
    model.groups = {model.groups[0], sliding, reader};
    for (std::size_t i = static_cast<std::size_t>(full); i < model.layout.size(); ++i)
        model.layout[i] = i + static_cast<std::size_t>(shared) < model.layout.size() ? 1 : 2;
    return model;
}

inline ModelSpec deepseekV2Lite()
{
    ModelSpec model = modelOf({27, 2048, 16, 1, 192, 10944, 102400});
    model.family = "deepseek_v2";
    LayerGroup &group = model.groups[0];
    group.mixer = Mixer::Latent;
    group.keyDim = 192;
    group.valueDim = 128;
    group.latentDim = 512;
    group.ropeDim = 64;
    return model;
}

inline Device a100()
{
    Device device = deviceOfSize(80_GiB);
    device.architecture = "Ampere";
    return device;
}

inline Scenario scenarioOf(ModelSpec model, TokenCount context, const std::string &version = {},
                           AttentionKernel attention = AttentionKernel::Flash2)
{
    Scenario scenario;
    scenario.model = std::make_shared<ModelSpec>(std::move(model));
    scenario.engine = {EngineId::Transformers, version};
    scenario.weights.format = Format::BF16;
    scenario.context = context;
    scenario.transformers.attention = attention;
    scenario.clusters = {clusterOf(a100())};
    return scenario;
}

inline std::int64_t reported(const Scenario &scenario, const char *figure)
{
    const Plan answer = plan(scenario, scenario.clusters[0]);
    for (const ReportFigure &found : answer.engineReport) {
        if (found.name == figure)
            return static_cast<std::int64_t>(found.value);
    }
    return -1;
}

inline std::int64_t peak(const Scenario &scenario) { return reported(scenario, "allocated_peak_bytes"); }
inline std::int64_t kv(const Scenario &scenario) { return reported(scenario, "kv_bytes"); }

inline Scenario generating(Scenario scenario, std::int64_t prompt, std::int64_t newTokens)
{
    scenario.context = TokenCount{prompt + newTokens};
    scenario.transformers.newTokens = TokenCount{newTokens};
    return scenario;
}

inline QString refusal(const Scenario &scenario, const Cluster &cluster, ErrorCode code)
{
    const Result<Compiled> compiled = compile(scenario, cluster);
    if (compiled || compiled.error().code != code)
        return QStringLiteral("(not refused so)");
    return QString::fromStdString(compiled.error().detail);
}

inline bool warns(const Scenario &scenario, WarningCode code)
{
    const Plan answer = plan(scenario, scenario.clusters[0]);
    return std::ranges::any_of(answer.warnings, [code](const Warning &w) { return w.code == code; });
}

inline constexpr std::int64_t cublas = 8'519'680;
inline constexpr std::int64_t weights8B = 16'060'522'496;

inline double gib(std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(bytesPerGiB); }

inline transformers::Run runOf(const Scenario &scenario)
{
    std::vector<Warning> warnings;
    return *transformers::runOf(scenario, warnings);
}

} // namespace kvscope::testing
