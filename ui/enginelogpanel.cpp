// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/enginelogpanel.h"

#include "ui/cardheader.h"
#include "ui/text/enginelog.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QScrollBar>
#include <QTextEdit>

namespace kvscope {

EngineLogPanel::EngineLogPanel(QWidget *parent) :
    LazyCard(parent), m_lines(new QTextEdit(this)), m_menu(new QMenu(this)), m_header(new CardHeader(m_menu, this))
{
    m_menu->setObjectName(QStringLiteral("engineLogMenu"));
    m_copyAll = m_menu->addAction(QString(), this, &EngineLogPanel::copyAll);
    m_copyAll->setObjectName(QStringLiteral("copyEngineLogAction"));
    m_lines->setObjectName(QStringLiteral("engineLogLines"));
    m_lines->setReadOnly(true);
    m_lines->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_lines->setTabChangesFocus(true);
    m_lines->setFrameShape(QFrame::NoFrame);
    arrange(m_header, m_lines);
    retranslate();
}

void EngineLogPanel::fill(const ViewState &state)
{
    const Results &results = *state.results;
    const Plan *plan = results.selectedPlan();
    m_shown = plan ? text::engineLog(results.scenario, *results.selectedCluster(), *plan) : QStringList();
    m_copyAll->setEnabled(!m_shown.isEmpty());
    const QString html = !m_shown.isEmpty()
                             ? QStringLiteral("<pre style=\"font-size:%1pt\">%2</pre>")
                                   .arg(QString::number(font().pointSizeF() * 0.9), m_shown.join(QLatin1Char('\n')).toHtmlEscaped())
                             : QStringLiteral("<p>%1</p>")
                                   .arg(results.scenario.engine.id == EngineId::Formula
                                            ? tr("The formula alone prints nothing: choose the engine that will run the model.")
                                            : tr("This engine has nothing to print for this setting."));
    if (html != m_html) {
        m_html = html;
        const int scrolled = m_lines->verticalScrollBar()->value();
        m_lines->setHtml(html);
        m_lines->verticalScrollBar()->setValue(scrolled);
    }
    m_header->setWords(tr("As the engine prints it"), text::engineName(results.scenario), tr("Copy the lines"));
}

void EngineLogPanel::copyAll()
{
    QGuiApplication::clipboard()->setText(m_shown.join(QLatin1Char('\n')) + QLatin1Char('\n'));
    emit done(tr("The lines are copied"));
}

void EngineLogPanel::retranslate()
{
    m_header->setWords(tr("As the engine prints it"), {}, tr("Copy the lines"));
    m_copyAll->setText(tr("&Copy all lines"));
    m_lines->setAccessibleName(tr("The plan in the lines of the engine's log"));
}

} // namespace kvscope
