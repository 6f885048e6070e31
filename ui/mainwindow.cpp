// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/mainwindow.h"

#include "ui/answersarea.h"
#include "ui/banner.h"
#include "ui/boundarychart.h"
#include "ui/cardarea.h"
#include "ui/chartcard.h"
#include "ui/comparechart.h"
#include "ui/comparepanel.h"
#include "ui/devicepicker.h"
#include "ui/enginelogpanel.h"
#include "ui/explainpanel.h"
#include "ui/fileopener.h"
#include "ui/growthchart.h"
#include "ui/hardwareinputs.h"
#include "ui/inputspanel.h"
#include "ui/poolpanel.h"
#include "ui/verdictstrip.h"
#include "ui/windowmenus.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileInfo>
#include <QMenu>
#include <QMimeData>
#include <QScreen>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>

namespace kvscope {

namespace {

constexpr int gap = 10;

/// The local files of a drag that could be opened.
QStringList filesOf(const QMimeData *data)
{
    QStringList files;
    for (const QUrl &url : data->urls()) {
        if (url.isLocalFile())
            files += url.toLocalFile();
    }
    return files;
}

} // namespace

MainWindow::MainWindow(const Settings &settings, const Catalog &catalog, Planner &planner, Session &session, const Prompts &prompts) :
    m_settings(settings),
    m_catalog(catalog),
    m_planner(planner),
    m_session(session),
    m_prompts(prompts),
    m_menus(new WindowMenus(this)),
    m_opener(new FileOpener(this)),
    m_draftOpener(new FileOpener(this))
{
    setObjectName(QStringLiteral("mainWindow"));
    setAcceptDrops(true);
    makeFrame();
    connectFrame();
    connectFileActions();
    connectOtherActions();
    m_planner.setUnit(m_settings.unit);
    retranslate();
    resize(QSize(1440, 900).boundedTo(screen()->availableSize()));
    if (!m_settings.geometry.isEmpty())
        restoreGeometry(m_settings.geometry);
    if (!m_settings.windowState.isEmpty())
        m_split->restoreState(m_settings.windowState);
    if (m_planner.state().results)
        showState(m_planner.state());
}

MainWindow::~MainWindow() = default;

void MainWindow::makeFrame()
{
    m_split = new QSplitter(Qt::Horizontal, this);
    m_split->setObjectName(QStringLiteral("split"));
    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(false);
    m_inputs = new InputsPanel(m_catalog, m_split);
    m_inputs->setObjectName(QStringLiteral("inputsPanel"));
    auto *right = new QWidget(m_split);
    right->setObjectName(QStringLiteral("answers"));
    m_banner = new Banner(right);
    m_banner->setObjectName(QStringLiteral("banner"));
    auto *area = new AnswersArea(right);
    area->setObjectName(QStringLiteral("answersArea"));
    m_strip = area->strip();
    m_cards = area->cards();
    auto *column = new QVBoxLayout(right);
    column->setContentsMargins(gap, gap, gap, gap);
    column->setSpacing(gap);
    column->addWidget(m_banner);
    column->addWidget(area, 1);
    m_split->setStretchFactor(0, 0);
    m_split->setStretchFactor(1, 1);
    setCentralWidget(m_split);
}

void MainWindow::makeCards()
{
    m_growth = new ChartCard(new GrowthChart, m_cards);
    m_growth->setObjectName(QStringLiteral("growthCard"));
    m_boundary = new ChartCard(new BoundaryChart, m_cards);
    m_boundary->setObjectName(QStringLiteral("boundaryCard"));
    m_compare = new ComparePanel(m_prompts, m_cards);
    m_compare->setObjectName(QStringLiteral("compareCard"));
    m_explain = new ExplainPanel(m_cards);
    m_explain->setObjectName(QStringLiteral("explainCard"));
    m_bars = new ChartCard(new CompareChart, m_cards);
    m_bars->setObjectName(QStringLiteral("barsCard"));
    m_pool = new PoolPanel(m_cards);
    m_pool->setObjectName(QStringLiteral("poolCard"));
    m_engineLog = new EngineLogPanel(m_cards);
    m_engineLog->setObjectName(QStringLiteral("engineLogCard"));
    m_cards->addCard(m_growth, "growthDock");
    m_cards->addCard(m_boundary, "boundaryDock");
    QDockWidget *compare = m_cards->addCard(m_compare, "compareDock");
    QDockWidget *explain = m_cards->addCard(m_explain, "explainDock");
    m_cards->addCardBehind(compare, m_bars, "barsDock");
    m_cards->addCardBehind(explain, m_pool, "poolDock");
    m_cards->addCardBehind(explain, m_engineLog, "engineLogDock");
    for (QMenu *menu : {m_growth->menu(), m_boundary->menu(), m_compare->menu()})
        m_menus->exportMenu->addMenu(menu);
    m_menus->compare->addMenu(m_compare->enginesMenu());
    QAction *before = m_menus->arrange;
    for (QDockWidget *dock : m_cards->docks())
        m_menus->view->insertAction(before, dock->toggleViewAction());
}

void MainWindow::connectFrame()
{
    connect(&m_planner, &Planner::changed, this, &MainWindow::showState);
    connect(&m_planner, &Planner::scenarioChanged, &m_session, &Session::touch);
    connect(&m_planner, &Planner::fileChanged, this, &MainWindow::showTitle);
    connect(&m_planner.history(), &QUndoStack::cleanChanged, this, &MainWindow::showTitle);
    connect(&m_session, &Session::saveFailed, this, [this](const Error &error) { showError(text::sentence(error)); });

    connect(m_inputs, &InputsPanel::edited, &m_planner, &Planner::edit);
    connect(m_inputs, &InputsPanel::gestureEnded, &m_planner, &Planner::endGesture);
    connect(m_inputs, &InputsPanel::failed, this, &MainWindow::showError);
    connect(m_inputs, &InputsPanel::fileWanted, this, &MainWindow::askOpen);
    connect(m_inputs, &InputsPanel::handWanted, this, &MainWindow::enterModel);
    connect(m_inputs, &InputsPanel::draftFileWanted, this, &MainWindow::askDraft);
}

void MainWindow::connectCards()
{
    for (ChartCard *card : {m_growth, m_boundary, m_bars}) {
        card->setAskSavePath(m_prompts.saveFile);
        connect(card, &ChartCard::requested, this, [this](const Scenario &asked) {
            m_planner.edit(
                [&asked](Scenario &s) {
                    s.context = asked.context;
                    s.batch = asked.batch;
                    s.selected = asked.selected;
                },
                Field::Point);
        });
        connect(card, &ChartCard::gestureEnded, &m_planner, &Planner::endGesture);
        connect(card, &ChartCard::done, m_banner, &Banner::showDone);
        connect(card, &ChartCard::failed, this, &MainWindow::showError);
    }
    connect(m_compare, &ComparePanel::edited, &m_planner, &Planner::edit);
    connect(m_compare, &ComparePanel::done, m_banner, &Banner::showDone);
    connect(m_compare, &ComparePanel::failed, this, &MainWindow::showError);
    connect(m_explain, &ExplainPanel::done, m_banner, &Banner::showDone);
    connect(m_engineLog, &EngineLogPanel::done, m_banner, &Banner::showDone);
    connect(m_pool, &PoolPanel::done, m_banner, &Banner::showDone);
    connect(m_compare, &ComparePanel::gpuWanted, this,
            [this](const QWidget *anchor) { m_inputs->hardware()->picker()->openBelow(anchor); });
    connect(m_strip, &VerdictStrip::explanationWanted, this, [this](Part part) {
        auto *dock = qobject_cast<QDockWidget *>(m_explain->parentWidget());
        dock->show();
        dock->raise();
        m_explain->showPart(part);
    });
}

bool MainWindow::event(QEvent *event)
{
    if (event->type() == QEvent::Paint && !m_growth)
        QTimer::singleShot(0, this, &MainWindow::finish);
    return QMainWindow::event(event);
}

void MainWindow::finish()
{
    if (m_growth)
        return;
    m_inputs->makeSections();
    makeCards();
    connectCards();
    retranslateCards();
    if (m_planner.state().results)
        showState(m_planner.state());
    m_cards->restoreDefault();
    m_cards->setOrder(m_settings.cardState);
    if (!m_settings.windowState.isEmpty())
        m_split->restoreState(m_settings.windowState);
    else // only now does the form know how wide it must be
        m_split->setSizes({m_inputs->sizeHint().width(), width() - m_inputs->sizeHint().width()});
    m_inputs->findChild<QWidget *>(QStringLiteral("contextSlider"))->setFocus();
    emit finished();
}

void MainWindow::showState(const ViewState &state)
{
    m_inputs->showState(state);
    m_strip->showState(state);
    m_menus->removeGpu->setEnabled(state.results->scenario.clusters.size() > 1);
    m_menus->nextGpu->setEnabled(state.results->scenario.clusters.size() > 1);
    m_menus->pin->setChecked(state.pinned != nullptr);
    if (!m_growth)
        return;
    m_growth->showResults(state);
    m_boundary->showResults(state);
    m_compare->showState(state);
    m_explain->showState(state);
    m_bars->showResults(state);
    m_pool->showState(state);
    m_engineLog->showState(state);
}

void MainWindow::showError(const QString &sentence) { m_banner->showError(sentence); }

void MainWindow::retranslate()
{
    m_menus->retranslate();
    m_menus->showChoices(m_settings.unit, m_settings.theme, text::language());
    retranslateCards();
    m_inputs->setAccessibleName(tr("Inputs"));
    showTitle();
}

void MainWindow::retranslateCards()
{
    if (!m_growth)
        return;
    const QStringList titles{tr("KV growth"), tr("Fit / OOM boundary"),     tr("GPUs side by side"), tr("How it adds up"), tr("As bars"),
                             tr("KV pool"),   tr("As the engine prints it")};
    const std::vector<QDockWidget *> docks = m_cards->docks();
    for (std::size_t i = 0; i < docks.size(); ++i)
        docks[i]->setWindowTitle(titles.at(static_cast<qsizetype>(i)));
    m_growth->menu()->setTitle(titles.at(0));
    m_boundary->menu()->setTitle(titles.at(1));
}

void MainWindow::showTitle()
{
    const QString name = m_planner.file().isEmpty() ? tr("Untitled") : QFileInfo(m_planner.file()).fileName();
    setWindowTitle(QStringLiteral("%1[*] — KVScope").arg(name));
    setWindowFilePath(m_planner.file());
    setWindowModified(m_planner.isModified() && !m_planner.file().isEmpty());
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void MainWindow::dragEnterEvent(QDragEnterEvent *event)
{
    if (!filesOf(event->mimeData()).isEmpty())
        event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent *event)
{
    const QStringList files = filesOf(event->mimeData());
    if (files.isEmpty())
        return;
    event->acceptProposedAction();
    openFile(files.front());
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    if (!m_mayClose && m_planner.isModified() && !m_planner.file().isEmpty()) {
        event->ignore();
        m_prompts.askSave(this, QFileInfo(m_planner.file()).fileName(), [this](SaveAnswer answer) {
            if (answer == SaveAnswer::Cancel)
                return;
            if (answer == SaveAnswer::Save)
                save(m_planner.file());
            m_mayClose = answer == SaveAnswer::Discard || !m_planner.isModified();
            if (m_mayClose)
                QMetaObject::invokeMethod(this, &QWidget::close, Qt::QueuedConnection); // not inside the close that asked
        });
        return;
    }
    m_session.saveNow();
    m_settings.geometry = saveGeometry();
    m_settings.windowState = m_split->saveState();
    if (m_growth)
        m_settings.cardState = m_cards->order();
    keepSettings();
    event->accept();
}

} // namespace kvscope
