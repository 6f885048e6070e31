// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <QFrame>
#include <QPushButton>

#include <string_view>

class QBoxLayout;
class QLineEdit;
class QTableView;

namespace kvscope {

/// A name from the catalogue.
QString toQString(std::string_view text);

/// A table of four columns that narrows as one types: two of words, two of figures.
class SearchModel : public QAbstractTableModel {
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;
    virtual void search(const QString &text) = 0;
    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_found.size()); }
    int columnCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : 4; }
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    /// What the row stands for: an index into the catalogue's list.
    int entryAt(int row) const { return m_found[static_cast<std::size_t>(row)]; }

protected:
    virtual QString head(int column) const = 0;
    virtual QString cell(int entry, int column) const = 0;
    virtual QString tip(int) const { return {}; }
    void setFound(std::vector<int> found);

private:
    std::vector<int> m_found;
};

/// A search line above a table: arrow keys move in the table while one types, Enter takes the row, Escape leaves.
class SearchPopup : public QFrame {
    Q_OBJECT

public:
    /// The model becomes the popup's own. Column 0 takes the room that is left.
    SearchPopup(SearchModel *model, QWidget *parent);

    /// Below `anchor`, inside the screen, with an empty search.
    void openBelow(const QWidget *anchor);
    void setPlaceholder(const QString &text);
    void setNames(const QString &searchName, const QString &tableName);
    /// A row of further controls below the table.
    QBoxLayout *footer() const { return m_footer; }

signals:
    void chosen(int entry);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void take(const QModelIndex &index);

    SearchModel *m_model;
    QLineEdit *m_search;
    QTableView *m_table;
    QBoxLayout *m_footer;
};

/// A button that reads like a choice: its text on the left, a chevron on the right.
class PickerButton : public QPushButton {
    Q_OBJECT

public:
    using QPushButton::QPushButton;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
};

} // namespace kvscope
