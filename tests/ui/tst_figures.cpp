// SPDX-License-Identifier: GPL-3.0-or-later
// Figures as people read them. Expected texts: by hand.
#include "ui/text/text.h"

#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

class TestFigures : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        text::installLanguage(QStringLiteral("en"));
    }

    void bytes_data();
    void bytes();
    void exactBytes_data();
    void exactBytes();
    void bytesNumber();
    void tokens_data();
    void tokens();
    void parameters_data();
    void parameters();
};

void TestFigures::bytes_data()
{
    QTest::addColumn<qint64>("value");
    QTest::addColumn<bool>("binary");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, qint64 value, bool binary, const QString &expected) {
        QTest::newRow(name) << value << binary << expected;
    };
    row("zero", 0, false, QStringLiteral("0 GB"));
    row("one byte", 1, false, QStringLiteral("1 B"));
    row("999 bytes", 999, false, QStringLiteral("999 B"));
    row("kilobytes", 131072, false, QStringLiteral("131.1 KB"));
    row("kibibytes", 131072, true, QStringLiteral("128 KiB"));
    row("megabytes", 536870912, false, QStringLiteral("536.9 MB"));
    row("mebibytes", 536870912, true, QStringLiteral("512 MiB"));
    row("just below a GB rounds up", 999'999'999, false, QStringLiteral("1 GB"));
    row("just below a GiB rounds up", (qint64{1} << 30) - 1, true, QStringLiteral("1 GiB"));
    row("four digits", 4294967296, false, QStringLiteral("4.295 GB"));
    row("round in GiB", 4294967296, true, QStringLiteral("4 GiB"));
    row("17.18", 17179869184, false, QStringLiteral("17.18 GB"));
    row("no trailing zeros", 24'000'000'000, false, QStringLiteral("24 GB"));
    row("107.4", 107374182400, false, QStringLiteral("107.4 GB"));
    row("grouped", 1'280'000'000'000, false, QStringLiteral("1,280 GB"));
    row("negative", -2'400'000'000, false, QStringLiteral("-2.4 GB"));
    row("negative and small", -2'400'000, false, QStringLiteral("-2.4 MB"));
    row("largest counted", tooLargeValue - 1, false, QStringLiteral("9,223,372,037 GB"));
    row("too large", tooLargeValue, false, QStringLiteral("too large to count"));
}

void TestFigures::bytes()
{
    QFETCH(qint64, value);
    QFETCH(bool, binary);
    QFETCH(QString, expected);
    const text::Unit unit = binary ? text::Unit::GiB : text::Unit::GB;
    QCOMPARE(text::bytes({value}, unit), expected);
    text::installLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(text::bytes({value}, unit), value == tooLargeValue ? QStringLiteral("过大，无法计算") : expected);
}

void TestFigures::exactBytes_data()
{
    QTest::addColumn<qint64>("value");
    QTest::addColumn<bool>("binary");
    QTest::addColumn<QString>("expected");
    QTest::newRow("GB to the byte") << qint64{17179869184} << false << QStringLiteral("17.179869184 GB");
    QTest::newRow("GiB") << qint64{17179869184} << true << QStringLiteral("16 GiB");
    QTest::newRow("one byte, GB") << qint64{1} << false << QStringLiteral("0.000000001 GB");
    QTest::newRow("one byte, GiB") << qint64{1} << true << QStringLiteral("0.0000000009 GiB");
    QTest::newRow("half a GiB") << qint64{536870912} << true << QStringLiteral("0.5 GiB");
    QTest::newRow("a byte below a GiB") << (qint64{1} << 30) - 1 << true << QStringLiteral("0.9999999991 GiB");
    QTest::newRow("grouped") << qint64{1'234'567'000'000'001} << false << QStringLiteral("1,234,567.000000001 GB");
    QTest::newRow("negative") << qint64{-1'500'000'000} << false << QStringLiteral("-1.5 GB");
    QTest::newRow("zero") << qint64{0} << false << QStringLiteral("0 GB");
}

void TestFigures::exactBytes()
{
    QFETCH(qint64, value);
    QFETCH(bool, binary);
    QFETCH(QString, expected);
    QCOMPARE(text::bytes({value}, binary ? text::Unit::GiB : text::Unit::GB, true), expected);
}

void TestFigures::bytesNumber()
{
    // Under one head the unit stays, however small the figure.
    QCOMPARE(text::bytesNumber(Bytes{536870912}, text::Unit::GB), QStringLiteral("0.537"));
    QCOMPARE(text::bytesNumber(Bytes{536870912}, text::Unit::GiB), QStringLiteral("0.5"));
    QCOMPARE(text::bytesNumber(Bytes{-1}, text::Unit::GB), QStringLiteral("0"));
    QCOMPARE(text::bytesNumber(Bytes{24'000'000'000}, text::Unit::GB), QStringLiteral("24"));
    QCOMPARE(text::unitName(text::Unit::GiB), QStringLiteral("GiB"));
}

void TestFigures::tokens_data()
{
    QTest::addColumn<qint64>("value");
    QTest::addColumn<QString>("full");
    QTest::addColumn<QString>("brief");
    QTest::newRow("zero") << qint64{0} << QStringLiteral("0") << QStringLiteral("0");
    QTest::newRow("below K") << qint64{1000} << QStringLiteral("1,000") << QStringLiteral("1,000");
    QTest::newRow("1K") << qint64{1024} << QStringLiteral("1,024") << QStringLiteral("1K");
    QTest::newRow("no round K") << qint64{40000} << QStringLiteral("40,000") << QStringLiteral("40,000");
    QTest::newRow("32K") << qint64{32768} << QStringLiteral("32,768") << QStringLiteral("32K");
    QTest::newRow("1M") << qint64{1048576} << QStringLiteral("1,048,576") << QStringLiteral("1M");
    QTest::newRow("1.5M") << qint64{1572864} << QStringLiteral("1,572,864") << QStringLiteral("1,536K");
    QTest::newRow("largest") << qint64{1'000'000'000} << QStringLiteral("1,000,000,000") << QStringLiteral("1,000,000,000");
}

void TestFigures::tokens()
{
    QFETCH(qint64, value);
    QFETCH(QString, full);
    QFETCH(QString, brief);
    QCOMPARE(text::tokens({value}), full);
    QCOMPARE(text::tokensShort({value}), brief);
}

void TestFigures::parameters_data()
{
    QTest::addColumn<qint64>("value");
    QTest::addColumn<QString>("expected");
    QTest::newRow("8B") << qint64{8'030'261'248} << QStringLiteral("8.03 B");
    QTest::newRow("70B") << qint64{70'553'706'496} << QStringLiteral("70.55 B");
    QTest::newRow("480B") << qint64{480'154'875'392} << QStringLiteral("480.2 B");
    QTest::newRow("1T") << qint64{1'026'408'232'448} << QStringLiteral("1.03 T");
    QTest::newRow("135M") << qint64{134'515'008} << QStringLiteral("134.5 M");
    QTest::newRow("rounds up to a B") << qint64{999'999'999} << QStringLiteral("1 B");
    QTest::newRow("thousands") << qint64{1'500} << QStringLiteral("1.5 K");
    QTest::newRow("few") << qint64{12} << QStringLiteral("12");
}

void TestFigures::parameters()
{
    QFETCH(qint64, value);
    QFETCH(QString, expected);
    QCOMPARE(text::parameters(value), expected);
}

QTEST_GUILESS_MAIN(TestFigures)
#include "tst_figures.moc"
