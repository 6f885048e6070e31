// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/text.h"
#include "ui/theme.h"

#include <QByteArray>
#include <QStringList>

namespace kvscope {

/// What the user prefers, apart from any scenario.
struct Settings {
    QString language; ///< "en", "zh_CN", or empty: the system's
    ThemeChoice theme = ThemeChoice::System;
    text::Unit unit = text::Unit::GB;
    QStringList userCatalogues; ///< files of models and devices of the user's own
    bool resumeSession = true;
    QStringList recentFiles; ///< newest first
    QString lastFolder;      ///< where file dialogs open
    QByteArray geometry;
    QByteArray windowState;
    QByteArray cardState;

    bool operator==(const Settings &) const = default;
};

/// From the application's QSettings; what is missing or unreadable is the default.
Settings loadSettings();
void saveSettings(const Settings &settings);

/// `path` becomes the first of at most ten.
void noteRecent(Settings &settings, const QString &path);

} // namespace kvscope
