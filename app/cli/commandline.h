// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <QString>

#include "core/result.h"

namespace CLI {
class App;
}

namespace kvscope::cli {

/// The words of one command: its options, their help, and the reading of them. Values are kept as typed; what they mean is not known here.
class CommandLine {
public:
    CommandLine(const std::string &command, const QString &summary);
    ~CommandLine();
    CommandLine(const CommandLine &) = delete;
    CommandLine &operator=(const CommandLine &) = delete;

    /// Heading for the options added from here on, in the help text.
    void group(const QString &title);
    /// `--name VALUE` (or `-n,--name`); given twice, the last one counts.
    void value(const std::string &name, const char *placeholder, const QString &help, std::optional<std::string> &target);
    /// `--name VALUE`, repeatable.
    void values(const std::string &name, const char *placeholder, const QString &help, std::vector<std::string> &target);
    void flag(const std::string &name, const QString &help, bool &target);
    void positional(const std::string &name, const QString &help, std::optional<std::string> &target);
    /// Any number of words without a name.
    void positionals(const std::string &name, const QString &help, std::vector<std::string> &target);
    void footer(const QString &text);

    /// Fills the targets. Errors: UnknownName (an option or a word too many, with near options), BadOption (a value is missing, or one is given
    /// to an option that takes none).
    std::optional<Error> parse(std::span<const std::string> words);
    /// --help was among the words.
    bool wantsHelp() const { return m_help; }
    std::string help() const;

private:
    void remember(const std::string &names, const std::string &placeholder);
    std::optional<Error> misused(std::span<const std::string> words) const;

    std::unique_ptr<CLI::App> m_app;
    std::string m_group;
    std::map<std::string, std::string> m_options; ///< each option with its dashes, and the placeholder of its value; empty for a flag
    bool m_help = false;
};

/// "a, b, c"
std::string joined(std::span<const std::string> names);

} // namespace kvscope::cli
