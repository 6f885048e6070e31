// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cli.h"

#include <algorithm>
#include <array>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/format.h"

namespace kvscope::cli {

namespace {

struct CommandRow {
    const char *name;
    const char *summary;
    Command run;
};

constexpr std::array commands{
    CommandRow{"plan", QT_TRANSLATE_NOOP("Cli", "What one scenario takes on one machine, and whether it fits"), planCommand},
    CommandRow{"compare", QT_TRANSLATE_NOOP("Cli", "The same scenario on several machines, side by side"), compareCommand},
    CommandRow{"sweep", QT_TRANSLATE_NOOP("Cli", "Every combination of lists, as CSV, JSON lines or Markdown"), sweepCommand},
    CommandRow{"report", QT_TRANSLATE_NOOP("Cli", "The answer as a file: Markdown, HTML or CSV"), reportCommand},
    CommandRow{"inspect", QT_TRANSLATE_NOOP("Cli", "A model as it is understood, with each assumption made"), inspectCommand},
    CommandRow{"models", QT_TRANSLATE_NOOP("Cli", "Search the catalogue of models"), modelsCommand},
    CommandRow{"gpus", QT_TRANSLATE_NOOP("Cli", "Search the catalogue of GPUs"), gpusCommand},
    CommandRow{"engines", QT_TRANSLATE_NOOP("Cli", "The engines, their versions and formats"), enginesCommand},
};

/// The values of an option that counts wherever it stands.
std::vector<std::string> valuesOf(std::string_view option, const std::vector<std::string> &words)
{
    std::vector<std::string> values;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == option && i + 1 < words.size())
            values.push_back(words[++i]);
        else if (words[i].starts_with(option) && words[i].substr(option.size()).starts_with('='))
            values.push_back(words[i].substr(option.size() + 1));
    }
    return values;
}

QString overview()
{
    Table table({Table::Align::Left, Table::Align::Left});
    for (const CommandRow &command : commands)
        table.add({toQString(command.name), translate("Cli", command.summary)});
    return translate("Cli", "Where GPU memory goes before a large language model is loaded.") + QStringLiteral("\n\n") +
           translate("Cli", "Usage") + QStringLiteral(": kvplan ") + translate("Cli", "COMMAND [options]") + QStringLiteral("\n\n") +
           table.text(QStringLiteral("  ")) + QLatin1Char('\n') +
           translate("Cli",
                     "kvplan COMMAND --help tells the options of a command; --version the version; --lang en or zh_CN sets the language.") +
           QStringLiteral("\n\n") + translate("Cli", "Example") +
           QStringLiteral(": kvplan plan --model llama-3.1-8b-instruct --gpu rtx-4090 --context 32k\n");
}

} // namespace

int run(const std::vector<std::string> &words, const Terminal &terminal, const Catalog &builtIn)
{
    // Help and errors are in the language asked for too, so that it is read before anything else.
    const std::vector<std::string> languages = valuesOf("--lang", words);
    text::installLanguage(languages.empty() ? QString() : toQString(languages.back()));
    Catalog catalog = builtIn;
    const Context context{terminal, catalog};
    if (!languages.empty() && languages.back() != "en" && languages.back() != "zh_CN")
        return fail(context, {ErrorCode::BadOption, "--lang " + languages.back(), "en, zh_CN", {}});
    for (const std::string &file : valuesOf("--catalog", words)) {
        if (const std::optional<Error> error = catalog.addFile(file))
            return fail(context, *error);
    }

    // Options before the command are those of every command.
    std::size_t at = 0;
    while (at < words.size() && words[at].starts_with('-')) {
        const std::string &word = words[at];
        if (word == "--version") {
            terminal.out << "kvplan " << KVSCOPE_VERSION << '\n';
            return 0;
        }
        if (word == "--help" || word == "-h") {
            write(context, overview());
            return 0;
        }
        constexpr std::array<std::string_view, 4> known{"--lang", "--catalog", "--version", "--help"};
        const std::string_view option = std::string_view(word).substr(0, word.find('='));
        const bool bare = option.size() == word.size();
        if (option != known[0] && option != known[1])
            return fail(context, {ErrorCode::UnknownName, word, joined(nearNames(word, known)), {}});
        if (bare && at + 1 == words.size())
            return fail(context, {ErrorCode::BadOption, word, option == known[0] ? "en, zh_CN" : "FILE", {}});
        at += bare ? 2 : 1;
    }
    if (at >= words.size()) {
        terminal.err << overview().toStdString();
        return 2;
    }
    const std::string &name = words[at];
    const auto command =
        std::ranges::find(commands, std::string_view(name), [](const CommandRow &row) { return std::string_view(row.name); });
    if (command == commands.end()) {
        std::vector<std::string_view> names;
        for (const CommandRow &row : commands)
            names.push_back(row.name);
        std::vector<std::string> near = nearNames(name, names);
        if (near.empty())
            near.assign(names.begin(), names.end());
        return fail(context, {ErrorCode::UnknownName, name, joined(near), {}});
    }
    return command->run(Words(words).subspan(at + 1), context);
}

} // namespace kvscope::cli
