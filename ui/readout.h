// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"

#include <QFont>
#include <QGraphicsItem>
#include <QList>
#include <QString>

namespace kvscope {

/// One place on a chart that hover and arrow keys stop at, with its exact figures.
struct Spot {
    struct Row {
        QString name;
        QString value;
        int look = -1; ///< index of the series look to show before the name; -1: none
        bool main = false;
    };
    QPointF at; ///< in axis values
    QString head;
    QList<Row> rows;

    /// The same in one line, for a screen reader.
    QString sentence() const;
};

/// Where a framed box of `size` goes beside `point`: inside `plot`, and off the point.
QRectF readoutBox(QPointF point, QSizeF size, const QRectF &plot);

/// The framed box with a spot's figures, the hairline through it and a ring around it.
class Readout : public QGraphicsItem {
public:
    explicit Readout(QGraphicsItem *parent);

    void show(const Spot &spot, QPointF pixel, const QRectF &plot, const Theme &theme, const QFont &font);
    QRectF box() const { return m_box; }

    QRectF boundingRect() const override;
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *option, QWidget *widget) override;

private:
    Spot m_spot;
    QPointF m_point;
    QRectF m_plot;
    QRectF m_box;
    qreal m_valueWidth = 0;
    QFont m_font;
    const Theme *m_theme = nullptr;
};

} // namespace kvscope
