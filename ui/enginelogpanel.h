// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QFrame>

class QAction;
class QMenu;
class QTextEdit;

namespace kvscope {

class CardHeader;

/// The selected machine's plan in the lines of the engine's own log, to be laid beside it. Can be selected and copied.
class EngineLogPanel : public QFrame {
    Q_OBJECT

public:
    explicit EngineLogPanel(QWidget *parent = nullptr);

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
    bool m_stale = false;
    QTextEdit *m_lines;
    QStringList m_shown; ///< the engine's lines
    QString m_html;
    QMenu *m_menu;
    QAction *m_copyAll;
    CardHeader *m_header;
};

} // namespace kvscope
