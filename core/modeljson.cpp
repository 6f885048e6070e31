// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/modeljson.h"

#include "core/ggufjson.h"

#include <algorithm>

namespace kvscope {

namespace {

constexpr std::array<std::string_view, 3> originNames{"by_hand", "catalogue", "file"};

constexpr Range headsOrNone{0, headRange.highest};
constexpr Range dimOrNone{0, headDimRange.highest};
constexpr Range widthOrNone{0, widthRange.highest};
constexpr Range stateRange{0, 1'000'000'000'000};

const LayerGroup plainGroup;
const ModelSpec plainModel;

OrderedJson stateToJson(const RecurrentState &state, Extent extent)
{
    const RecurrentState &standard = plainGroup.state;
    ObjectWriter writer(extent);
    writer.addName("kind", state.kind, standard.kind, recurrenceNames);
    writer.add("conv_channels", state.convChannels, standard.convChannels);
    writer.add("conv_kernel", state.convKernel, standard.convKernel);
    writer.add("elements", state.elements, standard.elements);
    writer.add("always_f32", state.alwaysF32, standard.alwaysF32);
    writer.add("f32_by_default", state.f32ByDefault, standard.f32ByDefault);
    writer.add("groups", state.groups, standard.groups);
    writer.add("group_channels", state.groupChannels, standard.groupChannels);
    return writer.object;
}

using RoleFlags = std::array<bool, roleCount>;

OrderedJson flagsToJson(const RoleFlags &flags)
{
    OrderedJson roles = OrderedJson::array();
    for (std::size_t r = 0; r < roleNames.size(); ++r) {
        if (flags[r])
            roles.push_back(roleNames[r]);
    }
    return roles;
}

using RoleShares = std::array<double, roleCount>;

OrderedJson sharesToJson(const RoleShares &shares)
{
    OrderedJson roles = OrderedJson::object();
    for (std::size_t r = 0; r < roleNames.size(); ++r) {
        if (shares[r] > 0)
            roles[std::string(roleNames[r])] = shares[r];
    }
    return roles;
}

OrderedJson quantizationToJson(const Quantization &quantization, Extent extent)
{
    ObjectWriter writer(extent);
    writer.put("format", quantization.format);
    writer.put("method", quantization.method);
    writer.put("roles", flagsToJson(quantization.quantised));
    writer.add("second_format", quantization.secondFormat);
    writer.addNested("second_roles", flagsToJson(quantization.secondQuantised));
    writer.addNested("left_out", sharesToJson(quantization.leftOut));
    writer.add("bits", quantization.bits, 0.0);
    return writer.object;
}

OrderedJson rotaryToJson(const std::vector<RotaryTable> &tables)
{
    OrderedJson list = OrderedJson::array();
    for (const RotaryTable &t : tables)
        list.push_back({{"positions", t.positions.value}, {"dim", t.dim}, {"f32", t.f32}});
    return list;
}

OrderedJson assumptionsToJson(const std::vector<Assumption> &assumptions)
{
    OrderedJson list = OrderedJson::array();
    for (const Assumption &a : assumptions)
        list.push_back({{"field", a.field}, {"value", a.value}, {"reason", a.reason}});
    return list;
}

RoleCounts rolesFromJson(const Json &json, const std::string &path, std::optional<Error> &error)
{
    RoleCounts counts;
    ObjectReader reader(json, path, error);
    for (std::size_t r = 0; r < roleNames.size(); ++r)
        reader.read(roleNames[r].data(), counts.count[r], parameterRange);
    return counts;
}

RecurrentState stateFromJson(const Json &json, const std::string &path, std::optional<Error> &error)
{
    RecurrentState state;
    ObjectReader reader(json, path, error);
    reader.readName("kind", state.kind, recurrenceNames);
    reader.read("conv_channels", state.convChannels, widthOrNone);
    reader.read("conv_kernel", state.convKernel, dimOrNone);
    reader.read("elements", state.elements, stateRange);
    reader.read("always_f32", state.alwaysF32);
    reader.read("f32_by_default", state.f32ByDefault);
    reader.read("groups", state.groups, headsOrNone);
    reader.read("group_channels", state.groupChannels, widthOrNone);
    return state;
}

/// What a kind of cache can't do without: a zero there is no layer.
void checkShape(ObjectReader &reader, const LayerGroup &group)
{
    const auto needed = [&reader](const char *key, std::int64_t value) {
        if (value < 1)
            reader.fail(reader.has(key) ? ErrorCode::OutOfRange : ErrorCode::MissingField, key, reader.has(key) ? ">= 1" : key);
    };
    switch (group.mixer) {
    case Mixer::Sliding:
    case Mixer::Chunked: needed("window", group.window.value); [[fallthrough]];
    case Mixer::Full:
        needed("kv_heads", group.kvHeads);
        needed("head_dim_k", group.keyDim);
        needed("head_dim_v", group.valueDim);
        break;
    case Mixer::Latent: needed("kv_lora_rank", group.latentDim); break;
    case Mixer::Shared:
    case Mixer::None: break;
    }
}

void readRotary(ObjectReader &reader, std::vector<RotaryTable> &tables)
{
    constexpr std::size_t most = 16;
    const Json *list = reader.list("rotary", most);
    for (std::size_t i = 0; list && i < list->size() && !reader.failed(); ++i) {
        ObjectReader entry((*list)[i], reader.path("rotary", i), reader.sink());
        RotaryTable &table = tables.emplace_back();
        entry.read("positions", table.positions);
        entry.read("dim", table.dim, dimOrNone);
        entry.read("f32", table.f32);
    }
}

LayerGroup groupFromJson(const Json &json, const std::string &path, std::optional<Error> &error)
{
    LayerGroup group;
    ObjectReader reader(json, path, error);
    if (!reader.has("mixer"))
        reader.fail(ErrorCode::MissingField, "mixer", "mixer");
    reader.readName("mixer", group.mixer, mixerNames);
    reader.read("attention_heads", group.queryHeads, headsOrNone);
    reader.read("kv_heads", group.kvHeads, headsOrNone);
    reader.read("head_dim_k", group.keyDim, dimOrNone);
    reader.read("head_dim_v", group.valueDim, dimOrNone);
    reader.read("window", group.window);
    reader.read("kv_lora_rank", group.latentDim, dimOrNone);
    reader.read("qk_rope_head_dim", group.ropeDim, dimOrNone);
    reader.read("q_lora_rank", group.queryLatentDim, dimOrNone);
    reader.read("index_key_dim", group.indexKeyDim, dimOrNone);
    reader.read("compression", group.compression, tokenRange);
    reader.read("cross_kv_heads", group.crossKvHeads, headsOrNone);
    reader.read("cross_head_dim", group.crossHeadDim, dimOrNone);
    if (const Json *state = reader.object("state"))
        group.state = stateFromJson(*state, reader.path("state"), error);
    if (const Json *parameters = reader.object("parameters"))
        group.parameters = rolesFromJson(*parameters, reader.path("parameters"), error);
    checkShape(reader, group);
    return group;
}

void readLayers(ObjectReader &reader, ModelSpec &model)
{
    if (!reader.has("groups"))
        reader.fail(ErrorCode::MissingField, "groups", "groups");
    if (!reader.has("layout"))
        reader.fail(ErrorCode::MissingField, "layout", "layout");
    const Json *groups = reader.list("groups", static_cast<std::size_t>(largestLayerCount));
    const Json *layout = reader.list("layout", static_cast<std::size_t>(largestLayerCount));
    if (!groups || !layout)
        return;
    if (layout->empty() || groups->empty()) {
        reader.fail(ErrorCode::OutOfRange, layout->empty() ? "layout" : "groups", "1.." + std::to_string(largestLayerCount));
        return;
    }
    for (std::size_t g = 0; g < groups->size() && !reader.failed(); ++g)
        model.groups.push_back(groupFromJson((*groups)[g], reader.path("groups", g), reader.sink()));
    const Range range{0, static_cast<std::int64_t>(groups->size()) - 1};
    for (std::size_t i = 0; i < layout->size() && !reader.failed(); ++i) {
        if (const auto group = wholeNumber((*layout)[i], reader.path("layout", i), range, reader.sink()))
            model.layout.push_back(static_cast<std::uint16_t>(*group));
    }
    if (reader.failed())
        return;
    // `count` follows from the layout. Who edits one by hand must see that the other did not follow.
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < groups->size() && !reader.failed(); ++g) {
        int count = counts[g];
        ObjectReader((*groups)[g], reader.path("groups", g), reader.sink()).read("count", count, Range{counts[g], counts[g]});
    }
}

void readFlags(ObjectReader &reader, const char *key, RoleFlags &flags)
{
    std::vector<std::string> roles;
    reader.read(key, roles);
    for (const std::string &role : roles) {
        const auto found = std::ranges::find(roleNames, role);
        if (found == roleNames.end())
            reader.fail(ErrorCode::OutOfRange, key, joinedNames(roleNames));
        else
            flags[static_cast<std::size_t>(found - roleNames.begin())] = true;
    }
}

void readShares(ObjectReader &reader, const char *key, RoleShares &shares)
{
    const Json *object = reader.object(key);
    if (!object)
        return;
    ObjectReader roles(*object, reader.path(key), reader.sink());
    for (std::size_t r = 0; r < roleNames.size(); ++r)
        roles.read(std::string(roleNames[r]).c_str(), shares[r], 0, 1);
}

Quantization quantizationFromJson(const Json &json, const std::string &path, std::optional<Error> &error)
{
    Quantization quantization;
    ObjectReader reader(json, path, error);
    reader.read("format", quantization.format);
    reader.read("method", quantization.method);
    readFlags(reader, "roles", quantization.quantised);
    reader.read("second_format", quantization.secondFormat);
    readFlags(reader, "second_roles", quantization.secondQuantised);
    readShares(reader, "left_out", quantization.leftOut);
    reader.read("bits", quantization.bits, 0, 32);
    return quantization;
}

void readAssumptions(ObjectReader &reader, std::vector<Assumption> &assumptions)
{
    constexpr std::size_t most = 1000;
    const Json *list = reader.list("assumptions", most);
    for (std::size_t i = 0; list && i < list->size() && !reader.failed(); ++i) {
        ObjectReader entry((*list)[i], reader.path("assumptions", i), reader.sink());
        Assumption &assumption = assumptions.emplace_back();
        entry.read("field", assumption.field);
        entry.read("value", assumption.value);
        entry.read("reason", assumption.reason);
    }
}

} // namespace

OrderedJson rolesToJson(const RoleCounts &counts, Extent extent)
{
    ObjectWriter writer(extent);
    for (std::size_t r = 0; r < roleNames.size(); ++r)
        writer.add(roleNames[r].data(), counts.count[r], std::int64_t{0});
    return writer.object;
}

OrderedJson groupToJson(const LayerGroup &group, int count, Extent extent)
{
    ObjectWriter writer(extent);
    writer.put("count", count);
    writer.put("mixer", mixerNames[static_cast<std::size_t>(group.mixer)]);
    writer.add("attention_heads", group.queryHeads, plainGroup.queryHeads);
    writer.add("kv_heads", group.kvHeads, plainGroup.kvHeads);
    writer.add("head_dim_k", group.keyDim, plainGroup.keyDim);
    writer.add("head_dim_v", group.valueDim, plainGroup.valueDim);
    writer.add("window", group.window, plainGroup.window);
    writer.add("kv_lora_rank", group.latentDim, plainGroup.latentDim);
    writer.add("qk_rope_head_dim", group.ropeDim, plainGroup.ropeDim);
    writer.add("q_lora_rank", group.queryLatentDim, plainGroup.queryLatentDim);
    writer.add("index_key_dim", group.indexKeyDim, plainGroup.indexKeyDim);
    writer.add("compression", group.compression, plainGroup.compression);
    writer.add("cross_kv_heads", group.crossKvHeads, plainGroup.crossKvHeads);
    writer.add("cross_head_dim", group.crossHeadDim, plainGroup.crossHeadDim);
    writer.addNested("state", stateToJson(group.state, extent));
    writer.addNested("parameters", rolesToJson(group.parameters, extent));
    return writer.object;
}

OrderedJson modelToJson(const ModelSpec &model, Extent extent)
{
    ObjectWriter writer(extent);
    writer.put("id", model.id);
    writer.put("name", model.name);
    writer.put("family", model.family);
    writer.put("origin", originNames[static_cast<std::size_t>(model.origin)]);
    writer.add("reference", model.reference, plainModel.reference);
    writer.add("hidden", model.hidden, plainModel.hidden);
    writer.add("intermediate", model.intermediate, plainModel.intermediate);
    writer.add("gated_ffn", model.gatedFfn, plainModel.gatedFfn);
    writer.add("qk_norm", model.qkNorm, plainModel.qkNorm);
    writer.add("vocab", model.vocab, plainModel.vocab);
    writer.add("tied_embeddings", model.tiedEmbeddings, plainModel.tiedEmbeddings);
    writer.add("max_context", model.trainedContext, plainModel.trainedContext);
    writer.add("experts", model.experts, plainModel.experts);
    writer.add("experts_per_token", model.expertsPerToken, plainModel.expertsPerToken);
    writer.add("expert_intermediate", model.expertIntermediate, plainModel.expertIntermediate);
    writer.add("expert_vectors", model.expertVectors, plainModel.expertVectors);
    writer.add("prediction_layers", model.predictionLayers, plainModel.predictionLayers);
    writer.add("prediction_windowed", model.predictionWindowed, plainModel.predictionWindowed);
    writer.addNested("rotary", rotaryToJson(model.rotary));
    writer.add("encoder_decoder", model.encoderDecoder, plainModel.encoderDecoder);
    writer.add("encoder_length", model.encoderLength, plainModel.encoderLength);
    if (model.vision) {
        ObjectWriter vision(extent);
        vision.add("layers", model.vision->layers, VisionTower{}.layers);
        vision.add("width", model.vision->width, VisionTower{}.width);
        writer.put("vision", std::move(vision.object));
    }
    writer.put("dtype", model.nativeFormat);
    writer.add("dtype_known", model.nativeFormatKnown, plainModel.nativeFormatKnown);
    if (model.quantization)
        writer.put("quantization", quantizationToJson(*model.quantization, extent));
    writer.add("kv_dtype", model.kvFormat);
    writer.add("measured_weights_bytes", model.measuredWeights);
    writer.add("measured_as_loaded", model.measuredAsLoaded, plainModel.measuredAsLoaded);
    writer.add("measured_source", model.measuredSource, plainModel.measuredSource);
    writer.add("published_parameters", model.publishedParameters);
    writer.add("published_active_parameters", model.publishedActive);
    writer.put("parameters_known", model.parametersKnown);
    writer.addNested("outer_parameters", rolesToJson(model.outer, extent));
    OrderedJson groups = OrderedJson::array();
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < model.groups.size(); ++g)
        groups.push_back(groupToJson(model.groups[g], counts[g], extent));
    writer.put("groups", groups);
    writer.put("layout", model.layout);
    if (model.gguf)
        writer.put("gguf", ggufToJson(*model.gguf, extent));
    writer.addNested("assumptions", assumptionsToJson(model.assumptions));
    writer.add("unknown_architecture", model.unknownArchitecture, plainModel.unknownArchitecture);
    writer.add("sources", model.sources, plainModel.sources);
    return writer.object;
}

ModelSpec modelFromJson(ObjectReader &reader)
{
    ModelSpec model;
    reader.read("id", model.id);
    reader.read("name", model.name);
    reader.read("family", model.family);
    reader.readName("origin", model.origin, originNames);
    reader.read("reference", model.reference);
    reader.read("hidden", model.hidden, widthOrNone);
    reader.read("intermediate", model.intermediate, widthOrNone);
    reader.read("gated_ffn", model.gatedFfn);
    reader.read("qk_norm", model.qkNorm);
    reader.read("vocab", model.vocab, Range{0, vocabularyRange.highest});
    reader.read("tied_embeddings", model.tiedEmbeddings);
    reader.read("max_context", model.trainedContext);
    reader.read("experts", model.experts, headsOrNone);
    reader.read("experts_per_token", model.expertsPerToken, Range{0, model.experts});
    reader.read("expert_intermediate", model.expertIntermediate, widthOrNone);
    reader.read("expert_vectors", model.expertVectors, parameterRange);
    reader.read("prediction_layers", model.predictionLayers, Range{0, largestLayerCount});
    reader.read("prediction_windowed", model.predictionWindowed);
    readRotary(reader, model.rotary);
    reader.read("encoder_decoder", model.encoderDecoder);
    reader.read("encoder_length", model.encoderLength);
    if (const Json *vision = reader.object("vision")) {
        ObjectReader tower(*vision, reader.path("vision"), reader.sink());
        model.vision.emplace();
        tower.read("layers", model.vision->layers, Range{0, largestLayerCount});
        tower.read("width", model.vision->width, widthOrNone);
    }
    reader.read("dtype", model.nativeFormat);
    reader.read("dtype_known", model.nativeFormatKnown);
    if (const Json *quantization = reader.object("quantization"))
        model.quantization = quantizationFromJson(*quantization, reader.path("quantization"), reader.sink());
    reader.read("kv_dtype", model.kvFormat);
    reader.read("measured_weights_bytes", model.measuredWeights);
    reader.read("measured_as_loaded", model.measuredAsLoaded);
    reader.read("measured_source", model.measuredSource);
    reader.read("published_parameters", model.publishedParameters, parameterRange);
    reader.read("published_active_parameters", model.publishedActive, parameterRange);
    reader.read("parameters_known", model.parametersKnown);
    if (const Json *outer = reader.object("outer_parameters"))
        model.outer = rolesFromJson(*outer, reader.path("outer_parameters"), reader.sink());
    readLayers(reader, model);
    if (const Json *gguf = reader.object("gguf")) {
        ObjectReader inner(*gguf, reader.path("gguf"), reader.sink());
        model.gguf = std::make_shared<const GgufModel>(ggufFromJson(inner));
    }
    readAssumptions(reader, model.assumptions);
    reader.read("unknown_architecture", model.unknownArchitecture);
    reader.read("sources", model.sources);
    return model;
}

} // namespace kvscope
