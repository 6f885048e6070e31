// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/flowlayout.h"

#include <QWidget>

#include <algorithm>

namespace kvscope {

FlowLayout::FlowLayout(QWidget *parent, int gap) : QLayout(parent)
{
    setSpacing(gap);
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout()
{
    for (QLayoutItem *item : m_items)
        delete item;
}

void FlowLayout::addItem(QLayoutItem *item) { m_items.push_back(item); }

void FlowLayout::insertWidget(int index, QWidget *widget)
{
    addChildWidget(widget);
    m_items.insert(m_items.begin() + std::clamp(index, 0, count()), new QWidgetItem(widget));
    invalidate();
}

QLayoutItem *FlowLayout::itemAt(int index) const
{
    return index >= 0 && index < count() ? m_items[static_cast<std::size_t>(index)] : nullptr;
}

QLayoutItem *FlowLayout::takeAt(int index)
{
    QLayoutItem *item = itemAt(index);
    if (item) {
        m_items.erase(m_items.begin() + index);
        invalidate();
    }
    return item;
}

QSize FlowLayout::sizeHint() const
{
    QSize size;
    for (const QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        size.rwidth() += item->sizeHint().width() + spacing();
        size.setHeight(std::max(size.height(), item->sizeHint().height()));
    }
    return size.grownBy(contentsMargins());
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem *item : m_items) {
        if (!item->isEmpty())
            size = size.expandedTo(item->minimumSize());
    }
    return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect &rect)
{
    QLayout::setGeometry(rect);
    place(rect, true);
}

int FlowLayout::place(const QRect &rect, bool move) const
{
    const QRect inner = rect.marginsRemoved(contentsMargins());
    int x = inner.x(), y = inner.y(), line = 0;
    for (QLayoutItem *item : m_items) {
        if (item->isEmpty())
            continue;
        const QSize size(std::min(item->sizeHint().width(), std::max(inner.width(), item->minimumSize().width())),
                         item->sizeHint().height());
        if (x > inner.x() && x + size.width() > inner.x() + inner.width()) {
            x = inner.x();
            y += line + spacing();
            line = 0;
        }
        if (move)
            item->setGeometry(QRect(QPoint(x, y), size));
        x += size.width() + spacing();
        line = std::max(line, size.height());
    }
    return y + line - rect.y() + contentsMargins().bottom();
}

} // namespace kvscope
