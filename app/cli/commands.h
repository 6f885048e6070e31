// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>

#include <QString>

#include "app/cli/cli.h"
#include "app/cli/commandline.h"
#include "core/catalog.h"
#include "core/planjson.h"
#include "core/result.h"
#include "ui/text/text.h"

namespace kvscope::cli {

/// What every command is given.
struct Context {
    const Terminal &terminal;
    const Catalog &catalog;
};

using Words = std::span<const std::string>;
using Command = int (*)(Words, const Context &);

int planCommand(Words words, const Context &context);
int compareCommand(Words words, const Context &context);
int sweepCommand(Words words, const Context &context);
int reportCommand(Words words, const Context &context);
int inspectCommand(Words words, const Context &context);
int modelsCommand(Words words, const Context &context);
int gpusCommand(Words words, const Context &context);
int enginesCommand(Words words, const Context &context);

/// Options of every command that answers a person: language, unit, JSON. The language and the catalogues are read before the command is
/// known (run() in cli.cpp); here they stand for the help.
struct OutputOptions {
    std::optional<std::string> language, unit;
    std::vector<std::string> catalogues;
    bool json = false;
    bool explain = false;

    void addCommon(CommandLine &line);
    void addUnit(CommandLine &line);
    void addJson(CommandLine &line);
    void addExplain(CommandLine &line);
    /// GB or GiB. Error: BadOption.
    Result<text::Unit> readUnit() const;
};

/// Reads the words. Empty: go on. Else the exit status: help was asked for and printed, or the words are wrong and one line said so.
std::optional<int> readWords(CommandLine &line, Words words, const Context &context);

/// `kvplan: WHAT: WHY; HOW TO MEND` on the error stream; the exit status that belongs to it.
int fail(const Context &context, const Error &error);

/// The same for what the command line alone knows to be wrong.
int failWith(const Context &context, const QString &sentence);

/// Warnings that have no place in what is written, a line each on the error stream.
void remark(const Context &context, std::span<const Warning> warnings);

/// The words of warnings and errors for JSON, in the language that is installed.
Messages messages(text::Unit unit);

void write(const Context &context, const QString &text);

} // namespace kvscope::cli
