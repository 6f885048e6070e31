// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/vision.h"

#include <algorithm>
#include <iterator>

namespace kvscope {

namespace {

constexpr Range depthRange{1, 10'000};
constexpr Range patchRange{1, 4096};

/// Attention with biases, plain FFN with biases, two LayerNorms: `4(h^2+h) + 2hi + i + h + 4h`.
Count clipLayer(Count h, Count i) { return 4 * (h * h + h) + 2 * h * i + i + h + 4 * h; }

/// Two matrices over x = merged patches with biases: `x^2 + x + x*out + out`.
Count merger(Count x, Count out) { return x * x + x + x * out + out; }

/// SigLIP with Gemma 3's projector.
Count siglip(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count i = tower.need({"intermediate_size"}, widthRange);
    const std::int64_t patch = tower.need({"patch_size"}, patchRange);
    const std::int64_t side = tower.findOr({"image_size"}, widthRange, 896, "family_default") / patch;
    const Count layers = tower.need({"num_hidden_layers"}, depthRange);
    const Count channels = tower.find({"num_channels"}, patchRange).value_or(3);
    return h * channels * patch * patch + h + Count{side} * side * h + layers * clipLayer(h, i) + 2 * h + h * shape.hidden + h;
}

/// Gemma 4: RMSNorms (four a layer, q and k per head), a gated FFN, two tables of positions, a bare projection. The formula is ours: it gives the
/// published 575,743,536 (31B), 572,794,416 (26B) and 168,544,256 (E2B) of 8.5.
Count gemma4Tower(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count i = tower.need({"intermediate_size"}, widthRange);
    const Count patch = tower.need({"patch_size"}, patchRange);
    const Count headDim = tower.need({"head_dim"}, headDimRange);
    const Count layers = tower.need({"num_hidden_layers"}, depthRange);
    const Count positions = tower.need({"position_embedding_size"}, widthRange);
    const Count standardize = tower.flag({"standardize", false}) ? 2 : 0;
    return 3 * patch * patch * h + 2 * positions * h + layers * (4 * h * h + 3 * h * i + 4 * h + 2 * headDim) + standardize * h +
           h * shape.hidden;
}

/// Qwen3-VL and Qwen3.5, with a merger more for every deepstack layer.
Count qwen3Tower(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count i = tower.need({"intermediate_size"}, widthRange);
    const Count patch = tower.need({"patch_size"}, patchRange);
    const Count depth = tower.need({"depth"}, depthRange);
    const Count positions = tower.findOr({"num_position_embeddings"}, widthRange, 2304, "family_default");
    const Count merge = tower.find({"spatial_merge_size"}, patchRange).value_or(2);
    const Count out = tower.find({"out_hidden_size"}, widthRange).value_or(shape.hidden);
    const Count x = merge * merge * h;
    const Count deep = static_cast<std::int64_t>(tower.numbers("deepstack_visual_indexes", {0, depthRange.highest}).size());
    return 6 * patch * patch * h + h + positions * h + depth * clipLayer(h, i) + 2 * h + merger(x, out) + deep * (2 * x + merger(x, out));
}

Count qwen25Tower(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count i = tower.need({"intermediate_size"}, widthRange);
    const Count patch = tower.need({"patch_size"}, patchRange);
    const Count depth = tower.need({"depth"}, depthRange);
    const Count merge = tower.find({"spatial_merge_size"}, patchRange).value_or(2);
    const Count out = tower.find({"out_hidden_size"}, widthRange).value_or(shape.hidden);
    const Count x = merge * merge * h;
    return 6 * patch * patch * h + depth * (4 * h * h + 4 * h + 3 * h * i + 2 * i + h + 2 * h) + h + merger(x, out);
}

Count llama4Tower(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count i = tower.need({"intermediate_size"}, widthRange);
    const std::int64_t patch = tower.need({"patch_size"}, patchRange);
    const std::int64_t side = tower.findOr({"image_size"}, widthRange, 336, "family_default") / patch;
    const Count layers = tower.need({"num_hidden_layers"}, depthRange);
    const Count projectorIn = tower.findOr({"projector_input_dim"}, widthRange, 4096, "family_default");
    const Count projectorOut = tower.findOr({"projector_output_dim"}, widthRange, 4096, "family_default");
    const Count out = tower.findOr({"vision_output_dim"}, widthRange, 4096, "family_default");
    return 3 * Count{patch} * patch * h + h + (Count{side} * side + 1) * h + 4 * h + layers * clipLayer(h, i) + i * projectorIn +
           projectorOut * projectorOut + out * shape.hidden;
}

/// Qwen2-VL: Qwen2.5-VL's forerunner with LayerNorms and a plain FFN. Not in 8.5; with the text part it gives the published 2,208,985,600 of the 2B.
Count qwen2Tower(Fields &tower, const Shape &shape)
{
    const Count h = tower.findOr({"embed_dim"}, widthRange, 1280, "family_default");
    const Count patch = tower.findOr({"patch_size"}, patchRange, 14, "family_default");
    const Count depth = tower.findOr({"depth"}, depthRange, 32, "family_default");
    const Count ratio = tower.find({"mlp_ratio"}, {1, 1024}).value_or(4);
    const Count merge = tower.find({"spatial_merge_size"}, patchRange).value_or(2);
    const Count x = merge * merge * h;
    return 6 * patch * patch * h + depth * clipLayer(h, ratio * h) + 2 * h + merger(x, shape.hidden);
}

/// GLM-4.1V: RMSNorms, no biases but those of the convolutions, FFNs as wide as the output. Not in 8.5; it gives the published 10,292,777,472 of the 9B.
Count glm4vTower(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count context = tower.need({"intermediate_size"}, widthRange);
    const std::int64_t patch = tower.need({"patch_size"}, patchRange);
    const std::int64_t side = tower.findOr({"image_size"}, widthRange, 336, "family_default") / patch;
    const Count depth = tower.need({"depth"}, depthRange);
    const Count merge = tower.find({"spatial_merge_size"}, patchRange).value_or(2);
    const Count out = tower.find({"out_hidden_size"}, widthRange).value_or(shape.hidden);
    const Count convolutions = 6 * Count{patch} * patch * h + h + merge * merge * h * out + out;
    const Count layer = 4 * h * h + 3 * h * out + 2 * h;
    return convolutions + Count{side} * side * h + depth * layer + 2 * h + out * out + 2 * out + 3 * out * context;
}

/// Pixtral with Mistral 3's merger and projector. Not in 8.5; it gives the published 24,011,361,280 of Mistral Small 3.1.
Count pixtral(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count i = tower.need({"intermediate_size"}, widthRange);
    const Count patch = tower.need({"patch_size"}, patchRange);
    const Count layers = tower.need({"num_hidden_layers"}, depthRange);
    constexpr Count merged = 4; // spatial_merge_size 2, both ways
    const Count out = shape.hidden;
    return 3 * patch * patch * h + h + layers * (4 * h * h + 3 * h * i + 2 * h) + h + merged * h * h + h * out + out * out;
}

/// Llama 3.2 Vision: tiles with gated positions, global layers with two gates, the outputs of several layers projected. Not in 8.5; it gives the
/// published 10,670,220,835 of the 11B.
Count mllamaTower(Fields &tower, const Shape &shape)
{
    const Count h = tower.need({"hidden_size"}, widthRange);
    const Count i = tower.need({"intermediate_size"}, widthRange);
    const std::int64_t patch = tower.need({"patch_size"}, patchRange);
    const std::int64_t side = tower.findOr({"image_size"}, widthRange, 560, "family_default") / patch;
    const Count layers = tower.need({"num_hidden_layers"}, depthRange);
    const Count globalLayers = tower.findOr({"num_global_layers"}, depthRange, 8, "family_default");
    const Count tiles = tower.findOr({"max_num_tiles"}, patchRange, 4, "family_default");
    const Json *ratios = tower.raw("supported_aspect_ratios");
    const Count ratioRows = 1 + static_cast<std::int64_t>(ratios && ratios->is_array() ? ratios->size() : 8);
    const Json *kept = tower.raw("intermediate_layers_indices");
    const Count outputs = 1 + static_cast<std::int64_t>(kept && kept->is_array() ? kept->size() : 5);
    const Count positions = Count{side} * side + 1;
    const Count tables = positions * h + ratioRows * tiles * positions * h + 2 * ratioRows * tiles * h + 3; // and their gates
    const Count layer = 4 * h * h + 2 * h * i + i + h + 4 * h;
    return 3 * Count{patch} * patch * h + h + tables + 4 * h + (layers + globalLayers) * layer + 2 * globalLayers +
           outputs * h * shape.hidden + shape.hidden;
}

/// Which formula counts the tower of a file's model_type; 8.5, table "vision tower". A new tower goes here.
struct Tower {
    std::string_view outerType;
    Count (*count)(Fields &tower, const Shape &shape);
};
constexpr Tower towers[] = {
    {"gemma3", siglip},      {"gemma4", gemma4Tower},     {"qwen3_vl", qwen3Tower}, {"qwen3_vl_moe", qwen3Tower},
    {"qwen3_5", qwen3Tower}, {"qwen3_5_moe", qwen3Tower}, {"qwen2_vl", qwen2Tower}, {"qwen2_5_vl", qwen25Tower},
    {"llama4", llama4Tower}, {"mllama", mllamaTower},     {"glm4v", glm4vTower},    {"mistral3", pixtral},
    {"ministral3", pixtral},
};

} // namespace

void countVision(Fields &fields, const Shape &shape, ModelSpec &model)
{
    if (const Json *audio = fields.rawAnywhere("audio_config"); audio && audio->is_object())
        fields.assume("audio_config", "0", "audio_not_counted");
    const Json *config = fields.rawAnywhere("vision_config");
    if (!config || !config->is_object() || config->empty())
        return;
    Fields names(*config, *config, "vision_config.");
    model.vision = VisionTower{static_cast<int>(names.find({"num_hidden_layers"}, depthRange).value_or(0)),
                               static_cast<int>(names.find({"hidden_size"}, widthRange).value_or(0))};
    const Json *type = fields.rawOuter("model_type");
    const std::string outerType = type && type->is_string() ? type->get<std::string>() : std::string();
    const auto tower = std::find_if(std::begin(towers), std::end(towers), [&](const Tower &known) { return known.outerType == outerType; });
    if (tower == std::end(towers)) {
        fields.assume("vision_config", "0", "vision_not_counted");
        return;
    }
    Fields reader(*config, *config, "vision_config.");
    const Count parameters = tower->count(reader, shape);
    if (reader.error()) { // the language part stands without the tower
        fields.assume("vision_config", "0", "vision_not_counted");
        return;
    }
    model.outer[Role::Vision] = parameters.value;
    fields.adopt(reader);
}

} // namespace kvscope
