// SPDX-License-Identifier: GPL-3.0-or-later
// SGLang's static fraction and pools against the worked examples of spec/serving-engines.md 1.4 and 2.11.
#include "core/engines/servingshares.h"
#include "core/engines/sglangsetup.h"
#include "tests/core/servingmodels.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using sglang::Setup;

Setup setupOf(const Scenario &scenario)
{
    static std::vector<std::shared_ptr<const ModelSpec>> kept; // a setup points into its model
    kept.push_back(scenario.model);
    std::vector<Warning> warnings;
    Result<Setup> setup = sglang::setUp(scenario, scenario.clusters.front(), warnings);
    if (!setup) {
        QTest::qFail(setup.error().where.c_str(), __FILE__, __LINE__);
        return {};
    }
    return *setup;
}

Scenario scenarioOf(const char *model, const char *version, double poolGiB, Split split = {})
{
    Scenario scenario = servingScenario(EngineId::Sglang, version, catalogued(model), split);
    if (poolGiB > 0)
        scenario.serving.givenKv = Bytes{static_cast<std::int64_t>(poolGiB * static_cast<double>(bytesPerGiB))};
    return scenario;
}

} // namespace

class TestSglang : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 1.4, worked: without prefill graphs.
    void reservesByDefault_data()
    {
        QTest::addColumn<int>("mebibytes");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<double>("fraction");
        QTest::newRow("H100") << 81'559 << 1 << 0.835;
        QTest::newRow("H100 tp 8") << 81'559 << 8 << 0.818;
        QTest::newRow("RTX 4090") << 24'564 << 1 << 0.720;
        QTest::newRow("H200") << 143'771 << 1 << 0.907;
        QTest::newRow("B200") << 183'359 << 1 << 0.857;
    }

    void reservesByDefault()
    {
        QFETCH(int, mebibytes);
        QFETCH(int, tensor);
        QFETCH(double, fraction);
        Split split;
        split.tensor = tensor;
        const auto model = catalogued("llama-3.1-8b-instruct");
        const Scenario scenario = servingScenario(EngineId::Sglang, "2026-08-01", model, split);
        const Result<serving::Run> run = serving::runOf(scenario, split);
        QVERIFY(run);
        const sglang::Rules rules{20260801};
        const sglang::Tier tier = sglang::tierOf(rules, mebibytes, tensor);
        QCOMPARE(sglang::defaultFraction(*run, rules, scenario, mebibytes, tier), fraction);
    }

    /// 1.4: DP attention reserves for its graphs, older code for a drafting model, and a vision tower takes a factor. H100, hand arithmetic.
    void reservesForMore()
    {
        const sglang::Rules older{20260701}, newer{20260801};
        const auto fraction = [](const Scenario &scenario, const sglang::Rules &rules) {
            const Split &split = scenario.clusters[0].split;
            const Result<serving::Run> run = serving::runOf(scenario, split);
            return run ? sglang::defaultFraction(*run, rules, scenario, 81'559, sglang::tierOf(rules, 81'559, split.tensor)) : 0;
        };
        Scenario scenario = scenarioOf("deepseek-v3", "2026-08-01", 0, {.tensor = 8, .data = 8, .dataInTensor = true});
        // 14,848 MB and 512 x 8 x 4.5 more
        QCOMPARE(fraction(scenario, newer), 0.592);
        scenario = scenarioOf("llama-3.1-8b-instruct", "2026-07-01", 0);
        scenario.serving.draftTokens = 3; // EAGLE: 13,440 + 2,048
        QCOMPARE(fraction(scenario, older), 0.81);
        QCOMPARE(fraction(scenario, newer), 0.835);
        scenario.draft = catalogued("llama-3.2-1b-instruct"); // STANDALONE: 13,440 + 6,144
        QCOMPARE(fraction(scenario, older), 0.76);
        // 27 layers of 1,152: 0.95 x (1 - 0.1 x (1.4238 - 1)); Qwen names its layers otherwise, SGLang takes 24: 1.2656
        scenario = scenarioOf("gemma-3-27b-it", "2026-08-01", 0);
        QVERIFY(std::abs(fraction(scenario, newer) - 0.835 * 0.95 * (1 - 0.1 * (27.0 * 1152 * 1152 / (24.0 * 1024 * 1024) - 1))) < 1e-9);
        auto qwen = std::make_shared<ModelSpec>(*scenario.model);
        qwen->vision = VisionTower{0, 1152};
        scenario.model = qwen;
        QVERIFY(std::abs(fraction(scenario, newer) - 0.835 * 0.95 * (1 - 0.1 * (1152.0 * 1152 / (1024.0 * 1024) - 1))) < 1e-9);
    }

    /// 1.4: a rank with less than 0.9 of another's free memory stops the start.
    void wantsRanksAlike()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "", 0, {.tensor = 2});
        Cluster &cluster = scenario.clusters[0];
        cluster.devices[1] = deviceOfSize(72_GiB); // 71.5 of 78.7 GiB
        QCOMPARE(plan(scenario, cluster).verdict, Verdict::Fits);
        cluster.devices[1] = deviceOfSize(71_GiB);
        const Plan planned = plan(scenario, cluster);
        QCOMPARE(planned.verdict, Verdict::Refused);
        QCOMPARE(planned.refusal->code, ErrorCode::UnevenMemory);
    }

    /// Before mid-2025 the fraction was a table (1.4).
    void tookFractionsFromATable()
    {
        const auto fraction = [](const char *version, int tensor) {
            return setupOf(scenarioOf("llama-3.1-8b-instruct", version, 0, {.tensor = tensor})).fraction;
        };
        QCOMPARE(fraction("2025-03-27", 1), 0.88);
        QCOMPARE(fraction("2025-03-27", 4), 0.85);
        QCOMPARE(fraction("2025-03-27", 8), 0.81); // as the next two: srt/server_args.py of early 2025
        QCOMPARE(fraction("2025-03-27", 2), 0.87);
    }

    /// 1.4: the aiter backend takes 0.85 of a fraction beyond 8,192 tokens, of a given one too: 0.85 -> 0.7225.
    void shrinksTheFractionOnMi300()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-07-01", 0);
        scenario.serving.memoryFraction = 0.85;
        scenario.clusters[0].devices[0].architecture = "CDNA 3.0";
        QCOMPARE(setupOf(scenario).fraction, 0.7225);
        scenario.context = 8192_tokens;
        QCOMPARE(setupOf(scenario).fraction, 0.85);
    }

    /// 1.4: Llama-3.1-8B on H100 at 0.835: rest about 50.6 GiB, about 414,800 tokens.
    void leavesThePoolWhatTheWeightsDoNotTake()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-07-01", 0);
        scenario.serving.memoryFraction = 0.835;
        const Setup setup = setupOf(scenario);
        const double rest = gibOf(static_cast<double>(setup.budgets.front().rest.middle.value));
        QVERIFY2(std::abs(rest - 50.6) < 0.15, qPrintable(QString::number(rest)));
        QVERIFY(std::abs(static_cast<double>(setup.capacity.tokens) - 414'800) < 1500);
        QVERIFY(setup.budgets.front().rest.low < setup.budgets.front().rest.middle);
    }

    /// 2.11: gpt-oss-120b, 10 GiB: a full and a sliding pool.
    void cutsTwoPools()
    {
        const Setup setup = setupOf(scenarioOf("gpt-oss-120b", "2026-07-01", 10));
        QCOMPARE(setup.capacity.tokens, 161'817);
        QCOMPARE(setup.capacity.slidingTokens, 129'453);
        // A sequence fills the full pool by its length and the sliding one by window and chunk: the full pool goes first.
        Scenario scenario = scenarioOf("gpt-oss-120b", "2026-07-01", 10);
        scenario.batch = 1;
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(planned.limits.maxContextBeyondTraining, TokenCount{161'817});
        // 8,320 tokens of the sliding pool each (128 + 8,192): 15 sequences at most, however short the rest is.
        scenario.context = 8320_tokens;
        QCOMPARE(plan(scenario, scenario.clusters.front()).limits.maxBatch, 129'453 / 8320);
    }

    /// 2.11: in early 2025 every layer counted as full: 139,264 B a token of Gemma-3-4B.
    void hadOnePoolInEarly2025()
    {
        const Setup setup = setupOf(scenarioOf("gemma-3-4b-it", "2025-03-27", 108.24));
        QCOMPARE(setup.pools.front().fullBytes, 139'264);
        QCOMPARE(setup.pools.front().slidingBytes, 0);
        const sglang::Buffers buffers = sglang::buffersOf(setup.run, setup.rules, setup.pools.front(), setup.capacity, 0);
        QCOMPARE(buffers.key, buffers.value);
        QCOMPARE(buffers.key, Bytes{139'264 / 2} * (setup.capacity.tokens + 1)); // a page more than the tokens
    }

    /// 2.11: Qwen3-Next, 30 GiB: 197 slots, 65 requests of three, 691,352 tokens.
    void cutsSlotsForStates()
    {
        const Setup setup = setupOf(scenarioOf("qwen3-next-80b-a3b-instruct", "2026-07-01", 30));
        QCOMPARE(setup.pools.front().stateBytes, 36LL * 2'146'304);
        QCOMPARE(setup.capacity.stateSlots, 197);
        QCOMPARE(setup.capacity.requests, 65);
        QVERIFY(std::abs(static_cast<double>(setup.capacity.tokens) - 691'352) <= 1); // what whole slots leave
        // With the overlap's extra buffer a request takes five: 39.
        sglang::PoolShape buffered = setup.pools.front();
        buffered.slotsPerRequest = 5;
        QCOMPARE(sglang::capacityOf(buffered, Bytes{30LL * bytesPerGiB}).requests, 39);
        // New code keeps a slot back.
        QCOMPARE(setupOf(scenarioOf("qwen3-next-80b-a3b-instruct", "2026-08-01", 30)).capacity.stateSlots, 196);
        // The plan stops at the requests that states allow.
        Scenario scenario = scenarioOf("qwen3-next-80b-a3b-instruct", "2026-07-01", 30);
        scenario.context = 1024_tokens;
        scenario.clusters = {clusterOf(deviceOfSize(200_GiB))};
        QCOMPARE(plan(scenario, scenario.clusters.front()).limits.maxBatch, 65);
    }

    /// 2.11: with D drafts a slot keeps D / R states more, and D of the slot held back: (m - s (1 + D)) / (s (1 + D / R)), here D = 3, R = 3.
    void keepsStatesOfDrafts()
    {
        Scenario scenario = scenarioOf("qwen3-next-80b-a3b-instruct", "2026-08-01", 30);
        scenario.serving.draftTokens = 3;
        const Setup setup = setupOf(scenario);
        const double states = 30.0 * static_cast<double>(bytesPerGiB) * 0.9 / 1.9, each = 36.0 * 2'146'304;
        QCOMPARE(setup.capacity.stateSlots, static_cast<std::int64_t>((states - 4 * each) / (2 * each)));
        // A layer of the target's kind drafts: 13 layers' cells of 2,048 B.
        QCOMPARE(setup.pools.front().fullBytes, 13 * 2048);
        const double left = 30.0 * static_cast<double>(bytesPerGiB) - 4 * each - static_cast<double>(setup.capacity.stateSlots) * 2 * each;
        QCOMPARE(setup.capacity.tokens, static_cast<std::int64_t>(left / (13 * 2048)));
    }

    /// States alone: no tokens bound the requests, slots do.
    void runsModelsOfStatesAlone()
    {
        Scenario scenario = scenarioOf("mamba-codestral-7b-v0.1", "2026-08-01", 10);
        scenario.context = 2048_tokens;
        const Setup setup = setupOf(scenario);
        QCOMPARE(setup.capacity.tokens, 2048);
        QCOMPARE(sglang::runningRequests(setup.run, setup.rules, scenario, setup.capacity),
                 std::min<std::int64_t>(1024, setup.capacity.stateSlots / 3));
    }

    /// 2.10, 2.11: cell x (1 + draft layers / layers).
    void countsDraftingLayers()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-08-01", 20);
        scenario.serving.draftTokens = 4;
        QCOMPARE(setupOf(scenario).pools.front().fullBytes, 33 * 4096);
        scenario.draft = catalogued("llama-3.2-1b-instruct"); // 16 layers
        QCOMPARE(setupOf(scenario).pools.front().fullBytes, 48 * 4096);
    }

    /// 2.11: radix cache off and a number of requests asked for: new code sizes the sliding pool by them. 4 x (128 + 128 + 1 + 1) of gpt-oss's
    /// window, two chunks of 8,192 and a page.
    void sizesTheSlidingPoolByRequests()
    {
        Scenario scenario = scenarioOf("gpt-oss-120b", "2026-08-01", 10);
        scenario.serving.prefixCaching = false;
        scenario.serving.maxSequences = 4;
        const Setup setup = setupOf(scenario);
        constexpr std::int64_t sliding = 4 * (128 + 128 + 1 + 1) + 2 * 8192 + 1;
        QCOMPARE(setup.capacity.slidingTokens, sliding);
        QCOMPARE(setup.capacity.tokens, (10LL * bytesPerGiB - sliding * 18 * 2048) / (18 * 2048));
        // What is planned stops at the full pool.
        scenario.batch = 1;
        QCOMPARE(plan(scenario, scenario.clusters.front()).limits.maxContextBeyondTraining, TokenCount{setup.capacity.tokens});
    }

    /// 2.11: what sequences need is what they hold in each pool, whichever pool is used up first.
    void countsWhatSequencesHold()
    {
        Scenario windows = scenarioOf("gpt-oss-120b", "2026-08-01", 10); // 18 layers of each kind, 2,048 B a token; 128 + 8,192 in a window
        windows.context = 32'768_tokens;
        QCOMPARE(plan(windows, windows.clusters.front()).kv.perSequence, Bytes{18LL * 2048 * (32'768 + 128 + 8192)});
        Scenario states = scenarioOf("qwen3-next-80b-a3b-instruct", "2026-03-01", 30); // 77,266,944 B a slot, 24,576 B a token
        states.context = 32'768_tokens;
        QCOMPARE(plan(states, states.clusters.front()).kv.perSequence, Bytes{32'768LL * 24'576 + 3LL * 77'266'944});
    }

    /// 2.9: attention tp = tp / dp, a pool for each replica, no further cards.
    void splitsAttentionWithinTheGroup()
    {
        Scenario scenario = scenarioOf("qwen3-235b-a22b", "2026-08-01", 20, {.tensor = 8, .data = 4, .dataInTensor = true});
        scenario.batch = 10;
        scenario.context = 8192_tokens;
        QCOMPARE(scenario.clusters[0].devices.size(), std::size_t{8});
        const Setup setup = setupOf(scenario);
        QCOMPARE(setup.pools.front().fullBytes, 94LL * 2 * 2 * 128 * 2); // 4 KV heads over 2 ranks
        const Plan planned = plan(scenario, scenario.clusters[0]);
        QCOMPARE(planned.devices.size(), std::size_t{8});
        // The fullest replica holds ceil(10 / 4) sequences.
        QCOMPARE(planned.devices.front().kvNeeded, Bytes{3LL * 8192 * 94 * 1024});
        // Requests asked for are dealt out (2.11).
        scenario.serving.maxSequences = 10;
        QCOMPARE(sglang::runningRequests(setup.run, setup.rules, scenario, setup.capacity), 2);
        // Not over ranks that do not divide.
        const Result<serving::Run> uneven = serving::runOf(scenario, {.tensor = 8, .data = 3, .dataInTensor = true});
        QVERIFY(!uneven);
        QCOMPARE(uneven.error().code, ErrorCode::ImpossibleSplit);
        // Other engines have none.
        scenario.engine = {EngineId::Vllm, ""};
        QCOMPARE(plan(scenario, scenario.clusters[0]).refusal->code, ErrorCode::ImpossibleSplit);
    }

    /// 4.1: attention's weights lie on each replica of it, experts over all ranks; replicas without DP attention are servers of their own.
    void copiesAttentionOnReplicas()
    {
        const auto elements = [](const Split &split, Role role) {
            const Setup setup = setupOf(scenarioOf("qwen3-235b-a22b", "2026-08-01", 20, split));
            return serving::elementsOnRank(setup.run, setup.run.model->groups.front(), role);
        };
        const Split within{.tensor = 8, .data = 4, .dataInTensor = true};
        QCOMPARE(elements(within, Role::Attention), elements({.tensor = 2}, Role::Attention));
        QCOMPARE(elements(within, Role::Experts), elements({.tensor = 8}, Role::Experts));
        QCOMPARE(elements({.tensor = 2, .data = 2}, Role::Experts), elements({.tensor = 2}, Role::Experts));
        // The table of tokens is whole on every rank, the head split: 151,936 rows of 4,096 in bf16 each.
        const auto tables = [](const Split &split) {
            return setupOf(scenarioOf("qwen3-235b-a22b", "2026-08-01", 20, split)).budgets.front().weights.tables;
        };
        QCOMPARE(tables(within) - tables({.tensor = 8}), Bytes{151'936LL * 4096 * 2 * 7 / 8});
    }

    /// 1.4: a drafting model is loaded out of the reserve in older code, before the pool is cut in newer.
    void loadsDraftingWeights()
    {
        const auto rest = [](const char *version, bool drafting) {
            Scenario scenario = scenarioOf("llama-3.1-8b-instruct", version, 0);
            scenario.serving.memoryFraction = 0.8;
            if (drafting)
                scenario.draft = catalogued("llama-3.2-1b-instruct");
            return setupOf(scenario).budgets.front().rest.middle;
        };
        QCOMPARE(rest("2026-07-01", true), rest("2026-07-01", false));
        const double draft = gibOf(static_cast<double>((rest("2026-08-01", false) - rest("2026-08-01", true)).value));
        QVERIFY2(draft > 2.30 && draft < 2.36, qPrintable(QString::number(draft))); // 1,235,814,400 parameters in bf16 are 2.302 GiB
    }

    /// 2.11: pages by model and back end.
    void takesPagesByBackend()
    {
        const auto page = [](const char *model, const char *card) {
            Scenario scenario = scenarioOf(model, "2026-08-01", 20);
            scenario.clusters = {clusterOf(*Catalog().device(card))};
            return setupOf(scenario).pools.front().page;
        };
        QCOMPARE(page("llama-3.1-8b-instruct", "h100-sxm5-80gb"), 1);
        QCOMPARE(page("llama-3.1-8b-instruct", "b200-sxm"), 64);
        QCOMPARE(page("deepseek-v3", "b200-sxm"), 1);
        QCOMPARE(page("deepseek-v3.2", "h100-sxm5-80gb"), 64);
    }

    /// 2.11: cells of latents, indexed ones in fp8, and layers that share KV elsewhere.
    void weighsCells_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("format");
        QTest::addColumn<qint64>("bytes");
        const auto row = [](const char *name, const char *model, Format format, qint64 bytes) {
            QTest::newRow(name) << QByteArray(model) << static_cast<int>(format) << bytes;
        };
        row("MLA bf16", "deepseek-v3", Format::BF16, 61 * 576 * 2);
        row("MLA fp8", "deepseek-v3", Format::FP8E4M3, 61 * 576);
        row("DSA bf16", "deepseek-v3.2", Format::BF16, 61 * (576 * 2 + 132));
        row("DSA fp8", "deepseek-v3.2", Format::FP8E4M3, 61 * (656 + 132));
        row("GQA fp4", "llama-3.1-8b-instruct", Format::NVFP4, 32 * 8 * 2 * (64 + 8));
        row("GQA mxfp8", "llama-3.1-8b-instruct", Format::MXFP8, 65'536 + 65'536 / 32);
        row("MLA fp4", "deepseek-v3", Format::NVFP4, 61 * (576 / 2 + 576 / 16));
    }

    void weighsCells()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, format);
        QFETCH(qint64, bytes);
        Scenario scenario = scenarioOf(model.constData(), "2026-08-01", 20);
        scenario.kv.key = scenario.kv.value = static_cast<Format>(format);
        QCOMPARE(setupOf(scenario).pools.front().fullBytes, bytes);
    }

    /// 2.11: DeepSeek V4, with x = 0.1: x*584*L + 584/4*n4 + 584/128*n128 + 132/4*n4 + x*(8/128)*(4*512*b + 4*128*b)*n4.
    void weighsCompressedLatents()
    {
        const Setup setup = setupOf(scenarioOf("deepseek-v4-flash", "2026-08-01", 20));
        double ofFour = 0, ofMany = 0;
        for (const std::uint16_t group : setup.run.model->layout) {
            const std::int64_t ratio = setup.run.model->groups[group].compression.value;
            ofFour += ratio == 4;
            ofMany += ratio == 128;
        }
        QVERIFY(ofFour > 0 && ofMany > 0);
        const double bytes =
            0.1 * 584 * 43 + (584.0 / 4 + 132.0 / 4) * ofFour + 584.0 / 128 * ofMany + 0.1 * 8 / 128 * (4 * 512 * 2 + 4 * 128 * 2) * ofFour;
        QCOMPARE(setup.pools.front().fullBytes, static_cast<std::int64_t>(bytes));
        QCOMPARE(setup.pools.front().page, 256);
    }

    /// 2.6 [V], 2.11: Qwen3-235B on four GPUs: 367,404 tokens, K 8.23 GiB.
    void printsWhatALogPrinted()
    {
        Scenario scenario = scenarioOf("qwen3-235b-a22b", "2025-07-22", 0, {.tensor = 4});
        scenario.serving.givenKv = Bytes{367'404LL * 48'128};
        const Plan planned = plan(scenario, scenario.clusters.front());
        QCOMPARE(reported(planned, "max_total_num_tokens"), 367'404.0);
        QCOMPARE(rounded(gibOf(reported(planned, "k_bytes")), 2), 8.23);
        QCOMPARE(reported(planned, "k_bytes"), reported(planned, "v_bytes"));
        QVERIFY(planned.pool.has_value());
        QCOMPARE(planned.pool->capacity, 367'404_tokens);
    }

    /// 2.11: max_running_requests.
    void limitsRunningRequests()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "2026-07-01", 50);
        const Setup setup = setupOf(scenario);
        QCOMPARE(setup.capacity.tokens, 409'600);
        QCOMPARE(sglang::runningRequests(setup.run, setup.rules, scenario, setup.capacity), 2048);
        scenario.context = 40'960_tokens; // 10 x 512
        QCOMPARE(sglang::runningRequests(setup.run, setup.rules, scenario, setup.capacity), 4096);
        scenario.serving.maxSequences = 7;
        QCOMPARE(sglang::runningRequests(setup.run, setup.rules, scenario, setup.capacity), 7);
    }

    void explainsItsFigures()
    {
        const Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "", 0);
        const Plan planned = plan(scenario, scenario.clusters.front());
        Bytes weights;
        for (const Explanation &line : explain(scenario, scenario.clusters.front(), planned)) {
            QVERIFY(line.source.find("rules ") != std::string::npos);
            QVERIFY2(isArithmetic(line.formula), line.formula.c_str());
            if (line.figure == "weights")
                weights += line.value;
        }
        QCOMPARE(weights, planned.weightsTotal);
        QCOMPARE(explained(scenario, planned, "engine_report.max_total_num_tokens").quantity, Quantity::Count);
        QCOMPARE(explained(scenario, planned, "kv.bytes_per_sequence").formula, "131072 x 131072 B");
        // 13,440 MB of the reserve (1.4), weights of 8,030,261,248 parameters in bf16 and what lies beside them
        const std::string pool = explained(scenario, planned, "devices.0.kv_bytes").formula;
        QVERIFY2(pool.find(" x round(1 - 13440 / 81090, 3) - ") != std::string::npos, pool.c_str());
        QCOMPARE(explained(scenario, planned, "devices.0.activation_bytes").formula.substr(0, 32), "2 x 8192 x (43008 + 4.25 x 4096)");
    }
};

QTEST_GUILESS_MAIN(TestSglang)
#include "tst_sglang.moc"
