// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include <array>
#include <vector>

class QDockWidget;

namespace kvscope {

/// The cards in a grid of two columns: each can be hidden, dragged elsewhere, floated and resized. A main window without a middle, used as a widget.
class CardArea : public QMainWindow {
    Q_OBJECT

public:
    explicit CardArea(QWidget *parent = nullptr);

    /// Cards are placed row by row, two to a row.
    QDockWidget *addCard(QWidget *card, const char *name);
    const std::vector<QDockWidget *> &docks() const { return m_docks; }
    /// With a bar on each card to drag it by, or without.
    void setArranging(bool on);
    bool arranging() const { return m_arranging; }
    void restoreDefault();

private:
    void place();
    void even();

    std::vector<QDockWidget *> m_docks;
    bool m_arranging = false;
};

} // namespace kvscope
