// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/report.h"

#include "ui/text/table.h"
#include "ui/text/words.h"

#include <QLocale>

#include <algorithm>

namespace kvscope::text {

namespace {

// A report as blocks, so that Markdown and HTML say the same.
struct Block {
    enum class Kind { Title, Heading, Paragraph, Verdict, Table, List, Figure } kind;
    QString text;
    Table table;
    QStringList items;
    Verdict verdict = Verdict::Fits;
    int numbers = 1; ///< table: first column that is set right
};

QString modelName(const Scenario &scenario)
{
    return scenario.model ? QString::fromStdString(scenario.model->name) : Words::tr("no model");
}

QString splitName(const Split &split)
{
    QStringList parts;
    for (const auto &[label, degree] : {std::pair(QStringLiteral("TP"), split.tensor), std::pair(QStringLiteral("PP"), split.pipeline),
                                        std::pair(QStringLiteral("EP"), split.expert), std::pair(QStringLiteral("DP"), split.data)}) {
        if (degree > 1)
            parts.append(label + u' ' + QString::number(degree));
    }
    return parts.join(QStringLiteral(" · "));
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
        heading(Words::tr("GPUs side by side"));
        addTable(turned(comparisonTable(m_results, m_options.unit, CellStyle::Read)), 1);
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
        row(Words::tr("KV cache"), kvName(s));
        row(Words::tr("context per sequence"), Words::tr("%1 tokens").arg(tokens(s.context)));
        row(Words::tr("sequences at once"), count(s.batch));
        if (const Cluster *cluster = m_results.selectedCluster()) {
            row(Words::tr("GPU"), name(*cluster, m_options.unit));
            if (const QString split = splitName(cluster->split); !split.isEmpty())
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
        table.rows.push_back({Words::tr("largest context at this concurrency"), Words::tr("%1 tokens").arg(tokens(limits.maxContext)),
                              reason(limits.contextReason)});
        if (limits.maxContextBeyondTraining != limits.maxContext)
            table.rows.push_back({Words::tr("the same without regard to the trained length"),
                                  Words::tr("%1 tokens").arg(tokens(limits.maxContextBeyondTraining)), reason(LimitReason::Memory)});
        table.rows.push_back({Words::tr("largest concurrency at this context"), count(limits.maxBatch), reason(limits.batchReason)});
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

QString markdownEscaped(const QString &text)
{
    QString result;
    for (const QChar c : text) {
        if (QStringLiteral("\\`*_[]<>|#").contains(c))
            result += u'\\';
        result += c == u'\n' ? u' ' : c;
    }
    return result;
}

QString markdownTable(const Block &block)
{
    const auto line = [](const QStringList &cells) {
        QStringList written;
        for (const QString &text : cells)
            written.append(markdownEscaped(text));
        return QStringLiteral("| ") + written.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
    };
    QString result = line(block.table.columns) + u'|';
    for (int i = 0; i < block.table.columns.size(); ++i)
        result += i >= block.numbers ? QStringLiteral(" ---: |") : QStringLiteral(" --- |");
    result += u'\n';
    for (const QStringList &row : block.table.rows)
        result += line(row);
    return result + u'\n';
}

QString htmlTable(const Block &block)
{
    const auto line = [&block](const QStringList &cells, const QString &tag) {
        QString result = QStringLiteral("<tr>");
        for (int i = 0; i < cells.size(); ++i)
            result += QStringLiteral("<%1%2>%3</%1>")
                          .arg(tag, i >= block.numbers ? QStringLiteral(" align=\"right\"") : QStringLiteral(" align=\"left\""),
                               cells[i].toHtmlEscaped());
        return result + QStringLiteral("</tr>\n");
    };
    QString result =
        QStringLiteral("<table cellspacing=\"0\" cellpadding=\"4\" width=\"100%\">\n") + line(block.table.columns, QStringLiteral("th"));
    for (const QStringList &row : block.table.rows)
        result += line(row, QStringLiteral("td"));
    return result + QStringLiteral("</table>\n");
}

QString verdictColour(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fits: return QStringLiteral("#0b6b43");
    case Verdict::Tight: return QStringLiteral("#7a4e00");
    case Verdict::OutOfMemory: return QStringLiteral("#a3211a");
    case Verdict::Refused: break;
    }
    return QStringLiteral("#4a5463");
}

} // namespace

QString markdownReport(const Results &results, const ReportOptions &options)
{
    QString out;
    for (const Block &block : Writer(results, options).blocks()) {
        switch (block.kind) {
        case Block::Kind::Title: out += QStringLiteral("# ") + markdownEscaped(block.text) + QStringLiteral("\n\n"); break;
        case Block::Kind::Heading: out += QStringLiteral("## ") + markdownEscaped(block.text) + QStringLiteral("\n\n"); break;
        case Block::Kind::Paragraph: out += markdownEscaped(block.text) + QStringLiteral("\n\n"); break;
        case Block::Kind::Verdict: out += QStringLiteral("**") + markdownEscaped(block.text) + QStringLiteral("**\n\n"); break;
        case Block::Kind::Table: out += markdownTable(block); break;
        case Block::Kind::List:
            for (const QString &item : block.items)
                out += QStringLiteral("- ") + markdownEscaped(item) + u'\n';
            out += u'\n';
            break;
        case Block::Kind::Figure: out += block.items.join(QString()) + QStringLiteral("\n\n"); break;
        }
    }
    return out;
}

QString htmlReport(const Results &results, const ReportOptions &options)
{
    QString body;
    QString title;
    for (const Block &block : Writer(results, options).blocks()) {
        const QString words = block.text.toHtmlEscaped();
        switch (block.kind) {
        case Block::Kind::Title:
            title = words;
            body += QStringLiteral("<h1>%1</h1>\n").arg(words);
            break;
        case Block::Kind::Heading: body += QStringLiteral("<h2>%1</h2>\n").arg(words); break;
        case Block::Kind::Paragraph: body += QStringLiteral("<p class=\"quiet\">%1</p>\n").arg(words); break;
        case Block::Kind::Verdict:
            body += QStringLiteral("<p class=\"verdict\" style=\"color:%1\"><b>%2</b></p>\n").arg(verdictColour(block.verdict), words);
            break;
        case Block::Kind::Table: body += htmlTable(block); break;
        case Block::Kind::List:
            body += QStringLiteral("<ul>\n");
            for (const QString &item : block.items)
                body += QStringLiteral("<li>") + item.toHtmlEscaped() + QStringLiteral("</li>\n");
            body += QStringLiteral("</ul>\n");
            break;
        case Block::Kind::Figure:
            body +=
                QStringLiteral("<div class=\"figure\" title=\"%1\">").arg(words) + block.items.join(QString()) + QStringLiteral("</div>\n");
            break;
        }
    }
    const QString style = QStringLiteral(
        "body { font-family: sans-serif; color: #1a1f29; max-width: 62em; margin: 2em auto; padding: 0 1em; line-height: 1.45; }\n"
        "h1 { font-size: 1.6em; } h2 { font-size: 1.15em; margin-top: 1.6em; }\n"
        "table { border-collapse: collapse; font-size: 0.9em; }\n"
        "th { color: #596577; font-weight: 600; } th, td { border-bottom: 1px solid #dfe4ea; vertical-align: top; }\n"
        ".quiet { color: #596577; } .verdict { font-size: 1.25em; } .figure svg, .figure img { max-width: 100%; height: auto; }\n");
    return QStringLiteral("<!DOCTYPE html>\n<html lang=\"%1\">\n<head>\n<meta "
                          "charset=\"utf-8\"/>\n<title>%2</title>\n<style>\n%3</style>\n</head>\n<body>\n")
               .arg(language() == QLatin1String("zh_CN") ? QStringLiteral("zh-CN") : QStringLiteral("en"), title, style) +
           body + QStringLiteral("</body>\n</html>\n");
}

QString csvReport(const Results &results) { return csvOf(comparisonTable(results, Unit::GB, CellStyle::Plain)); }

QString programName() { return QStringLiteral("KVScope " KVSCOPE_VERSION); }

} // namespace kvscope::text
