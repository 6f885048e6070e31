// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files that are damaged, foreign or absurd: one clear error each, at the right place.
#include "core/scenariofile.h"

#include "core/plan.h"
#include "tests/core/fullscenario.h"

#include <QRegularExpression>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace kvscope;
using nlohmann::json;
using testing::fullScenario;
using testing::plainScenario;

namespace {

Result<Scenario> read(const json &file) { return scenarioFromJson(file.dump(), "test.kvscope"); }

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

} // namespace

class TestScenarioDamage : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void refusesOtherFiles_data();
    void refusesOtherFiles();
    void strict_data();
    void strict();
    void cutAtEveryByte();
    void everyFieldRemoved();
    void everyFieldReplaced();
    void hostileFiles();
};

void TestScenarioDamage::refusesOtherFiles_data()
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

void TestScenarioDamage::refusesOtherFiles()
{
    QFETCH(QByteArray, text);
    QFETCH(int, code);
    const Result<Scenario> scenario = scenarioFromJson(text.toStdString(), "test.kvscope");
    QVERIFY(!scenario);
    QCOMPARE(static_cast<int>(scenario.error().code), code);
    QVERIFY(scenario.error().where == "test.kvscope" || scenario.error().file == "test.kvscope");
}

void TestScenarioDamage::strict_data()
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
    row("/engine/name", "\"other\"", ErrorCode::OutOfRange, "engine.name",
        "formula, transformers, llama.cpp, ollama, vllm, sglang, tensorrt-llm");
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

void TestScenarioDamage::strict()
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

void TestScenarioDamage::cutAtEveryByte()
{
    const std::string text = toJson(plainScenario());
    const std::size_t whole = text.find_last_of('}') + 1;
    for (std::size_t length = 0; length < whole; ++length) {
        const Result<Scenario> scenario = scenarioFromJson(std::string_view(text).substr(0, length), "test.kvscope");
        QVERIFY2(!scenario, std::to_string(length).c_str());
        QVERIFY(scenario.error().code == ErrorCode::NotJson || scenario.error().code == ErrorCode::FileEmpty);
    }
    QVERIFY(scenarioFromJson(std::string_view(text).substr(0, whole), "test.kvscope"));
}

void TestScenarioDamage::everyFieldRemoved()
{
    const json file = json::parse(toJson(fullScenario()));
    std::vector<json::json_pointer> pointers;
    testing::collectPointers(file, json::json_pointer(), pointers);
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

void TestScenarioDamage::everyFieldReplaced()
{
    const json file = json::parse(toJson(fullScenario()));
    std::vector<json::json_pointer> pointers;
    testing::collectPointers(file, json::json_pointer(), pointers);
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

void TestScenarioDamage::hostileFiles()
{
    const std::string deep = R"({"kvscope": 1, "x": )" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
    QVERIFY(scenarioFromJson(deep, "deep").error().code == ErrorCode::NotJson);
    std::string manyLayers = R"({"kvscope": 1, "model": {"groups": [{"mixer": "none"}], "layout": [0)";
    for (int i = 0; i < largestLayerCount; ++i)
        manyLayers += ",0";
    const Result<Scenario> tooMany = scenarioFromJson(manyLayers + "]}}", "many");
    QVERIFY(!tooMany && tooMany.error().where == "model.layout" && tooMany.error().code == ErrorCode::OutOfRange);

    Scenario notUtf8 = plainScenario();
    ModelSpec model = *notUtf8.model;
    model.reference = "/models/\xff\xfe";
    notUtf8.model = std::make_shared<const ModelSpec>(model);
    const Result<Scenario> again = scenarioFromJson(toJson(notUtf8), "x");
    QVERIFY(again);
    QCOMPARE(again->model->reference, std::string("/models/\xEF\xBF\xBD\xEF\xBF\xBD"));
}

QTEST_GUILESS_MAIN(TestScenarioDamage)
#include "tst_scenariodamage.moc"
