// SPDX-License-Identifier: GPL-3.0-or-later
// What limits promise, tried on every engine: planned at the limit it fits, one step above it does not; and so for what would mend a plan.
#include "core/boundary.h"
#include "core/catalog.h"
#include "core/engine.h"
#include "core/judge.h"
#include "core/plan.h"
#include "tests/core/dice.h"

#include <QRegularExpression>
#include <QTest>

#include <array>
#include <map>

using namespace kvscope;
using testing::Dice;

namespace {

const Catalog &catalog()
{
    static const Catalog all;
    return all;
}

std::shared_ptr<const ModelSpec> modelOf(const char *id)
{
    static std::map<std::string, std::shared_ptr<const ModelSpec>> known;
    std::shared_ptr<const ModelSpec> &model = known[id];
    if (!model)
        model = std::make_shared<const ModelSpec>(*catalog().model(id));
    return model;
}

/// Engines with the versions whose rules for limits differ most.
EngineChoice randomEngine(Dice &dice)
{
    return dice.oneOf<EngineChoice>({{EngineId::Formula, {}},
                                     {EngineId::Transformers, {}},
                                     {EngineId::LlamaCpp, {}},
                                     {EngineId::LlamaCpp, "2024-06-01"},
                                     {EngineId::Ollama, {}},
                                     {EngineId::Ollama, "0.9.0"},
                                     {EngineId::Vllm, {}},
                                     {EngineId::Vllm, "0.6.3"},
                                     {EngineId::Vllm, "0.8.5"},
                                     {EngineId::Sglang, {}},
                                     {EngineId::TensorRtLlm, {}}});
}

bool isLocal(EngineId engine) { return engine == EngineId::LlamaCpp || engine == EngineId::Ollama; }

void setLocal(Dice &dice, Scenario &scenario)
{
    LocalOptions &local = scenario.local;
    if (dice.chance(25))
        local.gpuLayers = static_cast<int>(dice.whole(0, 40));
    local.kvOnHost = dice.chance(15);
    if (dice.chance(15))
        local.backend = Backend::Cpu;
    if (dice.chance(15))
        local.hostExperts = static_cast<int>(dice.whole(0, 40));
    if (dice.chance(15))
        local.pool = TokenCount{dice.whole(512, 262'144)};
    if (dice.chance(15))
        local.slotCount = static_cast<int>(dice.whole(1, 16));
    if (dice.chance(15))
        local.unified = dice.chance(50);
    local.automaticSlots = dice.chance(5);
}

Scenario randomScenario(Dice &dice)
{
    Scenario scenario;
    scenario.engine = randomEngine(dice);
    scenario.model = modelOf(
        dice.oneOf({"llama-3.1-8b-instruct", "gemma-3-4b-it", "deepseek-v2-lite", "gpt-oss-20b", "jamba-v0.1", "mamba-codestral-7b-v0.1",
                    "qwen3-next-80b-a3b-instruct", "qwen3-30b-a3b", "glm-4.5-air", "deepseek-v3.2", "llama-4-scout-17b-16e-instruct"}));
    scenario.context = TokenCount{dice.chance(50) ? dice.whole(1, 40'000) : dice.whole(1, 300'000)};
    scenario.batch = dice.chance(70) ? dice.whole(1, 16) : dice.whole(1, 600);
    const Device device = *catalog().device(dice.oneOf({"rtx-4090", "h100-sxm5-80gb", "l40s", "apple-m2-ultra", "instinct-mi300x"}));
    const EngineId engine = scenario.engine.id;
    Split split;
    const bool byLayer = isLocal(engine) || engine == EngineId::Transformers;
    if (!byLayer)
        split.tensor = dice.oneOf({1, 1, 2, 4, 8});
    split.pipeline = dice.oneOf({1, 1, 1, 2});
    split.data = dice.oneOf({1, 1, 1, 2});
    scenario.clusters = {clusterOf(device, static_cast<int>(split.devices()), split)};
    if (dice.chance(15)) // mixed
        scenario.clusters.front().devices.back() = *catalog().device("rtx-3060");
    if (dice.chance(40))
        scenario.hostMemory = Bytes{dice.whole(4, 256) * bytesPerGB};
    if (dice.chance(20))
        scenario.sharedPrefix = TokenCount{dice.whole(1, 4096)};
    if (dice.chance(20))
        scenario.reservePercent = static_cast<double>(dice.whole(0, 20));
    if (dice.chance(20))
        scenario.offloadKv = Bytes{dice.whole(1, 20) * bytesPerGB};
    if (isLocal(engine))
        setLocal(dice, scenario);
    if (engine == EngineId::Transformers && dice.chance(40)) {
        scenario.transformers.newTokens = TokenCount{dice.whole(0, std::min<std::int64_t>(scenario.context.value, 2000))};
        scenario.transformers.cache = dice.oneOf({CacheClass::Dynamic, CacheClass::Static, CacheClass::Offloaded});
    }
    if (engine >= EngineId::Vllm && dice.chance(30))
        scenario.serving.memoryFraction = dice.oneOf({0.5, 0.8, 0.97});
    return scenario;
}

Verdict verdictAt(Scenario scenario, TokenCount context, std::int64_t batch)
{
    scenario.context = context;
    scenario.batch = batch;
    return plan(scenario, scenario.clusters.front()).verdict;
}

QByteArray told(unsigned seed, const Scenario &scenario)
{
    return QStringLiteral("seed %1: %2@%3, %4, context %5, batch %6")
        .arg(seed)
        .arg(QString::fromUtf8(engineOf(scenario.engine.id).name().data()), QString::fromStdString(scenario.engine.version),
             QString::fromStdString(scenario.model->id))
        .arg(scenario.context.value)
        .arg(scenario.batch)
        .toUtf8();
}

/// Empty, or what the limits of this plan promise and do not hold.
QString broken(const Scenario &scenario, const Limits &limits)
{
    const auto atContext = [&](TokenCount context) { return verdictAt(scenario, context, scenario.batch); };
    const auto atBatch = [&](std::int64_t batch) { return verdictAt(scenario, scenario.context, batch); };
    const auto say = [](const char *what, std::int64_t at) { return QStringLiteral("%1 at %2").arg(QLatin1String(what)).arg(at); };
    // What an engine does not take at once waits: no more memory is asked for then.
    const bool byEngine = limits.batchReason == LimitReason::EngineLimit;
    for (const auto &[longest, worst] :
         {std::pair{limits.maxContextBeyondTraining, Verdict::Tight}, {limits.maxContextSure, Verdict::Fits}}) {
        if (longest.value > 0 && atContext(longest) > worst)
            return say(worst == Verdict::Tight ? "the longest context is out of memory" : "not sure", longest.value);
        if (longest < largestContext && atContext(longest + 1_tokens) <= worst)
            return say(worst == Verdict::Tight ? "a longer context fits" : "a longer one is sure", longest.value + 1);
    }
    for (const auto &[most, worst] : {std::pair{limits.maxBatch, Verdict::Tight}, {limits.maxBatchSure, Verdict::Fits}}) {
        if (most > 0 && atBatch(most) > worst)
            return say(worst == Verdict::Tight ? "the most sequences are out of memory" : "not sure sequences", most);
        if (most < largestBatch && !byEngine && atBatch(most + 1) <= worst)
            return say(worst == Verdict::Tight ? "more sequences fit" : "more are sure", most + 1);
    }
    if (limits.maxContext > limits.maxContextBeyondTraining || limits.maxContextSure > limits.maxContextBeyondTraining ||
        limits.maxBatchSure > limits.maxBatch)
        return QStringLiteral("the order of the limits");
    // And so of the plan itself.
    const Verdict own = atContext(scenario.context);
    if ((own <= Verdict::Tight) != (scenario.context <= limits.maxContextBeyondTraining) ||
        (own == Verdict::Fits) != (scenario.context <= limits.maxContextSure))
        return QStringLiteral("the verdict against the longest context");
    return {};
}

constexpr unsigned rounds = 90;

} // namespace

class TestLimits : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void limitsAreThoseOfThePlan()
    {
        std::map<EngineId, int> tried;
        for (unsigned seed = 0; seed < rounds; ++seed) {
            Dice dice(seed);
            const Scenario scenario = randomScenario(dice);
            const Plan answer = plan(scenario, scenario.clusters.front());
            if (answer.verdict == Verdict::Refused)
                continue;
            ++tried[scenario.engine.id];
            const QString complaint = broken(scenario, answer.limits);
            QVERIFY2(complaint.isEmpty(), qPrintable(complaint + QLatin1String(" | ") + QLatin1String(told(seed, scenario))));
        }
        for (int engine = 0; engine < engineCount; ++engine)
            QVERIFY2(tried[static_cast<EngineId>(engine)] >= 3, qPrintable(QString::number(engine)));
    }

    void smallestChangeFitsAndNoWiderDoes()
    {
        int found = 0;
        for (unsigned seed = 0; seed < rounds / 2; ++seed) {
            Dice dice(seed + 10'000);
            Scenario scenario = randomScenario(dice);
            if (plan(scenario, scenario.clusters.front()).verdict == Verdict::Refused)
                continue;
            const std::optional<Format> widest = widestFittingKv(scenario, scenario.clusters.front());
            found += widest.has_value();
            for (const Format format : engineOf(scenario.engine.id).kvFormats()) {
                scenario.kv.key = scenario.kv.value = format;
                const bool fits = plan(scenario, scenario.clusters.front()).verdict <= Verdict::Tight;
                QVERIFY2(fits == (format == widest), told(seed, scenario).constData());
                if (fits)
                    break;
            }
        }
        QVERIFY(found >= 10);
    }

    void fewestDevicesFitAndNoFewerDo()
    {
        constexpr int most = 16; // fewer devices are tried one by one
        int found = 0, several = 0;
        for (unsigned seed = 0; seed < rounds / 2; ++seed) {
            Dice dice(seed + 20'000);
            Scenario scenario = randomScenario(dice);
            const Device device = scenario.clusters.front().devices.front();
            const std::optional<Split> fewest = fewestDevices(scenario, scenario.clusters.front());
            const auto fits = [&](const Split &split) {
                return plan(scenario, clusterOf(device, static_cast<int>(split.devices()), split)).verdict <= Verdict::Tight;
            };
            if (fewest) {
                ++found;
                several += fewest->devices() > 1;
                QVERIFY2(fits(*fewest), told(seed, scenario).constData());
            }
            for (int devices = 1; devices < (fewest ? std::min<int>(most, static_cast<int>(fewest->devices())) : most); ++devices)
                QVERIFY2(std::ranges::none_of(engineOf(scenario.engine.id).splits(*scenario.model, devices), fits),
                         told(seed, scenario).constData());
        }
        QVERIFY(found >= 15 && several >= 5);
    }

    /// By hand: 4 layers, 2 KV heads of 64: 2,048 bytes a token in 16 bit.
    void noLimitIsNoNumber()
    {
        Scenario scenario;
        scenario.model = std::make_shared<const ModelSpec>(modelByHand({4, 2, 64, 0, 1'000'000}));
        scenario.engine.id = EngineId::LlamaCpp;
        scenario.context = 4096_tokens;
        scenario.local.gpuLayers = 0;
        scenario.local.backend = Backend::Cpu;
        const Cluster cluster = clusterOf(deviceOfSize(8_GB));
        Limits limits = plan(scenario, cluster).limits;
        QCOMPARE(limits.contextReason, LimitReason::HostUnknown);
        scenario.hostMemory = 4_GB;
        limits = plan(scenario, cluster).limits;
        QCOMPARE(limits.contextReason, LimitReason::Memory);
        QVERIFY(limits.maxContext.value > 1'000'000 && limits.maxContext.value < 4'000'000'000 / 2048);
        // A window that is full grows no more; a second sequence does.
        Scenario windowed;
        ModelSpec model = modelByHand({4, 2, 64, 0, 1'000'000});
        model.groups[0].mixer = Mixer::Sliding;
        model.groups[0].window = 1024_tokens;
        windowed.model = std::make_shared<const ModelSpec>(model);
        limits = plan(windowed, cluster).limits;
        QCOMPARE(limits.contextReason, LimitReason::NoGrowth);
        QCOMPARE(limits.batchReason, LimitReason::Memory);
        QCOMPARE(limits.maxBatch, (8'000'000'000 - 2'000'000) / (1024 * 2048));
        // One layer with a head of one element: 4 bytes a token, a thousand million of them fit.
        Scenario tiny;
        tiny.model = std::make_shared<const ModelSpec>(modelByHand({1, 1, 1, 0, 0}));
        QCOMPARE(plan(tiny, cluster).limits.contextReason, LimitReason::LargestCounted);
    }

    /// 2,048 bytes a token that may all go to a host of 2 GB: more than that no card makes up for.
    void hostLimitsToo()
    {
        Scenario scenario;
        scenario.model = std::make_shared<const ModelSpec>(modelByHand({4, 2, 64, 0, 0}));
        scenario.context = 1000_tokens;
        scenario.offloadKv = 100_GB;
        scenario.hostMemory = 2_GB;
        const Cluster cluster = clusterOf(deviceOfSize(1_GB));
        const Plan answer = plan(scenario, cluster);
        QCOMPARE(answer.limits.maxContext.value, 2'000'000'000 / 2048);
        QCOMPARE(answer.limits.contextReason, LimitReason::Memory);
    }
};

QTEST_GUILESS_MAIN(TestLimits)
#include "tests/core/dice.h"
#include "tst_limits.moc"
