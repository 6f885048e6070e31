// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/searchpopup.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QScreen>
#include <QStyleOptionButton>
#include <QStylePainter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace kvscope {

namespace {

QVariant alignmentOf(int column) { return QVariant((column >= 2 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter); }

} // namespace

QString toQString(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QVariant SearchModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole: return cell(entryAt(index.row()), index.column());
    case Qt::ToolTipRole: return tip(entryAt(index.row()));
    case Qt::TextAlignmentRole: return alignmentOf(index.column());
    default: return {};
    }
}

QVariant SearchModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    return role == Qt::DisplayRole ? QVariant(head(section)) : role == Qt::TextAlignmentRole ? alignmentOf(section) : QVariant();
}

void SearchModel::setFound(std::vector<int> found)
{
    beginResetModel();
    m_found = std::move(found);
    endResetModel();
}

SearchPopup::SearchPopup(SearchModel *model, QWidget *parent) :
    QFrame(parent, Qt::Popup), m_model(model), m_search(new QLineEdit(this)), m_table(new QTableView(this)), m_footer(new QHBoxLayout)
{
    setObjectName(QStringLiteral("searchPopup"));
    setFrameShape(QFrame::StyledPanel);
    m_model->setParent(this);
    m_search->setObjectName(QStringLiteral("searchField"));
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    m_table->setObjectName(QStringLiteral("searchTable"));
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setShowGrid(false);
    m_table->setStyleSheet(QStringLiteral("QTableView::item { padding: 0px 8px; }"));
    m_table->setWordWrap(false);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 8);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->installEventFilter(this);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(m_search);
    layout->addWidget(m_table, 1);
    m_footer->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(m_footer);

    connect(m_search, &QLineEdit::textChanged, this, [this](const QString &text) {
        m_model->search(text);
        if (m_model->rowCount() > 0)
            m_table->selectRow(0);
    });
    connect(m_table, &QTableView::clicked, this, &SearchPopup::take);
}

void SearchPopup::setPlaceholder(const QString &text) { m_search->setPlaceholderText(text); }

void SearchPopup::setNames(const QString &searchName, const QString &tableName)
{
    m_search->setAccessibleName(searchName);
    m_table->setAccessibleName(tableName);
}

void SearchPopup::openBelow(const QWidget *anchor)
{
    m_search->clear();
    m_model->search({});
    const QRect screen = anchor->screen()->availableGeometry();
    const int em = fontMetrics().height();
    resize(std::min(46 * em, screen.width()), std::min(28 * em, screen.height()));
    auto *header = m_table->horizontalHeader();
    header->setSectionResizeMode(0, QHeaderView::Stretch);
    for (int column = 1; column < m_model->columnCount(); ++column)
        header->setSectionResizeMode(column, QHeaderView::ResizeToContents);
    QPoint at = anchor->mapToGlobal(QPoint(0, anchor->height() + 2));
    at.setX(std::clamp(at.x(), screen.left(), std::max(screen.left(), screen.right() - width())));
    at.setY(std::clamp(at.y(), screen.top(), std::max(screen.top(), screen.bottom() - height())));
    move(at);
    if (m_model->rowCount() > 0)
        m_table->selectRow(0);
    show();
    m_search->setFocus();
}

void SearchPopup::take(const QModelIndex &index)
{
    if (!index.isValid())
        return;
    const int entry = m_model->entryAt(index.row());
    hide();
    emit chosen(entry);
}

bool SearchPopup::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() != QEvent::KeyPress)
        return QFrame::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    switch (key->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: take(m_table->currentIndex()); return true;
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        if (watched == m_search && m_model->rowCount() > 0) {
            const int by = key->key() == Qt::Key_Up ? -1 : key->key() == Qt::Key_Down ? 1 : key->key() == Qt::Key_PageUp ? -10 : 10;
            m_table->selectRow(std::clamp(m_table->currentIndex().row() + by, 0, m_model->rowCount() - 1));
            return true;
        }
        break;
    default: break;
    }
    return QFrame::eventFilter(watched, event);
}

QSize PickerButton::sizeHint() const { return {fontMetrics().averageCharWidth() * 24, QPushButton::sizeHint().height() + 4}; }

QSize PickerButton::minimumSizeHint() const { return {fontMetrics().averageCharWidth() * 8, sizeHint().height()}; }

void PickerButton::paintEvent(QPaintEvent *)
{
    QStylePainter p(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    option.text.clear();
    p.drawControl(QStyle::CE_PushButton, option);
    const int arrow = fontMetrics().height();
    const QRect inside = rect().adjusted(10, 0, -10, 0);
    const QRect words = QStyle::visualRect(layoutDirection(), inside, inside.adjusted(0, 0, -arrow, 0));
    p.setPen(palette().color(isEnabled() ? QPalette::Normal : QPalette::Disabled, QPalette::ButtonText));
    p.drawText(words, Qt::AlignVCenter | Qt::AlignLeading, fontMetrics().elidedText(text(), Qt::ElideRight, words.width()));
    QStyleOption chevron;
    chevron.initFrom(this);
    chevron.rect =
        QStyle::visualRect(layoutDirection(), inside, QRect(inside.right() - arrow + 1, inside.center().y() - arrow / 2, arrow, arrow));
    p.drawPrimitive(QStyle::PE_IndicatorArrowDown, chevron);
}

} // namespace kvscope
