// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/json.h"
#include "core/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvscope {

/// Leaves a reader with its error; caught where the file's text was handed in.
struct Failure {
    Error error;
};

/// A value of an entry and the path to it.
class Place {
public:
    Place(const Json &value, std::string path) : m_value(&value), m_path(std::move(path)) {}

    const Json &value() const { return *m_value; }
    const std::string &path() const { return m_path; }

    [[noreturn]] void fail(ErrorCode code, std::string detail) const { throw Failure{{code, m_path, std::move(detail), {}}}; }

    bool has(std::string_view name) const
    {
        const auto found = m_value->find(name);
        return found != m_value->end() && !found->is_null();
    }
    Place at(std::string_view name) const
    {
        const std::string path = m_path.empty() ? std::string(name) : m_path + '.' + std::string(name);
        if (!has(name))
            throw Failure{{ErrorCode::MissingField, path, std::string(name), {}}};
        return {*m_value->find(name), path};
    }
    Place object(std::string_view name) const
    {
        const Place place = at(name);
        if (!place.value().is_object())
            place.fail(ErrorCode::WrongType, "object");
        return place;
    }
    std::vector<Place> list(std::string_view name) const
    {
        std::vector<Place> result;
        if (!has(name))
            return result;
        const Place place = at(name);
        if (!place.value().is_array())
            place.fail(ErrorCode::WrongType, "array");
        for (std::size_t i = 0; i < place.value().size(); ++i)
            result.emplace_back(place.value()[i], place.path() + '[' + std::to_string(i) + ']');
        return result;
    }
    std::string asText() const
    {
        if (!m_value->is_string())
            fail(ErrorCode::WrongType, "string");
        std::string text = m_value->get<std::string>();
        if (text.empty())
            fail(ErrorCode::OutOfRange, "not empty");
        return text;
    }
    std::string text(std::string_view name) const { return at(name).asText(); }
    std::string textOr(std::string_view name) const { return has(name) ? text(name) : std::string(); }
    std::int64_t whole(std::string_view name, std::int64_t highest) const
    {
        const Place place = at(name);
        if (!place.value().is_number_integer())
            place.fail(ErrorCode::WrongType, "integer");
        const auto number = place.value().get<std::int64_t>();
        if (number < 1 || number > highest ||
            (place.value().is_number_unsigned() && place.value().get<std::uint64_t>() > std::uint64_t(highest)))
            place.fail(ErrorCode::OutOfRange, "1.." + std::to_string(highest));
        return number;
    }
    /// 0 if the field is absent; it must be larger than 0 if it is there.
    double decimal(std::string_view name, std::int64_t highest) const
    {
        if (!has(name))
            return 0;
        const Place place = at(name);
        if (!place.value().is_number())
            place.fail(ErrorCode::WrongType, "number");
        const double number = place.value().get<double>();
        if (!(number > 0 && number <= static_cast<double>(highest)))
            place.fail(ErrorCode::OutOfRange, "> 0, <= " + std::to_string(highest));
        return number;
    }
    bool yes(std::string_view name) const
    {
        if (!has(name))
            return false;
        const Place place = at(name);
        if (!place.value().is_boolean())
            place.fail(ErrorCode::WrongType, "boolean");
        return place.value().get<bool>();
    }

private:
    const Json *m_value;
    std::string m_path;
};

} // namespace kvscope
