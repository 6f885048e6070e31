// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/ggufmapping.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <io.h>
#else
#include <sys/mman.h>
#ifdef __linux__
#include <sys/vfs.h>
#elif defined(__APPLE__) || defined(__FreeBSD__)
#include <sys/mount.h>
#include <sys/param.h>
#endif
#endif

namespace kvscope {

namespace {

#ifdef _WIN32

const void *map(std::FILE *file, std::size_t)
{
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file)));
    std::array<wchar_t, MAX_PATH> name{};
    constexpr std::wstring_view network = L"\\\\?\\UNC\\";
    const DWORD length = GetFinalPathNameByHandleW(handle, name.data(), MAX_PATH, 0);
    if (length == 0 || length >= MAX_PATH || std::wstring_view(name.data(), length).starts_with(network))
        return nullptr;
    HANDLE mapping = CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
    if (!mapping)
        return nullptr;
    const void *const view = MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, 0);
    CloseHandle(mapping); // the view keeps it
    return view;
}

void unmap(std::span<const unsigned char> bytes) { UnmapViewOfFile(bytes.data()); }

#else

bool isLocal([[maybe_unused]] int file)
{
#ifdef __linux__
    // The magic numbers of statfs(2): NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, AFS.
    constexpr std::array<std::uint32_t, 8> remote{0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x01021997, 0x00c36400, 0x5346414f};
    struct statfs info {};
    return ::fstatfs(file, &info) == 0 && std::ranges::find(remote, static_cast<std::uint32_t>(info.f_type)) == remote.end();
#elif defined(__APPLE__) || defined(__FreeBSD__)
    struct statfs info {};
    return ::fstatfs(file, &info) == 0 && (info.f_flags & MNT_LOCAL) != 0;
#else
    return false;
#endif
}

const void *map(std::FILE *file, std::size_t size)
{
    const int number = ::fileno(file);
    if (!isLocal(number))
        return nullptr;
    const void *const view = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, number, 0);
    return view == MAP_FAILED ? nullptr : view;
}

void unmap(std::span<const unsigned char> bytes) { ::munmap(const_cast<unsigned char *>(bytes.data()), bytes.size()); }

#endif

} // namespace

FileMapping::FileMapping(std::FILE *file, std::uint64_t size)
{
    if (size == 0 || size > std::numeric_limits<std::size_t>::max() / 2)
        return;
    const auto length = static_cast<std::size_t>(size);
    if (const void *const view = map(file, length))
        m_bytes = {static_cast<const unsigned char *>(view), length};
}

FileMapping::~FileMapping()
{
    if (!m_bytes.empty())
        unmap(m_bytes);
}

} // namespace kvscope
