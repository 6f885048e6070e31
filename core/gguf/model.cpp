// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/model.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

/// A row of NVFP4 has whole blocks of 64, of four scales each.
constexpr std::array types{
    GgufType{0, Format::F32, 1},       GgufType{1, Format::F16, 1},        GgufType{2, Format::Q4_0, 32},
    GgufType{3, Format::Q4_1, 32},     GgufType{6, Format::Q5_0, 32},      GgufType{7, Format::Q5_1, 32},
    GgufType{8, Format::Q8_0, 32},     GgufType{9, Format::Q8_1, 32},      GgufType{10, Format::Q2_K, 256},
    GgufType{11, Format::Q3_K, 256},   GgufType{12, Format::Q4_K, 256},    GgufType{13, Format::Q5_K, 256},
    GgufType{14, Format::Q6_K, 256},   GgufType{15, Format::Q8_K, 256},    GgufType{16, Format::IQ2_XXS, 256},
    GgufType{17, Format::IQ2_XS, 256}, GgufType{18, Format::IQ3_XXS, 256}, GgufType{19, Format::IQ1_S, 256},
    GgufType{20, Format::IQ4_NL, 32},  GgufType{21, Format::IQ3_S, 256},   GgufType{22, Format::IQ2_S, 256},
    GgufType{23, Format::IQ4_XS, 256}, GgufType{24, Format::I8, 1},        GgufType{25, Format::I16, 1},
    GgufType{26, Format::I32, 1},      GgufType{27, Format::I64, 1},       GgufType{28, Format::F64, 1},
    GgufType{29, Format::IQ1_M, 256},  GgufType{30, Format::BF16, 1},      GgufType{34, Format::TQ1_0, 256},
    GgufType{35, Format::TQ2_0, 256},  GgufType{39, Format::MXFP4, 32},    GgufType{40, Format::NVFP4, 64},
    GgufType{41, Format::Q1_0, 128},   GgufType{42, Format::Q2_0, 64},
};

} // namespace

const GgufType *ggufTypeById(std::uint32_t id)
{
    const auto *const row = std::ranges::find(types, id, &GgufType::id);
    return row == types.end() ? nullptr : row;
}

const GgufType *ggufTypeOf(Format format)
{
    const auto *const row = std::ranges::find(types, format, &GgufType::format);
    return row == types.end() ? nullptr : row;
}

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
