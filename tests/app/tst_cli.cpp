// SPDX-License-Identifier: GPL-3.0-or-later
#include <QRegularExpression>
#include <QTemporaryDir>

#include "cliharness.h"

using namespace kvscope;

namespace {

/// "a.b.0.c" in a JSON document.
QJsonValue pick(const QJsonDocument &document, const QString &path)
{
    QJsonValue value = document.isArray() ? QJsonValue(document.array()) : QJsonValue(document.object());
    const QStringList parts = path.split(QLatin1Char('.'));
    for (const QString &part : parts)
        value = value.isArray() ? value.toArray().at(part.toInt()) : value.toObject().value(part);
    return value;
}

qint64 bytesAt(const CliRun &run, const char *path) { return pick(run.document(), QString::fromLatin1(path)).toInteger(-1); }

/// One line "kvplan: WHAT: WHY; HOW TO MEND", and nothing on standard output.
bool isOneErrorLine(const CliRun &run)
{
    static const QRegularExpression form(QStringLiteral("^kvplan: .+: .+; .+$"));
    return run.out.empty() && run.errorLines().size() == 1 && form.match(run.errorLines().constFirst()).hasMatch();
}

QByteArray what(const CliRun &run) { return QByteArray::fromStdString("status " + std::to_string(run.status) + "\n" + run.out + run.err); }

void writeText(const QString &path, const QByteArray &text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private slots:
    void init();
    void kvFigures_data();
    void kvFigures();
    void catalogueFigures_data();
    void catalogueFigures();
    void jsonKeys();
    void verdictAndStatus_data();
    void verdictAndStatus();
    void defaultContext();
    void promptAndNewTokens();
    void splitsAndMachines();
    void machinesAndSplitsOfServing();
    void weightsThatTheEngineLacks();
    void foreignOptions_data();
    void foreignOptions();
    void automaticKvType();
    void thousandsOfTokens();
    void badWords_data();
    void badWords();
    void badFiles_data();
    void badFiles();
    void standardInput();
    void scenarioRoundTrip();
    void optionsOverrideScenario();
    void compareTable();
    void compareJson();
    void inspect();
    void lists();
    void helpAndVersion();
    void chineseHasNoEnglish_data();
    void chineseHasNoEnglish();
    void codesKeepTheirLanguage();
    void explain();
    void report();
    void ownCatalogue();
    void units();
    void colours();
};

void TestCli::init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

/// KV alone, by hand: 2 x layers x KV heads x head dim x tokens x batch x bytes an element.
void TestCli::kvFigures_data()
{
    QTest::addColumn<std::string>("options");
    QTest::addColumn<qint64>("total");
    const auto row = [](const char *options, qint64 total) { QTest::newRow(options) << std::string(options) << total; };
    row("--layers 32 --kv-heads 32 --head-dim 128 --context 32768", 17179869184);
    row("--layers 32 --kv-heads 8 --head-dim 128 --context 32768", 4294967296);
    row("--layers 80 --kv-heads 8 --head-dim 128 --context 32768 --batch 8 --kv-type int8", 42949672960);
    row("--layers 80 --kv-heads 8 --head-dim 128 --context 32768", 10737418240);
    row("--layers 80 --kv-heads 8 --head-dim 128 --context 32768 --batch 8", 85899345920);
    row("--layers 80 --kv-heads 8 --head-dim 128 --context 32768 --kv-type int8", 5368709120);
    row("--layers 80 --kv-heads 8 --head-dim 128 --context 32768 --kv-type int4", 2684354560);
    row("--layers 80 --kv-heads 8 --head-dim 128 --context 32768 --batch 8 --kv-type int4", 21474836480);
    row("--layers 40 --kv-heads 40 --head-dim 128 --context 4k", 3355443200);
    row("--layers 40 --kv-heads 40 --head-dim 128 --context 8k", 6710886400);
    row("--layers 40 --kv-heads 40 --head-dim 128 --context 32k", 26843545600);
    row("--layers 40 --kv-heads 40 --head-dim 128 --context 128k", 107374182400);
    row("--layers 32 --kv-heads 8 --heads 32 --head-dim 128 --context 4096", 536870912);
    row("--layers 32 --kv-heads 32 --head-dim 128 --context 4096", 2147483648);
    row("--layers 28 --kv-heads 4 --head-dim 128 --context 2048", 117440512);
    row("--layers 28 --kv-heads 4 --head-dim 128 --context 16384", 939524096);
    row("--layers 80 --kv-heads 64 --head-dim 128 --context 8192 --batch 8 --kv-type fp16", 171798691840);
    // q8_0: 34 bytes for 32 elements; K and V apart; first and last layer at 16 bit (1 + 1 of 4).
    row("--layers 4 --kv-heads 2 --head-dim 64 --context 100 --kv-type q8_0", 2 * 4 * 128 / 32 * 34 * 100);
    row("--layers 4 --kv-heads 2 --head-dim 64 --context 100 --kv-type-k q8_0", 4 * 128 / 32 * 34 * 100 + 4 * 128 * 2 * 100);
    row("--layers 4 --kv-heads 2 --head-dim 64 --context 100 --kv-type int8 --kv-keep first:1,last:1",
        2 * (2 * 128 * 1 + 2 * 128 * 2) * 100);
    // A scale of 2 bytes for each group of 64: 2 groups in K and in V, 4 layers.
    row("--layers 4 --kv-heads 2 --head-dim 64 --context 100 --kv-type int8 --kv-scales per-group:64", 2 * 4 * (128 + 2 * 2) * 100);
    row("--layers 4 --kv-heads 2 --head-dim 64 --context 100 --kv-type int8 --kv-scales per-group:64 --kv-zero-points",
        2 * 4 * (128 + 2 * 4) * 100);
    // 4 first tokens and a window of 16.
    row("--layers 4 --kv-heads 2 --head-dim 64 --context 100 --sinks 4 --window 16", 2 * 4 * 128 * 2 * 20);
    // 40 tokens that ten sequences share are there once.
    row("--layers 4 --kv-heads 2 --head-dim 64 --context 100 --batch 10 --shared-prefix 40", 2 * 4 * 128 * 2 * (40 + 10 * 60));
    row("--layers 10000 --kv-heads 128 --head-dim 128 --context 1000000000 --batch 1", 655360000000000000);
}

void TestCli::kvFigures()
{
    QFETCH(std::string, options);
    QFETCH(qint64, total);
    const CliRun run = runCliLine("plan " + options + " --gpu-memory 24GB --json");
    QVERIFY2(run.err.empty(), run.err.c_str());
    QCOMPARE(bytesAt(run, "kv.total_bytes"), total);
}

void TestCli::catalogueFigures_data()
{
    QTest::addColumn<std::string>("options");
    QTest::addColumn<QString>("path");
    QTest::addColumn<qint64>("value");
    // Llama-3.1-8B: 32 layers, 8 KV heads of 128, bf16: 131,072 B a token; 8,030,261,248 parameters (published).
    QTest::newRow("Llama 8B at 4096") << std::string("--model llama-3.1-8b-instruct --context 4096") << QStringLiteral("kv.total_bytes")
                                      << qint64{536870912};
    QTest::newRow("Llama 8B parameters") << std::string("--model llama-3.1-8b-instruct") << QStringLiteral("model.parameters")
                                         << qint64{8030261248};
    QTest::newRow("by the whole id") << std::string("--model meta-llama/Llama-3.1-8B-Instruct --context 4096")
                                     << QStringLiteral("kv.total_bytes") << qint64{536870912};
    QTest::newRow("Qwen2.5-7B at 2048") << std::string("--model qwen2.5-7b-instruct --context 2048") << QStringLiteral("kv.total_bytes")
                                        << qint64{117440512};
    QTest::newRow("Qwen2.5-7B at 16384") << std::string("--model qwen2.5-7b-instruct --context 16k") << QStringLiteral("kv.total_bytes")
                                         << qint64{939524096};
}

void TestCli::catalogueFigures()
{
    QFETCH(std::string, options);
    QFETCH(QString, path);
    QFETCH(qint64, value);
    const CliRun run = runCliLine("plan " + options + " --gpu rtx-4090 --json");
    QVERIFY2(run.err.empty(), run.err.c_str());
    QCOMPARE(pick(run.document(), path).toInteger(-1), value);
}

void TestCli::jsonKeys()
{
    const CliRun run = runCliLine("plan --model llama-3.1-8b-instruct --gpu rtx-4090 --context 4k --json");
    QCOMPARE(run.status, 0);
    const QJsonObject json = run.json();
    QCOMPARE(json.value(QStringLiteral("schema")).toInt(), 1);
    for (const char *key : {"scenario", "model", "kv", "devices", "range", "limits", "verdict", "explain", "warnings"})
        QVERIFY2(json.contains(QLatin1String(key)), key);
    for (const char *path : {"model.layers", "model.kv_heads", "model.head_dim_k", "kv.bytes_per_token", "kv.bytes_per_token_at_context",
                             "kv.bytes_per_sequence", "devices.0.memory_bytes", "devices.0.usable_bytes", "devices.0.weights_bytes",
                             "devices.0.kv_bytes", "devices.0.total_bytes", "devices.0.free_bytes", "range.total_low_bytes",
                             "range.total_high_bytes", "limits.max_context", "limits.max_batch", "limits.min_devices"})
        QVERIFY2(bytesAt(run, path) >= 0, path);
    QVERIFY(!json.value(QStringLiteral("explain")).toArray().isEmpty());
    // The parts are all of the total, and what is free is the rest.
    const auto device = [&](const char *key) { return bytesAt(run, key); };
    QCOMPARE(device("devices.0.usable_bytes") - device("devices.0.total_bytes"), device("devices.0.free_bytes"));
}

void TestCli::verdictAndStatus_data()
{
    QTest::addColumn<std::string>("options");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("verdict");
    const std::string shape = "--layers 32 --kv-heads 8 --head-dim 128 --context 32768 ";
    // 4,294,967,296 B of KV and nothing else.
    QTest::newRow("just fits") << shape + "--gpu-memory 4294967296" << 0 << QStringLiteral("fits");
    QTest::newRow("a byte short") << shape + "--gpu-memory 4294967295" << 1 << QStringLiteral("oom");
    QTest::newRow("held by others") << shape + "--gpu-memory 4294967396 --in-use 101" << 1 << QStringLiteral("oom");
    QTest::newRow("reserve") << shape + "--gpu-memory 4294967296 --reserve 1" << 1 << QStringLiteral("oom");
    QTest::newRow("Transformers has no q4_k cache")
        << shape + "--gpu-memory 24GB --engine transformers --kv-type q4_0" << 1 << QStringLiteral("refused");
}

void TestCli::verdictAndStatus()
{
    QFETCH(std::string, options);
    QFETCH(int, status);
    QFETCH(QString, verdict);
    const CliRun json = runCliLine("plan " + options + " --json");
    QVERIFY2(json.status == status, what(json));
    QCOMPARE(json.json().value(QStringLiteral("verdict")).toString(), verdict);
    const CliRun text = runCliLine("plan " + options);
    QCOMPARE(text.status, status);
    QVERIFY(!text.out.empty());
}

void TestCli::defaultContext()
{
    const auto contextOf = [](const std::string &model) {
        return bytesAt(runCliLine("plan " + model + " --gpu-memory 80GB --json"), "scenario.context");
    };
    QCOMPARE(contextOf("--layers 1 --kv-heads 1 --head-dim 1"), qint64{32768});
    QCOMPARE(contextOf("--model llama-3.1-8b-instruct"), qint64{32768}); // trained for 131072
    QCOMPARE(contextOf("--model llama-2-7b-hf"), qint64{4096});
}

void TestCli::promptAndNewTokens()
{
    const std::string head = "plan --model llama-3.1-8b-instruct --gpu h100-sxm5-80gb --engine transformers@4.46.0 --json ";
    QCOMPARE(bytesAt(runCliLine(head + "--prompt 6144 --new-tokens 2048"), "scenario.context"), qint64{8192});
    QCOMPARE(bytesAt(runCliLine(head + "--prompt 256 --new-tokens 0"), "scenario.context"), qint64{256});
    QVERIFY(isOneErrorLine(runCliLine(head + "--prompt 256 --context 512")));
}

void TestCli::splitsAndMachines()
{
    const auto devices = [](const std::vector<std::string> &words) {
        std::vector<std::string> all{"plan", "--model", "llama-3.1-8b-instruct", "--context", "4k", "--json"};
        all.insert(all.end(), words.begin(), words.end());
        return pick(runCli(all).document(), QStringLiteral("devices")).toArray().size();
    };
    QCOMPARE(devices({"--gpu", "rtx-4090"}), 1);
    QCOMPARE(devices({"--gpu", "rtx-4090", "--tp", "2", "--pp", "2"}), 4);
    QCOMPARE(devices({"--gpu", "RTX 4090 x4", "--tp", "4"}), 4);
    QCOMPARE(devices({"--gpu", "rtx-4090x2", "--tp", "2"}), 2);
    QCOMPARE(devices({"--gpu-memory", "24GB", "--tp", "2"}), 2);
    QCOMPARE(devices({"--gpu", "rtx-4090 + rtx-3090", "--tp", "2"}), 2);
    const CliRun small = runCli({"plan", "--model", "llama-3.1-8b-instruct", "--gpu", "rtx-4090 x2", "--tp", "4"});
    QCOMPARE(small.status, 2);
    QVERIFY2(isOneErrorLine(small), what(small));
    // --gpu-memory takes the place of the catalogue's.
    const CliRun larger = runCliLine("plan --model llama-3.1-8b-instruct --gpu rtx-4090 --gpu-memory 48GB --json");
    QCOMPARE(bytesAt(larger, "devices.0.usable_bytes"), qint64{48000000000});
}

void TestCli::machinesAndSplitsOfServing()
{
    const std::string head = "plan --model llama-3.1-8b-instruct --context 4k --gpu h100-sxm5-80gb ";
    const CliRun run = runCliLine(head + "--tp 16 --nodes 2 --interconnect nvlink --dcp 2 --engine vllm --json");
    QCOMPARE(bytesAt(run, "scenario.clusters.0.nodes"), qint64{2});
    QCOMPARE(bytesAt(run, "scenario.clusters.0.split.decode_context"), qint64{2});
    QCOMPARE(pick(run.document(), QStringLiteral("scenario.clusters.0.interconnect")).toString(), QStringLiteral("nvlink"));
    QVERIFY2(runCliLine(head + "--tp 16 --nodes 2").out.find("TP 16 · 2 machines") != std::string::npos, what(run));
    // The replicas of attention lie within the group: no cards of their own.
    const CliRun attention = runCliLine(head + "--tp 4 --dp 2 --dp-attention --engine sglang --json");
    QCOMPARE(pick(attention.document(), QStringLiteral("devices")).toArray().size(), 4);
    const CliRun draft = runCliLine(head + "--engine vllm --draft-tokens 3 --draft-model qwen3-0.6b --json");
    QVERIFY2(pick(draft.document(), QStringLiteral("scenario.draft.name")).toString().startsWith(QLatin1String("Qwen3")), what(draft));
    const CliRun swept = runCliLine("sweep --models 32x8x128 --memories 24GB --tp 2 --pp 2 --columns devices,split");
    QCOMPARE(swept.out, std::string("devices,split\n4,tp=2 pp=2\n"));
}

/// A format of weights is refused as a format of KV is: by the engine, with those it has.
void TestCli::weightsThatTheEngineLacks()
{
    for (const char *options : {"--engine vllm --weights q4_k_m", "--engine vllm --kv-type q4_0"}) {
        const CliRun run = runCliLine(std::string("plan --model llama-3.1-8b-instruct --gpu rtx-4090 --json ") + options);
        QVERIFY2(run.status == 1, what(run));
        QCOMPARE(pick(run.document(), QStringLiteral("warnings.0.code")).toString(), QStringLiteral("unsupported_format"));
        QVERIFY(pick(run.document(), QStringLiteral("warnings.0.message")).toString().contains(QLatin1String("int4")));
        QCOMPARE(pick(run.document(), QStringLiteral("devices.0.name")).toString(), QStringLiteral("GeForce RTX 4090"));
    }
}

void TestCli::foreignOptions_data()
{
    QTest::addColumn<std::string>("options");
    QTest::addColumn<QString>("says");
    const auto row = [](const char *options, const char *says) {
        QTest::newRow(options) << std::string(options) << QString::fromLatin1(says);
    };
    row("--engine vllm --ctx-size 8192", "--ctx-size is an option of llama.cpp, Ollama; here its value counts as --context");
    row("--engine sglang --parallel 4", "--parallel is an option of llama.cpp, Ollama; here its value counts as --batch");
    row("--engine vllm --prompt 1000 --new-tokens 24", "--prompt is an option of Transformers; here its value counts as --context");
    row("--engine llama.cpp --max-num-seqs 4", "--max-num-seqs is an option of vLLM, SGLang, TensorRT-LLM; it changes nothing here");
    row("--draft-tokens 3", "--draft-tokens is an option of vLLM");
    row("--engine vllm --swa-full", "--swa-full is an option of llama.cpp");
    row("--engine vllm --cache static", "--cache is an option of Transformers");
}

void TestCli::foreignOptions()
{
    QFETCH(std::string, options);
    QFETCH(QString, says);
    const std::string line = "--model llama-3.1-8b-instruct --gpu h100-sxm5-80gb " + options;
    const CliRun run = runCliLine("plan " + line);
    QVERIFY2(run.err.empty() && QString::fromStdString(run.out).contains(says), what(run));
    QVERIFY(runCliLine("plan --json " + line).out.find("option_of_other_engine") != std::string::npos);
    // Where an engine that has it is compared, it is no stranger.
    const std::string others = " --engine vllm --engine llama.cpp --engine transformers";
    if (options.find("--engine") == std::string::npos)
        return;
    QVERIFY(runCliLine("compare --json " + line + others).out.find("option_of_other_engine") == std::string::npos);
}

/// `auto` is the engine's default, over a scenario that says otherwise.
void TestCli::automaticKvType()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("a.kvscope")).toStdString();
    const auto typeOf = [](const CliRun &run) { return pick(run.document(), QStringLiteral("scenario.kv.key")).toString(); };
    QCOMPARE(typeOf(runCli({"plan", "--model", "llama-3.1-8b-instruct", "--gpu", "h100-sxm5-80gb", "--engine", "vllm", "--kv-type", "fp8",
                            "--save", path, "--json"})),
             QStringLiteral("fp8"));
    QCOMPARE(typeOf(runCli({"plan", "--scenario", path, "--kv-type", "auto", "--json"})), QStringLiteral("bf16"));
}

/// vLLM's k is a thousand, its K is 1024.
void TestCli::thousandsOfTokens()
{
    const std::string line = "plan --model llama-3.1-8b-instruct --gpu h100-sxm5-80gb --engine ";
    const auto said = [&](const std::string &options) {
        return QString::fromStdString(runCliLine(line + options).out).count(QLatin1String("give vLLM plain digits"));
    };
    QCOMPARE(said("vllm --context 32k"), 1);
    QCOMPARE(said("vllm --context 32k --max-num-batched-tokens 8k"), 1);
    QCOMPARE(said("vllm --context 4096 --max-num-batched-tokens 8k"), 1);
    QCOMPARE(said("vllm --context 32K"), 0);
    QCOMPARE(said("vllm --context 32768"), 0);
    QCOMPARE(said("sglang --context 32k"), 0);
    QCOMPARE(bytesAt(runCliLine(line + "vllm --max-num-batched-tokens 8k --json"), "scenario.serving.max_batched_tokens"), qint64{8192});
}

void TestCli::badWords_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("says");
    const QStringList plan{QStringLiteral("plan"), QStringLiteral("--layers"),   QStringLiteral("32"),  QStringLiteral("--kv-heads"),
                           QStringLiteral("8"),    QStringLiteral("--head-dim"), QStringLiteral("128"), QStringLiteral("--gpu-memory"),
                           QStringLiteral("24GB")};
    const auto row = [&](const char *name, QStringList words, const char *says) {
        QTest::newRow(name) << words << QString::fromUtf8(says);
    };
    const auto with = [&](std::initializer_list<const char *> more) {
        QStringList words = plan;
        for (const char *word : more)
            words += QString::fromUtf8(word);
        return words;
    };
    row("unknown command", {QStringLiteral("plam")}, "plan");
    row("unknown option", with({"--contxt", "5"}), "--context");
    row("word too many", with({"surplus"}), "surplus");
    row("missing value", with({"--context"}), "--context");
    row("missing value before an option", with({"--context", "--json"}), "--context");
    row("value for a flag", with({"--json=5"}), "--json");
    row("size with spaces", with({"--in-use", "24 G B"}), "24 G B");
    row("size without digits", with({"--in-use", "GB"}), "--in-use");
    row("no number", with({"--context", "many"}), "many");
    row("negative", with({"--context", "-5"}), "-5");
    row("zero context", with({"--context", "0"}), "--context");
    row("context beyond counting", with({"--context", "1000000001"}), "1000000000");
    row("zero batch", with({"--batch", "0"}), "--batch");
    row("batch beyond counting", with({"--batch", "1000001"}), "1000000");
    row("NaN", with({"--reserve", "nan"}), "nan");
    row("reserve over 100", with({"--reserve", "101"}), "101");
    row("zero heads",
        {QStringLiteral("plan"), QStringLiteral("--layers"), QStringLiteral("32"), QStringLiteral("--kv-heads"), QStringLiteral("0"),
         QStringLiteral("--head-dim"), QStringLiteral("128"), QStringLiteral("--gpu-memory"), QStringLiteral("1GB")},
        "--kv-heads");
    row("10^12 layers",
        {QStringLiteral("plan"), QStringLiteral("--layers"), QStringLiteral("1000000000000"), QStringLiteral("--kv-heads"),
         QStringLiteral("8"), QStringLiteral("--head-dim"), QStringLiteral("128"), QStringLiteral("--gpu-memory"), QStringLiteral("1GB")},
        "10000");
    row("heads not divisible", with({"--heads", "31"}), "31");
    row("half a shape",
        {QStringLiteral("plan"), QStringLiteral("--layers"), QStringLiteral("32"), QStringLiteral("--gpu-memory"), QStringLiteral("1GB")},
        "--kv-heads");
    row("model and shape", with({"--model", "llama-3.1-8b-instruct"}), "--layers");
    row("no model", {QStringLiteral("plan"), QStringLiteral("--gpu-memory"), QStringLiteral("1GB")}, "--model");
    row("no device", {QStringLiteral("plan"), QStringLiteral("--model"), QStringLiteral("llama-3.1-8b-instruct")}, "--gpu");
    row("unknown model",
        {QStringLiteral("plan"), QStringLiteral("--gpu-memory"), QStringLiteral("1GB"), QStringLiteral("--model"),
         QStringLiteral("llama-3.1-8b-instrukt")},
        "llama-3.1-8b-instruct");
    row("unknown GPU",
        {QStringLiteral("plan"), QStringLiteral("--layers"), QStringLiteral("1"), QStringLiteral("--kv-heads"), QStringLiteral("1"),
         QStringLiteral("--head-dim"), QStringLiteral("1"), QStringLiteral("--gpu"), QStringLiteral("rtx-4091")},
        "rtx-4090");
    row("zero memory", with({"--gpu-memory", "0"}), "--gpu-memory");
    row("unknown engine", with({"--engine", "transformer"}), "transformers");
    row("unknown version", with({"--engine", "transformers@soon"}), "soon");
    row("version of an engine without", with({"--engine", "formula@2"}), "formula");
    row("report without a file", {QStringLiteral("report"), QStringLiteral("--layers"), QStringLiteral("1")}, "-o");
    row("unknown KV type", with({"--kv-type", "q8"}), "q8_0");
    row("unknown weights", with({"--weights", "q9_9"}), "q9_9");
    row("unknown attention", with({"--attention", "flash"}), "flash_attention_2");
    row("unknown cache", with({"--cache", "paged"}), "dynamic");
    row("bad scales", with({"--kv-scales", "per-layer"}), "per-token");
    row("bad group", with({"--kv-scales", "per-group:0"}), "--kv-scales");
    row("bad keep", with({"--kv-keep", "middle:1"}), "first:N");
    row("bad unit", with({"--unit", "MB"}), "GiB");
    row("bad language", with({"--lang", "fr"}), "zh_CN");
    row("two GPUs", with({"--gpu", "rtx-4090", "--gpu", "rtx-3090"}), "compare");
    row("absurd split", with({"--tp", "4096", "--pp", "4096"}), "4096");
    row("machines that do not share the cards", with({"--tp", "3", "--nodes", "2"}), "3 by 2");
    row("no machine", with({"--nodes", "0"}), "1..4096");
    row("unknown interconnect", with({"--interconnect", "infiniband"}), "nvlink");
    row("replicas within a group elsewhere", with({"--dp-attention"}), "--engine sglang");
    row("unknown draft model", with({"--draft-model", "llama-3.1-8b-instrukt"}), "llama-3.1-8b-instruct");
    row("no percent", with({"--reserve", "many"}), "0..100 %");
    row("no bits", with({"--cache-bits", "x"}), "1..8");
    row("no share", with({"--engine", "vllm", "--gpu-memory-utilization", "1.5"}), "0..1");
    row("tokens in words", with({"--context", "３２k"}), "32768 or 32k");
    row("parameters in words", with({"--params", "8 billion"}), "30.53B");
    row("empty value", with({"--context", ""}), "--context");
    row("nothing near", with({"--zzzzzzzzzzzzzzzzzzzz", "1"}), "--help");
    row("context beyond 63 bits", with({"--context", "99999999999999999999"}), "1000000000");
    row("size beyond 63 bits", with({"--in-use", "99999999999TB"}), "too large");
    row("context twice over", with({"--engine", "transformers", "--context", "5", "--prompt", "4"}), "--prompt; give one");
    row("share of another engine", with({"--engine", "sglang", "--gpu-memory-utilization", "0.5"}), "--engine vllm");
    row("a share left out", with({"--engine", "llama.cpp", "--tensor-split", "1,,2"}), "1,,2");
    row("no such list entry", {QStringLiteral("gpus"), QStringLiteral("no-such-gpu-at-all")}, "no-such-gpu-at-all");
}

void TestCli::badWords()
{
    QFETCH(QStringList, words);
    QFETCH(QString, says);
    std::vector<std::string> list;
    for (const QString &word : words)
        list.push_back(word.toStdString());
    const CliRun run = runCli(list);
    QVERIFY2(run.status == 2, what(run));
    QVERIFY2(isOneErrorLine(run), what(run));
    QVERIFY2(QString::fromStdString(run.err).contains(says), what(run));
}

void TestCli::badFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no JSON") << QByteArray("hello");
    QTest::newRow("cut") << QByteArray(R"({"model_type": "llama", "num_hidden_layers": 32)");
    QTest::newRow("a list") << QByteArray("[1, 2]");
    QTest::newRow("no fields") << QByteArray("{}");
    QTest::newRow("unknown family without fields") << QByteArray(R"({"model_type": "no_such_family"})");
    QTest::newRow("zero heads") << QByteArray(
        R"({"model_type": "llama", "num_hidden_layers": 32, "num_attention_heads": 0, "num_key_value_heads": 8, "hidden_size": 4096, "intermediate_size": 11008, "vocab_size": 32000})");
    QTest::newRow("10^12 layers") << QByteArray(
        R"({"model_type": "llama", "num_hidden_layers": 1000000000000, "num_attention_heads": 32, "hidden_size": 4096, "intermediate_size": 11008, "vocab_size": 32000})");
    QTest::newRow("text for a number") << QByteArray(
        R"({"model_type": "llama", "num_hidden_layers": "many", "num_attention_heads": 32, "hidden_size": 4096, "intermediate_size": 11008, "vocab_size": 32000})");
}

void TestCli::badFiles()
{
    QFETCH(QByteArray, text);
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("config.json"));
    writeText(path, text);
    const CliRun planned = runCli({"plan", "--model", path.toStdString(), "--gpu-memory", "24GB"});
    QVERIFY2(planned.status == 3, what(planned));
    QVERIFY2(isOneErrorLine(planned), what(planned));
    const CliRun inspected = runCli({"inspect", path.toStdString()});
    QVERIFY2(inspected.status == 3, what(inspected));
    QVERIFY2(isOneErrorLine(inspected), what(inspected));
    const CliRun missing = runCli({"inspect", folder.filePath(QStringLiteral("missing.json")).toStdString()});
    QVERIFY2(missing.status == 3 && isOneErrorLine(missing), what(missing));
    const CliRun scenario = runCli({"plan", "--scenario", path.toStdString()});
    QVERIFY2(scenario.status == 3 && isOneErrorLine(scenario), what(scenario));
}

void TestCli::standardInput()
{
    const std::string config =
        R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "num_hidden_layers": 2, "num_attention_heads": 4,
        "num_key_value_heads": 2, "hidden_size": 64, "intermediate_size": 128, "vocab_size": 1000, "torch_dtype": "bfloat16", "max_position_embeddings": 2048})";
    const CliRun run = runCli({"plan", "--model", "-", "--gpu-memory", "1GB", "--json"}, config);
    QVERIFY2(run.status == 0, what(run));
    QCOMPARE(bytesAt(run, "kv.total_bytes"), qint64{2 * 2 * 2 * 16 * 2 * 2048}); // K and V, 2 layers, 2 heads of 16, 2 bytes, 2048 tokens
    QCOMPARE(runCli({"inspect", "-"}, "").status, 3);
}

void TestCli::scenarioRoundTrip()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("a.kvscope")).toStdString();
    const std::vector<std::string> words{"plan",     "--model",     "llama-3.1-8b-instruct",
                                         "--gpu",    "rtx-4090 x2", "--tp",
                                         "2",        "--context",   "20000",
                                         "--batch",  "3",           "--kv-type",
                                         "int8",     "--kv-keep",   "first:1,last:2",
                                         "--in-use", "300MB",       "--reserve",
                                         "2.5",      "--weights",   "int8",
                                         "--json"};
    std::vector<std::string> saving = words;
    saving.insert(saving.end(), {"--save", path});
    const CliRun first = runCli(saving);
    QVERIFY2(first.err.empty(), what(first));
    const CliRun second = runCli({"plan", "--scenario", path, "--json"});
    QCOMPARE(second.out, first.out);
    QCOMPARE(runCli({"plan", "--scenario", folder.filePath(QStringLiteral("none.kvscope")).toStdString()}).status, 3);
    const CliRun unwritable = runCli({"plan", "--layers", "1", "--kv-heads", "1", "--head-dim", "1", "--gpu-memory", "1GB", "--save",
                                      folder.filePath(QStringLiteral("no/such/folder.kvscope")).toStdString()});
    QVERIFY2(unwritable.status == 3 && isOneErrorLine(unwritable), what(unwritable));
}

void TestCli::optionsOverrideScenario()
{
    QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("a.kvscope")).toStdString();
    QCOMPARE(runCli({"plan", "--layers", "32", "--kv-heads", "8", "--head-dim", "128", "--context", "32768", "--gpu-memory", "24GB",
                     "--save", path})
                 .status,
             0);
    QCOMPARE(bytesAt(runCli({"plan", "--scenario", path, "--json"}), "kv.total_bytes"), qint64{4294967296});
    QCOMPARE(bytesAt(runCli({"plan", "--scenario", path, "--batch", "2", "--json"}), "kv.total_bytes"), qint64{8589934592});
    QCOMPARE(bytesAt(runCli({"plan", "--scenario", path, "--kv-type", "int8", "--json"}), "kv.total_bytes"), qint64{2147483648});
    QCOMPARE(bytesAt(runCli({"plan", "--scenario", path, "--gpu-memory", "8GB", "--json"}), "devices.0.memory_bytes"), qint64{8000000000});
    QCOMPARE(pick(runCli({"plan", "--scenario", path, "--tp", "2", "--json"}).document(), QStringLiteral("devices")).toArray().size(), 2);
    QCOMPARE(bytesAt(runCli({"plan", "--scenario", path, "--model", "llama-2-7b-hf", "--json"}), "scenario.context"), qint64{32768});
}

void TestCli::compareTable()
{
    const CliRun run = runCli(
        {"compare", "--model", "llama-3.1-8b-instruct", "--context", "8k", "--gpu", "rtx-4090", "--gpu", "h100-sxm5-80gb x2", "--tp", "2"});
    QCOMPARE(run.status, 0);
    QVERIFY2(run.out.find("RTX 4090 x2") != std::string::npos, run.out.c_str()); // without xN there are as many as the split needs
    const CliRun small =
        runCli({"compare", "--model", "llama-3.1-8b-instruct", "--gpu", "rtx-4090 x2", "--gpu", "h100-sxm5-80gb x4", "--tp", "4"});
    QVERIFY2(small.status == 2 && isOneErrorLine(small), what(small));
}

void TestCli::compareJson()
{
    const std::vector<std::string> words{"compare",  "--model", "llama-3.1-8b-instruct", "--context", "8k", "--gpu", "rtx-4090", "--gpu",
                                         "rtx-3060", "--gpu",   "h100-sxm5-80gb"};
    const CliRun text = runCli(words);
    QCOMPARE(text.status, 0);
    QVERIFY(text.out.find("RTX 4090") != std::string::npos);
    std::vector<std::string> json = words;
    json.push_back("--json");
    const CliRun run = runCli(json);
    QCOMPARE(run.document().array().size(), 3);
    QCOMPARE(pick(run.document(), QStringLiteral("0.verdict")).toString(), QStringLiteral("fits")); // 16.06 + 1.07 GB in 24
    QCOMPARE(pick(run.document(), QStringLiteral("1.verdict")).toString(), QStringLiteral("oom"));  // in 12
    // One column answers by its status.
    QCOMPARE(runCliLine("compare --model llama-3.1-8b-instruct --gpu rtx-3060").status, 1);
}

void TestCli::inspect()
{
    const CliRun run = runCliLine("inspect llama-3.1-8b-instruct --json");
    QCOMPARE(run.status, 0);
    QCOMPARE(bytesAt(run, "model.layers"), qint64{32});
    QCOMPARE(bytesAt(run, "model.attention_heads"), qint64{32});
    QCOMPARE(bytesAt(run, "model.kv_heads"), qint64{8});
    QCOMPARE(bytesAt(run, "weights.bytes"), qint64{8030261248 * 2});
    QVERIFY(run.json().contains(QStringLiteral("assumptions")));
    const CliRun text = runCliLine("inspect llama-3.1-8b-instruct");
    QVERIFY(text.out.find("8,030,261,248") != std::string::npos);
    QCOMPARE(runCliLine("inspect").status, 2);
    QCOMPARE(runCliLine("inspect no-such-model").status, 2);
}

void TestCli::lists()
{
    QCOMPARE(runCliLine("models --json").document().array().size() >= 250, true);
    QCOMPARE(runCliLine("gpus --json").document().array().size() >= 220, true);
    const QJsonArray found = runCliLine("gpus 4090 --json").document().array();
    QVERIFY(!found.isEmpty());
    QCOMPARE(found.first().toObject().value(QStringLiteral("id")).toString(), QStringLiteral("geforce-rtx-4090"));
    QCOMPARE(runCliLine("engines --json").document().array().size(), 7);
    QVERIFY(runCliLine("models qwen3 8b").out.find("qwen3-8b") != std::string::npos);
    QCOMPARE(runCliLine("models --json no-such-model-at-all").out, std::string("[\n]\n"));
}

void TestCli::helpAndVersion()
{
    QVERIFY(runCliLine("--version").out.starts_with("kvplan "));
    QCOMPARE(runCliLine("--help").status, 0);
    QCOMPARE(runCli({}).status, 2);
    for (const char *command : {"plan", "compare", "sweep", "report", "inspect", "models", "gpus", "engines"}) {
        const CliRun run = runCli({command, "--help"});
        QCOMPARE(run.status, 0);
        QVERIFY2(run.out.find(std::string("kvplan ") + command) != std::string::npos, command);
        QVERIFY(run.err.empty());
    }
}

void TestCli::chineseHasNoEnglish_data()
{
    QTest::addColumn<std::string>("line");
    const auto row = [](const char *line) { QTest::newRow(line) << std::string(line); };
    row("--help");
    row("plan --help");
    row("compare --help");
    row("sweep --help");
    row("inspect --help");
    row("models --help");
    row("report --help");
    row("engines --help");
    row("plan --layers 32 --kv-heads 8 --heads 32 --head-dim 128 --params 8B --context 64k --batch 4 --gpu-memory 24GB --reserve 5");
    row("plan --layers 32 --kv-heads 8 --heads 32 --head-dim 128 --context 64k --batch 64 --gpu-memory 24GB --tp 2");
    row("compare --layers 32 --kv-heads 8 --heads 32 --head-dim 128 --gpu rtx-4090 --gpu rtx-3060");
    row("inspect llama-3.1-8b-instruct");
    row("gpus 4090");
    row("models --json=5");
    row("plam");
    row("sweep --models 32x8x128 --memories 8GB,24GB --contexts 4k --markdown");
}

/// What stays Latin in Chinese text is a name, a unit, an option or a code; sentences and labels are not.
void TestCli::chineseHasNoEnglish()
{
    QFETCH(std::string, line);
    const CliRun run = runCliLine(line + " --lang zh_CN");
    const QString text = QString::fromStdString(run.out + run.err);
    QVERIFY(!text.isEmpty());
    static const QRegularExpression english(
        QStringLiteral("\\b(the|of|and|is|are|with|without|for|not|free|fits|memory|context|weights|model|layers|heads|tokens|options|"
                       "usage|arguments|limited|by|longest|most|sequences|default|print|show|total|verdict|cache of)\\b"),
        QRegularExpression::CaseInsensitiveOption);
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (const QString &one : lines) {
        QString words = one;
        static const QRegularExpression options(QStringLiteral("--[a-z-]+|[a-z_]+(,[a-z_]+)+|[a-z_]+_[a-z_]+|kvplan( [a-z]+)?|^  [a-z]+ "));
        words.replace(options, QStringLiteral(" "));
        const QRegularExpressionMatch match = english.match(words);
        QVERIFY2(!match.hasMatch(), qPrintable(match.captured() + QStringLiteral(" in: ") + one));
    }
}

void TestCli::codesKeepTheirLanguage()
{
    const std::string line = "plan --layers 32 --kv-heads 8 --head-dim 128 --gpu-memory 1GB --json --lang ";
    const QJsonObject english = runCliLine(line + "en").json(), chinese = runCliLine(line + "zh_CN").json();
    QCOMPARE(chinese.keys(), english.keys());
    QCOMPARE(chinese.value(QStringLiteral("verdict")), english.value(QStringLiteral("verdict")));
    QCOMPARE(chinese.value(QStringLiteral("kv")), english.value(QStringLiteral("kv")));
    QCOMPARE(chinese.value(QStringLiteral("limits")), english.value(QStringLiteral("limits")));
    QVERIFY(pick(QJsonDocument(chinese), QStringLiteral("warnings.0.message")) !=
            pick(QJsonDocument(english), QStringLiteral("warnings.0.message")));
}

void TestCli::explain()
{
    const CliRun run = runCliLine("plan --layers 32 --kv-heads 32 --head-dim 128 --context 32768 --gpu-memory 24GB --explain");
    QVERIFY2(run.out.find("17.179869184 GB") != std::string::npos, run.out.c_str());
    QVERIFY2(run.out.find("2 x 32 x 32 x 128 x 2 B x 32768 x 1") != std::string::npos, run.out.c_str());
}

void TestCli::report()
{
    QTemporaryDir folder;
    const auto written = [&](const char *name, const std::vector<std::string> &more = {}) {
        const QString path = folder.filePath(QString::fromLatin1(name));
        std::vector<std::string> words{"report",     "-o",    path.toStdString(), "--layers", "32",
                                       "--kv-heads", "32",    "--head-dim",       "128",      "--context",
                                       "32768",      "--gpu", "rtx-4090",         "--gpu",    "rtx-3060"};
        words.insert(words.end(), more.begin(), more.end());
        const CliRun run = runCli(words);
        QFile file(path);
        return run.status == 0 && run.out.empty() && file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray::fromStdString(run.err);
    };
    QVERIFY(written("a.md").startsWith("# "));
    QVERIFY(written("a.md").contains("17.18 GB"));
    QVERIFY(written("a.md", {"--unit", "GiB"}).contains("16 GiB"));
    QVERIFY(written("a.html").toLower().startsWith("<!doctype html>"));
    QCOMPARE(written("a.csv").trimmed().split('\n').size(), 3);
    QVERIFY(written("a.csv").contains("17179869184"));
    QVERIFY(written("a.pdf").startsWith("kvplan: "));
    // Each machine under each engine, and what parts an engine from the theory.
    const std::vector<std::string> engines{"--engine", "vllm@0.19.0", "--engine", "llama.cpp"};
    QCOMPARE(written("b.csv", engines).trimmed().split('\n').size(), 1 + 2 * 2);
    const QByteArray both = written("b.md", engines);
    for (const char *expected : {"vLLM 0.19.0", "llama.cpp b", "against the theory"})
        QVERIFY2(both.contains(expected), expected);
}

void TestCli::ownCatalogue()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("devices.json"));
    QFile shipped(QStringLiteral(KVSCOPE_SOURCE_DIR "/resources/catalog/devices.json"));
    QVERIFY(shipped.open(QIODevice::ReadOnly));
    QJsonObject catalogue = QJsonDocument::fromJson(shipped.readAll()).object();
    QJsonObject device = catalogue.value(QStringLiteral("devices")).toArray().first().toObject();
    device.insert(QStringLiteral("id"), QStringLiteral("my-card"));
    device.insert(QStringLiteral("name"), QStringLiteral("My Card"));
    device.remove(QStringLiteral("aliases"));
    catalogue.insert(QStringLiteral("devices"), QJsonArray{device});
    writeText(path, QJsonDocument(catalogue).toJson());
    const CliRun run = runCli({"gpus", "my-card", "--catalog", path.toStdString()});
    QVERIFY2(run.out.find("My Card") != std::string::npos, what(run));
    QCOMPARE(
        runCli({"--catalog", path.toStdString(), "plan", "--layers", "1", "--kv-heads", "1", "--head-dim", "1", "--gpu", "my-card"}).status,
        0);
    QCOMPARE(runCli({"gpus", "my-card"}).status, 2);
    writeText(path, "{");
    const CliRun damaged = runCli({"gpus", "--catalog", path.toStdString()});
    QVERIFY2(damaged.status == 3 && isOneErrorLine(damaged), what(damaged));
}

void TestCli::units()
{
    const std::string line = "plan --layers 32 --kv-heads 32 --head-dim 128 --context 32768 --gpu-memory 24GiB ";
    QVERIFY(runCliLine(line + "--unit GiB").out.find("16 GiB") != std::string::npos);
    QVERIFY(runCliLine(line).out.find("17.18 GB") != std::string::npos);
    QCOMPARE(runCliLine(line + "--unit GiB --json").out, runCliLine(line + "--json").out);
}

void TestCli::colours()
{
    QVERIFY(runCliLine("plan --layers 1 --kv-heads 1 --head-dim 1 --gpu-memory 1GB").out.find('\x1b') == std::string::npos);
    const Catalog catalog;
    std::istringstream in;
    std::ostringstream out, err;
    cli::run({"plan", "--layers", "1", "--kv-heads", "1", "--head-dim", "1", "--gpu-memory", "1GB"}, {in, out, err, true}, catalog);
    QVERIFY(out.str().find("\x1b[") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestCli)

#include "tst_cli.moc"
