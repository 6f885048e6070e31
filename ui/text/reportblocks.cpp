// SPDX-License-Identifier: GPL-3.0-or-later
// What a report says; how it is written stands in report.cpp.
#include "ui/text/reportblocks.h"

#include "ui/text/words.h"

#include <QLocale>

#include <algorithm>

namespace kvscope::text {

namespace {

QString modelName(const Scenario &scenario)
{
    return scenario.model ? QString::fromStdString(scenario.model->name) : Words::tr("no model");
}

class Writer {
public:
    Writer(const Results &results, const ReportOptions &options) :
        m_results(results), m_options(options), m_scenario(results.scenario), m_plan(results.selectedPlan())
    {
    }

    std::vector<Block> blocks()
    {
        const QDateTime when = m_options.written.isValid() ? m_options.written : QDateTime::currentDateTime();
        add({Block::Kind::Title, Words::tr("GPU memory report: %1", "name of a model").arg(modelName(m_scenario)), {}, {}});
        add({Block::Kind::Paragraph,
             Words::tr("Written by %1 on %2.").arg(programName(), QLocale().toString(when, QLocale::LongFormat)),
             {},
             {}});
        if (m_plan) {
            add({Block::Kind::Verdict, verdictSentence(*m_plan, m_options.unit), {}, {}, m_plan->verdict});
            addWarnings();
        }
        addScenario();
        for (const Figure &figure : m_options.figures)
            add({Block::Kind::Figure, figure.caption, {}, {figure.markup}});
        if (m_plan && m_plan->verdict != Verdict::Refused) {
            addDevices();
            addKv();
            addLimits();
        }
        addPrecisions();
        heading(m_results.compared.empty() ? Words::tr("GPUs side by side") : Words::tr("Engines side by side"));
        addTable(turned(comparisonTable(m_results, m_options.unit, CellStyle::Read)), 1);
        addDifferences();
        addExplanations();
        addAssumptions();
        return std::move(m_blocks);
    }

private:
    void add(Block block) { m_blocks.push_back(std::move(block)); }
    void heading(const QString &words) { add({Block::Kind::Heading, words, {}, {}}); }
    void addTable(Table table, int numbers)
    {
        Block block{Block::Kind::Table, {}, std::move(table), {}};
        block.numbers = numbers;
        add(std::move(block));
    }
    QString shown(Bytes value) const { return bytes(value, m_options.unit); }

    void addWarnings()
    {
        QStringList items;
        for (const Warning &warning : m_plan->warnings)
            items.append(sentence(warning, m_options.unit));
        if (!items.isEmpty())
            add({Block::Kind::List, {}, {}, items});
    }

    void addScenario()
    {
        heading(Words::tr("Scenario"));
        Table table{{Words::tr("setting"), Words::tr("value")}, {}};
        const auto row = [&table](const QString &setting, const QString &value) { table.rows.push_back({setting, value}); };
        const Scenario &s = m_scenario;
        row(Words::tr("model"), modelName(s));
        if (s.model) {
            row(Words::tr("shape"), shapeLine(*s.model));
            if (s.model->parametersKnown)
                row(Words::tr("parameters"), parameters(s.model->parameters().total()));
            if (s.model->trainedContext.value > 0)
                row(Words::tr("trained length"), Words::tr("%1 tokens").arg(tokens(s.model->trainedContext)));
            row(Words::tr("weights"),
                s.weights.measured ? Words::tr("%1, measured").arg(shown(*s.weights.measured)) : name(weightFormat(s)));
        }
        row(Words::tr("engine"), engineName(s));
        for (const EngineChoice &other : s.otherEngines)
            row(Words::tr("compared with"), engineName(other));
        if (s.draft)
            row(Words::tr("drafting model"), QString::fromStdString(s.draft->name));
        row(Words::tr("KV cache"), kvName(s));
        row(Words::tr("context per sequence"), Words::tr("%1 tokens").arg(tokens(s.context)));
        row(Words::tr("sequences at once"), count(s.batch));
        if (const Cluster *cluster = m_results.selectedCluster()) {
            row(Words::tr("GPU"), name(*cluster, m_options.unit));
            if (const QString split = layout(*cluster); !split.isEmpty())
                row(Words::tr("split"), split);
        }
        if (s.inUse.value > 0)
            row(Words::tr("in use by others"), shown(s.inUse));
        if (s.reservePercent > 0)
            row(Words::tr("kept free"), QLocale().toString(s.reservePercent, 'g', 4) + QStringLiteral(" %"));
        if (s.sharedPrefix.value > 0)
            row(Words::tr("prefix shared by all sequences"), Words::tr("%1 tokens").arg(tokens(s.sharedPrefix)));
        if (s.offloadKv.value > 0)
            row(Words::tr("KV that may live in host memory"), shown(s.offloadKv));
        if (s.hostMemory)
            row(Words::tr("host memory"), shown(*s.hostMemory));
        addTable(table, 2);
    }

    void addDevices()
    {
        heading(Words::tr("Memory by GPU"));
        Table table;
        const auto head = [&](const QString &what) { table.columns.append(byteHead(what, m_options.unit, CellStyle::Read)); };
        table.columns.append(Words::tr("GPU"));
        head(Words::tr("memory"));
        head(Words::tr("usable"));
        for (int part = 0; part < partCount; ++part)
            head(name(static_cast<Part>(part)));
        for (const QString &what : {Words::tr("total"), Words::tr("at least"), Words::tr("at most"), Words::tr("free")})
            head(what);
        for (std::size_t first = 0; first < m_plan->devices.size();) {
            // Devices in a row that hold the same are one column.
            const DevicePlan &device = m_plan->devices[first];
            std::size_t last = first;
            while (last + 1 < m_plan->devices.size() && m_plan->devices[last + 1].name == device.name &&
                   m_plan->devices[last + 1].used == device.used && m_plan->devices[last + 1].budget == device.budget)
                ++last;
            const QString which =
                first == last ? count(device.index) : QStringLiteral("%1-%2").arg(count(device.index), count(m_plan->devices[last].index));
            QStringList row{Words::tr("%1: %2", "number of a GPU, its name").arg(which, QString::fromStdString(device.name))};
            const auto figure = [&](Bytes value) { row.append(bytesNumber(value, m_options.unit)); };
            figure(device.memory);
            figure(device.budget);
            for (int part = 0; part < partCount; ++part)
                figure(device.used[static_cast<Part>(part)]);
            for (const Bytes value : {device.total, device.low, device.high, device.free()})
                figure(value);
            table.rows.push_back(row);
            first = last + 1;
        }
        addTable(turned(table), 1);
    }

    void addKv()
    {
        heading(Words::tr("KV cache"));
        Table table{{Words::tr("figure"), Words::tr("value"), Words::tr("bytes")}, {}};
        const auto row = [&](const QString &figure, Bytes value) { table.rows.push_back({figure, shown(value), count(value.value)}); };
        row(Words::tr("one more token, whole model"), m_plan->kv.perToken);
        row(Words::tr("one more token at this context"), m_plan->kv.perTokenAtContext);
        row(Words::tr("one more token on the fullest GPU"), m_plan->kv.perTokenPerDevice);
        row(Words::tr("one sequence on the fullest GPU"), m_plan->kv.perSequence);
        row(Words::tr("all sequences over all GPUs"), m_plan->kv.total);
        if (m_plan->kv.statePerSequence.value > 0)
            row(Words::tr("recurrent state of one sequence"), m_plan->kv.statePerSequence);
        addTable(table, 1);
    }

    void addLimits()
    {
        heading(Words::tr("Limits"));
        const Limits &limits = m_plan->limits;
        Table table{{Words::tr("limit"), Words::tr("value"), Words::tr("held by")}, {}};
        table.rows.push_back({Words::tr("largest context at this concurrency"), Words::tr("%1 tokens").arg(contextLimit(limits)),
                              reason(limits.contextReason)});
        if (limits.maxContextBeyondTraining != limits.maxContext)
            table.rows.push_back({Words::tr("the same without regard to the trained length"),
                                  Words::tr("%1 tokens").arg(contextLimitBeyondTraining(limits)),
                                  {}});
        table.rows.push_back({Words::tr("largest concurrency at this context"), batchLimit(limits), reason(limits.batchReason)});
        addTable(table, 3);
    }

    void addPrecisions()
    {
        const auto here = std::find(m_results.contexts.begin(), m_results.contexts.end(), m_scenario.context);
        if (m_results.growthByPrecision.empty() || here == m_results.contexts.end())
            return;
        const std::size_t at = static_cast<std::size_t>(here - m_results.contexts.begin());
        heading(Words::tr("By KV precision"));
        Table table{{Words::tr("KV precision"), byteHead(Words::tr("total"), m_options.unit, CellStyle::Read),
                     Words::tr("largest context (tokens)"), Words::tr("largest concurrency")},
                    {}};
        for (std::size_t i = 0; i < m_results.growthByPrecision.size(); ++i) {
            const GrowthLine &line = m_results.growthByPrecision[i];
            QStringList row{line.kv ? name(*line.kv) : kvName(m_scenario)};
            row.append(at < line.total.size() ? bytesNumber(line.total[at], m_options.unit) : QString());
            row.append(tokens(line.crossing));
            const bool has = i < m_results.boundaryByPrecision.size() && at < m_results.boundaryByPrecision[i].sequences.size();
            row.append(has ? count(m_results.boundaryByPrecision[i].sequences[at]) : QString());
            table.rows.push_back(row);
        }
        addTable(table, 1);
    }

    /// Why an engine takes more or less than the theory, a list for each that does.
    void addDifferences()
    {
        for (const Compared &row : m_results.compared) {
            QStringList items;
            for (const Difference &difference : row.differences)
                items.append(sentence(difference, m_options.unit));
            if (items.isEmpty())
                continue;
            add({Block::Kind::Paragraph,
                 Words::tr("%1 against the theory, on the device that binds:", "an engine").arg(name(m_scenario, row, m_options.unit)),
                 {},
                 {}});
            add({Block::Kind::List, {}, {}, items});
        }
    }

    void addExplanations()
    {
        const Cluster *cluster = m_results.selectedCluster();
        if (!cluster || !m_plan || m_plan->verdict == Verdict::Refused)
            return;
        const std::vector<Explanation> all = explain(m_scenario, *cluster, *m_plan);
        if (all.empty())
            return;
        heading(Words::tr("How each figure came about"));
        Table table{{Words::tr("figure"), Words::tr("rule"), Words::tr("formula"), Words::tr("value"), Words::tr("source"),
                     Words::tr("confidence")},
                    {}};
        for (const Explanation &e : all) {
            table.rows.push_back({QString::fromStdString(e.figure), rule(e.rule), QString::fromStdString(e.formula),
                                  explained(e, m_options.unit, false), source(e.source), name(e.confidence)});
        }
        addTable(table, 6);
        if (m_plan->engineReport.empty())
            return;
        heading(Words::tr("The engine's own figures"));
        Table own{{Words::tr("figure"), Words::tr("value")}, {}};
        for (const ReportFigure &figure : m_plan->engineReport)
            own.rows.push_back({QString::fromStdString(figure.name), reported(figure)});
        addTable(own, 1);
    }

    void addAssumptions()
    {
        if (!m_scenario.model)
            return;
        QStringList items;
        for (const Assumption &assumption : m_scenario.model->assumptions)
            items.append(sentence(assumption));
        if (!items.isEmpty()) {
            heading(Words::tr("Read as defaults"));
            add({Block::Kind::List, {}, {}, items});
        }
        QStringList sources;
        const auto take = [&sources](const std::vector<std::string> &list) {
            for (const std::string &source : list) {
                if (const QString words = QString::fromStdString(source); !sources.contains(words))
                    sources.append(words);
            }
        };
        take(m_scenario.model->sources);
        for (const Cluster &cluster : m_scenario.clusters) {
            for (const Device &device : cluster.devices)
                take(device.sources);
        }
        if (sources.isEmpty())
            return;
        heading(Words::tr("Where the facts about model and GPUs were read"));
        add({Block::Kind::List, {}, {}, sources});
    }

    const Results &m_results;
    const ReportOptions &m_options;
    const Scenario &m_scenario;
    const Plan *m_plan;
    std::vector<Block> m_blocks;
};

} // namespace

std::vector<Block> reportBlocks(const Results &results, const ReportOptions &options) { return Writer(results, options).blocks(); }

} // namespace kvscope::text
