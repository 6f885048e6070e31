// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/session.h"

#include "core/scenariofile.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>

namespace kvscope {

Session::Session(QString path, std::function<Scenario()> current, QObject *parent) :
    QObject(parent), m_path(std::move(path)), m_current(std::move(current))
{
    m_writer.setMaxThreadCount(1); // so that an older state never overtakes a newer one
    m_timer.setSingleShot(true);
    m_timer.setInterval(300);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        m_writer.start([this, scenario = m_current()] {
            if (const auto error = write(scenario))
                QMetaObject::invokeMethod(
                    this, [this, error] { emit saveFailed(*error); }, Qt::QueuedConnection);
        });
    });
}

Session::~Session() { m_writer.waitForDone(); }

SessionReading Session::read() const
{
    sweep();
    SessionReading reading;
    if (!QFileInfo::exists(m_path))
        return reading;
    auto scenario = loadScenario(m_path.toStdString());
    if (scenario) {
        reading.scenario = *scenario;
        return reading;
    }
    reading.damage = scenario.error();
    constexpr int most = 99;
    for (int n = 1; n <= most && reading.setAside.isEmpty(); ++n) {
        const QString aside = QStringLiteral("%1.damaged-%2").arg(m_path).arg(n);
        if (!QFileInfo::exists(aside) && QFile::rename(m_path, aside))
            reading.setAside = aside;
    }
    return reading;
}

/// Temporary files of programs that died while saving. Young ones may belong to one that is at it now.
void Session::sweep() const
{
    constexpr qint64 minute = 60;
    const QFileInfo session(m_path);
    const QDateTime before = QDateTime::currentDateTime().addSecs(-minute);
    for (const QFileInfo &left : session.dir().entryInfoList({session.fileName() + QStringLiteral(".new-*")}, QDir::Files)) {
        if (left.lastModified() < before)
            QFile::remove(left.filePath());
    }
}

void Session::touch()
{
    if (!m_timer.isActive())
        m_timer.start();
}

std::optional<Error> Session::saveNow()
{
    m_timer.stop();
    m_writer.waitForDone();
    return write(m_current());
}

std::optional<Error> Session::write(const Scenario &scenario) const
{
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    return saveScenario(scenario, m_path.toStdString());
}

QString Session::defaultPath()
{
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + QStringLiteral("/session.kvscope");
}

} // namespace kvscope
