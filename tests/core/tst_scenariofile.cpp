// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files: round trip, versions, unknown keys.
#include "core/scenariofile.h"

#include "tests/core/fullscenario.h"
#include "tests/core/schema.h"

#include <QDir>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

using namespace kvscope;
using nlohmann::json;
using testing::fullScenario;
using testing::plainScenario;

namespace {

Result<Scenario> read(const json &file) { return scenarioFromJson(file.dump(), "test.kvscope"); }

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
    void keepsUnknownKeys();
    void unknownKeysFollowTheirMachine();
    void unknownKeysNeverWin();
    void savedAndLoaded();
};

void TestScenarioFile::roundTrip()
{
    Scenario bare;
    bare.model = plainScenario().model;
    for (const Scenario &scenario : {fullScenario(), plainScenario(), bare}) {
        const std::string text = toJson(scenario);
        const Result<Scenario> again = scenarioFromJson(text, "test.kvscope");
        QVERIFY(again);
        QVERIFY(*again == scenario);
        QVERIFY(again->unknownKeys.empty());
        QCOMPARE(toJson(*again), text);
        QVERIFY(json::parse(toJson(scenario, -1)) == json::parse(text));
    }
    // Cards alike are written once, whatever their number.
    Scenario many = plainScenario();
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
    for (const Scenario &scenario : {fullScenario(), plainScenario()})
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
    json file = json::parse(toJson(plainScenario()));
    file["kvscope"] = 0;
    file["devices"] = file["clusters"][0]["devices"];
    file["split"] = file["clusters"][0]["split"];
    file.erase("clusters");
    const Result<Scenario> scenario = read(file);
    QVERIFY(scenario);
    QVERIFY(*scenario == plainScenario());
    QCOMPARE(json::parse(toJson(*scenario))["kvscope"].get<int>(), scenarioVersion);
}

void TestScenarioFile::refusesNewer()
{
    json file = json::parse(toJson(plainScenario()));
    file["kvscope"] = scenarioVersion + 1;
    const Result<Scenario> scenario = read(file);
    QVERIFY(!scenario);
    QVERIFY(scenario.error().code == ErrorCode::NewerVersion);
    QCOMPARE(scenario.error().detail, std::to_string(scenarioVersion + 1));
    QCOMPARE(scenario.error().where, std::string("test.kvscope"));
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
    json file = json::parse(toJson(plainScenario()));
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
