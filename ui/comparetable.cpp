// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/comparetable.h"

#include "ui/comparemodel.h"
#include "ui/theme.h"

#include <QHeaderView>
#include <QPainter>

namespace kvscope {

namespace {

constexpr int side = 4;

QFont stripFont(QFont font)
{
    font.setPointSizeF(font.pointSizeF() * 0.88);
    return font;
}

} // namespace

CompareTable::CompareTable(QWidget *parent) : QTableView(parent)
{
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setShowGrid(false);
    setWordWrap(false);
    setFrameShape(QFrame::NoFrame);
    setTabKeyNavigation(false);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(24);
}

int CompareTable::stripHeight() const { return QFontMetrics(stripFont(font())).height() + 5; }

QRect CompareTable::aboveStrip(const QRect &cell, const QModelIndex &index) const
{
    return index.data(CompareModel::ReasonsRole).toString().isEmpty() ? cell : cell.adjusted(0, 0, 0, -stripHeight());
}

void CompareTable::paintEvent(QPaintEvent *event)
{
    QTableView::paintEvent(event);
    QPainter painter(viewport());
    const Theme &theme = themeOf(palette());
    const QFont font = stripFont(this->font());
    const QFontMetrics metrics(font);
    painter.setFont(font);
    for (int row = 0; row < model()->rowCount(); ++row) {
        const QModelIndex index = model()->index(row, 0);
        const QString words = index.data(CompareModel::ReasonsRole).toString();
        if (words.isEmpty())
            continue;
        const int bottom = rowViewportPosition(row) + rowHeight(row);
        const QRect strip(side, bottom - stripHeight(), viewport()->width() - 2 * side, stripHeight());
        painter.setPen(theme.muted);
        painter.drawText(strip.adjusted(0, 0, 0, -3), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(words, Qt::ElideRight, strip.width()));
        painter.setPen(theme.border);
        painter.drawLine(0, bottom - 1, viewport()->width(), bottom - 1);
    }
}

} // namespace kvscope
