// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"

namespace kvscope {

/// Context x concurrency, both logarithmic: what fits is shaded, a line a GPU or a KV precision; the operating point can be dragged.
class BoundaryChart : public ChartView {
    Q_OBJECT
public:
    explicit BoundaryChart(QWidget *parent = nullptr);

    QString title() const override;
    QString subtitle() const override;
    QString description() const override;
    ChartTable table(CellStyle style) const override;

protected:
    void draw() override;
    void paintUnder(QPainter &painter) override;
    void paintOver(QPainter &painter) override;
    std::optional<Spot> spotAt(QPointF value) const override;
    std::optional<Spot> step(const std::optional<Spot> &spot, int key, bool fine) override;
    std::optional<Scenario> scenarioAt(QPointF value) const override;

private:
    StickyEnd m_xEnd, m_yEnd;
};

} // namespace kvscope
