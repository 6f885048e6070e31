// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/jsonobject.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

const Json &emptyObject()
{
    static const Json empty = Json::object();
    return empty;
}

std::string dumped(const OrderedJson &json) { return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace); }

void write(const OrderedJson &json, int indent, int depth, std::string &out)
{
    const bool plainList = json.is_array() && std::ranges::all_of(json, [](const OrderedJson &v) { return v.is_primitive(); });
    if (json.is_primitive() || json.empty()) {
        out += dumped(json);
        return;
    }
    const std::string newLine = plainList ? std::string() : '\n' + std::string(static_cast<std::size_t>(indent * (depth + 1)), ' ');
    out += json.is_object() ? '{' : '[';
    bool first = true;
    for (const auto &[key, value] : json.items()) {
        if (!first)
            out += plainList ? ", " : ",";
        first = false;
        out += newLine;
        if (json.is_object())
            out += dumped(key) + ": ";
        write(value, indent, depth + 1, out);
    }
    if (!plainList)
        out += '\n' + std::string(static_cast<std::size_t>(indent * depth), ' ');
    out += json.is_object() ? '}' : ']';
}

std::string worded(Range range) { return std::to_string(range.lowest) + ".." + std::to_string(range.highest); }

std::string worded(double value)
{
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.'))
        text.pop_back();
    return text;
}

void keep(std::optional<Error> &error, ErrorCode code, std::string path, std::string detail)
{
    if (!error)
        error = Error{code, std::move(path), std::move(detail), {}};
}

} // namespace

std::string written(const OrderedJson &json, int indent)
{
    if (indent < 0)
        return dumped(json);
    std::string text;
    write(json, indent, 0, text);
    text += '\n';
    return text;
}

std::optional<std::int64_t> wholeNumber(const Json &value, const std::string &path, Range range, std::optional<Error> &error)
{
    if (!value.is_number()) {
        keep(error, ErrorCode::WrongType, path, "integer");
        return {};
    }
    if (value.is_number_float()) { // 8192.0 is a whole number, 0.5 is not
        const double number = value.get<double>();
        if (std::floor(number) == number && number >= static_cast<double>(range.lowest) && number <= static_cast<double>(range.highest) &&
            std::fabs(number) <= 9007199254740992.0)
            return static_cast<std::int64_t>(number);
        keep(error, std::floor(number) == number ? ErrorCode::OutOfRange : ErrorCode::WrongType, path,
             std::floor(number) == number ? worded(range) : "integer");
        return {};
    }
    const bool tooLarge = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(range.highest);
    if (tooLarge || value.get<std::int64_t>() < range.lowest || value.get<std::int64_t>() > range.highest) {
        keep(error, ErrorCode::OutOfRange, path, worded(range));
        return {};
    }
    return value.get<std::int64_t>();
}

ObjectReader::ObjectReader(const Json &json, std::string path, std::optional<Error> &error) :
    m_object(json.is_object() ? &json : &emptyObject()), m_path(std::move(path)), m_error(&error)
{
    if (!json.is_object())
        keep(error, ErrorCode::WrongType, m_path, "object");
}

const Json *ObjectReader::find(const char *key) const
{
    if (failed())
        return nullptr;
    const auto found = m_object->find(key);
    return found == m_object->end() ? nullptr : &*found;
}

void ObjectReader::fail(ErrorCode code, const char *key, std::string detail) { keep(*m_error, code, path(key), std::move(detail)); }

std::string ObjectReader::path(const char *key) const { return m_path.empty() ? key : m_path + '.' + key; }

std::string ObjectReader::path(const char *key, std::size_t index) const { return path(key) + '[' + std::to_string(index) + ']'; }

std::optional<std::int64_t> ObjectReader::whole(const char *key, Range range)
{
    const Json *value = find(key);
    return value ? wholeNumber(*value, path(key), range, *m_error) : std::nullopt;
}

void ObjectReader::read(const char *key, bool &out)
{
    const Json *value = find(key);
    if (value && value->is_boolean())
        out = value->get<bool>();
    else if (value)
        fail(ErrorCode::WrongType, key, "boolean");
}

void ObjectReader::read(const char *key, std::string &out)
{
    const Json *value = find(key);
    if (value && value->is_string())
        out = value->get<std::string>();
    else if (value)
        fail(ErrorCode::WrongType, key, "string");
}

void ObjectReader::read(const char *key, std::vector<std::string> &out)
{
    constexpr std::size_t most = 1000;
    const Json *values = list(key, most);
    if (!values)
        return;
    out.clear();
    for (const Json &value : *values) {
        if (!value.is_string()) {
            keep(*m_error, ErrorCode::WrongType, path(key, out.size()), "string");
            return;
        }
        out.push_back(value.get<std::string>());
    }
}

void ObjectReader::read(const char *key, double &out, double lowest, double highest)
{
    const Json *value = find(key);
    if (!value)
        return;
    if (!value->is_number()) {
        fail(ErrorCode::WrongType, key, "number");
        return;
    }
    const double number = value->get<double>();
    if (number >= lowest && number <= highest)
        out = number;
    else
        fail(ErrorCode::OutOfRange, key, worded(lowest) + ".." + worded(highest));
}

void ObjectReader::read(const char *key, Format &out)
{
    std::string text;
    if (!find(key))
        return;
    read(key, text);
    if (const std::optional<Format> format = formatByName(text)) {
        out = *format;
        return;
    }
    std::vector<std::string_view> names;
    for (int i = 0; i < formatCount; ++i)
        names.push_back(infoOf(static_cast<Format>(i)).name);
    std::string near;
    for (const std::string &name : nearNames(text, names))
        near.append(near.empty() ? "" : ", ").append(name);
    if (!failed())
        *m_error = Error{ErrorCode::UnknownName, path(key) + ": " + text, near, {}};
}

const Json *ObjectReader::object(const char *key)
{
    const Json *value = find(key);
    if (!value || value->is_object())
        return value;
    fail(ErrorCode::WrongType, key, "object");
    return nullptr;
}

const Json *ObjectReader::list(const char *key, std::size_t most)
{
    const Json *value = find(key);
    if (!value)
        return nullptr;
    if (!value->is_array()) {
        fail(ErrorCode::WrongType, key, "array");
        return nullptr;
    }
    if (value->size() > most) {
        fail(ErrorCode::OutOfRange, key, "0.." + std::to_string(most));
        return nullptr;
    }
    return value;
}

} // namespace kvscope
