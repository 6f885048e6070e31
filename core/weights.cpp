// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/weights.h"

#include <algorithm>
#include <numeric>

namespace kvscope {

namespace {

using RoleFlags = std::array<bool, roleCount>;
using RoleBytes = std::array<Bytes, roleCount>;

constexpr RoleFlags flagsOf(std::initializer_list<Role> roles)
{
    RoleFlags flags{};
    for (const Role role : roles)
        flags[static_cast<std::size_t>(role)] = true;
    return flags;
}

/// Which roles a format applies to (serving-engines.md 4.2): pure bits to all, checkpoint formats to the matrices of the layers,
/// MXFP4 to experts where there are any, GGUF block types to the tables and the head too (local-engines.md 1.3: vectors and routers stay f32).
RoleFlags quantisedRoles(const ModelSpec &model, Format format)
{
    if (model.quantization && model.quantization->format == format)
        return model.quantization->quantised;
    constexpr RoleFlags matrices = flagsOf({Role::Attention, Role::Recurrent, Role::Ffn, Role::Experts, Role::SharedExperts});
    RoleFlags all;
    all.fill(true);
    switch (format) {
    case Format::F32:
    case Format::F16:
    case Format::BF16:
    case Format::Int8:
    case Format::Int4: return all;
    case Format::MXFP4: return model.experts > 0 ? flagsOf({Role::Experts}) : matrices;
    case Format::FP8:
    case Format::FP8E4M3:
    case Format::FP8E5M2:
    case Format::FP8Block:
    case Format::MXFP8:
    case Format::AWQ:
    case Format::GPTQ:
    case Format::NF4:
    case Format::NF4Double:
    case Format::NVFP4:
    case Format::FP8DsMla:
    case Format::Int4Group32: return matrices;
    default: {
        all[static_cast<std::size_t>(Role::Small)] = false;
        all[static_cast<std::size_t>(Role::Router)] = false;
        return all;
    }
    }
}

/// Engines do not load multi-token-prediction layers unless asked to (serving-engines.md 8.5).
Bytes bytesOfRole(const RoleCounts &counts, Role role, Format format)
{
    return role == Role::Mtp ? Bytes{} : bytesOf(format, counts[role]);
}

Bytes sumOf(const RoleBytes &bytes) { return std::accumulate(bytes.begin(), bytes.end(), Bytes{}); }

using RoleFormats = std::array<Format, roleCount>;

RoleBytes bytesByRole(const RoleCounts &counts, const RoleFormats &formats)
{
    RoleBytes bytes{};
    for (std::size_t r = 0; r < bytes.size(); ++r)
        bytes[r] = bytesOfRole(counts, static_cast<Role>(r), formats[r]);
    return bytes;
}

/// What each role is in: the format where it applies, a mixed checkpoint's second one, else 16 bit.
RoleFormats formatsByRole(const ModelSpec &model, Format format, bool asStored)
{
    RoleFormats formats;
    formats.fill(model.nativeFormat == Format::F32 ? Format::F16 : model.nativeFormat);
    const RoleFlags quantised = quantisedRoles(model, format);
    const bool mixed = asStored && model.quantization && model.quantization->secondFormat;
    for (std::size_t r = 0; r < formats.size(); ++r) {
        if (quantised[r])
            formats[r] = format;
        else if (mixed && model.quantization->secondQuantised[r])
            formats[r] = *model.quantization->secondFormat;
    }
    return formats;
}

/// Shares scaled so that they add up to the measured total; what rounding leaves goes to the tables.
void scaleTo(WeightBytes &weights, const std::vector<int> &layersOfGroup, Bytes measured)
{
    const double factor = weights.total.value > 0 ? static_cast<double>(measured.value) / static_cast<double>(weights.total.value) : 0.0;
    const auto scale = [factor](RoleBytes &bytes) {
        for (Bytes &b : bytes)
            b.value = static_cast<std::int64_t>(static_cast<double>(b.value) * factor);
    };
    scale(weights.outer);
    Bytes sum = weights.outerTotal();
    for (std::size_t g = 0; g < weights.perLayer.size(); ++g) {
        scale(weights.perLayer[g]);
        sum += weights.layerTotal(g) * layersOfGroup[g];
    }
    weights.outer[static_cast<std::size_t>(Role::Embedding)] += measured - sum;
    weights.total = measured;
    weights.measured = true;
}

} // namespace

Bytes WeightBytes::outerTotal() const { return sumOf(outer); }

Bytes WeightBytes::layerTotal(std::size_t group) const { return sumOf(perLayer[group]); }

Format resolvedWeightFormat(const ModelSpec &model, const WeightChoice &choice)
{
    if (choice.format)
        return *choice.format;
    return model.quantization ? model.quantization->format : model.nativeFormat;
}

WeightBytes weightBytes(const ModelSpec &model, const WeightChoice &choice)
{
    WeightBytes weights;
    weights.format = resolvedWeightFormat(model, choice);
    const bool asStored = !choice.format || *choice.format == resolvedWeightFormat(model, {});
    const RoleFormats formats = weights.formatOfRole = formatsByRole(model, weights.format, asStored);
    const std::vector<int> counts = model.groupCounts();
    weights.outer = bytesByRole(model.outer, formats);
    weights.total = weights.outerTotal();
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        weights.perLayer.push_back(bytesByRole(model.groups[g].parameters, formats));
        weights.total += weights.layerTotal(g) * counts[g];
    }
    if (choice.measured)
        scaleTo(weights, counts, *choice.measured);
    else if (asStored && model.measuredWeights)
        scaleTo(weights, counts, *model.measuredWeights);
    return weights;
}

} // namespace kvscope
