// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QPointF>
#include <QString>

#include <vector>

namespace kvscope {

enum class ChartMode : std::uint8_t { ByPrecision, ByCluster };

/// One line to draw: points in axis values, already cut to the axes.
struct DrawnLine {
    QString name;
    QList<QPointF> points;
    int look = 0;       ///< index for Theme::seriesLook
    bool main = false;  ///< the scenario's own: drawn wider, named first
    bool ghost = false; ///< of the pinned scenario: thin, dashed, muted
};

/// One line that the growth and the boundary chart both draw, under one name and look.
struct LineChoice {
    const GrowthLine *growth = nullptr;
    const BoundaryLine *boundary = nullptr;
    QString name;
    int look = 0;      ///< for Theme::seriesLook
    bool main = false; ///< the scenario's own
};

/// By cluster: all. By precision: the scenario's own (K and V may differ) and, of the others, as many as an eye can tell apart: one for each band
/// of precisions whose cache grows within 20 % of one another. The main line comes last, so that it is drawn over the others.
/// The pointers are into `results`.
std::vector<LineChoice> chooseLines(const Results &results, ChartMode mode, text::Unit unit);

/// The lines of the scenario as it is, on the selected cluster; null where there are none.
const GrowthLine *ownGrowth(const Results &results);
const BoundaryLine *ownBoundary(const Results &results);

/// Where a line of the mode's whole list gets its name from: its precision or its cluster.
QString lineName(const Results &results, ChartMode mode, std::optional<Format> kv, int cluster, text::Unit unit);

} // namespace kvscope
