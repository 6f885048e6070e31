// SPDX-License-Identifier: GPL-3.0-or-later
// The sweep for people.
#include <algorithm>

#include <QLocale>
#include <QStringList>

#include "app/cli/planview.h"
#include "app/cli/sweepformat.h"
#include "app/cli/words.h"

namespace kvscope::cli {

namespace {

bool isBytes(Column column)
{
    return column == Column::Memory || column == Column::Kv || column == Column::WeightsBytes || column == Column::Total ||
           column == Column::Free;
}

bool isFigure(Column column) { return column >= Column::Verdict; }

QString titleOf(Column column)
{
    switch (column) {
    case Column::Model: return translate("Cli", "Model");
    case Column::Weights: return translate("Cli", "Weights");
    case Column::Engine: return translate("Cli", "Engine");
    case Column::Gpu: return translate("Cli", "GPU");
    case Column::Devices: return translate("Cli", "GPUs");
    case Column::Split: return translate("Cli", "Split");
    case Column::Memory: return translate("Cli", "Memory");
    case Column::Reserve: return translate("Cli", "Kept free");
    case Column::KvType: return translate("Cli", "KV type");
    case Column::Context: return translate("Cli", "Context");
    case Column::Batch: return translate("Cli", "Sequences");
    case Column::Verdict: return translate("Cli", "Verdict");
    case Column::Kv: return translate("Cli", "KV cache");
    case Column::WeightsBytes: return translate("Cli", "Weights");
    case Column::Total: return translate("Cli", "Total");
    case Column::Free: return translate("Cli", "Free");
    case Column::MaxContext: return translate("Cli", "Longest context");
    case Column::MaxContextBeyond: return translate("Cli", "Beyond the trained length");
    case Column::MaxContextReason: return translate("Cli", "What limits the context");
    case Column::MaxBatch: return translate("Cli", "Most sequences");
    case Column::MaxBatchReason: return translate("Cli", "What limits the sequences");
    }
    return {};
}

const QString none = QStringLiteral("–");

QString limitOrNone(std::int64_t value, const QString &limit) { return value > 0 ? limit : none; }

/// A column of a row in words. Bytes with their unit.
QString wordsOf(Column column, const SweepPoint &point, const SweepFigures &figures, const Scenario &scenario, const SweepLists &lists,
                text::Unit unit)
{
    const Cluster &cluster = scenario.clusters.front();
    if (isFigure(column) && column != Column::Verdict && figures.verdict == Verdict::Refused)
        return none;
    switch (column) {
    case Column::Model: return toQString(lists.models[static_cast<std::size_t>(point[SweepAxis::Model])].name);
    case Column::Weights:
        return scenario.model->parametersKnown || scenario.weights.measured || scenario.model->measuredWeights
                   ? text::name(weightFormat(scenario))
                   : none;
    case Column::Engine: return text::engineName(scenario);
    case Column::Gpu: return clusterName(cluster, unit);
    case Column::Devices: return text::count(static_cast<std::int64_t>(cluster.devices.size()));
    case Column::Split: return text::layout(cluster);
    case Column::Memory: return text::bytes(cluster.devices.front().memory, unit);
    case Column::Reserve: return QLocale().toString(scenario.reservePercent, 'f', QLocale::FloatingPointShortest) + QStringLiteral(" %");
    case Column::KvType: return text::kvName(scenario);
    case Column::Context: return text::tokensShort(scenario.context);
    case Column::Batch: return text::count(scenario.batch);
    case Column::Verdict: return text::name(figures.verdict);
    case Column::Kv: return text::bytes(figures.kv, unit);
    case Column::WeightsBytes: return text::bytes(figures.weights, unit);
    case Column::Total: return text::bytes(figures.total, unit);
    case Column::Free: return text::bytes(figures.free, unit);
    case Column::MaxContext: return limitOrNone(figures.limits.maxContext.value, text::contextLimit(figures.limits));
    case Column::MaxContextBeyond:
        return limitOrNone(figures.limits.maxContextBeyondTraining.value, text::contextLimitBeyondTraining(figures.limits));
    case Column::MaxContextReason: return text::reason(figures.limits.contextReason);
    case Column::MaxBatch: return limitOrNone(figures.limits.maxBatch, text::batchLimit(figures.limits));
    case Column::MaxBatchReason: return text::reason(figures.limits.batchReason);
    }
    return {};
}

bool standsRight(Column column)
{
    return isBytes(column) || (column >= Column::Context && column != Column::Verdict && column != Column::MaxContextReason &&
                               column != Column::MaxBatchReason);
}

QString line(QStringList cells)
{
    for (QString &cell : cells)
        cell.replace(QLatin1Char('|'), QStringLiteral("\\|"));
    return QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
}

QString rule(bool right) { return right ? QStringLiteral("---:") : QStringLiteral("---"); }

/// The list whose values a column shows.
std::optional<SweepAxis> axisOf(Column column)
{
    switch (column) {
    case Column::Model: return SweepAxis::Model;
    case Column::Weights: return SweepAxis::Weights;
    case Column::Engine: return SweepAxis::Engine;
    case Column::Gpu: return SweepAxis::Cluster;
    case Column::Memory: return SweepAxis::Memory;
    case Column::Reserve: return SweepAxis::Reserve;
    case Column::KvType: return SweepAxis::Kv;
    case Column::Context: return SweepAxis::Context;
    case Column::Batch: return SweepAxis::Batch;
    default: return {};
    }
}

/// A value of the list across, as a head: numbers need their title.
QString headAcross(Column column, const QString &value)
{
    const bool number = column == Column::Batch || column == Column::Context || column == Column::Reserve;
    return number ? titleOf(column) + QLatin1Char(' ') + value : value;
}

} // namespace

std::string markdownHead(const std::vector<Column> &columns)
{
    QStringList heads, rules;
    for (const Column column : columns) {
        heads += titleOf(column);
        rules += rule(standsRight(column));
    }
    return (line(heads) + line(rules)).toStdString();
}

SweepWriter markdownWriter(const Sweep &sweep, std::vector<Column> columns, text::Unit unit)
{
    return [&sweep, columns = std::move(columns), unit](const SweepPoint &point, const SweepFigures &figures, const Scenario &scenario,
                                                        std::string &out) {
        QStringList cells;
        for (const Column column : columns)
            cells += wordsOf(column, point, figures, scenario, sweep.lists(), unit);
        out += line(cells).toStdString();
    };
}

Result<std::string> pivotTable(const Sweep &sweep, const std::vector<Column> &columns, Column across, text::Unit unit)
{
    const std::optional<SweepAxis> axis = axisOf(across);
    std::vector<Column> keys, values;
    for (const Column column : columns) {
        if (column != across)
            (isFigure(column) ? values : keys).push_back(column);
    }
    if (!axis || values.empty())
        return Error{ErrorCode::BadOption,
                     "--across " + std::string(nameOf(across)),
                     "model, weights, engine, gpu, memory_bytes, reserve_percent, kv_type, context, batch",
                     {}};

    SweepReader reader(sweep);
    const auto wordsAt = [&](Column column, const SweepPoint &point) {
        const SweepFigures &figures = reader.read(point);
        return wordsOf(column, point, figures, reader.scenario(), sweep.lists(), unit);
    };
    QStringList heads, rules;
    for (const Column column : keys) {
        heads += titleOf(column);
        rules += rule(standsRight(column));
    }
    SweepPoint first;
    for (first[*axis] = 0; first[*axis] < sweep.length(*axis); ++first[*axis]) {
        heads += headAcross(across, wordsAt(across, first));
        rules += rule(true);
    }
    QString table = line(heads) + line(rules);
    for (std::int64_t row = 0; row < sweep.rows(); ++row) {
        SweepPoint point = sweep.pointAt(row);
        if (point[*axis] != 0)
            continue;
        QStringList cells;
        for (const Column column : keys)
            cells += wordsAt(column, point);
        for (; point[*axis] < sweep.length(*axis); ++point[*axis]) {
            QStringList figures;
            for (const Column column : values)
                figures += wordsAt(column, point);
            cells += std::ranges::all_of(figures, [](const QString &f) { return f == none; }) ? none : figures.join(QStringLiteral(" / "));
        }
        table += line(cells);
    }
    return table.toStdString();
}

} // namespace kvscope::cli
