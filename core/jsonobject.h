// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/fields.h"
#include "core/import/json.h"
#include "core/result.h"
#include "core/units.h"

#include <nlohmann/json.hpp>

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Reading and writing of our own JSON files, strict both ways. Internal to core: no public header includes this one.
namespace kvscope {

/// Keys in the order in which they were written.
using OrderedJson = nlohmann::ordered_json;

inline constexpr Range byteRange{0, std::int64_t{1} << 60}; ///< up to 1 EiB
inline constexpr Range parameterRange{0, 1'000'000'000'000'000};
inline constexpr Range countedTokens{0, largestContext.value};

/// Our own JSON as text: lists of plain values on one line, everything else a line each; `indent` < 0: all on one line. What is no UTF-8 is replaced.
std::string written(const OrderedJson &json, int indent);

/// "a, b, c".
template<std::size_t N>
std::string joinedNames(const std::array<std::string_view, N> &names)
{
    std::string all;
    for (const std::string_view name : names)
        all.append(all.empty() ? "" : ", ").append(name);
    return all;
}

/// Reads keys of one object into fields that already hold their defaults: a key that is absent changes nothing. The first error is kept in the
/// sink that all readers of a file share, as JSON path and accepted type or range; after it nothing is read any more.
class ObjectReader {
public:
    /// `json`: must be an object, else WrongType. `path`: of the object in the file, empty for the root.
    ObjectReader(const Json &json, std::string path, std::optional<Error> &error);

    void read(const char *key, bool &out);
    void read(const char *key, std::string &out);
    void read(const char *key, std::vector<std::string> &out);
    void read(const char *key, double &out, double lowest, double highest);
    void read(const char *key, Format &out);
    void read(const char *key, Bytes &out) { read(key, out.value, byteRange); }
    void read(const char *key, TokenCount &out, Range range = countedTokens) { read(key, out.value, range); }

    template<std::integral T>
    void read(const char *key, T &out, Range range)
    {
        if (const std::optional<std::int64_t> value = whole(key, range))
            out = static_cast<T>(*value);
    }

    template<typename T, typename... Limits>
    void read(const char *key, std::optional<T> &out, Limits... limits)
    {
        if (!find(key))
            return;
        T value{};
        read(key, value, limits...);
        out = value;
    }

    /// One of `names`, whose order is the enum's.
    template<typename Enum, std::size_t N>
    void readName(const char *key, Enum &out, const std::array<std::string_view, N> &names)
    {
        std::string text;
        if (!find(key))
            return;
        read(key, text);
        for (std::size_t i = 0; i < N; ++i) {
            if (names[i] == text) {
                out = static_cast<Enum>(i);
                return;
            }
        }
        fail(ErrorCode::OutOfRange, key, joinedNames(names));
    }

    /// The object or list under `key`, nullptr if it is absent or of another type (then WrongType).
    const Json *object(const char *key);
    const Json *list(const char *key, std::size_t most);

    bool has(const char *key) const { return !failed() && m_object->contains(key); }
    bool failed() const { return m_error->has_value(); }
    /// Keeps the first error.
    void fail(ErrorCode code, const char *key, std::string detail);
    std::string path(const char *key) const;
    std::string path(const char *key, std::size_t index) const;
    std::optional<Error> &sink() { return *m_error; }

private:
    const Json *find(const char *key) const;
    std::optional<std::int64_t> whole(const char *key, Range range);

    const Json *m_object;
    std::string m_path;
    std::optional<Error> *m_error;
};

/// A whole number in `range`; OutOfRange or WrongType at `path` otherwise.
std::optional<std::int64_t> wholeNumber(const Json &value, const std::string &path, Range range, std::optional<Error> &error);

} // namespace kvscope
