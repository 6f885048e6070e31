// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM's pages, groups and printed figures against the worked tables of spec/serving-engines.md 2.3, 2.6, 2.9 and 3.
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using vllm::Setup;

/// Models that the catalogue lacks, by hand.
std::shared_ptr<const ModelSpec> shapeOf(const QByteArray &name)
{
    ModelSpec model;
    if (name == "mistral-v0.1") {
        model = *catalogued("mistral-7b-v0.2");
        for (LayerGroup &group : model.groups) {
            group.mixer = Mixer::Sliding;
            group.window = 4096_tokens;
        }
    } else if (name == "gemma-4-e2b") { // 35 layers, 15 own: 3 full of 512, 12 sliding of 256
        model = modelByHand({35, 1, 512, 8, 0});
        LayerGroup sliding = model.groups[0];
        sliding.mixer = Mixer::Sliding;
        sliding.keyDim = sliding.valueDim = 256;
        sliding.window = 512_tokens;
        LayerGroup shared = sliding;
        shared.mixer = Mixer::Shared;
        model.groups.push_back(sliding);
        model.groups.push_back(shared);
        for (std::size_t i = 0; i < model.layout.size(); ++i)
            model.layout[i] = i >= 15 ? 2 : i % 5 == 4 ? 0 : 1;
    } else if (name == "whisper-large-v3") {
        model = modelByHand({32, 20, 64, 20, 0});
        model.groups[0].crossKvHeads = 20;
        model.groups[0].crossHeadDim = 64;
        model.encoderLength = 1500_tokens;
        model.encoderDecoder = true;
    } else {
        return catalogued(name.constData());
    }
    model.nativeFormat = Format::BF16;
    return std::make_shared<const ModelSpec>(model);
}

Setup setupOf(const QByteArray &model, const char *version, int tensor, double poolGiB, std::optional<Format> kv = {},
              TokenCount context = 131'072_tokens)
{
    return vllmSetup(vllmScenario(shapeOf(model), version, tensor, kv, context), poolGiB);
}

} // namespace

class TestVllmPool : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 2.6, worked table. F = 16,384 in newer versions, 8,192 up to 0.24.0. -1: the table has no figure.
    void cutsPools_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<int>("context");
        QTest::addColumn<double>("pool");
        QTest::addColumn<int>("groups");
        QTest::addColumn<qint64>("blockBytes");
        QTest::addColumn<qint64>("blocks");
        QTest::addColumn<qint64>("perRequest");
        QTest::addColumn<double>("concurrency");
        QTest::addColumn<qint64>("tokens");
        QTest::addColumn<qint64>("oldTokens");
        QTest::addColumn<double>("need");
        const auto row = [](const char *name, QByteArray model, const char *version, int tensor, int context, double pool, int groups,
                            qint64 bytes, qint64 blocks, qint64 each, double concurrency, qint64 tokens, qint64 old, double need) {
            QTest::newRow(name) << model << QByteArray(version) << tensor << context << pool << groups << bytes << blocks << each
                                << concurrency << tokens << old << need;
        };
        row("Llama-3.1-8B", "llama-3.1-8b-instruct", "0.29.0", 1, 131072, 50, 1, 2'097'152, 25'600, 8192, 3.125, 409'600, 409'600, 16.00);
        row("Gemma-3-27B", "gemma-3-27b-it", "0.29.0", 1, 131072, 20, 7, 1'310'720, 16'384, 14'726, 1.11, 145'829, 37'440, 17.98);
        row("Gemma-3-27B, F 8192", "gemma-3-27b-it", "0.24.0", 1, 131072, 20, 7, 1'310'720, 16'384, 11'654, 1.41, 184'270, 37'440, 14.23);
        row("Gemma-3-27B, L 8192", "gemma-3-27b-it", "0.29.0", 1, 8192, 20, 7, 1'310'720, 16'384, 3590, 4.56, 37'386, 37'440, 4.38);
        row("gpt-oss-120b", "gpt-oss-120b", "0.29.0", 1, 131072, 10, 2, 589'824, 18'204, 9225, 1.97, 258'648, 145'632, 5.07);
        row("gpt-oss-20b", "gpt-oss-20b", "0.29.0", 1, 131072, 10, 2, 393'216, 27'306, 9225, 2.96, 387'973, 218'448, 3.38);
        row("Gemma-4-31B", "gemma-4-31b-it", "0.29.0", 1, 131072, 20, 6, 2'621'440, 8192, 9541, 0.86, -1, -1, 23.29);
        row("Gemma-4-26B-A4B", "gemma-4-26b-a4b", "0.29.0", 1, 131072, 20, 6, 655'360, 32'768, 9541, 3.43, 450'159, 87'376, 5.82);
        row("Gemma-4-E2B", "gemma-4-e2b", "0.29.0", 1, 131072, 4, 5, 98'304, 43'690, 10'308, 4.24, 555'542, -1, 0.94);
        row("Gemma-3n-E4B", "gemma-3n-e4b-it", "0.29.0", 1, 32768, 4, 5, 131'072, 32'768, 6276, 5.22, 171'086, 104'848, 0.77);
        row("Gemma-2-9B", "gemma-2-9b-it", "0.29.0", 1, 8192, 20, 2, 2'752'512, 7801, 1025, 7.61, 62'347, 62'400, 2.63);
        row("MiMo-V2-Flash", "mimo-v2-flash", "0.29.0", 1, 131072, 20, 6, 737'280, 29'127, 9261, 3.15, 412'237, 77'664, 6.36);
        row("EXAONE-4-32B", "exaone-4.0-32b", "0.29.0", 1, 131072, 20, 4, 1'048'576, 20'480, 12'035, 1.70, 223'045, 81'920, 11.75);
        row("Olmo-3-32B", "olmo-3.1-32b-instruct", "0.29.0", 1, 131072, 20, 4, 1'048'576, 20'480, 12'035, 1.70, 223'045, 81'920, 11.75);
        row("Llama-4", "llama-4-scout-17b-16e-instruct", "0.29.0", 8, 131072, 20, 1, 393'216, 54'613, 8192, 6.67, 873'808, 873'808, 3.00);
        row("Whisper-large-v3", "whisper-large-v3", "0.29.0", 1, 448, 0, 2, 2'621'440, -1, 28 + 94, -1, -1, -1, 0.30);
        row("Mistral-7B-v0.1", "mistral-v0.1", "0.29.0", 1, 32768, 20, 1, 2'097'152, 10'240, 1281, 7.99, 261'939, 163'840, 2.50);
    }

    void cutsPools()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(int, tensor);
        QFETCH(int, context);
        QFETCH(double, pool);
        QFETCH(int, groups);
        QFETCH(qint64, blockBytes);
        QFETCH(qint64, blocks);
        QFETCH(qint64, perRequest);
        QFETCH(double, concurrency);
        QFETCH(qint64, tokens);
        QFETCH(qint64, oldTokens);
        QFETCH(double, need);
        const TokenCount length{context};
        const Setup setup = setupOf(model, version.constData(), tensor, pool, Format::BF16, length);
        QCOMPARE(setup.pool.groups.size(), static_cast<std::size_t>(groups));
        QCOMPARE(setup.pool.blockBytes.front(), blockBytes);
        QCOMPARE(setup.pool.blocksOf(length), perRequest);
        QCOMPARE(rounded(gibOf(static_cast<double>(setup.needed(length).value)), 2), need);
        if (blocks < 0)
            return;
        QCOMPARE(setup.blocks, blocks);
        const vllm::Printed printed = printedBy(setup, length);
        QVERIFY2(std::abs(printed.concurrency - concurrency) <= 0.005, qPrintable(QString::number(printed.concurrency)));
        if (tokens >= 0)
            QCOMPARE(printed.tokens, tokens);
        if (oldTokens >= 0)
            QCOMPARE(printedBy(setupOf(model, "0.19.1", tensor, pool, Format::BF16, length), length).tokens, oldTokens);
    }

    void halvesPagesInFp8()
    {
        const Setup setup = setupOf("llama-3.1-8b-instruct", "0.29.0", 1, 50, Format::FP8);
        QCOMPARE(setup.pool.blockBytes.front(), 1'048'576);
        QCOMPARE(setup.blocks, 51'200);
        QCOMPARE(printedBy(setup, 131'072_tokens).tokens, 819'200);
        QCOMPARE(setup.needed(131'072_tokens), 8_GiB);
    }

    /// 2.6 and 2.9: latents are not divided.
    void keepsLatentsWhole_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("format");
        QTest::addColumn<qint64>("perToken");
        const auto row = [](const char *name, const char *model, Format format, qint64 bytes) {
            QTest::newRow(name) << QByteArray(model) << static_cast<int>(format) << bytes;
        };
        row("bf16", "deepseek-v3", Format::BF16, 70'272);
        row("fp8", "deepseek-v3", Format::FP8, 35'136);
        row("fp8_ds_mla", "deepseek-v3", Format::FP8DsMla, 40'016);
        row("V3.2", "deepseek-v3.2", Format::FP8DsMla, 48'068);
        row("V3.2, plain fp8 on Hopper", "deepseek-v3.2", Format::FP8, 48'068);
    }

    void keepsLatentsWhole()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, format);
        QFETCH(qint64, perToken);
        const Setup setup = setupOf(model, "0.29.0", 8, 20, static_cast<Format>(format));
        const vllm::BlockGroup &group = setup.pool.groups.front();
        QCOMPARE(setup.pool.groups.size(), 1U);
        QCOMPARE(setup.pool.blockBytes.front(), perToken * group.block);
    }

    void takesFlashMlaBlocks()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", catalogued("deepseek-v3"), {.tensor = 8});
        scenario.serving.blockSize = 64;
        scenario.kv.key = scenario.kv.value = Format::BF16;
        QCOMPARE(vllmSetup(scenario, 20).pool.blockBytes.front(), 4'497'408);
    }

    /// 2.2: before 2025-01-31 every head's K and V, padded.
    void expandsLatentsBefore2025()
    {
        const Setup setup = setupOf("deepseek-v2-lite", "2024-12-06", 1, 35.42, {}, 8192_tokens);
        QCOMPARE(setup.pool.blockBytes.front(), 442'368 * 16);
        QCOMPARE(printedBy(setup, 8192_tokens).tokens, 85'968);
    }

    /// 2.2: index keys of MiniMax-M3, one more kind of page of the same group. 1,048,576 tokens, tp 8: 44.25 GiB.
    void countsIndexKeys()
    {
        const Setup setup = setupOf("minimax-m3", "2026-07-19", 8, 8.42, {}, 1'048'576_tokens);
        QCOMPARE(setup.pool.groups.size(), 1U);
        QCOMPARE(rounded(gibOf(static_cast<double>(setup.needed(1'048'576_tokens).value)), 2), 44.25);
    }

    /// 2.9: layers of 61 over 4, 80 over 3, 61 over 8 stages.
    void dealsLayersToStages_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<QList<int>>("sizes");
        QTest::newRow("61 / 4") << 61 << QList<int>{15, 15, 16, 15};
        QTest::newRow("80 / 3") << 80 << QList<int>{27, 27, 26};
        QTest::newRow("61 / 8") << 61 << QList<int>{7, 7, 8, 8, 8, 8, 8, 7};
    }

    void dealsLayersToStages()
    {
        QFETCH(int, layers);
        QFETCH(QList<int>, sizes);
        QList<int> dealt;
        for (const Stage &stage : stagesOf(layers, static_cast<int>(sizes.size())))
            dealt << stage.last - stage.first;
        QCOMPARE(dealt, sizes);
    }

    /// 2.9: Llama-3.1-70B at tp 16 keeps as much on a rank as at tp 8.
    void copiesHeadsBeyondTheirNumber()
    {
        for (const int tensor : {8, 16})
            QCOMPARE(setupOf("llama-3.1-70b-instruct", "0.29.0", tensor, 20).pool.blockBytes.front(), 40'960 * 16);
    }

    /// 3.3: the refusal's figures, whole model before and rank after the mended check under pp.
    void refusesWhatDoesNotFit()
    {
        const Setup llama = setupOf("llama-3.1-8b-instruct", "0.29.0", 1, 10);
        QCOMPARE(llama.needed(131'072_tokens), 16_GiB);
        QCOMPARE(vllm::longestOf(llama.pool, llama.rules, llama.available(), 131'072_tokens), 81'920_tokens);
        const Setup gemma = setupOf("gemma-4-31b-it", "0.29.0", 1, 20, Format::BF16);
        QCOMPARE(rounded(gibOf(static_cast<double>(gemma.needed(131'072_tokens).value)), 2), 23.29);
        QCOMPARE(vllm::longestOf(gemma.pool, gemma.rules, gemma.available(), 131'072_tokens), 87'904_tokens);

        Scenario stages = servingScenario(EngineId::Vllm, "0.15.2", catalogued("qwen3-30b-a3b"), {.pipeline = 2});
        stages.context = 262'144_tokens;
        QCOMPARE(vllmSetup(stages, 3.18).needed(stages.context), 24_GiB);
        stages.engine.version = "0.29.0";
        QCOMPARE(vllmSetup(stages, 3.18).needed(stages.context), 12_GiB);
    }

    /// 3.2: 1,381 blocks of 16 at 2,048 tokens: 10.79 sequences (V0).
    void printsBlocksOfV0()
    {
        const Setup setup = setupOf("llama-3.1-8b-instruct", "0.6.6", 1, 1381 * 2.0 / 1024, {}, 2048_tokens);
        QCOMPARE(setup.blocks, 1381);
        QVERIFY(std::abs(printedBy(setup, 2048_tokens).concurrency - 10.79) < 0.005);
    }

    /// The plan's own way round: what the report says, what fits, and the null block that no request gets.
    void plansByWholeBlocks()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", catalogued("llama-3.1-8b-instruct"));
        scenario.serving.givenKv = 50_GiB;
        scenario.batch = 3;
        const Plan fits = plan(scenario, scenario.clusters.front());
        QCOMPARE(fits.devices.front().kvNeeded, 48_GiB);
        QCOMPARE(reported(fits, "kv_cache_tokens"), 409'600.0);
        QCOMPARE(reported(fits, "bytes_needed_for_max_model_len"), 16.0 * static_cast<double>(bytesPerGiB));
        QVERIFY(fits.verdict != Verdict::Refused);
        QVERIFY(fits.pool.has_value());
        QCOMPARE(fits.pool->blocks, 25'600);
        QCOMPARE(fits.limits.maxBatch, 3);
        scenario.batch = 1;
        QCOMPARE(plan(scenario, scenario.clusters.front()).limits.maxContextBeyondTraining, TokenCount{409'600 - 16});
        scenario.batch = 4;
        QCOMPARE(plan(scenario, scenario.clusters.front()).verdict, Verdict::OutOfMemory);
        // A prefix of 1,000 tokens is 62 whole blocks, held once.
        scenario.sharedPrefix = 1000_tokens;
        QCOMPARE(plan(scenario, scenario.clusters.front()).devices.front().kvNeeded, Bytes{(4 * (8192 - 62) + 62) * 2'097'152LL});
    }

    void refusesSplitsAndFormats_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QList<int>>("split"); // tp, pp, ep, dp
        QTest::addColumn<int>("format");
        QTest::addColumn<int>("code");
        const auto row = [](const char *name, const char *model, const char *version, QList<int> split, int format, ErrorCode code) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(version) << split << format << static_cast<int>(code);
        };
        row("heads", "qwen2.5-7b-instruct", "0.29.0", {3, 1, 1, 1}, -1, ErrorCode::ImpossibleSplit);
        row("experts of a dense model", "llama-3.1-8b-instruct", "0.29.0", {2, 1, 2, 1}, -1, ErrorCode::ImpossibleSplit);
        row("experts over some ranks", "qwen3-30b-a3b", "0.29.0", {4, 1, 2, 1}, -1, ErrorCode::ImpossibleSplit);
        row("GGUF cache", "llama-3.1-8b-instruct", "0.29.0", {1, 1, 1, 1}, static_cast<int>(Format::Q8_0), ErrorCode::UnsupportedFormat);
    }

    void refusesSplitsAndFormats()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(QList<int>, split);
        QFETCH(int, format);
        QFETCH(int, code);
        Scenario scenario =
            servingScenario(EngineId::Vllm, version.constData(), catalogued(model.constData()), {split[0], split[1], split[2], split[3]});
        if (format >= 0)
            scenario.kv.key = scenario.kv.value = static_cast<Format>(format);
        const Result<Compiled> compiled = compile(scenario, scenario.clusters.front());
        QVERIFY(!compiled);
        QCOMPARE(static_cast<int>(compiled.error().code), code);
    }
};

QTEST_GUILESS_MAIN(TestVllmPool)
#include "tst_vllmpool.moc"
