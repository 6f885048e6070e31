// SPDX-License-Identifier: GPL-3.0-or-later
// kvplan sweep.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <ostream>
#include <thread>

#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/sweepformat.h"
#include "app/cli/sweepoptions.h"
#include "app/cli/words.h"
#include "core/parse.h"

namespace kvscope::cli {

namespace {

/// Set by Ctrl-C. A signal handler reaches nothing but what is global.
std::atomic<bool> interrupted{false};

/// While it lives, Ctrl-C and a polite kill end the sweep after whole lines instead of the process.
class InterruptGuard {
public:
    InterruptGuard()
    {
        interrupted = false;
        const auto note = [](int) { interrupted = true; };
        m_interrupt = std::signal(SIGINT, note);
        m_terminate = std::signal(SIGTERM, note);
    }
    ~InterruptGuard()
    {
        std::signal(SIGINT, m_interrupt);
        std::signal(SIGTERM, m_terminate);
    }
    InterruptGuard(const InterruptGuard &) = delete;
    InterruptGuard &operator=(const InterruptGuard &) = delete;

private:
    void (*m_interrupt)(int);
    void (*m_terminate)(int);
};

/// Says how far the sweep is, once it takes over a second.
class Progress {
public:
    Progress(const Terminal &terminal, std::int64_t rows) : m_terminal(terminal), m_rows(rows) {}

    void advance(std::int64_t rows)
    {
        m_done += rows;
        const Clock::time_point now = Clock::now();
        if (now < m_next)
            return;
        m_next = now + (m_terminal.rewrite ? std::chrono::milliseconds(200) : std::chrono::milliseconds(5000));
        const double spent = std::chrono::duration<double>(now - m_start).count();
        const double left = spent * static_cast<double>(m_rows - m_done) / static_cast<double>(m_done);
        const QString sentence =
            translate("Cli", "%1 of %2 rows, about %3 s left").arg(text::count(m_done), text::count(m_rows)).arg(left, 0, 'f', 0);
        m_terminal.err << (m_terminal.rewrite ? "\r\x1b[K" : "") << sentence.toStdString() << (m_terminal.rewrite ? "" : "\n")
                       << std::flush;
        m_shown = true;
    }
    void finish()
    {
        if (m_shown && m_terminal.rewrite)
            m_terminal.err << "\r\x1b[K" << std::flush;
    }

private:
    using Clock = std::chrono::steady_clock;
    const Terminal &m_terminal;
    std::int64_t m_rows, m_done = 0;
    Clock::time_point m_start = Clock::now(), m_next = m_start + std::chrono::seconds(1);
    bool m_shown = false;
};

enum class Form { Csv, JsonLines, Markdown };

/// How the rows are printed and which of them.
struct SweepOutput {
    ScenarioOptions::Text columns, across, jobs, shard;
    bool jsonLines = false, markdown = false, noHeader = false;
    OutputOptions common;

    void addTo(CommandLine &line);
};

void SweepOutput::addTo(CommandLine &line)
{
    common.addCommon(line);
    line.flag("--jsonl,--json", translate("Cli", "JSON lines instead of CSV: an object a row"), jsonLines);
    line.flag("--markdown", translate("Cli", "A Markdown table for people instead of CSV"), markdown);
    line.value("--unit", "GB|GiB", translate("Cli", "Markdown: unit of the bytes (default: GB)"), common.unit);
    line.value("--across", "COLUMN", translate("Cli", "Markdown: the values of this column side by side"), across);
    line.value("--columns", "LIST", translate("Cli", "Columns to print, in this order (default: all)"), columns);
    line.flag("--no-header", translate("Cli", "Without the line of names"), noHeader);
    line.value("--jobs", "N", translate("Cli", "Threads (default: all cores)"), jobs);
    line.value(
        "--shard", "I/N",
        translate("Cli",
                  "Only the I-th of N parts, I from 1; the parts joined in order are the whole, the first alone has the line of names"),
        shard);
    line.footer(translate("Cli", "Columns: %1").arg(toQString(csvHead(*columnsFrom({})))).trimmed());
}

/// What of the sweep is to be run, and how.
struct Run {
    std::vector<Column> columns;
    std::optional<Column> across;
    text::Unit unit = text::Unit::GB;
    std::int64_t part = 1, parts = 1;
    int jobs = 1;
    Form form = Form::Csv;
};

Result<Run> read(const SweepOutput &output)
{
    constexpr std::int64_t mostJobs = 1024;
    Run run;
    const Result<text::Unit> unit = output.common.readUnit();
    if (!unit)
        return unit.error();
    run.unit = *unit;
    Result<std::vector<Column>> columns = columnsFrom(output.columns);
    if (!columns)
        return columns.error();
    run.columns = std::move(*columns);
    if (output.jsonLines && output.markdown)
        return Error{ErrorCode::BadOption, "--markdown", {}, {}};
    run.form = output.markdown ? Form::Markdown : output.jsonLines ? Form::JsonLines : Form::Csv;
    if (output.across) {
        const Result<std::vector<Column>> across = columnsFrom(output.across);
        if (!across)
            return Error{across.error().code, "--across " + *output.across, across.error().detail, {}};
        if (across->size() != 1 || !output.markdown || output.shard)
            return Error{ErrorCode::BadOption, "--across " + *output.across, {}, {}};
        run.across = across->front();
    }
    run.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    if (output.jobs) {
        const Result<std::int64_t> jobs = parseWhole(*output.jobs, 1, mostJobs);
        if (!jobs)
            return Error{jobs.error().code, "--jobs " + *output.jobs, jobs.error().detail, {}};
        run.jobs = static_cast<int>(*jobs);
    }
    if (output.shard) {
        const std::string &text = *output.shard;
        const std::size_t slash = text.find('/');
        const Error error{ErrorCode::BadOption, "--shard " + text, "I/N", {}};
        if (slash == std::string::npos)
            return error;
        const Result<std::int64_t> parts = parseWhole(text.substr(slash + 1), 1, std::int64_t{1} << 40);
        const Result<std::int64_t> part = parseWhole(text.substr(0, slash), 1, parts ? *parts : 1);
        if (!parts || !part)
            return error;
        run.part = *part;
        run.parts = *parts;
    }
    return run;
}

std::string headOf(const Run &run)
{
    switch (run.form) {
    case Form::Csv: return csvHead(run.columns);
    case Form::JsonLines: return {};
    case Form::Markdown: return markdownHead(run.columns);
    }
    return {};
}

SweepWriter writerOf(const Run &run, const Sweep &sweep)
{
    switch (run.form) {
    case Form::Csv: return csvWriter(sweep, run.columns);
    case Form::JsonLines: return jsonWriter(sweep, run.columns);
    case Form::Markdown: break;
    }
    return markdownWriter(sweep, run.columns, run.unit);
}

} // namespace

int sweepCommand(Words words, const Context &context)
{
    CommandLine line("sweep", translate("Cli", "Every combination of lists, as CSV, JSON lines or Markdown"));
    ListOptions lists;
    ScenarioOptions options;
    SweepOutput output;
    output.addTo(line);
    lists.addTo(line);
    options.addTo(line);
    if (const std::optional<int> done = readWords(line, words, context))
        return *done;
    const Result<Run> run = read(output);
    if (!run)
        return fail(context, run.error());
    Result<SweepLists> product = listsFrom(lists, options, {context.catalog, context.terminal.in});
    if (!product)
        return fail(context, product.error());
    const Sweep sweep(std::move(*product));
    if (sweep.rows() == tooLargeValue)
        return fail(context, {ErrorCode::TooLarge, "sweep", {}, {}});

    remark(context, remarksOn(options, sweep.lists().engines));
    const Terminal &terminal = context.terminal;
    if (run->across) {
        const Result<std::string> table = pivotTable(sweep, run->columns, *run->across, run->unit);
        if (!table)
            return fail(context, table.error());
        terminal.out << *table;
        return 0;
    }
    if (run->part == 1 && !output.noHeader)
        terminal.out << headOf(*run);
    const SweepRange range = shardOf(sweep.rows(), run->part, run->parts);
    const InterruptGuard guard;
    Progress progress(terminal, range.count);
    const auto sink = [&](std::string_view text, std::int64_t rows) {
        terminal.out.write(text.data(), static_cast<std::streamsize>(text.size()));
        progress.advance(rows);
        return terminal.out.good();
    };
    const std::int64_t done = runSweep(
        sweep, range, run->jobs, [&] { return writerOf(*run, sweep); }, sink, interrupted);
    progress.finish();
    if (interrupted) {
        terminal.err << "kvplan: "
                     << translate("Cli", "interrupted after %1 of %2 rows").arg(text::count(done), text::count(range.count)).toStdString()
                     << '\n';
        return 130;
    }
    return 0;
}

} // namespace kvscope::cli
