// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explainmodel.h"

#include "ui/theme.h"

#include <QFontDatabase>
#include <QPainter>

#include <algorithm>

namespace kvscope {

namespace {

constexpr int side = 6;
constexpr int gap = 6;

struct Fonts {
    QFont bold, mono, small;
};

Fonts fontsOf(const QFont &base)
{
    Fonts fonts{base, QFontDatabase::systemFont(QFontDatabase::FixedFont), base};
    fonts.bold.setWeight(QFont::DemiBold);
    fonts.mono.setPointSizeF(base.pointSizeF() * 0.95);
    fonts.small.setPointSizeF(base.pointSizeF() * 0.9);
    return fonts;
}

/// Where each text of a row stands; the same arithmetic for size and paint.
struct Places {
    QRect sentence, value, formula, source;
    int height;
};

Places placesOf(const Fonts &fonts, const QModelIndex &index, const QRect &rect)
{
    const int room = std::max(80, rect.width() - 2 * side);
    const QFontMetrics bold(fonts.bold), mono(fonts.mono), small(fonts.small);
    const int value = bold.horizontalAdvance(index.data(ExplainModel::ValueRole).toString());
    const auto wrapped = [](const QFontMetrics &metrics, int width, const QString &text) {
        return metrics.boundingRect(QRect(0, 0, std::max(40, width), 10'000), Qt::TextWordWrap, text).height();
    };
    Places p;
    int y = rect.top() + gap;
    p.sentence = QRect(rect.left() + side, y, room - value - 10,
                       wrapped(bold, room - value - 10, index.data(ExplainModel::SentenceRole).toString()));
    p.value = QRect(rect.left() + side + room - value, y, value, bold.height());
    y += std::max(p.sentence.height(), p.value.height()) + 1;
    p.formula = QRect(rect.left() + side, y, room, wrapped(mono, room, index.data(ExplainModel::FormulaRole).toString()));
    y += p.formula.height() + 1;
    p.source = QRect(rect.left() + side, y, room, wrapped(small, room, index.data(ExplainModel::SourceRole).toString()));
    p.height = p.source.bottom() + gap - rect.top();
    return p;
}

} // namespace

void ExplainModel::showState(const ViewState &state)
{
    const Plan *plan = state.results ? state.results->selectedPlan() : nullptr;
    std::vector<Explanation> lines;
    if (plan && plan->verdict != Verdict::Refused)
        lines = explain(state.results->scenario, *state.results->selectedCluster(), *plan);
    m_unit = state.unit;
    // Rows stay where their number stays, so that selection and scrolling survive a drag.
    const int before = rowCount(), after = static_cast<int>(lines.size());
    if (after > before)
        beginInsertRows({}, before, after - 1);
    else if (after < before)
        beginRemoveRows({}, after, before - 1);
    m_lines = std::move(lines);
    if (after > before)
        endInsertRows();
    else if (after < before)
        endRemoveRows();
    if (after > 0)
        emit dataChanged(index(0), index(after - 1));
}

QVariant ExplainModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const Explanation &line = m_lines[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
    case SentenceRole: return text::rule(line.rule);
    case FormulaRole: return QString::fromStdString(line.formula);
    case ValueRole: return text::explained(line, m_unit, false);
    case SourceRole: {
        const QString source = text::source(line.source), confidence = text::confidence(line);
        return source.isEmpty() ? confidence : QStringLiteral("%1 · %2").arg(confidence, source);
    }
    case FigureRole: return QString::fromStdString(line.figure);
    case Qt::ToolTipRole: return QStringLiteral("%1 = %2").arg(QString::fromStdString(line.figure), text::explained(line, m_unit, true));
    case Qt::AccessibleTextRole: return asText(index.row());
    default: return {};
    }
}

QString ExplainModel::asText(int row) const
{
    const QModelIndex at = index(row);
    return QStringLiteral("%1: %2\n%3\n%4\n")
        .arg(at.data(SentenceRole).toString(), text::explained(m_lines[static_cast<std::size_t>(row)], m_unit, true),
             at.data(FormulaRole).toString(), at.data(SourceRole).toString());
}

void ExplainDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const Theme &theme = themeOf(option.palette);
    const Fonts fonts = fontsOf(option.font);
    const Places places = placesOf(fonts, index, option.rect);
    painter->save();
    if (option.state & QStyle::State_Selected)
        painter->fillRect(option.rect, theme.hover);
    painter->setPen(theme.border);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    constexpr int wrap = Qt::TextWordWrap;
    painter->setPen(theme.text);
    painter->setFont(fonts.bold);
    painter->drawText(places.sentence, wrap, index.data(ExplainModel::SentenceRole).toString());
    painter->drawText(places.value, Qt::AlignRight, index.data(ExplainModel::ValueRole).toString());
    painter->setFont(fonts.mono);
    painter->setPen(theme.accent);
    painter->drawText(places.formula, wrap, index.data(ExplainModel::FormulaRole).toString());
    painter->setFont(fonts.small);
    painter->setPen(theme.muted);
    painter->drawText(places.source, wrap, index.data(ExplainModel::SourceRole).toString());
    painter->restore();
}

QSize ExplainDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const int room = option.widget ? option.rect.width() : 400;
    return {room, placesOf(fontsOf(option.font), index, QRect(0, 0, room, 0)).height};
}

} // namespace kvscope
