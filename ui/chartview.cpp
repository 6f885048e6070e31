// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chartview.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QChart>
#include <QEvent>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QValueAxis>

#include <cmath>
#include <mutex>

namespace kvscope {

namespace {

constexpr qreal windowlessFontPixels = 12.5;

// A QChartView alone says nothing but Client to a screen reader.
QAccessibleInterface *chartInterface(const QString &, QObject *object)
{
    auto *view = qobject_cast<ChartView *>(object);
    return view ? new QAccessibleWidget(view, QAccessible::Chart) : nullptr;
}

} // namespace

/// Lies under or over the series and paints what Qt Charts does not.
class ChartView::Layer : public QGraphicsItem {
public:
    Layer(ChartView &view, bool over) : QGraphicsItem(view.chart()), m_view(view), m_over(over)
    {
        setAcceptedMouseButtons(Qt::NoButton);
        // Qt Charts: plot area 0, grid 2, series up to about 10.
        setZValue(over ? 50 : 0.5);
    }

    void cover(const QRectF &area)
    {
        if (m_area != area) {
            prepareGeometryChange();
            m_area = area;
        }
        update();
    }
    QRectF boundingRect() const override { return m_area; }
    void paint(QPainter *painter, const QStyleOptionGraphicsItem *, QWidget *) override
    {
        painter->setRenderHint(QPainter::Antialiasing);
        if (m_over) {
            m_view.paintOver(*painter);
            m_view.paintWords(*painter);
        } else {
            painter->save();
            m_view.paintUnder(*painter);
            painter->restore();
            m_view.paintAxes(*painter);
        }
    }

private:
    ChartView &m_view;
    bool m_over;
    QRectF m_area;
};

ChartView::ChartView(QWidget *parent) : QChartView(new QChart, parent), m_theme(&themeOf(palette()))
{
    static std::once_flag once;
    std::call_once(once, [] { QAccessible::installFactory(chartInterface); });

    QChart *c = chart();
    c->setAnimationOptions(QChart::NoAnimation);
    c->setBackgroundVisible(false);
    c->setPlotAreaBackgroundVisible(false);
    c->setMargins({});
    c->layout()->setContentsMargins(0, 0, 0, 0);
    c->setLocalizeNumbers(true);
    c->legend()->hide();
    m_xSeriesAxis = new QValueAxis;
    m_ySeriesAxis = new QValueAxis;
    c->addAxis(m_xSeriesAxis, Qt::AlignBottom);
    c->addAxis(m_ySeriesAxis, Qt::AlignLeft);
    for (QAbstractAxis *axis : {m_xSeriesAxis, m_ySeriesAxis}) {
        axis->setTruncateLabels(false);
        axis->setVisible(false);
    }
    for (int i = 0; i < mostLines; ++i) {
        auto *line = new QLineSeries;
        c->addSeries(line);
        line->attachAxis(m_xSeriesAxis);
        line->attachAxis(m_ySeriesAxis);
        m_series.append(line);
    }
    m_under = new Layer(*this, false);
    m_over = new Layer(*this, true);
    m_readout = new Readout(c);

    setRenderHint(QPainter::Antialiasing);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setBackgroundBrush(m_theme->card);
}

ChartView::~ChartView() = default;

void ChartView::showResults(const ViewState &state)
{
    m_state = state;
    if (isVisible())
        refresh();
    else
        m_stale = true;
}

void ChartView::setMode(ChartMode mode)
{
    if (m_mode == mode)
        return;
    m_mode = mode;
    showSpot(std::nullopt);
    showResults(m_state);
}

void ChartView::retranslate() { showResults(m_state); }

void ChartView::copyFrom(const ChartView &other)
{
    m_mode = other.m_mode;
    m_xEnd = other.m_xEnd;
    m_yEnd = other.m_yEnd;
    showResults(other.m_state);
}

void ChartView::paintInto(QPainter &painter, const QRectF &target, const Theme &theme)
{
    m_windowlessFont = windowlessFontPixels;
    m_theme = &theme;
    m_size = target.size();
    chart()->resize(m_size);
    scene()->setSceneRect(QRectF({}, m_size));
    refresh();
    scene()->render(&painter, target, QRectF({}, m_size), Qt::IgnoreAspectRatio);
}

QRectF ChartView::plotArea() const { return m_plot; }

QPointF ChartView::toPixel(QPointF value) const
{
    return {m_plot.left() + (value.x() - m_x.low) / m_x.length() * m_plot.width(),
            m_plot.bottom() - (value.y() - m_y.low) / m_y.length() * m_plot.height()};
}

QPointF ChartView::toValue(QPointF pixel) const
{
    if (m_plot.isEmpty())
        return {m_x.low, m_y.low};
    return {m_x.low + (pixel.x() - m_plot.left()) / m_plot.width() * m_x.length(),
            m_y.low + (m_plot.bottom() - pixel.y()) / m_plot.height() * m_y.length()};
}

QList<QPointF> ChartView::pixels(const QList<QPointF> &values) const
{
    QList<QPointF> result;
    result.reserve(values.size());
    for (const QPointF &value : values)
        result.append(toPixel(value));
    return result;
}

QFont ChartView::chartFont(bool bold) const
{
    // Pixels, not points: a picture is laid out alike on a screen, at 300 dpi and in SVG.
    QFont result = font();
    const qreal base = m_windowlessFont > 0 ? m_windowlessFont : QFontInfo(font()).pixelSize();
    result.setPixelSize(std::max(9, static_cast<int>(std::lround(base * 0.92))));
    result.setWeight(bold ? QFont::DemiBold : QFont::Normal);
    return result;
}

QSizeF ChartView::textSize(const QString &text, bool bold) const
{
    const QFontMetricsF metrics(chartFont(bold));
    return {std::ceil(metrics.horizontalAdvance(text)), std::ceil(metrics.height())};
}

QPen ChartView::penOf(const DrawnLine &line) const
{
    QPen pen(line.ghost ? m_theme->ghost : m_theme->seriesLook(line.look).line, line.main ? 2.8 : line.ghost ? 1.5 : 1.9);
    const QList<qreal> dashes = line.ghost ? QList<qreal>{3, 3} : m_theme->seriesLook(line.look).dashes;
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    if (!dashes.isEmpty())
        pen.setDashPattern(dashes);
    return pen;
}

void ChartView::refresh()
{
    m_stale = false;
    m_lines.clear();
    draw();
    layOut();
    setAccessibleName(title());
    setAccessibleDescription(description());
    if (m_spot)
        showSpot(spotAt(m_spot->at));
}

void ChartView::layOut()
{
    if (m_size.isEmpty())
        return;
    makeTicks(m_size);
    qreal left = 0;
    for (const Tick &tick : m_y.ticks)
        left = std::max(left, textSize(tick.text).width());
    left += tickGap + edge + sideRoom();
    const qreal height = textSize(QStringLiteral("0")).height();
    const qreal right = edge + (m_x.ticks.isEmpty() ? 4 : std::max<qreal>(4, textSize(m_x.ticks.last().text).width() / 2));
    const qreal top = edge + (topRoom() > 0 ? topRoom() : m_y.title.isEmpty() ? height / 2 : height + 5);
    const qreal bottom = edge + tickGap + height + (m_x.title.isEmpty() ? 0 : height + 2);
    // Whole pixels, so that grid lines are crisp.
    const QRectF plot(std::ceil(left), std::ceil(top), std::floor(std::max<qreal>(10, m_size.width() - left - right)),
                      std::floor(std::max<qreal>(10, m_size.height() - top - bottom)));
    if (plot != m_plot) {
        m_plot = plot;
        chart()->setPlotArea(plot);
    }
    if (m_xSeriesAxis->min() != m_x.low || m_xSeriesAxis->max() != m_x.high)
        m_xSeriesAxis->setRange(m_x.low, m_x.high);
    if (m_ySeriesAxis->min() != m_y.low || m_ySeriesAxis->max() != m_y.high)
        m_ySeriesAxis->setRange(m_y.low, m_y.high);
    static const QList<QPointF> none;
    for (int i = 0; i < mostLines; ++i) {
        QLineSeries *series = m_series[i];
        const bool used = i < m_lines.size();
        const QList<QPointF> &points = used ? m_lines[i].points : none;
        if (series->points() != points)
            series->replace(points);
        if (!used)
            continue;
        const QPen pen = penOf(m_lines[i]);
        if (series->pen() != pen)
            series->setPen(pen);
        if (series->name() != m_lines[i].name)
            series->setName(m_lines[i].name);
    }
    m_words.clear();
    arrange();
    m_under->cover(QRectF({}, m_size));
    m_over->cover(QRectF({}, m_size));
}

void ChartView::showSpot(const std::optional<Spot> &spot)
{
    m_spot = spot;
    if (!spot) {
        m_readout->setVisible(false);
        return;
    }
    m_readout->show(*spot, toPixel(spot->at), m_plot, *m_theme, chartFont());
}

void ChartView::useTheme(const Theme &theme)
{
    if (m_theme == &theme)
        return;
    m_theme = &theme;
    setBackgroundBrush(theme.card);
    showResults(m_state);
}

void ChartView::changeEvent(QEvent *event)
{
    QChartView::changeEvent(event);
    switch (event->type()) {
    case QEvent::PaletteChange: useTheme(themeOf(palette())); break;
    case QEvent::FontChange:
    case QEvent::LanguageChange: retranslate(); break;
    default: break;
    }
}

void ChartView::showEvent(QShowEvent *event)
{
    QChartView::showEvent(event);
    if (m_stale)
        refresh();
}

void ChartView::resizeEvent(QResizeEvent *event)
{
    QChartView::resizeEvent(event);
    m_size = size();
    if (!m_stale)
        layOut();
    if (m_spot)
        showSpot(m_spot);
}

void ChartView::paintEvent(QPaintEvent *event)
{
    QChartView::paintEvent(event);
    if (!hasFocus())
        return;
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme->accent, 2));
    painter.drawRoundedRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1), 5, 5);
}

} // namespace kvscope
