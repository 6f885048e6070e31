// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/poolview.h"

#include "ui/theme.h"

#include <QCoreApplication>
#include <QLocale>
#include <QPainter>

#include <algorithm>

namespace kvscope {

namespace {

constexpr int tableGap = 12;
constexpr int columnGap = 14;
constexpr int leastBar = 60;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(kvscope::PoolView)
};

QString shareOf(std::int64_t part, std::int64_t whole)
{
    const double share = static_cast<double>(part) / static_cast<double>(std::max<std::int64_t>(1, whole));
    return QLocale().toString(share * 100, 'f', 0) + QStringLiteral(" %");
}

/// What sequences of each length get, beside what the engine prints.
PoolTable lengthsOf(const UnevenPool &pool, const PoolFigures &figures, TokenCount context)
{
    PoolTable table{{Words::tr("context"), Words::tr("sequences"), Words::tr("tokens held"), Words::tr("of those printed")},
                    Words::tr("tokens held; the line: as printed"),
                    {}};
    std::int64_t longest = figures.capacity.value;
    for (const PoolRow &row : pool.rows)
        longest = std::max(longest, row.tokens.value);
    const auto length = [longest](std::int64_t tokens) {
        return static_cast<double>(tokens) / static_cast<double>(std::max<std::int64_t>(1, longest));
    };
    for (const PoolRow &row : pool.rows)
        table.lines.push_back({{text::tokens(row.context), text::count(row.sequences), text::tokens(row.tokens),
                                shareOf(row.tokens.value, figures.capacity.value)},
                               length(row.tokens.value),
                               length(figures.capacity.value),
                               row.context == context});
    return table;
}

bool alikeGroups(const PoolGroup &a, const PoolGroup &b)
{
    return a.kind == b.kind && a.layers == b.layers && a.blockTokens == b.blockTokens && a.blocksOfOne == b.blocksOfOne;
}

/// The tables of blocks that a sequence has, equal ones as one line.
PoolTable groupsOf(const PoolFigures &figures)
{
    PoolTable table{{Words::tr("layers that keep"), Words::tr("layers"), Words::tr("tokens a block"), Words::tr("blocks of one sequence")},
                    Words::tr("blocks of one sequence"),
                    {}};
    std::int64_t most = 1;
    for (const PoolGroup &group : figures.groups)
        most = std::max(most, group.blocksOfOne);
    for (std::size_t first = 0; first < figures.groups.size();) {
        const PoolGroup &group = figures.groups[first];
        std::size_t end = first;
        while (end < figures.groups.size() && alikeGroups(figures.groups[end], group))
            ++end;
        const auto alike = static_cast<std::int64_t>(end - first);
        const auto times = [alike](const QString &words) {
            return alike > 1 ? QStringLiteral("%1 × %2").arg(text::count(alike), words) : words;
        };
        table.lines.push_back({{text::name(group.kind), times(text::count(group.layers)), text::tokens(group.blockTokens),
                                times(text::count(group.blocksOfOne))},
                               static_cast<double>(group.blocksOfOne) / static_cast<double>(most),
                               -1,
                               false});
        first = end;
    }
    return table;
}

} // namespace

PoolAccount poolAccount(const ViewState &state)
{
    PoolAccount account;
    const Results &results = *state.results;
    const Plan *plan = results.selectedPlan();
    if (!plan)
        return account;
    if (plan->verdict == Verdict::Refused) {
        account.sentence = text::verdictSentence(*plan, state.unit);
        return account;
    }
    const QString engine = text::engineName(results.scenario);
    if (!plan->pool || plan->pool->blocks <= 0) {
        account.sentence = Words::tr("%1 sets no pool of blocks aside: its cache is what the sequences take.").arg(engine);
        return account;
    }
    const PoolFigures &figures = *plan->pool;
    const std::optional<UnevenPool> pool = unevenPool(results.scenario, *results.selectedCluster(), *plan);
    if (!pool) {
        account.sentence = Words::tr("One rate a token: %1 blocks of %2 tokens hold %3 tokens, whatever the context.")
                               .arg(text::count(figures.blocks), text::tokens(figures.blockTokens), text::tokens(figures.capacity));
        return account;
    }
    const QString cut = Words::tr("The pool is not one rate a token: %1 blocks of %2; a sequence takes %3 of them with its first token.")
                            .arg(text::count(figures.blocks), text::bytes(pool->block, state.unit), text::count(pool->pinned));
    const QString printed =
        (pool->printedByLength ? Words::tr("%1 prints %2 tokens at this context and another number at another: it counts what sequences "
                                           "of that very length hold.")
                               : Words::tr("%1 prints %2 tokens, whatever the context."))
            .arg(engine, text::tokens(figures.capacity));
    account.sentence = Words::tr("%1 %2", "two sentences").arg(cut, printed);
    account.tables.push_back(lengthsOf(*pool, figures, results.scenario.context));
    if (figures.groups.size() > 1)
        account.tables.push_back(groupsOf(figures));
    return account;
}

QString PoolAccount::asText() const
{
    QStringList lines{sentence};
    for (const PoolTable &table : tables) {
        lines += table.heads.join(QLatin1Char('\t'));
        for (const PoolLine &line : table.lines)
            lines += line.cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

PoolTables::PoolTables(QWidget *parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); }

void PoolTables::show(std::vector<PoolTable> tables)
{
    m_tables = std::move(tables);
    updateGeometry();
    update();
}

int PoolTables::rowHeight() const { return fontMetrics().height() + 7; }

std::vector<int> PoolTables::widthsOf(const PoolTable &table) const
{
    QFont bold = font();
    bold.setBold(true);
    const QFontMetrics wide(bold);
    std::vector<int> widths;
    for (qsizetype column = 0; column < table.heads.size(); ++column) {
        int width = fontMetrics().horizontalAdvance(table.heads[column]);
        for (const PoolLine &line : table.lines)
            width = std::max(width, wide.horizontalAdvance(line.cells[column]));
        widths.push_back(width);
    }
    return widths;
}

int PoolTables::paintTable(QPainter &painter, const PoolTable &table, int top) const
{
    constexpr int side = 6;
    const Theme &theme = themeOf(palette());
    const std::vector<int> widths = widthsOf(table);
    int figures = 0;
    for (std::size_t column = 1; column < widths.size(); ++column)
        figures += widths[column] + columnGap;
    const int left = side + widths.front() + columnGap, right = width() - side - figures;
    const auto write = [&](const QStringList &cells, int y) {
        painter.drawText(QRect(side, y, widths.front(), rowHeight()), Qt::AlignRight | Qt::AlignVCenter, cells.front());
        int x = right;
        for (std::size_t column = 1; column < widths.size(); ++column) {
            painter.drawText(QRect(x + columnGap, y, widths[column], rowHeight()), Qt::AlignRight | Qt::AlignVCenter,
                             cells[static_cast<qsizetype>(column)]);
            x += widths[column] + columnGap;
        }
    };
    painter.setFont(font());
    painter.setPen(theme.muted);
    write(table.heads, top);
    const QRect barHead(left, top, right - left, rowHeight());
    if (barHead.width() > fontMetrics().horizontalAdvance(table.barHead))
        painter.drawText(barHead, Qt::AlignLeft | Qt::AlignVCenter, table.barHead);
    int y = top + rowHeight();
    painter.setPen(theme.border);
    painter.drawLine(side, y - 1, width() - side, y - 1);
    for (const PoolLine &line : table.lines) {
        QFont face = font();
        face.setBold(line.current);
        if (line.current) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.chip);
            painter.drawRoundedRect(QRect(1, y, width() - 2, rowHeight()), 4, 4);
        }
        painter.setFont(face);
        painter.setPen(theme.text);
        write(line.cells, y);
        const QRectF bar(left, y + 4, right - left, rowHeight() - 8);
        if (bar.width() >= leastBar) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.free);
            painter.drawRoundedRect(bar, 2, 2);
            painter.setBrush(theme.look(Part::Kv).fill);
            painter.drawRoundedRect(QRectF(bar.left(), bar.top(), std::max(2.0, bar.width() * line.bar), bar.height()), 2, 2);
            if (line.mark >= 0) {
                const qreal x = bar.left() + bar.width() * line.mark;
                painter.setPen(QPen(theme.text, 2));
                painter.drawLine(QLineF(x - 1, bar.top() - 2, x - 1, bar.bottom() + 2));
            }
        }
        y += rowHeight();
    }
    return y;
}

void PoolTables::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    int y = 0;
    for (const PoolTable &table : m_tables)
        y = paintTable(painter, table, y) + tableGap;
}

QSize PoolTables::sizeHint() const
{
    int height = 0;
    for (const PoolTable &table : m_tables)
        height += rowHeight() * (static_cast<int>(table.lines.size()) + 1) + tableGap;
    return {360, height};
}

QSize PoolTables::minimumSizeHint() const { return {200, sizeHint().height()}; }

} // namespace kvscope
