// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/ggufheader.h"

#include "core/gguf/limits.h"
#include "core/import/gguf.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace kvscope {

namespace {

constexpr std::uint64_t longestString = std::uint64_t{1} << 30; ///< strings and arrays, as llama.cpp caps them
constexpr std::uint64_t longestKept = 65'535;                   ///< keys, and strings that are kept
constexpr std::int64_t mostKeys = 65'536;
constexpr std::uint64_t longestKeptArray = 16'384; ///< numbers; what has an entry a layer is far shorter
constexpr std::size_t mostKeptNumbers = std::size_t{1} << 20;
constexpr std::uint32_t defaultAlignment = 32;
constexpr std::int64_t largestAlignment = 65'536;

constexpr std::array<std::uint8_t, 13> valueSizes{1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

bool isFloat(GgufValueType type) { return type == GgufValueType::F32 || type == GgufValueType::F64; }

/// What is read of a header; the first error stays.
class HeaderReader {
public:
    HeaderReader(ByteInput &input, const std::string &name) : m_input(&input), m_reader(input), m_name(&name) {}

    Result<GgufHeader> read()
    {
        readStart();
        if (!m_error)
            readValues();
        if (!m_error)
            readAlignment();
        if (!m_error)
            readTensors();
        if (!m_error)
            checkData();
        if (m_error)
            return *m_error;
        return std::move(m_header);
    }

private:
    void fail(ErrorCode code, std::string where, std::string detail)
    {
        if (!m_error)
            m_error = Error{code, std::move(where), std::move(detail), *m_name};
    }
    /// The header can't be right from here on. `what` is being read.
    void damaged(const std::string &what, std::uint64_t offset) { fail(ErrorCode::DamagedHeader, what, std::to_string(offset)); }
    /// Did all that was asked for arrive? `what` was being read.
    bool arrived(const std::string &what)
    {
        if (!m_reader.cutShort())
            return true;
        if (const std::string word = m_input->failure(); !word.empty())
            fail(ErrorCode::ReadFailed, *m_name, word);
        else
            fail(ErrorCode::CutShort, what, std::to_string(m_reader.offset()));
        return false;
    }

    void readStart()
    {
        const std::string start = m_reader.text(ggufMagic.size());
        if (m_reader.cutShort()) {
            if (const std::string word = m_input->failure(); !word.empty())
                return fail(ErrorCode::ReadFailed, *m_name, word);
            return m_reader.empty() ? fail(ErrorCode::FileEmpty, *m_name, {}) : fail(ErrorCode::NotThisKind, *m_name, "gguf");
        }
        if (!isGguf(start))
            return fail(ErrorCode::NotThisKind, *m_name, "gguf");
        auto version = m_reader.number<std::uint32_t>();
        // 1.5: a version of the other byte order has its low half empty.
        if ((version & 0xffff) == 0 && version != 0) {
            m_reader.swapBytes(true);
            version = version >> 24 | (version >> 8 & 0xff00);
        }
        if (!arrived("version"))
            return;
        if (version != 2 && version != 3)
            return fail(ErrorCode::UnsupportedVersion, *m_name, std::to_string(version));
        m_tensorCount = readCount("tensors", mostGgufTensors);
        m_keyCount = readCount("keys", mostKeys);
    }

    std::int64_t readCount(const char *what, std::int64_t most)
    {
        const std::uint64_t offset = m_reader.offset();
        const auto count = m_reader.number<std::int64_t>();
        if (arrived(what) && (count < 0 || count > most))
            damaged(what, offset);
        return count;
    }

    /// A string's length; at most `most`, and no more than there is.
    std::uint64_t readLength(const std::string &what, std::uint64_t most)
    {
        const std::uint64_t offset = m_reader.offset();
        const auto length = m_reader.number<std::uint64_t>();
        if (!arrived(what))
            return 0;
        if (length > most)
            damaged(what, offset);
        else if (length > m_reader.remaining())
            fail(ErrorCode::CutShort, what, std::to_string(offset));
        return m_error ? 0 : length;
    }

    std::string readText(const std::string &what, std::uint64_t most)
    {
        const std::uint64_t length = readLength(what, most);
        std::string text = m_reader.text(static_cast<std::size_t>(length));
        return arrived(what) ? text : std::string();
    }

    GgufValueType readType(const std::string &key, bool inArray)
    {
        const std::uint64_t offset = m_reader.offset();
        const auto id = m_reader.number<std::uint32_t>();
        const auto type = static_cast<GgufValueType>(std::min<std::uint32_t>(id, 255));
        if (arrived(key) && (id >= valueSizes.size() || (inArray && type == GgufValueType::Array)))
            damaged(key, offset);
        return type;
    }

    void readValues()
    {
        for (std::int64_t i = 0; i < m_keyCount && !m_error; ++i) {
            const std::string place = "key " + std::to_string(i + 1);
            const std::uint64_t offset = m_reader.offset();
            std::string key = readText(place, longestKept);
            if (m_error)
                return;
            if (key.empty())
                return damaged(place, offset);
            const auto [entry, isNew] = m_header.values.try_emplace(std::move(key));
            if (!isNew)
                return fail(ErrorCode::DuplicateName, "keys", entry->first);
            readValue(entry->first, entry->second);
        }
    }

    void readValue(const std::string &key, GgufValue &value)
    {
        value.type = readType(key, false);
        if (m_error)
            return;
        value.array = value.type == GgufValueType::Array;
        if (value.array) {
            value.type = readType(key, true);
            if (!m_error)
                readArray(key, value);
        } else if (value.type == GgufValueType::String) {
            // What else is text decides no memory.
            if (key == "general.architecture" || key == "general.name" || key == "tokenizer.ggml.model")
                value.text = readText(key, longestKept);
            else
                m_reader.skip(readLength(key, longestString));
        } else if (isFloat(value.type)) {
            m_reader.skip(valueSizes[static_cast<std::size_t>(value.type)]);
        } else {
            value.numbers.push_back(readNumber(value.type));
        }
        arrived(key);
    }

    void readArray(const std::string &key, GgufValue &value)
    {
        const std::uint64_t offset = m_reader.offset();
        value.count = m_reader.number<std::uint64_t>();
        if (!arrived(key))
            return;
        const bool strings = value.type == GgufValueType::String;
        const std::uint64_t least = strings ? sizeof(std::uint64_t) : valueSizes[static_cast<std::size_t>(value.type)];
        if (value.count > longestString)
            return damaged(key, offset);
        if (value.count * least > m_reader.remaining())
            return fail(ErrorCode::CutShort, key, std::to_string(offset));
        // Tokens, merges and scores are the bulk of a header: they are walked past. So is what is too long to have an entry a layer.
        if (strings) {
            if (!m_reader.skipStrings(value.count, longestString))
                damaged(key, m_reader.offset() - sizeof(std::uint64_t));
            return;
        }
        if (isFloat(value.type) || value.count > longestKeptArray || key.starts_with("tokenizer."))
            return m_reader.skip(value.count * least);
        m_keptNumbers += static_cast<std::size_t>(value.count);
        if (m_keptNumbers > mostKeptNumbers)
            return damaged(key, offset);
        for (std::uint64_t i = 0; i < value.count && !m_reader.cutShort(); ++i)
            value.numbers.push_back(readNumber(value.type));
    }

    /// Saturates: a range that it is held to says the rest.
    std::int64_t readNumber(GgufValueType type)
    {
        switch (type) {
        case GgufValueType::U8: return m_reader.number<std::uint8_t>();
        case GgufValueType::I8: return m_reader.number<std::int8_t>();
        case GgufValueType::U16: return m_reader.number<std::uint16_t>();
        case GgufValueType::I16: return m_reader.number<std::int16_t>();
        case GgufValueType::U32: return m_reader.number<std::uint32_t>();
        case GgufValueType::I32: return m_reader.number<std::int32_t>();
        case GgufValueType::Bool: return m_reader.number<std::uint8_t>() != 0;
        case GgufValueType::U64: return static_cast<std::int64_t>(std::min<std::uint64_t>(m_reader.number<std::uint64_t>(), tooLargeValue));
        case GgufValueType::I64: return m_reader.number<std::int64_t>();
        case GgufValueType::F32:
        case GgufValueType::F64:
        case GgufValueType::String:
        case GgufValueType::Array: break;
        }
        return 0;
    }

    void readAlignment()
    {
        constexpr std::string_view key = "general.alignment";
        const GgufValue *value = m_header.value(key);
        if (!value)
            return;
        if (!value->isNumber() || value->type != GgufValueType::U32)
            return fail(ErrorCode::WrongType, std::string(key), "u32");
        const std::int64_t number = value->numbers.front();
        if (number < 1 || number > largestAlignment || !std::has_single_bit(static_cast<std::uint64_t>(number)))
            return fail(ErrorCode::OutOfRange, std::string(key), "1, 2, 4, ..., " + std::to_string(largestAlignment));
        m_alignment = number;
    }

    void readTensors()
    {
        for (std::int64_t i = 0; i < m_tensorCount && !m_error; ++i)
            readTensor("tensor " + std::to_string(i + 1));
    }

    void readTensor(const std::string &place)
    {
        GgufTensor tensor;
        tensor.name = readText(place, longestGgufTensorName);
        const std::string &what = tensor.name.empty() ? place : tensor.name;
        std::uint64_t offset = m_reader.offset();
        const auto dimensions = m_reader.number<std::uint32_t>();
        if (!arrived(what) || m_error)
            return;
        if (dimensions > tensor.dims.size())
            return damaged(what, offset);
        offset = m_reader.offset();
        std::int64_t elements = 1;
        for (std::size_t d = 0; d < dimensions; ++d) {
            const auto dim = m_reader.number<std::int64_t>();
            tensor.dims[d] = dim;
            if (dim < 0)
                return arrived(what) ? damaged(what, offset) : void();
            elements = saturatingMultiply(elements, std::max<std::int64_t>(dim, 1));
        }
        const auto id = m_reader.number<std::uint32_t>();
        const auto start = m_reader.number<std::uint64_t>();
        if (!arrived(what))
            return;
        if (elements == tooLargeValue)
            return damaged(what, offset);
        const GgufType *const type = ggufTypeById(id);
        if (!type)
            return fail(ErrorCode::UnknownTensorType, what, std::to_string(id));
        tensor.type = type->format;
        if (tensor.dims[0] % type->block != 0)
            return damaged(what, offset);
        const Bytes bytes = tensor.bytes();
        if (bytes.tooLarge() || start != static_cast<std::uint64_t>(m_nextOffset))
            return damaged(what, m_reader.offset() - sizeof(start));
        m_dataEnd = saturatingAdd(m_nextOffset, bytes.value);
        m_nextOffset = saturatingMultiply(ceilDivide(m_dataEnd, m_alignment), m_alignment);
        if (m_nextOffset == tooLargeValue)
            return damaged(what, m_reader.offset() - sizeof(start));
        m_header.tensors.push_back(std::move(tensor));
    }

    void checkData()
    {
        const std::uint64_t size = m_input->size();
        if (m_header.tensors.empty() || size == ByteInput::unknownSize)
            return;
        const auto alignment = static_cast<std::uint64_t>(m_alignment);
        const std::uint64_t dataStart = (m_reader.offset() + alignment - 1) / alignment * alignment;
        m_header.incomplete = dataStart > size || static_cast<std::uint64_t>(m_dataEnd) > size - dataStart;
    }

    ByteInput *m_input;
    ByteReader m_reader;
    const std::string *m_name;
    GgufHeader m_header;
    std::optional<Error> m_error;
    std::int64_t m_tensorCount = 0, m_keyCount = 0;
    std::size_t m_keptNumbers = 0;
    std::int64_t m_alignment = defaultAlignment;
    std::int64_t m_dataEnd = 0;    ///< of the tensors so far, from the data's start
    std::int64_t m_nextOffset = 0; ///< the same, padded
};

} // namespace

bool isGguf(std::string_view beginning) { return beginning.starts_with(ggufMagic); }

Result<std::optional<std::int64_t>> GgufHeader::number(std::string_view key, std::int64_t lowest, std::int64_t highest) const
{
    const GgufValue *found = value(key);
    if (!found)
        return std::optional<std::int64_t>();
    if (!found->isNumber())
        return Error{ErrorCode::WrongType, std::string(key), "integer", {}};
    const std::int64_t number = found->numbers.front();
    if (number < lowest || number > highest)
        return Error{ErrorCode::OutOfRange, std::string(key), std::to_string(lowest) + ".." + std::to_string(highest), {}};
    return std::optional(number);
}

Result<GgufHeader> readGgufHeader(ByteInput &input, const std::string &name) { return HeaderReader(input, name).read(); }

} // namespace kvscope
