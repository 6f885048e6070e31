// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

namespace kvscope {

/// The table of the comparison. Where engines are compared, a strip over the whole width below each row tells why it differs.
class CompareTable : public QTableView {
    Q_OBJECT

public:
    explicit CompareTable(QWidget *parent = nullptr);

    /// What a row needs more for its strip.
    int stripHeight() const;
    /// Of this row's cells, the part above the strip.
    QRect aboveStrip(const QRect &cell, const QModelIndex &index) const;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace kvscope
