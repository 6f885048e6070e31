// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/lazycard.h"
#include "ui/poolview.h"

class QAction;
class QLabel;
class QMenu;
class QScrollArea;

namespace kvscope {

/// The KV pool of the selected machine: how it is cut into blocks, and what is printed beside what a user gets.
class PoolPanel : public LazyCard {
    Q_OBJECT

public:
    explicit PoolPanel(QWidget *parent = nullptr);

    void copyAll();

private:
    void fill(const ViewState &state) override;
    void retranslate() override;

    PoolAccount m_account;
    QMenu *m_menu;
    QAction *m_copyAll;
    CardHeader *m_header;
    QScrollArea *m_scroll;
    QLabel *m_sentence;
    PoolTables *m_tables;
};

} // namespace kvscope
