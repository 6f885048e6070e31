// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace kvscope {

/// Versions of the program and what it is built on, to be copied into a report of a fault.
class AboutDialog : public QDialog {
    Q_OBJECT

public:
    explicit AboutDialog(QWidget *parent = nullptr);

    static QString versions();
};

} // namespace kvscope
