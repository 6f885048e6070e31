// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/explainpanel.h"

#include "ui/cardheader.h"
#include "ui/explainmodel.h"
#include "ui/memorybar.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QListView>
#include <QMenu>

namespace kvscope {

ExplainPanel::ExplainPanel(QWidget *parent) :
    LazyCard(parent),
    m_model(new ExplainModel(this)),
    m_list(new QListView(this)),
    m_menu(new QMenu(this)),
    m_header(new CardHeader(m_menu, this))
{
    m_menu->setObjectName(QStringLiteral("explainMenu"));
    m_copy = m_menu->addAction(QString(), this, &ExplainPanel::copySelected);
    m_copy->setObjectName(QStringLiteral("copyFormulaAction"));
    m_copyAll = m_menu->addAction(QString(), this, &ExplainPanel::copyAll);
    m_copyAll->setObjectName(QStringLiteral("copyFormulasAction"));
    m_list->setObjectName(QStringLiteral("explainList"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new ExplainDelegate(m_list));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setResizeMode(QListView::Adjust);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->installEventFilter(this);
    connect(m_list, &QWidget::customContextMenuRequested, this, [this](QPoint at) { m_menu->popup(m_list->viewport()->mapToGlobal(at)); });
    arrange(m_header, m_list);
    retranslate();
}

void ExplainPanel::fill(const ViewState &state) { m_model->showState(state); }

void ExplainPanel::showPart(Part part)
{
    for (int row = 0; row < m_model->rowCount(); ++row) {
        const QModelIndex at = m_model->index(row);
        if (!tellsOf(at.data(ExplainModel::FigureRole).toString().toStdString(), part))
            continue;
        m_list->setCurrentIndex(at);
        m_list->scrollTo(at, QAbstractItemView::PositionAtTop);
        m_list->setFocus();
        return;
    }
}

void ExplainPanel::copySelected()
{
    if (m_list->currentIndex().isValid()) {
        QGuiApplication::clipboard()->setText(m_model->asText(m_list->currentIndex().row()));
        emit done(tr("The formula is copied"));
    }
}

void ExplainPanel::copyAll()
{
    QString words;
    for (int row = 0; row < m_model->rowCount(); ++row)
        words += m_model->asText(row) + QLatin1Char('\n');
    QGuiApplication::clipboard()->setText(words);
    emit done(tr("All formulas are copied"));
}

void ExplainPanel::retranslate()
{
    m_header->setWords(tr("How it adds up"), tr("each figure with its rule, formula and source"), tr("Copy formulas"));
    m_copy->setText(tr("&Copy this formula"));
    m_copyAll->setText(tr("Copy &all formulas"));
    m_list->setAccessibleName(tr("Formulas and sources"));
}

void ExplainPanel::resizeEvent(QResizeEvent *event)
{
    LazyCard::resizeEvent(event);
    m_list->doItemsLayout();
}

bool ExplainPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->matches(QKeySequence::Copy)) {
        copySelected();
        return true;
    }
    return LazyCard::eventFilter(watched, event);
}

} // namespace kvscope
