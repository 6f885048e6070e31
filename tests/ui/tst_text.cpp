// SPDX-License-Identifier: GPL-3.0-or-later
// Names and sentences in both languages.
#include "ui/text/surelimits.h"
#include "ui/text/text.h"

#include "core/engine.h"
#include "ui/text/words.h"

#include <QDirIterator>
#include <QEvent>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

namespace {

constexpr int warningCount = static_cast<int>(WarningCode::RecurrentSplit) + 1;
constexpr int errorCount = static_cast<int>(ErrorCode::TooLarge) + 1;

/// Has Chinese characters, or is made of names and figures alone.
bool isChinese(const QString &text)
{
    static const QRegularExpression han(QStringLiteral("[\\x{4e00}-\\x{9fff}]"));
    return text.contains(han);
}

/// Lower-case English words that a Chinese sentence may hold: names of files, options, types and units.
QString englishRemains(QString text)
{
    static const QRegularExpression allowed(QStringLiteral(
        "[a-z_]*config\\.json|logits|safetensors|tokens?|kvplan [a-z]+|true|false|--[a-z-]+|thing\\d|[a-z0-9]*_[a-z0-9_]*|\\d+k\\b"));
    text.remove(allowed);
    static const QRegularExpression words(QStringLiteral("\\b[a-z]{3,}\\b"));
    return words.match(text).captured();
}

Plan planWith(Verdict verdict, Bytes total, Bytes high, Bytes budget)
{
    Plan plan;
    plan.verdict = verdict;
    DevicePlan device;
    device.total = device.low = total;
    device.high = high;
    device.budget = budget;
    plan.devices = {device};
    return plan;
}

ModelSpec modelOf(int layers, const LayerGroup &group)
{
    ModelSpec model;
    model.groups = {group};
    model.layout.assign(static_cast<std::size_t>(layers), 0);
    return model;
}

class Listener : public QObject {
public:
    int changes = 0;
    bool eventFilter(QObject *, QEvent *event) override
    {
        changes += event->type() == QEvent::LanguageChange;
        return false;
    }
};

} // namespace

class TestText : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        QTest::failOnWarning(QRegularExpression(QStringLiteral(".*")));
        text::installLanguage(QStringLiteral("en"));
    }

    void everyNameInBothLanguages();
    void everyErrorInBothLanguages();
    void everyWarningInBothLanguages();
    void everyAssumptionInBothLanguages();
    void everyRuleInBothLanguages();
    void acceptedValues();
    void errorsAreOneLine();
    void errorForm();
    void verdicts();
    void shapes();
    void wrongReading_data();
    void wrongReading();
    void machines();
    void pluralsInEnglish();
    void languageSwitches();
    void systemLanguage();
    void sureLimits();
};

namespace {

QStringList allNames()
{
    using namespace text;
    QStringList names;
    for (const Verdict v : {Verdict::Fits, Verdict::Tight, Verdict::OutOfMemory, Verdict::Refused})
        names += name(v);
    for (int i = 0; i < partCount; ++i)
        names += name(static_cast<Part>(i));
    for (int i = 0; i <= static_cast<int>(Mixer::None); ++i)
        names += name(static_cast<Mixer>(i));
    for (int i = 0; i < roleCount; ++i)
        names += name(static_cast<Role>(i));
    for (const Confidence c : {Confidence::Exact, Confidence::Calibrated, Confidence::Assumed})
        names += name(c);
    for (int i = 0; i <= static_cast<int>(LimitReason::EngineLimit); ++i)
        names += reason(static_cast<LimitReason>(i));
    return names;
}

} // namespace

void TestText::everyNameInBothLanguages()
{
    const QStringList english = allNames();
    text::installLanguage(QStringLiteral("zh_CN"));
    const QStringList chinese = allNames();
    for (qsizetype i = 0; i < english.size(); ++i) {
        QVERIFY2(!english[i].isEmpty(), qPrintable(QString::number(i)));
        QVERIFY2(!isChinese(english[i]), qPrintable(english[i]));
        QVERIFY2(isChinese(chinese[i]), qPrintable(english[i]));
    }
    // Some recurrences are names of papers and stay.
    for (int i = 0; i <= static_cast<int>(Recurrence::RGLRU); ++i)
        QVERIFY(!text::name(static_cast<Recurrence>(i)).isEmpty());
    for (int i = 0; i < formatCount; ++i)
        QVERIFY(!text::name(static_cast<Format>(i)).isEmpty());
}

void TestText::everyErrorInBothLanguages()
{
    for (const char *detail : {"", "thing3", "12"}) {
        for (int i = 0; i < errorCount; ++i) {
            const Error error{static_cast<ErrorCode>(i), "thing1", detail, "thing2"};
            text::installLanguage(QStringLiteral("en"));
            const QString english = text::sentence(error);
            QVERIFY2(!english.isEmpty() && !english.contains(QLatin1Char('%')), qPrintable(english));
            QVERIFY2(english.contains(QLatin1String(": ")), qPrintable(english));
            QVERIFY2(english.contains(QLatin1String("; ")), qPrintable(english));
            QVERIFY2(!english.endsWith(QLatin1Char('.')), qPrintable(english));
            text::installLanguage(QStringLiteral("zh_CN"));
            const QString chinese = text::sentence(error);
            QVERIFY2(isChinese(chinese) && chinese.contains(QChar(0xff1a)) && chinese.contains(QChar(0xff1b)), qPrintable(chinese));
            QVERIFY2(englishRemains(chinese).isEmpty(), qPrintable(chinese));
        }
    }
}

void TestText::everyWarningInBothLanguages()
{
    for (int i = 0; i < warningCount; ++i) {
        const Warning warning{static_cast<WarningCode>(i), {"1000001", "thing2"}};
        text::installLanguage(QStringLiteral("en"));
        const QString english = text::sentence(warning, text::Unit::GB);
        QVERIFY2(!english.isEmpty() && !english.contains(QLatin1Char('%')), qPrintable(english));
        text::installLanguage(QStringLiteral("zh_CN"));
        const QString chinese = text::sentence(warning, text::Unit::GB);
        QVERIFY2(isChinese(chinese) && englishRemains(chinese).isEmpty(), qPrintable(chinese));
        // A warning that lacks its values is still a sentence.
        QVERIFY(!text::sentence(Warning{static_cast<WarningCode>(i), {}}, text::Unit::GB).isEmpty());
    }
    text::installLanguage(QStringLiteral("en"));
    QCOMPARE(text::sentence(Warning{WarningCode::BeyondTrainedLength, {"131072", "8192"}}, text::Unit::GB),
             QStringLiteral("The context of 131,072 tokens is longer than the 8,192 that the model was trained for"));
    QCOMPARE(text::sentence(Warning{WarningCode::HostMemoryShort, {"68719476736", "34359738368"}}, text::Unit::GiB),
             QStringLiteral("The host needs 64 GiB of memory and has 32 GiB"));
}

namespace {

/// What the patterns capture in the sources of a folder: core's codes, which no list names.
QStringList codesIn(const QString &folder, const QStringList &patterns)
{
    QStringList codes;
    QDirIterator files(QStringLiteral(KVSCOPE_SOURCE_DIR "/") + folder, {QStringLiteral("*.cpp")}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (!file.open(QIODevice::ReadOnly))
            return {};
        const QString text = QString::fromUtf8(file.readAll());
        for (const QString &pattern : patterns) {
            QRegularExpressionMatchIterator found = QRegularExpression(pattern).globalMatch(text);
            while (found.hasNext())
                codes += found.next().captured(1);
        }
    }
    codes.removeDuplicates();
    return codes;
}

} // namespace

void TestText::everyAssumptionInBothLanguages()
{
    const QStringList reasons =
        codesIn(QStringLiteral("core/import"),
                {QStringLiteral("assume\\([^;]*, \"([a-z_]+)\"\\);"), QStringLiteral("findOr\\([^;]*, \"([a-z_]+)\"\\)"),
                 QStringLiteral("assumptions\\.push_back\\(\\{[^;]*, \"([a-z_]+)\"\\}")});
    QVERIFY(reasons.size() >= 10);
    for (const QString &reason : reasons) {
        const Assumption assumption{"thing1", "12", reason.toStdString()};
        text::installLanguage(QStringLiteral("en"));
        const QString english = text::sentence(assumption);
        QVERIFY2(english.contains(QLatin1String("thing1")) && !english.contains(reason) && !english.contains(QLatin1Char('%')),
                 qPrintable(english));
        text::installLanguage(QStringLiteral("zh_CN"));
        const QString chinese = text::sentence(assumption);
        QVERIFY2(isChinese(chinese) && englishRemains(chinese).isEmpty(), qPrintable(chinese));
    }
    text::installLanguage(QStringLiteral("en"));
    QCOMPARE(text::sentence(Assumption{"head_dim", "128", "hidden_size_over_heads"}),
             QStringLiteral("head_dim is not in the file: 128 was taken, the hidden size divided by the attention heads"));
    QCOMPARE(text::sentence(Assumption{"x", "1", "unheard_of"}), QStringLiteral("x is not in the file: 1 was taken (unheard_of)"));
}

void TestText::everyRuleInBothLanguages()
{
    // Second in an Explanation after the figure's path, or the first of a cited rule.
    const QStringList rules = codesIn(
        QStringLiteral("core/engines"),
        {QStringLiteral("\\{\"[a-z_.]+\", \"((?:kv|weights|state|budget|limit|transformers)(?:\\.[a-z_]+)?)\""),
         QStringLiteral("\\{\"((?:kv|weights|state|transformers)\\.[a-z_]+)\", \""), QStringLiteral("\"(transformers\\.[a-z_]+)\"")});
    QVERIFY(rules.size() >= 20);
    for (const QString &rule : rules) {
        if (rule == QLatin1String("kv.total_bytes") || rule == QLatin1String("kv.bytes_per_token") ||
            rule == QLatin1String("kv.state_bytes_per_sequence"))
            continue; // figures
        text::installLanguage(QStringLiteral("en"));
        const QString english = text::rule(rule.toStdString());
        QVERIFY2(english != rule && english.contains(QLatin1Char(' ')), qPrintable(rule));
        text::installLanguage(QStringLiteral("zh_CN"));
        const QString chinese = text::rule(rule.toStdString());
        QVERIFY2(isChinese(chinese) && englishRemains(chinese).isEmpty(), qPrintable(chinese));
    }
}

void TestText::acceptedValues()
{
    text::installLanguage(QStringLiteral("zh_CN"));
    for (const char *detail : {"lower case, no spaces", "letters or digits", "not empty", "usable at most the memory"}) {
        const QString chinese = text::sentence(Error{ErrorCode::OutOfRange, "thing1", detail, {}});
        QVERIFY2(englishRemains(chinese).isEmpty(), qPrintable(chinese));
    }
    for (const char *type : {"object", "array", "string", "number", "integer", "boolean"}) {
        const QString chinese = text::sentence(Error{ErrorCode::WrongType, "thing1", type, {}});
        QVERIFY2(englishRemains(chinese).isEmpty() && !chinese.contains(QLatin1String(type)), qPrintable(chinese));
    }
    for (const char *kind : {"scenario", "config", "hf_quant_config", "safetensors_index", "models or devices"}) {
        const QString chinese = text::sentence(Error{ErrorCode::NotThisKind, "thing1", kind, {}});
        QVERIFY2(englishRemains(chinese).isEmpty(), qPrintable(chinese));
        text::installLanguage(QStringLiteral("en"));
        QVERIFY(text::sentence(Error{ErrorCode::NotThisKind, "thing1", kind, {}}).contains(QLatin1String("this is not a ")));
        text::installLanguage(QStringLiteral("zh_CN"));
    }
}

void TestText::errorsAreOneLine()
{
    const Error error{ErrorCode::UnknownName, std::string("a\nb\x1b[31m\tc\r") + std::string(100000, 'x'), "p\nq", "f\n"};
    const QString sentence = text::sentence(error);
    QVERIFY(sentence.size() < 1000);
    for (const QChar c : sentence)
        QVERIFY(c.unicode() >= 0x20 && c.unicode() != 0x7f);
    // What an argument holds is not read as a placeholder.
    QCOMPARE(text::sentence(Error{ErrorCode::ReadFailed, "%2", "%1", {}}),
             QStringLiteral("%2: can't be read (%1); try again or use a copy"));
    QVERIFY(text::sentence(Error{ErrorCode::FileNotFound, "\xff\xfe", {}, {}}).contains(QChar(0xfffd)));
}

void TestText::errorForm()
{
    QCOMPARE(text::sentence(Error{ErrorCode::OutOfRange, "num_hidden_layers", "1..10000", "config.json"}),
             QStringLiteral("num_hidden_layers in config.json: the value is out of range; accepted: 1..10000"));
    QCOMPARE(text::sentence(Error{ErrorCode::NotJson, "config.json", "1234", {}}),
             QStringLiteral("config.json: not valid JSON from byte 1234 on; mend it there or fetch the file again"));
    QCOMPARE(text::sentence(Error{ErrorCode::FileTooLarge, "config.json", "67108864", {}}),
             QStringLiteral("config.json: the file is larger than 64 MiB, the most that is read; check that it is the right file"));
    QCOMPARE(text::sentence(Error{ErrorCode::UnknownName, "rtx-409", "rtx-4090, rtx-4080", {}}),
             QStringLiteral("rtx-409: no such name is known; did you mean rtx-4090, rtx-4080?"));
    text::installLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(text::sentence(Error{ErrorCode::UnknownName, "rtx-409", "rtx-4090, rtx-4080", {}}),
             QStringLiteral("rtx-409：没有这个名称；是否想用 rtx-4090、rtx-4080？"));
    QCOMPARE(text::sentence(Error{ErrorCode::WrongType, "num_hidden_layers", "integer", "config.json"}),
             QStringLiteral("config.json 中的 num_hidden_layers：值的类型不对；应为整数"));
}

void TestText::verdicts()
{
    using text::Unit;
    QCOMPARE(text::verdictSentence(planWith(Verdict::Fits, 20_GB, 21_GB, Bytes{23'100'000'000}), Unit::GB),
             QStringLiteral("Fits, 3.1 GB free"));
    QCOMPARE(text::verdictSentence(planWith(Verdict::Tight, 20_GB, Bytes{23'500'000'000}, 23_GB), Unit::GB),
             QStringLiteral("Tight, up to 500 MB short"));
    QCOMPARE(text::verdictSentence(planWith(Verdict::OutOfMemory, Bytes{26'400'000'000}, 27_GB, 24_GB), Unit::GB),
             QStringLiteral("Out of memory by 2.4 GB"));
    // What weights alone overrun is no matter of the pool, whatever the engine's check says.
    Plan overrun = planWith(Verdict::OutOfMemory, Bytes{26'400'000'000}, 27_GB, 24_GB);
    overrun.warnings = {{WarningCode::StartRefused, {"1000000000", "0", "0"}}};
    QCOMPARE(text::verdictSentence(overrun, Unit::GB), QStringLiteral("Out of memory by 2.4 GB"));
    QCOMPARE(text::sentence(overrun.warnings.front(), Unit::GB),
             QStringLiteral("The engine would not start: weights and its profile leave nothing of the card for the KV cache"));
    Plan refused;
    refused.refusal = Error{ErrorCode::MissingDevice, {}, {}, {}};
    QCOMPARE(text::verdictSentence(refused, Unit::GB),
             QStringLiteral("Refused: GPU: none was given; name one with --gpu or give its size with --gpu-memory"));
    text::installLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(text::verdictSentence(planWith(Verdict::OutOfMemory, Bytes{26'400'000'000}, 27_GB, 24_GB), Unit::GB),
             QStringLiteral("显存溢出，缺 2.4 GB"));
}

void TestText::shapes()
{
    LayerGroup grouped;
    grouped.queryHeads = 32;
    grouped.kvHeads = 8;
    grouped.keyDim = grouped.valueDim = 128;
    ModelSpec llama = modelOf(32, grouped);
    QCOMPARE(text::shapeLine(llama), QStringLiteral("32 layers · 8 KV heads of 32 · head dim 128"));

    LayerGroup latent; // DeepSeek-V3: 61 layers, kv_lora_rank 512, rope 64
    latent.mixer = Mixer::Latent;
    latent.queryHeads = 128;
    latent.kvHeads = 1;
    latent.keyDim = 192;
    latent.valueDim = 128;
    latent.latentDim = 512;
    latent.ropeDim = 64;
    QCOMPARE(text::shapeLine(modelOf(61, latent)), QStringLiteral("61 layers · latent 512 + 64"));

    LayerGroup recurrent;
    recurrent.mixer = Mixer::None;
    recurrent.state.kind = Recurrence::GatedDelta;
    llama.groups.push_back(recurrent);
    llama.layout.assign(8, 1);
    llama.layout.push_back(0);
    QCOMPARE(text::shapeLine(llama), QStringLiteral("9 layers · 1 with a KV cache · 8 KV heads of 32 · head dim 128"));
    QCOMPARE(text::shapeLine(modelOf(64, recurrent)), QStringLiteral("64 layers · 0 with a KV cache"));
    text::installLanguage(QStringLiteral("zh_CN"));
    QCOMPARE(text::shapeLine(modelOf(32, grouped)), QStringLiteral("32 层 · 8 个 KV 头（注意力头 32 个） · 头维度 128"));
}

void TestText::wrongReading_data()
{
    QTest::addColumn<int>("queryHeads");
    QTest::addColumn<int>("kvHeads");
    QTest::addColumn<QString>("expected");
    QTest::newRow("Llama 3 8B") << 32 << 8 << QStringLiteral("By attention heads it would read 4x more");
    QTest::newRow("Qwen2.5-7B") << 28 << 4 << QStringLiteral("By attention heads it would read 7x more");
    QTest::newRow("25 over 2") << 25 << 2 << QStringLiteral("By attention heads it would read 13x more");
    QTest::newRow("9 over 6") << 9 << 6 << QStringLiteral("By attention heads it would read 1.5x more");
    QTest::newRow("MHA: no wrong reading") << 32 << 32 << QString();
}

void TestText::wrongReading()
{
    QFETCH(int, queryHeads);
    QFETCH(int, kvHeads);
    QFETCH(QString, expected);
    LayerGroup group;
    group.queryHeads = queryHeads;
    group.kvHeads = kvHeads;
    group.keyDim = group.valueDim = 128;
    QCOMPARE(text::wrongReadingHint(modelOf(1, group)), expected);
}

void TestText::machines()
{
    Device card;
    card.id = card.name = "RTX 4090";
    QCOMPARE(text::name(clusterOf(card, 2), text::Unit::GB), QStringLiteral("RTX 4090 x2"));
    QCOMPARE(text::name(clusterOf(deviceOfSize(24_GB)), text::Unit::GB), QStringLiteral("24 GB"));
    QCOMPARE(text::name(clusterOf(deviceOfSize(24_GiB), 2), text::Unit::GiB), QStringLiteral("24 GiB x2"));
}

void TestText::pluralsInEnglish()
{
    LayerGroup group;
    group.queryHeads = 2;
    group.kvHeads = 1;
    group.keyDim = group.valueDim = 64;
    QCOMPARE(text::shapeLine(modelOf(1, group)), QStringLiteral("1 layer · 1 KV head of 2 · head dim 64"));
}

void TestText::languageSwitches()
{
    Listener listener;
    QCoreApplication::instance()->installEventFilter(&listener);
    QCOMPARE(text::language(), QStringLiteral("en"));
    text::installLanguage(QStringLiteral("zh_CN"));
    QVERIFY(listener.changes > 0);
    QCOMPARE(text::language(), QStringLiteral("zh_CN"));
    QCOMPARE(text::name(Verdict::OutOfMemory), QStringLiteral("显存溢出"));
    text::installLanguage(QStringLiteral("en"));
    QCOMPARE(text::name(Verdict::OutOfMemory), QStringLiteral("Out of memory"));
    // Nothing piles up.
    for (int i = 0; i < 20; ++i)
        text::installLanguage(i % 2 ? QStringLiteral("en") : QStringLiteral("zh_CN"));
    QVERIFY(QCoreApplication::instance()->findChildren<QObject *>(QStringLiteral("kvscopeTranslator")).size() <= 2);
}

void TestText::systemLanguage()
{
    // An unknown language is the system's; the tests' system (LANG=C) speaks English.
    text::installLanguage(QStringLiteral("zh_CN"));
    text::installLanguage({});
    QCOMPARE(text::language(), QStringLiteral("en"));
    text::installLanguage(QStringLiteral("zh-Hans"));
    QCOMPARE(text::language(), QStringLiteral("zh_CN"));
}

void TestText::sureLimits()
{
    Limits limits;
    limits.maxContext = limits.maxContextSure = {70'143};
    limits.maxBatch = 4;
    limits.maxBatchSure = 3;
    QVERIFY(text::sureContext(limits).isEmpty()); // the limit itself is sure
    QCOMPARE(text::sureBatch(limits), QStringLiteral("surely up to 3 sequences"));
    limits.maxContextSure = {};
    QCOMPARE(text::sureContext(limits), QStringLiteral("surely none"));
    limits.batchReason = LimitReason::NoGrowth;
    QVERIFY(text::sureBatch(limits).isEmpty());
}

QTEST_GUILESS_MAIN(TestText)
#include "tst_text.moc"
