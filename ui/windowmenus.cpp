// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/windowmenus.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QToolButton>

namespace kvscope {

WindowMenus::WindowMenus(QMainWindow *window) :
    QObject(window),
    m_window(window),
    m_units(new QActionGroup(this)),
    m_themes(new QActionGroup(this)),
    m_languages(new QActionGroup(this))
{
    window->menuBar()->setObjectName(QStringLiteral("menuBar"));
    makeFileMenu();
    makeEditAndViewMenus();
    makeOtherMenus();
    makeCorner();
    connect(m_units, &QActionGroup::triggered, this,
            [this](const QAction *action) { emit unitChosen(static_cast<text::Unit>(action->data().toInt())); });
    connect(m_themes, &QActionGroup::triggered, this,
            [this](const QAction *action) { emit themeChosen(static_cast<ThemeChoice>(action->data().toInt())); });
    connect(m_languages, &QActionGroup::triggered, this, [this](const QAction *action) { emit languageChosen(action->data().toString()); });
    retranslate();
}

QAction *WindowMenus::add(QMenu *menu, const char *name, const QKeySequence &keys)
{
    QAction *action = menu->addAction(QString());
    action->setObjectName(QLatin1String(name));
    action->setShortcut(keys);
    return action;
}

QAction *WindowMenus::addChoice(QMenu *menu, QActionGroup *group, const char *name, const QVariant &value)
{
    QAction *action = add(menu, name);
    action->setCheckable(true);
    action->setData(value);
    group->addAction(action);
    return action;
}

void WindowMenus::makeFileMenu()
{
    file = m_window->menuBar()->addMenu(QString());
    file->setObjectName(QStringLiteral("fileMenu"));
    newScenario = add(file, "newAction", QKeySequence::New);
    open = add(file, "openAction", QKeySequence::Open);
    openFolder = add(file, "openFolderAction", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O));
    recent = file->addMenu(QString());
    recent->setObjectName(QStringLiteral("recentMenu"));
    file->addSeparator();
    save = add(file, "saveAction", QKeySequence::Save);
    saveAs = add(file, "saveAsAction", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    file->addSeparator();
    exportMenu = file->addMenu(QString());
    exportMenu->setObjectName(QStringLiteral("exportMenu"));
    report = add(file, "reportAction", QKeySequence(Qt::CTRL | Qt::Key_E));
    print = add(file, "printAction", QKeySequence::Print);
    file->addSeparator();
    quit = add(file, "quitAction", QKeySequence::Quit);
    quit->setMenuRole(QAction::QuitRole);
}

void WindowMenus::makeEditAndViewMenus()
{
    edit = m_window->menuBar()->addMenu(QString());
    edit->setObjectName(QStringLiteral("editMenu"));
    undo = add(edit, "undoAction", QKeySequence::Undo);
    redo = add(edit, "redoAction");
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    edit->addSeparator();
    copy = add(edit, "copyAction", QKeySequence::Copy);

    view = m_window->menuBar()->addMenu(QString());
    view->setObjectName(QStringLiteral("viewMenu"));
    showInputs = add(view, "showInputsAction");
    showInputs->setCheckable(true);
    showInputs->setChecked(true);
    arrange = add(view, "arrangeAction");
    arrange->setCheckable(true);
    resetLayout = add(view, "resetLayoutAction");
    view->addSeparator();
    themeMenu = view->addMenu(QString());
    themeMenu->setObjectName(QStringLiteral("themeMenu"));
    addChoice(themeMenu, m_themes, "themeSystemAction", static_cast<int>(ThemeChoice::System));
    addChoice(themeMenu, m_themes, "themeLightAction", static_cast<int>(ThemeChoice::Light));
    addChoice(themeMenu, m_themes, "themeDarkAction", static_cast<int>(ThemeChoice::Dark));
    languageMenu = view->addMenu(QString());
    languageMenu->setObjectName(QStringLiteral("languageMenu"));
    addChoice(languageMenu, m_languages, "languageEnglishAction", QStringLiteral("en"))->setText(QStringLiteral("English"));
    addChoice(languageMenu, m_languages, "languageChineseAction", QStringLiteral("zh_CN"))->setText(QStringLiteral("简体中文"));
    unitMenu = view->addMenu(QString());
    unitMenu->setObjectName(QStringLiteral("unitMenu"));
    addChoice(unitMenu, m_units, "unitGbAction", static_cast<int>(text::Unit::GB));
    addChoice(unitMenu, m_units, "unitGibAction", static_cast<int>(text::Unit::GiB));
}

void WindowMenus::makeOtherMenus()
{
    compare = m_window->menuBar()->addMenu(QString());
    compare->setObjectName(QStringLiteral("compareWindowMenu"));
    chooseModel = add(compare, "chooseModelAction", QKeySequence(Qt::CTRL | Qt::Key_M));
    enterModel = add(compare, "enterModelAction");
    compare->addSeparator();
    addGpu = add(compare, "addGpuAction", QKeySequence(Qt::CTRL | Qt::Key_G));
    removeGpu = add(compare, "removeSelectedGpuAction");
    nextGpu = add(compare, "nextGpuAction", QKeySequence(Qt::CTRL | Qt::Key_Period));
    compare->addSeparator();
    pin = add(compare, "pinAction", QKeySequence(Qt::CTRL | Qt::Key_D));
    pin->setCheckable(true);

    tools = m_window->menuBar()->addMenu(QString());
    tools->setObjectName(QStringLiteral("toolsMenu"));
    preferences = add(tools, "preferencesAction", QKeySequence(Qt::CTRL | Qt::Key_Comma));
    preferences->setMenuRole(QAction::PreferencesRole);

    help = m_window->menuBar()->addMenu(QString());
    help->setObjectName(QStringLiteral("helpMenu"));
    manual = add(help, "keysAction", QKeySequence::HelpContents);
    about = add(help, "aboutAction");
    about->setMenuRole(QAction::AboutRole);
}

void WindowMenus::makeCorner()
{
    auto *corner = new QWidget(m_window->menuBar());
    corner->setObjectName(QStringLiteral("menuCorner"));
    auto *row = new QHBoxLayout(corner);
    row->setContentsMargins(0, 0, 8, 0);
    row->setSpacing(2);
    const auto button = [&](const char *name, QMenu *menu) {
        auto *made = new QToolButton(corner);
        made->setObjectName(QLatin1String(name));
        made->setMenu(menu);
        made->setPopupMode(QToolButton::InstantPopup);
        made->setProperty("quiet", true);
        made->setFocusPolicy(Qt::TabFocus);
        row->addWidget(made);
        return made;
    };
    m_unitButton = button("unitButton", unitMenu);
    m_languageButton = button("languageButton", languageMenu);
    m_window->menuBar()->setCornerWidget(corner, Qt::TopRightCorner);
}

void WindowMenus::showChoices(text::Unit unit, ThemeChoice theme, const QString &language)
{
    for (QAction *action : m_units->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(unit));
    for (QAction *action : m_themes->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(theme));
    for (QAction *action : m_languages->actions()) {
        action->setChecked(action->data().toString() == language);
        if (action->isChecked())
            m_languageButton->setText(action->text() + QStringLiteral(" ▾"));
    }
    m_unitButton->setText(text::unitName(unit) + QStringLiteral(" ▾"));
}

void WindowMenus::retranslate()
{
    file->setTitle(tr("&File"));
    newScenario->setText(tr("&New"));
    open->setText(tr("&Open…"));
    open->setStatusTip(tr("A scenario, a config.json or a safetensors index"));
    openFolder->setText(tr("Open a model &folder…"));
    recent->setTitle(tr("Open &recent"));
    save->setText(tr("&Save"));
    saveAs->setText(tr("Save &as…"));
    exportMenu->setTitle(tr("&Export"));
    report->setText(tr("&Report…"));
    print->setText(tr("&Print…"));
    quit->setText(tr("&Quit"));

    edit->setTitle(tr("&Edit"));
    undo->setText(tr("&Undo"));
    redo->setText(tr("&Redo"));
    copy->setText(tr("&Copy"));

    view->setTitle(tr("&View"));
    showInputs->setText(tr("&Inputs"));
    arrange->setText(tr("&Move panels"));
    arrange->setToolTip(tr("Shows a bar on each panel to drag it by"));
    resetLayout->setText(tr("&Restore the layout"));
    themeMenu->setTitle(tr("&Theme"));
    const QStringList themes{tr("&System"), tr("&Light"), tr("&Dark")};
    for (int i = 0; i < themes.size(); ++i)
        m_themes->actions().at(i)->setText(themes.at(i));
    languageMenu->setTitle(tr("&Language"));
    unitMenu->setTitle(tr("&Unit"));
    m_units->actions().at(0)->setText(tr("GB (10⁹ bytes)"));
    m_units->actions().at(1)->setText(tr("GiB (2³⁰ bytes)"));
    m_unitButton->setAccessibleName(tr("Unit of memory"));
    m_unitButton->setToolTip(tr("Unit of memory"));
    m_languageButton->setAccessibleName(tr("Language"));
    m_languageButton->setToolTip(tr("Language"));

    compare->setTitle(tr("&Compare"));
    chooseModel->setText(tr("Choose a &model…"));
    enterModel->setText(tr("&Enter a model's numbers…"));
    addGpu->setText(tr("&Add a GPU…"));
    removeGpu->setText(tr("&Remove the selected GPU"));
    nextGpu->setText(tr("&Next GPU"));
    pin->setText(tr("&Pin this scenario"));
    pin->setToolTip(tr("It stays in every chart as a dashed ghost"));

    tools->setTitle(tr("&Tools"));
    preferences->setText(tr("&Preferences…"));
    help->setTitle(tr("&Help"));
    manual->setText(tr("&Keys and gestures"));
    about->setText(tr("&About KVScope"));
}

} // namespace kvscope
