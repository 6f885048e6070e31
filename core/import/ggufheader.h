// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/import/ggufbytes.h"
#include "core/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// The metadata value types of GGUF; the order is that of their ids (spec/local-engines.md 1.1).
enum class GgufValueType : std::uint8_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

/// A metadata value, as far as it is kept: whole numbers and bools, arrays of them, and the few strings that are asked for.
struct GgufValue {
    GgufValueType type = GgufValueType::U8; ///< of an array: of its elements
    bool array = false;
    std::uint64_t count = 1; ///< elements, kept or not
    std::vector<std::int64_t> numbers;
    std::string text;

    /// One whole number or bool.
    bool isNumber() const { return !array && !numbers.empty(); }
};

/// One file's header, as it stands there.
struct GgufHeader {
    std::map<std::string, GgufValue, std::less<>> values;
    std::vector<GgufTensor> tensors;
    bool incomplete = false; ///< the input ends before its tensors do; never for one of unknown size

    const GgufValue *value(std::string_view key) const
    {
        const auto found = values.find(key);
        return found == values.end() ? nullptr : &found->second;
    }
    /// A whole number in lowest..highest, empty if there is no such key. Errors: WrongType, OutOfRange.
    Result<std::optional<std::int64_t>> number(std::string_view key, std::int64_t lowest, std::int64_t highest) const;
};

/// Reads a header with every limit of spec/local-engines.md 1.6; nothing is allocated by a count that the input does not hold. `name` stands in Error::file.
Result<GgufHeader> readGgufHeader(ByteInput &input, const std::string &name);

} // namespace kvscope
