// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme.h"

#include <QApplication>
#include <QStyleFactory>

#include <cmath>

namespace kvscope {

namespace {

using Dashes = QList<qreal>;

// Order: the first four stay apart best for every kind of colour blindness.
std::array<SeriesLook, seriesLookCount> looks(const std::array<std::array<QRgb, 2>, seriesLookCount> &colours)
{
    static const std::array<Dashes, seriesLookCount> dashes{
        Dashes{},          Dashes{5, 2.5}, Dashes{1.2, 2}, Dashes{6, 2, 1.2, 2}, Dashes{9, 2.5}, Dashes{3, 2}, Dashes{6, 2, 1.2, 2, 1.2, 2},
        Dashes{9, 2, 3, 2}};
    static constexpr std::array<Marker, seriesLookCount> markers{Marker::Circle, Marker::Square, Marker::Triangle, Marker::Diamond,
                                                                 Marker::Cross,  Marker::Plus,   Marker::Square,   Marker::Triangle};
    std::array<SeriesLook, seriesLookCount> result;
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = {QColor::fromRgb(colours[i][0]), QColor::fromRgb(colours[i][1]), dashes[i], markers[i]};
    return result;
}

Theme makeLight()
{
    Theme t;
    t.window = QColor(0xF3F5F8);
    t.card = QColor(0xFFFFFF);
    t.border = QColor(0xDFE4EA);
    t.field = QColor(0xF6F8FA);
    t.fieldBorder = QColor(0xD5DBE3);
    t.hover = QColor(0xE9EEF4);
    t.chip = QColor(0xE8F1FB);
    t.text = QColor(0x1A1F29);
    t.muted = QColor(0x596577);
    t.accent = QColor(0x0A66C2);
    t.onAccent = QColor(0xFFFFFF);
    t.grid = QColor(0xE7EBF0);
    t.axis = QColor(0xC3CBD6);
    t.ghost = QColor(0x6B7789);
    t.outOfMemory = QColor(0xB3261E);
    t.outOfMemoryTint = QColor(179, 38, 30, 16);
    t.fitTint = QColor(0, 135, 95, 24);
    t.free = QColor(0xE9EDF2);
    t.parts = {PartLook{QColor(0x4A78B5), Texture::None},    PartLook{QColor(0xE08A1E), Texture::Rising},
               PartLook{QColor(0xC0679C), Texture::Dots},    PartLook{QColor(0x4FA37C), Texture::Falling},
               PartLook{QColor(0x49A5CF), Texture::Upright}, PartLook{QColor(0x8C7BB8), Texture::Level}};
    t.series = looks({{{0xC77700, 0x945700},
                       {0x0072B2, 0x0069A6},
                       {0x00875F, 0x007552},
                       {0xB5528A, 0xA0417A},
                       {0x4A5463, 0x4A5463},
                       {0x2A8DC5, 0x1A72A3},
                       {0xD55E00, 0xB84F00},
                       {0x857A00, 0x6B6200}}});
    t.verdicts = {VerdictLook{QColor(0x0B6B43), QColor(0xE3F4EA)}, VerdictLook{QColor(0x7A4E00), QColor(0xFDF1D8)},
                  VerdictLook{QColor(0xA3211A), QColor(0xFCE6E4)}, VerdictLook{QColor(0x4A5463), QColor(0xEBEFF4)}};
    return t;
}

Theme makeDark()
{
    Theme t;
    t.dark = true;
    t.window = QColor(0x14181D);
    t.card = QColor(0x1C222A);
    t.border = QColor(0x2B333D);
    t.field = QColor(0x14181E);
    t.fieldBorder = QColor(0x36404C);
    t.hover = QColor(0x28303A);
    t.chip = QColor(0x1A2E47);
    t.text = QColor(0xE6EAF0);
    t.muted = QColor(0x9AA5B5);
    t.accent = QColor(0x58A6FF);
    t.onAccent = QColor(0x0E1116);
    t.grid = QColor(0x2A323C);
    t.axis = QColor(0x4A5563);
    t.ghost = QColor(0x8793A4);
    t.outOfMemory = QColor(0xFF8A80);
    t.outOfMemoryTint = QColor(255, 138, 128, 18);
    t.fitTint = QColor(53, 199, 154, 26);
    t.free = QColor(0x2B333D);
    t.parts = {PartLook{QColor(0x6F9BDA), Texture::None},    PartLook{QColor(0xF0A53A), Texture::Rising},
               PartLook{QColor(0xDE93BF), Texture::Dots},    PartLook{QColor(0x7CC49B), Texture::Falling},
               PartLook{QColor(0x7CCBEF), Texture::Upright}, PartLook{QColor(0xB3A2DB), Texture::Level}};
    t.series = looks({{{0xF0A53A, 0xF0A53A},
                       {0x6AB0F5, 0x6AB0F5},
                       {0x35C79A, 0x35C79A},
                       {0xDE93BF, 0xDE93BF},
                       {0xC4CDD9, 0xC4CDD9},
                       {0x9ADAF7, 0x9ADAF7},
                       {0xFF8A4C, 0xFF8A4C},
                       {0xE5DB5A, 0xE5DB5A}}});
    t.verdicts = {VerdictLook{QColor(0x4FD79F), QColor(0x16352A)}, VerdictLook{QColor(0xF2B84B), QColor(0x3A2E14)},
                  VerdictLook{QColor(0xFF8A80), QColor(0x3D1F20)}, VerdictLook{QColor(0xB4BECC), QColor(0x2B333D)}};
    return t;
}

double luminance(const QColor &colour)
{
    const auto channel = [](double v) { return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) + 0.0722 * channel(colour.blueF());
}

} // namespace

const Theme &lightTheme()
{
    static const Theme theme = makeLight();
    return theme;
}

const Theme &darkTheme()
{
    static const Theme theme = makeDark();
    return theme;
}

const Theme &themeOf(const QPalette &palette)
{
    return palette.color(QPalette::WindowText).lightness() > palette.color(QPalette::Window).lightness() ? darkTheme() : lightTheme();
}

QPalette paletteOf(const Theme &t)
{
    QPalette p;
    p.setColor(QPalette::Window, t.window);
    p.setColor(QPalette::WindowText, t.text);
    p.setColor(QPalette::Base, t.card);
    p.setColor(QPalette::AlternateBase, t.field);
    p.setColor(QPalette::Text, t.text);
    p.setColor(QPalette::PlaceholderText, t.muted);
    p.setColor(QPalette::Button, t.dark ? t.hover : t.field);
    p.setColor(QPalette::ButtonText, t.text);
    p.setColor(QPalette::BrightText, t.outOfMemory);
    p.setColor(QPalette::Highlight, t.accent);
    p.setColor(QPalette::HighlightedText, t.onAccent);
    p.setColor(QPalette::Link, t.accent);
    p.setColor(QPalette::LinkVisited, t.accent);
    p.setColor(QPalette::ToolTipBase, t.card);
    p.setColor(QPalette::ToolTipText, t.text);
    p.setColor(QPalette::Light, t.dark ? t.hover : t.card);
    p.setColor(QPalette::Midlight, t.border);
    p.setColor(QPalette::Mid, t.fieldBorder);
    p.setColor(QPalette::Dark, t.axis);
    p.setColor(QPalette::Shadow, t.dark ? QColor(0x0A0D10) : QColor(0x9AA5B5));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        p.setColor(QPalette::Disabled, role, t.ghost);
    p.setColor(QPalette::Disabled, QPalette::Highlight, t.fieldBorder);
    return p;
}

QString styleSheetOf(const Theme &t)
{
    // %name% stands for a colour; one text serves both themes.
    QString sheet = QStringLiteral(R"(
QMainWindow, QDialog { background: %window%; }
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QMenuBar { background: %card%; border-bottom: 1px solid %border%; padding: 2px 6px; }
QMenuBar::item { padding: 5px 10px; border-radius: 5px; background: transparent; }
QMenuBar::item:selected { background: %hover%; }
QMenu { background: %card%; border: 1px solid %fieldBorder%; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 22px; border-radius: 4px; }
QMenu::item:selected { background: %accent%; color: %onAccent%; }
QMenu::item:disabled { color: %ghost%; background: transparent; }
QMenu::separator { height: 1px; background: %border%; margin: 4px 8px; }
QToolTip { background: %card%; color: %text%; border: 1px solid %fieldBorder%; padding: 4px 6px; }
QStatusBar { background: %card%; border-top: 1px solid %border%; color: %muted%; }
QStatusBar::item { border: none; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: %accent%; }
QMainWindow::separator { background: transparent; width: 6px; height: 6px; }
QMainWindow::separator:hover { background: %accent%; }
QDockWidget { titlebar-close-icon: none; }
QDockWidget::title { background: %window%; padding: 6px 10px; text-align: left; }

QFrame[card="true"] { background: %card%; border: 1px solid %border%; border-radius: 9px; }
QFrame[panel="true"], QScrollArea[panel="true"] { background: %card%; border: none; }

QLabel[role="title"] { font-weight: 600; }
QLabel[role="muted"] { color: %muted%; }
QLabel[role="section"] { color: %muted%; font-weight: 600; }
QLabel[role="figure"] { font-weight: 600; font-size: 15pt; }
QLabel[role="error"] { color: %error%; }

QComboBox, QLineEdit, QAbstractSpinBox { background: %field%; border: 1px solid %fieldBorder%; border-radius: 5px; padding: 3px 8px;
    min-height: 1.35em; selection-background-color: %accent%; selection-color: %onAccent%; }
QComboBox:hover, QLineEdit:hover, QAbstractSpinBox:hover { border-color: %axis%; }
QComboBox:focus, QLineEdit:focus, QAbstractSpinBox:focus { border: 2px solid %accent%; padding: 2px 7px; }
QComboBox:disabled, QLineEdit:disabled, QAbstractSpinBox:disabled { color: %ghost%; background: %window%; }
QLineEdit[invalid="true"], QAbstractSpinBox[invalid="true"] { border: 2px solid %error%; padding: 2px 7px; }
QComboBox { padding-right: 4px; }
QComboBox:focus { padding-right: 3px; }
QComboBox::drop-down { subcontrol-origin: border; subcontrol-position: center right; width: 22px; border: none; }
QComboBox::down-arrow { image: url(:/charts/down-%mode%.svg); width: 12px; height: 12px; }
QComboBox QAbstractItemView { background: %card%; border: 1px solid %fieldBorder%; selection-background-color: %accent%;
    selection-color: %onAccent%; outline: none; padding: 3px; }
QComboBox[list="true"] { combobox-popup: 0; }
QComboBox[list="true"] QAbstractItemView::item { min-height: 1.7em; padding: 0px 6px; }
QComboBox[quiet="true"] { background: transparent; border-color: transparent; color: %muted%; }
QComboBox[quiet="true"]:hover { background: %hover%; color: %text%; }
QComboBox[quiet="true"]:focus { border-color: %accent%; color: %text%; }
QAbstractSpinBox { padding-right: 18px; }
QAbstractSpinBox:focus { padding-right: 17px; }
QAbstractSpinBox::up-button { subcontrol-origin: border; subcontrol-position: top right; width: 18px; border: none; }
QAbstractSpinBox::down-button { subcontrol-origin: border; subcontrol-position: bottom right; width: 18px; border: none; }
QAbstractSpinBox::up-arrow { image: url(:/charts/up-%mode%.svg); width: 10px; height: 10px; }
QAbstractSpinBox::down-arrow { image: url(:/charts/down-%mode%.svg); width: 10px; height: 10px; }

QPushButton, QToolButton { background: %field%; border: 1px solid %fieldBorder%; border-radius: 5px; padding: 4px 12px; color: %text%; }
QToolButton { padding: 3px 7px; }
QPushButton:hover, QToolButton:hover { background: %hover%; }
QPushButton:pressed, QToolButton:pressed { background: %border%; }
QPushButton:focus, QToolButton:focus { border: 2px solid %accent%; padding: 3px 11px; }
QToolButton:focus { padding: 2px 6px; }
QPushButton:disabled, QToolButton:disabled { color: %ghost%; }
QPushButton:default, QPushButton[primary="true"] { background: %accent%; border-color: %accent%; color: %onAccent%; font-weight: 600; }
QPushButton:default:focus, QPushButton[primary="true"]:focus { border: 2px solid %text%; }
QToolButton[quiet="true"], QPushButton[quiet="true"] { background: transparent; border-color: transparent; color: %muted%; }
QToolButton[quiet="true"]:hover, QPushButton[quiet="true"]:hover { background: %hover%; color: %text%; }
QToolButton[quiet="true"]:focus, QPushButton[quiet="true"]:focus { border-color: %accent%; }
QToolButton::menu-indicator { image: none; width: 0px; }
QPushButton[chip="true"], QToolButton[chip="true"] { border: 1px solid %fieldBorder%; border-radius: 11px; padding: 2px 10px; }
QPushButton[chip="true"]:checked, QToolButton[chip="true"]:checked { border-color: %accent%; color: %accent%; background: %chip%; }
QPushButton[chip="true"]:focus, QToolButton[chip="true"]:focus { border: 2px solid %accent%; padding: 1px 9px; }

QCheckBox { spacing: 7px; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid %axis%; border-radius: 4px; background: %field%; }
QCheckBox::indicator:checked { background: %accent%; border-color: %accent%; image: url(:/charts/check-%mode%.svg); }
QCheckBox::indicator:focus { border: 2px solid %accent%; width: 12px; height: 12px; }

QSlider:horizontal { min-height: 20px; }
QSlider::groove:horizontal { height: 4px; border-radius: 2px; background: %fieldBorder%; }
QSlider::sub-page:horizontal { height: 4px; border-radius: 2px; background: %accent%; }
QSlider::handle:horizontal { width: 10px; height: 10px; margin: -6px 0; border-radius: 8px; border: 3px solid %accent%; background: %card%; }
QSlider::handle:horizontal:hover { background: %chip%; }
QSlider::handle:horizontal:focus { border: 4px solid %accent%; width: 8px; height: 8px; background: %text%; }
QSlider::sub-page:horizontal:disabled { background: %fieldBorder%; }

QTableView, QTreeView, QListView { background: %card%; alternate-background-color: %field%; border: none; gridline-color: %grid%;
    selection-background-color: %chip%; selection-color: %text%; outline: none; }
QTableView:focus, QTreeView:focus, QListView:focus { border: 1px solid %accent%; border-radius: 4px; }
QHeaderView { background: %card%; border: none; }
QHeaderView::section { background: %card%; color: %muted%; border: none; border-bottom: 1px solid %border%; padding: 4px 6px; }
QTableCornerButton::section { background: %card%; border: none; }
QTabBar::tab { background: transparent; color: %muted%; padding: 5px 12px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: %text%; border-bottom-color: %accent%; }
QTabBar::tab:hover { color: %text%; }
QTabWidget::pane { border: none; border-top: 1px solid %border%; }
QScrollArea { border: none; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: %axis%; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: %ghost%; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QProgressBar { background: %fieldBorder%; border: none; border-radius: 3px; text-align: center; color: %text%; }
QProgressBar::chunk { background: %accent%; border-radius: 3px; }
)");
    const std::pair<QLatin1String, QString> names[] = {
        {QLatin1String("%window%"), t.window.name()}, {QLatin1String("%card%"), t.card.name()},
        {QLatin1String("%border%"), t.border.name()}, {QLatin1String("%fieldBorder%"), t.fieldBorder.name()},
        {QLatin1String("%field%"), t.field.name()},   {QLatin1String("%hover%"), t.hover.name()},
        {QLatin1String("%text%"), t.text.name()},     {QLatin1String("%muted%"), t.muted.name()},
        {QLatin1String("%accent%"), t.accent.name()}, {QLatin1String("%onAccent%"), t.onAccent.name()},
        {QLatin1String("%grid%"), t.grid.name()},     {QLatin1String("%axis%"), t.axis.name()},
        {QLatin1String("%ghost%"), t.ghost.name()},   {QLatin1String("%error%"), t.outOfMemory.name()},
        {QLatin1String("%chip%"), t.chip.name()},     {QLatin1String("%mode%"), t.dark ? QStringLiteral("dark") : QStringLiteral("light")},
    };
    for (const auto &[name, value] : names)
        sheet.replace(name, value);
    return sheet;
}

void applyTheme(QApplication &application, ThemeChoice choice)
{
    // Once: a style made anew polishes every widget again.
    static const bool fusion = [] {
        QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
        return true;
    }();
    Q_UNUSED(fusion)
    // An empty palette brings back the platform's own, which tells light from dark.
    QApplication::setPalette(QPalette());
    const Theme &theme = choice == ThemeChoice::System ? themeOf(QApplication::palette())
                         : choice == ThemeChoice::Dark ? darkTheme()
                                                       : lightTheme();
    QApplication::setPalette(paletteOf(theme));
    application.setStyleSheet(styleSheetOf(theme));
}

double contrast(const QColor &a, const QColor &b)
{
    const double x = luminance(a);
    const double y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

QColor readableOn(const QColor &fill)
{
    const QColor black(0x14181D);
    return contrast(fill, Qt::white) >= contrast(fill, black) ? QColor(Qt::white) : black;
}

} // namespace kvscope
