// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lazycard.h"

#include "ui/cardheader.h"

#include <QEvent>
#include <QVBoxLayout>

namespace kvscope {

LazyCard::LazyCard(QWidget *parent) : QFrame(parent) { setProperty("card", true); }

void LazyCard::arrange(CardHeader *header, QWidget *content)
{
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 10);
    layout->setSpacing(4);
    layout->addWidget(header);
    layout->addWidget(content, 1);
}

void LazyCard::showState(const ViewState &state)
{
    m_state = state;
    m_stale = !isVisible();
    if (!m_stale)
        fill(m_state);
}

void LazyCard::showEvent(QShowEvent *event)
{
    QFrame::showEvent(event);
    if (m_stale && m_state.results)
        showState(m_state);
}

void LazyCard::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() != QEvent::LanguageChange)
        return;
    retranslate();
    if (m_state.results)
        showState(m_state);
}

} // namespace kvscope
