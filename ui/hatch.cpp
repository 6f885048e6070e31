// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hatch.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kvscope {

QList<QLineF> hatchLines(const QPolygonF &area, qreal spacing, bool rising)
{
    QList<QLineF> result;
    if (area.size() < 3 || !(spacing > 0))
        return result;
    // A line of the family is y = s * x + c with s = -1 (rising on screen) or 1. For a vertex the c of its line; for an edge the x where it meets c.
    const qreal s = rising ? -1 : 1;
    qreal lowest = area.first().y() - s * area.first().x();
    qreal highest = lowest;
    for (const QPointF &p : area) {
        const qreal c = p.y() - s * p.x();
        lowest = std::min(lowest, c);
        highest = std::max(highest, c);
    }
    const qreal distance = spacing * std::sqrt(2.0);
    QList<qreal> meets;
    for (qreal c = std::ceil(lowest / distance) * distance; c < highest; c += distance) {
        meets.clear();
        for (qsizetype i = 0; i < area.size(); ++i) {
            const QPointF a = area[i];
            const QPointF b = area[(i + 1) % area.size()];
            const qreal da = a.y() - s * a.x() - c;
            const qreal db = b.y() - s * b.x() - c;
            // Half open, so that a line through a vertex counts it once.
            if ((da < 0) != (db < 0))
                meets.append(a.x() + (b.x() - a.x()) * da / (da - db));
        }
        std::sort(meets.begin(), meets.end());
        for (qsizetype i = 0; i + 1 < meets.size(); i += 2) {
            if (meets[i + 1] - meets[i] > 0.5)
                result.append(QLineF(meets[i], s * meets[i] + c, meets[i + 1], s * meets[i + 1] + c));
        }
    }
    return result;
}

void fillPart(QPainter &painter, const QRectF &bar, Part part, const Theme &theme)
{
    const PartLook &look = theme.look(part);
    painter.fillRect(bar, look.fill);
    QColor ink = look.fill.darker(theme.dark ? 125 : 118);
    painter.save();
    painter.setPen(QPen(ink, 1.2));
    const QPolygonF inside(bar.adjusted(0.6, 0.6, -0.6, -0.6));
    switch (look.texture) {
    case Texture::None: break;
    case Texture::Rising: painter.drawLines(hatchLines(inside, 6, true)); break;
    case Texture::Falling: painter.drawLines(hatchLines(inside, 4, false)); break;
    case Texture::Level:
        for (qreal y = bar.top() + 3; y < bar.bottom() - 1; y += 4)
            painter.drawLine(QLineF(bar.left(), y, bar.right(), y));
        break;
    case Texture::Upright:
        for (qreal x = bar.left() + 2.5; x < bar.right() - 1; x += 4)
            painter.drawLine(QLineF(x, bar.top(), x, bar.bottom()));
        break;
    case Texture::Dots:
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        for (qreal y = bar.top() + 3; y < bar.bottom() - 1; y += 5) {
            for (qreal x = bar.left() + 3; x < bar.right() - 1; x += 5)
                painter.drawEllipse(QPointF(x, y), 1.1, 1.1);
        }
        break;
    }
    painter.restore();
}

void fillOutOfMemory(QPainter &painter, const QRectF &bar, const Theme &theme)
{
    painter.save();
    painter.setPen(QPen(theme.outOfMemory, 2));
    painter.drawLines(hatchLines(QPolygonF(bar.adjusted(1, 1, -1, -1)), 4.5, true));
    painter.setPen(QPen(theme.outOfMemory, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.restore();
}

void drawMarker(QPainter &painter, Marker marker, QPointF c, qreal r)
{
    switch (marker) {
    case Marker::Circle: painter.drawEllipse(c, r, r); break;
    case Marker::Square: painter.drawRect(QRectF(c.x() - r * 0.9, c.y() - r * 0.9, r * 1.8, r * 1.8)); break;
    case Marker::Triangle:
        painter.drawPolygon(QPolygonF{{c.x(), c.y() - r * 1.15}, {c.x() + r * 1.1, c.y() + r * 0.85}, {c.x() - r * 1.1, c.y() + r * 0.85}});
        break;
    case Marker::Diamond:
        painter.drawPolygon(
            QPolygonF{{c.x(), c.y() - r * 1.25}, {c.x() + r * 1.25, c.y()}, {c.x(), c.y() + r * 1.25}, {c.x() - r * 1.25, c.y()}});
        break;
    case Marker::Cross:
        painter.drawLine(QLineF(c.x() - r, c.y() - r, c.x() + r, c.y() + r));
        painter.drawLine(QLineF(c.x() - r, c.y() + r, c.x() + r, c.y() - r));
        break;
    case Marker::Plus:
        painter.drawLine(QLineF(c.x() - r * 1.2, c.y(), c.x() + r * 1.2, c.y()));
        painter.drawLine(QLineF(c.x(), c.y() - r * 1.2, c.x(), c.y() + r * 1.2));
        break;
    }
}

} // namespace kvscope
