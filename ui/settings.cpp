// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settings.h"

#include <QSettings>

#include <array>

namespace kvscope {

namespace {

constexpr std::array<QLatin1String, 3> themeNames{QLatin1String("system"), QLatin1String("light"), QLatin1String("dark")};

ThemeChoice themeByName(const QString &name)
{
    for (std::size_t i = 0; i < themeNames.size(); ++i) {
        if (name == themeNames[i])
            return static_cast<ThemeChoice>(i);
    }
    return ThemeChoice::System;
}

} // namespace

Settings loadSettings()
{
    const QSettings store;
    Settings s;
    s.language = store.value(QStringLiteral("language")).toString();
    s.theme = themeByName(store.value(QStringLiteral("theme")).toString());
    s.unit = store.value(QStringLiteral("unit")).toString() == QLatin1String("GiB") ? text::Unit::GiB : text::Unit::GB;
    s.userCatalogues = store.value(QStringLiteral("userCatalogues")).toStringList();
    s.resumeSession = store.value(QStringLiteral("resumeSession"), true).toBool();
    s.recentFiles = store.value(QStringLiteral("recentFiles")).toStringList();
    s.lastFolder = store.value(QStringLiteral("lastFolder")).toString();
    s.geometry = store.value(QStringLiteral("window/geometry")).toByteArray();
    s.windowState = store.value(QStringLiteral("window/state")).toByteArray();
    s.cardState = store.value(QStringLiteral("window/cards")).toByteArray();
    return s;
}

void saveSettings(const Settings &s)
{
    QSettings store;
    store.setValue(QStringLiteral("language"), s.language);
    store.setValue(QStringLiteral("theme"), QString(themeNames[static_cast<std::size_t>(s.theme)]));
    store.setValue(QStringLiteral("unit"), text::unitName(s.unit));
    store.setValue(QStringLiteral("userCatalogues"), s.userCatalogues);
    store.setValue(QStringLiteral("resumeSession"), s.resumeSession);
    store.setValue(QStringLiteral("recentFiles"), s.recentFiles);
    store.setValue(QStringLiteral("lastFolder"), s.lastFolder);
    store.setValue(QStringLiteral("window/geometry"), s.geometry);
    store.setValue(QStringLiteral("window/state"), s.windowState);
    store.setValue(QStringLiteral("window/cards"), s.cardState);
}

void noteRecent(Settings &settings, const QString &path)
{
    constexpr int most = 10;
    settings.recentFiles.removeAll(path);
    settings.recentFiles.prepend(path);
    while (settings.recentFiles.size() > most)
        settings.recentFiles.removeLast();
}

} // namespace kvscope
