// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/import.h"

#include "core/import/convert.h"
#include "core/import/quantization.h"
#include "core/import/rotary.h"
#include "core/import/shape.h"
#include "core/import/vision.h"

#include <algorithm>

namespace kvscope {

namespace {

/// The object that holds the language model, and its path in the file.
struct LanguageObject {
    const Json *object;
    std::string prefix;
};

/// The first of 8.1's places that is there, else the top level.
LanguageObject languageObject(const Json &file)
{
    const Fields top(file, file, {});
    for (const std::string_view place :
         {"text_config", "llm_config", "language_config", "thinker_config.text_config", "decoder", "text_model_config"})
        if (const Json *object = top.raw(place); object && object->is_object())
            return {object, std::string(place) + '.'};
    return {&file, {}};
}

std::string textIn(const Json &object, std::string_view name)
{
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

void readDtype(const Fields &fields, ModelSpec &model, std::vector<Assumption> &assumptions)
{
    for (const std::string_view name : {"torch_dtype", "dtype"}) {
        const Json *value = fields.rawAnywhere(name);
        if (!value || !value->is_string())
            continue;
        std::string_view word = value->get_ref<const std::string &>();
        if (word.starts_with("torch."))
            word.remove_prefix(6);
        for (const auto &[known, format] :
             {std::pair{"bfloat16", Format::BF16}, std::pair{"float16", Format::F16}, std::pair{"half", Format::F16},
              std::pair{"float32", Format::F32}, std::pair{"float", Format::F32}})
            if (word == known) {
                model.nativeFormat = format;
                model.nativeFormatKnown = true;
                return;
            }
    }
    assumptions.push_back({"torch_dtype", "bfloat16", "dtype_not_stated"});
}

/// Tables, head and final norm (8.5: `P = V*h*(tied ? 1 : 2) + layers + final norm`).
void countOuter(Fields &fields, const Shape &shape, ModelSpec &model)
{
    const Family &family = *shape.family;
    const Count h = shape.hidden;
    const Count vocabulary = shape.vocabulary;
    RoleCounts &outer = model.outer;
    // OPT-350m alone has a table narrower than its hidden size.
    const Count tableWidth = fields.find({"word_embed_proj_dim"}, widthRange).value_or(shape.hidden);
    outer[Role::Embedding] = (vocabulary * tableWidth).value;
    if (family.positionRows != noPositions)
        outer[Role::Embedding] = (Count{outer[Role::Embedding]} + (Count{shape.context} + family.positionRows) * h).value;
    if (tableWidth.value != shape.hidden)
        outer[Role::Ffn] = (2 * tableWidth * h).value;
    if (!shape.tied)
        outer[Role::OutputHead] = (vocabulary * tableWidth).value;
    Count small = 0;
    if (fields.flag(family.headBias))
        small = small + vocabulary;
    const Count norm = Count{family.normVectors} * h;
    if (family.embeddingNorm)
        small = small + norm;
    if (fields.flag({"do_layer_norm_before", true}))
        small = small + norm;
    outer[Role::Small] = small.value;
}

/// The prediction layers that a checkpoint ships (8.5, rows "MTP").
void countPrediction(Fields &fields, const Shape &shape, ModelSpec &model)
{
    model.predictionLayers = static_cast<int>(shape.mtpLayers);
    if (shape.mtpLayers == 0)
        return;
    const Family &family = *shape.family;
    if (family.mtp == MtpStyle::Unknown) {
        fields.assume("num_nextn_predict_layers", std::to_string(shape.mtpLayers), "mtp_not_counted");
        return;
    }
    const bool windowed = family.mtp == MtpStyle::WindowedLayerAndTable;
    model.predictionWindowed = windowed;
    const Count table = Count{shape.vocabulary} * shape.hidden;
    const auto layerOf = [&](LayerKind kind) {
        return buildLayer(fields, shape, {{kind}, {shape.experts > 0 && !windowed}, {true}, {shape.indexDim > 0}}, 0).parameters.total();
    };
    Count each = layerOf(windowed ? LayerKind::Sliding : LayerKind::Full);
    if (family.singleBlock)
        each = each + layerOf(LayerKind::Moe);
    each = each + 2 * Count{shape.hidden} * shape.hidden + 3 * Count{shape.hidden};
    if (windowed)
        each = each + table;
    else if (family.mtp == MtpStyle::LayerAndTables)
        each = each + 2 * table;
    model.outer[Role::Mtp] = (each * shape.mtpLayers).value;
}

/// Equal layers share a group; groups stand in the order of their first layer.
void placeLayers(Fields &fields, const Shape &shape, const LayerPlan &plan, ModelSpec &model)
{
    const auto count = static_cast<std::size_t>(shape.layers);
    model.layout.reserve(count);
    for (std::size_t i = 0; i < count && !fields.error(); ++i) {
        LayerGroup layer = buildLayer(fields, shape, plan, i);
        const auto known = std::find(model.groups.rbegin(), model.groups.rend(), layer); // the newest are the likeliest
        std::size_t group = model.groups.size();
        if (known == model.groups.rend())
            model.groups.push_back(std::move(layer));
        else
            group = static_cast<std::size_t>(model.groups.rend() - known) - 1;
        model.layout.push_back(static_cast<std::uint16_t>(group));
    }
}

/// The biases of all experts: what feedForward puts under Small for them.
std::int64_t expertBiases(const Shape &shape, const ModelSpec &model)
{
    Count layers = 0;
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < counts.size(); ++g)
        layers = layers + (model.groups[g].parameters[Role::Experts] > 0 ? counts[g] : 0);
    const Count inputs = shape.gated ? 2 : 1;
    return (layers * shape.experts * (inputs * shape.expertWidth + shape.hidden)).value;
}

void copyShape(const Shape &shape, ModelSpec &model)
{
    const bool anyDense = shape.experts == 0 || std::any_of(model.groups.begin(), model.groups.end(),
                                                            [](const LayerGroup &group) { return group.parameters[Role::Ffn] > 0; });
    model.hidden = static_cast<int>(shape.hidden);
    model.intermediate = anyDense ? static_cast<int>(shape.ffn) : 0;
    model.gatedFfn = shape.gated;
    model.qkNorm = shape.qkNorm;
    model.vocab = shape.vocabulary;
    model.tiedEmbeddings = shape.tied;
    model.trainedContext = {shape.context};
    model.experts = static_cast<int>(shape.experts);
    model.expertsPerToken = static_cast<int>(shape.expertsPerToken);
    model.expertIntermediate = static_cast<int>(shape.expertWidth);
    if (shape.family->expertBias)
        model.expertVectors = expertBiases(shape, model);
    model.parametersKnown = true;
}

/// What a config says of all layers and of each.
struct Reading {
    Shape shape;
    LayerPlan plan;
};

/// Everything but the parse: `fields` reads the language object by `family`.
Reading readModel(Fields &fields, const Family &family, ModelSpec &model)
{
    Reading reading{readShape(fields, family), {}};
    Shape &shape = reading.shape;
    const Json *tied = fields.rawAnywhere("tie_word_embeddings");
    shape.tied = family.tied;
    if (tied && tied->is_boolean())
        shape.tied = tied->get<bool>();
    else if (tied)
        fields.fail(ErrorCode::WrongType, "tie_word_embeddings", "boolean");
    else
        fields.assume("tie_word_embeddings", shape.tied ? "true" : "false", "family_default");
    if (fields.error())
        return reading;
    const LayerPlan &plan = reading.plan = planLayers(fields, shape);
    if (fields.error())
        return reading;
    placeLayers(fields, shape, plan, model);
    if (fields.error())
        return reading;
    countOuter(fields, shape, model);
    if (family.adjustOuter)
        family.adjustOuter(fields, shape, plan, model);
    countPrediction(fields, shape, model);
    countVision(fields, shape, model);
    copyShape(shape, model);
    readRotary(fields, shape, model);
    if (family.formulaUnchecked)
        fields.assume("parameters", std::to_string(model.parameters().total()), "formula_unchecked");
    return reading;
}

bool tooLarge(const ModelSpec &model)
{
    return model.parameters().total() == tooLargeValue ||
           std::any_of(model.groups.begin(), model.groups.end(), [](const LayerGroup &group) {
               return group.state.elements == tooLargeValue || group.state.convChannels == tooLargeValue;
           });
}

} // namespace

Result<ModelSpec> modelFromConfig(std::string_view json, std::string_view name)
{
    const auto at = [&](Error error) {
        error.file = name;
        return error;
    };
    const Result<Json> file = parseJson(json, name);
    if (!file)
        return at(file.error());
    if (!file->is_object())
        return at({ErrorCode::NotThisKind, std::string(name), "config", {}});

    const LanguageObject language = languageObject(*file);
    const std::string outerType = textIn(*file, "model_type");
    std::string type = textIn(*language.object, "model_type");
    if (type.empty())
        type = outerType;
    const Family *family = familyOf(type);
    if (!family)
        family = familyOf(outerType);

    ModelSpec model;
    model.id = model.name = name;
    model.family = type;
    model.origin = ModelOrigin::File;
    model.unknownArchitecture = !family;
    const Family &row = family ? *family : standardFamily();
    Fields fields(*language.object, *file, language.prefix, row.defaults,
                  language.prefix.empty() ? std::span<const FieldDefault>{} : row.nestedDefaults);
    const Reading reading = readModel(fields, row, model);
    if (const auto &error = fields.error()) {
        if (model.unknownArchitecture && error->code == ErrorCode::MissingField)
            return at(type.empty() ? Error{ErrorCode::NotThisKind, std::string(name), "config", {}}
                                   : Error{ErrorCode::UnknownArchitecture, type, error->where, {}});
        return at(*error);
    }
    if (tooLarge(model))
        return at({ErrorCode::TooLarge, "parameters", {}, {}});
    model.quantization = readQuantization(fields, model);
    model.kvFormat = readKvFormat(fields);
    model.assumptions = fields.assumptions();
    readDtype(fields, model, model.assumptions);
    if (family)
        model.gguf = convertedModel(fields, reading.shape, reading.plan, model);
    return model;
}

} // namespace kvscope
