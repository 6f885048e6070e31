// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/comparemodel.h"

#include "ui/memorybar.h"
#include "ui/text/surelimits.h"

#include <algorithm>
#include <cstdlib>

namespace kvscope {

void CompareModel::showState(const ViewState &state)
{
    const int rows = rowsOf(state), before = m_rows;
    const bool otherUnit = state.unit != m_state.unit;
    if (rows > before)
        beginInsertRows({}, before, rows - 1);
    else if (rows < before)
        beginRemoveRows({}, rows, before - 1);
    m_state = state;
    m_rows = rows;
    fillRows();
    if (rows > before)
        endInsertRows();
    else if (rows < before)
        endRemoveRows();
    if (rows > 0)
        emit dataChanged(index(0, 0), index(rows - 1, columnTotal - 1));
    if (otherUnit)
        emit headerDataChanged(Qt::Horizontal, Memory, Free);
}

void CompareModel::retranslate()
{
    emit headerDataChanged(Qt::Horizontal, 0, columnTotal - 1);
    if (m_rows > 0)
        emit dataChanged(index(0, 0), index(m_rows - 1, columnTotal - 1));
}

int CompareModel::rowsOf(const ViewState &state)
{
    if (!state.results)
        return 0;
    const std::size_t own = std::max(state.results->plans.size(), state.results->compared.size());
    return static_cast<int>(own) + (state.pinned && state.pinned->selectedPlan() ? 1 : 0);
}

void CompareModel::fillRows()
{
    m_list.clear();
    if (!m_state.results)
        return;
    const Scenario &scenario = m_state.results->scenario;
    const auto clusterName = [&](int cluster) { return text::name(scenario.clusters[static_cast<std::size_t>(cluster)], m_state.unit); };
    const bool oneMachine = scenario.clusters.size() == 1; // its name need not stand in every row
    for (const Compared &compared : m_state.results->compared) {
        QStringList second;
        if (!oneMachine)
            second += text::engineName(compared.engine);
        if (const Split &split = scenario.clusters[static_cast<std::size_t>(compared.cluster)].split; !(compared.split == split))
            second += text::name(compared.split);
        m_list.push_back({compared.cluster, compared.engine, &compared.plan, &compared.differences,
                          oneMachine ? text::engineName(compared.engine) : clusterName(compared.cluster),
                          second.join(QStringLiteral(" · "))});
    }
    if (!m_state.results->compared.empty())
        return;
    for (std::size_t i = 0; i < m_state.results->plans.size(); ++i)
        m_list.push_back({static_cast<int>(i), scenario.engine, &m_state.results->plans[i], nullptr, clusterName(static_cast<int>(i)), {}});
}

int CompareModel::rowCount(const QModelIndex &parent) const { return parent.isValid() ? 0 : m_rows; }

bool CompareModel::isGhost(int row) const { return row >= static_cast<int>(m_list.size()); }

bool CompareModel::isSelected(int row) const
{
    if (isGhost(row))
        return false;
    const Row &shown = m_list[static_cast<std::size_t>(row)];
    return shown.cluster == m_state.results->scenario.selected && shown.engine == m_state.results->scenario.engine;
}

int CompareModel::selectedRow() const
{
    for (int row = 0; row < m_rows; ++row) {
        if (isSelected(row))
            return row;
    }
    return -1;
}

const Plan &CompareModel::planAt(int row) const
{
    return isGhost(row) ? *m_state.pinned->selectedPlan() : *m_list[static_cast<std::size_t>(row)].plan;
}

const Cluster &CompareModel::clusterAt(int row) const
{
    return isGhost(row) ? *m_state.pinned->selectedCluster()
                        : m_state.results->scenario.clusters[static_cast<std::size_t>(m_list[static_cast<std::size_t>(row)].cluster)];
}

QString CompareModel::nameAt(int row) const
{
    return isGhost(row) ? text::name(clusterAt(row), m_state.unit) : m_list[static_cast<std::size_t>(row)].name;
}

const Plan *CompareModel::pinnedPlanOf(int row) const
{
    if (!m_state.pinned || isGhost(row) || !(m_list[static_cast<std::size_t>(row)].engine == m_state.pinned->scenario.engine))
        return nullptr;
    const auto &clusters = m_state.pinned->scenario.clusters;
    const auto same = std::find(clusters.begin(), clusters.end(), clusterAt(row));
    if (same == clusters.end())
        return nullptr;
    const Plan &plan = m_state.pinned->plans[static_cast<std::size_t>(same - clusters.begin())];
    return plan.verdict == Verdict::Refused ? nullptr : &plan;
}

/// What stands between the theory and this engine, a line each; empty where one engine alone is compared.
QStringList CompareModel::reasons(int row) const
{
    QStringList lines;
    if (isGhost(row) || !m_list[static_cast<std::size_t>(row)].differences)
        return lines;
    for (const Difference &difference : *m_list[static_cast<std::size_t>(row)].differences)
        lines += text::sentence(difference, m_state.unit);
    return lines;
}

/// What makes the difference, in a word or two.
QString CompareModel::shortReasons(int row) const
{
    if (isGhost(row) || !hasReasons())
        return {};
    const Row &shown = m_list[static_cast<std::size_t>(row)];
    if (shown.plan->verdict == Verdict::Refused)
        return text::verdictSentence(*shown.plan, m_state.unit);
    if (shown.engine.id == EngineId::Formula)
        return tr("the theory, which the others are held against");
    const auto words = [](DifferenceReason reason) {
        switch (reason) {
        case DifferenceReason::Weights: return tr("weights", "why engines differ");
        case DifferenceReason::CacheFormat: return tr("KV precision", "why engines differ");
        case DifferenceReason::Rounding: return tr("whole blocks", "why engines differ");
        case DifferenceReason::WindowRule: return tr("window rule and copies", "why engines differ");
        case DifferenceReason::StatePrecision: return tr("state precision", "why engines differ");
        case DifferenceReason::Activations: return tr("activations", "why engines differ");
        case DifferenceReason::Graphs: return tr("CUDA graphs", "why engines differ");
        case DifferenceReason::Runtime: return tr("runtime", "why engines differ");
        case DifferenceReason::UnusedPool: return tr("reserved KV, unused", "why engines differ");
        }
        return QString();
    };
    QStringList parts;
    for (const Difference &difference : *shown.differences) {
        const Bytes size{std::abs(difference.bytes.value)};
        parts += QStringLiteral("%1%2 %3").arg(difference.bytes.value < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                                               text::bytes(size, m_state.unit), words(difference.reason));
    }
    return parts.isEmpty() ? tr("as the theory") : parts.join(QStringLiteral(" · "));
}

bool CompareModel::hasNotes() const
{
    return std::ranges::any_of(m_list, [](const Row &row) { return !row.under.isEmpty(); });
}

const DevicePlan *CompareModel::deviceAt(int row) const
{
    const Plan &plan = planAt(row);
    return plan.verdict == Verdict::Refused ? nullptr : plan.binding();
}

QString CompareModel::words(int row, int column) const
{
    const Plan &plan = planAt(row);
    const DevicePlan *device = deviceAt(row);
    switch (column) {
    case Gpu: return nameAt(row);
    case Memory: return clusterAt(row).devices.empty() ? QString() : text::bytesNumber(clusterAt(row).devices.front().memory, m_state.unit);
    case VerdictColumn: return text::name(plan.verdict);
    case Bar: return {};
    default: break;
    }
    if (!device)
        return QStringLiteral("–");
    switch (column) {
    case Free: return text::bytesNumber(device->free(), m_state.unit);
    case MaxContext: return text::contextLimit(plan.limits);
    case MaxSequences: return text::batchLimit(plan.limits);
    default: return {};
    }
}

QString CompareModel::note(int row, int column) const
{
    if (column == Gpu)
        return isGhost(row) ? tr("pinned") : m_list[static_cast<std::size_t>(row)].under;
    const Plan *before = pinnedPlanOf(row);
    const DevicePlan *device = deviceAt(row);
    if (!before || !device || !before->binding())
        return {};
    const Limits &now = planAt(row).limits, &then = before->limits;
    const bool endless = column == MaxContext ? isUnlimited(now.contextReason) || isUnlimited(then.contextReason)
                                              : column == MaxSequences && (isUnlimited(now.batchReason) || isUnlimited(then.batchReason));
    if (endless)
        return {};
    std::int64_t change = 0;
    switch (column) {
    case Free: change = (device->free() - before->binding()->free()).value; break;
    case MaxContext: change = now.maxContext.value - then.maxContext.value; break;
    case MaxSequences: change = now.maxBatch - then.maxBatch; break;
    default: return {};
    }
    if (change == 0)
        return QStringLiteral("±0");
    const std::int64_t size = std::abs(change);
    return (change > 0 ? QStringLiteral("+") : QStringLiteral("−")) +
           (column == Free ? text::bytesNumber({size}, m_state.unit) : text::count(size));
}

QString CompareModel::whole(int row, int column) const
{
    const QString second = note(row, column);
    return second.isEmpty() ? words(row, column) : QStringLiteral("%1 (%2)").arg(words(row, column), second);
}

double CompareModel::sortValue(int row, int column) const
{
    const Plan &plan = planAt(row);
    const DevicePlan *device = deviceAt(row);
    constexpr double none = -1e300;
    switch (column) {
    case Memory: return clusterAt(row).devices.empty() ? none : static_cast<double>(clusterAt(row).devices.front().memory.value);
    case Bar: return device ? static_cast<double>(device->total.value) : none;
    case VerdictColumn: return static_cast<double>(plan.verdict);
    case Free: return device ? static_cast<double>(device->free().value) : none;
    case MaxContext: return device ? static_cast<double>(plan.limits.maxContext.value) : none;
    case MaxSequences: return device ? static_cast<double>(plan.limits.maxBatch) : none;
    default: return 0;
    }
}

QString CompareModel::tip(int row) const
{
    const Plan &plan = planAt(row);
    QStringList lines{QStringLiteral("%1: %2").arg(whole(row, Gpu), text::verdictSentence(plan, m_state.unit))};
    if (const DevicePlan *device = deviceAt(row)) {
        for (const QString &sure : {text::sureContext(plan.limits), text::sureBatch(plan.limits)}) {
            if (!sure.isEmpty())
                lines += sure;
        }
        for (const BarPiece &piece : barPieces(*device))
            lines += QStringLiteral("%1 %2").arg(kvscope::name(piece), text::bytes(piece.bytes, m_state.unit));
    }
    if (const QStringList why = reasons(row); !why.isEmpty())
        lines += tr("Against the formula:") + QLatin1Char('\n') + why.join(QLatin1Char('\n'));
    return lines.join(QLatin1Char('\n'));
}

QVariant CompareModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= m_rows)
        return {};
    const int row = index.row(), column = index.column();
    switch (role) {
    case Qt::DisplayRole: return words(row, column);
    case Qt::ToolTipRole: return tip(row);
    case Qt::AccessibleTextRole: return column == Bar ? tip(row) : whole(row, column);
    case NoteRole: return note(row, column);
    case ReasonsRole: return shortReasons(row);
    case Qt::TextAlignmentRole: return QVariant((column == Memory || column >= Free ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case SortRole: return column == Gpu ? QVariant(words(row, Gpu)) : QVariant(sortValue(row, column));
    case GhostRole: return isGhost(row);
    case VerdictRole: return static_cast<int>(planAt(row).verdict);
    case ClusterRole: return isGhost(row) ? -1 : m_list[static_cast<std::size_t>(row)].cluster;
    case SelectedRole: return isSelected(row);
    default: return {};
    }
}

QVariant CompareModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Memory || section >= Free ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Gpu: return hasReasons() && m_state.results->scenario.clusters.size() == 1 ? tr("engine") : tr("GPU");
    case Memory: return text::unitName(m_state.unit);
    case Bar: return tr("memory\nused");
    case VerdictColumn: return tr("verdict");
    case Free: return tr("free\n%1", "head of a column, %1 is a unit").arg(text::unitName(m_state.unit));
    case MaxContext: return tr("max\ncontext");
    case MaxSequences: return tr("max\nsequences");
    default: return {};
    }
}

Qt::ItemFlags CompareModel::flags(const QModelIndex &index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    return isGhost(index.row()) ? Qt::ItemIsEnabled : Qt::ItemIsEnabled | Qt::ItemIsSelectable;
}

QString CompareModel::toMarkdown() const
{
    QStringList head, rule, lines;
    for (int column = 0; column < columnTotal; ++column) {
        if (column == Bar)
            continue;
        head += headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().replace(QLatin1Char('\n'), QLatin1Char(' '));
        rule += column == Gpu || column == VerdictColumn ? QStringLiteral("---") : QStringLiteral("---:");
    }
    lines += QStringLiteral("| ") + head.join(QStringLiteral(" | ")) + QStringLiteral(" |");
    lines += QStringLiteral("| ") + rule.join(QStringLiteral(" | ")) + QStringLiteral(" |");
    for (int row = 0; row < m_rows; ++row) {
        QStringList cells;
        for (int column = 0; column < columnTotal; ++column) {
            if (column != Bar)
                cells += whole(row, column).replace(QLatin1Char('|'), QStringLiteral("\\|"));
        }
        lines += QStringLiteral("| ") + cells.join(QStringLiteral(" | ")) + QStringLiteral(" |");
    }
    for (int row = 0; row < m_rows; ++row) {
        for (const QString &reason : reasons(row))
            lines +=
                QStringLiteral("%1- %2: %3").arg(lines.last().startsWith(u'|') ? QStringLiteral("\n") : QString(), whole(row, Gpu), reason);
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString CompareModel::toHtml() const
{
    QString html = QStringLiteral("<table border=\"1\" cellspacing=\"0\" cellpadding=\"4\">\n<tr>");
    for (int column = 0; column < columnTotal; ++column) {
        if (column != Bar)
            html += QStringLiteral("<th>%1</th>")
                        .arg(headerData(column, Qt::Horizontal, Qt::DisplayRole)
                                 .toString()
                                 .replace(QLatin1Char('\n'), QLatin1Char(' '))
                                 .toHtmlEscaped());
    }
    html += QStringLiteral("</tr>\n");
    for (int row = 0; row < m_rows; ++row) {
        html += QStringLiteral("<tr>");
        for (int column = 0; column < columnTotal; ++column) {
            if (column != Bar)
                html += QStringLiteral("<td align=\"%1\">%2</td>")
                            .arg(column == Gpu || column == VerdictColumn ? QStringLiteral("left") : QStringLiteral("right"),
                                 whole(row, column).toHtmlEscaped());
        }
        html += QStringLiteral("</tr>\n");
    }
    html += QStringLiteral("</table>\n");
    for (int row = 0; row < m_rows; ++row) {
        if (const QStringList why = reasons(row); !why.isEmpty())
            html += QStringLiteral("<p><b>%1</b><br>%2</p>\n")
                        .arg(whole(row, Gpu).toHtmlEscaped(),
                             why.join(QLatin1Char('\n')).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
    }
    return html;
}

CompareOrder::CompareOrder(QObject *parent) : QSortFilterProxyModel(parent)
{
    setSortRole(CompareModel::SortRole);
    setDynamicSortFilter(true);
}

bool CompareOrder::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    const bool leftGhost = left.data(CompareModel::GhostRole).toBool(), rightGhost = right.data(CompareModel::GhostRole).toBool();
    if (leftGhost != rightGhost)
        return (sortOrder() == Qt::AscendingOrder) == rightGhost;
    if (left.column() == CompareModel::Gpu)
        return QString::localeAwareCompare(left.data(sortRole()).toString(), right.data(sortRole()).toString()) < 0;
    return left.data(sortRole()).toDouble() < right.data(sortRole()).toDouble();
}

} // namespace kvscope
