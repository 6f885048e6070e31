// SPDX-License-Identifier: GPL-3.0-or-later
// The transformers engine against the worked examples of its rules (spec/transformers.md) and hand arithmetic.
#include "core/engine.h"
#include "core/engines/transformersbytes.h"
#include "core/plan.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

using namespace kvscope;

namespace {

struct Dense {
    int layers, hidden, heads, kvHeads, headDim, intermediate;
    std::int64_t vocab;
    bool tied = false;
    bool qkvBias = false;
    const char *family = "llama";
    int trained = 131072;
};

constexpr Dense llama8B{32, 4096, 32, 8, 128, 14336, 128256};
constexpr Dense llama2With7B{32, 4096, 32, 32, 128, 11008, 32000, false, false, "llama", 4096};
constexpr Dense qwen25With3B{36, 2048, 16, 2, 128, 11008, 151936, true, true, "qwen2", 32768};
constexpr Dense qwen25With7B{28, 3584, 28, 4, 128, 18944, 152064, false, true, "qwen2", 32768};
constexpr Dense qwen25With14B{48, 5120, 40, 8, 128, 13824, 152064, false, true, "qwen2", 32768};
constexpr Dense gemma3With4B{34, 2560, 8, 4, 256, 10240, 262208, true, false, "gemma3_text"};

LayerGroup denseLayer(const Dense &d)
{
    LayerGroup group;
    group.queryHeads = d.heads;
    group.kvHeads = d.kvHeads;
    group.keyDim = group.valueDim = d.headDim;
    const std::int64_t hidden = d.hidden;
    group.parameters[Role::Attention] = hidden * d.headDim * (2 * d.heads + 2 * d.kvHeads);
    group.parameters[Role::Ffn] = 3 * hidden * d.intermediate;
    group.parameters[Role::Small] = 2 * hidden + (d.qkvBias ? d.headDim * (d.heads + 2 * d.kvHeads) : 0);
    return group;
}

ModelSpec modelOf(const Dense &d)
{
    ModelSpec model;
    model.name = model.family = d.family;
    model.groups = {denseLayer(d)};
    model.layout.assign(static_cast<std::size_t>(d.layers), 0);
    model.hidden = d.hidden;
    model.intermediate = d.intermediate;
    model.vocab = d.vocab;
    model.tiedEmbeddings = d.tied;
    model.trainedContext = TokenCount{d.trained};
    model.outer[Role::Embedding] = d.vocab * d.hidden;
    model.outer[Role::OutputHead] = d.tied ? 0 : d.vocab * d.hidden;
    model.outer[Role::Small] = d.hidden;
    model.parametersKnown = true;
    model.nativeFormat = Format::BF16;
    return model;
}

/// The first `full` of `layers` are full, the next windowed, the last `shared` own no cache.
ModelSpec windowedModel(const Dense &d, int full, TokenCount window, int shared = 0)
{
    ModelSpec model = modelOf(d);
    LayerGroup sliding = model.groups[0];
    sliding.mixer = Mixer::Sliding;
    sliding.window = window;
    LayerGroup reader = model.groups[0];
    reader.mixer = Mixer::Shared;
    model.groups = {model.groups[0], sliding, reader};
    for (std::size_t i = static_cast<std::size_t>(full); i < model.layout.size(); ++i)
        model.layout[i] = i + static_cast<std::size_t>(shared) < model.layout.size() ? 1 : 2;
    return model;
}

ModelSpec deepseekV2Lite()
{
    ModelSpec model = modelOf({27, 2048, 16, 1, 192, 10944, 102400});
    model.family = "deepseek_v2";
    LayerGroup &group = model.groups[0];
    group.mixer = Mixer::Latent;
    group.keyDim = 192;
    group.valueDim = 128;
    group.latentDim = 512;
    group.ropeDim = 64;
    return model;
}

Device a100()
{
    Device device = deviceOfSize(80_GiB);
    device.architecture = "Ampere";
    return device;
}

Scenario scenarioOf(ModelSpec model, TokenCount context, const std::string &version = {},
                    AttentionKernel attention = AttentionKernel::Flash2)
{
    Scenario scenario;
    scenario.model = std::make_shared<ModelSpec>(std::move(model));
    scenario.engine = {EngineId::Transformers, version};
    scenario.weights.format = Format::BF16;
    scenario.context = context;
    scenario.transformers.attention = attention;
    scenario.clusters = {clusterOf(a100())};
    return scenario;
}

std::int64_t reported(const Scenario &scenario, const char *figure)
{
    const Plan answer = plan(scenario, scenario.clusters[0]);
    for (const auto &[name, bytes] : answer.engineReport) {
        if (name == figure)
            return bytes.value;
    }
    return -1;
}

std::int64_t peak(const Scenario &scenario) { return reported(scenario, "allocated_peak_bytes"); }
std::int64_t kv(const Scenario &scenario) { return reported(scenario, "kv_bytes"); }

Scenario generating(Scenario scenario, std::int64_t prompt, std::int64_t newTokens)
{
    scenario.context = TokenCount{prompt + newTokens};
    scenario.transformers.newTokens = TokenCount{newTokens};
    return scenario;
}

QString refusal(const Scenario &scenario, const Cluster &cluster, ErrorCode code)
{
    const Result<Compiled> compiled = compile(scenario, cluster);
    if (compiled || compiled.error().code != code)
        return QStringLiteral("(not refused so)");
    return QString::fromStdString(compiled.error().detail);
}

bool warns(const Scenario &scenario, WarningCode code)
{
    const Plan answer = plan(scenario, scenario.clusters[0]);
    return std::ranges::any_of(answer.warnings, [code](const Warning &w) { return w.code == code; });
}

constexpr std::int64_t cublas = 8'519'680;
constexpr std::int64_t weights8B = 16'060'522'496;

double gib(std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(bytesPerGiB); }

} // namespace

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
        scenario.engine.version = "5.0.0";
        QCOMPARE(plan(scenario, scenario.clusters[0]).weightsTotal.value, weights8B);
        QCOMPARE(kv(scenario), 536'870'912);
    }

    void mapsLayersToDevices()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        scenario.clusters = {clusterOf(a100(), 2)};
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QCOMPARE(answer.devices.size(), std::size_t{2});
        const std::int64_t table = 128256LL * 4096 * 2, layer = (weights8B - 2 * table - 4096 * 2) / 32;
        QCOMPARE(answer.devices[0].used[Part::Weights].value, table + 14 * layer);
        QCOMPARE(answer.devices[1].used[Part::Weights].value, table + 18 * layer + 4096 * 2);
        QCOMPARE(answer.devices[0].used[Part::Kv].value, 536'870'912LL * 14 / 32);
        QCOMPARE(answer.devices[1].used[Part::Kv].value, 536'870'912LL * 18 / 32);
        const std::int64_t activations = 2LL * 4096 * (3 * 14336 + 4 * 4096) + 2LL * 4096 * 128 * 2; // without the embedding one less
        QCOMPARE(peak(scenario), weights8B + 536'870'912 + 2 * activations - 2LL * 4096 * 4096 + 2 * cublas);
        QVERIFY(std::ranges::none_of(answer.warnings, [](const Warning &w) { return w.code == WarningCode::UnusedDevices; }));

        // A first card that is small takes less: 4 GiB less the head kept free less the table leave room for five layers of 0.436 GB.
        scenario.clusters[0].devices[0] = deviceOfSize(4_GiB);
        const Plan mixed = plan(scenario, scenario.clusters[0]);
        QCOMPARE(mixed.devices[0].used[Part::Weights].value, table + 5 * layer);
        QCOMPARE((mixed.devices[0].used[Part::Weights] + mixed.devices[1].used[Part::Weights]).value, weights8B);
    }

    void leavesDevicesUnused()
    {
        // Eight cards: 15.23 GB / 8 + 1.25 layers = 2.486 GB each. The first keeps 1.09 GB for the head, so it takes the table alone;
        // the next take five layers of 0.466 GB each, the seventh the last three, and the head does not fit beside them.
        Scenario scenario = scenarioOf(modelOf(qwen25With7B), 4096_tokens);
        scenario.clusters = {clusterOf(a100(), 8)};
        const Plan answer = plan(scenario, scenario.clusters[0]);
        QCOMPARE(answer.devices.size(), std::size_t{8});
        QCOMPARE(answer.devices[0].used[Part::Weights].value, 1'089'994'752);
        QCOMPARE(answer.devices[0].used[Part::Kv], Bytes{});
        Bytes sum;
        for (const DevicePlan &device : answer.devices)
            sum += device.used[Part::Weights];
        QCOMPARE(sum.value, 15'231'233'024);

        // Two layers do not reach eight cards.
        scenario.model = std::make_shared<ModelSpec>(modelOf({2, 2048, 16, 16, 128, 8192, 32000}));
        const Plan small = plan(scenario, scenario.clusters[0]);
        QVERIFY(small.devices.size() < 8);
        QVERIFY(std::ranges::any_of(small.warnings, [](const Warning &w) { return w.code == WarningCode::UnusedDevices; }));
        QVERIFY(!explain(scenario, scenario.clusters[0], small).empty());
    }

    void findsTheFewestDevices()
    {
        Scenario scenario = scenarioOf(modelOf({80, 8192, 64, 8, 128, 28672, 128256}), 8192_tokens);
        const std::optional<Split> split = fewestDevices(scenario, scenario.clusters[0]);
        QVERIFY(split);
        QCOMPARE(split->pipeline, 2); // 141 GB of weights; 85.9 GB a card, of which the range keeps 9.7 free
    }

    void refusesSplits()
    {
        const Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        QCOMPARE(refusal(scenario, clusterOf(a100(), 2, {2, 1, 1, 1}), ErrorCode::ImpossibleSplit), QStringLiteral("tp = 1"));
        QCOMPARE(refusal(scenario, clusterOf(a100(), 4, {1, 2, 1, 1}), ErrorCode::ImpossibleSplit), QStringLiteral("pp = 4"));
        QVERIFY(bool(compile(scenario, clusterOf(a100(), 4, {1, 1, 1, 4}))));
        QCOMPARE(compile(scenario, clusterOf(a100(), 4, {1, 2, 1, 2}))->devices.size(), std::size_t{2});
    }

    void refusesFormats()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        const Cluster cluster = clusterOf(a100());
        const auto kvAs = [&](Format key, Format value) {
            scenario.kv.key = key;
            scenario.kv.value = value;
            return refusal(scenario, cluster, ErrorCode::UnsupportedFormat);
        };
        QCOMPARE(kvAs(Format::Q8_0, Format::Q8_0), QStringLiteral("f32, bf16, f16, int8, int4"));
        QCOMPARE(kvAs(Format::F32, Format::F32), QStringLiteral("bf16, int8, int4"));
        QCOMPARE(kvAs(Format::Int8, Format::Int4), QStringLiteral("int8"));
        scenario.engine.version = "4.40.0";
        QCOMPARE(kvAs(Format::Int8, Format::Int8), QStringLiteral("bf16"));
        scenario.engine.version.clear();
        scenario.model = std::make_shared<ModelSpec>(windowedModel(gemma3With4B, 5, 1024_tokens)); // full attention only
        QCOMPARE(kvAs(Format::Int4, Format::Int4), QStringLiteral("bf16"));

        scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        scenario.weights.format = Format::Q4_K;
        QVERIFY(refusal(scenario, cluster, ErrorCode::UnsupportedFormat).startsWith(QStringLiteral("f32, bf16")));
    }

    void refusesCaches()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens, "4.37.2");
        const Cluster cluster = clusterOf(a100());
        scenario.transformers.cache = CacheClass::Static;
        QCOMPARE(refusal(scenario, cluster, ErrorCode::BadOption), QStringLiteral("dynamic"));
        scenario.engine.version = "4.43.0";
        scenario.transformers.cache = CacheClass::Offloaded;
        QCOMPARE(refusal(scenario, cluster, ErrorCode::BadOption), QStringLiteral("dynamic, static, quantized"));
        scenario.engine.version.clear();
        scenario.transformers.cache = CacheClass::Quantized;
        scenario.transformers.cacheBits = 5;
        QCOMPARE(refusal(scenario, cluster, ErrorCode::BadOption), QStringLiteral("1, 2, 3, 4, 8"));
    }

    void saysWhatItLacks()
    {
        Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        QVERIFY(!warns(scenario, WarningCode::EngineLacksOption));
        scenario.sharedPrefix = 100_tokens;
        QVERIFY(warns(scenario, WarningCode::EngineLacksOption));
        QVERIFY(!warns(scenario, WarningCode::UnknownVersion));
        scenario.engine.version = "4.47.1";
        QVERIFY(warns(scenario, WarningCode::UnknownVersion));
        scenario.engine.version = "banana";
        QVERIFY(!refusal(scenario, scenario.clusters[0], ErrorCode::UnknownName).startsWith(u'('));
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

    void statesARange()
    {
        const Scenario scenario = generating(scenarioOf(modelOf(llama8B), {}), 4096, 512);
        const std::int64_t allocated = peak(scenario);
        QCOMPARE(reported(scenario, "reserved_low_bytes"), allocated);
        QVERIFY(reported(scenario, "reserved_high_bytes") >= allocated + 8 * bytesPerGiB); // a growing cache may fill the card
        const DevicePlan device = plan(scenario, scenario.clusters[0]).devices[0];
        QCOMPARE(device.low.value, allocated + 320 * bytesPerMiB);
        QVERIFY(device.high >= device.total + 4_GiB);
    }

    void explainsEachFigure()
    {
        const Scenario scenario = scenarioOf(modelOf(llama8B), 4096_tokens, "4.46.0");
        const Plan answer = plan(scenario, scenario.clusters[0]);
        const std::vector<Explanation> lines = explain(scenario, scenario.clusters[0], answer);
        const auto line = [&](const char *rule) {
            const auto found = std::ranges::find(lines, std::string(rule), &Explanation::rule);
            return found == lines.end() ? Explanation{} : *found;
        };
        QCOMPARE(line("transformers.dynamic_cache").formula, std::string("32 x 8 x (128 + 128) x 2 B x 4096 x 1"));
        QCOMPARE(line("transformers.dynamic_cache").value.value, 536'870'912);
        QCOMPARE(line("transformers.ffn").formula, std::string("2 B x (3 x 14336 + 4 x 4096) x 4096 x 1 + 512 B x 4096"));
        QCOMPARE(line("transformers.ffn").value.value, 488'636'416);
        QCOMPARE(line("transformers.allocated").value.value, 17'094'549'504);
        QCOMPARE(line("weights.every").formula, std::string("8030261248 x 2 B"));
        QCOMPARE(line("transformers.fixed").value.value, cublas);
        for (const Explanation &e : lines)
            QVERIFY2(!e.formula.empty() && e.source.find("rules ") != std::string::npos, e.rule.c_str());
    }

    void explanationsAddUp_data()
    {
        QTest::addColumn<QString>("version");
        QTest::addColumn<int>("attention");
        QTest::addColumn<int>("newTokens");
        QTest::newRow("feed-forward") << QString() << int(AttentionKernel::Flash2) << 2;
        QTest::newRow("eager") << QString() << int(AttentionKernel::Eager) << 2;
        QTest::newRow("logits") << QStringLiteral("4.44.0") << int(AttentionKernel::Sdpa) << 2;
        QTest::newRow("decode") << QString() << int(AttentionKernel::Sdpa) << 4095;
        QTest::newRow("two copies") << QStringLiteral("4.40.0") << int(AttentionKernel::Eager) << 4000;
        QTest::newRow("second step") << QStringLiteral("4.40.0") << int(AttentionKernel::Eager) << 2;
    }
    void explanationsAddUp()
    {
        QFETCH(QString, version);
        QFETCH(int, attention);
        QFETCH(int, newTokens);
        Scenario scenario =
            generating(scenarioOf(modelOf(qwen25With7B), {}, version.toStdString(), static_cast<AttentionKernel>(attention)),
                       4096 - newTokens, newTokens);
        scenario.batch = 3;
        const Plan answer = plan(scenario, scenario.clusters[0]);
        Bytes activation, cache, weights;
        for (const Explanation &e : explain(scenario, scenario.clusters[0], answer)) {
            activation += e.figure == "devices.0.activation_bytes" ? e.value : Bytes{};
            cache += e.figure == "kv.total_bytes" ? e.value : Bytes{};
            weights += e.figure == "weights" ? e.value : Bytes{};
            if (e.figure == "devices.0.total_bytes")
                QCOMPARE(e.value.value, answer.devices[0].total.value);
        }
        QCOMPARE(activation.value, answer.devices[0].used[Part::Activation].value);
        QCOMPARE(cache.value, answer.kv.total.value);
        QCOMPARE(weights.value, answer.weightsTotal.value);
    }

private:
    static transformers::Run runOf(const Scenario &scenario)
    {
        std::vector<Warning> warnings;
        return *transformers::runOf(scenario, warnings);
    }
};

QTEST_APPLESS_MAIN(TestTransformers)
#include "tst_transformers.moc"
