// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <istream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
    /// Why bytes are missing, in the system's words; empty at a plain end.
    virtual std::string failure() const { return {}; }

private:
    virtual std::size_t fetch(unsigned char *to, std::size_t most) = 0;

    std::string m_beginning; ///< looked at, not yet read
};

/// A regular file or a pipe. Read, never mapped: a file that shrinks meanwhile or a drive that goes away is a short read, not a signal.
/// A pipe that nobody writes to reads as empty instead of waiting. Errors: FileNotFound, NotAFile, NoPermission, ReadFailed.
Result<std::unique_ptr<ByteInput>> openBytes(const std::filesystem::path &path);

/// A stream that is open already, of unknown size.
std::unique_ptr<ByteInput> bytesOf(std::istream &stream);

/// Numbers and strings out of an input, through a window of fixed size. After the first shortage every read gives 0.
class ByteReader {
public:
    explicit ByteReader(ByteInput &input) : m_input(&input), m_window(std::make_unique_for_overwrite<unsigned char[]>(windowSize)) {}

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
        std::array<unsigned char, sizeof(T)> raw;
        std::memcpy(raw.data(), m_window.get() + m_at, sizeof(T));
        m_at += sizeof(T);
        if (m_swapped != (std::endian::native == std::endian::big)) {
            for (std::size_t i = 0; i < sizeof(T) / 2; ++i)
                std::swap(raw[i], raw[sizeof(T) - 1 - i]);
        }
        return std::bit_cast<T>(raw);
    }
    /// The caller has bounded `length`.
    std::string text(std::size_t length);
    void skip(std::uint64_t bytes);

private:
    static constexpr std::size_t windowSize = std::size_t{256} * 1024;

    /// At least `bytes` (at most windowSize) in the window from m_at on.
    bool fill(std::size_t bytes);

    ByteInput *m_input;
    std::unique_ptr<unsigned char[]> m_window;
    std::uint64_t m_windowOffset = 0; ///< of the window's first byte in the input
    std::size_t m_at = 0;
    std::size_t m_end = 0;
    bool m_swapped = false;
    bool m_cutShort = false;
};

} // namespace kvscope
