// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/rotary.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kvscope {

namespace {

/// Families without rotary positions whose configs give no sign of it: ALiBi, relative bias, or none beside recurrent layers.
constexpr std::array<std::string_view, 9> withoutRotary{
    "bloom", "mpt", "t5", "mt5", "jamba", "nemotron_h", "whisper", "granitemoehybrid", "kimi_linear"};

constexpr Range factorlessDim{0, headDimRange.highest};
constexpr double largestFactor = 100'000;

bool hasKind(const ModelSpec &model, Mixer mixer)
{
    return std::ranges::any_of(model.groups, [mixer](const LayerGroup &g) { return g.mixer == mixer; });
}

/// How far a table reaches beyond the trained length, by the scaling that the object describes.
TokenCount positionsOf(const Fields &config, const Fields &scaling, std::int64_t trained)
{
    std::string type = scaling.text("rope_type");
    if (type.empty())
        type = scaling.text("type");
    Fields numbers = scaling;
    const double factor = numbers.decimal("factor", 0, largestFactor).value_or(1);
    Fields outside = config; // Phi keeps it beside the scaling
    const auto beside = outside.find({"original_max_position_embeddings"}, tokenRange);
    const std::int64_t original = numbers.find({"original_max_position_embeddings"}, tokenRange).value_or(beside.value_or(trained));
    const auto times = [factor](std::int64_t positions) {
        return TokenCount{std::min(static_cast<std::int64_t>(std::llround(static_cast<double>(positions) * factor)), largestContext.value)};
    };
    if (type == "yarn")
        return times(original);
    if (type == "linear" || (type == "dynamic" && !scaling.has("alpha")))
        return times(trained);
    if (type == "longrope" || type == "su") // a table each for short and long texts
        return TokenCount{trained + original};
    return TokenCount{trained};
}

double rotatedShare(Fields &fields, const Fields &scaling)
{
    if (scaling.text("rope_type") == "proportional") // all of the head, part of it by zero
        return 1;
    Fields numbers = scaling;
    if (const auto share = numbers.decimal("partial_rotary_factor", 0, 1))
        return *share;
    for (const std::string_view name : {"partial_rotary_factor", "rotary_pct", "rotary_percent", "rope_pct"}) {
        if (const auto share = fields.decimal(name, 0, 1))
            return *share;
    }
    return 1;
}

/// Elements rotated of a head of this width.
int rotatedOf(Fields &fields, const Fields &scaling, const Shape &shape, std::int64_t headDim)
{
    if (shape.latent > 0)
        return static_cast<int>(shape.rope);
    if (const auto dim = fields.find({"rotary_dim"}, factorlessDim); dim && *dim > 0)
        return static_cast<int>(std::min(*dim, headDim));
    if (const auto rope = fields.find({"qk_rope_head_dim"}, factorlessDim); rope && *rope > 0)
        return static_cast<int>(std::min(*rope, headDim));
    return static_cast<int>(std::lround(static_cast<double>(headDim) * rotatedShare(fields, scaling)));
}

bool isLatentYarn(const Fields &scaling, const Shape &shape)
{
    return shape.latent > 0 &&
           (scaling.text("type") == "yarn" || scaling.text("rope_type") == "yarn" || scaling.text("rope_type") == "deepseek_yarn");
}

/// The scaling of full or sliding layers: one object for all, or one for each kind.
Fields scalingOf(const Fields &fields, std::string_view kind)
{
    for (const std::string_view name : {"rope_parameters", "rope_scaling"}) {
        const Json *value = fields.raw(name);
        if (!value || !value->is_object())
            continue;
        const Fields all = fields.nested(name);
        return all.has(kind) ? all.nested(kind) : all;
    }
    return fields.nested("rope_scaling");
}

/// Sliding layers rotate by a base, or without a scaling, of their own.
bool slidingDiffers(const Fields &fields, const ModelSpec &model)
{
    if (!hasKind(model, Mixer::Sliding) || !hasKind(model, Mixer::Full))
        return false;
    const Json *parameters = fields.raw("rope_parameters");
    const bool byKind = parameters && parameters->is_object() && parameters->contains("sliding_attention");
    const bool ownBase = fields.has("rope_local_base_freq") || fields.has("swa_rope_theta");
    return byKind || ownBase || model.family.starts_with("gemma3") || model.family.starts_with("gemma4") || model.family == "olmo3";
}

} // namespace

void readRotary(const Fields &config, const Shape &shape, ModelSpec &model)
{
    Fields fields = config; // what is odd here is no reason to refuse a model: errors stay in the copy
    const bool attends = std::ranges::any_of(model.groups, [](const LayerGroup &g) { return g.mixer != Mixer::None; });
    const bool learned = shape.family->positionRows != noPositions;
    if (!attends || learned || shape.context <= 0 || fields.flag({"alibi", false}) ||
        std::ranges::find(withoutRotary, model.family) != withoutRotary.end())
        return;
    const auto add = [&model](RotaryTable table) {
        if (table.dim > 0 && std::ranges::find(model.rotary, table) == model.rotary.end())
            model.rotary.push_back(table);
    };
    const Fields full = scalingOf(fields, "full_attention");
    const RotaryTable main{positionsOf(fields, full, shape.context), rotatedOf(fields, full, shape, shape.full.keyDim),
                           isLatentYarn(full, shape)};
    add(main);
    if (!slidingDiffers(fields, model))
        return;
    const RotaryTable sliding{
        {shape.context}, rotatedOf(fields, scalingOf(fields, "sliding_attention"), shape, shape.sliding.keyDim), false};
    if (sliding.dim > 0)
        model.rotary.push_back(sliding); // another base: a table of its own though it be as large
}

} // namespace kvscope
