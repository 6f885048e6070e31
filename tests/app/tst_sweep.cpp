// SPDX-License-Identifier: GPL-3.0-or-later
#include <random>
#include <set>

#include <QDeadlineTimer>
#include <QProcess>
#include <QRegularExpression>

#include "cliharness.h"
#include "core/engine.h"
#include "core/sweep.h"

using namespace kvscope;

namespace {

/// A sweep over everything that a row can differ in: shapes with windows, two engines, splits, mixed cards, K and V apart.
SweepLists variedLists(std::mt19937_64 &random)
{
    static const Catalog catalog;
    SweepLists lists;
    for (const char *id : {"llama-3.1-8b-instruct", "qwen2.5-7b-instruct", "gemma-3-4b-it"}) {
        const Result<ModelSpec> model = catalog.model(id);
        if (!model)
            qFatal("%s is not in the catalogue", id);
        lists.models.push_back({id, std::make_shared<const ModelSpec>(*model), 4096_tokens});
    }
    lists.models.push_back({"by hand", std::make_shared<const ModelSpec>(modelByHand({32, 8, 128, 32, 0})), 32768_tokens});
    lists.weights = {WeightChoice{}, WeightChoice{Format::Int4, {}}};
    lists.engines = {{EngineId::Formula, {}}, {EngineId::Transformers, "4.46.0"}};
    lists.clusters = {clusterOf(*catalog.device("rtx-4090")), clusterOf(*catalog.device("h100-sxm5-80gb"), 4, {2, 1, 1, 2}),
                      clusterOf(*catalog.device("a100-sxm4-80gb"), 2, {1, 2, 1, 1}),
                      Cluster{{*catalog.device("rtx-4090"), *catalog.device("rtx-3060")}, {2, 1, 1, 1}}};
    lists.memories = {std::nullopt, 12_GB};
    lists.reserves = {0, 7.5};
    lists.kv = {KvPrecision{}, KvPrecision{Format::Q8_0, Format::Q4_0}};
    lists.contexts = {1_tokens, 511_tokens, 4096_tokens, 131072_tokens, 1000000_tokens};
    lists.batches = {1, 2, 7, 100};
    lists.base.inUse = Bytes{static_cast<std::int64_t>(random() % 1'000'000'000)};
    return lists;
}

QString rowText(const Sweep &sweep, std::int64_t row)
{
    QStringList places;
    for (const std::int32_t index : sweep.pointAt(row).index)
        places += QString::number(index);
    return places.join(QLatin1Char(' '));
}

const std::string grid =
    "sweep --models 7B=32x32x128@7B,70B=80x8x128@70B --memories 24GB,80GB --kv-types f16,int8 --contexts 1k,4k,32k,128k --batches 1,3,8";

/// Lines with line feeds, to be compared as they are.
std::string run(const std::string &line) { return runCliLine(line).out; }

} // namespace

class TestSweep : public QObject {
    Q_OBJECT

private slots:
    void init();
    void rowsEqualPlans();
    void hostMemoryCounts();
    void hugeNumbersAreRefused();
    void pointsAndRows();
    void shardsCoverAll_data();
    void shardsCoverAll();
    void mergedShardsEqualTheWhole();
    void jobsKeepTheOrder();
    void sinkEndsTheRun();
    void structureAndContext();
    void precisionAndBatch();
    void tiers();
    void jsonLines();
    void columns();
    void markdown();
    void defaultContexts();
    void quotes();
    void badWords_data();
    void badWords();
    void interrupt();
    void closedPipe();
};

void TestSweep::init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

void TestSweep::rowsEqualPlans()
{
    std::mt19937_64 random(20261129);
    const Sweep sweep(variedLists(random));
    SweepReader reader(sweep);
    int counted = 0;
    for (int i = 0; i < 3000; ++i) {
        const auto row = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(sweep.rows()));
        const SweepPoint point = sweep.pointAt(row);
        const Scenario scenario = sweep.scenarioAt(point);
        const Plan expected = plan(scenario, scenario.clusters.front());
        const SweepFigures &found = reader.read(point);
        QVERIFY2(found.verdict == expected.verdict, qPrintable(rowText(sweep, row)));
        if (expected.verdict == Verdict::Refused)
            continue;
        ++counted;
        QVERIFY2(found.kv == expected.kv.total, qPrintable(rowText(sweep, row)));
        QVERIFY2(found.weights == expected.weightsTotal, qPrintable(rowText(sweep, row)));
        QVERIFY2(found.total == expected.binding()->total, qPrintable(rowText(sweep, row)));
        QVERIFY2(found.free == expected.binding()->free(), qPrintable(rowText(sweep, row)));
        QVERIFY2(found.limits.maxContext == expected.limits.maxContext, qPrintable(rowText(sweep, row)));
        QVERIFY2(found.limits.maxContextBeyondTraining == expected.limits.maxContextBeyondTraining, qPrintable(rowText(sweep, row)));
        QVERIFY2(found.limits.contextReason == expected.limits.contextReason, qPrintable(rowText(sweep, row)));
        QVERIFY2(found.limits.maxBatch == expected.limits.maxBatch, qPrintable(rowText(sweep, row)));
        QVERIFY2(found.limits.batchReason == expected.limits.batchReason, qPrintable(rowText(sweep, row)));
    }
    QVERIFY(counted > 1000);
}

void TestSweep::hostMemoryCounts()
{
    // 4 GiB of KV, 1 GiB of it off-loaded to a host that has half of that.
    const std::string line = "sweep --models 32x8x128 --memories 24GB --contexts 32k --offload-kv 1GiB --columns verdict --no-header";
    QCOMPARE(run(line), std::string("fits\n"));
    QCOMPARE(run(line + " --host-memory 512MiB"), std::string("oom\n"));
}

void TestSweep::hugeNumbersAreRefused()
{
    // 2 x 10^4 x 10^6 x 10^6 x 2 x 10^9 bytes are beyond 2^63.
    QCOMPARE(run("sweep --models 10000x1000000x1000000 --memories 24GB --contexts 1000000000 --columns model,verdict,kv_bytes --no-header"),
             std::string("10000x1000000x1000000,refused,\n"));
}

void TestSweep::pointsAndRows()
{
    std::mt19937_64 random(1);
    const Sweep sweep(variedLists(random));
    QCOMPARE(sweep.rows(), std::int64_t{4} * 2 * 2 * 4 * 2 * 2 * 2 * 5 * 4);
    for (std::int64_t row = 0; row < sweep.rows(); row += 97)
        QCOMPARE(sweep.rowOf(sweep.pointAt(row)), row);
    // The last list changes fastest.
    QCOMPARE(sweep.pointAt(1)[SweepAxis::Batch], 1);
    QCOMPARE(sweep.pointAt(sweep.rows() - 1)[SweepAxis::Model], 3);
}

void TestSweep::shardsCoverAll_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<qint64>("parts");
    QTest::newRow("even") << qint64{100} << qint64{4};
    QTest::newRow("uneven") << qint64{101} << qint64{7};
    QTest::newRow("more parts than rows") << qint64{3} << qint64{10};
    QTest::newRow("one") << qint64{5} << qint64{1};
    QTest::newRow("large") << qint64{1} << qint64{1000000};
}

void TestSweep::shardsCoverAll()
{
    QFETCH(qint64, rows);
    QFETCH(qint64, parts);
    std::int64_t next = 0;
    for (std::int64_t part = 1; part <= parts; ++part) {
        const SweepRange range = shardOf(rows, part, parts);
        QCOMPARE(range.first, next);
        QVERIFY(range.count == rows / parts || range.count == rows / parts + 1);
        next += range.count;
    }
    QCOMPARE(next, rows);
}

void TestSweep::mergedShardsEqualTheWhole()
{
    for (const std::string &form : {std::string(), std::string(" --jsonl"), std::string(" --markdown")}) {
        const std::string whole = run(grid + form);
        QVERIFY(!whole.empty());
        for (const int parts : {1, 2, 5, 96, 200}) {
            std::string merged;
            for (int part = 1; part <= parts; ++part)
                merged += run(grid + form + " --shard " + std::to_string(part) + "/" + std::to_string(parts));
            QCOMPARE(merged, whole);
        }
    }
}

void TestSweep::jobsKeepTheOrder()
{
    std::string contexts;
    for (int i = 1; i <= 5000; ++i)
        contexts += (i > 1 ? "," : "") + std::to_string(i * 7);
    const std::string line = "sweep --models 32x8x128 --memories 24GB --batches 1,2,3,4,5 --contexts " + contexts + " --jobs ";
    const std::string one = run(line + "1");
    QCOMPARE(std::ranges::count(one, '\n'), 25001);
    QCOMPARE(run(line + "2"), one);
    QCOMPARE(run(line + "7"), one);
}

void TestSweep::sinkEndsTheRun()
{
    std::mt19937_64 random(2);
    SweepLists lists = variedLists(random);
    lists.batches.resize(4000, 1);
    const Sweep sweep(std::move(lists));
    const std::atomic<bool> stop{false};
    std::int64_t taken = 0;
    const auto writer = [] { return [](const SweepPoint &, const SweepFigures &, const Scenario &, std::string &out) { out += "x\n"; }; };
    const auto sink = [&](std::string_view text, std::int64_t rows) {
        if (static_cast<std::int64_t>(text.size()) != 2 * rows)
            return false;
        taken += rows;
        return taken < 20000;
    };
    const std::int64_t done = runSweep(sweep, {0, sweep.rows()}, 3, writer, sink, stop);
    QVERIFY(taken >= 20000 && taken < 40000);
    QVERIFY(done <= taken);
    const std::atomic<bool> stopped{true};
    QCOMPARE(runSweep(sweep, {0, sweep.rows()}, 3, writer, sink, stopped), std::int64_t{0});
}

/// KV by structure and context: 2 x layers x KV heads x 128 x 2 B a token.
void TestSweep::structureAndContext()
{
    const std::string out =
        run("sweep --models MHA-7B=32x32x128,MHA-13B=40x40x128,GQA-8B=32x8x128,GQA-70B=80x8x128 --memories 24GB --contexts 4k,8k,32k,128k "
            "--columns model,context,kv_bytes");
    std::string expected = "model,context,kv_bytes\n";
    struct Shape {
        const char *name;
        std::int64_t layers, heads;
    };
    for (const Shape &shape : {Shape{"MHA-7B", 32, 32}, {"MHA-13B", 40, 40}, {"GQA-8B", 32, 8}, {"GQA-70B", 80, 8}}) {
        for (const std::int64_t context : {4096, 8192, 32768, 131072})
            expected += std::string(shape.name) + ',' + std::to_string(context) + ',' +
                        std::to_string(2 * shape.layers * shape.heads * 128 * 2 * context) + '\n';
    }
    QCOMPARE(out, expected);
    QVERIFY(out.find("MHA-13B,131072,107374182400") != std::string::npos);
}

void TestSweep::precisionAndBatch()
{
    QCOMPARE(run("sweep --models 80x8x128 --memories 80GB --contexts 32k --kv-types f16,int8,int4 --batches 1,8 --columns "
                 "kv_type,batch,kv_bytes --no-header"),
             std::string(
                 "f16,1,10737418240\nf16,8,85899345920\nint8,1,5368709120\nint8,8,42949672960\nint4,1,2684354560\nint4,8,21474836480\n"));
}

/// Longest context and largest batch: what the weights leave, over the bytes of a token.
void TestSweep::tiers()
{
    const std::string out =
        run("sweep --models 8B=32x8x128@8B,32B=64x8x128@32B,70B=80x8x128@70B --weights-list int4,fp16 --kv-types fp16,int8 --memories "
            "8GB,24GB,48GB,128GB "
            "--reserves 0,10,20 --contexts 8k --columns model,weights,memory_bytes,reserve_percent,kv_type,max_context,max_batch");
    struct Tier {
        const char *name;
        std::int64_t layers, parameters;
    };
    std::set<std::string> expected{"model,weights,memory_bytes,reserve_percent,kv_type,max_context,max_batch"};
    for (const Tier &tier : {Tier{"8B", 32, 8}, {"32B", 64, 32}, {"70B", 80, 70}}) {
        for (const bool int4 : {true, false}) {
            for (const bool int8 : {true, false}) {
                for (const std::int64_t memory : {8, 24, 48, 128}) {
                    for (const std::int64_t reserve : {0, 10, 20}) {
                        const std::int64_t weights = tier.parameters * 1'000'000'000 * (int4 ? 1 : 4) / 2;
                        const std::int64_t token = 2 * tier.layers * 8 * 128 * (int8 ? 1 : 2);
                        const std::int64_t room = memory * 1'000'000'000 / 100 * (100 - reserve) - weights;
                        const std::int64_t context = room < 0 ? 0 : room / token, batch = room < 0 ? 0 : room / (token * 8192);
                        expected.insert(std::string(tier.name) + (int4 ? ",int4," : ",f16,") + std::to_string(memory * 1'000'000'000) +
                                        ',' + std::to_string(reserve) + (int8 ? ",int8," : ",f16,") + std::to_string(context) + ',' +
                                        std::to_string(batch));
                    }
                }
            }
        }
    }
    std::istringstream lines(out);
    int rows = 0;
    for (std::string line; std::getline(lines, line); ++rows)
        QVERIFY2(expected.contains(line), line.c_str());
    QCOMPARE(rows, 145);
}

void TestSweep::jsonLines()
{
    const CliRun json = runCliLine(grid + " --jsonl");
    const QStringList csv = QString::fromStdString(run(grid)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(json.lines().size(), csv.size() - 1);
    const QStringList names = csv.first().split(QLatin1Char(','));
    for (qsizetype i = 0; i < json.lines().size(); i += 7) {
        const QJsonObject object = QJsonDocument::fromJson(json.lines()[i].toUtf8()).object();
        const QStringList cells = csv[i + 1].split(QLatin1Char(','));
        QCOMPARE(cells.size(), names.size());
        for (qsizetype c = 0; c < cells.size(); ++c) {
            const QJsonValue value = object.value(names[c]);
            QCOMPARE(value.isDouble() ? QString::number(value.toInteger()) : value.toString(), cells[c]);
        }
    }
    // A refused row has its verdict and no figures.
    const CliRun refused = runCliLine("sweep --models 32x8x128 --memories 24GB --engines transformers --kv-types q4_0 --jsonl");
    QVERIFY2(refused.out.find("\"verdict\":\"refused\"") != std::string::npos, refused.out.c_str());
    QVERIFY(refused.out.find("kv_bytes") == std::string::npos);
}

void TestSweep::columns()
{
    QCOMPARE(run("sweep --models a=1x1x1,b=2x2x2 --memories 1GB --contexts 10 --columns context,model"),
             std::string("context,model\n10,a\n10,b\n"));
    QCOMPARE(run("sweep --models a=1x1x1 --memories 1GB --contexts 10 --columns context,model --no-header"), std::string("10,a\n"));
}

void TestSweep::markdown()
{
    QCOMPARE(run("sweep --models a=32x8x128 --memories 24GB --contexts 4k,32k --markdown --columns model,context,kv_bytes,verdict"),
             std::string("| Model | Context | KV cache | Verdict |\n| --- | ---: | ---: | --- |\n| a | 4K | 536.9 MB | Fits |\n| a | 32K | "
                         "4.295 GB | Fits |\n"));
    QCOMPARE(run("sweep --models a=32x8x128,b=32x32x128 --memories 24GB --contexts 4k,32k --markdown --columns model,kv_bytes --across "
                 "context --unit GiB"),
             std::string("| Model | Context 4K | Context 32K |\n| --- | ---: | ---: |\n| a | 512 MiB | 4 GiB |\n| b | 2 GiB | 16 GiB |\n"));
    // 7.99 GB of weights leave no token; 24 GB leave 16.01 GB / 131,072 B.
    QCOMPARE(run("sweep --models a=32x8x128@7.999999999B --weights-list int8 --memories 8GB,24GB --contexts 8k --markdown --columns "
                 "weights,max_context,max_batch --across memory_bytes"),
             std::string("| Weights | 8 GB | 24 GB |\n| --- | ---: | ---: |\n| int8 | – | 122,070 / 14 |\n"));
}

void TestSweep::defaultContexts()
{
    QCOMPARE(run("sweep --models llama-3.1-8b-instruct,llama-2-7b-hf,32x8x128 --memories 80GB --columns context --no-header"),
             std::string("32768\n4096\n32768\n"));
    QCOMPARE(run("sweep --models llama-2-7b-hf --context 100 --memories 80GB --columns context --no-header"), std::string("100\n"));
}

void TestSweep::quotes()
{
    const CliRun csv = runCli({"sweep", "--models", "a \"b\"=1x1x1", "--memories", "1GB", "--columns", "model", "--no-header"});
    QCOMPARE(csv.out, std::string("\"a \"\"b\"\"\"\n"));
    const CliRun json = runCli({"sweep", "--models", "a \"b\\=1x1x1", "--memories", "1GB", "--columns", "model", "--jsonl"});
    QCOMPARE(QJsonDocument::fromJson(QByteArray::fromStdString(json.out)).object().value(QStringLiteral("model")).toString(),
             QStringLiteral("a \"b\\"));
}

void TestSweep::badWords_data()
{
    QTest::addColumn<std::string>("options");
    QTest::addColumn<std::string>("says");
    const auto row = [](const char *options, const char *says) { QTest::newRow(options) << std::string(options) << std::string(says); };
    row("--contexts 4k,,8k", "--contexts");
    row("--contexts 4k,many", "many");
    row("--contexts 0", "--contexts");
    row("--batches 0", "--batches");
    row("--kv-types f16,q8", "q8_0");
    row("--weights-list int4,int5", "int5");
    row("--reserves 10,200", "200");
    row("--engines vlm", "vllm");
    row("--gpus rtx-4091", "rtx-4090");
    row("--models 32x0x128", "32x0x128");
    row("--models 32x8", "32x8");
    row("--columns kv", "kv_bytes");
    row("--shard 3/2", "I/N");
    row("--shard 0/2", "I/N");
    row("--shard two", "I/N");
    row("--jobs 0", "--jobs");
    row("--across context", "--across");
    row("--markdown --across kv_bytes", "--across");
    row("--markdown --across context --shard 1/2", "--across");
    row("--markdown --jsonl", "--markdown");
}

void TestSweep::badWords()
{
    QFETCH(std::string, options);
    QFETCH(std::string, says);
    const std::string models = options.find("--models") == std::string::npos ? " --models 32x8x128" : "";
    const std::string gpus = options.find("--gpus") == std::string::npos ? " --memories 24GB" : "";
    const CliRun run = runCliLine("sweep " + options + models + gpus);
    QVERIFY2(run.status == 2, run.err.c_str());
    QVERIFY2(run.out.empty() && run.errorLines().size() == 1 && run.err.starts_with("kvplan: "), run.err.c_str());
    QVERIFY2(run.err.find(says) != std::string::npos, run.err.c_str());
}

namespace {

/// A sweep of 10^9 rows, which no test waits for.
QStringList endlessSweep()
{
    QString contexts, batches;
    for (int i = 1; i <= 20000; ++i) {
        contexts += (i > 1 ? QStringLiteral(",") : QString()) + QString::number(i);
        batches += (i > 1 ? QStringLiteral(",") : QString()) + QString::number(i);
    }
    return {QStringLiteral("sweep"),
            QStringLiteral("--models"),
            QStringLiteral("32x8x128"),
            QStringLiteral("--memories"),
            QStringLiteral("8GB,24GB,48GB"),
            QStringLiteral("--contexts"),
            contexts,
            QStringLiteral("--batches"),
            batches,
            QStringLiteral("--lang"),
            QStringLiteral("en")};
}

} // namespace

void TestSweep::interrupt()
{
#ifdef Q_OS_UNIX
    QProcess process;
    process.start(QStringLiteral(KVPLAN), endlessSweep());
    QVERIFY(process.waitForReadyRead(10000));
    QByteArray out;
    // Past the first second there is progress to see.
    QByteArray err;
    for (QDeadlineTimer patience(20000); !err.contains("rows") && !patience.hasExpired();) {
        process.waitForReadyRead(50);
        out += process.readAllStandardOutput();
        err += process.readAllStandardError();
    }
    QVERIFY2(err.contains(" of 1,200,000,000 rows"), err.constData());
    QProcess::execute(QStringLiteral("kill"), {QStringLiteral("-INT"), QString::number(process.processId())});
    for (int i = 0; i < 600 && process.state() != QProcess::NotRunning; ++i) {
        process.waitForFinished(10);
        out += process.readAllStandardOutput();
    }
    out += process.readAllStandardOutput();
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(out.endsWith('\n'));
    const qsizetype commas = out.left(out.indexOf('\n')).count(',');
    QCOMPARE(out.mid(out.lastIndexOf('\n', -2) + 1).count(','), commas);
    QVERIFY(process.readAllStandardError().contains("interrupted"));
#else
    QSKIP("signals are those of Unix");
#endif
}

void TestSweep::closedPipe()
{
#ifdef Q_OS_UNIX
    QProcess process;
    QStringList words{QStringLiteral("-c"), QStringLiteral("\"$@\" | head -n 2; echo ${PIPESTATUS[0]}"), QStringLiteral("bash"),
                      QStringLiteral(KVPLAN)};
    process.start(QStringLiteral("bash"), words + endlessSweep());
    QVERIFY(process.waitForFinished(20000));
    const QList<QByteArray> lines = process.readAllStandardOutput().trimmed().split('\n');
    QCOMPARE(lines.size(), 3);
    QVERIFY(lines[0].startsWith("model,"));
    QCOMPARE(lines[2], QByteArray("0"));
    QCOMPARE(process.readAllStandardError(), QByteArray());
#else
    QSKIP("pipes are those of Unix");
#endif
}

QTEST_GUILESS_MAIN(TestSweep)

#include "tst_sweep.moc"
