// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"
#include "ui/growthlines.h"

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

    const GrowthDrawing &drawing() const { return m_drawing; }

protected:
    void draw() override;
    void makeTicks(QSizeF room) override;
    void arrange() override;
    void paintUnder(QPainter &painter) const override;
    void paintOver(QPainter &painter) const override;
    std::optional<Spot> spotAt(QPointF value) const override;
    std::optional<Scenario> scenarioAt(QPointF value) const override;
    std::optional<QPointF> handle() const override { return m_drawing.point; }
    bool arrowKey(int key, bool fine) override;

private:
    double valueOf(Bytes bytes) const;
    void addCapacityWords(LabelPlacer &placer);
    void addCrossings(LabelPlacer &placer);
    void addRegion(LabelPlacer &placer);
    qreal levelOf(Bytes bytes) const;
    QRectF lostRegion() const;

    GrowthDrawing m_drawing;
    QList<QLineF> m_hatch;
    QList<GrowthDrawing::Crossing> m_crossings; ///< those on the plot
};

} // namespace kvscope
