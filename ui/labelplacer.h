// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QRectF>

#include <optional>

namespace kvscope {

/// Finds room for words in a plot: inside the bounds, off every curve, off every word placed before.
class LabelPlacer {
public:
    explicit LabelPlacer(const QRectF &bounds) : m_bounds(bounds) {}

    /// A curve to keep off: points with rising x (equal x allowed: a vertical piece), in pixels.
    void avoid(QList<QPointF> curve) { m_curves.append(std::move(curve)); }
    void avoid(const QRectF &box) { m_boxes.append(box); }

    /// The first of the candidates that is free becomes taken. If none is: the first that covers no word and no box, where `overCurves`
    /// allows it; else none.
    std::optional<QRectF> place(const QList<QRectF> &candidates, bool overCurves = false);
    /// Whether nothing is in the way at `box`.
    bool isFree(const QRectF &box) const;

private:
    bool hitsBox(const QRectF &box) const;
    bool hitsCurve(const QRectF &box) const;

    QRectF m_bounds;
    QList<QList<QPointF>> m_curves;
    QList<QRectF> m_boxes;
};

/// Boxes of `size` along a curve from its end backwards, above and below it, `gap` off: candidates for the curve's name.
QList<QRectF> boxesAlong(const QList<QPointF> &curve, QSizeF size, qreal gap);

} // namespace kvscope
