// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/cardheader.h"

#include "ui/clampedlabel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

namespace kvscope {

CardHeader::CardHeader(QMenu *menu, QWidget *parent) :
    QWidget(parent), m_title(new QLabel(this)), m_subtitle(new ClampedLabel(1, this)), m_button(new QToolButton(this))
{
    m_title->setObjectName(QStringLiteral("cardTitle"));
    m_title->setProperty("role", QStringLiteral("title"));
    m_subtitle->setObjectName(QStringLiteral("cardSubtitle"));
    m_button->setObjectName(QStringLiteral("cardMenuButton"));
    m_button->setText(QStringLiteral("⋯"));
    m_button->setProperty("quiet", true);
    m_button->setPopupMode(QToolButton::InstantPopup);
    m_button->setMenu(menu);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    layout->addWidget(m_title);
    layout->addWidget(m_subtitle, 1);
    layout->addWidget(m_button);
}

void CardHeader::addControl(QWidget *control)
{
    auto *row = static_cast<QHBoxLayout *>(layout());
    row->insertWidget(row->count() - 1, control);
}

void CardHeader::setWords(const QString &title, const QString &subtitle, const QString &menuName)
{
    m_title->setText(title);
    m_subtitle->setText(subtitle);
    m_button->setAccessibleName(menuName);
    m_button->setToolTip(menuName);
}

} // namespace kvscope
