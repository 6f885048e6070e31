// SPDX-License-Identifier: GPL-3.0-or-later
// What real engines measured, held against the planner.
#include "tests/truth/truthcase.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <map>

using namespace kvscope::testing;

namespace {

/// Of each kind of figure, how many percent must come within their tolerance: what the engine computes must be exact, what it measures by
/// running (activations, allocator, graphs) only mostly.
struct Demand {
    const char *engine;
    const char *what; ///< the figure's description begins with this
    int percent;
};
constexpr Demand demands[] = {
    {"transformers", "", 90},
    {"llama.cpp", "compute buffer", 94},
    {"llama.cpp", "", 100},
    {"ollama", "", 100},
    {"vllm", "KV budget end to end", 95},
    {"vllm", "activation peak", 90},
    {"vllm", "memory outside torch", 90},
    {"vllm", "CUDA graphs", 90},
    {"vllm", "", 100},
    {"sglang", "", 100},
};

int demandedOf(const QString &engine, const QString &what)
{
    const auto found = std::ranges::find_if(
        demands, [&](const Demand &d) { return engine == QLatin1String(d.engine) && what.startsWith(QLatin1String(d.what)); });
    return found == std::end(demands) ? 100 : found->percent;
}

struct Tally {
    int cases = 0, passed = 0;
    std::vector<double> errors;
};

} // namespace

class TestTruth : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void agrees_data()
    {
        QTest::addColumn<QString>("file");
        for (const char *file : {"transformers_dev.jsonl", "oracle_dev.jsonl", "logs_dev.jsonl"})
            QTest::newRow(file) << QString::fromLatin1(file);
    }

    void agrees()
    {
        QFETCH(QString, file);
        const QString shared = QStringLiteral(KVSCOPE_SHARED_DIR);
        QFile lines(QDir(shared).filePath(QStringLiteral("truth/") + file));
        if (!lines.open(QIODevice::ReadOnly))
            QSKIP(qPrintable(QStringLiteral("no measured figures here: %1 is absent").arg(lines.fileName())));
        QString error;
        const std::vector<TruthCase> cases = truthCases(lines.readAll(), error);
        QVERIFY2(error.isEmpty(), qPrintable(error));
        QVERIFY(!cases.empty());

        std::map<std::pair<QString, QString>, Tally> tallies;
        QStringList misses;
        for (const TruthCase &truth : cases) {
            error.clear();
            const QJsonObject answer = answerTo(truth, shared, error);
            Tally &tally = tallies[{truth.engine, truth.what}];
            bool within = true;
            for (const Expected &e : truth.expected) {
                const QJsonValue found = valueAt(answer, e.path);
                if (const std::optional<double> off = relativeError(e, found))
                    tally.errors.push_back(*off);
                if (!isWithin(e, found)) {
                    within = false;
                    misses.append(QStringLiteral("%1: %2 is %3 instead of %4 %5")
                                      .arg(truth.id, e.path, found.toVariant().toString(), e.value.toVariant().toString(), error));
                }
            }
            ++tally.cases;
            tally.passed += within;
        }
        bool enough = true;
        QStringList summary;
        for (auto &[key, tally] : tallies) {
            std::ranges::sort(tally.errors);
            const int demanded = demandedOf(key.first, key.second);
            enough = enough && tally.passed * 100 >= tally.cases * demanded;
            QString line = QStringLiteral("%1, %2: %3 of %4 within tolerance (%5 % asked)")
                               .arg(key.first, key.second)
                               .arg(tally.passed)
                               .arg(tally.cases)
                               .arg(demanded);
            if (!tally.errors.empty())
                line += QStringLiteral(", median error %1 %, largest %2 %")
                            .arg(100 * tally.errors[tally.errors.size() / 2], 0, 'f', 3)
                            .arg(100 * tally.errors.back(), 0, 'f', 2);
            summary.append(line);
        }
        for (const QString &line : summary + misses)
            std::puts(qPrintable(line));
        QVERIFY2(enough, qPrintable(summary.join(u'\n')));
    }
};

QTEST_GUILESS_MAIN(TestTruth)
#include "tst_truth.moc"
