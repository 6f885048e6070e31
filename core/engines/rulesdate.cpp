// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/rulesdate.h"

#include "core/catalog.h"

namespace kvscope {

Result<int> rulesDate(EngineId engine, const std::string &version, std::vector<Warning> &warnings)
{
    const Result<ResolvedRelease> resolved = resolveRelease(engine, version);
    if (!resolved)
        return resolved.error();
    const bool isDate = version.size() == 10 && version[4] == '-'; // resolveRelease checked the rest
    const std::string_view date = isDate ? std::string_view(version) : resolved->release ? resolved->release->date : std::string_view();
    int number = 0;
    for (const char c : date)
        number = c == '-' ? number : number * 10 + (c - '0');
    if (!resolved->listed && !isDate) {
        if (resolved->release)
            warnings.push_back({WarningCode::UnknownVersion, {version, std::string(resolved->release->release)}});
        else
            warnings.push_back({WarningCode::OlderThanListed, {version, std::string(engineReleases(engine).front().release)}});
    }
    return number;
}

} // namespace kvscope
