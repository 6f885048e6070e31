// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"

namespace kvscope {

/// A bar a GPU, stacked by part, with its capacity; what does not fit is hatched. The pinned scenario follows as a ghost row.
class CompareChart : public ChartView {
    Q_OBJECT
public:
    explicit CompareChart(QWidget *parent = nullptr);

    bool hasModes() const override { return false; }
    ChartKind kind() const override { return ChartKind::Compare; }
    QString title() const override;
    QString subtitle() const override;
    QString description() const override;
    ChartTable table(CellStyle style) const override;
    QSize sizeHint() const override;

protected:
    void draw() override;
    void makeTicks(QSizeF room) override;
    void arrange() override;
    void paintUnder(QPainter &painter) const override;
    void paintOver(QPainter &painter) const override;
    std::optional<Spot> spotAt(QPointF value) const override;
    std::optional<Scenario> scenarioAt(QPointF value) const override;
    bool arrowKey(int key, bool fine) override;
    qreal sideRoom() const override;
    qreal topRoom() const override;

private:
    struct Row {
        QString name;
        const Plan *plan = nullptr;
        int cluster = -1; ///< index into Scenario::clusters; -1: the pinned one's
        bool selected = false;
        bool ghost = false;
    };
    struct LegendEntry {
        Part part = Part::Weights;
        QString name;
        QPointF at; ///< top left, in pixels
    };
    std::vector<Row> rowsOf(const Results &results) const;
    double valueOf(Bytes bytes) const;
    QRectF barOf(int row) const;
    void paintRow(QPainter &painter, int row) const;
    int rowAt(QPointF value) const;
    std::optional<Spot> spotOf(int row) const;

    std::vector<Row> m_rows;
    QList<LegendEntry> m_legend;
    qreal m_legendHeight = 0;
    double m_longest = 0; ///< of all bars and capacities, in the unit
};

} // namespace kvscope
