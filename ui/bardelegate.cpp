// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bardelegate.h"

#include "ui/comparemodel.h"
#include "ui/memorybar.h"

#include <QAbstractProxyModel>

#include <algorithm>

namespace kvscope {

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

void BarDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
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
        size.setWidth(size.width() + QFontMetrics(bold).horizontalAdvance(index.data().toString()) - option.fontMetrics.horizontalAdvance(index.data().toString()));
    }
    return size;
}

} // namespace kvscope
