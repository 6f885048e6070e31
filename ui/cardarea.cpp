// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/cardarea.h"

#include <QDockWidget>

#include <algorithm>

namespace kvscope {

CardArea::CardArea(QWidget *parent) : QMainWindow(parent)
{
    setWindowFlags(Qt::Widget); // QMainWindow's constructor always adds Qt::Window
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
    for (QDockWidget *dock : m_docks) {
        dock->setFloating(false);
        removeDockWidget(dock);
    }
    // The first of each row, one below the other; then each row is cut in two.
    addDockWidget(Qt::TopDockWidgetArea, m_docks.front());
    for (std::size_t i = 2; i < m_docks.size(); i += 2)
        splitDockWidget(m_docks[i - 2], m_docks[i], Qt::Vertical);
    for (std::size_t i = 1; i < m_docks.size(); i += 2)
        splitDockWidget(m_docks[i - 1], m_docks[i], Qt::Horizontal);
    for (QDockWidget *dock : m_docks)
        dock->show();
}

void CardArea::even()
{
    if (m_docks.size() < 4)
        return;
    resizeDocks({m_docks[0], m_docks[1]}, {1, 1}, Qt::Horizontal);
    resizeDocks({m_docks[2], m_docks[3]}, {1, 1}, Qt::Horizontal);
    // The tables get what four rows need; the charts take the rest.
    const int tables = std::clamp(fontMetrics().height() * 19, height() * 3 / 10, height() * 43 / 100);
    resizeDocks({m_docks[0], m_docks[2]}, {height() - tables, tables}, Qt::Vertical);
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

} // namespace kvscope
