// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format.h"
#include "core/units.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// A type that a tensor may have (spec/local-engines.md 1.2).
struct GgufType {
    std::uint32_t id;
    Format format;
    std::int64_t block; ///< elements that a row must be a multiple of
};
/// nullptr for ids that were removed or never given.
const GgufType *ggufTypeById(std::uint32_t id);
/// nullptr for formats that no tensor has: mixes, and what only checkpoints use.
const GgufType *ggufTypeOf(Format format);

/// A tensor as a GGUF header lists it.
struct GgufTensor {
    std::string name;
    std::array<std::int64_t, 4> dims{1, 1, 1, 1}; ///< dims[0] is the contiguous one (row length)
    Format type = Format::F32;

    std::int64_t elements() const;
    /// Whole rows of blocks (spec/local-engines.md 1.1); no padding.
    Bytes bytes() const;
    bool operator==(const GgufTensor &) const = default;
};

/// A numeric value of the metadata: a number, or an array with an entry a layer.
struct GgufNumbers {
    std::vector<std::int64_t> values; ///< bools are 0 and 1
    bool array = false;

    bool operator==(const GgufNumbers &) const = default;
};

/// What of a GGUF decides memory: the keys of spec/local-engines.md 2.1 without `<arch>.` in front, and the tensors in the file's order.
/// A file's header, or what the converter would write for a model from Hugging Face.
struct GgufModel {
    std::string architecture; ///< general.architecture
    std::string name;         ///< general.name
    int fileType = -1;        ///< general.file_type; -1 = not said. Sizes come from the tensors, never from this
    std::map<std::string, GgufNumbers, std::less<>> keys;
    std::int64_t vocab = 0; ///< tokens
    std::vector<GgufTensor> tensors;
    bool converted = false;  ///< no file: types are those of an unquantised conversion, for the quantiser's rules to change
    bool incomplete = false; ///< the header is whole, the data is missing or short

    bool has(std::string_view key) const { return keys.contains(key); }
    /// A number, or an array's first entry; `otherwise` if the key is not there.
    std::int64_t number(std::string_view key, std::int64_t otherwise = 0) const;
    /// The entry of one layer; a single number stands for all.
    std::int64_t ofLayer(std::string_view key, std::size_t layer, std::int64_t otherwise = 0) const;
    /// Blocks, next-token-prediction blocks included (block_count).
    int blocks() const { return static_cast<int>(number("block_count")); }
    /// Sum over the tensors.
    Bytes tensorBytes() const;
    const GgufTensor *tensor(std::string_view tensorName) const;

    bool operator==(const GgufModel &) const = default;
};

} // namespace kvscope
