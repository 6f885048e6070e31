// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/servingrun.h"

#include "core/catalog.h"

#include <algorithm>

namespace kvscope::serving {

namespace {

std::int64_t paddedVocabulary(const ModelSpec &model)
{
    constexpr std::int64_t step = 64;
    return ceilDivide(model.vocab, step) * step;
}

/// Heads that the ranks of attention must divide, KV heads that must divide or be divided (2.1).
bool dividesHeads(const ModelSpec &model, int tensor)
{
    return std::ranges::none_of(model.groups, [tensor](const LayerGroup &group) {
        const bool kvDivides =
            group.mixer == Mixer::Latent || group.kvHeads <= 0 || group.kvHeads % tensor == 0 || tensor % group.kvHeads == 0;
        return (group.queryHeads > 0 && group.queryHeads % tensor != 0) || !kvDivides;
    });
}

/// Heads, and the vocabulary over all ranks of a stage (4.1).
bool divides(const ModelSpec &model, int tensor) { return paddedVocabulary(model) % tensor == 0 && dividesHeads(model, tensor); }

/// Replicas of attention lie within the ranks of a stage: these must divide (2.9).
std::optional<Error> checkTensor(const ModelSpec &model, const Split &split)
{
    const int tensor = split.tensor;
    if (split.dataInTensor &&
        (tensor % split.data != 0 || paddedVocabulary(model) % tensor != 0 || !dividesHeads(model, tensor / split.data))) {
        std::string allowed;
        for (int data = 1; data <= tensor; ++data) {
            if (tensor % data == 0 && dividesHeads(model, tensor / data))
                allowed += (allowed.empty() ? "dp = " : ", ") + std::to_string(data);
        }
        return Error{ErrorCode::ImpossibleSplit, "tp = " + std::to_string(tensor) + ", dp = " + std::to_string(split.data), allowed, {}};
    }
    if (split.dataInTensor || divides(model, tensor))
        return {};
    constexpr int largest = 64;
    std::string allowed;
    for (int t = 1; t <= largest; ++t) {
        if (divides(model, t))
            allowed += (allowed.empty() ? "tp = " : ", ") + std::to_string(t);
    }
    return Error{ErrorCode::ImpossibleSplit, "tp = " + std::to_string(tensor), allowed, {}};
}

} // namespace

std::vector<std::size_t> Run::stageOfLayers() const
{
    std::vector<std::size_t> stageOf;
    for (std::size_t s = 0; s < stages.size(); ++s)
        stageOf.insert(stageOf.end(), static_cast<std::size_t>(stages[s].last - stages[s].first), s);
    return stageOf;
}

bool Run::hasMixer(Mixer mixer) const
{
    return std::ranges::any_of(model->groups, [mixer](const LayerGroup &g) { return g.mixer == mixer; });
}

bool Run::hasStates() const
{
    return std::ranges::any_of(model->groups, [](const LayerGroup &g) { return g.state.kind != Recurrence::None; });
}

bool Run::isSparse() const
{
    return std::ranges::any_of(model->groups, [](const LayerGroup &g) { return g.mixer == Mixer::Latent && g.indexKeyDim > 0; });
}

Format activationFormat(const ModelSpec &model, Format weights)
{
    switch (weights) {
    case Format::F32:
    case Format::F16:
    case Format::BF16: return weights;
    default: return model.nativeFormat == Format::BF16 ? Format::BF16 : Format::F16;
    }
}

Format loadedFormat(const ModelSpec &model)
{
    if (model.quantization)
        return model.quantization->format;
    return model.nativeFormat == Format::F32 ? Format::F16 : model.nativeFormat;
}

Format automaticKv(const ModelSpec &model, Format dtype) { return model.kvFormat.value_or(dtype); }

Format defaultKv(const Scenario &scenario)
{
    return scenario.model ? automaticKv(*scenario.model, activationFormat(*scenario.model, weightFormat(scenario))) : Format::BF16;
}

Run wholeModel(const Run &run)
{
    Run whole = run;
    whole.split = {};
    whole.stages = {{0, run.model->layerCount()}};
    return whole;
}

Result<Run> runOf(const Scenario &scenario, const Split &split)
{
    Run run;
    run.model = scenario.model.get();
    run.draft = scenario.draft.get();
    run.split = split;
    run.weights = weightFormat(scenario);
    run.dtype = activationFormat(*run.model, run.weights);
    run.b = infoOf(run.dtype).blockBytes;
    run.kv = scenario.kv.key.value_or(scenario.kv.value.value_or(automaticKv(*run.model, run.dtype)));
    if (scenario.kv.value && *scenario.kv.value != run.kv) // one setting for both
        return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(*scenario.kv.value).name), std::string(infoOf(run.kv).name), {}};
    run.drafts = scenario.serving.draftTokens;
    run.encoderTokens = scenario.encoderLength.value_or(run.model->encoderLength);
    run.keepFirst = scenario.kv.keepFirst;
    run.keepLast = scenario.kv.keepLast;
    // vLLM shares experts out over its replicas (4.1); the other engines' replicas are servers of their own.
    run.expertGroups = scenario.engine.id == EngineId::Vllm ? split.cardGroups() : 1;
    run.stages = stagesOf(run.model->layerCount(), split.pipeline);
    if (std::optional<Error> error = checkTensor(*run.model, split))
        return *std::move(error);
    return run;
}

void addBlocks(Phase &phase, CurveTerm term, TokenCount sharedPrefix)
{
    if (const std::int64_t hit = sharedPrefix.value / term.pad * term.pad; hit > 0) {
        CurveTerm once = term;
        once.perSequence = false;
        once.limit = TokenCount{hit};
        phase.terms.push_back(once);
        term.offset = TokenCount{hit};
    }
    phase.terms.push_back(term);
}

std::vector<Device> devicesOfStages(const Run &run, const Cluster &cluster)
{
    const auto tensor = static_cast<std::size_t>(run.split.tensor);
    const std::size_t replica = cluster.devices.size() / static_cast<std::size_t>(run.split.cardGroups());
    std::vector<Device> devices;
    for (std::size_t s = 0; s < run.stages.size(); ++s) {
        std::size_t poorest = s * tensor;
        for (std::size_t r = 0; r < static_cast<std::size_t>(run.split.cardGroups()); ++r) {
            for (std::size_t t = 0; t < tensor; ++t) {
                const std::size_t index = r * replica + s * tensor + t;
                if (cluster.devices[index].usable < cluster.devices[poorest].usable)
                    poorest = index;
            }
        }
        devices.push_back(cluster.devices[poorest]);
    }
    return devices;
}

std::int64_t vocabularyOnRank(const ModelSpec &model, int tensor) { return paddedVocabulary(model) / tensor; }

void addRunWarnings(const Run &run, const Scenario &scenario, std::vector<Warning> &warnings)
{
    const auto lacks = [&](bool asked, const char *option) {
        if (asked)
            warnings.push_back({WarningCode::EngineLacksOption, {option}});
    };
    lacks(scenario.kv.scales != KvScales::None || scenario.kv.zeroPoints, "--kv-scales"); // they are part of a format's name here
    lacks((scenario.kv.keepFirst > 0 || scenario.kv.keepLast > 0) && !run.keepsLayers, "--kv-keep");
    lacks(scenario.streamWindow.value > 0, "--sinks");
    lacks(scenario.offloadKv.value > 0, "--offload-kv"); // what they put on the host is not what a running sequence needs (6.2)
    const LayerGroup *main = run.model->mainGroup();
    if (main && main->mixer != Mixer::Latent && run.attentionTensor() > main->kvHeads * run.split.decodeContext)
        warnings.push_back({WarningCode::ReplicatedKvHeads, {std::to_string(run.attentionTensor()), std::to_string(main->kvHeads)}});
}

std::vector<Split> splitsOf(const ModelSpec &model, int devices)
{
    std::vector<Split> splits;
    for (int pipeline = 1; pipeline <= std::min(devices, model.layerCount()); ++pipeline) {
        if (devices % pipeline != 0 || !divides(model, devices / pipeline))
            continue;
        Split split;
        split.tensor = devices / pipeline;
        split.pipeline = pipeline;
        splits.push_back(split);
    }
    return splits;
}

std::int64_t kvHeadsOnRank(const LayerGroup &group, int tensor) { return std::max<std::int64_t>(1, group.kvHeads / tensor); }

std::int64_t headBytes(std::int64_t keyDim, std::int64_t valueDim, Format kv)
{
    constexpr std::int64_t floatScales = 8; // fp32, one for K and one for V
    const std::int64_t both = keyDim + valueDim;
    // TurboQuant: packed bits, in 16 bit the norm of K and scale and zero of V; an even number of bytes.
    const auto packed = [](std::int64_t dim, std::int64_t bits) { return ceilDivide(dim * bits, 8); };
    const auto turbo = [](std::int64_t key, std::int64_t value) { return ceilDivide(key + value + 4, 2) * 2; };
    switch (kv) {
    case Format::F32: return 4 * both;
    case Format::FP8:
    case Format::FP8E4M3:
    case Format::FP8E5M2:
    case Format::FP8Inc:
    case Format::FP8DsMla: return both; // the packed latent layout is for latents alone
    case Format::FP8PerTokenHead:
    case Format::Int8PerTokenHead: return both + floatScales;
    case Format::Int4PerTokenHead: return both / 2 + floatScales;
    case Format::TurboK8V4: return turbo(keyDim, packed(valueDim, 4));
    case Format::Turbo4Bit: return turbo(packed(keyDim, 4) + 2, packed(valueDim, 4));
    case Format::TurboK3V4: return turbo(packed(keyDim, 3) + 2, packed(valueDim, 4));
    case Format::Turbo3Bit: return turbo(packed(keyDim, 3) + 2, packed(valueDim, 3));
    case Format::MXFP8: return both + both / 32;
    case Format::NVFP4:
    case Format::NVFP4FourOverSix:
    case Format::MXFP4: return keyDim / 2 + keyDim / 16 + valueDim / 2 + valueDim / 16;
    default: return 2 * both;
    }
}

std::int64_t tokenBytes(const LayerGroup &group, int tensor, Format kv)
{
    if (group.mixer == Mixer::Latent)
        return headBytes(group.latentDim + group.ropeDim, 0, kv);
    return saturatingMultiply(kvHeadsOnRank(group, tensor), headBytes(group.keyDim, group.valueDim, kv));
}

bool isFp8(Format kv) { return kv == Format::FP8 || kv == Format::FP8E4M3 || kv == Format::FP8E5M2 || kv == Format::FP8Inc; }

std::int64_t packedLatentBytes(const LayerGroup &group) { return group.latentDim + group.latentDim / 128 * 4 + 2 * group.ropeDim; }

StateBytes stateBytes(const Run &run, const LayerGroup &group, bool recurrentInF32)
{
    const RecurrentState &state = group.state;
    const std::int64_t columns = std::max(0, state.convKernel - 1);
    const bool keepsDrafts = state.kind == Recurrence::Mamba2 || state.kind == Recurrence::GatedDelta || state.kind == Recurrence::KDA;
    const std::int64_t each = recurrentInF32 ? 4 : run.b;
    // Groups that the ranks do not divide are copied until they do (g' of 2.7).
    const std::int64_t groups = ceilDivide(state.groups, run.attentionTensor()) * run.attentionTensor();
    const std::int64_t channels = state.convChannels + saturatingMultiply(groups - state.groups, state.groupChannels);
    return {saturatingMultiply(ceilDivide(channels, run.attentionTensor()), (columns + (keepsDrafts ? run.drafts : 0)) * run.b),
            saturatingMultiply(ceilDivide(state.elements, run.attentionTensor()), each)};
}

} // namespace kvscope::serving
