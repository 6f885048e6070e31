// SPDX-License-Identifier: GPL-3.0-or-later
// Plans in the lines of the engines' own logs. Figures: spec/local-engines.md 3.2, 5.2 (Llama 3.1 8B at 8192 cells: 1024 MiB of KV),
// 6.1 (Ollama); spec/serving-engines.md 1.1 (0.19.0 on an H100: 58.11 GiB, 476,016 tokens), 3.3 (refusal at 10 GiB).
#include "core/scenario.h"
#include "ui/text/enginelog.h"

#include <QLocale>
#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

namespace {

constexpr double mib = 1024 * 1024, gib = 1024 * mib;

Bytes mebibytes(double count) { return {static_cast<std::int64_t>(count * mib)}; }

ModelSpec llama8b() { return modelByHand({.layers = 32, .kvHeads = 8, .headDim = 128, .heads = 32, .parameters = 8'030'261'248}); }

struct Case {
    explicit Case(EngineId engine, std::size_t devices = 1)
    {
        scenario.model = std::make_shared<const ModelSpec>(llama8b());
        scenario.engine.id = engine;
        cluster.devices.assign(devices, deviceOfSize(24_GB));
        plan.verdict = Verdict::Fits;
        plan.devices.resize(devices);
        for (std::size_t i = 0; i < devices; ++i)
            plan.devices[i].index = static_cast<int>(i);
    }
    QString log() const { return text::engineLog(scenario, cluster, plan).join(QLatin1Char('\n')); }

    Scenario scenario;
    Cluster cluster;
    Plan plan;
};

Case llamaCpp()
{
    Case c(EngineId::LlamaCpp);
    DevicePlan &device = c.plan.devices.front();
    device.used[Part::Weights] = mebibytes(4403.49);
    device.used[Part::Kv] = 1024_MiB;
    device.used[Part::Activation] = mebibytes(116.01);
    c.plan.hostWeights = mebibytes(281.81);
    c.plan.hostActivation = mebibytes(24.01) + Bytes{128'256 * 4};
    c.plan.engineReport = {{"kv_bytes", 1024_MiB}, {"k_bytes", 512_MiB}, {"kv_cells", 8192.0}, {"output_buffer_bytes", Bytes{128'256 * 4}}};
    return c;
}

} // namespace

class TestEngineLog : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void llamaCppPrintsItsBuffers()
    {
        QCOMPARE(llamaCpp().log(), QStringLiteral("load_tensors:        CUDA0 model buffer size =  4403.49 MiB\n"
                                                  "load_tensors:   CPU_Mapped model buffer size =   281.81 MiB\n"
                                                  "llama_context:  CUDA_Host  output buffer size =     0.49 MiB\n"
                                                  "llama_kv_cache:      CUDA0 KV buffer size =  1024.00 MiB\n"
                                                  "llama_kv_cache: size = 1024.00 MiB (  8192 cells,  32 layers,  1/1 seqs), "
                                                  "K (f16):  512.00 MiB, V (f16):  512.00 MiB\n"
                                                  "sched_reserve:      CUDA0 compute buffer size =   116.01 MiB\n"
                                                  "sched_reserve:  CUDA_Host compute buffer size =    24.01 MiB"));
    }

    void slotsAreCountedWithTheirStreams()
    {
        Case c = llamaCpp();
        c.scenario.batch = 4;
        QVERIFY(c.log().contains(QLatin1String(" 4/4 seqs")));
        c.scenario.local.unified = true;
        QVERIFY(c.log().contains(QLatin1String(" 4/1 seqs")));
        c.scenario.local.unified.reset();
        c.scenario.batch = 1;
        c.scenario.local.automaticSlots = true;
        QVERIFY(c.log().contains(QLatin1String(" 4/1 seqs")));
    }

    void buffersAreNamedByTheBackend()
    {
        Case c = llamaCpp();
        c.cluster.devices.front().vendor = "AMD";
        QVERIFY(c.log().contains(QLatin1String("ROCm0 KV")));
        c.cluster.devices.front().vendor = "Apple";
        QVERIFY(c.log().contains(QLatin1String("MTL0 KV")));
        QVERIFY(c.log().contains(QLatin1String("CPU compute")));
        c.scenario.local.backend = Backend::Vulkan;
        QVERIFY(c.log().contains(QLatin1String("Vulkan_Host compute")));
    }

    void windowedCachesHaveALineOfTheirOwn()
    {
        // gemma3-12b, 131072 cells, one slot: 8192 + 480 MiB (spec/local-engines.md 3.4): 8 dense and 40 windowed layers.
        Case c = llamaCpp();
        ModelSpec model = llama8b();
        model.groups.push_back(model.groups.front());
        model.groups.back().mixer = Mixer::Sliding;
        model.groups.back().window = {1024};
        model.layout.assign(48, 1);
        std::fill_n(model.layout.begin(), 8, std::uint16_t{0});
        c.scenario.model = std::make_shared<const ModelSpec>(model);
        c.plan.engineReport = {{"kv_bytes", 8672_MiB},    {"k_bytes", 4336_MiB}, {"kv_cells", 131072.0},
                               {"swa_kv_bytes", 480_MiB}, {"swa_cells", 1536.0}, {"output_buffer_bytes", Bytes{}}};
        QVERIFY(c.log().contains(
            QLatin1String("size = 8192.00 MiB (131072 cells,   8 layers,  1/1 seqs), K (f16): 4096.00 MiB, V (f16): 4096.00 MiB")));
        QVERIFY(c.log().contains(
            QLatin1String("size =  480.00 MiB (  1536 cells,  40 layers,  1/1 seqs), K (f16):  240.00 MiB, V (f16):  240.00 MiB")));
        // On one device each has a buffer; on several a device's two are told as one.
        c.plan.devices.front().used[Part::Kv] = 8672_MiB;
        QVERIFY(c.log().contains(QLatin1String("CUDA0 KV buffer size =  8192.00 MiB\nllama_kv_cache: size = 8192.00 MiB")));
        QVERIFY(c.log().contains(QLatin1String("CUDA0 KV buffer size =   480.00 MiB\nllama_kv_cache: size =  480.00 MiB")));
        c.plan.devices.front().used[Part::Kv] = 8000_MiB;
        c.plan.hostKv = 672_MiB;
        QVERIFY(c.log().contains(
            QLatin1String("CUDA0 KV buffer size =  8000.00 MiB\nllama_kv_cache:        CPU KV buffer size =   672.00 MiB")));
    }

    void ollamaPs_data()
    {
        QTest::addColumn<double>("size");
        QTest::addColumn<double>("cards");
        QTest::addColumn<QString>("line");
        QTest::newRow("all on cards") << 6'543'210'987.0 << 6'543'210'987.0 << QStringLiteral("6.5 GB    100% GPU     32768");
        QTest::newRow("large") << 45'900'000'000.0 << 45'900'000'000.0 << QStringLiteral("45 GB    100% GPU     32768");
        QTest::newRow("split") << 10'000'000'000.0 << 5'200'000'000.0 << QStringLiteral("10 GB    48%/52% CPU/GPU    32768");
        QTest::newRow("none on cards") << 2'000'000'000.0 << 0.0 << QStringLiteral("2 GB    100% CPU     32768");
    }
    void ollamaPs()
    {
        QFETCH(double, size);
        QFETCH(double, cards);
        QFETCH(QString, line);
        Case c(EngineId::Ollama);
        c.plan.engineReport = {{"size", size}, {"size_vram", cards}, {"num_ctx", 32768.0}};
        const QStringList lines = c.log().split(QLatin1Char('\n'));
        QVERIFY(lines.at(0).startsWith(QLatin1String("SIZE")));
        QCOMPARE(lines.at(1), line);
        QCOMPARE(lines.at(0).indexOf(QLatin1String("CONTEXT")), lines.at(1).indexOf(QLatin1String("32768")));
    }

    void vllmPrintsItsPool()
    {
        Case c(EngineId::Vllm);
        c.scenario.context = {8192};
        c.plan.devices.front().used[Part::Weights] = mebibytes(14.99 * 1024);
        c.plan.engineReport = {{"available_kv_cache_bytes", 58.11 * gib},
                               {"kv_cache_tokens", 476'016.0},
                               {"max_concurrency", 476'016.0 / 8192},
                               {"bytes_needed_for_max_model_len", 1.0 * gib}};
        QCOMPARE(c.log(), QStringLiteral("Model loading took 14.99 GiB memory\n"
                                         "Available KV cache memory: 58.11 GiB\n"
                                         "GPU KV cache size: 476,016 tokens\n"
                                         "Maximum concurrency for 8,192 tokens per request: 58.11x"));
    }

    /// spec/serving-engines.md 3.1: an exact half goes to the even digit, as C and Python have it.
    void vllmRoundsHalvesToEven_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<QString>("printed");
        QTest::newRow("3.125") << 3.125 << QStringLiteral("3.12");
        QTest::newRow("3.375") << 3.375 << QStringLiteral("3.38");
        QTest::newRow("3.625") << 3.625 << QStringLiteral("3.62");
        QTest::newRow("3.875") << 3.875 << QStringLiteral("3.88");
    }

    void vllmRoundsHalvesToEven()
    {
        QFETCH(double, value);
        QFETCH(QString, printed);
        Case c(EngineId::Vllm);
        c.plan.engineReport = {{"available_kv_cache_bytes", 2 * gib}, {"max_concurrency", value}};
        QVERIFY2(c.log().contains(QStringLiteral("request: %1x").arg(printed)), qPrintable(c.log()));
        c.plan.engineReport = {{"available_kv_cache_bytes", 2 * gib}, {"bytes_needed_for_max_model_len", value * gib}};
        QVERIFY2(c.log().contains(QStringLiteral(", %1 GiB KV cache is needed").arg(printed)), qPrintable(c.log()));
    }

    void vllmRefusesWithTheLengthThatFits()
    {
        Case c(EngineId::Vllm);
        c.scenario.context = {131'072};
        c.plan.engineReport = {
            {"available_kv_cache_bytes", 10 * gib}, {"bytes_needed_for_max_model_len", 16 * gib}, {"estimated_max_model_len", 81'920.0}};
        QVERIFY(c.log().endsWith(
            QLatin1String("max seq len (131072), 16.0 GiB KV cache is needed, which is larger than the available KV cache "
                          "memory (10.0 GiB). Based on the available memory, the estimated maximum model length is 81920.")));
        QVERIFY(!c.log().contains(QLatin1String("concurrency")));
        // 3.3: no length fits, no word about it; nothing is left, no word about needs.
        c.plan.engineReport.back().value = 0;
        QVERIFY(c.log().endsWith(QLatin1String("memory (10.0 GiB).")));
        c.plan.engineReport.front().value = -1 * gib;
        QVERIFY(c.log().endsWith(QLatin1String("\nNo available memory for the cache blocks.")));
    }

    void sglangAndTensorRtLlm()
    {
        Case s(EngineId::Sglang);
        s.scenario.context = {131'072};
        s.plan.engineReport = {
            {"max_total_num_tokens", 443'212.0}, {"k_bytes", 27.05 * gib}, {"v_bytes", 27.05 * gib}, {"max_running_requests", 2048.0}};
        QCOMPARE(s.log(), QStringLiteral("KV Cache is allocated. #tokens: 443212, K size: 27.05 GB, V size: 27.05 GB\n"
                                         "max_total_num_tokens=443212, max_running_requests=2048, context_len=131072"));
        s.plan.engineReport[2].value = 0; // MLA keeps one latent
        QVERIFY(s.log().contains(QLatin1String("#tokens: 443212, KV size: 27.05 GB\n")));

        Case t(EngineId::TensorRtLlm);
        t.plan.pool = PoolFigures{{64}, 3445, {220'480}, 1.7, 0, {}};
        t.plan.engineReport = {{"allocated_kv_cache_bytes", 26.91 * gib}, {"max_tokens_in_paged_kv_cache", 220'480.0}};
        QCOMPARE(t.log(), QStringLiteral("Number of tokens per block: 64.\n"
                                         "[MemUsageChange] Allocated 26.91 GiB for max tokens in paged KV cache (220480)."));
    }

    void theFormulaPrintsNothing()
    {
        QVERIFY(Case(EngineId::Formula).log().isEmpty());
        QVERIFY(Case(EngineId::LlamaCpp).log().isEmpty()); // refused: no figures
    }

    void theLocaleChangesNothing()
    {
        const QString before = llamaCpp().log();
        const QLocale kept;
        QLocale::setDefault(QLocale(QLocale::German));
        const QString after = llamaCpp().log();
        QLocale::setDefault(kept);
        QCOMPARE(after, before);
    }
};

QTEST_APPLESS_MAIN(TestEngineLog)
#include "tst_enginelog.moc"
