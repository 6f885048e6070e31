// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/sweep.h"
#include "ui/text/text.h"

namespace kvscope::cli {

/// The columns of a sweep, in the order of the full table. Names are those of `plan --json` where it has the figure.
enum class Column : std::uint8_t {
    Model,
    Weights,
    Engine,
    Gpu,
    Devices,
    Split,
    Memory,
    Reserve,
    KvType,
    Context,
    Batch,
    Verdict,
    Kv,
    WeightsBytes,
    Total,
    Free,
    MaxContext,
    MaxContextBeyond,
    MaxContextReason,
    MaxBatch,
    MaxBatchReason,
};
inline constexpr int columnCount = static_cast<int>(Column::MaxBatchReason) + 1;

std::string_view nameOf(Column column);
/// All columns, or those of `A,B,...`. Errors: BadOption, UnknownName with near names.
Result<std::vector<Column>> columnsFrom(const std::optional<std::string> &list);

/// CSV (RFC 4180) with a line of names on top. Bytes are whole numbers; what is not known or was refused is empty.
std::string csvHead(const std::vector<Column> &columns);
SweepWriter csvWriter(const Sweep &sweep, std::vector<Column> columns);
/// An object a line, keys as the CSV's names; what would be empty is absent.
SweepWriter jsonWriter(const Sweep &sweep, std::vector<Column> columns);

/// A Markdown table for people: words in the installed language, bytes in `unit`.
std::string markdownHead(const std::vector<Column> &columns);
SweepWriter markdownWriter(const Sweep &sweep, std::vector<Column> columns, text::Unit unit);

/// The whole sweep as a Markdown table with the values of one list side by side: `across` is the column of that list. A cell has the figures
/// among `columns`, " / " between them. Error: BadOption, where `across` is no list or no figure is left for the cells.
Result<std::string> pivotTable(const Sweep &sweep, const std::vector<Column> &columns, Column across, text::Unit unit);

} // namespace kvscope::cli
