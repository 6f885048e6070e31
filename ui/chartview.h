// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/axis.h"
#include "ui/chartlines.h"
#include "ui/cutline.h"
#include "ui/labelplacer.h"
#include "ui/readout.h"
#include "ui/text/table.h"
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

enum class ChartKind : std::uint8_t { Growth, Boundary, Compare };

/// A chart's data as words.
using ChartTable = text::Table;
using text::CellStyle;

/// Words put on the plot, in pixels. On a plate of the card's colour, so that they read over grid and lines.
struct Word {
    QRectF box;
    QString text;
    QColor colour;
    bool bold = false;
};

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
    virtual ChartKind kind() const = 0;

    virtual QString title() const = 0;
    virtual QString subtitle() const = 0;
    /// What stands there in a picture, where nothing can be dragged.
    virtual QString subtitleOfPicture() const { return subtitle(); }
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
    /// The words on the plot: none overlaps another.
    const QList<Word> &words() const { return m_words; }
    const std::optional<Spot> &spot() const { return m_spot; }
    QRectF readoutBox() const { return m_readout->box(); }

    QSize sizeHint() const override { return {560, 340}; }
    QSize minimumSizeHint() const override { return {260, 150}; }

signals:
    /// A gesture asks for this scenario.
    void requested(const kvscope::Scenario &scenario);
    /// The drag or key press that requested is over.
    void gestureEnded();

protected:
    /// Fills lines and axes from state(), as far as they need no pixels.
    virtual void draw() = 0;
    /// Sets the axes' ticks for a plot of about this size.
    virtual void makeTicks(QSizeF room) = 0;
    /// Works out marks and words in pixels, after draw() and whenever the size or the theme changed.
    virtual void arrange() = 0;
    /// Paints what lies under the lines (regions) and over them (marks), in pixels. Grid, ticks and words are painted by the base.
    virtual void paintUnder(QPainter &painter) const = 0;
    virtual void paintOver(QPainter &painter) const = 0;
    /// What hover at these axis values reads; empty: nothing there.
    virtual std::optional<Spot> spotAt(QPointF value) const = 0;
    /// The scenario that a click or drag at these values asks for; empty: nothing.
    virtual std::optional<Scenario> scenarioAt(QPointF value) const = 0;
    /// The operating point, in axis values: what a drag takes hold of.
    virtual std::optional<QPointF> handle() const { return std::nullopt; }
    /// What an arrow key does; false: not ours.
    virtual bool arrowKey(int key, bool fine) = 0;
    /// Room that the left side needs for names beside the plot, beyond the tick labels.
    virtual qreal sideRoom() const { return 0; }
    /// Room that a legend needs above the plot.
    virtual qreal topRoom() const { return 0; }

    const Theme &theme() const { return *m_theme; }
    QFont chartFont(bool bold = false) const;
    QSizeF textSize(const QString &text, bool bold = false) const;
    /// Places words at the first free candidate, and keeps them.
    bool addWord(LabelPlacer &placer, const QList<QRectF> &candidates, const QString &text, const QColor &colour, bool bold,
                 bool overLines = false);
    /// A sentence across the middle of the plot, in as many lines as it takes: why there is nothing else to see.
    void addNotice(LabelPlacer &placer, const QString &sentence);
    /// Places the names of all lines, the main one first: beside the line, else on it. The lines must be the placer's first curves.
    void nameLines(LabelPlacer &placer);
    /// A line's points in pixels.
    QList<QPointF> pixels(const QList<QPointF> &values) const;
    QPen penOf(const DrawnLine &line) const;
    void showSpot(const std::optional<Spot> &spot);
    void request(const std::optional<Scenario> &scenario);

    Axis m_x, m_y;
    StickyEnd m_xEnd, m_yEnd;
    QList<DrawnLine> m_lines;
    QList<Word> m_words;

    bool event(QEvent *event) override;
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void keyReleaseEvent(QKeyEvent *event) override;

private:
    class Layer;
    static constexpr qreal tickGap = 6; ///< from the plot to the words of its ticks
    static constexpr qreal edge = 5;    ///< kept free on every side, for the ring that shows the focus

    void useTheme(const Theme &theme);
    void refresh();
    void layOut();
    void paintAxes(QPainter &painter) const;
    void paintWords(QPainter &painter) const;
    /// How far the pixel lies from the operating point; empty: too far to take hold of it.
    std::optional<QPointF> offHandle(QPointF pixel) const;

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
    QRectF m_plot;
    QSizeF m_size;
    qreal m_windowlessFont = 0; ///< pixels, for a view that is drawn without a window; 0: the widget's font
    bool m_stale = false;
    bool m_dragging = false;
    QPointF m_grab; ///< of the pointer from the point it drags
};

} // namespace kvscope
