// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/table.h"

#include "ui/text/words.h"

namespace kvscope::text {

QString csvOf(const Table &table)
{
    const auto line = [](const QStringList &cells) {
        QStringList written;
        for (QString text : cells) {
            // Names of models and cards come from files of others.
            if (!text.isEmpty() && QStringLiteral("=+@\t").contains(text.front()))
                text.prepend(u'\'');
            if (text.contains(u'"') || text.contains(u',') || text.contains(u'\n') || text.contains(u'\r'))
                text = u'"' + text.replace(QStringLiteral("\""), QStringLiteral("\"\"")) + u'"';
            written.append(text);
        }
        return written.join(u',') + QStringLiteral("\r\n");
    };
    QString result = line(table.columns);
    for (const QStringList &row : table.rows)
        result += line(row);
    return result;
}

QString cell(Bytes value, Unit unit, CellStyle style)
{
    return style == CellStyle::Plain ? QString::number(value.value) : bytesNumber(value, unit);
}

QString cell(TokenCount value, CellStyle style) { return style == CellStyle::Plain ? QString::number(value.value) : tokens(value); }

QString cell(std::int64_t value, CellStyle style) { return style == CellStyle::Plain ? QString::number(value) : count(value); }

QString byteHead(const QString &what, Unit unit, CellStyle style)
{
    return style == CellStyle::Plain ? Words::tr("%1 (bytes)").arg(what) : Words::tr("%1 (%2)", "what, its unit").arg(what, unitName(unit));
}

Table turned(const Table &table)
{
    Table result;
    const auto at = [](const QStringList &row, qsizetype column) { return column < row.size() ? row[column] : QString(); };
    result.columns.append(at(table.columns, 0));
    for (const QStringList &row : table.rows)
        result.columns.append(at(row, 0));
    for (qsizetype column = 1; column < table.columns.size(); ++column) {
        QStringList cells{table.columns[column]};
        bool anything = false;
        for (const QStringList &row : table.rows) {
            cells.append(at(row, column));
            anything |= cells.last() != QLatin1String("0");
        }
        if (anything)
            result.rows.push_back(cells);
    }
    return result;
}

namespace {

/// A row's memory, verdict and limits.
QStringList figuresOf(const Plan &plan, Unit unit, CellStyle style)
{
    QStringList row{name(plan.verdict)};
    const DevicePlan *device = plan.binding();
    if (!device || plan.verdict == Verdict::Refused) // no figures
        return row;
    row.append({cell(device->memory, unit, style), cell(device->budget, unit, style)});
    for (int part = 0; part < partCount; ++part)
        row.append(cell(device->used[static_cast<Part>(part)], unit, style));
    row.append({cell(device->total, unit, style), cell(device->free(), unit, style)});
    const Limits &limits = plan.limits;
    const bool plain = style == CellStyle::Plain; // where there is no limit, files have no figure
    row.append(plain ? isUnlimited(limits.contextReason) ? QString() : cell(limits.maxContext, style) : contextLimit(limits));
    row.append(plain ? isUnlimited(limits.batchReason) ? QString() : cell(limits.maxBatch, style) : batchLimit(limits));
    return row;
}

} // namespace

Table comparisonTable(const Results &results, Unit unit, CellStyle style)
{
    const Scenario &scenario = results.scenario;
    const bool engines = !results.compared.empty();
    Table table;
    const auto head = [&](const QString &what) { table.columns.append(byteHead(what, unit, style)); };
    if (engines)
        table.columns.append(Words::tr("engine"));
    table.columns.append({Words::tr("GPU"), Words::tr("verdict")});
    head(Words::tr("memory"));
    head(Words::tr("usable"));
    for (int part = 0; part < partCount; ++part)
        head(name(static_cast<Part>(part)));
    head(Words::tr("total"));
    head(Words::tr("free"));
    table.columns.append({Words::tr("max context (tokens)"), Words::tr("max concurrency")});
    const auto add = [&](QStringList names, const Plan &plan) {
        QStringList row = std::move(names) + figuresOf(plan, unit, style);
        row.resize(table.columns.size());
        table.rows.push_back(std::move(row));
    };
    for (const Compared &row : results.compared)
        add({engineName(row.engine), name(scenario.clusters[static_cast<std::size_t>(row.cluster)], unit)}, row.plan);
    for (std::size_t i = 0; !engines && i < results.plans.size() && i < scenario.clusters.size(); ++i)
        add({name(scenario.clusters[i], unit)}, results.plans[i]);
    return table;
}

} // namespace kvscope::text
