// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/unevenpool.h"
#include "ui/view.h"

#include <QStringList>
#include <QWidget>

#include <optional>
#include <vector>

namespace kvscope {

/// A row of words with a bar among them.
struct PoolLine {
    QStringList cells;    ///< the first stands left of the bar, the others right of it
    double bar = 0;       ///< of the longest, 0 to 1
    double mark = -1;     ///< where a line crosses the bar, 0 to 1; -1: none
    bool current = false; ///< the scenario's own
};

struct PoolTable {
    QStringList heads; ///< as PoolLine::cells; of the bar: `barHead`
    QString barHead;
    std::vector<PoolLine> lines;
};

/// The selected machine's KV pool in words: how it is cut, what the engine prints and what sequences of several lengths get.
struct PoolAccount {
    QString sentence;
    std::vector<PoolTable> tables; ///< empty where the pool is one rate a token, or where there is none

    /// All of it, a line a row.
    QString asText() const;
};
PoolAccount poolAccount(const ViewState &state);

/// Paints the tables, one below the other.
class PoolTables : public QWidget {
    Q_OBJECT

public:
    explicit PoolTables(QWidget *parent = nullptr);

    void show(std::vector<PoolTable> tables);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    int rowHeight() const;
    std::vector<int> widthsOf(const PoolTable &table) const;
    int paintTable(QPainter &painter, const PoolTable &table, int top) const;

    std::vector<PoolTable> m_tables;
};

} // namespace kvscope
