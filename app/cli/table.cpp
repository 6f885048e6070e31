// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table.h"

#include <algorithm>
#include <array>

namespace kvscope::cli {

namespace {

struct Span {
    char32_t first, last;
};
constexpr std::array wide{Span{0x1100, 0x115F}, Span{0x2E80, 0x303E},   Span{0x3041, 0x33FF},   Span{0x3400, 0x4DBF},  Span{0x4E00, 0x9FFF},
                          Span{0xA000, 0xA4CF}, Span{0xAC00, 0xD7A3},   Span{0xF900, 0xFAFF},   Span{0xFE30, 0xFE6F},  Span{0xFF00, 0xFF60},
                          Span{0xFFE0, 0xFFE6}, Span{0x1F300, 0x1F64F}, Span{0x1F900, 0x1F9FF}, Span{0x20000, 0x3FFFD}};

} // namespace

int displayWidth(const QString &text)
{
    int width = 0;
    for (const uint letter : text.toUcs4()) {
        const bool twice = std::ranges::any_of(wide, [&](Span s) { return letter >= s.first && letter <= s.last; });
        width += twice ? 2 : QChar::category(letter) == QChar::Mark_NonSpacing ? 0 : 1;
    }
    return width;
}

QString padded(const QString &text, int width, bool right)
{
    const QString space(std::max(0, width - displayWidth(text)), QLatin1Char(' '));
    return right ? space + text : text + space;
}

QString Table::text(const QString &indent) const
{
    std::vector<int> widths(m_columns.size(), 0);
    const auto measure = [&](const QStringList &row) {
        for (qsizetype i = 0; i < row.size(); ++i)
            widths[static_cast<std::size_t>(i)] = std::max(widths[static_cast<std::size_t>(i)], displayWidth(row[i]));
    };
    measure(m_head);
    for (const QStringList &row : m_rows)
        measure(row);

    const QString gap = QStringLiteral("  ");
    const auto line = [&](const QStringList &row) {
        QString out = indent;
        for (qsizetype i = 0; i < row.size(); ++i) {
            const auto column = static_cast<std::size_t>(i);
            out += (i > 0 ? gap : QString()) + padded(row[i], widths[column], m_columns[column] == Align::Right);
        }
        while (out.endsWith(QLatin1Char(' ')))
            out.chop(1);
        return out + QLatin1Char('\n');
    };
    QString out;
    if (!m_head.isEmpty()) {
        out += line(m_head);
        QStringList rules;
        for (const int width : widths)
            rules += QString(width, QChar(0x2500));
        out += line(rules);
    }
    for (const QStringList &row : m_rows)
        out += line(row);
    return out;
}

} // namespace kvscope::cli
