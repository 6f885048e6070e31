// SPDX-License-Identifier: GPL-3.0-or-later
// From words to a scenario.
#include <algorithm>

#include "app/cli/options.h"
#include "app/cli/reader.h"
#include "core/import/import.h"
#include "core/parse.h"
#include "core/scenariofile.h"

namespace kvscope::cli {

namespace {

constexpr std::int64_t largestHeads = 1'000'000; ///< heads, elements of a head
constexpr std::int64_t largestSplit = 4096;
constexpr std::int64_t contextCap = 32768; ///< spec/cli.md, --context

Result<std::int64_t> parsePositiveTokens(std::string_view text)
{
    const Result<TokenCount> tokens = parseTokens(text);
    if (!tokens)
        return tokens.error();
    if (tokens->value < 1)
        return Error{ErrorCode::OutOfRange, std::string(text), "1.." + std::to_string(largestContext.value), {}};
    return tokens->value;
}

void readModel(const ScenarioOptions &o, const Sources &sources, Scenario &scenario, Reader &reader)
{
    if (o.draftModel) {
        Result<ModelSpec> draft = modelNamed(*o.draftModel, sources);
        if (!draft)
            return reader.fail(draft.error());
        scenario.draft = std::make_shared<const ModelSpec>(std::move(*draft));
    }
    if (!o.givesModel())
        return;
    if (o.model && (o.layers || o.kvHeads || o.headDim)) {
        reader.fail({ErrorCode::BadOption, "--model", o.layers ? "--layers" : o.kvHeads ? "--kv-heads" : "--head-dim", {}});
        return;
    }
    Result<ModelSpec> model = o.model ? modelNamed(*o.model, sources) : modelByHand(o);
    if (!model) {
        reader.fail(model.error());
        return;
    }
    scenario.model = std::make_shared<const ModelSpec>(std::move(*model));
}

Result<WeightChoice> parseWeights(const std::string &text, EngineId engine) { return weightsNamed(text, engine); }

/// `first:N,last:M`, either or both.
void readKept(const ScenarioOptions &o, KvPrecision &kv, Reader &reader)
{
    if (!o.kvKeep)
        return;
    kv.keepFirst = kv.keepLast = 0;
    std::string_view rest = *o.kvKeep;
    while (true) {
        const std::string_view part = rest.substr(0, rest.find(','));
        const bool first = part.starts_with("first:");
        if (!first && !part.starts_with("last:"))
            return reader.fail({ErrorCode::BadOption, "--kv-keep " + *o.kvKeep, "first:N,last:M", {}});
        const ScenarioOptions::Text number(part.substr(part.find(':') + 1));
        reader.whole("--kv-keep", number, 0, largestLayerCount, first ? kv.keepFirst : kv.keepLast);
        if (part.size() == rest.size())
            return;
        rest.remove_prefix(part.size() + 1);
    }
}

void readScales(const ScenarioOptions &o, KvPrecision &kv, Reader &reader)
{
    constexpr std::string_view perGroup = "per-group:";
    if (o.kvScales && o.kvScales->starts_with(perGroup)) {
        kv.scales = KvScales::PerGroup;
        reader.whole("--kv-scales", o.kvScales->substr(perGroup.size()), 1, largestHeads, kv.groupSize);
    } else {
        reader.word<KvScales>("--kv-scales", o.kvScales,
                              {{"none", KvScales::None},
                               {"per-tensor", KvScales::PerTensor},
                               {"per-token", KvScales::PerToken},
                               {"per-channel", KvScales::PerChannel},
                               {"per-group:N", KvScales::PerGroup}},
                              kv.scales);
    }
    if (o.kvZeroPoints)
        kv.zeroPoints = true;
}

void readCache(const ScenarioOptions &o, Scenario &scenario, Reader &reader)
{
    const EngineId engine = scenario.engine.id;
    KvPrecision &kv = scenario.kv;
    for (const auto &[option, text, target] : {std::tuple{"--kv-type", &o.kvType, &kv.key},
                                               {"--kv-type", &o.kvType, &kv.value},
                                               {"--kv-type-k", &o.kvTypeKey, &kv.key},
                                               {"--kv-type-v", &o.kvTypeValue, &kv.value}}) {
        if (*text && **text == "auto") // the engine's default, as vLLM and SGLang call it
            target->reset();
        else if (*text)
            reader.take(option, **text, kvFormatNamed(**text, engine), *target);
    }
    readScales(o, kv, reader);
    readKept(o, kv, reader);
    reader.read("--sinks", o.sinks, parseTokens, scenario.sinks);
    reader.read("--window", o.window, parseTokens, scenario.streamWindow);
    reader.read("--offload-kv", o.offloadKv, parseBytes, scenario.offloadKv);
}

/// Tokens a sequence where only the pool is given: a slot's share of it.
TokenCount contextOfPool(const Scenario &scenario)
{
    const LocalOptions &local = scenario.local;
    return {std::max(local.pool->value / local.slotCount.value_or(static_cast<int>(scenario.batch)), std::int64_t{1})};
}

void readWorkload(const ScenarioOptions &o, Scenario &scenario, Reader &reader)
{
    readEngineOptions(o, scenario, reader);
    if (o.prompt) {
        if (o.context)
            reader.fail({ErrorCode::BadOption, "--context", "--prompt", {}});
        TokenCount prompt;
        reader.read("--prompt", o.prompt, parseTokens, prompt);
        scenario.context = prompt + scenario.transformers.newTokens.value_or(1_tokens);
        if (scenario.context > largestContext)
            reader.fail({ErrorCode::OutOfRange, "--prompt " + *o.prompt, "0.." + std::to_string(largestContext.value), {}});
    }
    reader.read("--context", o.context, parsePositiveTokens, scenario.context.value);
    reader.whole("--batch", o.batch, 1, largestBatch, scenario.batch);
    if (o.parallel && !o.batch && !scenario.local.automaticSlots) { // as many sequences as slots
        scenario.batch = scenario.local.slotCount.value_or(1);
        scenario.local.slotCount.reset();
    }
    if (scenario.local.pool && !o.context && !o.prompt)
        scenario.context = contextOfPool(scenario);
    reader.read("--shared-prefix", o.sharedPrefix, parseTokens, scenario.sharedPrefix);
    reader.read("--encoder-length", o.encoderLength, parseTokens, scenario.encoderLength);
}

Split readSplit(const ScenarioOptions &o, Split split, Reader &reader)
{
    reader.whole("--tp", o.tensor, 1, largestSplit, split.tensor);
    reader.whole("--pp", o.pipeline, 1, largestSplit, split.pipeline);
    reader.whole("--ep", o.expert, 1, largestSplit, split.expert);
    reader.whole("--dp", o.data, 1, largestSplit, split.data);
    reader.whole("--dcp", o.decodeContext, 1, largestSplit, split.decodeContext);
    split.dataInTensor = split.dataInTensor || o.dpAttention;
    if (split.devices() > largestSplit)
        reader.fail({ErrorCode::ImpossibleSplit, std::to_string(split.devices()), std::to_string(largestSplit), {}});
    return split;
}

/// A saved machine under a new split: one that had just the devices its split needed follows, others must be large enough.
void resplit(Cluster &cluster, Split split, Reader &reader)
{
    const auto had = static_cast<std::int64_t>(cluster.devices.size());
    const bool alike = std::ranges::all_of(cluster.devices, [&](const Device &d) { return d == cluster.devices.front(); });
    if (had == cluster.split.devices() && alike && had > 0)
        cluster.devices.assign(static_cast<std::size_t>(split.devices()), Device(cluster.devices.front()));
    else if (had < split.devices())
        reader.fail({ErrorCode::ImpossibleSplit, std::to_string(split.devices()), cluster.label(), {}});
    cluster.split = split;
}

/// How many machines the devices stand in, and what joins those of one.
void readMachines(const ScenarioOptions &o, Cluster &cluster, Reader &reader)
{
    reader.whole("--nodes", o.nodes, 1, largestSplit, cluster.nodes);
    reader.word<Interconnect>("--interconnect", o.interconnect,
                              {{"auto", Interconnect::Automatic}, {"nvlink", Interconnect::NvLink}, {"pcie", Interconnect::Pcie}},
                              cluster.interconnect);
    const auto devices = static_cast<std::int64_t>(cluster.devices.size());
    if (!reader.error() && devices % cluster.nodes != 0)
        reader.fail({ErrorCode::NotDivisible, "--nodes", std::to_string(devices) + " by " + std::to_string(cluster.nodes), {}});
}

void readClusters(const ScenarioOptions &o, const Catalog &catalog, Scenario &scenario, Reader &reader)
{
    std::optional<Bytes> memory;
    reader.read("--gpu-memory", o.gpuMemory, parseBytes, memory);
    if (memory && memory->value < 1)
        reader.fail({ErrorCode::OutOfRange, "--gpu-memory " + *o.gpuMemory, "above 0", {}});
    const Split split = readSplit(o, {}, reader);
    if (reader.error())
        return;
    if (o.givesDevice()) {
        scenario.clusters.clear();
        scenario.selected = 0;
    }
    for (const std::string &name : o.gpus) {
        Result<Cluster> cluster = clusterNamed(name, split, catalog);
        if (!cluster)
            return reader.fail(cluster.error());
        scenario.clusters.push_back(std::move(*cluster));
    }
    if (o.gpus.empty() && memory)
        scenario.clusters.push_back(clusterOf(deviceOfSize(*memory), static_cast<int>(split.devices()), split));
    if (!o.givesDevice() && o.givesSplit()) {
        for (Cluster &cluster : scenario.clusters)
            resplit(cluster, readSplit(o, cluster.split, reader), reader);
    }
    for (Cluster &cluster : scenario.clusters)
        readMachines(o, cluster, reader);

    double bandwidth = -1, tflops = -1;
    reader.decimal("--gpu-bandwidth", o.gpuBandwidth, 0, 1e9, bandwidth, " GB/s");
    reader.decimal("--gpu-tflops", o.gpuTflops, 0, 1e9, tflops, " TFLOPS");
    for (Cluster &cluster : scenario.clusters) {
        for (Device &device : cluster.devices) {
            if (memory)
                device = deviceOfSize(*memory, std::move(device));
            if (bandwidth >= 0)
                device.bandwidthGBs = bandwidth;
            if (tflops >= 0)
                device.tflops16 = tflops;
        }
    }
    reader.read("--in-use", o.inUse, parseBytes, scenario.inUse);
    reader.read("--host-memory", o.hostMemory, parseBytes, scenario.hostMemory);
    reader.decimal("--reserve", o.reserve, 0, 100, scenario.reservePercent, " %");
}

Result<Scenario> startingPoint(const ScenarioOptions &o, const Sources &sources)
{
    if (!o.scenario)
        return Scenario{};
    if (*o.scenario != "-")
        return loadScenario(*o.scenario);
    const Result<std::string> text = readStandardInput(sources.in);
    return text ? scenarioFromJson(*text, "-") : text.error();
}

} // namespace

Result<ModelSpec> modelByHand(const ScenarioOptions &o)
{
    HandShape shape;
    Reader reader;
    for (const auto &[option, text] : {std::pair{"--layers", &o.layers}, {"--kv-heads", &o.kvHeads}, {"--head-dim", &o.headDim}}) {
        if (!*text)
            return Error{ErrorCode::BadOption, option, "N", {}};
    }
    reader.whole("--layers", o.layers, 1, largestLayerCount, shape.layers);
    reader.whole("--kv-heads", o.kvHeads, 1, largestHeads, shape.kvHeads);
    reader.whole("--head-dim", o.headDim, 1, largestHeads, shape.headDim);
    reader.whole("--heads", o.heads, 1, largestHeads, shape.heads);
    reader.read("--params", o.params, parseParameters, shape.parameters);
    if (reader.error())
        return *reader.error();
    if (shape.heads > 0 && shape.heads % shape.kvHeads != 0)
        return Error{ErrorCode::NotDivisible, "--heads", std::to_string(shape.heads) + " by " + std::to_string(shape.kvHeads), {}};
    return kvscope::modelByHand(shape);
}

TokenCount defaultContext(const ModelSpec *model)
{
    const std::int64_t trained = model ? model->trainedContext.value : 0;
    return {trained > 0 ? std::min(trained, contextCap) : contextCap};
}

Result<Scenario> scenarioFrom(const ScenarioOptions &o, const Sources &sources, bool partial)
{
    Result<Scenario> start = startingPoint(o, sources);
    if (!start)
        return start;
    Scenario &scenario = *start;
    Reader reader;
    for (std::size_t i = 0; i < o.engines.size(); ++i) {
        if (i == 0)
            scenario.otherEngines.clear();
        reader.take("--engine", o.engines[i], engineNamed(o.engines[i]), i == 0 ? scenario.engine : scenario.otherEngines.emplace_back());
    }
    if (o.weights)
        reader.take("--weights", *o.weights, parseWeights(*o.weights, scenario.engine.id), scenario.weights);
    reader.read("--weights-bytes", o.weightsBytes, parseBytes, scenario.weights.measured);
    if (!reader.error())
        readModel(o, sources, scenario, reader);
    readClusters(o, sources.catalog, scenario, reader);
    if (!o.givesContext())
        scenario.context = defaultContext(scenario.model.get());
    readWorkload(o, scenario, reader);
    readCache(o, scenario, reader);
    if (reader.error())
        return *reader.error();
    if (!partial && !scenario.model)
        return Error{ErrorCode::MissingModel, {}, {}, {}};
    if (!partial && scenario.clusters.empty())
        return Error{ErrorCode::MissingDevice, {}, {}, {}};
    return start;
}

} // namespace kvscope::cli
