// SPDX-License-Identifier: GPL-3.0-or-later
// The theory: what the tensors themselves take, with no rounding, padding or reserve. A lower bound for every engine.
#include "core/cacheterms.h"
#include "core/engines/engines.h"
#include "core/engines/formulaexplain.h"
#include "core/gguf/quantise.h"
#include "core/weights.h"

#include <algorithm>
#include <array>
#include <string>

namespace kvscope {

namespace {

constexpr std::array kvFormatsWidestFirst{Format::F32,     Format::F16,      Format::BF16,  Format::Q8_0, Format::FP8,  Format::FP8E4M3,
                                          Format::FP8E5M2, Format::FP8DsMla, Format::Int8,  Format::Q5_1, Format::Q5_0, Format::Q4_1,
                                          Format::Q4_0,    Format::IQ4_NL,   Format::NVFP4, Format::Int4};

constexpr std::array weightFormatsWidestFirst{
    Format::F32,    Format::BF16,    Format::F16,       Format::Q8_0,    Format::MXFP8,  Format::FP8Block, Format::FP8,    Format::Int8,
    Format::Q6_K,   Format::Q5_1,    Format::Q5_K_M,    Format::Q5_K_S,  Format::Q5_K,   Format::Q5_0,     Format::Q4_1,   Format::Q4_K_M,
    Format::Q4_K_S, Format::Q4_K,    Format::Q4_0,      Format::IQ4_NL,  Format::NF4,    Format::NVFP4,    Format::IQ4_XS, Format::MXFP4,
    Format::AWQ,    Format::GPTQ,    Format::NF4Double, Format::Int4,    Format::Q3_K_L, Format::Q3_K_M,   Format::Q3_K_S, Format::Q3_K,
    Format::IQ3_M,  Format::IQ3_S,   Format::IQ3_XS,    Format::IQ3_XXS, Format::Q2_K,   Format::Q2_K_S,   Format::IQ2_M,  Format::IQ2_S,
    Format::IQ2_XS, Format::IQ2_XXS, Format::TQ2_0,     Format::IQ1_M,   Format::TQ1_0,  Format::IQ1_S};

/// The weights of a stage: its layers, the tables on the first, the head on the last (a tied table on both), each divided by TP.
Bytes stageWeights(const ModelSpec &model, const WeightBytes &weights, const std::vector<GroupShare> &shares, bool first, bool last,
                   int tensor)
{
    Bytes bytes;
    for (std::size_t g = 0; g < shares.size(); ++g)
        bytes += weights.layerTotal(g) * shares[g].layers;
    for (std::size_t r = 0; r < weights.outer.size(); ++r) {
        const auto role = static_cast<Role>(r);
        const bool atTheEnd = role == Role::OutputHead || role == Role::Small;
        const bool copied = role == Role::Embedding && model.tiedEmbeddings && last;
        if ((atTheEnd ? last : first) || copied)
            bytes += weights.outer[r];
    }
    return {ceilDivide(bytes.value, tensor)};
}

std::vector<Warning> splitWarnings(const Scenario &scenario, const Cluster &cluster)
{
    std::vector<Warning> warnings;
    const int tensor = cluster.split.tensor;
    const LayerGroup *main = scenario.model->mainGroup();
    if (main && tensor > 1 && main->mixer != Mixer::Latent) {
        const std::vector<std::string> values{std::to_string(tensor), std::to_string(main->kvHeads)};
        if (std::max(tensor, main->kvHeads) % std::min(tensor, main->kvHeads) != 0)
            warnings.push_back({WarningCode::UnevenHeads, values});
        else if (tensor > main->kvHeads)
            warnings.push_back({WarningCode::ReplicatedKvHeads, values});
    }
    return warnings;
}

class FormulaEngine : public Engine {
public:
    EngineId id() const override { return EngineId::Formula; }
    std::string_view name() const override { return "formula"; }
    std::string_view label() const override { return "Formula"; }
    std::span<const std::string_view> versions() const override { return {}; }
    std::span<const Format> kvFormats() const override { return kvFormatsWidestFirst; }
    Format defaultKvFormat(const Scenario &) const override { return Format::F16; }
    std::span<const Format> weightFormats() const override { return weightFormatsWidestFirst; }

    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override;
    std::vector<Explanation> explain(const Scenario &scenario, const Cluster &, const Compiled &compiled, const Plan &plan) const override
    {
        return explainFormula(scenario, compiled, plan);
    }
    std::vector<Split> splits(const ModelSpec &model, int devices) const override;
};

Result<Compiled> FormulaEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    const ModelSpec &model = *scenario.model;
    const bool packedLatent = keyFormat(scenario) == Format::FP8DsMla || valueFormat(scenario) == Format::FP8DsMla;
    if (const LayerGroup *main = model.mainGroup();
        packedLatent && main && main->latentDim + main->ropeDim != infoOf(Format::FP8DsMla).blockElements)
        return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(Format::FP8DsMla).name), {}, {}};
    const int tensor = cluster.split.tensor;
    const WeightBytes weights = weightBytes(model, scenario.weights);
    const Bytes offload{scenario.offloadKv.value / cluster.split.devices()};

    Compiled compiled;
    compiled.warnings = splitWarnings(scenario, cluster);
    if (isMix(weights.format) && !weights.mixed && !weights.measured)
        compiled.warnings.push_back({WarningCode::UnknownFormatSize, {std::string(infoOf(ggufFileType(weights.format)->type).label)}});
    const std::vector<Stage> stages = stagesOf(model.layerCount(), cluster.split.pipeline);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const CacheTerms cache = cacheOf(scenario, stages[s], tensor, scenario.sharedPrefix);
        DeviceCurve device;
        device.device = static_cast<int>(s) * tensor;
        device.peers = tensor;
        device.kvPerToken = cache.kvPerToken();
        device.cache.phases = {cache.only(Part::Kv)};

        const Bytes share = stages.size() == 1
                                ? Bytes{ceilDivide(weights.total.value, tensor)}
                                : stageWeights(model, weights, sharesOf(scenario, stages[s]), s == 0, s + 1 == stages.size(), tensor);
        compiled.weights += share * tensor;
        Phase all{cache.terms()};
        all.terms.push_back({Part::Weights, share});
        if (offload.value > 0) { // what is above the host's part stays on the device: the larger of "no KV" and "KV less the host's part"
            Phase rest = cache.only(Part::State);
            rest.terms.push_back({Part::Weights, share});
            all.terms.push_back({Part::Kv, Bytes{} - offload});
            device.curve.phases = {std::move(all), std::move(rest)};
        } else {
            device.curve.phases = {std::move(all)};
        }
        compiled.devices.push_back(std::move(device));
    }

    const CacheTerms whole = cacheOf(scenario, {0, model.layerCount()}, 1, {});
    compiled.kvPerToken = whole.kvPerToken();
    compiled.sequence.phases = {whole.only(Part::Kv)};
    for (const CurveTerm &term : whole.terms()) {
        if (term.part == Part::State)
            compiled.statePerSequence += term.coefficient;
    }
    return compiled;
}

std::vector<Split> FormulaEngine::splits(const ModelSpec &model, int devices) const
{
    // Heads must divide, or be copied whole; what TP can't take goes to PP.
    std::vector<Split> result;
    const LayerGroup *main = model.mainGroup();
    for (int pipeline = 1; pipeline <= std::min(devices, model.layerCount()); ++pipeline) {
        if (devices % pipeline != 0)
            continue;
        const int tensor = devices / pipeline;
        const int heads = main ? main->kvHeads : tensor;
        const int queryHeads = main ? main->queryHeads : tensor;
        if (queryHeads % tensor == 0 && (heads % tensor == 0 || tensor % heads == 0))
            result.push_back({tensor, pipeline, 1, 1});
    }
    return result;
}

} // namespace

const Engine &formulaEngine()
{
    static const FormulaEngine engine;
    return engine;
}

} // namespace kvscope
