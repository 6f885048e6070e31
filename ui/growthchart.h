// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"

namespace kvscope {

/// Memory on the fullest device over context: a line a KV precision or a GPU, the capacity, the crossing, the operating point.
class GrowthChart : public ChartView {
    Q_OBJECT
public:
    explicit GrowthChart(QWidget *parent = nullptr);

    QString title() const override;
    QString subtitle() const override;
    QString description() const override;
    ChartTable table(CellStyle style) const override;

    /// A capacity: what the fullest device of a cluster may take.
    struct Capacity {
        QString name;
        Bytes bytes;
        int cluster = 0;
    };
    const QList<Capacity> &capacities() const { return m_capacities; }

protected:
    void draw() override;
    void paintUnder(QPainter &painter) override;
    void paintOver(QPainter &painter) override;
    std::optional<Spot> spotAt(QPointF value) const override;
    std::optional<Spot> step(const std::optional<Spot> &spot, int key, bool fine) override;
    std::optional<Scenario> scenarioAt(QPointF value) const override;

private:
    QList<Capacity> m_capacities;
    StickyEnd m_xEnd, m_yEnd;
};

} // namespace kvscope
