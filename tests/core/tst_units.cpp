// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format.h"
#include "core/parse.h"
#include "core/units.h"

#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

// 1 GB is 10^9 bytes, 1 GiB 2^30, 16-bit figures of 8 x 128 heads take 4096 bytes a token and layer.
static_assert((1_GB).value == 1'000'000'000);
static_assert((1_GiB).value == 1'073'741'824);
static_assert((1_MiB).value * 1024 == (1_GiB).value);
static_assert(4096_tokens == TokenCount{4096});
static_assert((Bytes{4096} * 8_tokens).value == 32768);

template<typename A, typename B>
concept Addable = requires(A a, B b)
{
    a + b;
};
static_assert(!Addable<Bytes, TokenCount>);
static_assert(!Addable<Bytes, std::int64_t>);

static_assert(saturatingMultiply(3'037'000'500, 3'037'000'500) == tooLargeValue); // just above 2^63
static_assert(saturatingMultiply(3'037'000'499, 3'037'000'499) == 9'223'372'030'926'249'001);
static_assert(saturatingMultiply(-3'037'000'500, 3'037'000'500) == -tooLargeValue);
static_assert(saturatingMultiply(tooLargeValue, 2) == tooLargeValue);
static_assert(saturatingMultiply(tooLargeValue, 0) == 0);
static_assert(saturatingAdd(tooLargeValue - 1, 5) == tooLargeValue);
static_assert((Bytes{tooLargeValue} - 5_GB).tooLarge());
static_assert(ceilDivide(7, 2) == 4 && ceilDivide(8, 2) == 4 && ceilDivide(0, 2) == 0);

class TestUnits : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void blockBytes_data()
    {
        QTest::addColumn<QString>("format");
        QTest::addColumn<qint64>("elements");
        QTest::addColumn<qint64>("bytes");
        // 4096 x 14336 in q4_K: 4096 / 256 * 144 * 14336 = 33,030,144; as f16 117,440,512 (local-engines.md 1.1)
        QTest::newRow("q4_k") << "Q4_K" << qint64{4096} * 14336 << qint64{33'030'144};
        QTest::newRow("f16") << "fp16" << qint64{4096} * 14336 << qint64{117'440'512};
        QTest::newRow("q8_0 one block") << "q8_0" << qint64{32} << qint64{34};
        QTest::newRow("q8_0 begun block") << "q8_0" << qint64{33} << qint64{68};
        QTest::newRow("int4 odd") << "int4" << qint64{3} << qint64{2};
        QTest::newRow("awq 4.15625 bits") << "awq" << qint64{1024} << qint64{532};
        QTest::newRow("mxfp4 4.25 bits") << "mxfp4" << qint64{1024} << qint64{544};
        QTest::newRow("nvfp4 4.5 bits") << "nvfp4" << qint64{1024} << qint64{576};
        QTest::newRow("nf4 4.5 bits") << "nf4" << qint64{1024} << qint64{576};
        QTest::newRow("nf4 double 4.127 bits") << "nf4_double" << qint64{16384} << qint64{8192 + 256 + 4};
        QTest::newRow("fp8 block: one fp32 scale in 128 x 128") << "fp8_block" << qint64{16384} << qint64{16388};
        QTest::newRow("fp8_ds_mla: 512 + 16 + 128") << "fp8_ds_mla" << qint64{576} << qint64{656};
        QTest::newRow("iq1_m 1.75 bits") << "iq1_m" << qint64{256} << qint64{56};
        QTest::newRow("tq2_0") << "tq2_0" << qint64{512} << qint64{132};
    }
    void blockBytes()
    {
        QFETCH(QString, format);
        QFETCH(qint64, elements);
        QFETCH(qint64, bytes);
        const auto found = formatByName(format.toStdString());
        QVERIFY(found);
        QCOMPARE(bytesOf(*found, elements).value, bytes);
    }

    void formatNamesAreUniqueAndFound()
    {
        for (int i = 0; i < formatCount; ++i)
            QCOMPARE(static_cast<int>(*formatByName(infoOf(static_cast<Format>(i)).name)), i);
        QVERIFY(!formatByName("q4_2"));
        QVERIFY(!formatByName(""));
    }

    void nearNamesFindsTypos()
    {
        const std::array<std::string_view, 4> names{"q8_0", "q4_0", "f16", "nvfp4"};
        QCOMPARE(nearNames("q8_O", names, 1).front(), std::string("q8_0"));
        QCOMPARE(nearNames("nvfp", names, 1).front(), std::string("nvfp4"));
        QVERIFY(nearNames("completely-different", names).empty());
    }

    void sizes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("bytes"); // -1: refused
        QTest::newRow("24GB") << "24GB" << qint64{24'000'000'000};
        QTest::newRow("24GiB") << "24GiB" << qint64{25'769'803'776};
        QTest::newRow("22.5 GiB") << "22.5 GiB" << qint64{24'159'191'040};
        QTest::newRow("plain") << "1048576" << qint64{1'048'576};
        QTest::newRow("grouped") << "1,048,576" << qint64{1'048'576};
        QTest::newRow("lower case") << " 512mb " << qint64{512'000'000};
        QTest::newRow("TiB") << "2TiB" << qint64{2'199'023'255'552};
        QTest::newRow("24 G B") << "24 G B" << qint64{-1};
        QTest::newRow("two spaces") << "24  GB" << qint64{-1};
        QTest::newRow("negative") << "-3GB" << qint64{-1};
        QTest::newRow("empty") << "" << qint64{-1};
        QTest::newRow("unit alone") << "GB" << qint64{-1};
        QTest::newRow("overflow") << "99999999999TiB" << qint64{-1};
        QTest::newRow("many digits") << "99999999999999999999999" << qint64{-1};
        QTest::newRow("nan") << "nan" << qint64{-1};
        QTest::newRow("two points") << "1.2.3GB" << qint64{-1};
        QTest::newRow("point at the end") << "1." << qint64{-1};
    }
    void sizes()
    {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        const Result<Bytes> parsed = parseBytes(text.toStdString());
        if (bytes < 0) {
            QVERIFY(!parsed);
            QCOMPARE(parsed.error().code, text.startsWith(QLatin1String("99999999999")) ? ErrorCode::TooLarge : ErrorCode::BadSize);
            QCOMPARE(QString::fromStdString(parsed.error().where), text);
        } else {
            QVERIFY(parsed);
            QCOMPARE(parsed->value, bytes);
        }
    }

    void tokens()
    {
        QCOMPARE(parseTokens("128k")->value, 131072);
        QCOMPARE(parseTokens("1M")->value, 1048576);
        QCOMPARE(parseTokens("0.5K")->value, 512);
        QCOMPARE(parseTokens("1000000000")->value, 1000000000);
        QCOMPARE(parseTokens("1000000001").error().code, ErrorCode::OutOfRange);
        QCOMPARE(parseTokens("32kb").error().code, ErrorCode::BadNumber);
    }

    void parametersAndNumbers()
    {
        QCOMPARE(*parseParameters("30.53B"), 30'530'000'000);
        QCOMPARE(*parseParameters("135M"), 135'000'000);
        QCOMPARE(*parseWhole("42", 1, 100), 42);
        QCOMPARE(parseWhole("101", 1, 100).error().code, ErrorCode::OutOfRange);
        QCOMPARE(parseWhole("99999999999999999999", 1, 100).error().code, ErrorCode::OutOfRange);
        QCOMPARE(parseWhole("4x", 1, 100).error().code, ErrorCode::BadNumber);
        QCOMPARE(*parseDecimal("12.5", 0, 100), 12.5);
        QCOMPARE(parseDecimal("inf", 0, 100).error().code, ErrorCode::BadNumber);
        QCOMPARE(parseDecimal("100.5", 0, 100).error().detail, std::string("0..100"));
    }
};

QTEST_GUILESS_MAIN(TestUnits)
#include "tst_units.moc"
