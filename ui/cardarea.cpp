// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/cardarea.h"

#include <QChildEvent>
#include <QDockWidget>
#include <QStyle>
#include <QTabBar>

#include <algorithm>

namespace kvscope {

namespace {

constexpr int orderVersion = 3; ///< of what is stored; another number lays out afresh

} // namespace

CardArea::CardArea(QWidget *parent) : QMainWindow(parent)
{
    setWindowFlags(Qt::Widget); // QMainWindow's constructor always adds Qt::Window
    setDockNestingEnabled(true);
    setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
    setContextMenuPolicy(Qt::NoContextMenu);
    setDockOptions(QMainWindow::AllowNestedDocks | QMainWindow::AllowTabbedDocks);
}

QDockWidget *CardArea::addCard(QWidget *card, const char *name)
{
    m_docks.push_back(makeDock(card, name));
    return m_docks.back();
}

QDockWidget *CardArea::addCardBehind(QDockWidget *front, QWidget *card, const char *name)
{
    m_behind.push_back(makeDock(card, name));
    m_shares.emplace_back(front, m_behind.back());
    return m_behind.back();
}

std::vector<QDockWidget *> CardArea::docks() const
{
    std::vector<QDockWidget *> all = m_docks;
    all.insert(all.end(), m_behind.begin(), m_behind.end());
    return all;
}

QDockWidget *CardArea::makeDock(QWidget *card, const char *name)
{
    auto *dock = new QDockWidget(this);
    dock->setObjectName(QLatin1String(name));
    dock->setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable | QDockWidget::DockWidgetFloatable);
    dock->setTitleBarWidget(new QWidget(dock));
    dock->setWidget(card);
    return dock;
}

void CardArea::place()
{
    for (QDockWidget *dock : docks()) {
        dock->setFloating(false);
        removeDockWidget(dock);
    }
    addDockWidget(Qt::TopDockWidgetArea, m_docks.front());
    if (m_narrow) {
        for (std::size_t i = 1; i < m_docks.size(); ++i)
            splitDockWidget(m_docks[i - 1], m_docks[i], Qt::Vertical);
        return;
    }
    // The first of each row, one below the other; then each row is cut in two.
    for (std::size_t i = 2; i < m_docks.size(); i += 2)
        splitDockWidget(m_docks[i - 2], m_docks[i], Qt::Vertical);
    for (std::size_t i = 1; i < m_docks.size(); i += 2)
        splitDockWidget(m_docks[i - 1], m_docks[i], Qt::Horizontal);
}

bool CardArea::fitsTwoColumns() const
{
    int widest = 0;
    for (const QDockWidget *dock : m_docks)
        widest = std::max(widest, dock->minimumSizeHint().width());
    return m_room == 0 || m_room >= 2 * widest + style()->pixelMetric(QStyle::PM_DockWidgetSeparatorExtent, nullptr, this);
}

QByteArray CardArea::order() const { return m_narrow ? m_wideOrder : saveState(orderVersion); }

void CardArea::setOrder(const QByteArray &order)
{
    m_wideOrder = order;
    if (!m_narrow && !order.isEmpty())
        restoreState(order, orderVersion);
}

void CardArea::setRoom(int width)
{
    m_room = width;
    if (m_docks.empty() || m_narrow == !fitsTwoColumns())
        return;
    const QByteArray before = order();
    restoreDefault();
    setOrder(before);
}

void CardArea::even()
{
    if (m_docks.size() < 4 || m_narrow)
        return;
    resizeDocks({m_docks[0], m_docks[1]}, {1, 1}, Qt::Horizontal);
    resizeDocks({m_docks[2], m_docks[3]}, {1, 1}, Qt::Horizontal);
    // The tables get what four rows need; the charts take the rest.
    const int tables = std::clamp(fontMetrics().height() * 19, height() * 3 / 10, height() * 43 / 100);
    resizeDocks({m_docks[0], m_docks[2]}, {height() - tables, tables}, Qt::Vertical);
}

void CardArea::restoreDefault()
{
    m_narrow = !fitsTwoColumns();
    constexpr int lines = 15; // of text: what is worth scrolling to
    for (QDockWidget *dock : docks())
        dock->setMinimumHeight(m_narrow ? fontMetrics().height() * lines : 0);
    place();
    for (const auto &[front, behind] : m_shares)
        tabifyDockWidget(front, behind);
    for (QDockWidget *dock : docks())
        dock->show();
    for (const auto &[front, behind] : m_shares)
        front->raise();
    even();
}

void CardArea::setArranging(bool on)
{
    m_arranging = on;
    for (QDockWidget *dock : docks()) {
        QWidget *bar = dock->titleBarWidget();
        dock->setTitleBarWidget(on ? nullptr : new QWidget(dock));
        delete bar;
    }
}

/// The bars of tabs are made by the base class, when it wants them.
void CardArea::nameTabs()
{
    for (auto *bar : findChildren<QTabBar *>()) {
        bar->setObjectName(QStringLiteral("cardTabs"));
        bar->setAccessibleName(tr("Cards in one place"));
    }
}

void CardArea::childEvent(QChildEvent *event)
{
    QMainWindow::childEvent(event);
    if (event->polished() && qobject_cast<QTabBar *>(event->child()))
        nameTabs();
}

void CardArea::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        nameTabs();
}

} // namespace kvscope
