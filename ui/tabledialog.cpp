// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tabledialog.h"

#include "ui/text/table.h"

#include <QBoxLayout>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QPushButton>
#include <QTableWidget>

namespace kvscope {

TableDialog::TableDialog(const QString &title, const text::Table &table, QWidget *parent) :
    QDialog(parent), m_table(new QTableWidget(static_cast<int>(table.rows.size()), static_cast<int>(table.columns.size()), this))
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(title);
    setObjectName(QStringLiteral("tableDialog"));
    m_table->setAccessibleName(title);
    m_table->setHorizontalHeaderLabels(table.columns);
    m_table->verticalHeader()->hide();
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setAlternatingRowColors(true);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const QStringList &cells = table.rows[static_cast<std::size_t>(row)];
        for (int column = 0; column < cells.size(); ++column) {
            auto *item = new QTableWidgetItem(cells[column]);
            item->setTextAlignment(column == 0 ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
    }
    m_table->resizeColumnsToContents();

    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    QPushButton *copy = buttons->addButton(tr("Copy &data"), QDialogButtonBox::ActionRole);
    connect(copy, &QPushButton::clicked, this, &TableDialog::copyRequested);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_table);
    layout->addWidget(buttons);
    resize(720, 480);
}

} // namespace kvscope
