// SPDX-License-Identifier: GPL-3.0-or-later
// What real engines measured, held against the planner: at least 90 % of the cases must come within their tolerance.
#include "tests/truth/truthcase.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace kvscope;
using namespace kvscope::testing;

class TestTruth : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void agrees_data()
    {
        QTest::addColumn<QString>("file");
        QTest::newRow("transformers") << QStringLiteral("transformers_dev.jsonl");
    }

    void agrees()
    {
        QFETCH(QString, file);
        const QDir shared(QStringLiteral(KVSCOPE_SHARED_DIR));
        QFile lines(shared.filePath(QStringLiteral("truth/") + file));
        if (!lines.open(QIODevice::ReadOnly))
            QSKIP(qPrintable(QStringLiteral("no measured figures here: %1 is absent").arg(lines.fileName())));
        QString error;
        const std::vector<TruthCase> cases = truthCases(lines.readAll(), error);
        QVERIFY2(error.isEmpty(), qPrintable(error));
        QVERIFY(!cases.empty());

        std::size_t passed = 0;
        std::vector<double> errors;
        QStringList misses;
        for (const TruthCase &truth : cases) {
            const std::optional<Plan> plan = planOf(truth, shared.filePath(QStringLiteral("data/configs")), error);
            QVERIFY2(plan, qPrintable(truth.id + QStringLiteral(": ") + error));
            bool within = true;
            for (const Expected &e : truth.expected) {
                const std::optional<double> figure = figureAt(*plan, e.path);
                QVERIFY2(figure, qPrintable(truth.id + QStringLiteral(": no ") + e.path));
                const double off = *figure - e.value;
                errors.push_back(std::abs(off) / e.value);
                within = within && std::abs(off) <= e.absolute + e.relative * std::abs(e.value);
                if (!within)
                    misses.append(QStringLiteral("%1: %2 instead of %3 (%4 %)")
                                      .arg(truth.id)
                                      .arg(*figure, 0, 'f', 0)
                                      .arg(e.value, 0, 'f', 0)
                                      .arg(100 * off / e.value, 0, 'f', 2));
            }
            passed += within;
        }
        std::ranges::sort(errors);
        const QString summary = QStringLiteral("%1 of %2 within tolerance, median error %3 %, largest %4 %")
                                    .arg(passed)
                                    .arg(cases.size())
                                    .arg(100 * errors[errors.size() / 2], 0, 'f', 3)
                                    .arg(100 * errors.back(), 0, 'f', 2);
        QVERIFY2(passed * 10 >= cases.size() * 9, qPrintable(summary + QStringLiteral("\n") + misses.join(u'\n')));
        for (const QString &line : QStringList{summary} + misses)
            std::puts(qPrintable(line));
    }
};

QTEST_APPLESS_MAIN(TestTruth)
#include "tst_truth.moc"
