// SPDX-License-Identifier: GPL-3.0-or-later
// The worked figures of spec/serving-engines.md 0.2, 2.1 to 2.9, 3.1 and 7.6 that the other tests of vLLM's pool leave out.
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using vllm::Setup;

/// A scenario whose measured budget is `blocks` blocks of `bytes`.
Scenario withBlocks(Scenario scenario, std::int64_t blocks, std::int64_t bytes)
{
    scenario.serving.givenKv = Bytes{blocks * bytes};
    return scenario;
}

Scenario onModel(const char *model, const char *version, TokenCount context, Split split = {}, std::optional<Format> kv = {})
{
    Scenario scenario = servingScenario(EngineId::Vllm, version, catalogued(model), split);
    scenario.kv.key = scenario.kv.value = kv;
    scenario.context = context;
    return scenario;
}

/// Layers with a cache that grows.
int cachedLayers(const Setup &setup)
{
    int layers = 0;
    for (const vllm::BlockGroup &group : setup.pool.groups) {
        if (group.kind == vllm::SpecKind::Full || group.kind == vllm::SpecKind::Sliding)
            layers += static_cast<int>(group.members.size());
    }
    return layers;
}

vllm::Rules rulesAt(const char *version)
{
    std::vector<Warning> warnings;
    const Result<vllm::Rules> rules = vllm::rulesOf(version, warnings);
    if (!rules) {
        QTest::qFail(version, __FILE__, __LINE__);
        return {};
    }
    return *rules;
}

using Flag = bool (vllm::Rules::*)() const;

} // namespace

Q_DECLARE_METATYPE(Flag)

class TestVllmWorked : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 0.2: the last version or day without a rule and the first with it.
    void changesRules_data()
    {
        QTest::addColumn<Flag>("flag");
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("since");
        QTest::addColumn<bool>("value"); // from then on
        const auto row = [](const char *name, Flag flag, const char *before, const char *since, bool value = true) {
            QTest::newRow(name) << flag << QByteArray(before) << QByteArray(since) << value;
        };
        using vllm::Rules;
        row("latent cache", &Rules::latentCache, "2025-01-30", "2025-01-31");
        row("latent cache, release", &Rules::latentCache, "0.6.6", "0.7.1");
        row("engine V1", &Rules::v0, "0.7.3", "0.8.0", false);
        row("groups", &Rules::groups, "0.9.0", "0.9.1");
        row("groups, day", &Rules::groups, "2025-06-09", "2025-06-10");
        row("NCCL before the snapshot", &Rules::ncclInGrowth, "2025-09-22", "2025-09-23", false);
        row("NCCL before the snapshot, release", &Rules::ncclInGrowth, "0.10.2", "0.11.0", false);
        row("sampler of 14.5 bytes", &Rules::smallSampler, "0.16.0", "0.17.0");
        row("non-torch growth", &Rules::lateGrowth, "0.17.0", "0.18.0");
        row("utilization 0.92", &Rules::utilization92, "0.19.1", "0.20.0");
        row("utilization 0.92, day", &Rules::utilization92, "2026-04-20", "2026-04-21");
        row("graph estimate", &Rules::subtractsGraphs, "0.19.1", "0.20.0");
        row("tokens by concurrency", &Rules::tokensByConcurrency, "0.20.0", "0.20.2");
        row("tokens by concurrency, day", &Rules::tokensByConcurrency, "2026-04-27", "2026-04-28");
        row("runner V2 for dense models", &Rules::runnerV2Dense, "0.24.0", "0.25.0");
        row("runner V2 for dense models, day", &Rules::runnerV2Dense, "2026-07-01", "2026-07-02");
        row("runner V2 for some experts", &Rules::runnerV2Experts, "0.23.0", "0.24.0");
        row("runner V2 at all", &Rules::runnerV2, "0.22.0", "0.23.0");
        row("batches in flight", &Rules::inFlightDoubles, "0.24.0", "0.25.0");
        row("batches in flight, day", &Rules::inFlightDoubles, "2026-07-07", "2026-07-08");
        row("budget by free memory", &Rules::deviceFreeBudget, "2026-07-19", "2026-07-20");
        row("concurrency over groups", &Rules::concurrencyOverGroups, "2026-07-20", "2026-07-21");
        row("capture limit", &Rules::wideCapture, "2026-08-06", "2026-08-07");
        row("prefix caching of hybrids", &Rules::hybridPrefixCaching, "0.26.0", "0.27.0");
        row("largest cards", &Rules::largestCardTier, "2026-08-10", "2026-08-11");
        row("V4 check by stride", &Rules::packedCheckByStride, "2026-08-17", "2026-08-18");
        row("V4 blocks by stride", &Rules::packedByCheckBytes, "0.22.0", "0.23.0", false);
        row("fp32 states of NemotronH", &Rules::floatStatesByDefault, "0.19.1", "0.20.0");
    }

    void changesRules()
    {
        QFETCH(Flag, flag);
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, since);
        QFETCH(bool, value);
        const vllm::Rules then = rulesAt(before.constData());
        const vllm::Rules now = rulesAt(since.constData());
        QCOMPARE((then.*flag)(), !value);
        QCOMPARE((now.*flag)(), value);
    }

    /// 2.6 b: how much larger than the smallest bucket the largest may be.
    void changesGroupSizes()
    {
        QCOMPARE(rulesAt("2025-11-23").largestGroupRatio(), 1.0);
        QCOMPARE(rulesAt("2025-11-24").largestGroupRatio(), 1.25);
        QCOMPARE(rulesAt("2026-03-11").largestGroupRatio(), 1.25);
        QCOMPARE(rulesAt("2026-03-12").largestGroupRatio(), 1.5);
        QCOMPARE(rulesAt("0.17.0").largestGroupRatio(), 1.25);
        QCOMPARE(rulesAt("0.18.0").largestGroupRatio(), 1.5);
        // 13 full and 12 sliding layers: 12 at first, two groups of the full ones.
        const auto blockBytes = [](const char *version) {
            Scenario scenario = onModel("gpt-oss-20b", version, 8192_tokens);
            scenario.serving.draftTokens = 3;
            return vllmSetup(scenario, 10).pool.blockBytes.front();
        };
        QCOMPARE(blockBytes("0.11.0"), 12 * 32'768);
        QCOMPARE(blockBytes("0.12.0"), 13 * 32'768);
    }

    /// 2.6 c: Gemma-3-27B on two stages of 31 layers, 5 full and 26 sliding ones each, in groups of 10. Runs of ten sliding layers lie on one
    /// stage; dealt over the six groups no stage has more than five of a group.
    void cutsGroupsInRunsAtFirst()
    {
        const auto blockBytes = [](const char *version) {
            return vllmSetup(onModel("gemma-3-27b-it", version, 8192_tokens, {.pipeline = 2}), 10).pool.blockBytes;
        };
        QCOMPARE(blockBytes("0.11.0"), (std::vector<std::int64_t>{10 * 131'072, 10 * 131'072}));
        QCOMPARE(blockBytes("0.12.0"), (std::vector<std::int64_t>{5 * 131'072, 5 * 131'072}));
    }

    /// 2.1: layers that own a cache, and heads on a rank.
    void countsOwners_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("layers");
        QTest::newRow("last 18 of 42 share") << QByteArray("gemma-4-e4b-it") << 24;
        QTest::newRow("last 15 of 35 share") << QByteArray("gemma-3n-e4b-it") << 20;
        QTest::newRow("attention of 52 blocks") << QByteArray("nvidia-nemotron-3-nano-30b-a3b-bf16") << 6;
        QTest::newRow("attention of 56 blocks") << QByteArray("nvidia-nemotron-nano-9b-v2") << 4;
        QTest::newRow("one of eight") << QByteArray("jamba-v0.1") << 4;
    }

    void countsOwners()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, layers);
        QCOMPARE(cachedLayers(vllmSetup(onModel(model.constData(), "0.29.0", 8192_tokens), 10)), layers);
    }

    /// 2.6: Qwen3-235B, 94 layers of 4 heads, tp 4: 48,128 bytes a token and rank; four times as many ranks keep no less.
    void splitsHeadsOverRanks()
    {
        for (const int tensor : {4, 8, 16})
            QCOMPARE(vllmSetup(onModel("qwen3-235b-a22b", "0.29.0", 8192_tokens, {.tensor = tensor}), 10).pool.blockBytes.front(),
                     48'128 * 16);
    }

    /// 2.3: fp8_ds_mla holds for all layers of a model with indexers, those that share another's too: 78 latents of 656 and 21 index keys of 132.
    void packsLatentsOfSharedIndexers()
    {
        const Setup setup = vllmSetup(onModel("glm-5.2", "0.29.0", 8192_tokens, {.tensor = 8}, Format::FP8), 20);
        QCOMPARE(setup.pool.blockBytes.front(), 64 * (78 * 656 + 21 * 132));
    }

    /// 2.4: tokens of a block by backend.
    void takesBlocksByBackend_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("capability");
        QTest::addColumn<int>("format");
        QTest::addColumn<qint64>("block");
        const auto row = [](const char *name, const char *model, const char *capability, Format kv, qint64 block) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(capability) << static_cast<int>(kv) << block;
        };
        row("attention", "llama-3.1-8b-instruct", "9.0", Format::BF16, 16);
        row("attention, SM100", "llama-3.1-8b-instruct", "10.0", Format::FP8, 16);
        row("latents, FlashAttention", "deepseek-v3", "9.0", Format::BF16, 16);
        row("latents, FlashMLA", "deepseek-v3", "9.0", Format::FP8, 64);
        row("latents, FlashInfer on SM100", "deepseek-v3", "10.0", Format::BF16, 32);
        row("indexer", "deepseek-v3.2", "9.0", Format::BF16, 64);
        row("DeepSeek V4", "deepseek-v4-flash", "9.0", Format::FP8DsMla, 256);
    }

    void takesBlocksByBackend()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, capability);
        QFETCH(int, format);
        QFETCH(qint64, block);
        Scenario scenario = onModel(model.constData(), "0.29.0", 8192_tokens, {.tensor = 8}, static_cast<Format>(format));
        for (Device &device : scenario.clusters.front().devices)
            device.computeCapability = capability.toStdString();
        const Setup setup = vllmSetup(scenario, 20);
        const auto full = std::ranges::find(setup.pool.groups, vllm::SpecKind::Full, &vllm::BlockGroup::kind);
        QVERIFY(full != setup.pool.groups.end());
        QCOMPARE(full->block, block);
    }

    /// 2.4, 2.6: a windowed layer takes the smallest kernel block, which the shared page then scales: 32 tokens at --block-size 32. Alone it stays.
    void scalesBlocksOfWindows()
    {
        Scenario scenario = onModel("gemma-2-9b-it", "0.29.0", 8192_tokens);
        scenario.serving.blockSize = 32;
        for (const vllm::BlockGroup &group : vllmSetup(scenario, 20).pool.groups)
            QCOMPARE(group.block, 32);
        ModelSpec windowed = *catalogued("mistral-7b-v0.2");
        for (LayerGroup &group : windowed.groups) {
            group.mixer = Mixer::Sliding;
            group.window = 4096_tokens;
        }
        scenario.model = std::make_shared<const ModelSpec>(windowed);
        QCOMPARE(vllmSetup(scenario, 20).pool.groups.front().block, 16);
    }

    /// 2.5: batches of max_num_batched_tokens that may be in flight.
    void keepsTokensInFlight_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("batches");
        const auto row = [](const char *name, const char *model, const char *version, int stages, int batches) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(version) << stages << batches;
        };
        row("0.24.0", "llama-3.1-8b-instruct", "0.24.0", 1, 1);
        row("0.24.0, two stages", "llama-3.1-8b-instruct", "0.24.0", 2, 1);
        row("V2", "llama-3.1-8b-instruct", "0.29.0", 1, 2);
        row("V2, three stages", "llama-3.1-8b-instruct", "0.29.0", 3, 4);
        row("V1", "qwen3-30b-a3b", "0.29.0", 1, 2);
        row("V1, three stages", "qwen3-30b-a3b", "0.29.0", 3, 3);
        row("V1, a hybrid on two stages", "qwen3.5-27b", "0.29.0", 2, 2);
        row("V2, DeepSeek V4 on two stages", "deepseek-v4-flash", "0.29.0", 2, 3);
    }

    void keepsTokensInFlight()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(int, stages);
        QFETCH(int, batches);
        Scenario scenario = onModel(model.constData(), version.constData(), 32'768_tokens, {.pipeline = stages});
        scenario.serving.batchedTokens = 4096;
        QCOMPARE(vllmSetup(scenario, 10).pool.holding.inFlight, 4096 * batches);
    }

    /// 2.5: with 16,384 tokens in flight a window of 1,024 saves nothing below 17,407 tokens: a block more than the full layers take.
    void savesNothingBelowTheFlight()
    {
        const vllm::Holding holding = vllmSetup(onModel("gemma-3-27b-it", "0.29.0", 131'072_tokens), 20).pool.holding;
        const auto blocks = [&holding](vllm::SpecKind kind, TokenCount length) { return holding.blocks(kind, 16, 1024, length); };
        QCOMPARE(holding.inFlight, 16'384);
        QCOMPARE(blocks(vllm::SpecKind::Sliding, 17'407_tokens), 1088 + 1);
        QCOMPARE(blocks(vllm::SpecKind::Full, 17'407_tokens), 1088);
        QCOMPARE(blocks(vllm::SpecKind::Sliding, 131'072_tokens), 1088 + 1);
        QCOMPARE(blocks(vllm::SpecKind::Chunked, 131'072_tokens), (1024 + 16'384) / 16);
        QCOMPARE(holding.blocks(vllm::SpecKind::Cross, 16, 1500, 448_tokens), 94); // Whisper's frames
    }

    /// 2.7: what the log calls padding of the Mamba page, percent.
    void padsStates_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("fp8");
        QTest::addColumn<qint64>("state");
        QTest::addColumn<double>("percent");
        const auto row = [](const char *name, const char *model, int tensor, bool fp8, qint64 state, double percent) {
            QTest::newRow(name) << QByteArray(model) << tensor << fp8 << state << percent;
        };
        row("Qwen3-Next", "qwen3-next-80b-a3b-instruct", 1, false, 1'097'728, 1.49);
        row("Qwen3-Next tp2", "qwen3-next-80b-a3b-instruct", 2, false, 548'864, 1.49);
        row("Qwen3-Next tp4", "qwen3-next-80b-a3b-instruct", 4, false, 274'432, 1.49);
        row("Qwen3.5-397B tp8", "qwen3.5-397b-a17b", 8, false, 533'504, 1.34);
        row("Qwen3.5-35B-A3B", "qwen3.5-35b-a3b", 1, false, 2'146'304, 0.76);
        row("Qwen3.5-27B", "qwen3.5-27b", 1, false, 3'207'168, 0.13);
        row("Nemotron-3-Nano-30B", "nvidia-nemotron-3-nano-30b-a3b-bf16", 1, false, 2'134'016, 0.58);
        row("Qwen3.6-27B tp2 fp8", "qwen3.6-27b", 2, true, 1'603'584, 0.13);
        row("Qwen3.6-27B tp2", "qwen3.6-27b", 2, false, 1'603'584, 0.13);
        row("Jamba-v0.1", "jamba-v0.1", 1, false, 311'296, 5.26);
        row("Kimi-Linear-48B", "kimi-linear-48b-a3b-instruct", 1, false, 2'170'880, 1.89);
    }

    void padsStates()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, tensor);
        QFETCH(bool, fp8);
        QFETCH(qint64, state);
        QFETCH(double, percent);
        const Setup setup = vllmSetup(
            onModel(model.constData(), "0.29.0", 131'072_tokens, {.tensor = tensor}, fp8 ? std::optional(Format::FP8) : std::nullopt), 40);
        QCOMPARE(rounded(100.0 * static_cast<double>(setup.pool.sharedPage - state) / static_cast<double>(state), 2), percent);
    }

    /// 2.7: Nemotron-Nano-9B-v2 had blocks of 672 tokens: its config.json leaves the state's precision open, which was 16 bit until 0.20.0 and is
    /// fp32 since: 73,728 bytes of convolution and 128 x 80 x 128 elements in pages of 4,096 bytes a token.
    void widensStatesByDefault()
    {
        const auto block = [](const char *version) {
            const Setup setup = vllmSetup(onModel("nvidia-nemotron-nano-9b-v2", version, 131'072_tokens), 10);
            return std::ranges::find(setup.pool.groups, vllm::SpecKind::Full, &vllm::BlockGroup::kind)->block;
        };
        QCOMPARE(block("0.10.2"), 672);
        QCOMPARE(block("0.19.1"), 672);
        QCOMPARE(block("0.20.0"), 1312);
    }

    /// 2.7: requests that logs counted. The budget is a whole number of blocks.
    void holdsWhatLogsCounted_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<bool>("fp8");
        QTest::addColumn<bool>("caching"); // as the flag says, else by version
        QTest::addColumn<int>("context");
        QTest::addColumn<qint64>("blocks");
        QTest::addColumn<qint64>("each");
        QTest::addColumn<double>("concurrency");
        QTest::addColumn<qint64>("tokens");
        const auto row = [](const char *name, const char *model, const char *version, bool fp8, bool caching, int context, qint64 blocks,
                            qint64 each, double concurrency, qint64 tokens) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(version) << fp8 << caching << context << blocks << each << concurrency
                                << tokens;
        };
        row("Qwen3.6-35B, 0.24.0", "qwen3.6-35b-a3b", "0.24.0", true, true, 131'072, 299, 63 + 6, 4.33, 567'978);
        row("Qwen3.6-35B, 0.24.0, a block more", "qwen3.6-35b-a3b", "0.24.0", true, true, 131'072, 300, 63 + 6, 4.35, 569'878);
        row("Qwen3.5-27B, 0.19.0", "qwen3.5-27b", "0.19.0", false, false, 32'768, 1487, 42 + 3, 33.04, -1);
        row("Qwen3.6-35B, 2026-07-24", "qwen3.6-35b-a3b", "2026-07-24", true, false, 131'072, 95, 63 + 3, 1.44, -1);
    }

    void holdsWhatLogsCounted()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(bool, fp8);
        QFETCH(bool, caching);
        QFETCH(int, context);
        QFETCH(qint64, blocks);
        QFETCH(qint64, each);
        QFETCH(double, concurrency);
        QFETCH(qint64, tokens);
        Scenario scenario =
            onModel(model.constData(), version.constData(), TokenCount{context}, {}, fp8 ? std::optional(Format::FP8) : std::nullopt);
        if (caching)
            scenario.serving.prefixCaching = true;
        const std::int64_t blockBytes = fp8 ? 21'463'040 : 51'380'224;
        const Setup setup = vllmSetup(withBlocks(scenario, blocks, blockBytes));
        QCOMPARE(setup.blocks, blocks);
        QCOMPARE(setup.pool.blocksOf(TokenCount{context}), each);
        const vllm::Printed printed = printedBy(setup, TokenCount{context});
        QCOMPARE(rounded(printed.concurrency, 2), concurrency);
        if (tokens >= 0)
            QCOMPARE(printed.tokens, tokens);
    }

    /// 2.7: 67 blocks of Qwen3-Next at 32,768 tokens are 0.83 GiB, of which the KV itself is 0.75.
    void chargesStatesBesideTheCache()
    {
        const Setup setup = vllmSetup(onModel("qwen3-next-80b-a3b-instruct", "0.29.0", 32'768_tokens), 40);
        QCOMPARE(rounded(gibOf(setup.needed(32'768_tokens)), 2), rounded(67 * 13'369'344.0 / static_cast<double>(bytesPerGiB), 2));
        QCOMPARE(rounded(gibOf(setup.needed(32'768_tokens)), 2), 0.83);
        QCOMPARE(rounded(gibOf(32'768.0 * 24'576), 2), 0.75);
    }

    /// 3.1: the four ways to print tokens. Qwen3-Next, 1,000 blocks, 512 tokens: four groups, of them three of states, which without prefix caching
    /// are blocks of the whole length (2.7), shorter here than the 544 of attention.
    void printsTokensByPeriod_data()
    {
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<bool>("caching");
        QTest::addColumn<qint64>("tokens");
        QTest::newRow("0.9.1, the configured block") << QByteArray("0.9.1") << false << qint64{1000 / 4 * 16};
        QTest::newRow("0.10.0") << QByteArray("0.10.0") << false << qint64{1000 / 4 * 512};
        QTest::newRow("0.19.1") << QByteArray("0.19.1") << false << qint64{1000 / 4 * 512};
        QTest::newRow("0.19.1, prefix caching") << QByteArray("0.19.1") << true << qint64{1000 / 4 * 544};
        QTest::newRow("0.20.2") << QByteArray("0.20.2") << false << qint64{1000 * 512 / (1 + 3)};
        QTest::newRow("0.26.0, prefix caching") << QByteArray("0.26.0") << true << qint64{1000 * 512 / (1 + 6)};
    }

    void printsTokensByPeriod()
    {
        QFETCH(QByteArray, version);
        QFETCH(bool, caching);
        QFETCH(qint64, tokens);
        Scenario scenario = onModel("qwen3-next-80b-a3b-instruct", version.constData(), 512_tokens);
        scenario.serving.prefixCaching = caching;
        QCOMPARE(printedBy(vllmSetup(withBlocks(scenario, 1000, 13'369'344)), 512_tokens).tokens, tokens);
    }

    /// 3.3: before 0.9.1 one request needs whole blocks of every layer, windows or not.
    void needsWholeBlocksOfEveryLayerAtFirst()
    {
        const Setup setup = vllmSetup(onModel("gemma-2-9b-it", "0.8.5", 8193_tokens), 20);
        QCOMPARE(setup.needed(8193_tokens), Bytes{513LL * 42 * 131'072});
        QCOMPARE(printedBy(setup, 8193_tokens).tokens, setup.blocks * 16);
    }

    /// 2.8: the pages of a request, what the groups' blocks hold, and 2.978 requests in 20 GiB.
    void packsV4Pages()
    {
        const Setup setup = vllmSetup(onModel("deepseek-v4-flash", "2026-08-17", 131'072_tokens, {.tensor = 8}), 20);
        QList<qint64> pages;
        for (const vllm::BlockGroup &group : setup.pool.groups)
            pages << setup.pool.holding.blocks(group.kind, group.block, group.window, 131'072_tokens);
        std::ranges::sort(pages);
        QCOMPARE(pages, (QList<qint64>{259, 259, 512, 2065, 4099}));
        QCOMPARE(rounded(printedBy(setup, 131'072_tokens).concurrency, 3), 2.978);
        QList<qint64> sizes;
        for (const vllm::BlockGroup &group : setup.pool.groups) {
            for (const vllm::PlacedSpec &member : group.members) {
                if (!sizes.contains(member.spec.page))
                    sizes << member.spec.page;
            }
        }
        std::ranges::sort(sizes);
        QCOMPARE(sizes, (QList<qint64>{1728, 8640, 32'832, 37'440}));
    }

    /// 2.8: the run of 0.22 was told 13,524 tokens by these rules: 53 + 2 x 213 + 3382 + 1692 = 5,553 pages of 1,051,776 bytes, 5.44 GiB.
    void estimatesV4ByCheckBytes()
    {
        Scenario scenario = onModel("deepseek-v4-flash", "0.22.0", 30'000_tokens);
        scenario.serving.batchedTokens = 16'384;
        const Setup setup = vllmSetup(withBlocks(scenario, 5553, 1'051'776));
        QCOMPARE(vllm::longestOf(setup.pool, setup.rules, setup.available(), 30'000_tokens), 13'524_tokens);
    }

    /// 2.9: replicas have pools of their own and print them; experts over ranks change nothing.
    void leavesPoolsToReplicas()
    {
        const auto printed = [](Split split) {
            const Scenario scenario =
                withBlocks(onModel("qwen3-30b-a3b", "0.29.0", 32'768_tokens, split), 10'000, 48 * 16 * 2 * 128 * 2 * 2);
            const Plan planned = plan(scenario, scenario.clusters.front());
            return reported(planned, "kv_cache_tokens");
        };
        const double one = printed({.tensor = 2});
        QCOMPARE(one, 10'000.0 * 16);
        QCOMPARE(printed({.tensor = 2, .data = 2}), one);
        QCOMPARE(printed({.tensor = 2, .expert = 2}), one);
    }

    /// 7.6: Llama-3.1-70B in fp8 on two cards with an fp8 cache: 29,230 blocks are 467,680 tokens, 14.3 sequences of 32k.
    void servesTheExampleOfTheLaunch()
    {
        const Scenario scenario = onModel("llama-3.1-70b-instruct", "0.29.0", 32'768_tokens, {.tensor = 2}, Format::FP8);
        const Setup setup = vllmSetup(withBlocks(scenario, 29'230, 1'310'720));
        QCOMPARE(setup.pool.blockBytes.front(), 1'310'720);
        QCOMPARE(printedBy(setup, 32'768_tokens).tokens, 467'680);
        QCOMPARE(rounded(printedBy(setup, 32'768_tokens).concurrency, 1), 14.3);
    }
};

QTEST_GUILESS_MAIN(TestVllmWorked)
#include "tst_vllmworked.moc"
