// SPDX-License-Identifier: GPL-3.0-or-later
// What stands written on a chart: its axes, and words beside what is drawn.
#include "ui/chartview.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace kvscope {

bool ChartView::addWord(LabelPlacer &placer, const QList<QRectF> &candidates, const QString &text, const QColor &colour, bool bold,
                        bool overLines)
{
    std::optional<QRectF> box = placer.place(candidates);
    if (!box && overLines)
        box = placer.placeOver(candidates);
    if (box)
        m_words.append({*box, text, colour, bold});
    return box.has_value();
}

void ChartView::addNotice(LabelPlacer &placer, const QString &sentence)
{
    const QFontMetricsF metrics(chartFont());
    const QRectF room = m_plot.adjusted(12, 6, -12, -6);
    const QRectF box = metrics.boundingRect(room, Qt::AlignCenter | Qt::TextWordWrap, sentence).adjusted(-4, -2, 4, 2).intersected(m_plot);
    placer.avoid(box);
    m_words.append({box, sentence, m_theme->text, false});
}

void ChartView::nameLines(LabelPlacer &placer)
{
    const auto name = [&](int index) {
        const DrawnLine &line = m_lines[index];
        const QSizeF size = textSize(line.name, line.main) + QSizeF(6, 0);
        const QList<QPointF> curve = pixels(line.points);
        std::optional<QRectF> box = placer.place(boxesAlong(curve, size, 3));
        if (!box)
            box = placer.placeOver(boxesOn(curve, size), index);
        if (box)
            m_words.append({*box, line.name, line.ghost ? m_theme->muted : m_theme->seriesLook(line.look).text, line.main});
    };
    for (const bool main : {true, false}) {
        for (int i = 0; i < m_lines.size(); ++i) {
            if (m_lines[i].main == main && !m_lines[i].name.isEmpty() && !m_lines[i].points.isEmpty())
                name(i);
        }
    }
}

void ChartView::paintAxes(QPainter &painter) const
{
    const QFont font = chartFont();
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    painter.setBrush(Qt::NoBrush);
    const auto crisp = [](qreal at) { return std::floor(at) + 0.5; };
    painter.setPen(QPen(m_theme->grid, 1));
    for (const Tick &tick : m_x.ticks) {
        const qreal x = crisp(toPixel({tick.at, 0}).x());
        painter.drawLine(QLineF(x, m_plot.top(), x, m_plot.bottom()));
    }
    for (const Tick &tick : m_y.ticks) {
        const qreal y = crisp(toPixel({0, tick.at}).y());
        painter.drawLine(QLineF(m_plot.left(), y, m_plot.right(), y));
    }
    painter.setPen(QPen(m_theme->axis, 1));
    painter.drawLine(QLineF(m_plot.left(), crisp(m_plot.bottom()), m_plot.right(), crisp(m_plot.bottom())));

    painter.setPen(m_theme->muted);
    const qreal height = metrics.height();
    qreal free = 0;
    for (const Tick &tick : m_x.ticks) {
        const qreal width = metrics.horizontalAdvance(tick.text);
        const qreal x = toPixel({tick.at, 0}).x() - width / 2;
        if (x < free)
            continue;
        free = x + width + 8;
        painter.drawText(QRectF(x - 1, m_plot.bottom() + tickGap, width + 2, height), Qt::AlignCenter | Qt::TextSingleLine, tick.text);
    }
    qreal above = m_size.height();
    for (const Tick &tick : m_y.ticks) {
        const qreal y = toPixel({0, tick.at}).y() - height / 2;
        if (y + height > above)
            continue;
        above = y;
        painter.drawText(QRectF(0, y, m_plot.left() - tickGap, height), Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, tick.text);
    }
    if (!m_y.title.isEmpty())
        painter.drawText(QRectF(edge, edge - 1, m_size.width() - 2 * edge, height), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         m_y.title);
    if (!m_x.title.isEmpty()) {
        const QRectF box(m_plot.left(), m_plot.bottom() + tickGap + height + 2, m_plot.width(), height);
        painter.drawText(box, Qt::AlignCenter | Qt::TextSingleLine, metrics.elidedText(m_x.title, Qt::ElideRight, box.width()));
    }
}

void ChartView::paintWords(QPainter &painter) const
{
    QColor plate = m_theme->card;
    plate.setAlphaF(0.82F);
    for (const Word &word : m_words) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(plate);
        painter.drawRoundedRect(word.box.adjusted(0, 1, 0, -1), 3, 3);
        painter.setFont(chartFont(word.bold));
        painter.setPen(word.colour);
        painter.drawText(word.box, Qt::AlignCenter | Qt::TextWordWrap, word.text);
    }
}

} // namespace kvscope
