// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <QString>
#include <QStringList>

namespace kvscope::cli {

/// Cells of a terminal that a text takes: 2 for Chinese, Japanese and Korean letters and full-width signs (Unicode East Asian Width W and F).
int displayWidth(const QString &text);
/// Padded with spaces to `width` cells.
QString padded(const QString &text, int width, bool right = false);

/// Rows in aligned columns. Figures stand right, words left.
class Table {
public:
    enum class Align { Left, Right };

    explicit Table(std::vector<Align> columns) : m_columns(std::move(columns)) {}
    void head(const QStringList &cells) { m_head = cells; }
    void add(const QStringList &cells) { m_rows.push_back(cells); }
    bool empty() const { return m_rows.empty(); }
    /// Each line starts with `indent` and ends with a line feed; a rule stands under the head, if there is one.
    QString text(const QString &indent = {}) const;

private:
    std::vector<Align> m_columns;
    QStringList m_head;
    std::vector<QStringList> m_rows;
};

} // namespace kvscope::cli
