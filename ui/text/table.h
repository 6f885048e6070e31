// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/evaluate.h"
#include "ui/text/text.h"

#include <QStringList>

#include <vector>

namespace kvscope::text {

/// How a cell is written. `Read`: as shown, by the locale, in the unit chosen; `Plain`: for files and other programs, bytes as whole numbers.
enum class CellStyle : std::uint8_t { Read, Plain };

struct Table {
    QStringList columns;
    std::vector<QStringList> rows;
};

/// RFC 4180: comma, CRLF, quotes where needed. A cell that a spreadsheet would run as a formula is quoted with an apostrophe.
QString csvOf(const Table &table);

/// A byte figure as a cell; the unit stands in the column's head.
QString cell(Bytes value, Unit unit, CellStyle style);
QString cell(TokenCount value, CellStyle style);
QString cell(std::int64_t value, CellStyle style);
/// "memory (GB)" or "memory (bytes)".
QString byteHead(const QString &what, Unit unit, CellStyle style);

/// Rows become columns: for a page, which is higher than wide. Rows that would hold zeros alone are left out.
Table turned(const Table &table);

/// The compared clusters, under each engine where several are compared: a row each, its memory by part, verdict and limits.
Table comparisonTable(const Results &results, Unit unit, CellStyle style);

} // namespace kvscope::text
