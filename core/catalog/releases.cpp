// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog.h"
#include "core/catalog/index.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>
#include <tuple>

namespace kvscope {

namespace {

struct Version {
    int major = 0, minor = 0;
    std::optional<int> patch; ///< empty: any

    /// A release holds what is listed for its number, or for the number without its last part.
    std::strong_ordering against(const Version &wanted) const
    {
        return std::tuple(major, minor, patch.value_or(0)) <=> std::tuple(wanted.major, wanted.minor, patch ? wanted.patch.value_or(0) : 0);
    }
};

/// Digits up to the next that is none; empty if there are none or too many.
std::optional<int> takeNumber(std::string_view &text)
{
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0)
        return {};
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// llama.cpp counts builds: `b5912`.
bool isBuild(std::string_view text) { return text.starts_with('b') || text.starts_with('B'); }

/// `4.46`, `v4.46.0`, `5.0.0rc1`: up to three numbers count. A build `b5912` is a number alone.
std::optional<Version> versionOf(std::string_view text)
{
    const bool build = isBuild(text);
    if (build || text.starts_with('v') || text.starts_with('V'))
        text.remove_prefix(1);
    const std::optional<int> major = takeNumber(text);
    if (!major || (build && !text.empty()))
        return {};
    if (text.empty())
        return Version{*major, 0, {}};
    if (!text.starts_with('.'))
        return {};
    text.remove_prefix(1);
    const std::optional<int> minor = takeNumber(text);
    if (!minor)
        return {};
    std::optional<int> patch;
    if (text.starts_with('.')) {
        std::string_view rest = text.substr(1);
        if (patch = takeNumber(rest); patch)
            text = rest;
    }
    constexpr std::string_view allowed = "0123456789.abcdefghijklmnopqrstuvwxyz+-";
    if (text.find_first_not_of(allowed) != std::string_view::npos)
        return {};
    return Version{*major, *minor, patch};
}

/// `2025-07-18`; ISO dates compare as text.
bool isDate(std::string_view text)
{
    constexpr std::string_view shape = "dddd-dd-dd";
    if (text.size() != shape.size())
        return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const bool digit = text[i] >= '0' && text[i] <= '9';
        if (shape[i] == 'd' ? !digit : text[i] != '-')
            return false;
    }
    const std::string_view month = text.substr(5, 2), day = text.substr(8, 2);
    return month >= "01" && month <= "12" && day >= "01" && day <= "31";
}

} // namespace

std::span<const EngineRelease> engineReleases(EngineId engine)
{
    const auto engines = builtInIndex().engines;
    const auto i = static_cast<std::size_t>(engine);
    return i < engines.size() ? engines[i].releases : std::span<const EngineRelease>();
}

std::vector<std::string_view> releaseNames(EngineId engine)
{
    std::vector<std::string_view> names;
    for (const EngineRelease &r : engineReleases(engine)) {
        if (names.empty() || names.back() != r.release)
            names.push_back(r.release);
    }
    std::ranges::reverse(names);
    return names;
}

Result<ResolvedRelease> resolveRelease(EngineId engine, std::string_view version)
{
    const std::span<const EngineRelease> releases = engineReleases(engine);
    if (version.empty())
        return ResolvedRelease{releases.empty() ? nullptr : &releases.back(), true};
    const bool date = isDate(version);
    const bool sameKind = releases.empty() || isBuild(version) == isBuild(releases.front().release);
    const std::optional<Version> wanted = date || !sameKind ? std::nullopt : versionOf(version);
    if (!date && !wanted) {
        std::string known;
        for (auto r = releases.rbegin(); r != releases.rend(); ++r) {
            if (r != releases.rbegin() && std::prev(r)->release == r->release)
                continue;
            known += (known.empty() ? "" : ", ") + std::string(r->release);
        }
        return Error{ErrorCode::UnknownName, std::string(version), known, {}};
    }
    ResolvedRelease resolved{nullptr, false};
    for (const EngineRelease &r : releases) {
        const auto against = [&] { return versionOf(r.release)->against(*wanted); };
        const bool within = date ? r.date <= version : against() <= 0;
        if (!within)
            break;
        resolved = {&r, date || against() == 0};
    }
    return resolved;
}

} // namespace kvscope
