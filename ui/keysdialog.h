// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QAction;

namespace kvscope {

/// Every key and gesture of the window.
class KeysDialog : public QDialog {
    Q_OBJECT

public:
    /// `actions`: those with a shortcut are listed.
    KeysDialog(const QList<QAction *> &actions, QWidget *parent);
};

} // namespace kvscope
