// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/settings.h"

#include <QKeySequence>
#include <QObject>

class QAction;
class QActionGroup;
class QMainWindow;
class QMenu;
class QToolButton;

namespace kvscope {

/// The window's actions and menus, and the unit and language buttons in the menu bar's corner. Words only: what an action does is connected
/// by the window.
class WindowMenus : public QObject {
    Q_OBJECT

public:
    explicit WindowMenus(QMainWindow *window);

    void retranslate();
    /// Marks what is chosen.
    void showChoices(text::Unit unit, ThemeChoice theme, const QString &language);

    QMenu *file, *recent, *exportMenu, *edit, *view, *themeMenu, *languageMenu, *unitMenu, *compare, *tools, *help;
    QAction *newScenario, *open, *openFolder, *save, *saveAs, *report, *print, *quit;
    QAction *undo, *redo, *copy;
    QAction *showInputs, *arrange, *resetLayout;
    QAction *chooseModel, *enterModel, *addGpu, *removeGpu, *nextGpu, *pin;
    QAction *preferences, *manual, *about;

signals:
    void unitChosen(kvscope::text::Unit unit);
    void themeChosen(kvscope::ThemeChoice theme);
    void languageChosen(const QString &language);

private:
    void makeFileMenu();
    void makeEditAndViewMenus();
    void makeOtherMenus();
    void makeCorner();
    QAction *add(QMenu *menu, const char *name, const QKeySequence &keys = {});
    QAction *addChoice(QMenu *menu, QActionGroup *group, const char *name, const QVariant &value);

    QMainWindow *m_window;
    QActionGroup *m_units, *m_themes, *m_languages;
    QToolButton *m_unitButton, *m_languageButton;
};

} // namespace kvscope
