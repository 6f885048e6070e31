// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include <optional>
#include <vector>

namespace kvscope {

/// A row a compared machine, under each compared engine; the pinned scenario's own machine follows as a ghost.
class CompareModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Gpu, Memory, Bar, VerdictColumn, Free, MaxContext, MaxSequences, columnTotal };
    enum Role {
        SortRole = Qt::UserRole, ///< a number to sort by
        GhostRole,               ///< bool
        VerdictRole,             ///< int of Verdict
        ClusterRole,             ///< index into Scenario::clusters; -1: the ghost
        SelectedRole,            ///< bool: the machine that the verdict speaks of
        NoteRole,                ///< a second line: the engine, or the difference to the pinned scenario
        ReasonsRole,             ///< where engines are compared, why this one differs from the theory, in one line
    };

    using QAbstractTableModel::QAbstractTableModel;

    void showState(const ViewState &state);
    /// Heads again, after the language changed.
    void retranslate();

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : columnTotal; }
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex &index) const override;

    /// The plan of a row, for the bar; null where the engine refuses.
    const DevicePlan *deviceAt(int row) const;

    /// Some rows have a second line, or a line of reasons.
    bool hasNotes() const;
    bool hasReasons() const { return m_state.results && !m_state.results->compared.empty(); }

    /// The row of the machine that the verdict speaks of.
    int selectedRow() const;

    /// The table without bars, in words, as Markdown or HTML; below it why engines differ.
    QString toMarkdown() const;
    QString toHtml() const;

private:
    struct Row {
        int cluster;
        EngineChoice engine;
        const Plan *plan;
        const std::vector<Difference> *differences; ///< from the theory; null: one engine alone is compared
        QString name;
        QString under; ///< a second line: the machine's or the engine's name, or the engine's own split; empty: none
    };

    static int rowsOf(const ViewState &state);
    void fillRows();
    QStringList reasons(int row) const;
    QString shortReasons(int row) const;
    bool isSelected(int row) const;
    QString nameAt(int row) const;
    bool isGhost(int row) const;
    const Plan &planAt(int row) const;
    const Cluster &clusterAt(int row) const;
    /// The plan that the pinned scenario had for the same machine.
    const Plan *pinnedPlanOf(int row) const;
    QString words(int row, int column) const;
    QString note(int row, int column) const;
    /// Words and note in one line, for export and screen readers.
    QString whole(int row, int column) const;
    double sortValue(int row, int column) const;
    QString tip(int row) const;

    ViewState m_state;
    std::vector<Row> m_list; ///< without the ghost
    int m_rows = 0;
};

/// Sorts by the numbers behind the words; the ghost stays last.
class CompareOrder : public QSortFilterProxyModel {
    Q_OBJECT

public:
    explicit CompareOrder(QObject *parent = nullptr);

protected:
    bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;
};

} // namespace kvscope
