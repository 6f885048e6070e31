// SPDX-License-Identifier: GPL-3.0-or-later
// kvplan plan, compare, report.
#include <algorithm>
#include <ostream>

#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/planview.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/evaluate.h"
#include "core/import/import.h"
#include "core/scenariofile.h"
#include "ui/text/report.h"

namespace kvscope::cli {

namespace {

int exitCodeOf(Verdict verdict) { return verdict == Verdict::OutOfMemory || verdict == Verdict::Refused ? 1 : 0; }

/// What a command that takes a scenario was asked.
struct Asked {
    Scenario scenario;
    text::Unit unit = text::Unit::GB;
};

/// The scenario of the options, saved where that was asked for.
Result<Asked> read(const ScenarioOptions &options, const OutputOptions &output, const Context &context)
{
    const Result<text::Unit> unit = output.readUnit();
    if (!unit)
        return unit.error();
    Result<Scenario> scenario = scenarioFrom(options, {context.catalog, context.terminal.in});
    if (!scenario)
        return scenario.error();
    if (options.save) {
        if (std::optional<Error> error = saveScenario(resolved(*scenario), *options.save))
            return std::move(*error);
    }
    return Asked{std::move(*scenario), *unit};
}

PlanExtras extrasOf(const Asked &asked, const Cluster &cluster, const Plan &plan, bool explaining)
{
    PlanExtras extras;
    extras.messages = messages(asked.unit);
    if (plan.verdict == Verdict::Refused)
        return extras;
    if (plan.verdict != Verdict::Fits)
        extras.smallestChange = widestFittingKv(asked.scenario, cluster);
    extras.fewestDevices = fewestDevices(asked.scenario, cluster);
    if (explaining)
        extras.explanations = explain(asked.scenario, cluster, plan);
    return extras;
}

void addOptions(CommandLine &line, ScenarioOptions &options, OutputOptions &output)
{
    output.addCommon(line);
    output.addUnit(line);
    output.addJson(line);
    output.addExplain(line);
    options.addTo(line);
}

/// Writes a report in the form that the name's ending asks for. Errors: BadOption, WriteFailed.
std::optional<Error> writeReport(const std::string &path, const Results &results, text::Unit unit)
{
    text::ReportOptions options;
    options.unit = unit;
    if (path.ends_with(".md") || path.ends_with(".markdown"))
        return writeFile(path, text::markdownReport(results, options).toStdString());
    if (path.ends_with(".html") || path.ends_with(".htm"))
        return writeFile(path, text::htmlReport(results, options).toStdString());
    if (path.ends_with(".csv"))
        return writeFile(path, text::csvReport(results).toStdString());
    return Error{ErrorCode::BadOption, "-o " + path, ".md, .html, .csv", {}};
}

QString comparison(const Asked &asked, const std::vector<Plan> &plans)
{
    using enum Table::Align;
    const text::Unit unit = asked.unit;
    Table table({Left, Left, Right, Right, Right, Right, Right, Right});
    table.head({translate("Cli", "GPU"), translate("Cli", "Verdict"), translate("Cli", "Memory"), text::name(Part::Weights),
                text::name(Part::Kv), translate("Cli", "Free"), translate("Cli", "Longest context"), translate("Cli", "Most sequences")});
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const QString name = clusterName(asked.scenario.clusters[i], unit);
        const DevicePlan *device = plans[i].binding();
        if (!device) {
            table.add({name, text::name(plans[i].verdict), {}, {}, {}, {}, {}, {}});
            continue;
        }
        table.add({name, text::name(plans[i].verdict), text::bytes(device->usable, unit), text::bytes(device->used[Part::Weights], unit),
                   text::bytes(device->used[Part::Kv], unit), text::bytes(device->free(), unit), contextLimit(plans[i].limits),
                   batchLimit(plans[i].limits)});
    }
    QString out = QStringLiteral("  ") + modelName(*asked.scenario.model) + QLatin1Char('\n') + scenarioHead(asked.scenario) +
                  QLatin1Char('\n') + table.text(QStringLiteral("  "));
    // What several machines have in common is said once.
    std::vector<QString> said;
    for (const Plan &plan : plans) {
        std::vector<QString> sentences;
        if (plan.refusal)
            sentences.push_back(text::sentence(*plan.refusal));
        for (const Warning &warning : plan.warnings)
            sentences.push_back(text::sentence(warning, unit));
        for (QString &sentence : sentences) {
            if (std::ranges::count(said, sentence) == 0)
                said.push_back(std::move(sentence));
        }
    }
    if (!said.empty())
        out += QLatin1Char('\n');
    for (const QString &sentence : said)
        out += QStringLiteral("  ! ") + sentence + QLatin1Char('\n');
    return out;
}

} // namespace

int planCommand(Words words, const Context &context)
{
    CommandLine line("plan", translate("Cli", "What one scenario takes on one machine, and whether it fits"));
    ScenarioOptions options;
    OutputOptions output;
    addOptions(line, options, output);
    if (const std::optional<int> done = readWords(line, words, context))
        return *done;
    if (options.gpus.size() > 1)
        return failWith(context, translate("Cli", "--gpu: plan takes one machine; use compare for several"));
    const Result<Asked> asked = read(options, output, context);
    if (!asked)
        return fail(context, asked.error());

    const Scenario &scenario = asked->scenario;
    const Cluster &cluster = scenario.clusters[static_cast<std::size_t>(scenario.selected)];
    const Plan answer = plan(scenario, cluster);
    const PlanExtras extras = extrasOf(*asked, cluster, answer, output.json || output.explain);
    if (output.json)
        context.terminal.out << planToJson(scenario, cluster, answer, extras) << '\n';
    else
        write(context, planText(scenario, cluster, answer, extras, {asked->unit, context.terminal.colour, context.terminal.columns}));
    return exitCodeOf(answer.verdict);
}

int compareCommand(Words words, const Context &context)
{
    CommandLine line("compare", translate("Cli", "The same scenario on several machines, side by side"));
    ScenarioOptions options;
    OutputOptions output;
    addOptions(line, options, output);
    if (const std::optional<int> done = readWords(line, words, context))
        return *done;
    const Result<Asked> asked = read(options, output, context);
    if (!asked)
        return fail(context, asked.error());

    const Scenario &scenario = asked->scenario;
    std::vector<Plan> plans;
    for (const Cluster &cluster : scenario.clusters)
        plans.push_back(plan(scenario, cluster));
    if (output.json) {
        context.terminal.out << "[\n";
        for (std::size_t i = 0; i < plans.size(); ++i) {
            const Cluster &cluster = scenario.clusters[i];
            context.terminal.out << (i > 0 ? ",\n" : "")
                                 << planToJson(scenario, cluster, plans[i], extrasOf(*asked, cluster, plans[i], true));
        }
        context.terminal.out << "\n]\n";
    } else {
        write(context, comparison(*asked, plans));
    }
    return plans.size() == 1 ? exitCodeOf(plans.front().verdict) : 0;
}

int reportCommand(Words words, const Context &context)
{
    CommandLine line("report", translate("Cli", "The answer as a file: Markdown, HTML or CSV"));
    ScenarioOptions options;
    OutputOptions output;
    ScenarioOptions::Text path;
    line.value("-o,--output", "FILE", translate("Cli", "File to write; its ending chooses the form: .md, .html or .csv"), path);
    output.addCommon(line);
    output.addUnit(line);
    options.addTo(line);
    line.footer(translate("Cli", "Charts and PDF: kvscope --render FILE SCENARIO"));
    if (const std::optional<int> done = readWords(line, words, context))
        return *done;
    if (!path)
        return fail(context, {ErrorCode::BadOption, "-o", "FILE", {}});
    const Result<Asked> asked = read(options, output, context);
    if (!asked)
        return fail(context, asked.error());
    if (const std::optional<Error> error = writeReport(*path, evaluate(asked->scenario), asked->unit))
        return fail(context, *error);
    return 0;
}

} // namespace kvscope::cli
