// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/lazycard.h"

class QAction;
class QListView;
class QMenu;

namespace kvscope {

class ExplainModel;

/// How each figure came about. Works only while it is seen.
class ExplainPanel : public LazyCard {
    Q_OBJECT

public:
    explicit ExplainPanel(QWidget *parent = nullptr);

    /// Scrolls to the first figure of a part and selects it.
    void showPart(Part part);
    void copyAll();

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fill(const ViewState &state) override;
    void retranslate() override;
    void copySelected();

    ExplainModel *m_model;
    QListView *m_list;
    QMenu *m_menu;
    QAction *m_copy, *m_copyAll;
    CardHeader *m_header;
};

} // namespace kvscope
