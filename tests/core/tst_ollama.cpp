// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog.h"
#include "core/engine.h"
#include "core/engines/ollamalaunch.h"
#include "core/gguf/model.h"

#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace kvscope;
using namespace kvscope::ollama;

namespace {

constexpr const char *newest = "0.33.0";

Device card(Bytes memory, Bytes free)
{
    Device device = deviceOfSize(memory);
    device.usable = free;
    device.vendor = "NVIDIA";
    return device;
}

Scenario scenarioOf(const char *model, TokenCount context, const Device &device, const char *version, int count = 1)
{
    Scenario scenario;
    const Result<ModelSpec> found = Catalog().model(model);
    if (!found)
        qFatal("%s: not in the catalogue", model);
    scenario.model = std::make_shared<const ModelSpec>(*found);
    scenario.weights.format = Format::Q4_K_M;
    scenario.engine = {EngineId::Ollama, version};
    scenario.context = context;
    scenario.clusters = {clusterOf(device, count)};
    return scenario;
}

Launch launch(const Scenario &scenario)
{
    std::vector<Warning> warnings;
    const Result<Launch> result = launchOf(scenario, scenario.clusters[0], warnings);
    if (!result)
        qFatal("refused: %s", result.error().where.c_str());
    return *result;
}

bool warns(const Plan &plan, WarningCode code)
{
    return std::ranges::any_of(plan.warnings, [code](const Warning &warning) { return warning.code == code; });
}

std::int64_t reported(const Plan &plan, const char *figure)
{
    const auto found = std::ranges::find(plan.engineReport, std::string(figure), &ReportFigure::name);
    return found == plan.engineReport.end() ? -1 : static_cast<std::int64_t>(found->value);
}

} // namespace

class TestOllama : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    /// spec/local-engines.md 6.1, the example of num_ctx; 6.2 for what was before.
    void defaultContext_data()
    {
        QTest::addColumn<QString>("version");
        QTest::addColumn<double>("gib");
        QTest::addColumn<int>("cards");
        QTest::addColumn<qint64>("context");
        QTest::newRow("24 GiB card") << "0.33.0" << 23.99 << 1 << qint64{32768};
        QTest::newRow("16 GiB card") << "0.33.0" << 16.0 << 1 << qint64{4096};
        QTest::newRow("two 24 GiB cards, cut to the trained length") << "0.33.0" << 23.99 << 2 << qint64{131072};
        QTest::newRow("before the tiers") << "0.15.0" << 23.99 << 1 << qint64{4096};
        QTest::newRow("before 0.6.7") << "2025-04-21" << 23.99 << 1 << qint64{2048};
    }
    void defaultContext()
    {
        QFETCH(QString, version);
        QFETCH(double, gib);
        QFETCH(int, cards);
        QFETCH(qint64, context);
        const Bytes memory{static_cast<std::int64_t>(gib * static_cast<double>(bytesPerGiB))};
        const Scenario scenario =
            scenarioOf("llama-3.1-8b-instruct", 8192_tokens, card(memory, memory), version.toUtf8().constData(), cards);
        QCOMPARE(launch(scenario).defaultContext.value, context);
    }

    /// 6.1: 24 GiB card with 23.5 GiB free, 32768 tokens: wanted 1024, and it stays 1024. 8192 tokens want 1024 too, 4096 want 512.
    void automaticBatch()
    {
        const Device device = card(24_GiB, Bytes{47 * bytesPerGiB / 2});
        QCOMPARE(launch(scenarioOf("llama-3.1-8b-instruct", 32768_tokens, device, newest)).batch, std::int64_t{1024});
        QCOMPARE(launch(scenarioOf("llama-3.1-8b-instruct", 4096_tokens, device, newest)).batch, std::int64_t{512});
        // 65536 want 2048: 4.6 + 8 GiB predicted is within 60 % of 23.5; on a card with 18 GiB it is neither that nor within 75 %.
        QCOMPARE(launch(scenarioOf("llama-3.1-8b-instruct", 65536_tokens, device, newest)).batch, std::int64_t{2048});
        QCOMPARE(launch(scenarioOf("llama-3.1-8b-instruct", 65536_tokens, card(18_GiB, 16_GiB), newest)).batch, std::int64_t{512});
        // Older versions always took 512.
        QCOMPARE(launch(scenarioOf("llama-3.1-8b-instruct", 32768_tokens, device, "0.12.0")).batch, std::int64_t{512});
        // Without flash attention on CUDA: 512, and 256 on a card of 8 GiB.
        Scenario without = scenarioOf("llama-3.1-8b-instruct", 32768_tokens, device, newest);
        without.local.flash = FlashAttention::Off;
        QCOMPARE(launch(without).batch, std::int64_t{512});
        without.clusters = {clusterOf(card(8_GiB, 8_GiB))};
        QCOMPARE(launch(without).batch, std::int64_t{256});
    }

    /// 6.1: the same card: "Real: model 4403 + KV 4096 + compute 64 + 216 = 280 MiB" for 1024 tokens a step... of which 216 is for 512.
    void realBuffers()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 32768_tokens, card(24_GiB, Bytes{47 * bytesPerGiB / 2}), newest);
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QCOMPARE(answer.verdict, Verdict::Fits);
        const DevicePlan &device = answer.devices.at(0);
        QCOMPARE(device.used[Part::Kv].value, std::int64_t{4096} * bytesPerMiB);
        QVERIFY(std::abs(device.used[Part::Weights].value - 4403 * bytesPerMiB) < 2 * bytesPerMiB);
        QVERIFY(std::abs(device.used[Part::Activation].value - 280 * bytesPerMiB) < 3 * bytesPerMiB);
        QCOMPARE(reported(answer, "size_vram"), (device.used.total() - device.used[Part::Runtime]).value);
        QCOMPARE(reported(answer, "size"), reported(answer, "size_vram"));
    }

    /// The guess ignores windows, latents and key_length (6.1): gemma3-12b at 131072: 48*8*240*2*2 B a token; DeepSeek-V3 13.7 KB a token.
    void predicted()
    {
        const Device device = card(80_GiB, 80_GiB);
        const auto perToken = [&](const char *model) {
            const Bytes one = launch(scenarioOf(model, 4096_tokens, device, newest)).predicted;
            const Bytes two = launch(scenarioOf(model, 8192_tokens, device, newest)).predicted;
            return (two - one).value / 4096;
        };
        QCOMPARE(perToken("gemma-3-12b-it"), std::int64_t{48 * 8 * 240 * 2 * 2});
        QCOMPARE(perToken("deepseek-v3"), std::int64_t{2 * 61 * 1 * 56 * 2});
        QCOMPARE(perToken("qwen3-4b"), std::int64_t{2 * 36 * 8 * 80 * 2});
    }

    /// 6.2's example: 8 GiB card with 7,600 MiB free, 8192 tokens, batch 512: graph 560 MiB, all 33 units fit.
    void olderEstimate()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 8192_tokens, card(8_GiB, 7600_MiB), "0.9.0");
        std::vector<Warning> warnings;
        const Rules rules = *rulesOf(scenario.engine.version, warnings);
        Estimate estimate = estimateOf(launch(scenario), scenario.clusters[0], rules);
        QCOMPARE(estimate.graph.value, std::int64_t{4 * 512} * (1 + 16384 + 8192 * 33));
        QCOMPARE(estimate.kv.value, std::int64_t{1024} * bytesPerMiB);
        QCOMPARE(estimate.units, 33);
        QCOMPARE(estimate.layersOnGpu, 33);
        // 1 GiB less does not hold the output behind 32 blocks of 5017 MiB: 5394 - 5017 < 411.
        scenario.clusters = {clusterOf(card(8_GiB, 6576_MiB))};
        estimate = estimateOf(launch(scenario), scenario.clusters[0], rules);
        QCOMPARE(estimate.layersOnGpu, 32);
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QVERIFY(warns(answer, WarningCode::EngineOffloadsLess));
        // q8_0 counts as 1 byte an element, not 1.0625.
        scenario.kv.key = scenario.kv.value = Format::Q8_0;
        scenario.local.flash = FlashAttention::On;
        QCOMPARE(estimateOf(launch(scenario), scenario.clusters[0], rules).kv.value, std::int64_t{512} * bytesPerMiB);
    }

    /// 7: "2 slots of 16384, q8_0, all on the GPU": -c 32768 -np 2.
    void slotsOfTheirOwn()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 16384_tokens, card(24_GiB, 24_GiB), newest);
        scenario.batch = 2;
        scenario.kv.key = scenario.kv.value = Format::Q8_0;
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QCOMPARE(reported(answer, "kv_bytes"), std::int64_t{32 * 2 * 1088} * 32768);
        QCOMPARE(reported(answer, "num_ctx"), std::int64_t{16384});
    }

    /// Hybrids are run with one slot (6.1), so that others wait; older versions did not do so.
    void oneSlot()
    {
        Scenario scenario = scenarioOf("qwen3-next-80b-a3b-instruct", 8192_tokens, card(80_GiB, 80_GiB), newest);
        scenario.batch = 4;
        Plan answer = plan(scenario, scenario.clusters[0]);
        QVERIFY(warns(answer, WarningCode::SequencesWait));
        QCOMPARE(reported(answer, "recurrent_bytes"), std::int64_t{4 * 548864 * 36}); // 2.5, one sequence
        scenario.engine.version = "0.12.0";
        answer = plan(scenario, scenario.clusters[0]);
        QVERIFY(!warns(answer, WarningCode::SequencesWait));
    }

    void cacheTypeNeedsFlashAttention()
    {
        Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 8192_tokens, card(24_GiB, 24_GiB), newest);
        scenario.kv.key = scenario.kv.value = Format::Q8_0;
        scenario.local.flash = FlashAttention::Off;
        const Plan refused = plan(scenario, scenario.clusters[0]);
        QCOMPARE(refused.verdict, Verdict::Refused);
        QCOMPARE(refused.refusal->code, ErrorCode::FlashAttentionNeeded);
        scenario.engine.version = "0.9.0";
        const Plan ignored = plan(scenario, scenario.clusters[0]);
        QVERIFY(warns(ignored, WarningCode::CacheTypeIgnored));
        QCOMPARE(reported(ignored, "kv_bytes"), std::int64_t{1024} * bytesPerMiB);
        // K and V have one setting.
        scenario.kv.value = Format::F16;
        QCOMPARE(plan(scenario, scenario.clusters[0]).refusal->code, ErrorCode::UnequalCacheTypes);
    }

    /// 6.1: one card that has 80 % of its memory for the guess holds all; OLLAMA splits otherwise.
    void fewestCards()
    {
        const Device device = card(24_GiB, 23_GiB);
        QCOMPARE(launch(scenarioOf("llama-3.1-8b-instruct", 8192_tokens, device, newest, 2)).onlyDevice, 0);
        QCOMPARE(launch(scenarioOf("llama-3.3-70b-instruct", 8192_tokens, device, newest, 2)).onlyDevice, -1);
        const Scenario scenario = scenarioOf("llama-3.1-8b-instruct", 8192_tokens, device, newest, 2);
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QCOMPARE(answer.devices.at(1).used[Part::Weights].value, std::int64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestOllama)
#include "tst_ollama.moc"
