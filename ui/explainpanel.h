// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QFrame>

class QAction;
class QListView;
class QMenu;

namespace kvscope {

class CardHeader;
class ExplainModel;

/// How each figure came about. Works only while it is seen.
class ExplainPanel : public QFrame {
    Q_OBJECT

public:
    explicit ExplainPanel(QWidget *parent = nullptr);

    void showState(const ViewState &state);
    /// Scrolls to the first figure of a part and selects it.
    void showPart(Part part);
    void copyAll();

signals:
    void done(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void retranslate();
    void copySelected();

    ViewState m_state;
    bool m_stale = false;
    ExplainModel *m_model;
    QListView *m_list;
    QMenu *m_menu;
    QAction *m_copy, *m_copyAll;
    CardHeader *m_header;
};

} // namespace kvscope
