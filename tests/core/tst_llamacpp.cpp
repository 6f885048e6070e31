// SPDX-License-Identifier: GPL-3.0-or-later
// llama.cpp's caches, states, versions and refusals against the worked examples of spec/local-engines.md 2 and 3.
#include "tests/core/ggufshapes.h"

#include <QRegularExpression>
#include <QTest>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

/// What a row of the examples sets beside the model.
struct Settings {
    std::int64_t cells = 8192;
    int slotCount = 1;
    bool unified = false;
    int ubatch = 512;
    Format key = Format::F16, value = Format::F16;
    bool flash = true;
    bool fullWindows = false;
    int draftTokens = 0;
    const char *version = "2026-08-18";
};

Plan answer(const GgufModel &model, const Settings &settings)
{
    Scenario scenario = withPool(llamaCppOf(model), settings.cells, settings.slotCount);
    scenario.local.unified = settings.unified;
    scenario.local.ubatch = settings.ubatch;
    scenario.local.fullWindows = settings.fullWindows;
    scenario.local.flash = settings.flash ? FlashAttention::On : FlashAttention::Off;
    scenario.kv.key = settings.key;
    scenario.kv.value = settings.value;
    scenario.serving.draftTokens = settings.draftTokens;
    scenario.engine.version = settings.version;
    return planOf(scenario);
}

GgufModel with(GgufModel model, const Keys &keys)
{
    for (const auto &[key, values] : keys)
        model.keys[std::string(key)] = {values, values.size() > 1};
    return model;
}

std::vector<std::int64_t> pattern(int layers, const std::function<std::int64_t(int)> &of)
{
    std::vector<std::int64_t> values;
    for (int i = 0; i < layers; ++i)
        values.push_back(of(i));
    return values;
}

GgufModel llama70B() { return with(llama8B(), {{"block_count", {80}}, {"embedding_length", {8192}}, {"attention.head_count", {64}}}); }

/// Windowed V rows of 16 heads of 256, dense ones of 4 heads of 512; every sixth layer is dense.
GgufModel gemma31B()
{
    return headerOf("gemma4", {{"block_count", {60}},
                               {"embedding_length", {5376}},
                               {"attention.head_count", {32}},
                               {"attention.head_count_kv", pattern(60, [](int i) { return i % 6 == 5 ? 4 : 16; })},
                               {"attention.key_length", {512}},
                               {"attention.value_length", {512}},
                               {"attention.key_length_swa", {256}},
                               {"attention.value_length_swa", {256}},
                               {"attention.sliding_window", {1024}},
                               {"attention.sliding_window_pattern", pattern(60, [](int i) { return i % 6 != 5; })}});
}

GgufModel gptOss()
{
    return headerOf("gpt-oss", {{"block_count", {24}},
                                {"embedding_length", {2880}},
                                {"attention.head_count", {64}},
                                {"attention.head_count_kv", {8}},
                                {"attention.key_length", {64}},
                                {"attention.value_length", {64}},
                                {"attention.sliding_window", {128}}});
}

GgufModel deepSeekV4()
{
    return headerOf("deepseek4", {{"block_count", {43}},
                                  {"embedding_length", {4096}},
                                  {"attention.head_count", {64}},
                                  {"attention.head_count_kv", {1}},
                                  {"attention.key_length", {512}},
                                  {"attention.value_length", {512}},
                                  {"attention.sliding_window", {128}},
                                  {"attention.indexer.key_length", {128}},
                                  {"attention.compress_ratios", pattern(43, [](int i) { return i < 2        ? 0
                                                                                               : i % 2 == 0 ? 4
                                                                                                            : 128; })}});
}

GgufModel recurrent(const char *architecture, int layers, std::int64_t embedding, const Keys &keys)
{
    return with(headerOf(architecture, {{"block_count", {layers}}, {"embedding_length", {embedding}}, {"attention.head_count", {0}}}),
                keys);
}

} // namespace

class TestLlamaCpp : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void countsCaches_data()
    {
        QTest::addColumn<GgufModel>("model");
        QTest::addColumn<Settings>("settings");
        QTest::addColumn<double>("cache"); // KV, MiB
        QTest::addColumn<double>("state");
        const auto row = [](const char *name, const GgufModel &model, const Settings &settings, double cache, double state = 0) {
            QTest::newRow(name) << model << settings << cache << state;
        };
        // 3.1, 3.2
        row("5000 cells, 3 slots", llama8B(), {.cells = 5000, .slotCount = 3}, 672);
        row("5000 cells, 3 slots, unified", llama8B(), {.cells = 5000, .slotCount = 3, .unified = true}, 640);
        row("f16", llama8B(), {}, 1024);
        row("q8_0", llama8B(), {.key = Format::Q8_0, .value = Format::Q8_0}, 544);
        row("q4_0", llama8B(), {.key = Format::Q4_0, .value = Format::Q4_0}, 288);
        row("K q8_0, V q4_0", llama8B(), {.key = Format::Q8_0, .value = Format::Q4_0}, 416);
        row("70B", llama70B(), {.cells = 131072}, 40960);
        row("70B q8_0", llama70B(), {.cells = 131072, .key = Format::Q8_0, .value = Format::Q8_0}, 21760);
        row("70B q4_0", llama70B(), {.cells = 131072, .key = Format::Q4_0, .value = Format::Q4_0}, 11520);
        row("no grouping", with(llama8B(), {{"attention.head_count_kv", {32}}}), {}, 4096);
        // 2.4: next-token blocks keep cells, though they are not loaded
        row("GLM-4.5-Air",
            headerOf("glm4moe", {{"block_count", {47}},
                                 {"nextn_predict_layers", {1}},
                                 {"embedding_length", {4096}},
                                 {"attention.head_count", {96}},
                                 {"attention.head_count_kv", {8}},
                                 {"attention.key_length", {128}},
                                 {"attention.value_length", {128}}}),
            {}, 1504);
        // 3.4
        row("windows", gemma12B(), {.cells = 131072}, 8672);
        row("windows, 4 slots apart", gemma12B(), {.cells = 131072 * 4, .slotCount = 4}, 4 * 8192 + 1920);
        row("windows, 4 unified", gemma12B(), {.cells = 131072, .slotCount = 4, .unified = true}, 9632);
        row("windows, 8192", gemma12B(), {}, 992);
        row("windows, 8192, 4 unified", gemma12B(), {.slotCount = 4, .unified = true}, 1952);
        row("windows in full", gemma12B(), {.cells = 131072, .fullWindows = true}, 49152);
        row("windows, large micro-batch", gemma12B(), {.cells = 131072, .ubatch = 2048}, 9152);
        row("windows every second", gptOss(), {.cells = 131072}, 3072 + 18);
        // 3.5, 3.6
        row("latent", deepSeekV3(), {.cells = 32768}, 2196);
        row("latent q8_0", deepSeekV3(), {.cells = 32768, .key = Format::Q8_0, .value = Format::Q8_0}, 1166.63);
        row("latent with V", deepSeekV3(), {.cells = 32768, .version = "b6000"}, 4148);
        row("before latents", deepSeekV3(), {.cells = 4096, .version = "2025-04-01"}, 61 * 128 * (192 + 128) * 2 * 4096.0 / 1048576);
        row("latent and indexer", deepSeekV3("deepseek32"), {.cells = 32768}, 2684);
        row("indexer with V",
            headerOf("minimax-m3", {{"block_count", {60}},
                                    {"embedding_length", {6144}},
                                    {"leading_dense_block_count", {3}},
                                    {"attention.head_count", {64}},
                                    {"attention.head_count_kv", {4}},
                                    {"attention.key_length", {128}},
                                    {"attention.value_length", {128}},
                                    {"attention.indexer.key_length", {128}}}),
            {.cells = 32768}, 4752);
        // 3.7
        row("compressed", deepSeekV4(), {.cells = 65536}, 32.25 + 336 + 10 + 84, 11.64);
        // 3.8, 2.5
        row("hybrid", qwenNext(), {}, 192, 75.38);
        row("hybrid, 4 slots", qwenNext(), {.slotCount = 4}, 192, 301.5);
        row("Mamba 2",
            recurrent("mamba2", 64, 2560,
                      {{"ssm.conv_kernel", {4}}, {"ssm.inner_size", {5120}}, {"ssm.state_size", {128}}, {"ssm.group_count", {1}}}),
            {}, 0, 163.94);
        row("Granite 4.0 H Small",
            headerOf("granitehybrid", {{"block_count", {40}},
                                       {"embedding_length", {4096}},
                                       {"attention.head_count", {32}},
                                       {"attention.head_count_kv", pattern(40, [](int i) { return i % 10 == 5 ? 8 : 0; })},
                                       {"ssm.conv_kernel", {4}},
                                       {"ssm.inner_size", {8192}},
                                       {"ssm.state_size", {128}},
                                       {"ssm.group_count", {1}}}),
            {}, 4 * 2 * 1024 * 2 * 8192.0 / 1048576, 147.48);
        row("RWKV 7", recurrent("rwkv7", 32, 2560, {{"wkv.head_size", {64}}}), {}, 0, 20.63);
        row("short convolutions",
            headerOf("lfm2", {{"block_count", {16}},
                              {"embedding_length", {2048}},
                              {"attention.head_count", {32}},
                              {"attention.head_count_kv", {0, 0, 8, 0, 0, 8, 0, 0, 8, 0, 8, 0, 8, 0, 8, 0}},
                              {"shortconv.l_cache", {3}}}),
            {}, 96, 0.16);
        row("Kimi Linear",
            headerOf("kimi-linear", {{"block_count", {27}},
                                     {"embedding_length", {2304}},
                                     {"attention.head_count", {32}},
                                     {"attention.head_count_kv", pattern(27, [](int i) { return i % 4 == 3 || i == 26; })},
                                     {"attention.key_length", {576}},
                                     {"attention.value_length", {512}},
                                     {"attention.key_length_mla", {192}},
                                     {"attention.value_length_mla", {128}},
                                     {"ssm.conv_kernel", {4}},
                                     {"kda.head_dim", {128}}}),
            {}, 7 * 576 * 2 * 8192.0 / 1048576, 42.81);
        const GgufModel qwen27B = with(qwenNext(), {{"block_count", {64}}, {"attention.head_count_kv", {4}}, {"ssm.inner_size", {6144}}});
        GgufModel qwen35 = qwen27B;
        qwen35.architecture = "qwen35";
        row("Qwen3.5", qwen35, {}, 512, 149.63);
        row("Qwen3.5, 3 draft tokens", qwen35, {.draftTokens = 3}, 512, 598.5);
        row("Qwen3.5, 3 draft tokens, 4 slots", qwen35, {.slotCount = 4, .draftTokens = 3}, 512, 2394);
        row("no rollback", qwen27B, {.draftTokens = 3}, 512, 149.63);
        // 3.10
        row("before windows", gemma12B(), {.cells = 131072, .version = "b5400"}, 49152);
        row("windows of a batch", gemma12B(), {.cells = 131072, .version = "2025-05-25"}, 8192 + 40 * 8192 * 3072.0 / 1048576);
        row("before streams", llama8B(), {.cells = 5000, .slotCount = 3, .version = "b5800"}, 640);
        row("padded to 32", llama8B(), {.cells = 5000, .flash = false, .version = "2025-09-01"}, 5024 * 131072.0 / 1048576);
        row("not padded", llama8B(), {.cells = 5000, .version = "2025-11-01"}, 625);
    }

    void countsCaches()
    {
        QFETCH(GgufModel, model);
        QFETCH(Settings, settings);
        QFETCH(double, cache);
        QFETCH(double, state);
        const Plan plan = answer(model, settings);
        QVERIFY(!plan.refusal);
        QCOMPARE(mebibytes(reported(plan, "kv_bytes")), std::round(cache * 100) / 100);
        QCOMPARE(mebibytes(reported(plan, "recurrent_bytes")), state);
        QCOMPARE(reported(plan, "k_bytes") + reported(plan, "v_bytes"), reported(plan, "kv_bytes"));
        QCOMPARE(reported(plan, "context_bytes"), reported(plan, "kv_bytes") + reported(plan, "recurrent_bytes"));
        QCOMPARE(static_cast<double>((plan.devices[0].used[Part::Kv] + plan.devices[0].used[Part::State]).value),
                 reported(plan, "context_bytes"));
    }

    void padsValuesWithoutFlash()
    {
        const auto dense = [](const Plan &plan) { return mebibytes(reported(plan, "kv_bytes") - reported(plan, "swa_kv_bytes")); };
        QCOMPARE(dense(answer(gemma31B(), {})), 640.0);
        QCOMPARE(dense(answer(gemma31B(), {.flash = false})), 960.0);
    }

    void countsCells()
    {
        const Plan three = answer(llama8B(), {.cells = 5000, .slotCount = 3});
        QCOMPARE(reported(three, "kv_cells"), 1792.0);
        QCOMPARE(reported(three, "swa_cells"), -1.0);
        QCOMPARE(reported(answer(gemma12B(), {.cells = 131072}), "swa_cells"), 1536.0);
        QCOMPARE(reported(answer(gemma12B(), {.slotCount = 4, .unified = true}), "swa_cells"), 4608.0);
        QCOMPARE(reported(answer(gptOss(), {}), "swa_cells"), 768.0);
    }

    void keepsAutomaticSlots()
    {
        Scenario scenario = llamaCppOf(gemma12B());
        scenario.local.automaticSlots = true;
        scenario.local.pool = 8192_tokens;
        scenario.context = 8192_tokens;
        QCOMPARE(mebibytes(reported(planOf(scenario), "kv_bytes")), 1952.0);
        scenario.engine.version = "2025-10-01"; // before: one slot
        QCOMPARE(mebibytes(reported(planOf(scenario), "kv_bytes")), 992.0);
    }

    void refuses_data()
    {
        QTest::addColumn<GgufModel>("model");
        QTest::addColumn<Settings>("settings");
        QTest::addColumn<ErrorCode>("code");
        const GgufModel odd = with(llama8B(), {{"attention.key_length", {80}}, {"attention.value_length", {80}}});
        QTest::newRow("quantised V without flash attention")
            << llama8B() << Settings{.value = Format::Q8_0, .flash = false} << ErrorCode::FlashAttentionNeeded;
        QTest::newRow("unequal types of a latent")
            << deepSeekV3() << Settings{.key = Format::Q8_0, .value = Format::F16} << ErrorCode::UnequalCacheTypes;
        QTest::newRow("unequal types of compressed caches")
            << deepSeekV4() << Settings{.key = Format::Q8_0, .value = Format::F16} << ErrorCode::UnequalCacheTypes;
        QTest::newRow("heads of half blocks") << odd << Settings{.key = Format::Q8_0} << ErrorCode::HeadNotWholeBlocks;
        QTest::newRow("fp8") << llama8B() << Settings{.key = Format::FP8} << ErrorCode::UnsupportedFormat;
        QTest::newRow("257 slots") << llama8B() << Settings{.slotCount = 257} << ErrorCode::OutOfRange;
        GgufModel grok = llama8B();
        grok.architecture = "grok";
        QTest::newRow("flash attention is always off") << grok << Settings{.value = Format::Q8_0} << ErrorCode::FlashAttentionNeeded;
    }

    void refuses()
    {
        QFETCH(GgufModel, model);
        QFETCH(Settings, settings);
        QFETCH(ErrorCode, code);
        const Plan plan = answer(model, settings);
        QCOMPARE(plan.verdict, Verdict::Refused);
        QVERIFY(plan.refusal);
        QCOMPARE(plan.refusal->code, code);
    }

    void takesQuantisedKeysWithoutFlash()
    {
        QVERIFY(!answer(llama8B(), {.key = Format::Q8_0, .flash = false}).refusal);
        Scenario scenario = withPool(llamaCppOf(llama8B()), 8192);
        scenario.local.flash = FlashAttention::Automatic;
        scenario.kv.value = Format::Q8_0;
        QVERIFY(!planOf(scenario).refusal); // automatic becomes on
        scenario.engine.version = "b6000";  // off unless asked for
        QVERIFY(planOf(scenario).refusal);
    }

    void tellsVersionsApart()
    {
        Scenario scenario = withPool(llamaCppOf(llama8B()), 8192);
        for (const char *known : {"b9460", "2025-07-18"}) {
            scenario.engine.version = known;
            QVERIFY(planOf(scenario).warnings.empty());
        }
        scenario.engine.version = "b5912"; // between two listed builds
        const Plan between = planOf(scenario);
        QCOMPARE(between.warnings.size(), std::size_t{1});
        QCOMPARE(between.warnings[0].code, WarningCode::UnknownVersion);
        QCOMPARE(between.warnings[0].values[1], std::string("b5550"));
        scenario.engine.version = "0.19.0";
        QCOMPARE(planOf(scenario).refusal->code, ErrorCode::UnknownName);
    }

    void staysWithHandShapes()
    {
        Scenario scenario = llamaCppOf(llama8B());
        scenario.model = std::make_shared<const ModelSpec>(modelByHand({32, 8, 128, 32, 0}));
        QCOMPARE(mebibytes(reported(planOf(withPool(scenario, 8192)), "kv_bytes")), 1024.0);
        QCOMPARE(planOf(withPool(scenario, 8192)).weightsTotal.value, 0);
    }
};

QTEST_APPLESS_MAIN(TestLlamaCpp)
#include "tst_llamacpp.moc"
