// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/ggufbytes.h"

#include "core/import/ggufmapping.h"
#include "core/import/import.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

#ifndef _WIN32
#include <fcntl.h>
#include <unistd.h>
#endif

namespace kvscope {

namespace fs = std::filesystem;

namespace {

std::string systemWord(int code) { return std::error_code(code, std::generic_category()).message(); }

#ifdef _WIN32
std::FILE *openFile(const fs::path &path) { return _wfopen(path.c_str(), L"rb"); }
bool seekTo(std::FILE *file, std::uint64_t offset) { return _fseeki64(file, static_cast<std::int64_t>(offset), SEEK_SET) == 0; }
#else
/// Opening a pipe would wait for its other end: it is opened without waiting, then read as any file.
std::FILE *openFile(const fs::path &path)
{
    const int number = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (number < 0)
        return nullptr;
    if (const int flags = ::fcntl(number, F_GETFL); flags >= 0)
        ::fcntl(number, F_SETFL, flags & ~O_NONBLOCK);
    std::FILE *file = ::fdopen(number, "rb");
    if (!file)
        ::close(number);
    return file;
}
bool seekTo(std::FILE *file, std::uint64_t offset) { return ::fseeko(file, static_cast<off_t>(offset), SEEK_SET) == 0; }
#endif

class FileInput final : public ByteInput {
public:
    FileInput(std::FILE *file, std::uint64_t size) : m_file(file), m_mapping(file, size == unknownSize ? 0 : size), m_size(size)
    {
        std::setvbuf(file, nullptr, _IONBF, 0); // the reader's window is the only buffer
    }

    bool skip(std::uint64_t bytes) override
    {
        if (m_size == unknownSize || !seekTo(m_file.get(), m_offset + bytes))
            return false;
        m_offset += bytes;
        return true;
    }
    std::uint64_t size() const override { return m_size; }
    std::span<const unsigned char> mapped() const override { return m_mapping.bytes(); }
    std::string failure() const override { return m_failure; }

private:
    std::size_t fetch(unsigned char *to, std::size_t most) override
    {
        const std::size_t got = std::fread(to, 1, most, m_file.get());
        if (got < most && std::ferror(m_file.get()))
            m_failure = systemWord(errno);
        m_offset += got;
        return got;
    }

    struct Close {
        void operator()(std::FILE *file) const { std::fclose(file); }
    };
    std::unique_ptr<std::FILE, Close> m_file;
    FileMapping m_mapping;
    std::uint64_t m_size;
    std::uint64_t m_offset = 0;
    std::string m_failure;
};

class StreamInput final : public ByteInput {
public:
    explicit StreamInput(std::istream &stream) : m_stream(&stream) {}

    bool skip(std::uint64_t) override { return false; }

private:
    std::size_t fetch(unsigned char *to, std::size_t most) override
    {
        m_stream->read(reinterpret_cast<char *>(to), static_cast<std::streamsize>(most));
        return static_cast<std::size_t>(m_stream->gcount());
    }

    std::istream *m_stream;
};

} // namespace

Result<std::unique_ptr<ByteInput>> openBytes(const fs::path &path)
{
    const auto failed = [&path](ErrorCode code, std::string detail = {}) { return Error{code, shown(path), std::move(detail), {}}; };
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    if (status.type() == fs::file_type::not_found)
        return failed(ErrorCode::FileNotFound);
    if (problem == std::errc::permission_denied)
        return failed(ErrorCode::NoPermission);
    if (problem)
        return failed(ErrorCode::ReadFailed, problem.message());
    const bool regular = status.type() == fs::file_type::regular;
    if (!regular && status.type() != fs::file_type::fifo)
        return failed(ErrorCode::NotAFile);
    const std::uintmax_t size = regular ? fs::file_size(path, problem) : ByteInput::unknownSize;
    if (problem)
        return failed(ErrorCode::ReadFailed, problem.message());
    errno = 0;
    std::FILE *file = openFile(path);
    if (!file) {
        const int code = errno;
        return code == EACCES || code == EPERM ? failed(ErrorCode::NoPermission) : failed(ErrorCode::ReadFailed, systemWord(code));
    }
    return std::unique_ptr<ByteInput>(std::make_unique<FileInput>(file, size));
}

std::unique_ptr<ByteInput> bytesOf(std::istream &stream) { return std::make_unique<StreamInput>(stream); }

std::size_t ByteInput::read(unsigned char *to, std::size_t most)
{
    const std::size_t known = std::min(most, m_beginning.size());
    std::copy_n(m_beginning.begin(), known, to);
    m_beginning.erase(0, known);
    return known + (known < most ? fetch(to + known, most - known) : 0);
}

std::string_view ByteInput::beginning(std::size_t bytes)
{
    m_beginning.resize(bytes);
    m_beginning.resize(fetch(reinterpret_cast<unsigned char *>(m_beginning.data()), bytes));
    return m_beginning;
}

ByteReader::ByteReader(ByteInput &input) : m_input(&input)
{
    const std::span<const unsigned char> mapped = input.mapped();
    if (mapped.empty())
        m_buffer = std::make_unique_for_overwrite<unsigned char[]>(windowSize);
    m_window = mapped.empty() ? m_buffer.get() : mapped.data();
    m_end = mapped.size();
}

bool ByteReader::fill(std::size_t bytes)
{
    if (!m_buffer)
        m_cutShort = true;
    if (m_cutShort)
        return false;
    const std::size_t left = m_end - m_at;
    std::memmove(m_buffer.get(), m_window + m_at, left);
    m_windowOffset += m_at;
    m_at = 0;
    m_end = left + m_input->read(m_buffer.get() + left, windowSize - left);
    m_cutShort = m_end < bytes;
    return !m_cutShort;
}

std::string ByteReader::text(std::size_t length)
{
    std::string out;
    while (out.size() < length) {
        const std::size_t part = std::min(length - out.size(), windowSize);
        if (m_end - m_at < part && !fill(part))
            return {};
        out.append(reinterpret_cast<const char *>(m_window + m_at), part);
        m_at += part;
    }
    return out;
}

void ByteReader::skip(std::uint64_t bytes)
{
    if (bytes <= m_end - m_at) {
        m_at += static_cast<std::size_t>(bytes);
        return;
    }
    if (bytes > remaining())
        m_cutShort = true;
    if (m_cutShort)
        return;
    bytes -= m_end - m_at;
    m_windowOffset += m_end;
    m_at = m_end = 0;
    if (bytes >= windowSize && m_input->skip(bytes)) {
        m_windowOffset += bytes;
        return;
    }
    while (bytes > 0) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, windowSize));
        if (!fill(part))
            return;
        m_at = part;
        bytes -= part;
    }
}

bool ByteReader::skipStrings(std::uint64_t count, std::uint64_t longest)
{
    constexpr std::size_t lengthSize = sizeof(std::uint64_t);
    while (count > 0) {
        // The bulk of a header: as long as the window holds whole strings, nothing but their lengths is looked at.
        const unsigned char *at = m_window + m_at;
        const unsigned char *const end = m_window + m_end;
        for (; count > 0 && static_cast<std::size_t>(end - at) >= lengthSize; --count) {
            const auto length = numberAt<std::uint64_t>(at);
            if (length > static_cast<std::size_t>(end - at) - lengthSize)
                break;
            at += lengthSize + static_cast<std::size_t>(length);
        }
        m_at = static_cast<std::size_t>(at - m_window);
        if (count == 0)
            break;
        const auto length = number<std::uint64_t>();
        if (length > longest)
            return false;
        skip(length);
        if (m_cutShort)
            break;
        --count;
    }
    return true;
}

} // namespace kvscope
