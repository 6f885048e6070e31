// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/report.h"
#include "ui/text/table.h"

namespace kvscope::text {

/// A piece of a report. What a report says is a list of these, so that Markdown and HTML say the same.
struct Block {
    enum class Kind { Title, Heading, Paragraph, Verdict, Table, List, Figure } kind;
    QString text;
    Table table;
    QStringList items;
    Verdict verdict = Verdict::Fits;
    int numbers = 1; ///< table: first column that is set right
};

/// All that a report says, in order.
std::vector<Block> reportBlocks(const Results &results, const ReportOptions &options);

} // namespace kvscope::text
