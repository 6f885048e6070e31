// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/fields.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

const Json &emptyObject()
{
    static const Json empty = Json::object();
    return empty;
}

/// The value at "name" or "outer.name"; nullptr if absent or null.
const Json *valueAt(const Json &object, std::string_view name)
{
    const Json *value = &object;
    while (value->is_object()) {
        const std::size_t dot = name.find('.');
        const auto found = value->find(name.substr(0, dot));
        if (found == value->end() || found->is_null())
            return nullptr;
        if (dot == std::string_view::npos)
            return &*found;
        value = &*found;
        name.remove_prefix(dot + 1);
    }
    return nullptr;
}

std::string joined(Names names)
{
    std::string all;
    for (const std::string_view name : names)
        all.append(all.empty() ? "" : ", ").append(name);
    return all;
}

std::string worded(Range range) { return std::to_string(range.lowest) + ".." + std::to_string(range.highest); }

} // namespace

Fields::Fields(const Json &object, const Json &outer, std::string prefix, std::span<const FieldDefault> classDefaults,
               std::span<const FieldDefault> nestedDefaults) :
    m_object(&object), m_outer(&outer), m_prefix(std::move(prefix)), m_classDefaults(classDefaults), m_nestedDefaults(nestedDefaults)
{
}

const Json *Fields::raw(std::string_view name) const { return valueAt(*m_object, name); }

const Json *Fields::rawAnywhere(std::string_view name) const
{
    const Json *value = raw(name);
    return value ? value : rawOuter(name);
}

const Json *Fields::rawOuter(std::string_view name) const { return valueAt(*m_outer, name); }

bool Fields::has(std::string_view name) const { return raw(name) != nullptr; }

bool Fields::mentions(std::string_view name) const { return m_object->contains(name); }

std::int64_t Fields::whole(const Json &value, std::string_view name, Range range)
{
    if (!value.is_number()) {
        fail(ErrorCode::WrongType, name, "integer");
        return range.lowest;
    }
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(range.highest)) {
        fail(ErrorCode::OutOfRange, name, worded(range));
        return range.lowest;
    }
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (!(number >= static_cast<double>(range.lowest) && number <= static_cast<double>(range.highest))) {
            fail(ErrorCode::OutOfRange, name, worded(range));
            return range.lowest;
        }
        if (number != std::floor(number)) {
            fail(ErrorCode::WrongType, name, "integer");
            return range.lowest;
        }
        return static_cast<std::int64_t>(number);
    }
    const auto number = value.get<std::int64_t>();
    if (number < range.lowest || number > range.highest) {
        fail(ErrorCode::OutOfRange, name, worded(range));
        return range.lowest;
    }
    return number;
}

std::optional<std::int64_t> Fields::find(Names names, Range range)
{
    for (const std::string_view name : names)
        if (const Json *value = raw(name))
            return whole(*value, name, range);
    for (const auto defaults : {m_classDefaults, m_nestedDefaults})
        for (const std::string_view name : names)
            for (const FieldDefault &known : defaults)
                if (known.field == name && !mentions(name)) {
                    assume(name, std::to_string(known.value), "family_default");
                    return known.value;
                }
    return std::nullopt;
}

std::optional<std::int64_t> Fields::findFirst(Names names, Range range)
{
    for (const std::string_view name : names) {
        const Json *value = raw(name);
        if (!value || !value->is_array())
            continue;
        const std::vector<std::int64_t> list = numbers(name, range);
        if (list.empty())
            continue;
        if (std::any_of(list.begin(), list.end(), [&](std::int64_t entry) { return entry != list.front(); }))
            assume(name, std::to_string(list.front()), "first_of_list");
        return list.front();
    }
    return find(names, range);
}

std::int64_t Fields::need(Names names, Range range)
{
    if (const auto value = find(names, range))
        return *value;
    fail(ErrorCode::MissingField, *names.begin(), joined(names));
    return range.lowest;
}

std::int64_t Fields::findOr(Names names, Range range, std::int64_t fallback, std::string_view reason)
{
    if (const auto value = find(names, range))
        return *value;
    assume(*names.begin(), std::to_string(fallback), reason);
    return fallback;
}

std::optional<double> Fields::decimal(std::string_view name, double lowest, double highest)
{
    const Json *value = raw(name);
    if (!value)
        return std::nullopt;
    if (!value->is_number()) {
        fail(ErrorCode::WrongType, name, "number");
        return std::nullopt;
    }
    const auto number = value->get<double>();
    if (!(number >= lowest && number <= highest)) {
        fail(ErrorCode::OutOfRange, name, worded({static_cast<std::int64_t>(lowest), static_cast<std::int64_t>(highest)}));
        return std::nullopt;
    }
    return number;
}

bool Fields::flag(Flag flag)
{
    if (flag.field.empty())
        return flag.fallback;
    const Json *value = raw(flag.field);
    if (!value)
        return flag.fallback;
    if (value->is_boolean())
        return value->get<bool>();
    if (value->is_number_integer())
        return value->get<std::int64_t>() != 0;
    fail(ErrorCode::WrongType, flag.field, "boolean");
    return flag.fallback;
}

std::string Fields::text(std::string_view name) const
{
    const Json *value = raw(name);
    return value && value->is_string() ? value->get<std::string>() : std::string();
}

std::vector<std::int64_t> Fields::numbers(std::string_view name, Range range)
{
    std::vector<std::int64_t> list;
    const Json *value = raw(name);
    if (!value || !value->is_array())
        return list;
    list.reserve(value->size());
    for (std::size_t i = 0; i < value->size() && !m_error; ++i) {
        const Json &entry = (*value)[i];
        list.push_back(entry.is_boolean() ? std::int64_t{entry.get<bool>()}
                                          : whole(entry, std::string(name) + '[' + std::to_string(i) + ']', range));
    }
    return list;
}

std::vector<std::string> Fields::words(std::string_view name)
{
    std::vector<std::string> list;
    const Json *value = raw(name);
    if (!value || !value->is_array())
        return list;
    list.reserve(value->size());
    for (std::size_t i = 0; i < value->size(); ++i) {
        if (!(*value)[i].is_string()) {
            fail(ErrorCode::WrongType, std::string(name) + '[' + std::to_string(i) + ']', "string");
            break;
        }
        list.push_back((*value)[i].get<std::string>());
    }
    return list;
}

Fields Fields::nested(std::string_view name) const
{
    const Json *value = raw(name);
    return {value && value->is_object() ? *value : emptyObject(), *m_outer, path(name) + '.'};
}

void Fields::assume(std::string_view field, std::string_view value, std::string_view reason)
{
    const Assumption assumption{std::string(field), std::string(value), std::string(reason)};
    if (std::find(m_assumptions.begin(), m_assumptions.end(), assumption) == m_assumptions.end())
        m_assumptions.push_back(assumption);
}

void Fields::fail(ErrorCode code, std::string_view name, std::string detail)
{
    if (!m_error)
        m_error = Error{code, path(name), std::move(detail), {}};
}

void Fields::adopt(const Fields &other)
{
    if (!m_error)
        m_error = other.m_error;
    m_assumptions.insert(m_assumptions.end(), other.m_assumptions.begin(), other.m_assumptions.end());
}

} // namespace kvscope
