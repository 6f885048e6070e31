// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF files on kvplan's command line: as files, as pipes, cut and damaged, and kept in scenario files.
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>

#include "cliharness.h"
#include "tests/core/ggufwriter.h"

using namespace kvscope;
using namespace kvscope::testing;

namespace {

/// Bytes of smallFile's tensors: rows of 64 are two blocks of 34 bytes.
constexpr qint64 smallBytes = 6800 + 2 * 4352 + 3 * 256;
/// Its parameters: the table, a norm, and two blocks of a norm and a matrix.
constexpr qint64 smallParameters = 6400 + 64 + 2 * (64 + 4096);

void write(const QString &path, const std::string &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes.data(), static_cast<qint64>(bytes.size()));
}

QStringList warningsOf(const CliRun &run)
{
    QStringList codes;
    for (const QJsonValue &warning : run.json()[QLatin1String("warnings")].toArray())
        codes << warning[QLatin1String("code")].toString();
    return codes;
}

QByteArray what(const CliRun &run) { return QByteArray::fromStdString("status " + std::to_string(run.status) + "\n" + run.out + run.err); }

} // namespace

class TestGgufFiles : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void inspected()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("small.gguf"));
        write(path, smallFile().whole());
        for (const CliRun &run :
             {runCli({"inspect", path.toStdString(), "--json"}), runCli({"inspect", "-", "--json"}, smallFile().header())}) {
            QVERIFY2(run.status == 0, what(run));
            const QJsonObject weights = run.json()[QLatin1String("weights")].toObject();
            QCOMPARE(weights[QLatin1String("format")].toString(), QStringLiteral("q8_0"));
            QCOMPARE(weights[QLatin1String("bytes")].toInteger(), smallBytes);
            QCOMPARE(weights[QLatin1String("measured")].toBool(), true);
            QCOMPARE(weights[QLatin1String("bits_per_parameter")].toDouble(), 8.0 * smallBytes / smallParameters);
            QCOMPARE(warningsOf(run), QStringList());
            QCOMPARE(run.json()[QLatin1String("model")][QLatin1String("name")].toString(), QStringLiteral("Small"));
        }
        const CliRun text = runCli({"inspect", path.toStdString()});
        QVERIFY2(text.status == 0, what(text));
        for (const char *expected : {"q8_0", "14,784", "8.81 bits a parameter", "Tensors"}) // 8 x 16,272 / 14,784
            QVERIFY2(text.out.find(expected) != std::string::npos, what(text));
    }

    void cutOrDamaged()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("cut.gguf"));
        const std::string header = smallFile().header();
        write(path, header);
        const CliRun incomplete = runCli({"inspect", path.toStdString(), "--json"});
        QVERIFY2(incomplete.status == 0, what(incomplete));
        QCOMPARE(warningsOf(incomplete), QStringList{QStringLiteral("incomplete_file")});
        const CliRun planned = runCli({"plan", "--model", path.toStdString(), "--gpu-memory", "1GB", "--json"});
        QVERIFY2(planned.status == 0, what(planned));
        QVERIFY(warningsOf(planned).contains(QStringLiteral("incomplete_file")));
        // All tensors are read, so the weights are known to the byte.
        QCOMPARE(planned.json()[QLatin1String("devices")][0][QLatin1String("weights_bytes")].toInteger(), smallBytes);

        const QRegularExpression form(QStringLiteral("^kvplan: .+: .+; .+$"));
        GgufFile removed = smallKeys();
        removed.tensor("t", {256}, 4, 4);
        for (const std::string &bytes : {header.substr(0, 100), removed.header(), GgufFile(1).header(), GgufFile().header()}) {
            write(path, bytes);
            const CliRun run = runCli({"inspect", path.toStdString()});
            QVERIFY2(run.status == 3 && run.out.empty(), what(run));
            QVERIFY2(run.errorLines().size() == 1 && form.match(run.errorLines().constFirst()).hasMatch(), what(run));
        }
    }

    /// What is planned from a file is planned from the scenario that holds it.
    void kept()
    {
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("small.gguf")), saved = folder.filePath(QStringLiteral("saved.json"));
        write(path, smallFile().whole());
        const std::vector<std::string> plan{"plan", "--model", path.toStdString(), "--gpu-memory", "1GB", "--json"};
        std::vector<std::string> saving = plan;
        saving.insert(saving.end(), {"--save", saved.toStdString()});
        QCOMPARE(runCli(saving).status, 0);
        QVERIFY(QFile::remove(path));
        const CliRun again = runCli({"plan", "--scenario", saved.toStdString(), "--json"});
        QVERIFY2(again.status == 0, what(again));
        write(path, smallFile().whole());
        QCOMPARE(QString::fromStdString(again.out), QString::fromStdString(runCli(plan).out));
    }
};

QTEST_MAIN(TestGgufFiles)
#include "tst_gguffiles.moc"
