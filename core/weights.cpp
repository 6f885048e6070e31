// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/weights.h"

#include "core/gguf/layers.h"
#include "core/gguf/quantise.h"
#include "core/import/ggufspec.h"

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

/// What a checkpoint's unquantised parts are loaded in.
Format halfFormat(const ModelSpec &model) { return model.nativeFormat == Format::F32 ? Format::F16 : model.nativeFormat; }

/// Engines do not load multi-token-prediction layers unless asked to (serving-engines.md 8.5).
Bytes bytesOfRole(const ModelSpec &model, const RoleCounts &counts, Role role, Format format)
{
    if (role == Role::Mtp)
        return {};
    const Format half = halfFormat(model);
    return model.quantization && format != half ? model.quantization->bytesOf(role, format, counts[role], half)
                                                : bytesOf(format, counts[role]);
}

Bytes sumOf(const RoleBytes &bytes) { return std::accumulate(bytes.begin(), bytes.end(), Bytes{}); }

using RoleFormats = std::array<Format, roleCount>;

RoleBytes bytesByRole(const ModelSpec &model, const RoleCounts &counts, const RoleFormats &formats)
{
    RoleBytes bytes{};
    for (std::size_t r = 0; r < bytes.size(); ++r)
        bytes[r] = bytesOfRole(model, counts, static_cast<Role>(r), formats[r]);
    return bytes;
}

/// What each role is in: the format where it applies, a mixed checkpoint's second one, else 16 bit.
RoleFormats formatsByRole(const ModelSpec &model, Format format, bool asStored)
{
    RoleFormats formats;
    formats.fill(halfFormat(model));
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

/// Each role in its format.
void addRoles(const ModelSpec &model, const std::vector<int> &layersOfGroup, WeightBytes &weights)
{
    const RoleFormats &formats = weights.formatOfRole;
    const RoleCounts parameters = model.parameters();
    for (std::size_t r = 0; r < formats.size(); ++r)
        weights.elements[static_cast<std::size_t>(formats[r])] += static_cast<Role>(r) == Role::Mtp ? 0 : parameters.count[r];
    weights.outer = bytesByRole(model, model.outer, formats);
    weights.total = weights.outerTotal();
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        weights.perLayer[g] = bytesByRole(model, model.groups[g].parameters, formats);
        weights.total += weights.layerTotal(g) * layersOfGroup[g];
    }
}

constexpr std::size_t at(Role role) { return static_cast<std::size_t>(role); }

/// A model as a GGUF in a mix: each tensor in the type that the quantiser gives it. Next-token prediction is not loaded, and the vision tower,
/// a file of its own, stays at 16 bit. False where the quantiser refuses the mix.
bool addTensors(const ModelSpec &model, Format mix, const std::vector<int> &layersOfGroup, WeightBytes &weights)
{
    const GgufModel &gguf = *model.gguf;
    const Result<std::vector<Format>> types = quantisedTypes(gguf, mix);
    if (!types)
        return false;
    weights.mixed = true;
    for (std::size_t i = 0; i < gguf.tensors.size(); ++i) {
        const GgufTensor &tensor = gguf.tensors[i];
        const Format type = (*types)[i];
        const int block = blockOf(tensor.name);
        if (block >= model.layerCount())
            continue;
        const std::size_t group = block < 0 ? 0 : model.layout[static_cast<std::size_t>(block)];
        const bool recurrent = block >= 0 && model.groups[group].queryHeads == 0;
        RoleBytes &bytes = block < 0 ? weights.outer : weights.perLayer[group];
        const Bytes size = GgufTensor{{}, tensor.dims, type}.bytes();
        bytes[at(roleOfTensor(tensor, recurrent))] += size;
        weights.elements[static_cast<std::size_t>(type)] += tensor.elements();
        weights.total += size;
    }
    const Format half = weights.formatOfRole[at(Role::Vision)] = halfFormat(model);
    weights.outer[at(Role::Vision)] = bytesOfRole(model, model.outer, Role::Vision, half);
    weights.total += weights.outer[at(Role::Vision)];
    weights.elements[static_cast<std::size_t>(half)] += model.outer[Role::Vision];
    // Layers of a group differ in a mix: each counts as their mean, and what that leaves goes to the tables.
    Bytes rest = weights.total - weights.outerTotal();
    for (std::size_t g = 0; g < weights.perLayer.size(); ++g) {
        for (Bytes &bytes : weights.perLayer[g])
            bytes.value /= std::max(1, layersOfGroup[g]);
        rest = rest - weights.layerTotal(g) * layersOfGroup[g];
    }
    weights.outer[at(Role::Embedding)] += rest;
    return true;
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
    weights.formatOfRole = formatsByRole(model, weights.format, asStored);
    const std::vector<int> counts = model.groupCounts();
    weights.perLayer.resize(model.groups.size());
    const bool mix = isMix(weights.format) && model.gguf && model.gguf->converted;
    if (!mix || !addTensors(model, weights.format, counts, weights))
        addRoles(model, counts, weights);
    if (choice.measured)
        scaleTo(weights, counts, *choice.measured);
    else if (asStored && model.measuredWeights)
        scaleTo(weights, counts, *model.measuredWeights);
    return weights;
}

} // namespace kvscope
