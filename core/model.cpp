// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model.h"

#include "core/gguf/model.h"

#include <numeric>

namespace kvscope {

bool GgufPointer::operator==(const GgufPointer &other) const { return get() == other.get() || (*this && other && **this == *other); }

Bytes Quantization::bytesOf(Role role, Format in, std::int64_t elements, Format otherwise) const
{
    const auto r = static_cast<std::size_t>(role);
    const bool main = format == in && quantised[r];
    if (!main && !(secondFormat == in && secondQuantised[r]))
        return kvscope::bytesOf(in, elements);
    const auto left = static_cast<std::int64_t>(static_cast<double>(elements) * leftOut[r]);
    const std::int64_t kept = elements - left;
    const Bytes bytes =
        main && bits > 0 ? Bytes{static_cast<std::int64_t>(static_cast<double>(kept) * bits / 8)} : kvscope::bytesOf(in, kept);
    return bytes + kvscope::bytesOf(otherwise, left);
}

std::int64_t RoleCounts::total() const { return std::accumulate(count.begin(), count.end(), std::int64_t{0}, saturatingAdd); }

RoleCounts &RoleCounts::operator+=(const RoleCounts &o)
{
    for (std::size_t i = 0; i < count.size(); ++i)
        count[i] = saturatingAdd(count[i], o.count[i]);
    return *this;
}

RoleCounts RoleCounts::operator*(std::int64_t n) const
{
    RoleCounts result;
    for (std::size_t i = 0; i < count.size(); ++i)
        result.count[i] = saturatingMultiply(count[i], n);
    return result;
}

std::vector<int> ModelSpec::groupCounts() const
{
    std::vector<int> counts(groups.size());
    for (const std::uint16_t group : layout)
        ++counts[group];
    return counts;
}

RoleCounts ModelSpec::parameters() const
{
    RoleCounts sum = outer;
    const std::vector<int> counts = groupCounts();
    for (std::size_t g = 0; g < groups.size(); ++g)
        sum += groups[g].parameters * counts[g];
    return sum;
}

std::int64_t ModelSpec::activeParameters() const
{
    RoleCounts sum = parameters();
    if (experts > 0) { // divide first: the experts' parameters are a multiple of their number
        sum[Role::Experts] = sum[Role::Experts] / experts * expertsPerToken;
        sum[Role::Small] -= expertVectors - expertVectors / experts * expertsPerToken;
    }
    sum[Role::Vision] = 0;
    sum[Role::Mtp] = 0;
    return sum.total();
}

const LayerGroup *ModelSpec::mainGroup() const
{
    const LayerGroup *cached = nullptr;
    for (const std::uint16_t index : layout) {
        const LayerGroup &group = groups[index];
        if (group.mixer == Mixer::Full || group.mixer == Mixer::Latent)
            return &group;
        if (!cached && group.hasCache())
            cached = &group;
    }
    return cached;
}

ModelSpec modelByHand(const HandShape &shape)
{
    ModelSpec model;
    model.id = "by-hand";
    model.origin = ModelOrigin::ByHand;
    LayerGroup group;
    group.kvHeads = shape.kvHeads;
    group.queryHeads = shape.heads > 0 ? shape.heads : shape.kvHeads;
    group.keyDim = group.valueDim = shape.headDim;
    model.groups = {group};
    model.layout.assign(static_cast<std::size_t>(shape.layers), 0);
    model.nativeFormat = Format::F16;
    if (shape.parameters > 0) {
        // No roles are known: all count as feed-forward matrices, the kind that every format applies to.
        const std::int64_t each = shape.parameters / shape.layers;
        model.groups[0].parameters[Role::Ffn] = each;
        model.outer[Role::Ffn] = shape.parameters - each * shape.layers;
        model.parametersKnown = true;
    }
    return model;
}

} // namespace kvscope
