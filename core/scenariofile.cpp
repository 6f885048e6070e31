// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenariofile.h"

#include "core/engine.h"
#include "core/engineoptions.h"
#include "core/import/import.h"
#include "core/modeljson.h"
#include "core/unknownkeys.h"

#include <algorithm>

namespace kvscope {

namespace {

constexpr std::array<std::string_view, 5> scaleNames{"none", "per-tensor", "per-token", "per-channel", "per-group"};
constexpr std::array<std::string_view, 3> interconnectNames{"auto", "nvlink", "pcie"};

constexpr std::size_t mostClusters = 256;
constexpr std::size_t mostDevices = 4096; // of one machine, as fewestDevices() searches
constexpr Range splitRange{1, static_cast<std::int64_t>(mostDevices)};
constexpr Range batchRange{1, largestBatch};
constexpr Range keptLayers{0, largestLayerCount};

const Scenario plainScenario;

/// A device and how many alike follow one another.
OrderedJson deviceToJson(const Device &device, int count, Extent extent)
{
    const Device standard;
    ObjectWriter writer(extent);
    writer.add("count", count, 1);
    writer.put("id", device.id);
    writer.put("name", device.name);
    writer.add("vendor", device.vendor, standard.vendor);
    writer.put("memory_bytes", device.memory);
    writer.put("usable_bytes", device.usable);
    writer.add("nominal_bytes", device.nominal, standard.nominal);
    writer.add("memory_assumed", device.memoryAssumed, standard.memoryAssumed);
    writer.add("usable_assumed", device.usableAssumed, standard.usableAssumed);
    writer.add("unified", device.unified, standard.unified);
    writer.add("bandwidth_gb_s", device.bandwidthGBs, standard.bandwidthGBs);
    writer.add("tflops_16", device.tflops16, standard.tflops16);
    writer.add("architecture", device.architecture, standard.architecture);
    writer.add("compute_capability", device.computeCapability, standard.computeCapability);
    writer.add("fast_links", device.fastLinks, standard.fastLinks);
    writer.add("sources", device.sources, standard.sources);
    return writer.object;
}

Device deviceFromJson(const Json &json, const std::string &path, std::optional<Error> &error)
{
    Device device;
    ObjectReader reader(json, path, error);
    if (!reader.has("memory_bytes"))
        reader.fail(ErrorCode::MissingField, "memory_bytes", "memory_bytes");
    reader.read("id", device.id);
    reader.read("name", device.name);
    reader.read("vendor", device.vendor);
    reader.read("memory_bytes", device.memory);
    device.usable = device.memory;
    reader.read("usable_bytes", device.usable);
    reader.read("nominal_bytes", device.nominal);
    reader.read("memory_assumed", device.memoryAssumed);
    reader.read("usable_assumed", device.usableAssumed);
    reader.read("unified", device.unified);
    reader.read("bandwidth_gb_s", device.bandwidthGBs, 0, 1e9);
    reader.read("tflops_16", device.tflops16, 0, 1e9);
    reader.read("architecture", device.architecture);
    reader.read("compute_capability", device.computeCapability);
    reader.read("fast_links", device.fastLinks);
    reader.read("sources", device.sources);
    return device;
}

OrderedJson clusterToJson(const Cluster &cluster, Extent extent)
{
    OrderedJson devices = OrderedJson::array();
    for (auto first = cluster.devices.begin(); first != cluster.devices.end();) {
        const auto last = std::find_if(first, cluster.devices.end(), [&first](const Device &device) { return device != *first; });
        devices.push_back(deviceToJson(*first, static_cast<int>(last - first), extent));
        first = last;
    }
    const Split &split = cluster.split;
    ObjectWriter splitWriter(extent);
    splitWriter.put("tensor", split.tensor);
    splitWriter.put("pipeline", split.pipeline);
    splitWriter.put("expert", split.expert);
    splitWriter.put("data", split.data);
    splitWriter.add("decode_context", split.decodeContext, Split{}.decodeContext);
    splitWriter.add("data_in_tensor", split.dataInTensor, Split{}.dataInTensor);
    ObjectWriter writer(extent);
    writer.put("devices", devices);
    writer.put("split", splitWriter.object);
    writer.add("nodes", cluster.nodes, Cluster{}.nodes);
    writer.addName("interconnect", cluster.interconnect, Cluster{}.interconnect, interconnectNames);
    return writer.object;
}

Cluster clusterFromJson(const Json &json, const std::string &path, std::optional<Error> &error)
{
    Cluster cluster;
    ObjectReader reader(json, path, error);
    const Json *devices = reader.list("devices", mostDevices);
    for (std::size_t i = 0; devices && i < devices->size() && !error; ++i) {
        if (cluster.devices.size() == mostDevices)
            reader.fail(ErrorCode::OutOfRange, "devices", "0.." + std::to_string(mostDevices));
        const Json &entry = (*devices)[i];
        const std::string place = reader.path("devices", i);
        const Device device = deviceFromJson(entry, place, error);
        std::size_t count = 1;
        ObjectReader(entry, place, error).read("count", count, Range{1, static_cast<std::int64_t>(mostDevices - cluster.devices.size())});
        if (!error)
            cluster.devices.insert(cluster.devices.end(), count, device);
    }
    if (const Json *object = reader.object("split")) {
        ObjectReader split(*object, reader.path("split"), error);
        split.read("tensor", cluster.split.tensor, splitRange);
        split.read("pipeline", cluster.split.pipeline, splitRange);
        split.read("expert", cluster.split.expert, splitRange);
        split.read("data", cluster.split.data, splitRange);
        split.read("decode_context", cluster.split.decodeContext, splitRange);
        split.read("data_in_tensor", cluster.split.dataInTensor);
    }
    reader.read("nodes", cluster.nodes, splitRange);
    reader.readName("interconnect", cluster.interconnect, interconnectNames);
    return cluster;
}

OrderedJson kvToJson(const KvPrecision &kv, Extent extent)
{
    const KvPrecision &standard = plainScenario.kv;
    ObjectWriter writer(extent);
    writer.add("key", kv.key);
    writer.add("value", kv.value);
    writer.addName("scales", kv.scales, standard.scales, scaleNames);
    writer.add("group_size", kv.groupSize, standard.groupSize);
    writer.add("zero_points", kv.zeroPoints, standard.zeroPoints);
    writer.add("keep_first", kv.keepFirst, standard.keepFirst);
    writer.add("keep_last", kv.keepLast, standard.keepLast);
    return writer.object;
}

void readKv(const Json &json, KvPrecision &kv, std::optional<Error> &error)
{
    ObjectReader reader(json, "kv", error);
    reader.read("key", kv.key);
    reader.read("value", kv.value);
    reader.readName("scales", kv.scales, scaleNames);
    reader.read("group_size", kv.groupSize, headDimRange);
    reader.read("zero_points", kv.zeroPoints);
    reader.read("keep_first", kv.keepFirst, keptLayers);
    reader.read("keep_last", kv.keepLast, keptLayers);
}

OrderedJson weightsToJson(const WeightChoice &weights)
{
    ObjectWriter writer(Extent::Complete);
    writer.put("format", weights.format ? infoOf(*weights.format).name : std::string_view("auto"));
    writer.add("measured_bytes", weights.measured);
    return writer.object;
}

void readWeights(const Json &json, WeightChoice &weights, std::optional<Error> &error)
{
    ObjectReader reader(json, "weights", error);
    if (!reader.has("format") || json["format"] != "auto")
        reader.read("format", weights.format);
    reader.read("measured_bytes", weights.measured);
}

OrderedJson engineToJson(const EngineChoice &engine) { return {{"name", engineOf(engine.id).name()}, {"version", engine.version}}; }

void readEngine(const Json &json, const std::string &path, EngineChoice &engine, std::optional<Error> &error)
{
    ObjectReader reader(json, path, error);
    std::string name;
    reader.read("name", name);
    reader.read("version", engine.version);
    if (error || !reader.has("name"))
        return;
    if (const Engine *found = engineByName(name)) {
        engine.id = found->id();
        return;
    }
    std::string names;
    for (const Engine *known : engines())
        names.append(names.empty() ? "" : ", ").append(known->name());
    reader.fail(ErrorCode::OutOfRange, "name", names);
}

OrderedJson scenarioToJson(const Scenario &scenario, Extent extent)
{
    ObjectWriter writer(extent);
    writer.put("kvscope", scenarioVersion);
    if (scenario.model)
        writer.put("model", modelToJson(*scenario.model, extent));
    if (scenario.draft)
        writer.put("draft", modelToJson(*scenario.draft, extent));
    writer.put("weights", weightsToJson(scenario.weights));
    writer.put("engine", engineToJson(scenario.engine));
    OrderedJson others = OrderedJson::array();
    for (const EngineChoice &engine : scenario.otherEngines)
        others.push_back(engineToJson(engine));
    writer.addNested("other_engines", others);
    OrderedJson clusters = OrderedJson::array();
    for (const Cluster &cluster : scenario.clusters)
        clusters.push_back(clusterToJson(cluster, extent));
    writer.put("clusters", clusters);
    writer.put("selected", scenario.selected);
    writer.put("context", scenario.context);
    writer.put("batch", scenario.batch);
    writer.addNested("kv", kvToJson(scenario.kv, extent));
    writer.add("sinks", scenario.sinks, plainScenario.sinks);
    writer.add("window", scenario.streamWindow, plainScenario.streamWindow);
    writer.add("encoder_length", scenario.encoderLength);
    writer.add("shared_prefix", scenario.sharedPrefix, plainScenario.sharedPrefix);
    writer.add("offload_kv_bytes", scenario.offloadKv, plainScenario.offloadKv);
    writer.add("in_use_bytes", scenario.inUse, plainScenario.inUse);
    writer.add("reserve_percent", scenario.reservePercent, plainScenario.reservePercent);
    writer.add("host_memory_bytes", scenario.hostMemory);
    writeEngineOptions(writer, scenario, extent);
    return writer.object;
}

/// Version 0 held one machine: `devices` and `split` stood beside the model. They become the only cluster.
void fromVersion0(Json &file)
{
    Json cluster = Json::object();
    for (const char *key : {"devices", "split"}) {
        if (const auto found = file.find(key); found != file.end()) {
            cluster[key] = *found;
            file.erase(found);
        }
    }
    if (!cluster.empty() && !file.contains("clusters"))
        file["clusters"] = Json::array({cluster});
}

Scenario readScenario(const Json &file, std::optional<Error> &error)
{
    Scenario scenario;
    ObjectReader reader(file, {}, error);
    if (!reader.has("model"))
        reader.fail(ErrorCode::MissingField, "model", "model");
    if (const Json *object = reader.object("model")) {
        ObjectReader model(*object, "model", error);
        scenario.model = std::make_shared<const ModelSpec>(modelFromJson(model));
    }
    if (const Json *object = reader.object("draft")) {
        ObjectReader draft(*object, "draft", error);
        scenario.draft = std::make_shared<const ModelSpec>(modelFromJson(draft));
    }
    if (const Json *weights = reader.object("weights"))
        readWeights(*weights, scenario.weights, error);
    if (const Json *engine = reader.object("engine"))
        readEngine(*engine, "engine", scenario.engine, error);
    const Json *others = reader.list("other_engines", mostClusters);
    for (std::size_t i = 0; others && i < others->size() && !error; ++i)
        readEngine((*others)[i], reader.path("other_engines", i), scenario.otherEngines.emplace_back(), error);
    const Json *clusters = reader.list("clusters", mostClusters);
    for (std::size_t i = 0; clusters && i < clusters->size() && !error; ++i)
        scenario.clusters.push_back(clusterFromJson((*clusters)[i], reader.path("clusters", i), error));
    reader.read("selected", scenario.selected, Range{0, std::max<std::int64_t>(0, std::ssize(scenario.clusters) - 1)});
    reader.read("context", scenario.context, countedTokens);
    reader.read("batch", scenario.batch, batchRange);
    if (const Json *kv = reader.object("kv"))
        readKv(*kv, scenario.kv, error);
    reader.read("sinks", scenario.sinks);
    reader.read("window", scenario.streamWindow);
    reader.read("encoder_length", scenario.encoderLength);
    reader.read("shared_prefix", scenario.sharedPrefix);
    reader.read("offload_kv_bytes", scenario.offloadKv);
    reader.read("in_use_bytes", scenario.inUse);
    reader.read("reserve_percent", scenario.reservePercent, 0, 100);
    reader.read("host_memory_bytes", scenario.hostMemory);
    readEngineOptions(reader, scenario);
    return scenario;
}

/// Unknown keys of a model go with it when another one is chosen.
OrderedJson withUnknownKeys(OrderedJson file, const std::string &stored)
{
    Json node = Json::parse(stored, nullptr, false);
    if (!node.is_object())
        return file;
    for (const char *key : {"model", "draft"}) {
        const std::string now = file.contains(key) ? file[key]["id"].get<std::string>() : std::string();
        if (node.contains("in") && node.value(key, std::string()) != now)
            node["in"].erase(key);
    }
    restoreUnknownKeys(file, node);
    return file;
}

} // namespace

std::string toJson(const Scenario &scenario, int indent)
{
    OrderedJson file = scenarioToJson(scenario, Extent::Short);
    if (!scenario.unknownKeys.empty())
        file = withUnknownKeys(std::move(file), scenario.unknownKeys);
    return written(file, indent);
}

Result<Scenario> scenarioFromJson(std::string_view json, std::string_view name)
{
    const std::string fileName(name);
    Result<Json> parsed = parseJson(json, name);
    if (!parsed)
        return parsed.error();
    Json &file = *parsed;
    if (!file.is_object() || !file.contains("kvscope"))
        return Error{ErrorCode::NotThisKind, fileName, "scenario", {}};
    std::optional<Error> error;
    const std::optional<std::int64_t> version = wholeNumber(file["kvscope"], "kvscope", Range{0, 1'000'000}, error);
    if (version && *version > scenarioVersion)
        return Error{ErrorCode::NewerVersion, fileName, std::to_string(*version), {}};
    if (version && *version < 1)
        fromVersion0(file);
    Scenario scenario = error ? Scenario{} : readScenario(file, error);
    if (error) {
        error->file = fileName;
        return *error;
    }
    Json unknown = unknownKeys(file, Json(scenarioToJson(scenario, Extent::Complete)), Json(scenarioToJson(scenario, Extent::Short)));
    if (!unknown.is_null()) {
        unknown["model"] = scenario.model->id;
        if (scenario.draft)
            unknown["draft"] = scenario.draft->id;
        scenario.unknownKeys = unknown.dump();
    }
    return scenario;
}

Result<Scenario> loadScenario(const std::filesystem::path &path)
{
    const Result<std::string> text = readFile(path);
    if (!text)
        return text.error();
    return scenarioFromJson(*text, path.string());
}

std::optional<Error> saveScenario(const Scenario &scenario, const std::filesystem::path &path) { return writeFile(path, toJson(scenario)); }

} // namespace kvscope
