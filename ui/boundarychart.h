// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"

namespace kvscope {

/// Context x concurrency, both logarithmic: what fits is shaded, a line a GPU or a KV precision; the operating point can be dragged.
class BoundaryChart : public ChartView {
    Q_OBJECT
public:
    explicit BoundaryChart(QWidget *parent = nullptr);

    ChartKind kind() const override { return ChartKind::Boundary; }
    QString title() const override;
    QString subtitle() const override;
    QString subtitleOfPicture() const override;
    QString description() const override;
    ChartTable table(CellStyle style) const override;

protected:
    void draw() override;
    void makeTicks(QSizeF room) override;
    void arrange() override;
    void paintUnder(QPainter &painter) const override;
    void paintOver(QPainter &painter) const override;
    std::optional<Spot> spotAt(QPointF value) const override;
    std::optional<Scenario> scenarioAt(QPointF value) const override;
    std::optional<QPointF> handle() const override;
    bool arrowKey(int key, bool fine) override;

private:
    DrawnLine lineOf(const Results &results, const BoundaryLine &line) const;
    QPointF pointOf(const Scenario &scenario) const;
    void requestPoint(std::int64_t context, std::int64_t batch);

    QPolygonF m_region; ///< what fits on the selected cluster, in pixels
    QList<QLineF> m_hatch;
};

} // namespace kvscope
