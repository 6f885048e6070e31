// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/curve.h"
#include "core/plan.h"

#include <QColor>
#include <QPalette>
#include <QRectF>
#include <QString>

#include <array>

class QApplication;
class QPainter;

namespace kvscope {

enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// How a line of a chart is told from the others without its colour: dash pattern (in pen widths, empty = solid) and marker.
enum class Marker : std::uint8_t { Circle, Square, Triangle, Diamond, Cross, Plus };
inline constexpr int seriesLookCount = 8;
struct SeriesLook {
    QColor line; ///< at least 3 : 1 against a card
    QColor text; ///< the same hue for words, at least 4.5 : 1 against a card
    QList<qreal> dashes;
    Marker marker = Marker::Circle;
};

/// Texture of a part, so that bars read without colour.
enum class Texture : std::uint8_t { None, Rising, Falling, Level, Upright, Dots };
struct PartLook {
    QColor fill;
    Texture texture = Texture::None;
};

struct VerdictLook {
    QColor text; ///< at least 4.5 : 1 against `fill` and against a card
    QColor fill;
};

/// Every colour of the program, light or dark. Hues: Okabe and Ito's colour-blind-safe set ("Color Universal Design", 2008), darkened or
/// lightened until they reach WCAG 2.1's 3 : 1 for lines (1.4.11) and 4.5 : 1 for words (1.4.3).
struct Theme {
    bool dark = false;
    QColor window, card, border, field, fieldBorder, hover, chip;
    QColor text, muted, accent, onAccent;
    QColor grid, axis, ghost;
    QColor outOfMemory; ///< capacity line and hatching
    QColor outOfMemoryTint, fitTint;
    QColor free; ///< unused memory in bars
    std::array<PartLook, partCount> parts;
    std::array<SeriesLook, seriesLookCount> series;
    std::array<VerdictLook, 4> verdicts;

    const PartLook &look(Part part) const { return parts[static_cast<std::size_t>(part)]; }
    const VerdictLook &look(Verdict verdict) const { return verdicts[static_cast<std::size_t>(verdict)]; }
    /// The look of the n-th line; repeats after seriesLookCount.
    const SeriesLook &seriesLook(int n) const { return series[static_cast<std::size_t>(n) % seriesLookCount]; }
};

const Theme &lightTheme();
const Theme &darkTheme();
/// The theme that a widget with this palette is drawn in: dark where the text is lighter than the window (Qt 6.4 has no colorScheme).
const Theme &themeOf(const QPalette &palette);

QPalette paletteOf(const Theme &theme);
/// The style sheet of the whole window. Widgets choose a look by dynamic property: `card` (QFrame), `chip`, `quiet`, `primary` (buttons),
/// `role` = "title" / "muted" / "section" / "figure" (QLabel).
QString styleSheetOf(const Theme &theme);
/// Fusion, palette and style sheet, at start and while running. System: what the platform's own palette says.
void applyTheme(QApplication &application, ThemeChoice choice);

/// WCAG 2.1 contrast ratio, 1 to 21.
double contrast(const QColor &a, const QColor &b);
/// Black or white, whichever reads better on `fill`.
QColor readableOn(const QColor &fill);

} // namespace kvscope
