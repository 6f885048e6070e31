// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/index.h"
#include "core/engine.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace kvscope;

/// The program that checks the catalogue while building: what is wrong in the files must stop the build and be named.
class tst_CatalogIndexer : public QObject {
    Q_OBJECT

    /// Runs the indexer over copies of the real files, one of them changed; returns what it said.
    static QString runWith(const QString &file, const QByteArray &from, const QByteArray &to, int *exitCode)
    {
        QTemporaryDir folder;
        QStringList arguments;
        for (const QString &name : {QStringLiteral("models.json"), QStringLiteral("devices.json"), QStringLiteral("engines.json")}) {
            QFile source(QStringLiteral(KVSCOPE_SOURCE_DIR "/resources/catalog/") + name);
            if (!source.open(QIODevice::ReadOnly))
                qFatal("no catalogue");
            QByteArray text = source.readAll();
            if (name == file) {
                const qsizetype place = text.indexOf(from);
                if (place < 0)
                    qFatal("the text to change is not there: %s", from.constData());
                text.replace(place, from.size(), to);
            }
            QFile copy(folder.filePath(name));
            if (!copy.open(QIODevice::WriteOnly) || copy.write(text) != text.size())
                qFatal("no copy");
            arguments << copy.fileName();
        }
        arguments << folder.filePath(QStringLiteral("out.cpp"));
        QProcess process;
        process.start(QStringLiteral(KVSCOPE_CATALOG_INDEXER), arguments);
        if (!process.waitForFinished(60'000))
            qFatal("the indexer did not end");
        *exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        const bool written = QFile::exists(arguments.last());
        if (written != (*exitCode == 0))
            *exitCode = -2;
        return QString::fromUtf8(process.readAllStandardError());
    }

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void acceptsTheCatalogue()
    {
        int exitCode = -1;
        const QString said = runWith(QStringLiteral("engines.json"), "\"schema\": 1", "\"schema\": 1", &exitCode);
        QCOMPARE(said, QString());
        QCOMPARE(exitCode, 0);
    }

    void refuses_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<QString>("says");
        const auto row = [](const char *name, const char *file, const char *from, const char *to, const char *says) {
            QTest::newRow(name) << QString::fromLatin1(file) << QByteArray(from) << QByteArray(to) << QString::fromLatin1(says);
        };
        row("no JSON", "models.json", "\"schema\": 1,", "\"schema\": 1", "models.json: byte");
        row("a figure without a source", "models.json", "\"for\": [\"released\"]", "\"for\": [\"licence\"]",
            "sources: missing: a source for released");
        row("an id that is not the Hub's", "models.json", "\"id\": \"aya-23-8b\"", "\"id\": \"aya-24-8b\"", "should have the id aya-23-8b");
        row("an unread config", "models.json", "\"num_hidden_layers\": 32", "\"num_hidden_layers\": -1", "num_hidden_layers");
        row("a family without words", "models.json", "\"family\": \"Cohere\"", "\"family\": \"Cohers\"",
            "family Cohers has no search words");
        row("an alias that is another's name", "models.json", "\"aliases\": [\"aya 8b\"]", "\"aliases\": [\"falcon 40b\"]",
            "shares the name or alias 'falcon40b'");
        row("out of order", "devices.json", "\"id\": \"a10\"", "\"id\": \"zz10\"", "by its id");
        row("a device without sources", "devices.json", "\"sources\": [", "\"zources\": [", "devices[0].sources: missing");
        row("a vendor that is not listed", "devices.json", "\"vendor\": \"NVIDIA\"", "\"vendor\": \"Nvidia\"",
            "vendor Nvidia is not listed");
        row("memory as text", "devices.json", "\"driver_mib\": 23028", "\"driver_mib\": \"23028\"",
            "devices[0].memory.driver_mib: takes integer");
        row("dates that fall", "engines.json", "2023-12-08", "2033-12-08", "transformers.releases[1].date: dates must rise");
        row("a change without a source", "engines.json", "\"source\": \"transformers.md 0.1, 2, 4\"", "\"source\": \"\"",
            "transformers.releases[0].source");
    }

    void refuses()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(QString, says);
        int exitCode = 0;
        const QString said = runWith(file, from, to, &exitCode);
        QCOMPARE(exitCode, 1);
        QVERIFY2(said.contains(says) && said.contains(file), qPrintable(said));
        QCOMPARE(said.count(QLatin1Char('\n')), 1);
    }

    /// engines.json and the engines themselves name each other.
    void enginesAreThoseOfTheProgram()
    {
        QCOMPARE(static_cast<int>(builtInIndex().engines.size()), engineCount);
        for (int i = 0; i < engineCount; ++i)
            QVERIFY(builtInIndex().engines[static_cast<std::size_t>(i)].name == engineOf(static_cast<EngineId>(i)).name());
    }
};

QTEST_GUILESS_MAIN(tst_CatalogIndexer)
#include "tst_catalogindexer.moc"
