// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bardelegate.h"

#include "ui/comparemodel.h"
#include "ui/comparetable.h"
#include "ui/memorybar.h"

#include <QAbstractProxyModel>
#include <QPainter>
#include <QStyle>

#include <algorithm>
#include <utility>

namespace kvscope {

namespace {

constexpr int margin = 3;

QFont noteFont(QFont font)
{
    font.setPointSizeF(font.pointSizeF() * 0.85);
    font.setBold(false);
    return font;
}

} // namespace

void BarDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    const Theme &theme = themeOf(option->palette);
    const auto verdict = static_cast<Verdict>(index.data(CompareModel::VerdictRole).toInt());
    QColor ink = theme.text;
    if (index.column() == CompareModel::VerdictColumn || index.column() == CompareModel::Free)
        ink = theme.look(verdict).text;
    if (index.data(CompareModel::GhostRole).toBool())
        ink = theme.muted;
    option->palette.setColor(QPalette::Text, ink);
    option->palette.setColor(QPalette::HighlightedText, ink);
    option->font.setBold(index.column() == CompareModel::Gpu && index.data(CompareModel::SelectedRole).toBool());
    option->font.setItalic(index.column() == CompareModel::Gpu && index.data(CompareModel::GhostRole).toBool());
    option->state &= ~QStyle::State_HasFocus; // the whole row is marked, no cell of it
}

void BarDelegate::paint(QPainter *painter, const QStyleOptionViewItem &whole, const QModelIndex &index) const
{
    const QString note = index.data(CompareModel::NoteRole).toString();
    QStyleOptionViewItem option = whole;
    if (const auto *table = qobject_cast<const CompareTable *>(whole.widget); table) {
        option.rect = table->aboveStrip(whole.rect, index);
        if (option.rect != whole.rect && (whole.state & QStyle::State_Selected))
            painter->fillRect(whole.rect, themeOf(whole.palette).chip); // the strip's ground too
    }
    if (note.isEmpty()) {
        QStyledItemDelegate::paint(painter, option, index);
    } else {
        // Two lines that stand together in the middle: the base paints the row's ground and the words, raised by half a line.
        QStyleOptionViewItem line = option;
        initStyleOption(&line, index);
        const QString words = std::exchange(line.text, QString());
        option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &line, painter, option.widget);
        const QFont small = noteFont(line.font);
        const int first = QFontMetrics(line.font).height(), second = QFontMetrics(small).height();
        const QRect place = option.rect.adjusted(margin, (option.rect.height() - first - second) / 2, -margin, 0);
        const int side = static_cast<int>(line.displayAlignment & Qt::AlignHorizontal_Mask);
        painter->save();
        painter->setFont(line.font);
        painter->setPen(line.palette.color(QPalette::Text));
        painter->drawText(QRect(place.left(), place.top(), place.width(), first), side | Qt::AlignVCenter, words);
        painter->setFont(small);
        painter->setPen(themeOf(option.palette).muted);
        painter->drawText(QRect(place.left(), place.top() + first, place.width(), second), side | Qt::AlignVCenter, note);
        painter->restore();
    }
    if (index.column() != CompareModel::Bar)
        return;
    const auto *proxy = qobject_cast<const QAbstractProxyModel *>(index.model());
    const int row = proxy ? proxy->mapToSource(index).row() : index.row();
    const DevicePlan *device = m_model->deviceAt(row);
    if (!device)
        return;
    constexpr int side = 6;
    const int height = std::clamp(option.rect.height() / 2, 12, 20);
    const QRectF place(option.rect.left() + side, option.rect.center().y() - height / 2.0 + 0.5, option.rect.width() - 2.0 * side, height);
    paintBar(*painter, place, *device, barLength(*device), themeOf(option.palette), index.data(CompareModel::GhostRole).toBool());
}

QSize BarDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    if (index.column() == CompareModel::Gpu) { // wide enough for any row to become the bold one
        QFont bold = option.font;
        bold.setBold(true);
        size.setWidth(size.width() + QFontMetrics(bold).horizontalAdvance(index.data().toString()) -
                      option.fontMetrics.horizontalAdvance(index.data().toString()));
    }
    if (const QString note = index.data(CompareModel::NoteRole).toString(); !note.isEmpty()) {
        const QFontMetrics metrics(noteFont(option.font));
        size =
            QSize(std::max(size.width(), metrics.horizontalAdvance(note) + 2 * margin), option.fontMetrics.height() + metrics.height() + 4);
    }
    return size;
}

} // namespace kvscope
