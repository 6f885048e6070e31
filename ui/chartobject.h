// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartexport.h"

#include <QObject>
#include <QTextFormat>
#include <QTextObjectInterface>

#include <memory>
#include <vector>

namespace kvscope {

using Charts = std::vector<std::unique_ptr<ChartView>>;

/// Units of a chart's picture in a report: a bar chart is as high as its rows need.
QSize pictureSize(const ChartView &chart, const ExportOptions &options);

/// Draws charts in a text document as vectors, on whatever device it is printed. The charts must outlive it.
class ChartObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)
public:
    /// QTextFormat's object type and the property that holds which of the charts.
    static constexpr int type = QTextFormat::UserObject + 1;
    static constexpr int index = QTextFormat::UserProperty + 1;

    ChartObject(const Charts &charts, const ExportOptions &options, QObject *parent);

    QSizeF intrinsicSize(QTextDocument *document, int position, const QTextFormat &format) override;
    void drawObject(QPainter *painter, const QRectF &rect, QTextDocument *document, int position, const QTextFormat &format) override;

private:
    const ChartView &chart(const QTextFormat &format) const;

    const Charts &m_charts;
    ExportOptions m_options;
};

} // namespace kvscope
