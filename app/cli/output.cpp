// SPDX-License-Identifier: GPL-3.0-or-later
// What all commands say alike.
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/words.h"

namespace kvscope::cli {

void OutputOptions::addCommon(CommandLine &line)
{
    line.value("--lang", "en|zh_CN", translate("Cli", "Language of the words; codes and JSON keys never change"), language);
    line.values("--catalog", "FILE", translate("Cli", "Models or GPUs of your own, in the form of the catalogue; repeatable"), catalogues);
}

void OutputOptions::addUnit(CommandLine &line)
{
    line.value("--unit", "GB|GiB", translate("Cli", "Unit for people: 10^9 or 2^30 bytes (default: GB); JSON is always bytes"), unit);
}

void OutputOptions::addJson(CommandLine &line) { line.flag("--json", translate("Cli", "Print JSON"), json); }

void OutputOptions::addExplain(CommandLine &line)
{
    line.flag("--explain", translate("Cli", "Print each figure's rule, formula and source"), explain);
}

Result<text::Unit> OutputOptions::readUnit() const
{
    if (!unit || *unit == "GB")
        return text::Unit::GB;
    if (*unit == "GiB")
        return text::Unit::GiB;
    return Error{ErrorCode::BadOption, "--unit " + *unit, "GB, GiB", {}};
}

std::optional<int> readWords(CommandLine &line, Words words, const Context &context)
{
    const std::optional<Error> error = line.parse(words);
    if (line.wantsHelp()) {
        context.terminal.out << line.help();
        return 0;
    }
    if (error)
        return fail(context, *error);
    return {};
}

int fail(const Context &context, const Error &error)
{
    context.terminal.err << "kvplan: " << text::sentence(error).toStdString() << '\n';
    return exitCodeOf(error);
}

int failWith(const Context &context, const QString &sentence)
{
    context.terminal.err << "kvplan: " << sentence.toStdString() << '\n';
    return 2;
}

void remark(const Context &context, std::span<const Warning> warnings)
{
    for (const Warning &warning : warnings)
        context.terminal.err << "kvplan: " << text::sentence(warning, text::Unit::GB).toStdString() << '\n';
}

Messages messages(text::Unit unit)
{
    return {[unit](const Warning &warning) { return text::sentence(warning, unit).toStdString(); },
            [](const Error &error) { return text::sentence(error).toStdString(); }};
}

void write(const Context &context, const QString &text) { context.terminal.out << text.toStdString(); }

} // namespace kvscope::cli
