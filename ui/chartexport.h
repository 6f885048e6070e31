// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"
#include "ui/chartview.h"

#include <QImage>
#include <QSize>

#include <memory>
#include <optional>

class QPagedPaintDevice;

namespace kvscope {

/// "growth", "boundary", "compare": in file names and on the command line, never translated.
QString nameOf(ChartKind kind);
/// A chart that is not in any window.
std::unique_ptr<ChartView> makeChart(ChartKind kind);
/// A windowless copy with the same results, mode and axes.
std::unique_ptr<ChartView> copyOf(const ChartView &chart);

struct ExportOptions {
    std::optional<QSize>
        size;          ///< of the whole picture, in units of 1/96 inch; empty: 960 x 600, in a report 760 x 430; bars as high as they need
    double scale = 2;  ///< PNG and clipboard: pixels a unit
    bool dark = false; ///< a report is light unless asked otherwise
};

/// The settings that a picture has to name to stand alone: "Llama 3.1 8B · formula · weights bf16 · KV f16 · 32,768 tokens x 4 · RTX 4090".
QString settingsLine(const Results &results, text::Unit unit);

/// Paints the whole picture (title, settings, chart, footer with date and program) into `page`, light unless `dark`.
void paintPicture(QPainter &painter, const QRectF &page, ChartView &windowless, bool dark = false);

/// Writes the chart by the path's ending: .svg .pdf .png .csv; through QSaveFile, so that a failure leaves the old file.
/// Errors: BadOption (another ending, a size below 200 x 150 or beyond 20000, a scale beyond 16), WriteFailed.
std::optional<Error> exportChart(const QString &path, const ChartView &chart, const ExportOptions &options = {});
/// Through QSaveFile. Error: WriteFailed.
std::optional<Error> writeFile(const QString &path, const QByteArray &bytes);
QByteArray svgOf(const ChartView &chart, const ExportOptions &options = {});
QImage imageOf(const ChartView &chart, const ExportOptions &options = {});
void copyPicture(const ChartView &chart, const ExportOptions &options = {});
void copyData(const ChartView &chart);
/// One page, landscape, as large as the page allows. Error: WriteFailed where the printer can't be started.
std::optional<Error> printChart(QPagedPaintDevice &device, const ChartView &chart);

} // namespace kvscope
