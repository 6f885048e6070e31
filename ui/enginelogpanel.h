// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/lazycard.h"

class QAction;
class QMenu;
class QTextEdit;

namespace kvscope {

/// The selected machine's plan in the lines of the engine's own log, to be laid beside it. Can be selected and copied.
class EngineLogPanel : public LazyCard {
    Q_OBJECT

public:
    explicit EngineLogPanel(QWidget *parent = nullptr);

    void copyAll();

private:
    void fill(const ViewState &state) override;
    void retranslate() override;

    QTextEdit *m_lines;
    QStringList m_shown; ///< the engine's lines
    QString m_html;
    QMenu *m_menu;
    QAction *m_copyAll;
    CardHeader *m_header;
};

} // namespace kvscope
