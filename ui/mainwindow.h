// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/planner.h"
#include "ui/prompts.h"
#include "ui/session.h"
#include "ui/settings.h"

#include <QMainWindow>

class QSplitter;

namespace kvscope {

class Banner;
class CardArea;
class ChartCard;
class ComparePanel;
class EngineLogPanel;
class ExplainPanel;
class FileOpener;
struct Opened;
class InputsPanel;
class PoolPanel;
class VerdictStrip;
class WindowMenus;

/// The window: inputs on the left; verdict, charts, comparison and explanation on the right. It wires the views to the planner and holds no
/// number of its own.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// Catalogue, planner and session outlive the window.
    MainWindow(const Settings &settings, const Catalog &catalog, Planner &planner, Session &session,
               const Prompts &prompts = Prompts::dialogs());
    ~MainWindow() override;

    /// Opens a scenario, or takes a model from a config.json, a model folder or an index. What can't be read is one line in the window, which
    /// keeps its state.
    void openFile(const QString &path);
    void showError(const QString &sentence);
    /// Makes form and cards. The window does so itself right after its first paint, which has the menus and the verdict: so it stands on the
    /// screen the sooner.
    void finish();
    const Settings &settings() const { return m_settings; }
    /// Where the settings go when they change; tests and the program put theirs here.
    void setSettingsStore(std::function<void(const Settings &)> store) { m_store = std::move(store); }

signals:
    /// After finish(): what has time until the window stands.
    void finished();

protected:
    bool event(QEvent *event) override;
    void changeEvent(QEvent *event) override;
    void closeEvent(QCloseEvent *event) override;
    void dragEnterEvent(QDragEnterEvent *event) override;
    void dropEvent(QDropEvent *event) override;

private:
    void makeFrame();
    void makeCards();
    void connectFrame();
    void connectCards();
    void connectFileActions();
    void connectOtherActions();
    void showState(const ViewState &state);
    void retranslate();
    void retranslateCards();
    void showTitle();
    void fillRecent();
    void save(const QString &path);
    void askSaveAs();
    void askOpen();
    void askDraft();
    void takeDraft(const Result<Opened> &opened);
    void askReport();
    void take(const QString &path, const Result<Opened> &opened);
    void chooseLanguage(const QString &language);
    void chooseTheme(ThemeChoice theme);
    void chooseUnit(text::Unit unit);
    void applySettings(const Settings &settings);
    void keepSettings();
    void enterModel();
    void selectNextGpu();
    void removeSelectedGpu();
    /// The chart that has the keyboard; null: none.
    ChartCard *focusedChart() const;
    void copyFocused();
    void printFocused();
    void showKeys();

    Settings m_settings;
    const Catalog &m_catalog;
    Planner &m_planner;
    Session &m_session;
    Prompts m_prompts;
    std::function<void(const Settings &)> m_store;
    WindowMenus *m_menus;
    FileOpener *m_opener;
    FileOpener *m_draftOpener;
    QSplitter *m_split;
    InputsPanel *m_inputs;
    Banner *m_banner;
    VerdictStrip *m_strip;
    CardArea *m_cards;
    ChartCard *m_growth = nullptr; ///< null until finish(), as are the others
    ChartCard *m_boundary = nullptr;
    ComparePanel *m_compare = nullptr;
    ChartCard *m_bars = nullptr;
    PoolPanel *m_pool = nullptr;
    ExplainPanel *m_explain = nullptr;
    EngineLogPanel *m_engineLog = nullptr;
    bool m_mayClose = false;
};

} // namespace kvscope
