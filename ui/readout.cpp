// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/readout.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace kvscope {

namespace {

constexpr qreal padding = 8;
constexpr qreal swatch = 18;
constexpr qreal columnGap = 14;
constexpr qreal distance = 12;

QFont boldened(QFont font)
{
    font.setWeight(QFont::DemiBold);
    return font;
}

} // namespace

QString Spot::sentence() const
{
    QString result = head;
    for (const Row &row : rows)
        result += QStringLiteral("; ") + (row.name.isEmpty() ? row.value : row.name + QStringLiteral(": ") + row.value);
    return result;
}

QRectF readoutBox(QPointF point, QSizeF size, const QRectF &plot)
{
    const qreal right = point.x() + distance;
    const qreal left = point.x() - distance - size.width();
    const qreal above = point.y() - distance - size.height();
    const qreal below = point.y() + distance;
    for (const QPointF corner : {QPointF(right, above), QPointF(left, above), QPointF(right, below), QPointF(left, below)}) {
        const QRectF box(corner, size);
        if (plot.contains(box))
            return box;
    }
    // Beside the point at whatever height there is room, else above or below it.
    const auto inside = [](qreal at, qreal length, qreal low, qreal high) { return std::max(low, std::min(at, high - length)); };
    const qreal y = inside(point.y() - size.height() / 2, size.height(), plot.top(), plot.bottom());
    if (right + size.width() <= plot.right())
        return {QPointF(right, y), size};
    if (left >= plot.left())
        return {QPointF(left, y), size};
    const qreal x = inside(point.x() - size.width() / 2, size.width(), plot.left(), plot.right());
    return {QPointF(x, point.y() - plot.top() > plot.bottom() - point.y() ? std::max(plot.top(), above)
                                                                          : inside(below, size.height(), plot.top(), plot.bottom())),
            size};
}

Readout::Readout(QGraphicsItem *parent) : QGraphicsItem(parent)
{
    setAcceptedMouseButtons(Qt::NoButton);
    setZValue(60);
    setVisible(false);
}

void Readout::show(const Spot &spot, QPointF pixel, const QRectF &plot, const Theme &theme, const QFont &font)
{
    prepareGeometryChange();
    m_spot = spot;
    m_point = pixel;
    m_plot = plot;
    m_theme = &theme;
    m_font = font;
    const QFontMetricsF plain(font);
    const QFontMetricsF bold(boldened(font));
    qreal names = 0;
    qreal values = 0;
    for (const Spot::Row &row : spot.rows) {
        names = std::max(names, (row.look >= 0 ? swatch : 0) + bold.horizontalAdvance(row.name));
        values = std::max(values, bold.horizontalAdvance(row.value));
    }
    m_valueWidth = values;
    const qreal width = std::max(bold.horizontalAdvance(spot.head), names + (names > 0 ? columnGap : 0) + values) + 2 * padding;
    const qreal height = static_cast<qreal>(1 + spot.rows.size()) * plain.lineSpacing() + 2 * padding - 4;
    m_box = readoutBox(pixel, {std::ceil(width), std::ceil(height)}, plot);
    setVisible(true);
    update();
}

QRectF Readout::boundingRect() const
{
    const QRectF line(m_point.x() - 8, m_plot.top(), 16, m_plot.height());
    return m_box.united(line).adjusted(-3, -3, 3, 3);
}

void Readout::paint(QPainter *painter, const QStyleOptionGraphicsItem *, QWidget *)
{
    if (!m_theme)
        return;
    const Theme &t = *m_theme;
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(t.axis, 1, Qt::DashLine));
    painter->drawLine(QLineF(m_point.x(), m_plot.top(), m_point.x(), m_plot.bottom()));
    painter->setPen(QPen(t.text, 1.6));
    painter->setBrush(t.card);
    painter->drawEllipse(m_point, 4, 4);

    painter->setPen(QPen(t.axis, 1));
    painter->drawRoundedRect(m_box.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    const QFontMetricsF metrics(m_font);
    qreal y = m_box.top() + padding - 2;
    const qreal left = m_box.left() + padding;
    const qreal right = m_box.right() - padding;
    const auto write = [&](const QRectF &box, int flags, const QString &words) {
        painter->drawText(box, flags | Qt::TextSingleLine, words);
    };
    painter->setFont(boldened(m_font));
    painter->setPen(t.text);
    write({left, y, right - left, metrics.lineSpacing()}, Qt::AlignLeft | Qt::AlignVCenter, m_spot.head);
    for (const Spot::Row &row : m_spot.rows) {
        y += metrics.lineSpacing();
        qreal x = left;
        if (row.look >= 0) {
            const SeriesLook &look = t.seriesLook(row.look);
            QPen pen(look.line, 2);
            if (!look.dashes.isEmpty())
                pen.setDashPattern(look.dashes);
            pen.setCapStyle(Qt::FlatCap);
            painter->setPen(pen);
            painter->drawLine(QLineF(x, y + metrics.lineSpacing() / 2, x + swatch - 5, y + metrics.lineSpacing() / 2));
            x += swatch;
        }
        painter->setFont(row.main ? boldened(m_font) : m_font);
        painter->setPen(row.main ? t.text : t.muted);
        write({x, y, right - x, metrics.lineSpacing()}, Qt::AlignLeft | Qt::AlignVCenter, row.name);
        painter->setPen(t.text);
        write({right - m_valueWidth, y, m_valueWidth, metrics.lineSpacing()}, Qt::AlignRight | Qt::AlignVCenter, row.value);
    }
}

} // namespace kvscope
