// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"

namespace kvscope {

/// Memory on the fullest device over context: a line a KV precision or a GPU, the capacity, the crossing, the operating point.
class GrowthChart : public ChartView {
    Q_OBJECT
public:
    explicit GrowthChart(QWidget *parent = nullptr);

    ChartKind kind() const override { return ChartKind::Growth; }
    QString title() const override;
    QString subtitle() const override;
    QString description() const override;
    ChartTable table(CellStyle style) const override;

    /// A capacity: what the fullest device of a cluster may take.
    struct Capacity {
        QString name;
        Bytes bytes;
        int look = -1;       ///< of the cluster's line; -1: the only capacity, in the colour of out of memory
        bool pooled = false; ///< where the engine's KV pool is full, not where the card is
    };
    const QList<Capacity> &capacities() const { return m_capacities; }

protected:
    void draw() override;
    void makeTicks(QSizeF room) override;
    void arrange() override;
    void paintUnder(QPainter &painter) const override;
    void paintOver(QPainter &painter) const override;
    std::optional<Spot> spotAt(QPointF value) const override;
    std::optional<Scenario> scenarioAt(QPointF value) const override;
    std::optional<QPointF> handle() const override { return m_point; }
    bool arrowKey(int key, bool fine) override;

private:
    struct Mark {
        QPointF pixel;
        int look = 0;
        bool main = false;
    };
    void addLines();
    void addGhost();
    DrawnLine lineOf(const GrowthLine &line, const QString &name) const;
    double inUnit(Bytes bytes) const;

    QList<Capacity> m_capacities;
    std::optional<Capacity> m_pinnedCapacity;
    std::vector<std::pair<const GrowthLine *, DrawnLine>> m_drawn; ///< before they are cut to the axes
    QList<QLineF> m_hatch;
    QList<Mark> m_crossings;
    std::optional<QPointF> m_point, m_pinnedPoint; ///< in axis values
};

} // namespace kvscope
