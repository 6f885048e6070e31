// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/model.h"

#include <algorithm>

namespace kvscope {

std::int64_t GgufTensor::elements() const
{
    std::int64_t product = 1;
    for (const std::int64_t dim : dims)
        product = saturatingMultiply(product, dim);
    return product;
}

Bytes GgufTensor::bytes() const
{
    const TensorFormat &format = infoOf(type);
    return Bytes{dims[0] / format.blockElements} * format.blockBytes * dims[1] * dims[2] * dims[3];
}

std::int64_t GgufModel::number(std::string_view key, std::int64_t otherwise) const { return ofLayer(key, 0, otherwise); }

std::int64_t GgufModel::ofLayer(std::string_view key, std::size_t layer, std::int64_t otherwise) const
{
    const auto found = keys.find(key);
    if (found == keys.end() || found->second.values.empty())
        return otherwise;
    const GgufNumbers &numbers = found->second;
    if (!numbers.array)
        return numbers.values.front();
    return layer < numbers.values.size() ? numbers.values[layer] : otherwise;
}

Bytes GgufModel::tensorBytes() const
{
    Bytes sum;
    for (const GgufTensor &tensor : tensors)
        sum += tensor.bytes();
    return sum;
}

const GgufTensor *GgufModel::tensor(std::string_view tensorName) const
{
    const auto found = std::ranges::find(tensors, tensorName, &GgufTensor::name);
    return found == tensors.end() ? nullptr : &*found;
}

} // namespace kvscope
