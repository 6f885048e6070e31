// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/cardarea.h"

#include <QDockWidget>

namespace kvscope {

CardArea::CardArea(QWidget *parent) : QMainWindow(parent, Qt::Widget)
{
    setDockNestingEnabled(true);
    setContextMenuPolicy(Qt::NoContextMenu);
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
}

QDockWidget *CardArea::addCard(QWidget *card, const char *name)
{
    auto *dock = new QDockWidget(this);
    dock->setObjectName(QLatin1String(name));
    dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable);
    dock->setTitleBarWidget(new QWidget(dock));
    dock->setWidget(card);
    m_docks.push_back(dock);
    return dock;
}

void CardArea::place()
{
    for (std::size_t i = 0; i < m_docks.size(); ++i) {
        QDockWidget *dock = m_docks[i];
        removeDockWidget(dock);
        if (i == 0)
            addDockWidget(Qt::TopDockWidgetArea, dock);
        else if (i % 2 == 1)
            splitDockWidget(m_docks[i - 1], dock, Qt::Horizontal);
        else
            splitDockWidget(m_docks[i - 2], dock, Qt::Vertical);
        dock->setFloating(false);
        dock->show();
    }
    m_placed = true;
}

void CardArea::even()
{
    if (m_docks.size() < 4)
        return;
    resizeDocks({m_docks[0], m_docks[1]}, {1, 1}, Qt::Horizontal);
    resizeDocks({m_docks[2], m_docks[3]}, {1, 1}, Qt::Horizontal);
    resizeDocks({m_docks[0], m_docks[2]}, {1, 1}, Qt::Vertical);
}

void CardArea::restoreDefault()
{
    place();
    even();
}

void CardArea::setArranging(bool on)
{
    m_arranging = on;
    for (QDockWidget *dock : m_docks) {
        QWidget *bar = dock->titleBarWidget();
        dock->setTitleBarWidget(on ? nullptr : new QWidget(dock));
        delete bar;
    }
}

void CardArea::showEvent(QShowEvent *event)
{
    QMainWindow::showEvent(event);
    if (!m_placed)
        restoreDefault();
}

} // namespace kvscope
