// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON of plan and inspect: keys and figures of the terminal contract (spec/cli.md).
#include "core/planjson.h"

#include "core/scenariofile.h"
#include "tests/core/scenarios.h"
#include "tests/core/schema.h"

#include <QRegularExpression>
#include <QTest>

#include <nlohmann/json.hpp>

#include <set>

using namespace kvscope;
using nlohmann::json;

namespace {

Messages messages()
{
    return {[](const Warning &warning) { return std::string("warning ") + codeOf(warning.code); },
            [](const Error &error) { return std::string("error ") + codeOf(error.code); }};
}

/// Everything that plan --json --explain does.
json planned(const Scenario &scenario)
{
    const Cluster cluster = scenario.clusters.empty() ? Cluster{} : scenario.clusters.front();
    const Plan answer = plan(scenario, cluster);
    PlanExtras extras;
    extras.explanations = explain(scenario, cluster, answer);
    extras.smallestChange = widestFittingKv(scenario, cluster);
    extras.fewestDevices = fewestDevices(scenario, cluster);
    extras.messages = messages();
    return json::parse(planToJson(scenario, cluster, answer, extras));
}

std::string complaint(const json &value, const char *schema)
{
    return testing::SchemaChecker(KVSCOPE_SOURCE_DIR "/resources/schema").check(value, schema, true);
}

/// A hybrid with every kind of layer that the model object counts.
ModelSpec hybrid()
{
    ModelSpec model;
    model.name = "Hybrid";
    model.family = "hybrid";
    model.origin = ModelOrigin::File;
    LayerGroup full;
    full.queryHeads = 32;
    full.kvHeads = 8;
    full.keyDim = 192;
    full.valueDim = 128;
    full.parameters[Role::Attention] = 1'000'000;
    LayerGroup sliding = full;
    sliding.mixer = Mixer::Sliding;
    sliding.kvHeads = 4;
    sliding.window = TokenCount{1024};
    LayerGroup shared = full;
    shared.mixer = Mixer::Shared;
    LayerGroup recurrent;
    recurrent.mixer = Mixer::None;
    recurrent.state = {Recurrence::GatedDelta, 8192, 4, 524288, false};
    model.groups = {full, sliding, shared, recurrent};
    model.layout = {1, 1, 1, 0, 3, 3, 2};
    model.outer[Role::Embedding] = 10'000'000;
    model.parametersKnown = true;
    model.hidden = 4096;
    model.vocab = 32000;
    model.trainedContext = TokenCount{32768};
    model.tiedEmbeddings = true;
    return model;
}

} // namespace

class TestPlanJson : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void publishedFigures_data();
    void publishedFigures();
    void keysOfThePlan();
    void obeysTheSchema();
    void modelFigures();
    void absentIsNotZero();
    void refusals();
    void scenarioInsidePlansTheSame();
    void oneLine();
    void everyCode();
    void inspected();
};

// cli.md, "Figures that must come out exactly".
void TestPlanJson::publishedFigures_data()
{
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("kvHeads");
    QTest::addColumn<int>("batch");
    QTest::addColumn<int>("format");
    QTest::addColumn<qint64>("expected");
    QTest::newRow("32 x 32") << 32 << 32 << 1 << static_cast<int>(Format::F16) << qint64{17179869184};
    QTest::newRow("32 x 8") << 32 << 8 << 1 << static_cast<int>(Format::F16) << qint64{4294967296};
    QTest::newRow("80 x 8, batch 8, INT8") << 80 << 8 << 8 << static_cast<int>(Format::Int8) << qint64{42949672960};
}

void TestPlanJson::publishedFigures()
{
    QFETCH(int, layers);
    QFETCH(int, kvHeads);
    QFETCH(int, batch);
    QFETCH(int, format);
    QFETCH(qint64, expected);
    HandShape shape;
    shape.layers = layers;
    shape.kvHeads = kvHeads;
    shape.headDim = 128;
    const json answer = planned(testing::handScenario(shape, TokenCount{32768}, batch, static_cast<Format>(format), 24_GB));
    QCOMPARE(answer["kv"]["total_bytes"].get<qint64>(), expected);
    QCOMPARE(answer["devices"][0]["kv_bytes"].get<qint64>(), expected);
    QCOMPARE(answer["devices"][0]["free_bytes"].get<qint64>(), 24'000'000'000 - expected);
    QCOMPARE(answer["verdict"].get<std::string>(), std::string(expected <= 24'000'000'000 ? "fits" : "oom"));
    QCOMPARE(answer["schema"].get<int>(), 1);
    QCOMPARE(answer["model"]["layers"].get<int>(), layers);
    QCOMPARE(answer["model"]["kv_heads"].get<int>(), kvHeads);
}

void TestPlanJson::keysOfThePlan()
{
    // 42.9 GB of KV on 24 GB: int4 is 21.5 GB, the widest that fits; f16 (85.9 GB) takes four cards, 2 of INT8 hold it.
    HandShape shape;
    shape.layers = 80;
    shape.kvHeads = 8;
    shape.headDim = 128;
    const json answer = planned(testing::handScenario(shape, TokenCount{32768}, 8, Format::Int8, 24_GB));
    for (const char *key :
         {"schema", "scenario", "model", "kv", "devices", "host", "range", "limits", "engine_report", "verdict", "explain", "warnings"})
        QVERIFY2(answer.contains(key), key);
    const std::string widest = answer["limits"]["smallest_change"]["kv_type"];
    const std::optional<Format> format = formatByName(widest);
    QVERIFY(format);
    // 80 x 2 x 8 x 128 elements a token, 32768 tokens, 8 sequences.
    QVERIFY(bytesOf(*format, std::int64_t{80} * 2 * 8 * 128 * 32768 * 8) <= 24_GB);
    QCOMPARE(answer["limits"]["min_devices"].get<int>(), 2);
    QCOMPARE(answer["kv"]["bytes_per_token"].get<int>(), 80 * 2 * 8 * 128);
    QCOMPARE(answer["warnings"][0]["code"].get<std::string>(), std::string("no_weights"));
    QCOMPARE(answer["warnings"][0]["message"].get<std::string>(), std::string("warning no_weights"));
    QVERIFY(!answer["explain"].empty());
    const json fits = planned(testing::handScenario(shape, TokenCount{1024}, 1, Format::Int8, 24_GB));
    QVERIFY(!fits["limits"].contains("smallest_change"));
}

void TestPlanJson::obeysTheSchema()
{
    HandShape shape;
    shape.layers = 80;
    shape.kvHeads = 8;
    shape.headDim = 128;
    Scenario scenario = testing::handScenario(shape, TokenCount{32768}, 8, Format::Int8, 24_GB);
    QCOMPARE(complaint(planned(scenario), "plan.schema.json"), std::string());
    scenario.model = std::make_shared<const ModelSpec>(hybrid());
    QCOMPARE(complaint(planned(scenario), "plan.schema.json"), std::string());
    scenario.context = TokenCount{65536};
    scenario.clusters = {clusterOf(deviceOfSize(8_GB), 4, {4, 1, 1, 1})};
    QCOMPARE(complaint(planned(scenario), "plan.schema.json"), std::string());
    scenario.engine.id = EngineId::Transformers;
    scenario.kv = {};
    scenario.clusters = {clusterOf(deviceOfSize(24_GB))};
    QCOMPARE(complaint(planned(scenario), "plan.schema.json"), std::string());
    json wrong = planned(scenario);
    wrong["kv"]["total_gigabytes"] = 1;
    QVERIFY(!complaint(wrong, "plan.schema.json").empty());
}

void TestPlanJson::modelFigures()
{
    HandShape shape;
    Scenario scenario = testing::handScenario(shape, TokenCount{4096}, 1, Format::F16, 24_GB);
    scenario.model = std::make_shared<const ModelSpec>(hybrid());
    const json model = planned(scenario)["model"];
    QCOMPARE(model["layers"].get<int>(), 7);
    QCOMPARE(model["layers_with_kv"].get<int>(), 4); // 3 windowed and the full one; one shares, two have a state
    QCOMPARE(model["layers_full"].get<int>(), 1);
    QCOMPARE(model["layers_windowed"].get<int>(), 3);
    QCOMPARE(model["layers_recurrent"].get<int>(), 2);
    QCOMPARE(model["attention_heads"].get<int>(), 32);
    QCOMPARE(model["kv_heads"].get<int>(), 8); // of the full-attention layer
    QCOMPARE(model["head_dim_k"].get<int>(), 192);
    QCOMPARE(model["head_dim_v"].get<int>(), 128);
    QCOMPARE(model["sliding_window"].get<int>(), 1024);
    QCOMPARE(model["max_context"].get<int>(), 32768);
    QCOMPARE(model["parameters"].get<int>(), 15'000'000); // five layers of a million, ten million of tables
    QCOMPARE(model["groups"].size(), std::size_t{4});
    QCOMPARE(model["groups"][1]["count"].get<int>(), 3);
    QCOMPARE(model["groups"][1]["mixer"].get<std::string>(), std::string("sliding"));
    QCOMPARE(model["groups"][1]["kv_heads"].get<int>(), 4);
    QCOMPARE(model["groups"][3]["state"]["kind"].get<std::string>(), std::string("gated_delta"));
}

void TestPlanJson::absentIsNotZero()
{
    HandShape shape;
    shape.layers = 2;
    shape.kvHeads = 2;
    shape.headDim = 64;
    const json answer = planned(testing::handScenario(shape, TokenCount{16}, 1, Format::F16, 1_GB));
    for (const char *key : {"family", "hidden", "vocab", "max_context", "parameters", "active_parameters", "sliding_window", "kv_lora_rank",
                            "tied_embeddings"})
        QVERIFY2(!answer["model"].contains(key), key);
    for (const char *key : {"block_tokens", "blocks", "capacity_tokens", "max_concurrency"}) // no pool
        QVERIFY2(!answer["kv"].contains(key), key);
    QCOMPARE(answer["model"]["name"].get<std::string>(), std::string("by-hand")); // what has no name goes by its id
    QCOMPARE(answer["devices"][0]["name"].get<std::string>(), std::string("custom"));
    QCOMPARE(answer["kv"]["state_bytes_per_sequence"].get<int>(), 0);
    QCOMPARE(answer["devices"][0]["state_bytes"].get<int>(), 0);
    QCOMPARE(answer["model"]["layers_recurrent"].get<int>(), 0);
}

void TestPlanJson::refusals()
{
    HandShape shape;
    shape.layers = 32;
    shape.kvHeads = 8;
    shape.headDim = 128;
    Scenario scenario = testing::handScenario(shape, TokenCount{32768}, 1, Format::F16, 24_GB);
    scenario.clusters.front().split.tensor = 2; // one device
    const json answer = planned(scenario);
    QCOMPARE(answer["verdict"].get<std::string>(), std::string("refused"));
    QCOMPARE(answer["devices"][0]["memory_bytes"].get<std::int64_t>(), scenario.clusters.front().devices.front().memory.value);
    QCOMPARE(answer["devices"].size(), scenario.clusters.front().devices.size());
    QVERIFY(!answer["devices"][0].contains("total_bytes") && !answer.contains("kv"));
    QCOMPARE(answer["warnings"][0]["code"].get<std::string>(), std::string("impossible_split"));
    QCOMPARE(answer["warnings"][0]["message"].get<std::string>(), std::string("error impossible_split"));
    for (const char *key : {"kv", "host", "range", "limits"})
        QVERIFY2(!answer.contains(key), key);
    QCOMPARE(complaint(answer, "plan.schema.json"), std::string());

    // 10^4 layers x 65536 heads x 2 x 65536 elements x 2 bytes x 10^9 tokens x 10^6 sequences: no 63 bits hold it.
    shape = {};
    shape.layers = 10'000;
    shape.kvHeads = 65'536;
    shape.headDim = 65'536;
    const json huge = planned(testing::handScenario(shape, largestContext, largestBatch, Format::F16, 24_GB));
    QCOMPARE(huge["verdict"].get<std::string>(), std::string("refused"));
    QCOMPARE(huge["warnings"][0]["code"].get<std::string>(), std::string("too_large"));
    QVERIFY(huge["explain"].empty());
    QVERIFY(huge.dump().find("9223372036854775807") == std::string::npos);

    const json empty = json::parse(planToJson({}, {}, plan({}, {}), {}));
    QCOMPARE(empty["warnings"][0]["code"].get<std::string>(), std::string("missing_model"));
    QCOMPARE(empty["warnings"][0]["message"].get<std::string>(), std::string());
}

void TestPlanJson::scenarioInsidePlansTheSame()
{
    HandShape shape;
    shape.layers = 32;
    shape.kvHeads = 8;
    shape.headDim = 128;
    Scenario scenario = testing::handScenario(shape, TokenCount{32768}, 4, Format::F16, 24_GB);
    scenario.model = std::make_shared<const ModelSpec>(hybrid());
    for (const EngineId engine : {EngineId::Formula, EngineId::Transformers}) {
        scenario.kv = {};
        scenario.engine.id = engine;
        const json answer = planned(scenario);
        const json &inside = answer["scenario"];
        QVERIFY(inside["kv"].contains("key") && inside["kv"].contains("value")); // defaults filled in
        QCOMPARE(inside["clusters"].size(), std::size_t{1});
        const Result<Scenario> again = scenarioFromJson(inside.dump(), "inside");
        QVERIFY(again);
        const json difference = json::diff(answer, planned(*again));
        QVERIFY2(difference.empty(), difference.dump().c_str());
    }
}

void TestPlanJson::oneLine()
{
    const Scenario scenario = testing::handScenario({2, 2, 64, 0, 0}, TokenCount{16}, 1, Format::F16, 1_GB);
    PlanExtras extras;
    extras.indent = -1;
    const std::string text = planToJson(scenario, scenario.clusters[0], plan(scenario, scenario.clusters[0]), extras);
    QVERIFY(text.find('\n') == std::string::npos);
    QVERIFY(text.starts_with("{\"schema\":1,\"scenario\":"));
}

void TestPlanJson::everyCode()
{
    std::set<std::string> codes;
    const int errors = static_cast<int>(ErrorCode::TooLarge) + 1;
    for (int i = 0; i < errors; ++i)
        codes.insert(codeOf(static_cast<ErrorCode>(i)));
    QCOMPARE(codes.size(), static_cast<std::size_t>(errors));
    QVERIFY(!codes.contains(""));
    for (int i = 0; i <= static_cast<int>(LimitReason::EngineLimit); ++i)
        QVERIFY(*codeOf(static_cast<LimitReason>(i)) != 0);
}

void TestPlanJson::inspected()
{
    ModelSpec model = hybrid();
    model.assumptions = {{"head_dim", "128", "hidden_size_over_heads"}};
    const WeightBytes weights = weightBytes(model, {});
    const std::vector<Warning> warnings{{WarningCode::UnknownArchitecture, {"hybrid"}}};
    const json answer = json::parse(inspectToJson(model, weights, warnings, messages()));
    QCOMPARE(complaint(answer, "inspect.schema.json"), std::string());
    QCOMPARE(answer["weights"]["format"].get<std::string>(), std::string("bf16"));
    QCOMPARE(answer["weights"]["bytes"].get<int>(), 30'000'000); // 15 million parameters of 2 bytes
    QCOMPARE(answer["weights"]["bits_per_parameter"].get<double>(), 16.0);
    QCOMPARE(answer["weights"]["measured"].get<bool>(), false);
    QCOMPARE(answer["assumptions"][0]["reason"].get<std::string>(), std::string("hidden_size_over_heads"));
    QCOMPARE(answer["warnings"][0]["code"].get<std::string>(), std::string("unknown_architecture"));
    const json byHand =
        json::parse(inspectToJson(modelByHand({2, 2, 64, 0, 0}), weightBytes(modelByHand({2, 2, 64, 0, 0}), {}), {}, {}, -1));
    QVERIFY(!byHand.contains("weights"));
    QCOMPARE(complaint(byHand, "inspect.schema.json"), std::string());
}

QTEST_GUILESS_MAIN(TestPlanJson)
#include "tst_planjson.moc"
