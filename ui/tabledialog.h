// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QTableWidget;

namespace kvscope {

namespace text {
struct Table;
}

/// A chart's text twin: its data as a table, for the keyboard and the screen reader. Deletes itself when closed.
class TableDialog : public QDialog {
    Q_OBJECT
public:
    TableDialog(const QString &title, const text::Table &table, QWidget *parent);

signals:
    void copyRequested();

private:
    QTableWidget *m_table;
};

} // namespace kvscope
