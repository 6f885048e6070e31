// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/poolview.h"

#include "core/unevenpool.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace kvscope {

namespace {

struct PoolWords {
    Q_DECLARE_TR_FUNCTIONS(kvscope::PoolView)
};

} // namespace

QString poolHtml(const ViewState &state)
{
    const Results &results = *state.results;
    const Plan *plan = results.selectedPlan();
    const std::optional<UnevenPool> pool =
        plan ? unevenPool(results.scenario, *results.selectedCluster(), *plan) : std::optional<UnevenPool>{};
    if (!pool)
        return {};
    const auto cells = [](const QStringList &words, const char *tag, bool bold) {
        QString row;
        for (const QString &word : words)
            row += QStringLiteral("<%1 align=\"right\" style=\"padding-right:16px\">%2</%1>")
                       .arg(QLatin1String(tag), bold ? QStringLiteral("<b>%1</b>").arg(word) : word);
        return QStringLiteral("<tr>%1</tr>").arg(row);
    };
    QString html = PoolWords::tr("The pool is not one rate a token: %1 blocks of %2; a sequence takes %3 of them with its first token.")
                       .arg(text::count(plan->pool->blocks), text::bytes(pool->block, state.unit), text::count(pool->pinned))
                       .toHtmlEscaped();
    if (plan->pool->groups.size() > 1) {
        html += QStringLiteral("<table>") + cells({PoolWords::tr("layers that keep"), PoolWords::tr("layers"),
                                                   PoolWords::tr("tokens a block"), PoolWords::tr("blocks of one sequence")},
                                                  "td", true);
        for (const PoolGroup &group : plan->pool->groups)
            html +=
                cells({text::name(group.kind), text::count(group.layers), text::tokens(group.blockTokens), text::count(group.blocksOfOne)},
                      "td", false);
        html += QStringLiteral("</table>");
    }
    html += QStringLiteral("<table>") +
            cells({PoolWords::tr("context"), PoolWords::tr("sequences"), PoolWords::tr("tokens held"), PoolWords::tr("of those printed")},
                  "td", true);
    for (const PoolRow &row : pool->rows) {
        const double share =
            static_cast<double>(row.tokens.value) / static_cast<double>(std::max<std::int64_t>(1, plan->pool->capacity.value));
        html += cells({text::tokens(row.context), text::count(row.sequences), text::tokens(row.tokens),
                       QLocale().toString(share * 100, 'f', 0) + QStringLiteral(" %")},
                      "td", row.context == results.scenario.context);
    }
    return QStringLiteral("<p>%1</table></p>").arg(html);
}

} // namespace kvscope
