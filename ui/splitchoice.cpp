// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/splitchoice.h"

#include <QAbstractItemView>
#include <QStandardItemModel>
#include <QStyle>
#include <QStyleOptionComboBox>
#include <QStyledItemDelegate>

#include <algorithm>

namespace kvscope {

SplitChoice::SplitChoice(const QString &prefix, QWidget *parent) : QComboBox(parent), m_prefix(prefix)
{
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setMaxVisibleItems(16);
    setProperty("list", true); // a list below the box, not a menu over it: reasons read from the top
    setItemDelegate(new QStyledItemDelegate(this));
    addItem(m_prefix + QLocale().toString(m_value), m_value);
    connect(this, &QComboBox::activated, this, [this](int index) {
        if (const int picked = itemData(index).toInt(); picked != m_value)
            emit chosen(picked);
    });
}

void SplitChoice::setValue(int value)
{
    const QString words = m_prefix + QLocale().toString(value);
    const int at = findData(value);
    m_value = value;
    if (at >= 0 && itemText(at) == words) {
        setCurrentIndex(at);
        return;
    }
    clear();
    addItem(words, value);
}

void SplitChoice::refill()
{
    if (!m_offers)
        return;
    std::vector<Offer> offers = m_offers();
    if (std::ranges::find(offers, m_value, &Offer::value) == offers.end()) {
        offers.push_back({m_value, {}});
        std::ranges::sort(offers, {}, &Offer::value);
    }
    const auto *items = qobject_cast<QStandardItemModel *>(model());
    clear();
    for (const Offer &offer : offers) {
        const QString words = m_prefix + QLocale().toString(offer.value);
        const bool taken = offer.value == m_value; // what is set stays choosable, whatever is said of it
        addItem(offer.refusal.isEmpty() || taken ? words : offer.refusal, offer.value);
        if (offer.refusal.isEmpty())
            continue;
        QStandardItem *item = items->item(count() - 1);
        item->setToolTip(offer.refusal);
        item->setEnabled(taken);
    }
    setCurrentIndex(findData(m_value));
}

QSize SplitChoice::sizeHint() const
{
    constexpr int usual = 99; // room for what is met
    const QString words = m_prefix + QLocale().toString(std::max(usual, m_value));
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QSize text(fontMetrics().horizontalAdvance(words), fontMetrics().height());
    return style()->sizeFromContents(QStyle::CT_ComboBox, &option, text, this);
}

void SplitChoice::showPopup()
{
    refill();
    view()->setMinimumWidth(view()->sizeHintForColumn(0) + 2 * view()->frameWidth() + 24);
    QComboBox::showPopup();
}

void SplitChoice::keyPressEvent(QKeyEvent *event)
{
    refill();
    QComboBox::keyPressEvent(event);
}

void SplitChoice::wheelEvent(QWheelEvent *event)
{
    refill();
    QComboBox::wheelEvent(event);
}

} // namespace kvscope
