// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenariosettings.h"

#include <cmath>
#include <type_traits>
#include <utility>

/// How the rows of scenariosettings.cpp are made: fields of a scenario read and written as numbers.
namespace kvscope::settingrow {

using Kind = ScenarioSetting::Kind;
using Number = ScenarioSetting::Number;
using Names = std::vector<ScenarioSetting::Name>;
using Options = std::vector<ScenarioSetting::Option>;
inline constexpr double millionths = 1e6;

template<typename T>
struct IsOptional : std::false_type {
};
template<typename T>
struct IsOptional<std::optional<T>> : std::true_type {
};

template<typename T>
std::int64_t numberOf(const T &value)
{
    if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, TokenCount>)
        return value.value;
    else if constexpr (std::is_floating_point_v<T>)
        return std::llround(value * millionths);
    else
        return static_cast<std::int64_t>(value);
}

template<typename T>
T fromNumber(std::int64_t number)
{
    if constexpr (std::is_same_v<T, Bytes> || std::is_same_v<T, TokenCount>)
        return T{number};
    else if constexpr (std::is_floating_point_v<T>)
        return static_cast<double>(number) / millionths;
    else
        return static_cast<T>(number);
}

/// The field at the end of a path of members.
template<auto... path>
auto &fieldOf(auto &scenario)
{
    return (scenario.*....*path);
}

/// A field that is no optional counts as not set where it holds what a new scenario does.
template<auto... path>
Number getField(const Scenario &scenario)
{
    const auto &field = fieldOf<path...>(scenario);
    if constexpr (IsOptional<std::remove_cvref_t<decltype(field)>>::value) {
        return field ? Number(numberOf(*field)) : std::nullopt;
    } else {
        static const Scenario untouched;
        return field == fieldOf<path...>(untouched) ? std::nullopt : Number(numberOf(field));
    }
}

template<auto... path>
void setField(Scenario &scenario, Number number)
{
    auto &field = fieldOf<path...>(scenario);
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (IsOptional<Field>::value) {
        field = number ? Field(fromNumber<typename Field::value_type>(*number)) : Field();
    } else {
        static const Scenario untouched;
        field = number ? fromNumber<Field>(*number) : fieldOf<path...>(untouched);
    }
}

/// A row in the making.
struct Row : ScenarioSetting {
    Row(Kind k, const char *field, const char *words, const char *meaning) : ScenarioSetting{k, field, words, meaning} {}
    template<auto... path>
    Row &at()
    {
        return at(getField<path...>, setField<path...>);
    }
    Row &at(Number (*read)(const Scenario &), void (*write)(Scenario &, Number))
    {
        get = read;
        set = write;
        return *this;
    }
    Row &of(Names names)
    {
        engines = std::move(names);
        return *this;
    }
    Row &within(std::int64_t least, std::int64_t greatest)
    {
        lowest = least;
        highest = greatest;
        return *this;
    }
    Row &saying(const char *words)
    {
        unset = words;
        return *this;
    }
    Row &choosing(Options list)
    {
        options = std::move(list);
        return *this;
    }
    Row &sliding(std::int64_t (*end)(const Scenario &), bool unsetAtEnd)
    {
        most = end;
        unsetIsMost = unsetAtEnd;
        return *this;
    }
    Row &evenWhereLacking()
    {
        evenIfLacking = true;
        return *this;
    }
    Row &when(bool (*condition)(const Scenario &))
    {
        meaningful = condition;
        return *this;
    }
};

} // namespace kvscope::settingrow
