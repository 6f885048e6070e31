// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/cutline.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

// Marks the points of first..last that a line through their neighbours would miss by more than the tolerance (Douglas and Peucker).
void keepBends(const QList<QPointF> &points, QPointF scale, qsizetype first, qsizetype last, QList<bool> &keep)
{
    constexpr qreal tolerance = 1.0 / 4000;
    const QPointF a = points[first];
    const QPointF b = points[last];
    const qreal dx = (b.x() - a.x()) / scale.x();
    const qreal dy = (b.y() - a.y()) / scale.y();
    const qreal length = std::hypot(dx, dy);
    qreal farthest = 0;
    qsizetype at = -1;
    for (qsizetype i = first + 1; i < last; ++i) {
        const qreal px = (points[i].x() - a.x()) / scale.x();
        const qreal py = (points[i].y() - a.y()) / scale.y();
        const qreal distance = length > 0 ? std::abs(dx * py - dy * px) / length : std::hypot(px, py);
        if (distance > farthest) {
            farthest = distance;
            at = i;
        }
    }
    if (at < 0 || farthest <= tolerance)
        return;
    keep[at] = true;
    keepBends(points, scale, first, at, keep);
    keepBends(points, scale, at, last, keep);
}

// The part of a..b inside the axes, as a pair of fractions (Liang and Barsky).
bool insidePart(QPointF a, QPointF b, const Axis &x, const Axis &y, qreal &from, qreal &to)
{
    from = 0;
    to = 1;
    const qreal deltas[] = {a.x() - b.x(), b.x() - a.x(), a.y() - b.y(), b.y() - a.y()};
    const qreal rooms[] = {a.x() - x.low, x.high - a.x(), a.y() - y.low, y.high - a.y()};
    for (int i = 0; i < 4; ++i) {
        if (deltas[i] == 0) {
            if (rooms[i] < 0)
                return false;
            continue;
        }
        const qreal t = rooms[i] / deltas[i];
        if (deltas[i] < 0)
            from = std::max(from, t);
        else
            to = std::min(to, t);
    }
    return from <= to;
}

} // namespace

QList<QPointF> cutTo(const QList<QPointF> &points, const Axis &x, const Axis &y)
{
    QList<QPointF> inside;
    inside.reserve(points.size() + 2);
    const QPointF *previous = nullptr;
    const auto add = [&inside](QPointF p) {
        if (inside.isEmpty() || inside.last() != p)
            inside.append(p);
    };
    for (const QPointF &p : points) {
        if (!std::isfinite(p.x()) || !std::isfinite(p.y()))
            continue;
        qreal from = 0;
        qreal to = 1;
        const QPointF a = previous ? *previous : p;
        if (insidePart(a, p, x, y, from, to)) {
            add(from > 0 ? a + (p - a) * from : a);
            add(to < 1 ? a + (p - a) * to : p);
        }
        previous = &p;
    }
    if (inside.size() < 3)
        return inside;
    QList<bool> keep(inside.size(), false);
    keep.first() = keep.last() = true;
    keepBends(inside, {x.length(), y.length()}, 0, inside.size() - 1, keep);
    QList<QPointF> result;
    for (qsizetype i = 0; i < inside.size(); ++i) {
        if (keep[i])
            result.append(inside[i]);
    }
    return result;
}

} // namespace kvscope
