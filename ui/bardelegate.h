// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace kvscope {

class CompareModel;

/// Draws the rows of the comparison: memory bars, each as long as its card's memory, verdicts in their colours, the ghost fainter.
class BarDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    /// `model` is the source model; the view may show it through a proxy.
    BarDelegate(const CompareModel *model, QObject *parent) : QStyledItemDelegate(parent), m_model(model) {}

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;

private:
    const CompareModel *m_model;
};

} // namespace kvscope
