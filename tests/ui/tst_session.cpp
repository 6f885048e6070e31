// SPDX-License-Identifier: GPL-3.0-or-later
// The autosaved session survives death at any moment, and a damaged one is set aside. Run with --save-in-a-loop FILE this program is the one that dies.
#include "ui/session.h"

#include "core/import/import.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRandomGenerator>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <cstdio>

using namespace kvscope;

namespace {

Scenario scenarioNumber(std::int64_t n)
{
    Scenario scenario;
    scenario.model = std::make_shared<const ModelSpec>(modelByHand({.layers = 32, .kvHeads = 8, .headDim = 128, .heads = 32}));
    for (int i = 0; i < 8; ++i)
        scenario.clusters.push_back(clusterOf(deviceOfSize(24_GB), 1 + i % 2, {.tensor = 1 + i % 2}));
    scenario.context = {n};
    return scenario;
}

/// Saves for ever, each time another scenario; tells when the first is on disk.
int saveInALoop(const QString &path)
{
    std::int64_t n = 1;
    Session session(path, [&n] { return scenarioNumber(n); });
    for (;; ++n) {
        if (session.saveNow())
            return 1;
        if (n == 1) {
            std::puts("saved");
            std::fflush(stdout);
        }
    }
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
}

} // namespace

class TestSession : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void nothingThere()
    {
        QTemporaryDir folder;
        const Session session(folder.filePath(QStringLiteral("session.kvscope")), [] { return Scenario{}; });
        const SessionReading reading = session.read();
        QVERIFY(!reading.scenario);
        QVERIFY(!reading.damage);
    }

    void comesBack()
    {
        QTemporaryDir folder;
        Session session(folder.filePath(QStringLiteral("deep/er/session.kvscope")), [] { return scenarioNumber(4242); });
        QVERIFY(!session.saveNow());
        const SessionReading reading = session.read();
        QVERIFY(reading.scenario);
        QVERIFY(*reading.scenario == scenarioNumber(4242));
    }

    void savesSoonAfterAChange()
    {
        QTemporaryDir folder;
        int asked = 0;
        const QString path = folder.filePath(QStringLiteral("session.kvscope"));
        Session session(path, [&asked] {
            ++asked;
            return scenarioNumber(1);
        });
        for (int i = 0; i < 100; ++i)
            session.touch();
        QVERIFY(!QFile::exists(path));
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), 2000);
        QCOMPARE(asked, 1);
    }

    void damagedIsSetAside_data()
    {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut") << QByteArray("{\"kvscope\": 1, \"model\": {");
        QTest::newRow("no JSON") << QByteArray("\xff\xfe\0garbage", 10);
        QTest::newRow("other JSON") << QByteArray("[1, 2, 3]");
    }
    void damagedIsSetAside()
    {
        QFETCH(QByteArray, bytes);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("session.kvscope"));
        write(path, bytes);
        Session session(path, [] { return scenarioNumber(7); });
        const SessionReading reading = session.read();
        QVERIFY(!reading.scenario);
        QVERIFY(reading.damage);
        QVERIFY(!QFile::exists(path));
        QFile aside(reading.setAside);
        QVERIFY(aside.open(QIODevice::ReadOnly));
        QCOMPARE(aside.readAll(), bytes);
        // A second damaged one does not overwrite the first, and the next save is whole again.
        write(path, bytes);
        QVERIFY(session.read().setAside != reading.setAside);
        QVERIFY(!session.saveNow());
        QVERIFY(session.read().scenario);
    }

    void leftoversOfTheDeadAreSweptAway()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("session.kvscope"));
        write(path + QStringLiteral(".new-1"), "old");
        write(path + QStringLiteral(".new-2"), "young");
        QFile old(path + QStringLiteral(".new-1"));
        QVERIFY(old.open(QIODevice::ReadWrite));
        QVERIFY(old.setFileTime(QDateTime::currentDateTime().addSecs(-3600), QFileDevice::FileModificationTime));
        old.close();
        const Session session(path, [] { return scenarioNumber(7); });
        session.read();
        QVERIFY(!QFile::exists(path + QStringLiteral(".new-1")));
        QVERIFY(QFile::exists(path + QStringLiteral(".new-2")));
    }

    void aFolderThatCannotBeWrittenIsSaid()
    {
        Session session(QStringLiteral("/proc/none/session.kvscope"), [] { return scenarioNumber(7); });
        QSignalSpy failed(&session, &Session::saveFailed);
        session.touch();
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, 2000);
    }

    void survivesKillAtAnyMoment()
    {
        constexpr int deaths = 200;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("session.kvscope"));
        const Session session(path, [] { return Scenario{}; });
        int whole = 0;
        for (int i = 0; i < deaths; ++i) {
            QProcess child;
            child.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--save-in-a-loop"), path});
            QVERIFY(child.waitForStarted());
            // In two of three rounds it dies while saving; else somewhere on its way there.
            if (i % 3 != 0)
                QVERIFY(child.waitForReadyRead());
            QTest::qSleep(static_cast<int>(QRandomGenerator::global()->bounded(i % 3 != 0 ? 6 : 60)));
            child.kill(); // SIGKILL
            QVERIFY(child.waitForFinished());
            const SessionReading reading = session.read();
            if (!reading.scenario && !reading.damage) {
                QVERIFY2(i < 2, "the session was there and is gone");
                continue;
            }
            QVERIFY2(reading.scenario, "the session is damaged");
            QVERIFY(*reading.scenario == scenarioNumber(reading.scenario->context.value));
            ++whole;
        }
        QVERIFY(whole >= deaths - 2);
    }
};

int main(int argc, char **argv)
{
    if (argc == 3 && QByteArray(argv[1]) == "--save-in-a-loop")
        return saveInALoop(QString::fromLocal8Bit(argv[2]));
    QCoreApplication application(argc, argv);
    TestSession test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_session.moc"
