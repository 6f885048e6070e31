// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/options.h"
#include "core/parse.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace kvscope::cli {

/// Reads values until the first that is wrong; the error then names the option and the value.
class Reader {
public:
    const std::optional<Error> &error() const { return m_error; }
    void fail(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }

    /// The value of `text` by `parse`, a function from text to Result.
    template<typename T, typename Target>
    void read(const char *option, const ScenarioOptions::Text &text, Result<T> (*parse)(std::string_view), Target &target)
    {
        if (text)
            take(option, *text, parse(*text), target);
    }
    template<typename Target>
    void whole(const char *option, const ScenarioOptions::Text &text, std::int64_t lowest, std::int64_t highest, Target &target)
    {
        if (!text)
            return;
        std::int64_t value = 0;
        take(option, *text, parseWhole(*text, lowest, highest), value);
        if (!m_error)
            target = static_cast<Target>(value);
    }
    /// `unit` is the option's own, for the range that an error names.
    void decimal(const char *option, const ScenarioOptions::Text &text, double lowest, double highest, double &target,
                 const char *unit = "")
    {
        if (!text)
            return;
        Result<double> value = parseDecimal(*text, lowest, highest);
        if (!value)
            value = Error{value.error().code, value.error().where, value.error().detail + unit, {}};
        take(option, *text, value, target);
    }
    /// Tokens, `32k` among them, in a range.
    template<typename Target>
    void tokens(const char *option, const ScenarioOptions::Text &text, std::int64_t lowest, std::int64_t highest, Target &target)
    {
        if (!text)
            return;
        Result<TokenCount> value = parseTokens(*text);
        if (value ? value->value < lowest || value->value > highest : value.error().code == ErrorCode::OutOfRange)
            value = Error{ErrorCode::OutOfRange, *text, std::to_string(lowest) + ".." + std::to_string(highest), {}};
        TokenCount count;
        take(option, *text, value, count);
        if (!m_error)
            target = static_cast<Target>(count.value);
    }
    /// One of a few words.
    template<typename Target>
    void word(const char *option, const ScenarioOptions::Text &text, std::initializer_list<std::pair<std::string_view, Target>> words,
              Target &target)
    {
        if (!text)
            return;
        std::string all;
        for (const auto &[name, value] : words) {
            if (name == *text) {
                target = value;
                return;
            }
            all += (all.empty() ? "" : ", ") + std::string(name);
        }
        fail({ErrorCode::BadOption, std::string(option) + ' ' + *text, all, {}});
    }
    template<typename T, typename Target>
    void take(const char *option, const std::string &text, const Result<T> &value, Target &target)
    {
        if (value) {
            target = *value;
            return;
        }
        Error error = value.error();
        // A value that is wrong by itself says little without its option; a name or a file speaks for itself.
        if (error.code == ErrorCode::BadNumber || error.code == ErrorCode::BadSize || error.code == ErrorCode::OutOfRange ||
            error.code == ErrorCode::BadOption || error.code == ErrorCode::TooLarge)
            error.where = std::string(option) + ' ' + text;
        fail(std::move(error));
    }

private:
    std::optional<Error> m_error;
};

/// The settings that only some engines have, into their part of the scenario.
void readEngineOptions(const ScenarioOptions &options, Scenario &scenario, Reader &reader);

} // namespace kvscope::cli
