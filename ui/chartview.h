// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/axis.h"
#include "ui/theme.h"
#include "ui/view.h"

#include <QChartView>
#include <QLineSeries>
#include <QStringList>

#include <memory>
#include <optional>
#include <vector>

class QGraphicsItem;
class QValueAxis;

namespace kvscope {

enum class ChartMode : std::uint8_t { ByPrecision, ByCluster };

/// A chart's data as words. `Read`: as shown, by the locale; `Plain`: for files and other programs, bytes as whole numbers.
enum class CellStyle : std::uint8_t { Read, Plain };
struct ChartTable {
    QStringList columns;
    std::vector<QStringList> rows;
};
/// RFC 4180: comma, CRLF, quotes where needed.
QString csvOf(const ChartTable &table);

/// One place on a chart that hover and arrow keys stop at.
struct Spot {
    QPointF at; ///< in axis values
    QString text; ///< the exact figures, lines divided by \n
};

/// One line to draw: points in axis values, already cut to the axes.
struct DrawnLine {
    QString name;
    QList<QPointF> points;
    SeriesLook look;
    bool main = false; ///< the scenario's own: drawn wider, named first
    bool ghost = false; ///< of the pinned scenario: thin, dashed, muted
};

/// Points that Qt Charts can be given: finite ones, cut to the axes (where a line leaves, it ends on the edge). x must rise.
QList<QPointF> cutTo(const QList<QPointF> &points, const Axis &x, const Axis &y);

/// A QChartView made safe: palette, readout, keyboard, accessible name, picture of itself. Series and axes are made once, in the constructor;
/// showResults() only replaces points. Grid, ticks and words are painted by two items of our own under and over the series, since
/// Qt Charts 6.4 cuts and elides axis labels and lets its clip paths fall away in SVG.
class ChartView : public QChartView {
    Q_OBJECT
public:
    /// Most lines that are drawn; the table holds them all.
    static constexpr int mostLines = 24;

    explicit ChartView(QWidget *parent = nullptr);
    ~ChartView() override;

    /// Draws the results. A view that is hidden keeps them and draws when shown.
    void showResults(const ViewState &state);
    const ViewState &state() const { return m_state; }

    ChartMode mode() const { return m_mode; }
    void setMode(ChartMode mode);
    virtual bool hasModes() const { return true; }

    virtual QString title() const = 0;
    virtual QString subtitle() const = 0;
    /// One sentence with the figures, for a screen reader and as the picture's description.
    virtual QString description() const = 0;
    virtual ChartTable table(CellStyle style) const = 0;

    /// Texts again, after the language changed.
    void retranslate();
    /// Takes over mode, results and axis ranges: the start of a windowless copy.
    void copyFrom(const ChartView &other);
    /// Paints the chart into `target` at its own size in pixels, whatever the device. Only for a view that is not shown.
    void paintInto(QPainter &painter, const QRectF &target, const Theme &theme);

    const Axis &xAxis() const { return m_x; }
    const Axis &yAxis() const { return m_y; }
    const QList<DrawnLine> &lines() const { return m_lines; }
    QList<QLineSeries *> series() const { return m_series; }
    QRectF plotArea() const;
    QPointF toPixel(QPointF value) const;
    QPointF toValue(QPointF pixel) const;
    /// The words placed on the plot in the last painting, for tests: none may overlap.
    const QList<QRectF> &placedWords() const { return m_words; }

    QSize sizeHint() const override { return {560, 340}; }
    QSize minimumSizeHint() const override { return {260, 180}; }

signals:
    /// A gesture asks for this scenario.
    void requested(const kvscope::Scenario &scenario);

protected:
    /// Fills lines and axes from state(). Called once for each showResults.
    virtual void draw() = 0;
    /// Paints what lies under the lines (regions) and over them (marks, words), in pixels.
    virtual void paintUnder(QPainter &painter) = 0;
    virtual void paintOver(QPainter &painter) = 0;
    /// What hover at these axis values reads; empty: nothing there.
    virtual std::optional<Spot> spotAt(QPointF value) const = 0;
    /// The next place for an arrow key from `spot` (empty: none yet).
    virtual std::optional<Spot> step(const std::optional<Spot> &spot, int key, bool fine) = 0;
    /// The scenario that a click or drag at these values asks for; empty: nothing.
    virtual std::optional<Scenario> scenarioAt(QPointF value) const = 0;

    const Theme &theme() const { return *m_theme; }
    QFont chartFont(qreal scale = 1, bool bold = false) const;
    Axis m_x, m_y;
    QList<DrawnLine> m_lines;
    QList<QRectF> m_words;

    bool event(QEvent *event) override;
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    class Layer;
    class Readout;

    void applyTheme(const Theme &theme);
    void refresh();
    void layOut();
    void showSpot(const std::optional<Spot> &spot);

    ViewState m_state;
    ChartMode m_mode = ChartMode::ByPrecision;
    const Theme *m_theme;
    QList<QLineSeries *> m_series;
    QValueAxis *m_xSeriesAxis;
    QValueAxis *m_ySeriesAxis;
    Layer *m_under;
    Layer *m_over;
    Readout *m_readout;
    std::optional<Spot> m_spot;
    bool m_stale = false;
    bool m_dragging = false;
};

} // namespace kvscope
