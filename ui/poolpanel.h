// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/poolview.h"

#include <QFrame>

class QAction;
class QLabel;
class QMenu;
class QScrollArea;

namespace kvscope {

class CardHeader;

/// The KV pool of the selected machine: how it is cut into blocks, and what is printed beside what a user gets.
class PoolPanel : public QFrame {
    Q_OBJECT

public:
    explicit PoolPanel(QWidget *parent = nullptr);

    void showState(const ViewState &state);
    void copyAll();

signals:
    void done(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    void retranslate();

    ViewState m_state;
    PoolAccount m_account;
    bool m_stale = false;
    QMenu *m_menu;
    QAction *m_copyAll;
    CardHeader *m_header;
    QScrollArea *m_scroll;
    QLabel *m_sentence;
    PoolTables *m_tables;
};

} // namespace kvscope
