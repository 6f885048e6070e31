// SPDX-License-Identifier: GPL-3.0-or-later
// What the actions of the main window do.
#include "ui/mainwindow.h"

#include "core/scenariofile.h"
#include "ui/aboutdialog.h"
#include "ui/applylanguage.h"
#include "ui/banner.h"
#include "ui/cardarea.h"
#include "ui/chartcard.h"
#include "ui/comparepanel.h"
#include "ui/devicepicker.h"
#include "ui/enginelogpanel.h"
#include "ui/explainpanel.h"
#include "ui/fileopener.h"
#include "ui/handmodeldialog.h"
#include "ui/hardwareinputs.h"
#include "ui/inputspanel.h"
#include "ui/keysdialog.h"
#include "ui/modelinputs.h"
#include "ui/modelpicker.h"
#include "ui/opening.h"
#include "ui/preferences.h"
#include "ui/report.h"
#include "ui/windowmenus.h"

#include <QApplication>
#include <QDir>
#include <QFileInfo>
#include <QMenu>

namespace kvscope {

void MainWindow::connectFileActions()
{
    connect(m_menus->newScenario, &QAction::triggered, this, [this] { m_planner.open(worthwhileScenario(m_catalog), {}); });
    connect(m_menus->open, &QAction::triggered, this, &MainWindow::askOpen);
    connect(m_menus->openFolder, &QAction::triggered, this, [this] {
        m_prompts.openFolder(this, tr("Open a model folder"), m_settings.lastFolder, [this](const QString &path) { openFile(path); });
    });
    connect(m_opener, &FileOpener::opened, this, &MainWindow::take);
    connect(m_draftOpener, &FileOpener::opened, this, [this](const QString &, const Result<Opened> &opened) { takeDraft(opened); });
    connect(m_opener, &FileOpener::waiting, this,
            [this](const QString &path) { m_banner->showWaiting(tr("Reading %1…").arg(QFileInfo(path).fileName())); });
    connect(m_banner, &Banner::closed, m_opener, &FileOpener::cancel);
    connect(m_menus->recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    connect(m_menus->save, &QAction::triggered, this, [this] { m_planner.file().isEmpty() ? askSaveAs() : save(m_planner.file()); });
    connect(m_menus->saveAs, &QAction::triggered, this, &MainWindow::askSaveAs);
    connect(m_menus->report, &QAction::triggered, this, &MainWindow::askReport);
    connect(m_menus->print, &QAction::triggered, this, &MainWindow::printFocused);
    connect(m_menus->quit, &QAction::triggered, this, &QWidget::close);
}

void MainWindow::connectOtherActions()
{
    QUndoStack *history = &m_planner.history();
    m_menus->undo->setEnabled(history->canUndo());
    m_menus->redo->setEnabled(history->canRedo());
    connect(history, &QUndoStack::canUndoChanged, m_menus->undo, &QAction::setEnabled);
    connect(history, &QUndoStack::canRedoChanged, m_menus->redo, &QAction::setEnabled);
    connect(m_menus->undo, &QAction::triggered, history, &QUndoStack::undo);
    connect(m_menus->redo, &QAction::triggered, history, &QUndoStack::redo);
    connect(m_menus->copy, &QAction::triggered, this, &MainWindow::copyFocused);

    connect(m_menus->showInputs, &QAction::toggled, m_inputs, &QWidget::setVisible);
    connect(m_menus->arrange, &QAction::toggled, m_cards, &CardArea::setArranging);
    connect(m_menus->resetLayout, &QAction::triggered, this, [this] {
        m_menus->showInputs->setChecked(true);
        m_menus->arrange->setChecked(false);
        m_cards->restoreDefault();
    });
    connect(m_menus, &WindowMenus::themeChosen, this, &MainWindow::chooseTheme);
    connect(m_menus, &WindowMenus::languageChosen, this, &MainWindow::chooseLanguage);
    connect(m_menus, &WindowMenus::unitChosen, this, &MainWindow::chooseUnit);

    connect(m_menus->chooseModel, &QAction::triggered, this, [this] {
        finish();
        m_inputs->model()->picker()->open();
    });
    connect(m_menus->enterModel, &QAction::triggered, this, &MainWindow::enterModel);
    connect(m_menus->addGpu, &QAction::triggered, this, [this] {
        finish();
        m_inputs->hardware()->picker()->open();
    });
    connect(m_menus->removeGpu, &QAction::triggered, this, &MainWindow::removeSelectedGpu);
    connect(m_menus->nextGpu, &QAction::triggered, this, &MainWindow::selectNextGpu);
    connect(m_menus->pin, &QAction::triggered, this, [this](bool on) { on ? m_planner.pin() : m_planner.unpin(); });
    connect(m_menus->preferences, &QAction::triggered, this, [this] {
        auto *dialog = new Preferences(m_settings, m_prompts, this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &Preferences::chosen, this, &MainWindow::applySettings);
        dialog->open();
    });
    connect(m_menus->manual, &QAction::triggered, this, &MainWindow::showKeys);
    connect(m_menus->about, &QAction::triggered, this, [this] {
        auto *dialog = new AboutDialog(this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
}

void MainWindow::openFile(const QString &path) { m_opener->open(path); }

void MainWindow::take(const QString &path, const Result<Opened> &opened)
{
    if (!opened) {
        m_settings.recentFiles.removeAll(path);
        keepSettings();
        showError(text::sentence(opened.error()));
        return;
    }
    m_banner->hide();
    if (opened->scenario)
        m_planner.open(*opened->scenario, QFileInfo(path).absoluteFilePath());
    else
        m_planner.edit(
            [&](Scenario &s) {
                s.model = opened->model;
                // The formula and Transformers do not run such a file.
                if (path.endsWith(QLatin1String(".gguf"), Qt::CaseInsensitive) &&
                    (s.engine.id == EngineId::Formula || s.engine.id == EngineId::Transformers))
                    s.engine = {EngineId::LlamaCpp, {}};
            },
            Field::Document);
    noteRecent(m_settings, QFileInfo(path).absoluteFilePath());
    m_settings.lastFolder = QFileInfo(path).absolutePath();
    keepSettings();
}

void MainWindow::askOpen()
{
    m_prompts.openFile(this, tr("Open"), m_settings.lastFolder, tr("Scenarios and models (*.kvscope *.json *.gguf);;All files (*)"),
                       [this](const QString &path) { openFile(path); });
}

void MainWindow::askDraft()
{
    m_prompts.openFile(this, tr("Open a draft model"), m_settings.lastFolder, tr("Models (*.json *.gguf);;All files (*)"),
                       [this](const QString &path) { m_draftOpener->open(path); });
}

void MainWindow::takeDraft(const Result<Opened> &opened)
{
    if (!opened) {
        showError(text::sentence(opened.error()));
        return;
    }
    const std::shared_ptr<const ModelSpec> model = opened->scenario ? opened->scenario->model : opened->model;
    m_planner.endGesture();
    m_planner.edit([model](Scenario &s) { s.draft = model; }, Field::Advanced);
    m_planner.endGesture();
}

void MainWindow::fillRecent()
{
    m_menus->recent->clear();
    for (const QString &path : m_settings.recentFiles) {
        QAction *action = m_menus->recent->addAction(QFileInfo(path).dir().dirName() + QLatin1Char('/') + QFileInfo(path).fileName());
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { openFile(path); });
    }
    if (m_settings.recentFiles.isEmpty()) {
        m_menus->recent->addAction(tr("Nothing yet"))->setEnabled(false);
        return;
    }
    m_menus->recent->addSeparator();
    connect(m_menus->recent->addAction(tr("&Clear the list")), &QAction::triggered, this, [this] {
        m_settings.recentFiles.clear();
        keepSettings();
    });
}

void MainWindow::save(const QString &path)
{
    if (const auto error = saveScenario(m_planner.scenario(), path.toStdString()))
        return showError(text::sentence(*error));
    m_planner.markSaved(path);
    noteRecent(m_settings, path);
    m_settings.lastFolder = QFileInfo(path).absolutePath();
    keepSettings();
    m_banner->showDone(tr("Saved %1").arg(QFileInfo(path).fileName()));
}

void MainWindow::askSaveAs()
{
    const QString suggested = m_planner.file().isEmpty() ? m_settings.lastFolder + QStringLiteral("/scenario.kvscope") : m_planner.file();
    m_prompts.saveFile(this, tr("Save the scenario"), suggested, tr("Scenarios (*.kvscope)"), [this](const QString &path) {
        save(QFileInfo(path).suffix().isEmpty() ? path + QStringLiteral(".kvscope") : path);
    });
}

void MainWindow::askReport()
{
    m_planner.flush();
    m_prompts.saveFile(this, tr("Write a report"), QStringLiteral("report.pdf"),
                       tr("PDF (*.pdf);;HTML (*.html);;Markdown (*.md);;CSV (*.csv)"), [this](const QString &path) {
                           if (const auto error = writeReport(path, m_planner.state()))
                               showError(text::sentence(*error));
                           else
                               m_banner->showDone(tr("Saved %1").arg(QFileInfo(path).fileName()));
                       });
}

void MainWindow::chooseLanguage(const QString &language)
{
    m_settings.language = language;
    applyLanguage(language);
    keepSettings();
}

void MainWindow::chooseTheme(ThemeChoice theme)
{
    m_settings.theme = theme;
    applyTheme(*qApp, theme);
    m_menus->showChoices(m_settings.unit, m_settings.theme, text::language());
    keepSettings();
}

void MainWindow::chooseUnit(text::Unit unit)
{
    m_settings.unit = unit;
    m_planner.setUnit(unit);
    m_menus->showChoices(m_settings.unit, m_settings.theme, text::language());
    keepSettings();
}

void MainWindow::applySettings(const Settings &settings)
{
    const Settings before = std::exchange(m_settings, settings);
    if (settings.language != before.language)
        chooseLanguage(settings.language);
    if (settings.theme != before.theme)
        chooseTheme(settings.theme);
    if (settings.unit != before.unit)
        chooseUnit(settings.unit);
    keepSettings();
}

void MainWindow::keepSettings()
{
    if (m_store)
        m_store(m_settings);
}

void MainWindow::enterModel()
{
    auto *dialog = new HandModelDialog(m_planner.scenario().model.get(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &HandModelDialog::modelGiven, this, [this](const std::shared_ptr<const ModelSpec> &model) {
        m_planner.endGesture();
        m_planner.edit([model](Scenario &s) { s.model = model; }, Field::Model);
        m_planner.endGesture();
    });
    dialog->open();
}

void MainWindow::selectNextGpu()
{
    m_planner.edit([](Scenario &s) { s.selected = (s.selected + 1) % static_cast<int>(s.clusters.size()); }, Field::Selection);
}

void MainWindow::removeSelectedGpu()
{
    m_planner.endGesture();
    m_planner.edit([](Scenario &s) { removeCluster(s, s.selected); }, Field::Clusters);
    m_planner.endGesture();
}

ChartCard *MainWindow::focusedChart() const
{
    const QWidget *focus = QApplication::focusWidget();
    for (ChartCard *card : {m_growth, m_boundary}) {
        if (focus && card->isAncestorOf(focus))
            return card;
    }
    return nullptr;
}

void MainWindow::copyFocused()
{
    finish();
    const QWidget *focus = QApplication::focusWidget();
    if (ChartCard *card = focusedChart())
        card->copyPicture();
    else if (focus && m_explain->isAncestorOf(focus))
        m_explain->copyAll();
    else if (focus && m_engineLog->isAncestorOf(focus))
        m_engineLog->copyAll();
    else
        m_compare->copy();
}

void MainWindow::printFocused()
{
    finish();
    if (ChartCard *card = focusedChart())
        card->print();
    else
        m_compare->print();
}

void MainWindow::showKeys()
{
    auto *dialog = new KeysDialog(findChildren<QAction *>(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

} // namespace kvscope
