// SPDX-License-Identifier: GPL-3.0-or-later
// Which language is installed. QLocale's default is the one place that holds it: numbers and widgets follow it by themselves.
#include "ui/text/text.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace kvscope::text {

namespace {

QString chosenLanguage(const QString &wanted)
{
    const auto known = [](const QString &name) -> QString {
        if (name.startsWith(QLatin1String("zh"), Qt::CaseInsensitive))
            return QStringLiteral("zh_CN");
        if (name.startsWith(QLatin1String("en"), Qt::CaseInsensitive))
            return QStringLiteral("en");
        return {};
    };
    if (const QString language = known(wanted); !language.isEmpty())
        return language;
    const QStringList preferred = QLocale::system().uiLanguages();
    for (const QString &name : preferred) {
        if (const QString language = known(name); !language.isEmpty())
            return language;
    }
    return QStringLiteral("en");
}

/// Loads `file` from `folder` as a child of the application; nothing is installed where there is no such file.
void install(const QString &file, const QString &folder)
{
    auto *translator = new QTranslator(QCoreApplication::instance());
    translator->setObjectName(QStringLiteral("kvscopeTranslator"));
    if (!translator->load(file, folder) || !QCoreApplication::installTranslator(translator))
        delete translator;
}

} // namespace

void installLanguage(const QString &wanted)
{
    const QString language = chosenLanguage(wanted);
    // Before the translators, since widgets format numbers when LanguageChange reaches them.
    QLocale::setDefault(language == QLatin1String("en") ? QLocale(QLocale::English, QLocale::UnitedStates) : QLocale(language));
    const QList<QTranslator *> earlier =
        QCoreApplication::instance()->findChildren<QTranslator *>(QStringLiteral("kvscopeTranslator"), Qt::FindDirectChildrenOnly);
    // Qt's own words (OK, Cancel) matter to windows alone. The later installed wins: ours.
    if (language != QLatin1String("en") && QCoreApplication::instance()->inherits("QGuiApplication"))
        install(QStringLiteral("qtbase_") + language, QLibraryInfo::path(QLibraryInfo::TranslationsPath));
    install(QStringLiteral("kvscope_") + language, QStringLiteral(":/i18n"));
    qDeleteAll(earlier); // after the new ones: a message handled in between is never without words
}

QString language() { return QLocale().language() == QLocale::Chinese ? QStringLiteral("zh_CN") : QStringLiteral("en"); }

} // namespace kvscope::text
