// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/commandline.h"

#include <CLI/CLI.hpp>

#include <QCoreApplication>

#include "core/format.h"

namespace kvscope::cli {

CommandLine::CommandLine(const std::string &command, const QString &summary) :
    m_app(std::make_unique<CLI::App>(summary.toStdString(), "kvplan " + command))
{
    m_app->set_help_flag();
    m_app->allow_extras();
    auto formatter = std::make_shared<CLI::Formatter>();
    formatter->column_width(34);
    formatter->label("Usage", QCoreApplication::translate("Cli", "Usage").toStdString());
    formatter->label("OPTIONS", QCoreApplication::translate("Cli", "options").toStdString());
    formatter->label("Positionals", QCoreApplication::translate("Cli", "Arguments").toStdString());
    m_app->formatter(formatter);
    group(QCoreApplication::translate("Cli", "General"));
    flag("--help,-h", QCoreApplication::translate("Cli", "Show this help"), m_help);
}

CommandLine::~CommandLine() = default;

void CommandLine::group(const QString &title) { m_group = title.toStdString(); }

void CommandLine::remember(const std::string &names, const std::string &placeholder)
{
    for (const std::string &one : CLI::detail::split(names, ','))
        m_options[one] = placeholder;
}

void CommandLine::value(const std::string &name, const char *placeholder, const QString &help, std::optional<std::string> &target)
{
    const auto take = [&target](const CLI::results_t &results) {
        target = results.back();
        return true;
    };
    m_app->add_option(name, take, help.toStdString())
        ->option_text(placeholder)
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
        ->group(m_group);
    remember(name, placeholder);
}

void CommandLine::values(const std::string &name, const char *placeholder, const QString &help, std::vector<std::string> &target)
{
    m_app->add_option(name, target, help.toStdString())->option_text(placeholder)->allow_extra_args(false)->group(m_group);
    remember(name, placeholder);
}

void CommandLine::flag(const std::string &name, const QString &help, bool &target)
{
    m_app->add_flag(name, target, help.toStdString())->group(m_group);
    remember(name, {});
}

void CommandLine::positional(const std::string &name, const QString &help, std::optional<std::string> &target)
{
    const auto take = [&target](const CLI::results_t &results) {
        target = results.front();
        return true;
    };
    m_app->add_option(name, take, help.toStdString())->option_text(" ")->expected(1);
}

void CommandLine::positionals(const std::string &name, const QString &help, std::vector<std::string> &target)
{
    m_app->add_option(name, target, help.toStdString())->option_text(" ");
}

void CommandLine::footer(const QString &text) { m_app->footer(text.toStdString()); }

/// What CLI11 would take for something else, or name by its own English sentence.
std::optional<Error> CommandLine::misused(std::span<const std::string> words) const
{
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::size_t equals = words[i].find('=');
        const auto option = m_options.find(words[i].substr(0, equals));
        if (option == m_options.end())
            continue;
        const bool takesValue = !option->second.empty();
        const bool bare = equals == std::string::npos;
        const bool valueGiven =
            bare ? i + 1 < words.size() && !words[i + 1].empty() && !m_options.contains(words[i + 1]) : equals + 1 < words[i].size();
        if (takesValue ? !valueGiven : !bare)
            return Error{ErrorCode::BadOption, option->first, option->second, {}};
        if (takesValue && bare)
            ++i;
    }
    return {};
}

std::optional<Error> CommandLine::parse(std::span<const std::string> words)
{
    if (std::optional<Error> error = misused(words))
        return error;
    // CLI11 takes the words from the back, and all values as text: what could go wrong was looked for above.
    m_app->parse(std::vector<std::string>(words.rbegin(), words.rend()));
    std::vector<std::string> extras = m_app->remaining();
    std::erase(extras, "--");
    if (extras.empty())
        return {};
    const std::string asked = extras.front().substr(0, extras.front().find('='));
    std::vector<std::string_view> names;
    for (const auto &[name, placeholder] : m_options) {
        if (name.starts_with("--"))
            names.push_back(name);
    }
    return Error{ErrorCode::UnknownName, asked, joined(nearNames(asked, names)), {}};
}

std::string CommandLine::help() const
{
    std::string text = m_app->help();
    for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n"))
        text.erase(at, 1);
    return text;
}

std::string joined(std::span<const std::string> names)
{
    std::string text;
    for (const std::string &name : names) {
        if (!text.empty())
            text += ", ";
        text += name;
    }
    return text;
}

} // namespace kvscope::cli
