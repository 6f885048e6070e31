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

    /// The first of the candidates that is free becomes taken; none: empty. A curve named in `except` (its number in the order of avoid()) is
    /// no obstacle.
    std::optional<QRectF> place(const QList<QRectF> &candidates, int except = -1);
    /// The same where there is no free one left: covers no word and no box, and as few curves as can be.
    std::optional<QRectF> placeOver(const QList<QRectF> &candidates, int except = -1);
    /// Whether nothing is in the way at `box`.
    bool isFree(const QRectF &box, int except = -1) const;
    int curves() const { return static_cast<int>(m_curves.size()); }

private:
    bool hitsBox(const QRectF &box) const;
    int curvesHit(const QRectF &box, int except, int enough) const;

    QRectF m_bounds;
    QList<QList<QPointF>> m_curves;
    QList<QRectF> m_boxes;
};

/// Boxes of `size` along a curve from its end backwards, above and below it, `gap` off: candidates for the curve's name.
QList<QRectF> boxesAlong(const QList<QPointF> &curve, QSizeF size, qreal gap);
/// Boxes centred on the curve, from its middle outwards.
QList<QRectF> boxesOn(const QList<QPointF> &curve, QSizeF size);

} // namespace kvscope
