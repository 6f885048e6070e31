// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"

#include <QLineF>
#include <QList>
#include <QPolygonF>

namespace kvscope {

/// Parallel lines `spacing` apart, cut to the polygon (even-odd). `rising`: from lower left to upper right. Real lines, since an SVG of Qt 6.4
/// knows neither pattern brushes nor clipping.
QList<QLineF> hatchLines(const QPolygonF &area, qreal spacing, bool rising);

/// A part's segment of a bar: its fill and, thin over it, its texture.
void fillPart(QPainter &painter, const QRectF &bar, Part part, const Theme &theme);
/// The same for the share of a bar that does not fit.
void fillOutOfMemory(QPainter &painter, const QRectF &bar, const Theme &theme);
/// A line's marker around a point.
void drawMarker(QPainter &painter, Marker marker, QPointF centre, qreal radius);

} // namespace kvscope
