// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope::testing {

/// Ids of metadata value types (spec/local-engines.md 1.1).
enum GgufId : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

/// Writes numbers and strings as a GGUF file has them. Nothing is checked: what is wrong can be written, too.
class GgufBytes {
public:
    explicit GgufBytes(bool bigEndian = false) : m_swap(bigEndian == (std::endian::native == std::endian::little)) {}

    template<typename T>
    GgufBytes &number(T value)
    {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        for (std::size_t i = 0; i < sizeof(T); ++i)
            m_bytes += raw[m_swap ? sizeof(T) - 1 - i : i];
        return *this;
    }
    GgufBytes &text(std::string_view text)
    {
        number<std::uint64_t>(text.size());
        m_bytes += text;
        return *this;
    }
    GgufBytes &raw(std::string_view bytes)
    {
        m_bytes += bytes;
        return *this;
    }
    const std::string &bytes() const { return m_bytes; }

private:
    std::string m_bytes;
    bool m_swap;
};

/// A file in the making: keys, then tensors, padding, data.
class GgufFile {
public:
    explicit GgufFile(std::uint32_t version = 3, bool bigEndian = false) :
        m_version(version), m_bigEndian(bigEndian), m_keys(bigEndian), m_infos(bigEndian)
    {
    }

    /// A value of any type, as its bytes say.
    template<typename T>
    GgufFile &add(std::string_view key, GgufId type, T value)
    {
        start(key, type);
        m_keys.number(value);
        return *this;
    }
    GgufFile &u32(std::string_view key, std::uint32_t value) { return add(key, U32, value); }
    GgufFile &text(std::string_view key, std::string_view value)
    {
        start(key, String);
        m_keys.text(value);
        return *this;
    }
    template<typename T>
    GgufFile &array(std::string_view key, GgufId type, const std::vector<T> &values)
    {
        start(key, Array);
        m_keys.number<std::uint32_t>(type).number<std::uint64_t>(values.size());
        for (const T &value : values)
            m_keys.number(value);
        return *this;
    }
    GgufFile &texts(std::string_view key, const std::vector<std::string> &values)
    {
        start(key, Array);
        m_keys.number<std::uint32_t>(String).number<std::uint64_t>(values.size());
        for (const std::string &value : values)
            m_keys.text(value);
        return *this;
    }
    /// A tensor of `bytes` at the next offset.
    GgufFile &tensor(std::string_view name, const std::vector<std::int64_t> &dims, std::uint32_t type, std::uint64_t bytes)
    {
        tensorAt(name, dims, type, m_offset);
        m_dataEnd = m_offset + bytes;
        m_offset = (m_dataEnd + m_alignment - 1) / m_alignment * m_alignment;
        return *this;
    }
    GgufFile &tensorAt(std::string_view name, const std::vector<std::int64_t> &dims, std::uint32_t type, std::uint64_t offset)
    {
        m_infos.text(name).number<std::uint32_t>(static_cast<std::uint32_t>(dims.size()));
        for (const std::int64_t dim : dims)
            m_infos.number(dim);
        m_infos.number(type).number(offset);
        ++m_tensors;
        return *this;
    }
    /// What tensors are padded to; writes no key.
    GgufFile &align(std::uint64_t alignment)
    {
        m_alignment = alignment;
        return *this;
    }

    /// Magic to the last tensor's info.
    std::string header() const
    {
        GgufBytes out(m_bigEndian);
        out.raw("GGUF").number(m_version).number(m_tensors).number(m_count).raw(m_keys.bytes()).raw(m_infos.bytes());
        return out.bytes();
    }
    /// With padding and all data.
    std::string whole() const
    {
        std::string out = header();
        out.resize((out.size() + m_alignment - 1) / m_alignment * m_alignment + m_dataEnd);
        return out;
    }
    std::uint64_t dataBytes() const { return m_dataEnd; }

private:
    void start(std::string_view key, GgufId type)
    {
        m_keys.text(key).number<std::uint32_t>(type);
        ++m_count;
    }

    std::uint32_t m_version;
    bool m_bigEndian;
    GgufBytes m_keys, m_infos;
    std::int64_t m_count = 0, m_tensors = 0;
    std::uint64_t m_alignment = 32, m_offset = 0, m_dataEnd = 0;
};

/// The keys that every model has: a Llama of two blocks, 64 wide, 4 heads of 16, 2 of them for K and V.
inline GgufFile smallKeys(std::uint32_t version = 3, bool bigEndian = false)
{
    GgufFile file(version, bigEndian);
    file.text("general.architecture", "llama").text("general.name", "Small").u32("general.file_type", 7);
    file.u32("llama.block_count", 2).u32("llama.context_length", 4096).u32("llama.embedding_length", 64);
    file.u32("llama.attention.head_count", 4).u32("llama.attention.head_count_kv", 2).u32("llama.feed_forward_length", 128);
    return file;
}

/// Its tensors: two of the table, and in each block a norm and a matrix in Q8_0. 100 tokens.
inline GgufFile &smallTensors(GgufFile &file)
{
    constexpr std::uint32_t f32 = 0, q8 = 8;
    file.tensor("token_embd.weight", {64, 100}, q8, 64 / 32 * 34 * 100).tensor("output_norm.weight", {64}, f32, 256);
    for (const std::string block : {"blk.0.", "blk.1."}) {
        file.tensor(block + "attn_norm.weight", {64}, f32, 256);
        file.tensor(block + "attn_q.weight", {64, 64}, q8, 64 / 32 * 34 * 64);
    }
    return file;
}

inline GgufFile smallFile(std::uint32_t version = 3, bool bigEndian = false)
{
    GgufFile file = smallKeys(version, bigEndian);
    file.texts("tokenizer.ggml.tokens", std::vector<std::string>(100, "word"));
    smallTensors(file);
    return file;
}

} // namespace kvscope::testing
