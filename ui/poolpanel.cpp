// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/poolpanel.h"

#include "ui/cardheader.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QVBoxLayout>

namespace kvscope {

PoolPanel::PoolPanel(QWidget *parent) :
    LazyCard(parent), m_menu(new QMenu(this)), m_header(new CardHeader(m_menu, this)), m_sentence(new QLabel), m_tables(new PoolTables)
{
    m_menu->setObjectName(QStringLiteral("poolMenu"));
    m_copyAll = m_menu->addAction(QString(), this, &PoolPanel::copyAll);
    m_copyAll->setObjectName(QStringLiteral("copyPoolAction"));
    m_sentence->setObjectName(QStringLiteral("poolSentence"));
    m_sentence->setWordWrap(true);
    m_tables->setObjectName(QStringLiteral("poolTables"));
    auto *page = new QFrame;
    page->setObjectName(QStringLiteral("poolPage"));
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 4, 0);
    column->setSpacing(8);
    column->addWidget(m_sentence);
    column->addWidget(m_tables);
    column->addStretch();
    m_scroll = new QScrollArea(this);
    m_scroll->setObjectName(QStringLiteral("poolScroll"));
    m_scroll->setProperty("panel", true);
    page->setProperty("panel", true);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(page);
    arrange(m_header, m_scroll);
    retranslate();
}

void PoolPanel::fill(const ViewState &state)
{
    m_account = poolAccount(state);
    m_sentence->setText(m_account.sentence);
    m_tables->show(m_account.tables);
    m_scroll->setAccessibleDescription(m_account.asText());
    m_tables->setVisible(!m_account.tables.empty());
}

void PoolPanel::copyAll()
{
    QGuiApplication::clipboard()->setText(m_account.asText() + QLatin1Char('\n'));
    emit done(tr("The pool's figures are copied"));
}

void PoolPanel::retranslate()
{
    m_header->setWords(tr("KV pool"), tr("what is printed and what a user gets"), tr("Copy the pool's figures"));
    m_copyAll->setText(tr("&Copy the figures"));
    m_scroll->setAccessibleName(tr("What the KV pool holds by length"));
}

} // namespace kvscope
