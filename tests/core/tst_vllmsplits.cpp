// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM's pools where ranks share a request's tokens out and where another model drafts: spec/serving-engines.md 2.5, 2.9, 2.10 and 3.1.
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using vllm::Setup;

Scenario spreadOver(const char *model, const char *version, int tensor, int ranks, TokenCount context = 131'072_tokens)
{
    Scenario scenario = servingScenario(EngineId::Vllm, version, catalogued(model), {.tensor = tensor, .decodeContext = ranks});
    scenario.kv.key = scenario.kv.value = Format::BF16;
    scenario.context = context;
    return scenario;
}

std::optional<Error> refusalOf(const Scenario &scenario)
{
    const Result<Compiled> compiled = compile(scenario, scenario.clusters.front());
    return compiled ? std::optional<Error>() : compiled.error();
}

/// Layers of the pool by kind.
int layersOf(const Setup &setup, vllm::SpecKind kind)
{
    int layers = 0;
    for (const vllm::BlockGroup &group : setup.pool.groups)
        layers += group.kind == kind ? static_cast<int>(group.members.size()) : 0;
    return layers;
}

/// Two layers of full attention and four of a window, heads of 128: what a model by hand has too little of.
std::shared_ptr<const ModelSpec> windowed(int predictionLayers, bool predictionWindowed)
{
    ModelSpec model = modelByHand({6, 8, 128, 8, 0});
    LayerGroup sliding = model.groups[0];
    sliding.mixer = Mixer::Sliding;
    sliding.window = 1024_tokens;
    model.groups.push_back(sliding);
    model.layout = {0, 1, 1, 0, 1, 1};
    model.predictionLayers = predictionLayers;
    model.predictionWindowed = predictionWindowed;
    model.nativeFormat = Format::BF16;
    return std::make_shared<const ModelSpec>(model);
}

} // namespace

class TestVllmSplits : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 2.9: DeepSeek-V3 at tp 8, 70,272 bytes a token on each rank; with dcp 8 8,784.
    void spreadsLatents()
    {
        const Scenario whole = spreadOver("deepseek-v3", "0.29.0", 8, 1);
        const Scenario spread = spreadOver("deepseek-v3", "0.29.0", 8, 8);
        QCOMPARE(plan(whole, whole.clusters.front()).kv.perTokenPerDevice, Bytes{70'272});
        const Plan answer = plan(spread, spread.clusters.front());
        QCOMPARE(answer.kv.perTokenPerDevice, Bytes{8784});
        QCOMPARE(answer.kv.perToken, Bytes{70'272});
        // 131,072 / 8 tokens on a rank, in blocks of 16 of 61 layers.
        QCOMPARE(answer.kv.perSequence, Bytes{131'072 / 8 / 16 * (16 * 70'272LL)});
        QCOMPARE(vllmSetup(spread, 20).needed(131'072_tokens), Bytes{16'384 * 70'272LL});
    }

    /// 2.9: Llama-3.1-70B has 8 KV heads, so tp 16 keeps two copies and dcp 2 makes use of them. 64 query heads, 8 to a KV head.
    void spreadsCopiesOfHeads()
    {
        const Setup setup = vllmSetup(spreadOver("llama-3.1-70b-instruct", "0.29.0", 16, 2), 20);
        QCOMPARE(setup.pool.blockBytes.front(), 40'960 * 16);
        QCOMPARE(setup.pool.blocksOf(131'072_tokens), 131'072 / 32);
        QCOMPARE(setup.pool.blocksOf(131'073_tokens), 131'072 / 32 + 1); // 65,537 tokens on a rank
        const Scenario spread = spreadOver("llama-3.1-70b-instruct", "0.29.0", 16, 2);
        const auto warns = [](const Scenario &s) {
            return std::ranges::any_of(plan(s, s.clusters.front()).warnings,
                                       [](const Warning &w) { return w.code == WarningCode::ReplicatedKvHeads; });
        };
        QVERIFY(!warns(spread));
        QVERIFY(warns(spreadOver("llama-3.1-70b-instruct", "0.29.0", 16, 1)));
    }

    /// What the explanation says of it, and of a budget that runs were held against: 0.3 % of the card in 62 of them (5.6).
    void explainsSpreadTokens()
    {
        const auto lineOf = [](const Scenario &scenario, std::string_view figure) {
            for (const Explanation &line : explain(scenario, scenario.clusters.front(), plan(scenario, scenario.clusters.front()))) {
                if (line.figure == figure)
                    return line;
            }
            return Explanation{};
        };
        const Scenario spread = spreadOver("llama-3.1-70b-instruct", "0.19.0", 16, 2);
        QCOMPARE(lineOf(spread, "kv.bytes_per_sequence").formula, std::string("1 x (ceil(ceil(131072 / 2) / 16)) x 655360 B"));
        QVERIFY(lineOf(spread, "engine_report.kv_cache_tokens").formula.ends_with(" x 16 x 2"));
        QCOMPARE(lineOf(spread, "kv.total_bytes").formula, std::string("16 x 2684354560 B"));
        const Explanation budget = lineOf(spread, "engine_report.available_kv_cache_bytes");
        QVERIFY(budget.trial.has_value());
        QCOMPARE(budget.trial->runs, 62);
        QVERIFY(std::abs(budget.trial->residual * static_cast<double>(budget.value.value) / (79.19 * 0.003 * double(bytesPerGiB)) - 1) <
                1e-6);
    }

    /// 3.1: blocks x 16 x dcp until 2026-04-27, the concurrency's tokens from then on: the same where blocks divide the length. 3.3: what fits.
    void printsTokensOfAllRanks()
    {
        for (const char *version : {"2025-09-20", "0.19.1", "0.24.0", "0.29.0"}) {
            const Setup setup = vllmSetup(spreadOver("llama-3.1-70b-instruct", version, 16, 2), 10);
            QCOMPARE(setup.blocks, 16'384); // 10 GiB of blocks of 655,360 bytes
            const vllm::Printed printed = printedBy(setup, 131'072_tokens);
            QCOMPARE(printed.tokens, 16'384 * 16 * 2);
            QCOMPARE(printed.concurrency, 4.0);
            QCOMPARE(setup.needed(131'072_tokens), Bytes{4096 * 655'360LL});
        }
        const Setup poor = vllmSetup(spreadOver("llama-3.1-70b-instruct", "0.29.0", 16, 2), 1);
        QCOMPARE(vllm::longestOf(poor.pool, poor.rules, poor.available(), 131'072_tokens), TokenCount{1638 * 32});
        // The plan's own bound: all blocks but the null block.
        Scenario scenario = spreadOver("llama-3.1-70b-instruct", "0.29.0", 16, 2);
        scenario.serving.givenKv = 1_GiB;
        scenario.context = 8192_tokens;
        QCOMPARE(plan(scenario, scenario.clusters.front()).limits.maxContextBeyondTraining, TokenCount{1637 * 32});
        // 1,000 tokens that all share are 31 whole blocks of 32.
        scenario.sharedPrefix = 1000_tokens;
        scenario.batch = 2;
        QCOMPARE(plan(scenario, scenario.clusters.front()).devices.front().kvNeeded, Bytes{(2 * (256 - 31) + 31) * 655'360LL});
    }

    void refusesWhatCannotBeSpread_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QByteArray>("allowed"); // empty: it can
        const auto row = [](const char *name, const char *model, const char *version, int tensor, int ranks, const char *allowed) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(version) << tensor << ranks << QByteArray(allowed);
        };
        row("no copies", "llama-3.1-70b-instruct", "0.29.0", 8, 2, "dcp = 1");
        row("more ranks than copies", "llama-3.1-70b-instruct", "0.29.0", 16, 4, "dcp = 1, 2");
        row("as many", "qwen3-235b-a22b", "0.29.0", 16, 4, "");
        row("not a divisor", "qwen3-235b-a22b", "0.29.0", 16, 3, "dcp = 1, 2, 4");
        row("latents, not a divisor", "deepseek-v3", "0.29.0", 8, 3, "dcp = 1, 2, 4, 8");
        row("windows", "gpt-oss-120b", "0.29.0", 16, 2, "dcp = 1");
        row("DeepSeek V4", "deepseek-v4-flash", "0.29.0", 8, 2, "dcp = 1");
        row("too early", "deepseek-v3", "2025-08-31", 8, 8, "dcp = 1");
        row("in time", "deepseek-v3", "2025-09-01", 8, 8, "");
    }

    void refusesWhatCannotBeSpread()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(int, tensor);
        QFETCH(int, ranks);
        QFETCH(QByteArray, allowed);
        const std::optional<Error> error = refusalOf(spreadOver(model.constData(), version.constData(), tensor, ranks, 8192_tokens));
        QCOMPARE(error.has_value(), !allowed.isEmpty());
        if (!error)
            return;
        QCOMPARE(static_cast<int>(error->code), static_cast<int>(ErrorCode::ImpossibleSplit));
        QCOMPARE(QByteArray::fromStdString(error->where), "dcp = " + QByteArray::number(ranks));
        QCOMPARE(QByteArray::fromStdString(error->detail), allowed);
    }

    /// Chunked attention counts as full (2.6, rule 0), so it can be spread.
    void spreadsChunks()
    {
        ModelSpec model = modelByHand({4, 2, 128, 8, 0});
        model.groups.front().mixer = Mixer::Chunked;
        model.groups.front().window = 8192_tokens;
        const Scenario scenario =
            servingScenario(EngineId::Vllm, "0.29.0", std::make_shared<const ModelSpec>(model), {.tensor = 4, .decodeContext = 2});
        QCOMPARE(vllmSetup(scenario, 10).pool.blocksOf(131'072_tokens), 131'072 / 32);
    }

    /// No other engine has the split.
    void refusesOtherEngines()
    {
        for (const Engine *engine : engines()) {
            Scenario scenario = spreadOver("llama-3.1-70b-instruct", "", 16, 2, 8192_tokens);
            scenario.engine.id = engine->id();
            scenario.kv = {};
            const std::optional<Error> error = refusalOf(scenario);
            QCOMPARE(error.has_value(), engine->id() != EngineId::Vllm);
            if (error)
                QCOMPARE(error->detail, std::string("dcp = 1"));
        }
    }

    /// 2.10: an EAGLE head is one layer of full attention with the model's heads. gpt-oss-20b: 13 full and 12 sliding, groups of 13; before the
    /// largest might be 1.5 times the smallest (2026-03-12) and 1.25 times (2025-11-24), groups of 12.
    void addsAnEagleHead()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", catalogued("gpt-oss-20b"));
        scenario.serving.draftTokens = 3;
        const Setup setup = vllmSetup(scenario, 10);
        QCOMPARE(layersOf(setup, vllm::SpecKind::Full), 13);
        QCOMPARE(layersOf(setup, vllm::SpecKind::Sliding), 12);
        QCOMPARE(setup.pool.groups.size(), 2U);
        QCOMPARE(setup.pool.tensors, 13);
        scenario.engine.version = "0.11.0";
        const Setup before = vllmSetup(scenario, 10);
        QCOMPARE(before.pool.tensors, 12);
        QCOMPARE(before.pool.groups.size(), 3U);
    }

    /// All layers of a drafting model: Llama-3.1-70B with Llama-3.1-8B, 80 and 32 layers of 8 heads of 128, in one group.
    void addsADraftingModel()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", catalogued("llama-3.1-70b-instruct"), {.tensor = 4});
        const Bytes alone = vllmSetup(scenario, 20).budgets.front().weights.total();
        scenario.draft = catalogued("llama-3.1-8b-instruct");
        scenario.serving.draftTokens = 5;
        const Setup setup = vllmSetup(scenario, 20);
        QCOMPARE(setup.pool.groups.size(), 1U);
        QCOMPARE(setup.pool.blockBytes.front(), 112 * 16 * 2 * 512);
        QVERIFY(setup.budgets.front().weights.total() > alone + 3_GiB); // 14.96 GiB over 4 ranks
        // Under pp the last stage drafts.
        scenario.clusters = {clusterOf(h100(), 4, {.tensor = 2, .pipeline = 2})};
        const Setup stages = vllmSetup(scenario, 20);
        QCOMPARE(stages.pool.blockBytes.front(), 40 * 16 * 4 * 512);
        QCOMPARE(stages.pool.blockBytes.back(), 72 * 16 * 4 * 512);
        // It must divide as the model does: Qwen2.5-0.5B has 14 heads.
        scenario.draft = catalogued("qwen2.5-0.5b-instruct");
        scenario.clusters = {clusterOf(h100(), 4, {.tensor = 4})};
        const std::optional<Error> error = refusalOf(scenario);
        QVERIFY(error && error->code == ErrorCode::ImpossibleSplit);
    }

    /// Drafting layers of another page size beside windows: gpt-oss-20b (12 full, 12 sliding, 32,768 bytes) with a draft of 2 layers of 4 heads
    /// of 64 (16,384 bytes): blocks of 32 tokens there, groups of 2.
    void sharesPagesWithADraft()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", catalogued("gpt-oss-20b"));
        ModelSpec draft = modelByHand({2, 4, 64, 8, 0});
        draft.nativeFormat = Format::BF16;
        draft.vocab = scenario.model->vocab;
        scenario.draft = std::make_shared<const ModelSpec>(draft);
        scenario.serving.draftTokens = 2;
        const Setup setup = vllmSetup(scenario, 10);
        QCOMPARE(setup.pool.sharedPage, 32'768);
        QCOMPARE(setup.pool.tensors, 2);
        QCOMPARE(setup.pool.groups.size(), 6U + 6U + 1U);
        QCOMPARE(setup.pool.groups.back().block, 32);
    }

    /// Prediction layers are of the model's kind, one a module; with more than one, windows reach as far back as there are further ones (2.5).
    void addsPredictionLayers()
    {
        const auto drafting = [](int modules, bool inWindow, int tokens) {
            Scenario scenario = servingScenario(EngineId::Vllm, "0.24.0", windowed(modules, inWindow));
            scenario.serving.draftTokens = tokens;
            scenario.serving.batchedTokens = 2048;
            return vllmSetup(scenario, 10);
        };
        const Setup none = drafting(3, false, 0);
        QCOMPARE(layersOf(none, vllm::SpecKind::Full), 2);
        QCOMPARE(none.pool.holding.blocks(vllm::SpecKind::Sliding, 16, 1024, 131'072_tokens), (1023 + 2048 + 15) / 16 + 1);
        const Setup one = drafting(1, false, 1);
        QCOMPARE(layersOf(one, vllm::SpecKind::Full), 3);
        QCOMPARE(one.pool.holding.ahead, 0);
        const Setup three = drafting(3, true, 3);
        QCOMPARE(layersOf(three, vllm::SpecKind::Full), 2);
        QCOMPARE(layersOf(three, vllm::SpecKind::Sliding), 7);
        QCOMPARE(three.pool.holding.blocks(vllm::SpecKind::Sliding, 16, 1024, 131'072_tokens), (1023 + 2 + 2048 + 15) / 16 + 1);
        QCOMPARE(three.pool.holding.blocks(vllm::SpecKind::Sliding, 16, 1024, 131'072_tokens), 194); // 193 without the two
        const Scenario step = servingScenario(EngineId::Vllm, "0.24.0", catalogued("deepseek-v3"), {.tensor = 8});
        QCOMPARE(step.model->predictionLayers, 1);
    }

    /// DeepSeek V4 ships one that sees the window alone: one more page of 37,440 bytes among 43.
    void addsDeepSeekV4sPrediction()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", catalogued("deepseek-v4-flash"), {.tensor = 8});
        const auto pagesOf = [](const Setup &setup) {
            std::size_t pages = 0;
            for (const vllm::BlockGroup &group : setup.pool.groups)
                pages += group.kind == vllm::SpecKind::Sliding && group.block == 64 ? group.members.size() : 0;
            return pages;
        };
        QCOMPARE(pagesOf(vllmSetup(scenario, 20)), 43U);
        scenario.serving.draftTokens = 1;
        QCOMPARE(pagesOf(vllmSetup(scenario, 20)), 44U);
    }

    /// 2.7: groups of Mamba 2 that the ranks do not divide are copied. Granite 4.0 H: one group, at tp 2 one on each rank.
    void copiesGroupsOfStates()
    {
        ModelSpec model = modelByHand({2, 8, 128, 8, 0});
        LayerGroup &group = model.groups.front();
        group.state = {Recurrence::Mamba2, 4096 + 2 * 1 * 128, 4, 64 * 64 * 128, false, false, 1, 2 * 128};
        model.nativeFormat = Format::BF16;
        const Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", std::make_shared<const ModelSpec>(model), {.tensor = 2});
        const Setup setup = vllmSetup(scenario, 10);
        QCOMPARE(vllm::stateBytesOf(setup.run, setup.rules, setup.run.model->groups.front()).conv, (4096 / 2 + 2 * 128) * 3 * 2);
        QCOMPARE(vllm::stateBytesOf(setup.run, setup.rules, setup.run.model->groups.front()).recurrent, 64 * 64 * 128 / 2 * 2);
    }
};

QTEST_GUILESS_MAIN(TestVllmSplits)
#include "tst_vllmsplits.moc"
