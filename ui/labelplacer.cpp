// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/labelplacer.h"

#include <algorithm>

namespace kvscope {

bool LabelPlacer::hitsBox(const QRectF &box) const
{
    return std::any_of(m_boxes.begin(), m_boxes.end(), [&box](const QRectF &taken) { return taken.intersects(box); });
}

int LabelPlacer::curvesHit(const QRectF &box, int except, int enough) const
{
    int hit = 0;
    for (int i = 0; i < curves() && hit < enough; ++i) {
        const QList<QPointF> &curve = m_curves[i];
        if (i == except)
            continue;
        // The first piece that reaches into the box's columns; x rises.
        auto at = std::lower_bound(curve.begin(), curve.end(), box.left(), [](const QPointF &p, qreal x) { return p.x() < x; });
        if (at != curve.begin())
            --at;
        for (; at != curve.end() && at + 1 != curve.end() && at->x() <= box.right(); ++at) {
            const QPointF a = *at;
            const QPointF b = *(at + 1);
            if (b.x() < box.left())
                continue;
            // The piece's heights inside the columns.
            const qreal width = b.x() - a.x();
            const auto height = [&](qreal x) { return a.y() + (b.y() - a.y()) * (x - a.x()) / width; };
            const qreal y0 = width > 0 ? height(std::max(a.x(), box.left())) : a.y();
            const qreal y1 = width > 0 ? height(std::min(b.x(), box.right())) : b.y();
            if (std::min(y0, y1) <= box.bottom() && std::max(y0, y1) >= box.top()) {
                ++hit;
                break;
            }
        }
    }
    return hit;
}

bool LabelPlacer::isFree(const QRectF &box, int except) const
{
    return m_bounds.contains(box) && !hitsBox(box) && curvesHit(box, except, 1) == 0;
}

std::optional<QRectF> LabelPlacer::place(const QList<QRectF> &candidates, int except)
{
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const QRectF &box) { return isFree(box, except); });
    if (found == candidates.end())
        return std::nullopt;
    m_boxes.append(*found);
    return *found;
}

std::optional<QRectF> LabelPlacer::placeOver(const QList<QRectF> &candidates, int except)
{
    const QRectF *best = nullptr;
    int fewest = curves() + 1;
    for (const QRectF &box : candidates) {
        if (!m_bounds.contains(box) || hitsBox(box))
            continue;
        const int hit = curvesHit(box, except, fewest);
        if (hit < fewest) {
            best = &box;
            fewest = hit;
        }
        if (fewest == 0)
            break;
    }
    if (!best)
        return std::nullopt;
    m_boxes.append(*best);
    return *best;
}

namespace {

QPointF pointAt(const QList<QPointF> &curve, qreal x)
{
    const auto next = std::lower_bound(curve.begin(), curve.end(), x, [](const QPointF &p, qreal value) { return p.x() < value; });
    if (next == curve.begin())
        return curve.first();
    if (next == curve.end())
        return curve.last();
    const QPointF a = *(next - 1);
    const QPointF b = *next;
    return b.x() > a.x() ? QPointF(x, a.y() + (b.y() - a.y()) * (x - a.x()) / (b.x() - a.x())) : b;
}

} // namespace

QList<QRectF> boxesAlong(const QList<QPointF> &curve, QSizeF size, qreal gap)
{
    QList<QRectF> result;
    if (curve.isEmpty())
        return result;
    const qreal step = std::max<qreal>(8, size.height() * 0.6);
    for (qreal right = curve.last().x(); right > curve.first().x(); right -= step) {
        // Above and below mean clear of the curve over the word's whole width, so both its ends count.
        const qreal left = std::max(right - size.width(), curve.first().x());
        const qreal y0 = pointAt(curve, left).y();
        const qreal y1 = pointAt(curve, right).y();
        result.append(QRectF(QPointF(right - size.width(), std::min(y0, y1) - gap - size.height()), size));
        result.append(QRectF(QPointF(right - size.width(), std::max(y0, y1) + gap), size));
        // Beside a steep curve.
        const QPointF middle = pointAt(curve, (left + right) / 2);
        result.append(QRectF(QPointF(middle.x() + gap, middle.y() - size.height() / 2), size));
        result.append(QRectF(QPointF(middle.x() - gap - size.width(), middle.y() - size.height() / 2), size));
    }
    return result;
}

QList<QRectF> boxesOn(const QList<QPointF> &curve, QSizeF size)
{
    QList<QRectF> result;
    if (curve.isEmpty())
        return result;
    const qreal middle = (curve.first().x() + curve.last().x()) / 2;
    const qreal half = (curve.last().x() - curve.first().x()) / 2;
    for (qreal off = 0; off <= half; off += 8) {
        for (const qreal x : {middle - off, middle + off})
            result.append(QRectF(pointAt(curve, x) - QPointF(size.width() / 2, size.height() / 2), size));
    }
    return result;
}

} // namespace kvscope
