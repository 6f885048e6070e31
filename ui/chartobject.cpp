// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chartobject.h"

#include <QAbstractTextDocumentLayout>
#include <QPainter>
#include <QTextDocument>

#include <algorithm>

namespace kvscope {

QSize pictureSize(const ChartView &chart, const ExportOptions &options)
{
    const QSize size = options.size.value_or(QSize(760, 430));
    return chart.kind() == ChartKind::Compare ? QSize(size.width(), 110 + chart.sizeHint().height()) : size;
}

ChartObject::ChartObject(const Charts &charts, const ExportOptions &options, QObject *parent) :
    QObject(parent), m_charts(charts), m_options(options)
{
}

QSizeF ChartObject::intrinsicSize(QTextDocument *document, int, const QTextFormat &format)
{
    const QPaintDevice *device = document->documentLayout()->paintDevice();
    const qreal perUnit = device ? device->logicalDpiX() / 96.0 : 1;
    const QSizeF size = pictureSize(chart(format), m_options);
    const qreal room = document->textWidth() > 0 ? document->textWidth() : document->pageSize().width();
    const qreal width = std::min(size.width() * perUnit, room - 2 * document->documentMargin());
    return {width, size.height() * width / size.width()};
}

void ChartObject::drawObject(QPainter *painter, const QRectF &rect, QTextDocument *, int, const QTextFormat &format)
{
    const QSizeF size = pictureSize(chart(format), m_options);
    painter->save();
    painter->translate(rect.topLeft());
    painter->scale(rect.width() / size.width(), rect.height() / size.height());
    paintPicture(*painter, QRectF({}, size), *copyOf(chart(format)), m_options.dark);
    painter->restore();
}

const ChartView &ChartObject::chart(const QTextFormat &format) const
{
    return *m_charts[static_cast<std::size_t>(format.intProperty(index))];
}

} // namespace kvscope
