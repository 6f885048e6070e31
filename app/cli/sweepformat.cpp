// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweepformat.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "app/cli/commandline.h"
#include "app/cli/sweepoptions.h"
#include "core/engine.h"
#include "core/planjson.h"

namespace kvscope::cli {

namespace {

constexpr std::array<std::string_view, columnCount> names{"model",
                                                          "weights",
                                                          "engine",
                                                          "gpu",
                                                          "devices",
                                                          "split",
                                                          "memory_bytes",
                                                          "reserve_percent",
                                                          "kv_type",
                                                          "context",
                                                          "batch",
                                                          "verdict",
                                                          "kv_bytes",
                                                          "weights_bytes",
                                                          "total_bytes",
                                                          "free_bytes",
                                                          "max_context",
                                                          "max_context_beyond_training",
                                                          "max_context_reason",
                                                          "max_batch",
                                                          "max_batch_reason"};

void appendNumber(std::string &out, std::int64_t value)
{
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

std::string shortest(double value)
{
    std::array<char, 32> digits;
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

/// "tp=4 pp=2 nodes=2"; empty where nothing is split.
std::string splitText(const Cluster &cluster)
{
    const Split &split = cluster.split;
    std::string text;
    for (const auto &[name, degree] : {std::pair{"tp=", split.tensor},
                                       {"pp=", split.pipeline},
                                       {"ep=", split.expert},
                                       {"dcp=", split.decodeContext},
                                       {split.dataInTensor ? "dp-attention=" : "dp=", split.data},
                                       {"nodes=", cluster.nodes}}) {
        if (degree > 1)
            text += (text.empty() ? "" : " ") + std::string(name) + std::to_string(degree);
    }
    return text;
}

/// What does not depend on context and batch, by column; empty text: not known.
std::string cellText(Column column, const SweepPoint &point, const SweepLists &lists, const Scenario &scenario)
{
    const Cluster &cluster = scenario.clusters.front();
    switch (column) {
    case Column::Model: return lists.models[static_cast<std::size_t>(point[SweepAxis::Model])].name;
    case Column::Weights: {
        const ModelSpec &model = *scenario.model;
        const bool known = model.parametersKnown || scenario.weights.measured || model.measuredWeights;
        return known ? std::string(infoOf(weightFormat(scenario)).name) : std::string();
    }
    case Column::Engine: {
        const std::string name(engineOf(scenario.engine.id).name());
        return scenario.engine.version.empty() ? name : name + '@' + scenario.engine.version;
    }
    case Column::Gpu: return cluster.devices.front().id == "custom" ? "custom" : cluster.label();
    case Column::Devices: return std::to_string(cluster.devices.size());
    case Column::Split: return splitText(cluster);
    case Column::Memory: return std::to_string(cluster.devices.front().memory.value);
    case Column::Reserve: return shortest(scenario.reservePercent);
    case Column::KvType: {
        const std::string_view key = infoOf(keyFormat(scenario)).name, value = infoOf(valueFormat(scenario)).name;
        return key == value ? std::string(key) : std::string(key) + '/' + std::string(value);
    }
    default: return {};
    }
}

bool isCellColumn(Column column) { return column < Column::Context; }
bool isText(Column column)
{
    switch (column) {
    case Column::Model:
    case Column::Weights:
    case Column::Engine:
    case Column::Gpu:
    case Column::Split:
    case Column::KvType:
    case Column::Verdict:
    case Column::MaxContextReason:
    case Column::MaxBatchReason: return true;
    default: return false;
    }
}

/// Numbers of a row; nothing for columns of words.
std::int64_t numberOf(Column column, const SweepFigures &figures, const Scenario &scenario)
{
    switch (column) {
    case Column::Context: return scenario.context.value;
    case Column::Batch: return scenario.batch;
    case Column::Kv: return figures.kv.value;
    case Column::WeightsBytes: return figures.weights.value;
    case Column::Total: return figures.total.value;
    case Column::Free: return figures.free.value;
    case Column::MaxContext: return figures.limits.maxContext.value;
    case Column::MaxContextBeyond: return figures.limits.maxContextBeyondTraining.value;
    case Column::MaxBatch: return figures.limits.maxBatch;
    default: return 0;
    }
}

const char *codeIn(Column column, const SweepFigures &figures)
{
    switch (column) {
    case Column::Verdict: return codeOf(figures.verdict);
    case Column::MaxContextReason: return codeOf(figures.limits.contextReason);
    case Column::MaxBatchReason: return codeOf(figures.limits.batchReason);
    default: return "";
    }
}

std::string csvText(std::string text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string jsonText(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            quoted += '\\';
            quoted += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view hex = "0123456789abcdef";
            quoted += "\\u00";
            quoted += hex[static_cast<unsigned char>(c) >> 4];
            quoted += hex[c & 15];
        } else {
            quoted += c;
        }
    }
    return quoted + '"';
}

/// What CSV and JSON lines share: a row is a run of columns, each with fixed text in front; what a cell of the sweep has in common is kept ready.
class LineWriter {
public:
    LineWriter(const Sweep &sweep, std::vector<Column> columns, bool json) :
        m_sweep(&sweep), m_columns(std::move(columns)), m_texts(m_columns.size()), m_json(json)
    {
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            std::string before = i > 0 ? "," : "";
            if (json)
                before += '"' + std::string(nameOf(m_columns[i])) + "\":";
            m_before.push_back(std::move(before));
        }
    }

    void operator()(const SweepPoint &point, const SweepFigures &figures, const Scenario &scenario, std::string &out)
    {
        if (!m_point ||
            !std::equal(point.index.begin(), point.index.begin() + static_cast<int>(SweepAxis::Context), m_point->index.begin()))
            prepare(point, scenario);
        const bool refused = figures.verdict == Verdict::Refused;
        if (m_json)
            out += '{';
        bool any = false;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            const Column column = m_columns[i];
            const bool known = isCellColumn(column) ? !m_texts[i].empty() : !refused || column <= Column::Verdict;
            if (m_json && !known)
                continue;
            out += any || !m_json ? std::string_view(m_before[i]) : std::string_view(m_before[i]).substr(i > 0 ? 1 : 0);
            any = true;
            if (!known)
                continue;
            if (isCellColumn(column))
                out += m_texts[i];
            else if (isText(column))
                (m_json ? out += '"' : out).append(codeIn(column, figures)).append(m_json ? "\"" : "");
            else
                appendNumber(out, numberOf(column, figures, scenario));
        }
        out += m_json ? "}\n" : "\n";
    }

private:
    void prepare(const SweepPoint &point, const Scenario &scenario)
    {
        m_point = point;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            std::string text = cellText(m_columns[i], point, m_sweep->lists(), scenario);
            if (!text.empty() && isText(m_columns[i]))
                text = m_json ? jsonText(text) : csvText(std::move(text));
            m_texts[i] = std::move(text);
        }
    }

    const Sweep *m_sweep;
    std::vector<Column> m_columns;
    std::vector<std::string> m_before; ///< comma and, in JSON, key
    std::vector<std::string> m_texts;
    std::optional<SweepPoint> m_point;
    bool m_json;
};

} // namespace

std::string_view nameOf(Column column) { return names[static_cast<std::size_t>(column)]; }

Result<std::vector<Column>> columnsFrom(const std::optional<std::string> &list)
{
    std::vector<Column> columns;
    if (!list) {
        for (int i = 0; i < columnCount; ++i)
            columns.push_back(static_cast<Column>(i));
        return columns;
    }
    const Result<std::vector<std::string>> items = splitList("--columns", *list);
    if (!items)
        return items.error();
    for (const std::string &item : *items) {
        const auto found = std::ranges::find(names, std::string_view(item));
        if (found == names.end()) {
            std::vector<std::string> near = nearNames(item, names);
            if (near.empty())
                near.assign(names.begin(), names.end());
            return Error{ErrorCode::UnknownName, "--columns " + item, joined(near), {}};
        }
        columns.push_back(static_cast<Column>(found - names.begin()));
    }
    return columns;
}

std::string csvHead(const std::vector<Column> &columns)
{
    std::string line;
    for (const Column column : columns)
        line += (line.empty() ? "" : ",") + std::string(nameOf(column));
    return line + '\n';
}

SweepWriter csvWriter(const Sweep &sweep, std::vector<Column> columns) { return LineWriter(sweep, std::move(columns), false); }

SweepWriter jsonWriter(const Sweep &sweep, std::vector<Column> columns) { return LineWriter(sweep, std::move(columns), true); }

} // namespace kvscope::cli
