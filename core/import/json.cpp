// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/json.h"

#include <array>
#include <string>

namespace kvscope {

namespace {

/// What the scan before the parser found.
struct Scanned {
    std::string text; ///< same length, so that offsets stay true
    bool tooDeep = false;
    std::size_t offset = 0;
};

/// Python's tokens replaced by an empty string of the same width (no number, so that a field that needs one says so), nesting measured. Text inside strings is left alone.
Scanned scan(std::string_view json)
{
    static constexpr std::array<std::string_view, 3> pythonTokens = {"-Infinity", "Infinity", "NaN"};
    Scanned result;
    result.text = json;
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (inString) {
            if (c == '\\')
                ++i;
            else if (c == '"')
                inString = false;
            continue;
        }
        if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepestJson) {
                result.tooDeep = true;
                result.offset = i;
                return result;
            }
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == 'N' || c == 'I' || c == '-') {
            for (const std::string_view token : pythonTokens) {
                if (json.substr(i, token.size()) != token)
                    continue;
                result.text.replace(i, token.size(), "\"\"" + std::string(token.size() - 2, ' '));
                i += token.size() - 1;
                break;
            }
        }
    }
    return result;
}

} // namespace

Result<Json> parseJson(std::string_view text, std::string_view name)
{
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
        return Error{ErrorCode::FileEmpty, std::string(name), {}, {}};
    const Scanned scanned = scan(text);
    if (scanned.tooDeep)
        return Error{ErrorCode::NotJson, std::string(name), std::to_string(scanned.offset), {}};
    try {
        return Json::parse(scanned.text);
    } catch (const Json::parse_error &e) { // the library counts from 1 and names the byte after the last good one
        const std::size_t offset = e.byte > 0 ? e.byte - 1 : 0;
        return Error{ErrorCode::NotJson, std::string(name), std::to_string(offset), {}};
    } catch (const Json::exception &) { // a number that no double holds
        return Error{ErrorCode::NotJson, std::string(name), "0", {}};
    }
}

} // namespace kvscope
