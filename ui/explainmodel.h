// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QAbstractListModel>
#include <QStyledItemDelegate>

#include <vector>

namespace kvscope {

/// A row a figure of the selected plan: what the rule says, the formula with its numbers, value, source, confidence.
class ExplainModel : public QAbstractListModel {
    Q_OBJECT

public:
    enum Role { SentenceRole = Qt::UserRole, FormulaRole, ValueRole, SourceRole, FigureRole };

    using QAbstractListModel::QAbstractListModel;

    void showState(const ViewState &state);
    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_lines.size()); }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    /// A row as lines of plain text.
    QString asText(int row) const;

private:
    std::vector<Explanation> m_lines;
    text::Unit m_unit = text::Unit::GB;
};

/// Three lines a row: the rule and its value, the formula, where it was read.
class ExplainDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;
};

} // namespace kvscope
