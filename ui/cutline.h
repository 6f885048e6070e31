// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/axis.h"

#include <QList>
#include <QPointF>

namespace kvscope {

/// Points that Qt Charts can be given: finite ones, cut to the axes (where the line leaves, it ends on the edge), without those that lie on the
/// straight line between their neighbours. The line must be monotone in x and y, so that what is inside is one piece.
QList<QPointF> cutTo(const QList<QPointF> &points, const Axis &x, const Axis &y);

} // namespace kvscope
