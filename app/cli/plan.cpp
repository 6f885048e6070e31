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
    std::vector<Warning> remarks; ///< on the words themselves
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
        // What nobody set stays the engine's default, of the version that is the newest now.
        Scenario saved = *scenario;
        saved.engine.version = resolved(*scenario).engine.version;
        if (std::optional<Error> error = saveScenario(saved, *options.save))
            return std::move(*error);
    }
    std::vector<EngineChoice> engines{scenario->engine};
    engines.insert(engines.end(), scenario->otherEngines.begin(), scenario->otherEngines.end());
    return Asked{std::move(*scenario), *unit, remarksOn(options, engines)};
}

PlanExtras extrasOf(const Asked &asked, const Cluster &cluster, const Plan &plan, bool explaining)
{
    PlanExtras extras;
    extras.messages = messages(asked.unit);
    if (plan.verdict == Verdict::Refused)
        return extras;
    if (plan.verdict == Verdict::OutOfMemory)
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

/// A sentence once, whoever says it.
void addOnce(std::vector<QString> &said, QString sentence)
{
    if (std::ranges::count(said, sentence) == 0)
        said.push_back(std::move(sentence));
}

QString comparison(const Asked &asked, const std::vector<Compared> &rows)
{
    using enum Table::Align;
    const text::Unit unit = asked.unit;
    const bool byEngine = !asked.scenario.otherEngines.empty();
    Table table({Left, Left, Right, Right, Right, Right, Right, Right, Right});
    table.head({byEngine ? translate("Cli", "Engine") : translate("Cli", "GPU"), translate("Cli", "Verdict"), translate("Cli", "Memory"),
                text::name(Part::Weights), text::name(Part::Kv), translate("Cli", "Rest"), translate("Cli", "Free"),
                translate("Cli", "Longest context"), translate("Cli", "Most sequences")});
    for (const Compared &row : rows) {
        const QString name = text::name(asked.scenario, row, unit);
        const DevicePlan *device = row.plan.binding();
        if (!device) {
            table.add({name, text::name(row.plan.verdict), {}, {}, {}, {}, {}, {}, {}});
            continue;
        }
        const Bytes rest = device->total - device->used[Part::Weights] - device->used[Part::Kv];
        table.add({name, text::name(row.plan.verdict), text::bytes(device->usable, unit), text::bytes(device->used[Part::Weights], unit),
                   text::bytes(device->used[Part::Kv], unit), text::bytes(rest, unit), text::bytes(device->free(), unit),
                   text::contextLimit(row.plan.limits), text::batchLimit(row.plan.limits)});
    }
    QString out = QStringLiteral("  ") + modelName(*asked.scenario.model) + QLatin1Char('\n') + scenarioHead(asked.scenario) +
                  QLatin1Char('\n') + table.text(QStringLiteral("  "));
    if (byEngine) {
        for (const Compared &row : rows) {
            if (row.differences.empty())
                continue;
            out += QStringLiteral("\n  ") +
                   translate("Cli", "%1 against the theory, on the device that binds:", "an engine")
                       .arg(text::name(asked.scenario, row, unit)) +
                   QLatin1Char('\n');
            for (const Difference &difference : row.differences)
                out += QStringLiteral("    ") + text::sentence(difference, unit) + QLatin1Char('\n');
        }
    }
    std::vector<QString> said; // what several have in common is said once
    for (const Compared &row : rows) {
        if (row.plan.refusal)
            addOnce(said, byEngine ? QStringLiteral("%1: %2").arg(text::name(asked.scenario, row, unit), text::sentence(*row.plan.refusal))
                                   : text::sentence(*row.plan.refusal));
        for (const Warning &warning : row.plan.warnings)
            addOnce(said, text::sentence(warning, unit));
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
    if (options.engines.size() > 1)
        return failWith(context, translate("Cli", "--engine: plan takes one engine; use compare for several"));
    const Result<Asked> asked = read(options, output, context);
    if (!asked)
        return fail(context, asked.error());

    const Scenario &scenario = asked->scenario;
    const Cluster &cluster = scenario.clusters[static_cast<std::size_t>(scenario.selected)];
    Plan answer = plan(scenario, cluster);
    answer.warnings.insert(answer.warnings.end(), asked->remarks.begin(), asked->remarks.end());
    const PlanExtras extras = extrasOf(*asked, cluster, answer, output.json || output.explain);
    if (output.json)
        context.terminal.out << planToJson(scenario, cluster, answer, extras) << '\n';
    else
        write(context, planText(scenario, cluster, answer, extras, {asked->unit, context.terminal.colour, context.terminal.columns}));
    return exitCodeOf(answer.verdict);
}

int compareCommand(Words words, const Context &context)
{
    CommandLine line("compare", translate("Cli", "The same scenario on several machines and engines, side by side"));
    ScenarioOptions options;
    OutputOptions output;
    addOptions(line, options, output);
    if (const std::optional<int> done = readWords(line, words, context))
        return *done;
    const Result<Asked> asked = read(options, output, context);
    if (!asked)
        return fail(context, asked.error());

    const Scenario &scenario = asked->scenario;
    std::vector<Compared> rows = compareEngines(scenario);
    for (Compared &row : rows)
        row.plan.warnings.insert(row.plan.warnings.end(), asked->remarks.begin(), asked->remarks.end());
    if (output.json) {
        context.terminal.out << "[\n";
        for (std::size_t i = 0; i < rows.size(); ++i) {
            Cluster cluster = scenario.clusters[static_cast<std::size_t>(rows[i].cluster)];
            cluster.split = rows[i].split;
            Asked one = *asked;
            one.scenario.engine = rows[i].engine;
            context.terminal.out << (i > 0 ? ",\n" : "")
                                 << planToJson(one.scenario, cluster, rows[i].plan, extrasOf(one, cluster, rows[i].plan, true));
        }
        context.terminal.out << "\n]\n";
    } else {
        write(context, comparison(*asked, rows));
    }
    return rows.size() == 1 ? exitCodeOf(rows.front().plan.verdict) : 0;
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
    remark(context, asked->remarks);
    if (const std::optional<Error> error = writeReport(*path, evaluate(asked->scenario), asked->unit))
        return fail(context, *error);
    return 0;
}

} // namespace kvscope::cli
