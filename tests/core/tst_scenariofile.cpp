// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files: round trip, versions, unknown keys, damage of every kind.
#include "core/scenariofile.h"

#include "core/plan.h"
#include "tests/core/schema.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace kvscope;
using nlohmann::json;

namespace {

/// Does not compile once a type has a new field: it must be written, read, described in the schema and set in fullScenario().
[[maybe_unused]] void everyFieldIsKnown()
{
    [[maybe_unused]] const auto &[s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18] = Scenario{};
    [[maybe_unused]] const auto &[k1, k2, k3, k4, k5, k6, k7] = KvPrecision{};
    [[maybe_unused]] const auto &[w1, w2] = WeightChoice{};
    [[maybe_unused]] const auto &[e1, e2] = EngineChoice{};
    [[maybe_unused]] const auto &[t1, t2, t3, t4] = TransformersOptions{};
    [[maybe_unused]] const auto &[c1, c2] = Cluster{};
    [[maybe_unused]] const auto &[p1, p2, p3, p4] = Split{};
    [[maybe_unused]] const auto &[d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13] = Device{};
    [[maybe_unused]] const auto &[m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
                                  m24, m25, m26, m27, m28, m29, m30, m31, m32] = ModelSpec{};
    [[maybe_unused]] const auto &[g1, g2, g3, g4, g5, g6, g7, g8, g9, g10, g11, g12, g13, g14] = LayerGroup{};
    [[maybe_unused]] const auto &[r1, r2, r3, r4, r5] = RecurrentState{};
    [[maybe_unused]] const auto &[q1, q2, q3, q4, q5] = Quantization{};
    [[maybe_unused]] const auto &[a1, a2, a3] = Assumption{};
}

/// Every field differs from its default.
ModelSpec fullModel()
{
    ModelSpec model;
    model.id = "hybrid-9b";
    model.name = "Hybrid 9B \xE6\xA8\xA1\xE5\x9E\x8B";
    model.family = "hybrid";
    model.origin = ModelOrigin::File;
    model.reference = "/models/hybrid/config.json";

    LayerGroup full;
    full.queryHeads = 32;
    full.kvHeads = 8;
    full.keyDim = 128;
    full.valueDim = 96;
    full.crossKvHeads = 4;
    full.crossHeadDim = 64;
    full.parameters[Role::Attention] = 41'943'040;
    full.parameters[Role::Experts] = 900'000'000;
    LayerGroup sliding = full;
    sliding.mixer = Mixer::Sliding;
    sliding.window = TokenCount{4096};
    LayerGroup chunked = full;
    chunked.mixer = Mixer::Chunked;
    chunked.window = TokenCount{8192};
    LayerGroup latent;
    latent.mixer = Mixer::Latent;
    latent.queryHeads = 128;
    latent.kvHeads = 1;
    latent.latentDim = 512;
    latent.ropeDim = 64;
    latent.indexKeyDim = 128;
    latent.compression = TokenCount{4};
    LayerGroup shared = full;
    shared.mixer = Mixer::Shared;
    LayerGroup recurrent;
    recurrent.mixer = Mixer::None;
    recurrent.state = {Recurrence::GatedDelta, 8192, 4, 524288, true};
    model.groups = {full, sliding, chunked, latent, shared, recurrent};
    model.layout = {5, 0, 1, 1, 2, 3, 4, 5, 0};

    model.outer[Role::Embedding] = 500'000'000;
    model.outer[Role::Mtp] = 7;
    model.parametersKnown = true;
    model.hidden = 4096;
    model.intermediate = 14336;
    model.gatedFfn = false;
    model.qkNorm = true;
    model.vocab = 128256;
    model.tiedEmbeddings = true;
    model.trainedContext = TokenCount{131072};
    model.experts = 64;
    model.expertsPerToken = 8;
    model.expertIntermediate = 1024;
    model.expertVectors = 123456;
    model.encoderDecoder = true;
    model.encoderLength = TokenCount{1500};
    model.nativeFormat = Format::F16;
    model.nativeFormatKnown = true;
    Quantization quantization;
    quantization.format = Format::MXFP4;
    quantization.method = "mxfp4";
    quantization.secondFormat = Format::FP8Block;
    quantization.secondQuantised[static_cast<std::size_t>(Role::Attention)] = true;
    quantization.quantised[static_cast<std::size_t>(Role::Experts)] = true;
    model.quantization = quantization;
    model.measuredWeights = Bytes{5'123'456'789};
    model.measuredSource = "model.safetensors.index.json";
    model.publishedParameters = 9'000'000'001;
    model.publishedActive = 1'000'000'001;
    model.assumptions = {{"head_dim", "128", "hidden_size_over_heads"}};
    model.unknownArchitecture = true;
    model.sources = {"https://example.org/config.json"};
    return model;
}

Scenario fullScenario()
{
    Scenario s;
    s.model = std::make_shared<const ModelSpec>(fullModel());
    s.weights = {Format::Q4_K, Bytes{4'000'000'000}};
    s.engine = {EngineId::Transformers, "4.45"};
    Device card;
    card.id = "rtx-4090";
    card.name = "RTX 4090";
    card.vendor = "NVIDIA";
    card.memory = Bytes{25'757'220'864};
    card.usable = Bytes{25'300'000'000};
    card.nominal = Bytes{24'000'000'000};
    card.memoryAssumed = card.usableAssumed = card.unified = true;
    card.bandwidthGBs = 1008.5;
    card.tflops16 = 165.2;
    card.architecture = "Ada";
    card.sources = {"nvidia-smi"};
    s.clusters = {clusterOf(card, 2, {2, 1, 2, 1}), clusterOf(deviceOfSize(80_GiB), 4, {1, 2, 1, 2})};
    s.selected = 1;
    s.context = TokenCount{40000};
    s.batch = 12;
    s.kv = {Format::Q8_0, Format::Q4_0, KvScales::PerGroup, 32, true, 1, 2};
    s.sinks = TokenCount{4};
    s.streamWindow = TokenCount{1024};
    s.encoderLength = TokenCount{300};
    s.sharedPrefix = TokenCount{512};
    s.offloadKv = 2_GiB;
    s.inUse = Bytes{700'000'000};
    s.reservePercent = 12.5;
    s.hostMemory = 64_GiB;
    s.transformers = {AttentionKernel::Flash2, CacheClass::Quantized, 2, TokenCount{0}};
    return s;
}

Scenario handScenario()
{
    Scenario s;
    s.model = std::make_shared<const ModelSpec>(modelByHand({32, 8, 128, 32, 0}));
    s.clusters = {clusterOf(deviceOfSize(24_GB))};
    return s;
}

Result<Scenario> read(const json &file) { return scenarioFromJson(file.dump(), "test.kvscope"); }

/// JSON pointers of every value in the tree, the root left out.
void collect(const json &value, const json::json_pointer &at, std::vector<json::json_pointer> &out)
{
    if (!at.empty())
        out.push_back(at);
    if (value.is_object()) {
        for (const auto &[key, inner] : value.items())
            collect(inner, at / key, out);
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i)
            collect(value[i], at / i, out);
    }
}

/// "/model/groups/0/mixer" as an Error writes it: "model.groups[0].mixer".
std::string worded(const json::json_pointer &pointer)
{
    std::string text;
    const QStringList parts = QString::fromStdString(pointer.to_string()).split(QLatin1Char('/'), Qt::SkipEmptyParts);
    for (const QString &part : parts) {
        bool isIndex = false;
        part.toInt(&isIndex);
        if (isIndex)
            text += '[' + part.toStdString() + ']';
        else
            text += (text.empty() ? "" : ".") + part.toStdString();
    }
    return text;
}

void addToEveryObject(json &value, int &serial)
{
    if (value.is_object()) {
        for (auto &inner : value)
            addToEveryObject(inner, serial);
        value["from_the_future"] = {{"serial", serial++}, {"list", {1, "two", nullptr}}};
    } else if (value.is_array()) {
        for (json &inner : value)
            addToEveryObject(inner, serial);
    }
}

} // namespace

class TestScenarioFile : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void roundTrip();
    void everyKeyIsDescribed();
    void opensWithDefaults();
    void opensVersion0();
    void refusesNewer();
    void refusesOtherFiles_data();
    void refusesOtherFiles();
    void strict_data();
    void strict();
    void keepsUnknownKeys();
    void unknownKeysFollowTheirMachine();
    void unknownKeysNeverWin();
    void cutAtEveryByte();
    void everyFieldRemoved();
    void everyFieldReplaced();
    void hostileFiles();
    void savedAndLoaded();
};

void TestScenarioFile::roundTrip()
{
    Scenario bare;
    bare.model = handScenario().model;
    for (const Scenario &scenario : {fullScenario(), handScenario(), bare}) {
        const std::string text = toJson(scenario);
        const Result<Scenario> again = scenarioFromJson(text, "test.kvscope");
        QVERIFY(again);
        QVERIFY(*again == scenario);
        QVERIFY(again->unknownKeys.empty());
        QCOMPARE(toJson(*again), text);
        QVERIFY(json::parse(toJson(scenario, -1)) == json::parse(text));
    }
    // Cards alike are written once, whatever their number.
    Scenario many = handScenario();
    many.clusters = {clusterOf(deviceOfSize(80_GB), 4096)};
    many.clusters[0].devices.back() = deviceOfSize(40_GB);
    QVERIFY(toJson(many).size() < 2000);
    const Result<Scenario> manyAgain = scenarioFromJson(toJson(many), "many");
    QVERIFY(manyAgain && *manyAgain == many);
    json tooMany = json::parse(toJson(many));
    tooMany["clusters"][0]["devices"].push_back(tooMany["clusters"][0]["devices"][1]);
    QCOMPARE(read(tooMany).error().where, std::string("clusters[0].devices"));
    // Lists of numbers stay on one line: the file is for people too.
    QVERIFY(toJson(fullScenario()).find("\"layout\": [5, 0, 1, 1, 2, 3, 4, 5, 0]") != std::string::npos);
}

void TestScenarioFile::everyKeyIsDescribed()
{
    testing::SchemaChecker checker(KVSCOPE_SOURCE_DIR "/resources/schema");
    for (const Scenario &scenario : {fullScenario(), handScenario()})
        QCOMPARE(checker.check(json::parse(toJson(scenario)), "scenario.schema.json", true), std::string());
    // The list of formats in the schema is the table's.
    std::ifstream stream(KVSCOPE_SOURCE_DIR "/resources/schema/scenario.schema.json");
    std::vector<std::string> formats;
    for (int i = 0; i < formatCount; ++i)
        formats.emplace_back(infoOf(static_cast<Format>(i)).name);
    QVERIFY(json::parse(stream)["$defs"]["format"]["enum"] == json(formats));
    json wrong = json::parse(toJson(fullScenario()));
    wrong["batch"] = 0;
    QCOMPARE(checker.check(wrong, "scenario.schema.json"), std::string("$.batch: too small: 0"));
}

void TestScenarioFile::opensWithDefaults()
{
    const json file{
        {"kvscope", 1},
        {"model", {{"groups", {{{"mixer", "full"}, {"kv_heads", 8}, {"head_dim_k", 128}, {"head_dim_v", 128}}}}, {"layout", {0, 0}}}}};
    const Result<Scenario> scenario = read(file);
    QVERIFY(scenario);
    QCOMPARE(scenario->model->layerCount(), 2);
    QCOMPARE(scenario->model->groups[0].kvHeads, 8);
    QVERIFY(scenario->context == TokenCount{8192});
    QCOMPARE(scenario->batch, std::int64_t{1});
    QVERIFY(!scenario->kv.key && !scenario->weights.format && !scenario->hostMemory);
    QVERIFY(scenario->engine == EngineChoice{});
    QVERIFY(scenario->clusters.empty());
    QVERIFY(scenario->unknownKeys.empty());
}

void TestScenarioFile::opensVersion0()
{
    json file = json::parse(toJson(handScenario()));
    file["kvscope"] = 0;
    file["devices"] = file["clusters"][0]["devices"];
    file["split"] = file["clusters"][0]["split"];
    file.erase("clusters");
    const Result<Scenario> scenario = read(file);
    QVERIFY(scenario);
    QVERIFY(*scenario == handScenario());
    QCOMPARE(json::parse(toJson(*scenario))["kvscope"].get<int>(), scenarioVersion);
}

void TestScenarioFile::refusesNewer()
{
    json file = json::parse(toJson(handScenario()));
    file["kvscope"] = scenarioVersion + 1;
    const Result<Scenario> scenario = read(file);
    QVERIFY(!scenario);
    QVERIFY(scenario.error().code == ErrorCode::NewerVersion);
    QCOMPARE(scenario.error().detail, std::to_string(scenarioVersion + 1));
    QCOMPARE(scenario.error().where, std::string("test.kvscope"));
}

void TestScenarioFile::refusesOtherFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("code");
    const auto row = [](const char *name, const QByteArray &text, ErrorCode code) {
        QTest::newRow(name) << text << static_cast<int>(code);
    };
    row("empty", "", ErrorCode::FileEmpty);
    row("blank", " \n ", ErrorCode::FileEmpty);
    row("not JSON", "model = llama", ErrorCode::NotJson);
    row("binary", QByteArray("\0\1\2\3\xff", 5), ErrorCode::NotJson);
    row("a config.json", R"({"model_type": "llama", "num_hidden_layers": 32})", ErrorCode::NotThisKind);
    row("a list", "[1, 2]", ErrorCode::NotThisKind);
    row("a number", "17", ErrorCode::NotThisKind);
    row("no model", R"({"kvscope": 1})", ErrorCode::MissingField);
    row("version in words", R"({"kvscope": "one"})", ErrorCode::WrongType);
    row("version below 0", R"({"kvscope": -1})", ErrorCode::OutOfRange);
    row("two objects", R"({"kvscope": 1}{})", ErrorCode::NotJson);
}

void TestScenarioFile::refusesOtherFiles()
{
    QFETCH(QByteArray, text);
    QFETCH(int, code);
    const Result<Scenario> scenario = scenarioFromJson(text.toStdString(), "test.kvscope");
    QVERIFY(!scenario);
    QCOMPARE(static_cast<int>(scenario.error().code), code);
    QVERIFY(scenario.error().where == "test.kvscope" || scenario.error().file == "test.kvscope");
}

void TestScenarioFile::strict_data()
{
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<int>("code");
    QTest::addColumn<QByteArray>("where");
    QTest::addColumn<QByteArray>("detail");
    const auto row = [](const char *pointer, const char *value, ErrorCode code, const char *where, const char *detail) {
        QTest::addRow("%s = %s", pointer, value)
            << QByteArray(pointer) << QByteArray(value) << static_cast<int>(code) << QByteArray(where) << QByteArray(detail);
    };
    row("/context", "1000000001", ErrorCode::OutOfRange, "context", "0..1000000000");
    row("/context", "\"8k\"", ErrorCode::WrongType, "context", "integer");
    row("/context", "0.5", ErrorCode::WrongType, "context", "integer");
    row("/context", "18446744073709551615", ErrorCode::OutOfRange, "context", "0..1000000000");
    row("/batch", "0", ErrorCode::OutOfRange, "batch", "1..1000000");
    row("/batch", "1000001", ErrorCode::OutOfRange, "batch", "1..1000000");
    row("/selected", "2", ErrorCode::OutOfRange, "selected", "0..1");
    row("/reserve_percent", "100.5", ErrorCode::OutOfRange, "reserve_percent", "0..100");
    row("/reserve_percent", "null", ErrorCode::WrongType, "reserve_percent", "number");
    row("/kv/key", "\"q8_9\"", ErrorCode::UnknownName, "kv.key: q8_9", "q8_0, q8_1, q8_k");
    row("/kv/scales", "\"some\"", ErrorCode::OutOfRange, "kv.scales", "none, per-tensor, per-token, per-channel, per-group");
    row("/engine/name", "\"other\"", ErrorCode::OutOfRange, "engine.name", "formula, transformers");
    row("/model/layout", "[]", ErrorCode::OutOfRange, "model.layout", "1..10000");
    row("/model/layout/3", "6", ErrorCode::OutOfRange, "model.layout[3]", "0..5");
    row("/model/groups", "{}", ErrorCode::WrongType, "model.groups", "array");
    row("/model/groups/0/kv_heads", "0", ErrorCode::OutOfRange, "model.groups[0].kv_heads", ">= 1");
    row("/model/groups/0/kv_heads", "65537", ErrorCode::OutOfRange, "model.groups[0].kv_heads", "0..65536");
    row("/model/groups/1/window", "-1", ErrorCode::OutOfRange, "model.groups[1].window", "0..1000000000");
    row("/model/groups/0/count", "3", ErrorCode::OutOfRange, "model.groups[0].count", "2..2");
    row("/model/groups/5/state/elements", "1e300", ErrorCode::OutOfRange, "model.groups[5].state.elements", "0..1000000000000");
    row("/model/groups/0/parameters/experts", "-5", ErrorCode::OutOfRange, "model.groups[0].parameters.experts", "0..1000000000000000");
    row("/model/experts_per_token", "65", ErrorCode::OutOfRange, "model.experts_per_token", "0..64");
    row("/model/tied_embeddings", "1", ErrorCode::WrongType, "model.tied_embeddings", "boolean");
    row("/model/sources/0", "7", ErrorCode::WrongType, "model.sources[0]", "string");
    row("/clusters/0/devices/0/memory_bytes", "-1", ErrorCode::OutOfRange, "clusters[0].devices[0].memory_bytes", "0..1152921504606846976");
    row("/clusters/0/devices/0/count", "4097", ErrorCode::OutOfRange, "clusters[0].devices[0].count", "1..4096");
    row("/clusters/1/split/tensor", "0", ErrorCode::OutOfRange, "clusters[1].split.tensor", "1..4096");
    row("/clusters/1", "[]", ErrorCode::WrongType, "clusters[1]", "object");
}

void TestScenarioFile::strict()
{
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    QFETCH(int, code);
    QFETCH(QByteArray, where);
    QFETCH(QByteArray, detail);
    json file = json::parse(toJson(fullScenario()));
    file[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
    const Result<Scenario> scenario = read(file);
    QVERIFY(!scenario);
    QCOMPARE(QByteArray::fromStdString(scenario.error().where), where);
    QCOMPARE(static_cast<int>(scenario.error().code), code);
    QCOMPARE(QByteArray::fromStdString(scenario.error().detail), detail);
    QCOMPARE(scenario.error().file, std::string("test.kvscope"));
}

void TestScenarioFile::keepsUnknownKeys()
{
    json file = json::parse(toJson(fullScenario()));
    int serial = 0;
    addToEveryObject(file, serial);
    QVERIFY(serial > 20);
    const Result<Scenario> scenario = read(file);
    QVERIFY(scenario);
    Scenario known = *scenario;
    known.unknownKeys.clear();
    QVERIFY(known == fullScenario());
    QVERIFY(json::parse(toJson(*scenario)) == file);
    // A second round adds and loses nothing.
    const Result<Scenario> again = scenarioFromJson(toJson(*scenario), "test.kvscope");
    QVERIFY(again && *again == *scenario);
}

void TestScenarioFile::unknownKeysFollowTheirMachine()
{
    json file = json::parse(toJson(fullScenario()));
    file["clusters"][0]["note"] = "the small one";
    file["clusters"][1]["devices"][0]["slot"] = 3;
    Result<Scenario> scenario = read(file);
    QVERIFY(scenario);

    Scenario swapped = *scenario;
    std::swap(swapped.clusters[0], swapped.clusters[1]);
    json written = json::parse(toJson(swapped));
    QCOMPARE(written["clusters"][1]["note"].get<std::string>(), std::string("the small one"));
    QVERIFY(!written["clusters"][0].contains("note"));
    QCOMPARE(written["clusters"][0]["devices"][0]["slot"].get<int>(), 3);

    Scenario removed = *scenario;
    removed.clusters.erase(removed.clusters.begin());
    removed.selected = 0;
    written = json::parse(toJson(removed));
    QVERIFY(!written["clusters"][0].contains("note"));

    Scenario edited = *scenario;
    edited.clusters[0].split.tensor = 1;
    QVERIFY(json::parse(toJson(edited))["clusters"][0].contains("note"));
}

void TestScenarioFile::unknownKeysNeverWin()
{
    json file = json::parse(toJson(handScenario()));
    file["model"]["licence"] = "MIT";
    file["kv"]["rotation"] = "hadamard";
    file["window"] = 0; // the default, written out: known, so not kept as unknown
    Result<Scenario> scenario = read(file);
    QVERIFY(scenario);
    Scenario other = *scenario;
    ModelSpec model = *other.model;
    model.id = "another";
    other.model = std::make_shared<const ModelSpec>(model);
    other.streamWindow = TokenCount{77};
    const json written = json::parse(toJson(other));
    QVERIFY(!written["model"].contains("licence"));
    QCOMPARE(written["window"].get<int>(), 77);
    other.unknownKeys = "not JSON";
    QVERIFY(scenarioFromJson(toJson(other), "x"));
}

void TestScenarioFile::cutAtEveryByte()
{
    const std::string text = toJson(handScenario());
    const std::size_t whole = text.find_last_of('}') + 1;
    for (std::size_t length = 0; length < whole; ++length) {
        const Result<Scenario> scenario = scenarioFromJson(std::string_view(text).substr(0, length), "test.kvscope");
        QVERIFY2(!scenario, std::to_string(length).c_str());
        QVERIFY(scenario.error().code == ErrorCode::NotJson || scenario.error().code == ErrorCode::FileEmpty);
    }
    QVERIFY(scenarioFromJson(std::string_view(text).substr(0, whole), "test.kvscope"));
}

void TestScenarioFile::everyFieldRemoved()
{
    const json file = json::parse(toJson(fullScenario()));
    std::vector<json::json_pointer> pointers;
    collect(file, json::json_pointer(), pointers);
    int opened = 0;
    for (const json::json_pointer &pointer : pointers) {
        json less = file;
        json &parent = less[pointer.parent_pointer()];
        if (parent.is_array())
            parent.erase(parent.begin() + std::stol(pointer.back()));
        else
            parent.erase(pointer.back());
        const Result<Scenario> scenario = read(less);
        opened += bool(scenario);
        if (!scenario && parent.is_object() && scenario.error().code == ErrorCode::MissingField)
            QCOMPARE(QString::fromStdString(scenario.error().where), QString::fromStdString(worded(pointer)));
        if (scenario)
            QVERIFY(scenarioFromJson(toJson(*scenario), "again"));
    }
    QVERIFY(opened > 60); // most keys may be absent
}

void TestScenarioFile::everyFieldReplaced()
{
    const json file = json::parse(toJson(fullScenario()));
    std::vector<json::json_pointer> pointers;
    collect(file, json::json_pointer(), pointers);
    const std::vector<json> values{
        nullptr, true, -1, 0, 1e300, 9223372036854775807LL, 18446744073709551615ULL, std::string(1000, 'y'), json::array(), json::object()};
    for (const json::json_pointer &pointer : pointers) {
        for (const json &value : values) {
            json other = file;
            other[pointer] = value;
            const Result<Scenario> scenario = read(other);
            if (scenario) {
                for (const Cluster &cluster : scenario->clusters) // what is accepted can be planned: no crash, no hang
                    plan(*scenario, cluster);
                continue;
            }
            // The complaint points at the field, or at one that depends on it (layout on groups, selected on clusters, ...).
            const std::string path = worded(pointer);
            const std::string &where = scenario.error().where;
            const bool related = where.starts_with(path) || path.starts_with(where) || where.starts_with("model.groups") ||
                                 where.starts_with("model.layout") || where == "selected" || where == "model.experts_per_token" ||
                                 where == "test.kvscope";
            QVERIFY2(related, (path + " = " + value.dump().substr(0, 40) + ": " + where).c_str());
        }
    }
}

void TestScenarioFile::hostileFiles()
{
    const std::string deep = R"({"kvscope": 1, "x": )" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
    QVERIFY(scenarioFromJson(deep, "deep").error().code == ErrorCode::NotJson);
    std::string manyLayers = R"({"kvscope": 1, "model": {"groups": [{"mixer": "none"}], "layout": [0)";
    for (int i = 0; i < largestLayerCount; ++i)
        manyLayers += ",0";
    const Result<Scenario> tooMany = scenarioFromJson(manyLayers + "]}}", "many");
    QVERIFY(!tooMany && tooMany.error().where == "model.layout" && tooMany.error().code == ErrorCode::OutOfRange);

    Scenario notUtf8 = handScenario();
    ModelSpec model = *notUtf8.model;
    model.reference = "/models/\xff\xfe";
    notUtf8.model = std::make_shared<const ModelSpec>(model);
    const Result<Scenario> again = scenarioFromJson(toJson(notUtf8), "x");
    QVERIFY(again);
    QCOMPARE(again->model->reference, std::string("/models/\xEF\xBF\xBD\xEF\xBF\xBD"));
}

void TestScenarioFile::savedAndLoaded()
{
    QTemporaryDir folder;
    const std::filesystem::path path = folder.filePath(QStringLiteral("a.kvscope")).toStdString();
    QVERIFY(!saveScenario(fullScenario(), path));
    QVERIFY(!saveScenario(fullScenario(), path)); // over an existing one
    const Result<Scenario> scenario = loadScenario(path);
    QVERIFY(scenario && *scenario == fullScenario());
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1); // no temporary file is left

    QVERIFY(loadScenario(path.parent_path() / "absent.kvscope").error().code == ErrorCode::FileNotFound);
    QVERIFY(loadScenario(path.parent_path()).error().code == ErrorCode::NotAFile);
    const std::optional<Error> failed = saveScenario(fullScenario(), path.parent_path() / "no" / "such" / "folder.kvscope");
    QVERIFY(failed && failed->code == ErrorCode::WriteFailed);
}

QTEST_GUILESS_MAIN(TestScenarioFile)
#include "tst_scenariofile.moc"
