// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session.h"

#include "core/scenariofile.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace kvscope {

Session::Session(QString path, std::function<Scenario()> current, QObject *parent)
    : QObject(parent),
      m_path(std::move(path)),
      m_current(std::move(current))
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(300);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        if (const auto error = saveNow())
            emit saveFailed(*error);
    });
}

SessionReading Session::read() const
{
    SessionReading reading;
    if (!QFileInfo::exists(m_path))
        return reading;
    auto scenario = loadScenario(m_path.toStdString());
    if (scenario) {
        reading.scenario = *scenario;
        return reading;
    }
    reading.damage = scenario.error();
    for (int n = 1; n <= 99 && reading.setAside.isEmpty(); ++n) {
        const QString aside = QStringLiteral("%1.damaged-%2").arg(m_path).arg(n);
        if (!QFileInfo::exists(aside) && QFile::rename(m_path, aside))
            reading.setAside = aside;
    }
    return reading;
}

std::optional<Error> Session::saveNow()
{
    m_timer.stop();
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    return saveScenario(m_current(), m_path.toStdString());
}

QString Session::defaultPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/session.kvscope");
}

} // namespace kvscope
