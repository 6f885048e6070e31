// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <istream>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace kvscope {

/// Where bytes come from, front to back: a file, a pipe, a stream.
class ByteInput {
public:
    static constexpr std::uint64_t unknownSize = std::numeric_limits<std::uint64_t>::max();

    ByteInput() = default;
    ByteInput(const ByteInput &) = delete;
    ByteInput &operator=(const ByteInput &) = delete;
    virtual ~ByteInput() = default;

    /// Up to `most` bytes; fewer only at the end.
    std::size_t read(unsigned char *to, std::size_t most);
    /// Before anything is read: how it begins, at most `bytes`. They are still to be read.
    std::string_view beginning(std::size_t bytes);
    /// Passes over bytes without reading them; false where only reading gets ahead.
    virtual bool skip(std::uint64_t bytes) = 0;
    /// Bytes from the first to the last, or unknownSize.
    virtual std::uint64_t size() const { return unknownSize; }
    /// All bytes at once where they lie in memory; else empty.
    virtual std::span<const unsigned char> mapped() const { return {}; }
    /// Why bytes are missing, in the system's words; empty at a plain end.
    virtual std::string failure() const { return {}; }

private:
    virtual std::size_t fetch(unsigned char *to, std::size_t most) = 0;

    std::string m_beginning; ///< looked at, not yet read
};

/// A regular file, mapped where FileMapping can, or a pipe: one that nobody writes to reads as empty instead of waiting.
/// Errors: FileNotFound, NotAFile, NoPermission, ReadFailed.
Result<std::unique_ptr<ByteInput>> openBytes(const std::filesystem::path &path);

/// A stream that is open already, of unknown size.
std::unique_ptr<ByteInput> bytesOf(std::istream &stream);

/// Numbers and strings out of an input: where it is mapped in place, else through a window of fixed size. What is asked for beyond the end reads as
/// 0 or nothing, and cutShort() says so.
class ByteReader {
public:
    explicit ByteReader(ByteInput &input);

    void swapBytes(bool swapped) { m_swapped = swapped; }
    bool swapped() const { return m_swapped; }
    std::uint64_t offset() const { return m_windowOffset + m_at; }
    /// Bytes that are left, or the largest number where the size is not known.
    std::uint64_t remaining() const
    {
        const std::uint64_t size = m_input->size();
        return size == ByteInput::unknownSize ? size : size > offset() ? size - offset() : 0;
    }
    /// Something was asked for that is not there.
    bool cutShort() const { return m_cutShort; }
    /// Not a byte came, all told.
    bool empty() const { return m_windowOffset == 0 && m_end == 0; }

    template<typename T>
    T number()
    {
        if (m_end - m_at < sizeof(T) && !fill(sizeof(T)))
            return T{};
        const T value = numberAt<T>(m_window + m_at);
        m_at += sizeof(T);
        return value;
    }
    /// The caller has bounded `length`.
    std::string text(std::size_t length);
    void skip(std::uint64_t bytes);
    /// Walks past strings, each behind its length. Stops, with offset() behind the length, at one that is longer than `longest`: then false.
    bool skipStrings(std::uint64_t count, std::uint64_t longest);

private:
    static constexpr std::size_t windowSize = std::size_t{256} * 1024;

    template<typename T>
    T numberAt(const unsigned char *at) const
    {
        std::array<unsigned char, sizeof(T)> raw;
        std::memcpy(raw.data(), at, sizeof(T));
        if (m_swapped != (std::endian::native == std::endian::big))
            std::ranges::reverse(raw);
        return std::bit_cast<T>(raw);
    }

    /// At least `bytes` (at most windowSize) in the window from m_at on.
    bool fill(std::size_t bytes);

    ByteInput *m_input;
    std::unique_ptr<unsigned char[]> m_buffer; ///< null: the input is mapped, and the window is all of it
    const unsigned char *m_window;
    std::uint64_t m_windowOffset = 0; ///< of the window's first byte in the input
    std::size_t m_at = 0;
    std::size_t m_end = 0;
    bool m_swapped = false;
    bool m_cutShort = false;
};

} // namespace kvscope
