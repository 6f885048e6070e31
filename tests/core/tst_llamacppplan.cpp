// SPDX-License-Identifier: GPL-3.0-or-later
// Where llama.cpp puts weights, its compute buffers, --fit, limits and lines of a plan: spec/local-engines.md 4 and 5.
#include "tests/core/ggufshapes.h"

#include <QRegularExpression>
#include <QTest>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

/// Llama 3.1 8B in Q4_K_M: 4685.3 MiB (4.1).
Scenario placed(const Device &device, int devices = 1)
{
    Scenario scenario = llamaCppOf(llama8B());
    scenario.model = std::make_shared<const ModelSpec>(*Catalog().model("llama-3.1-8b-instruct"));
    scenario.weights.format = Format::Q4_K_M;
    scenario.clusters = {clusterOf(device, devices)};
    return withPool(scenario, 8192);
}

Scenario placed(int devices = 1) { return placed(deviceOfSize(2048_GiB), devices); }

double tenths(Bytes bytes) { return std::round(static_cast<double>(bytes.value) / static_cast<double>(bytesPerMiB) * 10) / 10; }

double compute(const Scenario &scenario) { return tenths(planOf(scenario).devices[0].used[Part::Activation]); }

const Warning *warningOf(const Plan &plan, WarningCode code)
{
    const auto found = std::ranges::find(plan.warnings, code, &Warning::code);
    return found == plan.warnings.end() ? nullptr : &*found;
}

GgufModel qwen30B()
{
    return headerOf("qwen3moe",
                    {{"block_count", {48}},
                     {"embedding_length", {2048}},
                     {"feed_forward_length", {6144}},
                     {"attention.head_count", {32}},
                     {"attention.head_count_kv", {4}},
                     {"attention.key_length", {128}},
                     {"attention.value_length", {128}},
                     {"expert_count", {128}},
                     {"expert_used_count", {8}},
                     {"expert_feed_forward_length", {768}}},
                    151936);
}

} // namespace

class TestLlamaCppPlan : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void placesByLayers()
    {
        Scenario scenario = placed();
        const auto weights = [&] {
            const Plan plan = planOf(scenario);
            return std::pair(tenths(plan.devices[0].used[Part::Weights]), tenths(plan.hostWeights));
        };
        scenario.local.gpuLayers = 16;
        QCOMPARE(weights(), std::pair(2290.2, 2395.1));
        scenario.local.gpuLayers = 1; // the output layer alone
        QCOMPARE(weights().first, 411.0);
        scenario.local.gpuLayers = 999;
        QCOMPARE(weights(), std::pair(4403.5, 281.8));
        scenario.local.gpuLayers = 0;
        QCOMPARE(weights(), std::pair(0.0, 4685.3));
        scenario.local.gpuLayers = 17; // blocks 16 to 31 and the output layer
        const Bytes withOutput = planOf(scenario).devices[0].used[Part::Weights];
        scenario.local.gpuLayers = 16; // before b7467: the same without the output layer
        scenario.engine.version = "b7466";
        QCOMPARE(tenths(withOutput - planOf(scenario).devices[0].used[Part::Weights]), 411.0);
    }

    void splitsByShares()
    {
        Scenario scenario = placed(2);
        scenario.local.tensorSplit = {3, 1};
        const Plan plan = planOf(scenario);
        QCOMPARE(tenths(plan.devices[0].used[Part::Weights]), 3095.9);
        QCOMPARE(tenths(plan.devices[1].used[Part::Weights]), 1307.6);
        QCOMPARE(tenths(plan.devices[0].used[Part::Kv]), 800.0);
        QCOMPARE(tenths(plan.devices[1].used[Part::Kv]), 224.0);
    }

    void keepsCachesOnTheHost()
    {
        Scenario scenario = placed();
        scenario.local.kvOnHost = true;
        const Plan plan = planOf(scenario);
        QCOMPARE(plan.devices[0].used[Part::Kv].value, 0);
        QCOMPARE(tenths(plan.hostKv), 1024.0);
        QCOMPARE(tenths(plan.kv.total), 1024.0);
        QCOMPARE(mebibytes(reported(plan, "context_bytes")), 1024.0);
    }

    void pads()
    {
        // 4.4: CUDA pads each tensor to 128 B and a quantised row that is no multiple of 512 by the rest of a row.
        GgufModel model = llama8B();
        model.tensors = {{"blk.0.ffn_up.weight", {4096, 3, 1, 1}, Format::Q4_K},
                         {"blk.0.ffn_down.weight", {768, 2, 1, 1}, Format::Q4_K},
                         {"blk.0.attn_norm.weight", {10, 1, 1, 1}, Format::F32}};
        Scenario scenario = withPool(llamaCppOf(model), 8192);
        const std::int64_t up = 16 * 144 * 3, down = 3 * 144 * 2, norm = 40;
        const auto padded = [](std::int64_t bytes, std::int64_t pad) { return (bytes + pad - 1) / pad * pad; };
        QCOMPARE(planOf(scenario).devices[0].used[Part::Weights].value, padded(up, 32) + padded(down, 32) + padded(norm, 32));
        scenario.local.backend = Backend::Cuda;
        QCOMPARE(planOf(scenario).devices[0].used[Part::Weights].value, padded(up, 128) + padded(down + 144, 128) + padded(norm, 128));
    }

    void reservesCompute_data()
    {
        QTest::addColumn<GgufModel>("model");
        QTest::addColumn<std::int64_t>("cells");
        QTest::addColumn<int>("ubatch");
        QTest::addColumn<bool>("flash");
        QTest::addColumn<double>("expected");
        GgufModel llama70B = llama8B();
        llama70B.keys["embedding_length"] = {{8192}, false};
        llama70B.keys["attention.head_count"] = {{64}, false};
        llama70B.keys["feed_forward_length"] = {{28672}, false};
        // 5.2
        QTest::newRow("dense") << llama8B() << std::int64_t{32768} << 512 << true << 140.0;
        QTest::newRow("without flash attention") << llama8B() << std::int64_t{32768} << 512 << false << 2148.0;
        QTest::newRow("large micro-batch") << llama8B() << std::int64_t{32768} << 2048 << true << 560.0;
        QTest::newRow("70B") << llama70B << std::int64_t{32768} << 512 << true << 248.0;
        QTest::newRow("experts") << qwen30B() << std::int64_t{32768} << 512 << true << 116.0;
        QTest::newRow("latent") << deepSeekV3() << std::int64_t{32768} << 512 << true << 408.0;
    }

    void reservesCompute()
    {
        QFETCH(GgufModel, model);
        QFETCH(std::int64_t, cells);
        QFETCH(int, ubatch);
        QFETCH(bool, flash);
        QFETCH(double, expected);
        Scenario scenario = withPool(llamaCppOf(model), cells);
        scenario.local.ubatch = ubatch;
        scenario.local.flash = flash ? FlashAttention::On : FlashAttention::Off;
        QCOMPARE(compute(scenario), expected);
    }

    void tellsDenseBlocksByTheirTensors()
    {
        // Every other block dense and wide (Llama 4 Maverick): 512 x (2 x 20480 + 20480 + 3 x 65536) B beside 16 MiB of masks.
        GgufModel model = headerOf("llama",
                                   {{"block_count", {2}},
                                    {"embedding_length", {5120}},
                                    {"feed_forward_length", {16384}},
                                    {"attention.head_count", {40}},
                                    {"attention.head_count_kv", {8}},
                                    {"expert_count", {128}},
                                    {"expert_used_count", {1}},
                                    {"expert_feed_forward_length", {8192}}},
                                   202048);
        model.tensors = {{"blk.0.ffn_gate.weight", {5120, 16384, 1, 1}, Format::F16},
                         {"blk.0.ffn_up.weight", {5120, 16384, 1, 1}, Format::F16},
                         {"blk.1.ffn_gate_inp.weight", {5120, 128, 1, 1}, Format::F32}};
        const Plan plan = planOf(withPool(llamaCppOf(model), 16384));
        QCOMPARE(plan.devices[0].used[Part::Activation].value, 512LL * (3 * 20480 + 3 * 65536) + (16 << 20));
    }

    void reservesForPartsAndHost()
    {
        Scenario scenario = placed();
        const auto host = [&] { // 5.5: without the output buffer
            return tenths(planOf(scenario).hostActivation -
                          Bytes{static_cast<std::int64_t>(reported(planOf(scenario), "output_buffer_bytes"))});
        };
        scenario = withPool(scenario, 32768);
        QCOMPARE(host(), 48.0);
        scenario.local.flash = FlashAttention::Off;
        QCOMPARE(host(), 84.0);
        scenario.local.flash = FlashAttention::On;
        scenario = withPool(scenario, 8192);
        scenario.local.gpuLayers = 16;
        QCOMPARE(compute(scenario), 108.0);
        QCOMPARE(host(), 124.0);
        scenario.local.gpuLayers = 1;
        QCOMPARE(compute(scenario), 0.5);
    }

    void countsRowsOfLogits()
    {
        Scenario scenario = placed();
        QCOMPARE(mebibytes(reported(planOf(scenario), "output_buffer_bytes")), 0.49);
        QCOMPARE(mebibytes(reported(planOf(withPool(scenario, 8192, 4)), "output_buffer_bytes")), 1.96);
        scenario.engine.version = "2026-05-31"; // 5.3: 250.5 MiB of logits, 258.5 in all
        QCOMPARE(compute(scenario), 258.5);
    }

    void copiesForFlashAttention()
    {
        // 5.6: q8_0 at 131072 cells costs 512 MiB of compute on CUDA.
        Scenario scenario = withPool(placed(), 131072);
        const double bare = compute(scenario);
        scenario.local.backend = Backend::Cuda;
        QCOMPARE(compute(scenario), bare);
        scenario.kv.key = scenario.kv.value = Format::Q8_0;
        const double attention = 128 + 32.0; // masks and the attention's own activations: 512 x (2 x 16384 + 2 x 16384)
        QCOMPARE(compute(scenario), attention + 512);
    }

    void tellsWhatFitWouldDo()
    {
        // 5.7, examples 1 and 2
        Scenario scenario = withPool(placed(deviceOfSize(15600_MiB)), 131072);
        const Plan first = planOf(scenario);
        const Warning *context = warningOf(first, WarningCode::FitContext);
        QVERIFY(context);
        QCOMPARE(context->values[0], std::string("79872"));
        scenario = withPool(scenario, 8192);
        scenario.model = std::make_shared<const ModelSpec>(*Catalog().model("llama-3.3-70b-instruct"));
        const Plan second = planOf(scenario);
        const Warning *units = warningOf(second, WarningCode::EngineOffloadsLess);
        QVERIFY(units);
        QCOMPARE(units->values, (std::vector<std::string>{"26", "81"}));
        scenario.local.gpuLayers = 26;
        const Plan chosen = planOf(scenario);
        QCOMPARE(tenths(chosen.devices[0].used[Part::Weights] + chosen.devices[0].used[Part::Kv]), 14005.7);
        QVERIFY(!warningOf(chosen, WarningCode::EngineOffloadsLess)); // a placement by hand is left alone
        scenario.local.gpuLayers.reset();
        scenario.engine.version = "b7000"; // before --fit
        QVERIFY(!warningOf(planOf(scenario), WarningCode::EngineOffloadsLess));
        QVERIFY(!warningOf(planOf(placed()), WarningCode::FitContext));
    }

    void refusesOtherSplits()
    {
        Scenario scenario = placed(2);
        scenario.clusters[0].split.tensor = 2;
        QCOMPARE(planOf(scenario).refusal->code, ErrorCode::ImpossibleSplit);
    }

    void limitsAgreeWithPlans_data()
    {
        QTest::addColumn<GgufModel>("model");
        QTest::addColumn<bool>("unified");
        QTest::addColumn<int>("sequences");
        for (const bool unified : {false, true}) {
            for (const int sequences : {1, 3}) {
                const QByteArray name = QByteArray(unified ? "unified, " : "apart, ") + QByteArray::number(sequences);
                QTest::newRow(("dense, " + name).constData()) << llama8B() << unified << sequences;
                QTest::newRow(("windows, " + name).constData()) << gemma12B() << unified << sequences;
                QTest::newRow(("latent, " + name).constData()) << deepSeekV3() << unified << sequences;
                QTest::newRow(("hybrid, " + name).constData()) << qwenNext() << unified << sequences;
            }
        }
    }

    void limitsAgreeWithPlans()
    {
        QFETCH(GgufModel, model);
        QFETCH(bool, unified);
        QFETCH(int, sequences);
        Scenario scenario = llamaCppOf(model);
        scenario.clusters = {clusterOf(deviceOfSize(6_GiB))};
        scenario.local.unified = unified;
        scenario.batch = sequences;
        scenario.context = 2048_tokens;
        const Limits limits = planOf(scenario).limits;
        const std::int64_t most = limits.maxContextBeyondTraining.value;
        QVERIFY(most > 0 && limits.maxBatch > 0);
        const auto fitsAt = [&](std::int64_t context, std::int64_t batch) {
            Scenario trial = scenario;
            trial.context = TokenCount{context};
            trial.batch = batch;
            return planOf(trial).verdict <= Verdict::Tight;
        };
        QVERIFY(fitsAt(most, sequences));
        QVERIFY(!fitsAt(most + 1, sequences));
        QVERIFY(fitsAt(2048, limits.maxBatch));
        QVERIFY(!fitsAt(2048, limits.maxBatch + 1));
    }

    void neverShrinksWithMore()
    {
        for (const GgufModel &model : {llama8B(), gemma12B(), deepSeekV3("deepseek32"), qwenNext()}) {
            Bytes before;
            for (const std::int64_t context : {1, 255, 256, 257, 512, 1500, 4096, 40000}) {
                Scenario scenario = llamaCppOf(model);
                scenario.context = TokenCount{context};
                const Plan plan = planOf(scenario);
                QVERIFY(plan.devices[0].total >= before);
                before = plan.devices[0].total;
                QCOMPARE(plan.devices[0].used.total(), plan.devices[0].total);
                QVERIFY(plan.devices[0].low <= plan.devices[0].total && plan.devices[0].total <= plan.devices[0].high);
            }
        }
    }

    void sumsItsLines()
    {
        for (Scenario scenario : {placed(), withPool(llamaCppOf(gemma12B()), 16384, 2), withPool(llamaCppOf(qwenNext()), 8192, 2)}) {
            scenario.local.flash = FlashAttention::Off;
            const Plan answered = planOf(scenario);
            const auto sum = [&](std::string_view figure) {
                std::int64_t bytes = 0;
                for (const Explanation &line : explain(scenario, scenario.clusters[0], answered))
                    bytes += line.figure == figure ? line.value.value : 0;
                return bytes;
            };
            QCOMPARE(sum("engine_report.context_bytes"), static_cast<std::int64_t>(reported(answered, "context_bytes")));
            QCOMPARE(sum("kv.total_bytes"), answered.kv.total.value);
            QCOMPARE(sum("devices.0.activation_bytes"), answered.devices[0].used[Part::Activation].value);
            QCOMPARE(sum("devices.0.total_bytes"), answered.devices[0].total.value);
            QCOMPARE(sum("host.activation_bytes"), answered.hostActivation.value);
        }
    }

    void holdsSequencesInThePool()
    {
        // A pool of 8192 cells over two slots: 4096 tokens each, not one more.
        Scenario scenario = withPool(llamaCppOf(llama8B()), 8192, 2);
        QCOMPARE(planOf(scenario).limits.maxContextBeyondTraining.value, 4096);
        QCOMPARE(planOf(scenario).limits.contextReason, LimitReason::EngineLimit);
        QCOMPARE(planOf(scenario).verdict, Verdict::Fits);
        scenario.context = 4097_tokens;
        QCOMPARE(planOf(scenario).verdict, Verdict::OutOfMemory);
        // One sequence in a pool for four: the windows of the others are no room for it.
        scenario = withPool(llamaCppOf(gemma12B()), 8192);
        scenario.local.slotCount = 4;
        scenario.local.unified = true;
        QCOMPARE(planOf(scenario).limits.maxContextBeyondTraining.value, 8192);
    }

    void stopsAtTheMostSlots()
    {
        Scenario scenario = llamaCppOf(llama8B());
        scenario.context = 256_tokens;
        const Limits limits = planOf(scenario).limits;
        QCOMPARE(limits.maxBatch, 256);
        QCOMPARE(limits.batchReason, LimitReason::EngineLimit);
    }

    void saysWhatItLeavesOut()
    {
        GgufModel unknown = llama8B();
        unknown.architecture = "not-yet-known";
        Scenario scenario = withPool(llamaCppOf(unknown), 8192);
        scenario.sinks = 4_tokens;
        scenario.streamWindow = 1024_tokens;
        const Plan answered = planOf(scenario);
        QVERIFY(warningOf(answered, WarningCode::UnknownArchitecture));
        QCOMPARE(warningOf(answered, WarningCode::EngineLacksOption)->values[0], std::string("--sinks"));
        QCOMPARE(mebibytes(reported(answered, "kv_bytes")), 1024.0); // read as a plain model
    }
};

QTEST_APPLESS_MAIN(TestLlamaCppPlan)
#include "tst_llamacppplan.moc"
