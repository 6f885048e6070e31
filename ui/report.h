// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"
#include "ui/chartexport.h"
#include "ui/view.h"

#include <QString>

#include <optional>

namespace kvscope {

/// Writes a report with charts by the path's ending: .md (pictures beside it, as NAME-growth.svg and so on), .html (inline SVG), .pdf (charts as vectors), .csv (comparison).
/// Errors: BadOption (another ending), WriteFailed.
std::optional<Error> writeReport(const QString &path, const ViewState &state, const ExportOptions &options = {});

struct RenderOptions {
    std::optional<ChartKind> chart; ///< empty: a report
    ChartMode mode = ChartMode::ByPrecision;
    text::Unit unit = text::Unit::GB;
    ExportOptions picture;
};

/// What `kvscope --render OUT SCENARIO` does (spec/cli.md, Commands): evaluates and writes a chart or a report. Needs a QApplication, no display.
std::optional<Error> renderTo(const QString &path, const Scenario &scenario, const RenderOptions &options);

} // namespace kvscope
