// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartlines.h"

#include <optional>
#include <utility>
#include <vector>

namespace kvscope {

/// What the growth chart draws, in axis values: tokens, and bytes in the state's unit. The pointers are into the state's results.
struct GrowthDrawing {
    /// What the fullest device of a cluster may take.
    struct Capacity {
        QString name;
        Bytes bytes;
        int look = -1;       ///< of the cluster's line; -1: the only capacity, in the colour of out of memory
        bool pooled = false; ///< where the engine's KV pool is full, not where the card is
    };
    /// Where a line runs out of memory: at the capacity that it is held to, or beyond it by as much as the plan's range allows.
    struct Crossing {
        QPointF at;
        TokenCount tokens;
        int look = 0;
        bool main = false;
    };

    std::vector<std::pair<const GrowthLine *, DrawnLine>> lines; ///< not cut to the axes
    QList<Capacity> capacities;
    std::optional<Capacity> pinnedCapacity;
    std::optional<QPointF> point, pinnedPoint; ///< the operating points
    QList<Crossing> crossings;                 ///< the main one first
    std::optional<double> outOfMemory;         ///< where it begins on the selected cluster
    double furthest = 1;                       ///< tokens worth showing
    double highest = 0;                        ///< memory worth showing
};

GrowthDrawing growthDrawing(const ViewState &state, ChartMode mode);

} // namespace kvscope
