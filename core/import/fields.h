// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/json.h"
#include "core/model.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// What a family's class takes for a field that the file leaves out.
struct FieldDefault {
    std::string_view field;
    std::int64_t value;
};

/// Accepted values, both ends included.
struct Range {
    std::int64_t lowest;
    std::int64_t highest;
};

inline constexpr Range layerRange{1, largestLayerCount};
inline constexpr Range headRange{1, 65'536};
inline constexpr Range headDimRange{1, 65'536};
inline constexpr Range widthRange{1, 16'777'216};
inline constexpr Range vocabularyRange{1, 1'000'000'000};
inline constexpr Range tokenRange{1, largestContext.value};

/// A yes-or-no setting: the field that says it, and what holds without the field.
struct Flag {
    std::string_view field;
    bool fallback;
};
inline constexpr Flag always{{}, true};
inline constexpr Flag never{{}, false};

using Names = std::initializer_list<std::string_view>;

/// Reads named fields of a config's language object; "a.b" names a field of a nested one. A field given as null counts as absent. The first error is kept; readers then return
/// a harmless value, so that a caller reads all it needs and looks at error() once.
class Fields {
public:
    /// `object`: the language object, `outer`: the whole file, `prefix`: path of the object in it ("text_config." or empty).
    Fields(const Json &object, const Json &outer, std::string prefix, std::span<const FieldDefault> classDefaults = {},
           std::span<const FieldDefault> nestedDefaults = {});

    /// Present, with a value other than null.
    bool has(std::string_view name) const;
    /// Present, if only as null.
    bool mentions(std::string_view name) const;

    /// The first of `names` that is there, else the class default of the first that has one (noted as an assumption).
    std::optional<std::int64_t> find(Names names, Range range);
    /// As find, for fields that some files give as a list with an entry a layer: its first entry, noted where the entries differ.
    std::optional<std::int64_t> findFirst(Names names, Range range);
    /// As find; MissingField if there is none.
    std::int64_t need(Names names, Range range);
    /// As find; else `fallback`, noted as an assumption with `reason`.
    std::int64_t findOr(Names names, Range range, std::int64_t fallback, std::string_view reason);
    std::optional<double> decimal(std::string_view name, double lowest, double highest);
    bool flag(Flag flag);
    std::string text(std::string_view name) const;
    /// A list of whole numbers, false and true being 0 and 1; empty if the field is no list.
    std::vector<std::int64_t> numbers(std::string_view name, Range range);
    /// A list of strings; empty if the field is no list.
    std::vector<std::string> words(std::string_view name);
    /// A nested object's fields; an empty object if there is none.
    Fields nested(std::string_view name) const;
    /// The value as it stands, nullptr if absent.
    const Json *raw(std::string_view name) const;
    /// The same, in the language object or else in the whole file: what composites keep outside (8.1).
    const Json *rawAnywhere(std::string_view name) const;

    /// In the whole file alone.
    const Json *rawOuter(std::string_view name) const;

    std::string path(std::string_view name) const { return m_prefix + std::string(name); }
    void assume(std::string_view field, std::string_view value, std::string_view reason);
    /// Keeps the first error.
    void fail(ErrorCode code, std::string_view name, std::string detail);
    /// Takes over what a nested reader met.
    void adopt(const Fields &other);

    const std::optional<Error> &error() const { return m_error; }
    const std::vector<Assumption> &assumptions() const { return m_assumptions; }

private:
    std::int64_t whole(const Json &value, std::string_view name, Range range);

    const Json *m_object;
    const Json *m_outer;
    std::string m_prefix;
    std::span<const FieldDefault> m_classDefaults;
    std::span<const FieldDefault> m_nestedDefaults;
    std::optional<Error> m_error;
    std::vector<Assumption> m_assumptions;
};

} // namespace kvscope
