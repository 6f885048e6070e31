// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/import.h"

#include <cerrno>
#include <fstream>
#include <random>
#include <system_error>

#ifdef _WIN32
#include <io.h>
#else
#include <fcntl.h>
#include <unistd.h>
#endif

namespace kvscope {

namespace fs = std::filesystem;

namespace {

Error failed(ErrorCode code, const fs::path &path, std::string detail = {}) { return {code, shown(path), std::move(detail), {}}; }

/// Bytes down to the disk before the rename makes them the file: otherwise a crash may leave an empty one.
bool flushed(const fs::path &path)
{
#ifdef _WIN32
    const int file = _wopen(path.c_str(), 0x0001 | 0x0008); // _O_WRONLY | _O_APPEND
    const bool good = file >= 0 && _commit(file) == 0;
    if (file >= 0)
        _close(file);
#else
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const bool good = file >= 0 && ::fsync(file) == 0;
    if (file >= 0)
        ::close(file);
#endif
    return good;
}

/// A folder's entry is on the disk only when the folder is. Not every file system takes it, so its failure is none.
void flushFolder([[maybe_unused]] const fs::path &folder)
{
#ifndef _WIN32
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0) {
        ::fsync(file);
        ::close(file);
    }
#endif
}

std::string systemWord(int code) { return std::error_code(code, std::generic_category()).message(); }

} // namespace

std::string shown(const fs::path &path)
{
    const std::u8string utf8 = path.u8string();
    return {utf8.begin(), utf8.end()};
}

Result<std::string> readFile(const fs::path &path, std::int64_t limit)
{
    std::error_code problem;
    const fs::file_status status = fs::status(path, problem);
    if (status.type() == fs::file_type::not_found)
        return failed(ErrorCode::FileNotFound, path);
    if (problem == std::errc::permission_denied)
        return failed(ErrorCode::NoPermission, path);
    if (problem)
        return failed(ErrorCode::ReadFailed, path, problem.message());
    if (status.type() != fs::file_type::regular) // asked before it is opened: opening a pipe would wait for its other end
        return failed(ErrorCode::NotAFile, path);
    const auto size = fs::file_size(path, problem);
    if (problem)
        return failed(ErrorCode::ReadFailed, path, problem.message());
    if (size > static_cast<std::uintmax_t>(limit))
        return failed(ErrorCode::FileTooLarge, path, std::to_string(limit));

    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        const int code = errno;
        if (code == EACCES || code == EPERM)
            return failed(ErrorCode::NoPermission, path);
        return failed(ErrorCode::ReadFailed, path, systemWord(code));
    }
    // Files of /proc claim size 0 and others may grow while they are read: at most `limit` bytes are taken, whatever the size said.
    std::string text(static_cast<std::size_t>(size) + 1, '\0');
    std::size_t filled = 0;
    while (file.read(text.data() + filled, static_cast<std::streamsize>(text.size() - filled)), file.gcount() > 0) {
        filled += static_cast<std::size_t>(file.gcount());
        if (filled > static_cast<std::size_t>(limit))
            return failed(ErrorCode::FileTooLarge, path, std::to_string(limit));
        if (filled == text.size())
            text.resize(text.size() + 65'536);
    }
    if (file.bad())
        return failed(ErrorCode::ReadFailed, path, systemWord(errno));
    if (filled == 0)
        return failed(ErrorCode::FileEmpty, path);
    text.resize(filled);
    return text;
}

std::optional<Error> writeFile(const fs::path &path, std::string_view text)
{
    std::error_code problem;
    // A link is written through: what it points to is replaced, not the link.
    fs::path target = fs::weakly_canonical(path, problem);
    if (problem)
        target = path;
    if (fs::is_directory(target, problem))
        return failed(ErrorCode::WriteFailed, path, systemWord(EISDIR));

    fs::path temporary = target;
    temporary += ".new-" + std::to_string(std::random_device{}());
    errno = 0;
    std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    file.close();
    if (!file || !flushed(temporary)) {
        const int code = errno;
        fs::remove(temporary, problem);
        return failed(ErrorCode::WriteFailed, path, systemWord(code));
    }
    if (const fs::file_status old = fs::status(target, problem); fs::exists(old))
        fs::permissions(temporary, old.permissions(), problem);
    fs::rename(temporary, target, problem);
    if (problem) {
        const std::string word = problem.message();
        fs::remove(temporary, problem);
        return failed(ErrorCode::WriteFailed, path, word);
    }
    flushFolder(target.parent_path());
    return std::nullopt;
}

} // namespace kvscope
