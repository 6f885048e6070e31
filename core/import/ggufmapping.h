// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>

namespace kvscope {

/// A file's bytes as memory, or nothing where that can't be or is not safe: what lies on a network drive is not mapped, since an error of the
/// connection would come as a signal instead of a short read. (A local file that is cut while its header is being read still would.)
class FileMapping {
public:
    FileMapping() = default;
    FileMapping(std::FILE *file, std::uint64_t size);
    FileMapping(const FileMapping &) = delete;
    FileMapping &operator=(const FileMapping &) = delete;
    ~FileMapping();

    std::span<const unsigned char> bytes() const { return m_bytes; }

private:
    std::span<const unsigned char> m_bytes;
};

} // namespace kvscope
