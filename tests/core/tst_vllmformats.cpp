// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM's cache types: spec/serving-engines.md 2.3 and the boundaries of its versions.
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using vllm::Setup;

Scenario scenarioOf(const char *model, const char *version, Format kv, TokenCount context = 131'072_tokens, int tensor = 1)
{
    return vllmScenario(catalogued(model), version, tensor, kv, context);
}

std::optional<Error> refusalOf(const Scenario &scenario)
{
    const Result<Compiled> compiled = compile(scenario, scenario.clusters.front());
    return compiled ? std::optional<Error>() : compiled.error();
}

Format named(const char *name)
{
    const std::optional<Format> format = formatByName(name);
    if (!format)
        QTest::qFail(name, __FILE__, __LINE__);
    return format.value_or(Format::F32);
}

} // namespace

class TestVllmFormats : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// Bytes of K and V of a token and head, of 128 and by hand of 256 and 80, and the first
    /// version's eve, on which each is refused. Empty: there in all versions.
    void packsHeads_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("eve");
        QTest::addColumn<QByteArray>("since");
        QTest::addColumn<qint64>("of128");
        QTest::addColumn<qint64>("of256");
        QTest::addColumn<qint64>("of80");
        const auto row = [](const char *name, const char *eve, const char *since, qint64 of128, qint64 of256, qint64 of80) {
            QTest::newRow(name) << QByteArray(name) << QByteArray(eve) << QByteArray(since) << of128 << of256 << of80;
        };
        row("bf16", "", "", 512, 1024, 320);
        row("bfloat16", "", "", 512, 1024, 320);
        row("float16", "", "", 512, 1024, 320);
        row("fp8", "", "", 256, 512, 160);
        row("fp8_e4m3", "", "", 256, 512, 160);
        row("fp8_e5m2", "", "", 256, 512, 160);
        row("fp8_inc", "", "", 256, 512, 160);
        row("fp8_per_token_head", "2026-04-01", "2026-04-02", 264, 520, 168);
        row("int8_per_token_head", "2026-04-01", "2026-04-02", 264, 520, 168);
        row("int4_per_token_head", "2026-06-23", "2026-06-24", 136, 264, 88);
        row("nvfp4", "2026-04-16", "2026-04-17", 144, 288, 90);
        row("nvfp4_4over6", "2026-08-06", "2026-08-07", 144, 288, 90);
        row("turboquant_k8v4", "2026-04-13", "2026-04-14", 196, 388, 124);
        row("turboquant_4bit_nc", "2026-04-13", "2026-04-14", 134, 262, 86);
        row("turboquant_k3v4_nc", "2026-04-13", "2026-04-14", 118, 230, 76);
        row("turboquant_3bit_nc", "2026-04-13", "2026-04-14", 102, 198, 66);
    }

    void packsHeads()
    {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, eve);
        QFETCH(QByteArray, since);
        QFETCH(qint64, of128);
        QFETCH(qint64, of256);
        QFETCH(qint64, of80);
        const Format format = named(name.constData());
        QCOMPARE(serving::headBytes(128, 128, format), of128);
        QCOMPARE(serving::headBytes(256, 256, format), of256);
        QCOMPARE(serving::headBytes(80, 80, format), of80);
        // A model of experts: TurboQuant leaves no layers out there. 48 layers, 4 heads of 128.
        QCOMPARE(vllmSetup(scenarioOf("qwen3-30b-a3b", since.constData(), format), 20).pool.blockBytes.front(), 48 * 16 * 4 * of128);
        if (eve.isEmpty())
            return;
        const std::optional<Error> error = refusalOf(scenarioOf("qwen3-30b-a3b", eve.constData(), format));
        QVERIFY(error.has_value());
        QCOMPARE(static_cast<int>(error->code), static_cast<int>(ErrorCode::UnsupportedFormat));
        QVERIFY2(error->detail.find("fp8") != std::string::npos && error->detail.find(name.constData()) == std::string::npos,
                 error->detail.c_str());
    }

    /// An odd number of bytes takes one more: 15 + 2 + 20 + 4.
    void roundsTurboQuantUp() { QCOMPARE(serving::headBytes(40, 40, Format::TurboK3V4), 42); }

    /// Relative to bf16 as the text has it: 1, .500, .516, .266, .281, .383, .262, .230, .199.
    void tellsWidths()
    {
        const auto ratio = [](const char *name) { return rounded(infoOf(named(name)).bitsPerElement() / 16, 3); };
        QCOMPARE(ratio("fp8"), 0.5);
        QCOMPARE(ratio("int8_per_token_head"), 0.516);
        QCOMPARE(ratio("int4_per_token_head"), 0.266);
        QCOMPARE(ratio("nvfp4"), 0.281);
        QCOMPARE(ratio("turboquant_k8v4"), 0.383);
        QCOMPARE(ratio("turboquant_4bit_nc"), 0.262);
        QCOMPARE(ratio("turboquant_k3v4_nc"), 0.23);
        QCOMPARE(ratio("turboquant_3bit_nc"), 0.199);
    }

    /// Llama-3.1-8B with turboquant_4bit_nc: the first and last two layers stay in bf16, so blocks of 64; 2,969,600 bytes, 46,400 a token.
    void leavesTheEndsOfDenseModels()
    {
        const Setup setup = vllmSetup(scenarioOf("llama-3.1-8b-instruct", "0.29.0", Format::Turbo4Bit), 50);
        QCOMPARE(setup.pool.groups.size(), 1U);
        QCOMPARE(setup.pool.groups.front().block, 64);
        QCOMPARE(setup.pool.blockBytes.front(), 2'969'600);
        QCOMPARE(setup.pool.blockBytes.front() / 64, 46'400);
        // More layers kept: ten of 32.
        Scenario more = scenarioOf("llama-3.1-8b-instruct", "0.29.0", Format::Turbo4Bit);
        more.kv.keepFirst = 8;
        QCOMPARE(vllmSetup(more, 50).pool.blockBytes.front(), 22 * 64 * 1072 + 10 * 64 * 4096);
    }

    /// Layers left out of any quantised cache: B = 16 x ceil(16 q / (16 p)).
    void keepsLayersInTheModelsDtype_data()
    {
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<qint64>("block");
        QTest::addColumn<qint64>("bytes"); // of a token and layer, eight heads
        QTest::newRow("fp8") << QByteArray("fp8") << qint64{32} << qint64{2048};
        QTest::newRow("int8_per_token_head") << QByteArray("int8_per_token_head") << qint64{32} << qint64{2112};
        QTest::newRow("int4_per_token_head") << QByteArray("int4_per_token_head") << qint64{64} << qint64{1088};
        QTest::newRow("nvfp4") << QByteArray("nvfp4") << qint64{64} << qint64{1152};
    }

    void keepsLayersInTheModelsDtype()
    {
        QFETCH(QByteArray, format);
        QFETCH(qint64, block);
        QFETCH(qint64, bytes);
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "0.29.0", named(format.constData()));
        scenario.kv.keepFirst = scenario.kv.keepLast = 2;
        const Setup setup = vllmSetup(scenario, 50);
        QCOMPARE(setup.pool.groups.size(), 1U);
        QCOMPARE(setup.pool.groups.front().block, block);
        QCOMPARE(setup.pool.blockBytes.front(), block * (28 * bytes + 4 * 4096));
    }

    /// The option came on 2026-04-14; before, and with formats that are not quantised, nothing is left out, and the plan says so.
    void keepsNothingBefore()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", "0.19.0", Format::FP8);
        scenario.kv.keepFirst = scenario.kv.keepLast = 2;
        QCOMPARE(vllmSetup(scenario, 50).pool.blockBytes.front(), 16 * 32 * 2048);
        const auto lacks = [](const Scenario &s) {
            return std::ranges::any_of(plan(s, s.clusters.front()).warnings,
                                       [](const Warning &w) { return w.code == WarningCode::EngineLacksOption; });
        };
        QVERIFY(lacks(scenario));
        scenario.engine.version = "0.29.0";
        QVERIFY(!lacks(scenario));
        scenario.kv.key = scenario.kv.value = Format::F16;
        QCOMPARE(vllmSetup(scenario, 50).pool.blockBytes.front(), 16 * 32 * 4096);
        // Scales are part of a format's name here.
        scenario.kv = {};
        scenario.kv.scales = KvScales::PerToken;
        QVERIFY(lacks(scenario));
    }

    /// Latents of DeepSeek-V3 in fp8, two layers of 61 in bf16: FlashMLA's blocks of 64, twice as many tokens for a page of 1,152 bytes a token.
    void keepsLatents()
    {
        Scenario scenario = scenarioOf("deepseek-v3", "0.29.0", Format::FP8, 8192_tokens, 8);
        scenario.kv.keepFirst = 2;
        const Setup setup = vllmSetup(scenario, 20);
        QCOMPARE(setup.pool.groups.front().block, 128);
        QCOMPARE(setup.pool.blockBytes.front(), 128 * (59 * 576 + 2 * 1152));
    }

    /// The packed latent: by itself on SM120 and in DeepSeek V4, for any fp8 elsewhere but on SM100 (2.2, 2.3).
    void packsSparseLatents()
    {
        const auto bytesOn = [](const char *capability, std::optional<Format> kv) {
            Scenario scenario = vllmScenario(catalogued("deepseek-v3.2"), "0.29.0", 8, kv, 8192_tokens);
            for (Device &device : scenario.clusters.front().devices)
                device.computeCapability = capability;
            const Setup setup = vllmSetup(scenario, 20);
            return setup.pool.blockBytes.front() / setup.pool.groups.front().block;
        };
        QCOMPARE(bytesOn("9.0", Format::FP8), 61 * (656 + 132));
        QCOMPARE(bytesOn("9.0", {}), 61 * (1152 + 132));
        QCOMPARE(bytesOn("10.0", Format::FP8), 61 * (576 + 132));
        QCOMPARE(bytesOn("12.0", {}), 61 * (656 + 132));
        QCOMPARE(bytesOn("12.0", Format::BF16), 61 * (1152 + 132));
        // DeepSeek V4: 584 bytes by itself, 1,024 in bf16, of 64 tokens in pages aligned to 512.
        const auto slidingPage = [](std::optional<Format> kv) {
            const Setup setup = vllmSetup(vllmScenario(catalogued("deepseek-v4-flash"), "0.29.0", 8, kv, 8192_tokens), 20);
            std::int64_t page = 0;
            for (const vllm::BlockGroup &group : setup.pool.groups) {
                if (group.kind == vllm::SpecKind::Sliding && group.block == 64)
                    page = group.members.front().spec.page;
            }
            return page;
        };
        QCOMPARE(slidingPage({}), 37'440);
        QCOMPARE(slidingPage(Format::BF16), 65'536);
    }

    void refuses_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<QByteArray>("version");
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<QByteArray>("instead");
        const auto row = [](const char *name, const char *model, const char *version, const char *format, const char *instead) {
            QTest::newRow(name) << QByteArray(model) << QByteArray(version) << QByteArray(format) << QByteArray(instead);
        };
        row("packed latents without latents", "llama-3.1-8b-instruct", "0.29.0", "fp8_ds_mla", "int4_per_token_head");
        row("packed latents too early", "deepseek-v3", "0.10.0", "fp8_ds_mla", "fp8_e4m3");
        row("scales of heads for latents", "deepseek-v3", "0.29.0", "int8_per_token_head", "fp8_ds_mla");
        row("bare integers", "llama-3.1-8b-instruct", "0.29.0", "int8", "int8_per_token_head");
        row("bare integers of 4 bit", "llama-3.1-8b-instruct", "0.29.0", "int4", "int4_per_token_head");
        row("llama.cpp's", "llama-3.1-8b-instruct", "0.29.0", "q8_0", "fp8");
    }

    void refuses()
    {
        QFETCH(QByteArray, model);
        QFETCH(QByteArray, version);
        QFETCH(QByteArray, format);
        QFETCH(QByteArray, instead);
        const std::optional<Error> error =
            refusalOf(scenarioOf(model.constData(), version.constData(), named(format.constData()), 8192_tokens));
        QVERIFY(error.has_value());
        QCOMPARE(static_cast<int>(error->code), static_cast<int>(ErrorCode::UnsupportedFormat));
        QVERIFY2(error->detail.find(instead.constData()) != std::string::npos, error->detail.c_str());
    }
};

QTEST_GUILESS_MAIN(TestVllmFormats)
#include "tst_vllmformats.moc"
