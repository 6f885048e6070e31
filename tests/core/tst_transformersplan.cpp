// SPDX-License-Identifier: GPL-3.0-or-later
// How the transformers engine lays a model over devices, what it refuses, and how it explains itself.
#include "tests/core/transformersmodels.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

using namespace kvscope;
using namespace kvscope::testing;

class TestTransformersPlan : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

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
        QCOMPARE(kvAs(Format::Q8_0, Format::Q8_0), QStringLiteral("int8, int4, bf16, f16, f32"));
        QCOMPARE(kvAs(Format::F32, Format::F32), QStringLiteral("bf16, int8, int4"));
        QCOMPARE(kvAs(Format::Int8, Format::Int4), QStringLiteral("int8"));
        scenario.engine.version = "4.40.0";
        QCOMPARE(kvAs(Format::Int8, Format::Int8), QStringLiteral("bf16"));
        scenario.engine.version.clear();
        scenario.model = std::make_shared<ModelSpec>(windowedModel(gemma3With4B, 5, 1024_tokens)); // full attention only
        QCOMPARE(kvAs(Format::Int4, Format::Int4), QStringLiteral("bf16"));

        scenario = scenarioOf(modelOf(llama8B), 4096_tokens);
        scenario.weights.format = Format::Q4_K;
        const QString near = refusal(scenario, cluster, ErrorCode::UnsupportedFormat); // 4.5 bits: those of four come first
        QVERIFY2(near.contains(QStringLiteral("nf4")) && !near.startsWith(QStringLiteral("f32")), qPrintable(near));
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
};

QTEST_APPLESS_MAIN(TestTransformersPlan)
#include "tst_transformersplan.moc"
