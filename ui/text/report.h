// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/evaluate.h"
#include "ui/text/text.h"

#include <QDateTime>
#include <QString>

#include <vector>

/// A report in words and tables, in the language that is installed. Charts come in as ready markup, so that this half needs no display.
namespace kvscope::text {

/// A chart for the report: its caption and what stands for it in the format written ("![...](...)" or "<svg ...>").
struct Figure {
    QString caption;
    QString markup;
};

struct ReportOptions {
    Unit unit = Unit::GB;
    QDateTime written; ///< invalid: now
    std::vector<Figure> figures;
};

/// Scenario, verdict, figures, devices, limits, KV by precision, comparison, formulas with sources, warnings.
QString markdownReport(const Results &results, const ReportOptions &options = {});
/// A whole page that needs no other file.
QString htmlReport(const Results &results, const ReportOptions &options = {});
/// The comparison: a row a cluster, bytes as whole numbers.
QString csvReport(const Results &results);

/// "KVScope 0.1.0".
QString programName();

} // namespace kvscope::text
