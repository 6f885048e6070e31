// SPDX-License-Identifier: GPL-3.0-or-later
// The transformers engine's memory against the worked examples of its rules (spec/transformers.md) and hand arithmetic.
#include "core/engines/transformersbytes.h"
#include "tests/core/transformersmodels.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

using namespace kvscope;
using namespace kvscope::testing;

class TestTransformers : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void worksTheLlamaExample()
    {
        QCOMPARE(peak(scenarioOf(modelOf(llama8B), 4096_tokens)), 17'094'549'504);
        QCOMPARE(peak(scenarioOf(modelOf(llama8B), 4096_tokens, "4.46.0")), 17'094'549'504); // no tensor is rounded
    }

    void worksTheQwenExample()
    {
        const std::int64_t peak7B = peak(scenarioOf(modelOf(qwen25With7B), 32768_tokens));
        QCOMPARE(peak7B, 15'231'233'024 + 1'879'048'192 + 4'680'843'264 + cublas);
        QCOMPARE(std::round(gib(peak7B) * 100) / 100, 20.30);
        QCOMPARE(std::round(gib(peak(scenarioOf(modelOf(qwen25With7B), 32768_tokens, "4.46.0"))) * 100) / 100, 20.34);
    }

    void usesHopperWorkspace()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        scenario.clusters[0].devices[0].architecture = "Hopper";
        QCOMPARE(peak(scenario), 17'094'549'504 - cublas + 33'554'432);
    }

    void holdsTwoCopiesBeforeObjects()
    {
        // 64 rows of 256 + 512 tokens: KV(767) + KV(766), the weights, eager scores of one query, rotary tables, one row of logits each.
        Scenario scenario = generating(scenarioOf(modelOf(llama2With7B), {}, "4.35.2", AttentionKernel::Eager), 256, 512);
        scenario.weights.format = Format::F16;
        scenario.batch = 64;
        const std::int64_t weights = 2LL * 6'738'415'616;
        const std::int64_t rotary = 32LL * 2 * 4096 * 128 * 2;
        const std::int64_t caches = 64LL * 524'288 * (767 + 766);
        QCOMPARE(peak(scenario), weights + rotary + caches + 64LL * 32 * 767 * 8 + 64LL * 32000 * 6 + cublas);
        QCOMPARE(kv(scenario), 64LL * 524'288 * 767);
    }

    void keepsWindowsInThePrefill()
    {
        const ModelSpec gemma = windowedModel(gemma3With4B, 5, 1024_tokens);
        const Scenario scenario = scenarioOf(gemma, 32768_tokens);
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QCOMPARE(answer.devices[0].used[Part::Kv].value, 4'563'402'752);
        QCOMPARE(answer.kv.total.value, 792'723'456);
        QCOMPARE(kv(scenario), 671'088'640 + 121'634'816);
        QCOMPARE(answer.kv.perTokenAtContext.value, 5 * 4096);
        QCOMPARE(answer.kv.perToken.value, 34 * 4096);
    }

    void ignoresWindowsBefore456()
    {
        ModelSpec mistral = windowedModel({32, 4096, 32, 8, 128, 14336, 32000}, 0, 4096_tokens);
        mistral.family = "mistral";
        QCOMPARE(kv(scenarioOf(mistral, 16384_tokens, "4.55.0")), 16384LL * 131'072);
        QCOMPARE(kv(scenarioOf(mistral, 16384_tokens, "4.56.0")), 4096LL * 131'072);
        // Gemma 3 asks for a static cache with windows until then.
        QCOMPARE(kv(scenarioOf(windowedModel(gemma3With4B, 5, 1024_tokens), 32768_tokens, "4.50.0")), 792'723'456);
        QCOMPARE(kv(scenarioOf(windowedModel(gemma3With4B, 5, 1024_tokens), 32768_tokens, "2025-08-11")), 792'723'456);
    }

    void sharesLayers()
    {
        const ModelSpec gemma = windowedModel({35, 2048, 8, 2, 256, 16384, 262400, true, false, "gemma3n_text"}, 4, 512_tokens, 15);
        const Scenario scenario = scenarioOf(gemma, 32768_tokens);
        QCOMPARE(plan(scenario, scenario.clusters[0]).devices[0].used[Part::Kv].value, 1'342'177'280);
        QCOMPARE(kv(scenario), 285'212'672);
    }

    void allocatesStaticCachesWhole()
    {
        Scenario scenario = generating(scenarioOf(modelOf(llama8B), {}), 4096, 512);
        scenario.transformers.cache = CacheClass::Static;
        QCOMPARE(kv(scenario), 603'848'704);
        QCOMPARE(peak(scenario), weights8B + 603'848'704 + 488'636'416 + cublas); // already there in the prefill
    }

    void quantisesCaches_data()
    {
        QTest::addColumn<int>("bits");
        QTest::addColumn<double>("bytesAnElement");
        QTest::newRow("2 bits") << 2 << 0.3125;
        QTest::newRow("3 bits, HQQ") << 3 << 0.4625;
        QTest::newRow("4 bits") << 4 << 0.5625;
        QTest::newRow("8 bits, HQQ") << 8 << 1.0625;
    }
    void quantisesCaches()
    {
        QFETCH(int, bits);
        QFETCH(double, bytesAnElement);
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        scenario.transformers.cache = CacheClass::Quantized;
        scenario.transformers.cacheBits = bits;
        const double aToken = bytesAnElement * 32 * 2 * 8 * 128;
        QCOMPARE(kv(scenario), 4096 * std::llround(std::ceil(aToken)));
    }

    void quantisesTheWorkedExamples()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        scenario.kv.key = scenario.kv.value = Format::Int4;
        QCOMPARE(kv(scenario), 150'994'944);
        scenario.context = 128000_tokens;
        QCOMPARE(std::round(gib(peak(scenario)) * 10) / 10, 33.6);
        scenario.kv.key = scenario.kv.value = Format::BF16;
        QCOMPARE(std::round(gib(peak(scenario)) * 10) / 10, 44.8);
        // 300 tokens behind the prompt: two blocks of 128 in 4 bits, 44 tokens in full.
        scenario = generating(scenario, 4096, 301);
        scenario.kv.key = scenario.kv.value = Format::Int4;
        QCOMPARE(kv(scenario), (4096 + 256) * 36'864 + 44 * 131'072);
    }

    void offloadsCaches()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 131072_tokens);
        scenario.transformers.cache = CacheClass::Offloaded;
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QCOMPARE(answer.devices[0].used[Part::Kv], 1_GiB); // two layers; K of the running one is on top while decoding
        QCOMPARE(answer.kv.total, 16_GiB);
        QCOMPARE(answer.hostKv, 15_GiB);
        const transformers::Run run = runOf(scenario);
        QCOMPARE(transformers::stepBytes(run, scenario.model->groups[0]) * 131072, 256 * bytesPerMiB);
        scenario.engine.version = "4.50.0";
        QCOMPARE(plan(scenario, scenario.clusters[0]).devices[0].used[Part::Kv], 1536_MiB);
    }

    void keepsStates()
    {
        ModelSpec mamba = modelOf({64, 2560, 0, 0, 0, 0, 50280, true, false, "mamba"});
        mamba.groups[0].mixer = Mixer::None;
        mamba.groups[0].state = {Recurrence::Mamba1, 5120, 4, 5120 * 16, false};
        Scenario scenario = scenarioOf(mamba, 4096_tokens);
        QCOMPARE(plan(scenario, scenario.clusters[0]).kv.statePerSequence.value, 23'592'960);
        scenario.engine.version = "5.4.0"; // in the model's dtype
        QCOMPARE(plan(scenario, scenario.clusters[0]).kv.statePerSequence.value, 64 * (40'960 + 163'840));
        QVERIFY(warns(scenario, WarningCode::ActivationsNotModelled));
        QCOMPARE(kv(scenario), 0);

        ModelSpec next = modelOf({48, 2048, 16, 2, 256, 5120, 151936});
        LayerGroup delta = next.groups[0];
        delta.mixer = Mixer::None;
        delta.state = {Recurrence::GatedDelta, 2 * 16 * 128 + 32 * 128, 4, 32 * 128 * 128, false};
        next.groups.push_back(delta);
        for (std::size_t i = 0; i < next.layout.size(); ++i)
            next.layout[i] = i % 4 == 3 ? 0 : 1;
        QCOMPARE(plan(scenarioOf(next, 4096_tokens), clusterOf(a100())).kv.statePerSequence.value, 77'856'768);
    }

    void crossesToTheEncoder()
    {
        ModelSpec whisper = modelOf({32, 1280, 20, 20, 64, 5120, 51866, true, false, "whisper", 448});
        whisper.gatedFfn = false;
        whisper.encoderDecoder = true;
        whisper.encoderLength = 1500_tokens;
        whisper.groups[0].crossKvHeads = 20;
        whisper.groups[0].crossHeadDim = 64;
        QCOMPARE(kv(scenarioOf(whisper, 448_tokens)), 73'400'320 + 245'760'000);
    }

    void latentOrExpanded()
    {
        Scenario scenario = scenarioOf(deepseekV2Lite(), 32768_tokens);
        QCOMPARE(kv(scenario), 1'019'215'872);
        QCOMPARE(plan(scenario, scenario.clusters[0]).kv.perToken.value, 31'104);
        scenario.engine.version = "5.14.0";
        QCOMPARE(kv(scenario), 9'059'696'640);
        QCOMPARE(plan(scenario, scenario.clusters[0]).kv.perToken.value, 276'480);

        scenario.engine.version.clear();
        scenario.transformers.attention = AttentionKernel::Sdpa;
        QCOMPARE(transformers::expansionBytes(runOf(scenario), scenario.model->groups[0]) * 32768, 469'762'048);

        ModelSpec sparse = deepseekV2Lite(); // with an index key the expanded heads stay
        sparse.groups[0].indexKeyDim = 128;
        QCOMPARE(kv(scenarioOf(sparse, 32768_tokens)), 32768LL * (276'480 + 27 * 128 * 2));
    }

    void scoresEagerly()
    {
        const Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens, {}, AttentionKernel::Eager);
        const std::int64_t scores = 5'368'709'120;
        const std::int64_t side = 2LL * 4096 * (3 * 4096 + 4 * 4096 + 2 * 1024);
        const std::int64_t repeated = 32LL * 256 * 4096 * 2, mask = 3LL * 4096 * 4096, rotary = 2LL * 4096 * 128 * 2;
        QCOMPARE(peak(scenario), weights8B + 536'870'912 + side + scores + repeated + mask + rotary + cublas);

        const Scenario qwen = scenarioOf(modelOf(qwen25With7B), 32768_tokens, {}, AttentionKernel::Eager);
        QCOMPARE(std::llround(static_cast<double>(transformers::scoreBytes(runOf(qwen), qwen.model->groups[0]) * 32768 * 32768) / 1e9),
                 301);
    }

    void sdpaIsLinearWithoutWindows()
    {
        QCOMPARE(peak(scenarioOf(modelOf(llama8B), 4096_tokens, {}, AttentionKernel::Sdpa)), 17'094'549'504);
        // Before 4.54 K and V are repeated; the feed-forward side stays the larger here.
        QCOMPARE(peak(scenarioOf(modelOf(llama8B), 4096_tokens, "4.53.0", AttentionKernel::Sdpa)), 17'094'549'504);
    }

    void sdpaMasksWindows()
    {
        const ModelSpec gemma = windowedModel(gemma3With4B, 5, 1024_tokens);
        const std::int64_t tokens = 32768;
        const std::int64_t square = tokens * tokens;
        QCOMPARE(square, 1'073'741'824); // the mask held
        const std::int64_t flash = 2 * tokens * (3 * 10240 + 4 * 2560);
        const std::int64_t side = 2 * tokens * (3 * 2560 + 4 * 2048 + 2 * 1024);
        const std::int64_t repeated = 8 * 512 * tokens * 2;
        const std::int64_t sdpa = peak(scenarioOf(gemma, TokenCount{tokens}, {}, AttentionKernel::Sdpa));
        QCOMPARE(sdpa - peak(scenarioOf(gemma, TokenCount{tokens})), side - flash + square + 3 * square + repeated);
        // Below the window there is no mask.
        QCOMPARE(peak(scenarioOf(gemma, 1023_tokens, {}, AttentionKernel::Sdpa)), peak(scenarioOf(gemma, 1023_tokens)));
    }

    void logitsByVersion()
    {
        const Scenario now = scenarioOf(modelOf(llama8B), 4096_tokens);
        QCOMPARE(transformers::logitBytes(runOf(now)), 769'536);
        const Scenario before = scenarioOf(modelOf(llama8B), 4096_tokens, "4.44.2");
        QCOMPARE(transformers::logitBytes(runOf(before)) * 4096, 3'185'573'888);
        QCOMPARE(peak(before), weights8B + 536'870'912 + 3'185'573'888 + cublas);
        // A plain forward keeps all rows; fp32 copies of them go with 4.46.
        const std::int64_t rest = weights8B + 536'870'912 + cublas + 4096LL * 4096 * 2;
        QCOMPARE(peak(generating(now, 4096, 0)), rest + 4096LL * 128256 * 2);
        QCOMPARE(peak(generating(scenarioOf(modelOf(llama8B), {}, "4.45.0"), 4096, 0)), rest + 4096LL * 128256 * 6);
    }

    void keepsTablesInOldLayers()
    {
        const Dense qwen2With7B = qwen25With7B;
        const Scenario scenario = generating(scenarioOf(modelOf(qwen2With7B), {}, "4.44.0"), 1, 1);
        const std::int64_t rotary = 28LL * 2 * 32768 * 128 * 2;
        const std::int64_t rounding = 43 * bytesPerMiB;
        const std::int64_t logits = 152064LL * 6 + 3584 * 2;
        QCOMPARE(peak(scenario), 15'231'233'024 + rotary + rounding + 57'344 + logits + cublas);
        // Llama keeps a mask of max_position^2 in 4.38 (8 bytes) and 4.39 (1 byte).
        const auto mask = [](const char *version) {
            return peak(scenarioOf(modelOf(llama2With7B), 64_tokens, version)) -
                   peak(scenarioOf(modelOf(llama2With7B), 64_tokens, "4.40.0"));
        };
        QCOMPARE(mask("4.38.2"), 8LL * 4096 * 4096);
        QCOMPARE(mask("4.39.3"), 4096LL * 4096);
        QCOMPARE(mask("4.36.0"), 0);
    }

    void roundsTensorsBefore450()
    {
        const auto added = [](const Dense &d) {
            const auto at = [&](const char *version) {
                return plan(scenarioOf(modelOf(d), 64_tokens, version), clusterOf(a100())).weightsTotal.value;
            };
            return static_cast<double>(at("4.46.0") - at("4.50.0")) / static_cast<double>(bytesPerMiB);
        };
        QCOMPARE(added(qwen25With3B), 108.5);
        QCOMPARE(std::round(added(qwen25With14B)), 146);
        QCOMPARE(std::round(added(qwen25With7B)), 43);
        QCOMPARE(added(llama8B), 0);
    }

    void loadsWeights_data()
    {
        QTest::addColumn<int>("format");
        QTest::addColumn<double>("gb");
        QTest::newRow("nf4") << int(Format::NF4) << 6.03;
        QTest::newRow("nf4, double") << int(Format::NF4Double) << 5.70;
        QTest::newRow("int8") << int(Format::Int8) << 9.09;
        QTest::newRow("awq") << int(Format::AWQ) << 5.73;
        QTest::newRow("fp32") << int(Format::F32) << 32.12;
    }
    void loadsWeights()
    {
        QFETCH(int, format);
        QFETCH(double, gb);
        Scenario scenario = scenarioOf(modelOf(llama8B), 64_tokens);
        scenario.weights.format = static_cast<Format>(format);
        QCOMPARE(std::round(static_cast<double>(plan(scenario, scenario.clusters[0]).weightsTotal.value) / 1e7) / 100, gb);
    }

    void loadsFp32Before5()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens, "4.57.0");
        scenario.weights.format.reset();
        QCOMPARE(plan(scenario, scenario.clusters[0]).weightsTotal.value, 2 * weights8B);
        QCOMPARE(kv(scenario), 2LL * 536'870'912);
        QCOMPARE(weightFormat(scenario), Format::F32);
        scenario.engine.version = "5.0.0";
        QCOMPARE(plan(scenario, scenario.clusters[0]).weightsTotal.value, weights8B);
        QCOMPARE(kv(scenario), 536'870'912);
    }

    void holdsSinksUntil5()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 8192_tokens, "4.40.0");
        scenario.sinks = 4_tokens;
        scenario.streamWindow = 1020_tokens;
        QCOMPARE(kv(scenario), 1024LL * 131'072);
        QVERIFY(!warns(scenario, WarningCode::EngineLacksOption));
        scenario.engine.version = "5.0.0";
        QCOMPARE(kv(scenario), 8192LL * 131'072);
        QVERIFY(warns(scenario, WarningCode::EngineLacksOption));
    }

    void runsExperts()
    {
        ModelSpec moe = modelOf({48, 2048, 32, 4, 128, 0, 151936, false, false, "qwen3_moe"});
        moe.experts = 128;
        moe.expertsPerToken = 8;
        moe.expertIntermediate = 768;
        moe.groups[0].parameters[Role::Ffn] = 0;
        moe.groups[0].parameters[Role::Experts] = 128LL * 3 * 2048 * 768;
        const Scenario grouped = scenarioOf(moe, 4096_tokens);
        QCOMPARE(transformers::ffnBytes(runOf(grouped), moe.groups[0], true), 2 * (4 * 2048 + 8 * 4 * 2048));
        const Scenario looped = scenarioOf(moe, 4096_tokens, "4.57.0");
        QCOMPARE(transformers::ffnBytes(runOf(looped), moe.groups[0], true), 2 * 5 * 2048 + 8 * 128 * 8);
    }
};

QTEST_APPLESS_MAIN(TestTransformers)
#include "tst_transformers.moc"
