// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>

#include <utility>
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
    /// Shares the place of a card that has one of its own; tabs tell them apart.
    QDockWidget *addCardBehind(QDockWidget *front, QWidget *card, const char *name);
    /// All of them; those with a place of their own first.
    std::vector<QDockWidget *> docks() const;
    /// With a bar on each card to drag it by, or without.
    void setArranging(bool on);
    bool arranging() const { return m_arranging; }
    void restoreDefault();
    /// The user's order of the cards, to be kept and given back; that of a wide window.
    QByteArray order() const;
    void setOrder(const QByteArray &order);
    /// Where two columns do not fit into this width, the cards stand in one, in place of any other order.
    void setRoom(int width);

protected:
    void childEvent(QChildEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void nameTabs();
    QDockWidget *makeDock(QWidget *card, const char *name);
    void place();
    void even();
    bool fitsTwoColumns() const;

    std::vector<QDockWidget *> m_docks;
    std::vector<QDockWidget *> m_behind;                           ///< those that share a place ...
    std::vector<std::pair<QDockWidget *, QDockWidget *>> m_shares; ///< ... each with the card before it
    bool m_arranging = false;
    int m_room = 0; ///< 0: not known
    bool m_narrow = false;
    QByteArray m_wideOrder; ///< the cards' order before they went into one column
};

} // namespace kvscope
