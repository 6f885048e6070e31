// SPDX-License-Identifier: GPL-3.0-or-later
// A GGUF's header in scenario files: whole, in order, compact; and damaged.
#include "core/ggufjson.h"

#include "core/import/gguf.h"
#include "tests/core/ggufwriter.h"

#include <QDir>
#include <QRegularExpression>
#include <QTest>

#include <sstream>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

Result<GgufModel> fromJson(const Json &json)
{
    std::optional<Error> error;
    ObjectReader reader(json, "gguf", error);
    GgufModel model = ggufFromJson(reader);
    if (error)
        return *error;
    return model;
}

GgufModel small()
{
    std::istringstream stream(smallFile().header());
    return *ggufFromInput(*bytesOf(stream), "small.gguf");
}

GgufModel withTensors(const std::vector<std::pair<std::string, Format>> &tensors)
{
    GgufModel model = small();
    model.tensors.clear();
    for (const auto &[name, type] : tensors)
        model.tensors.push_back({name, {256, 2, 1, 1}, type});
    return model;
}

Json roundJson(const GgufModel &model) { return Json::parse(written(ggufToJson(model, Extent::Short), 1)); }

} // namespace

class TestGgufJson : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    /// Blocks alike are one row; a tensor that differs in some blocks is two.
    void compact()
    {
        std::vector<std::pair<std::string, Format>> tensors{{"token_embd.weight", Format::Q4_K}};
        for (int block = 0; block < 32; ++block) {
            const std::string prefix = "blk." + std::to_string(block) + '.';
            tensors.emplace_back(prefix + "attn_q.weight", Format::Q4_K);
            tensors.emplace_back(prefix + "attn_v.weight", block % 2 ? Format::Q6_K : Format::Q4_K);
            tensors.emplace_back(prefix + "ffn_up.weight", Format::Q4_K);
        }
        tensors.emplace_back("output.weight", Format::Q6_K);
        const GgufModel model = withTensors(tensors);
        const Json json = roundJson(model);
        QCOMPARE(json["tensors"].size(), std::size_t{3});
        QCOMPARE(json["tensors"][1]["blocks"].get<std::string>(), "0-31");
        QCOMPARE(json["tensors"][1]["tensors"].size(), std::size_t{4});
        QVERIFY(!json["tensors"][1]["tensors"][0].contains("blocks"));
        const Result<GgufModel> back = fromJson(json);
        QVERIFY2(back, back ? "" : back.error().where.c_str());
        QVERIFY(*back == model);
    }

    /// The order in the file is kept, whatever it is: it decides what a mapped file spans.
    void order()
    {
        const Format q = Format::Q4_K;
        const GgufModel model = withTensors({{"blk.0.b", q},
                                             {"blk.0.a", q},
                                             {"blk.10.a", q},
                                             {"blk.10.b", q},
                                             {"blk.2.b", q},
                                             {"blk.2.c", q},
                                             {"blk.2.a", q},
                                             {"blk.0.z", q},
                                             {"output", q},
                                             {"blk.007.a", q},
                                             {"blk.3.", q},
                                             {"blk.x.a", q},
                                             {"blk.3.a", q},
                                             {"blk.4.a", q},
                                             {"dec.blk.4.a", q},
                                             {"blk.99999.a", q}});
        const Result<GgufModel> back = fromJson(roundJson(model));
        QVERIFY2(back, back ? "" : back.error().where.c_str());
        QVERIFY(*back == model);
    }

    void everyKind()
    {
        GgufModel model = small();
        model.converted = model.incomplete = true;
        model.keys["list"] = {{1, -2, tooLargeValue}, true};
        model.keys["one"] = {{7}, true};
        model.keys["number"] = {{-9}, false};
        model.tensors.push_back({"empty", {0, 3, 1, 1}, Format::F32});
        model.tensors.push_back({"deep", {256, 2, 3, 4}, Format::NVFP4});
        const Result<GgufModel> back = fromJson(roundJson(model));
        QVERIFY2(back, back ? "" : back.error().where.c_str());
        QVERIFY(*back == model);
    }

    void samples()
    {
        const QDir shared(QStringLiteral(KVSCOPE_SHARED_DIR "/truth/gguf"));
        if (!shared.exists())
            QSKIP("../shared/truth/gguf is not here: real headers are not written and read again");
        const QStringList files = shared.entryList({QStringLiteral("*.gguf")});
        QVERIFY(!files.isEmpty());
        for (const QString &file : files) {
            const Result<GgufModel> model = ggufFromFile(shared.filePath(file).toStdU16String());
            QVERIFY2(model, qPrintable(file));
            const Json json = roundJson(*model);
            const Result<GgufModel> back = fromJson(json);
            QVERIFY2(back && *back == *model, qPrintable(file));
            std::size_t rows = 0;
            for (const Json &entry : json["tensors"])
                rows += entry.contains("tensors") ? entry["tensors"].size() : 1;
            QVERIFY2(rows <= 90, qPrintable(QStringLiteral("%1: %2 rows").arg(file).arg(rows)));
        }
    }

    void refused_data()
    {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("where");
        const auto row = [](const char *pointer, const char *value, ErrorCode code, const char *where) {
            QTest::addRow("%s = %s", pointer, value)
                << QString::fromUtf8(pointer) << QString::fromUtf8(value) << static_cast<int>(code) << QString::fromUtf8(where);
        };
        row("/keys/block_count", "513", ErrorCode::OutOfRange, "gguf.keys.block_count");
        row("/keys/block_count", "\"2\"", ErrorCode::WrongType, "gguf.keys.block_count");
        row("/keys/embedding_length", "[]", ErrorCode::OutOfRange, "gguf.keys.embedding_length");
        row("/keys/attention.head_count", "[1, 2, 3]", ErrorCode::WrongLength, "gguf.keys.attention.head_count");
        row("/keys", "{}", ErrorCode::MissingField, "gguf.keys.block_count");
        row("/architecture", "\"\"", ErrorCode::MissingField, "gguf.architecture");
        row("/tensors/0/type", "\"q4_k_m\"", ErrorCode::OutOfRange, "gguf.tensors[0].type");
        row("/tensors/0/type", "\"q9\"", ErrorCode::UnknownName, "gguf.tensors[0].type: q9");
        row("/tensors/0/dims", "[65, 100]", ErrorCode::NotDivisible, "gguf.tensors[0].dims");
        row("/tensors/0/dims", "[64, -1]", ErrorCode::OutOfRange, "gguf.tensors[0].dims[1]");
        row("/tensors/0/dims", "[64, 4611686018427387904]", ErrorCode::TooLarge, "gguf.tensors[0].dims");
        row("/tensors/0/dims", "[1, 1, 1, 1, 1]", ErrorCode::OutOfRange, "gguf.tensors[0].dims");
        row("/tensors/0/name", "\"\"", ErrorCode::OutOfRange, "gguf.tensors[0].name");
        row("/tensors/0/name", "\"output_norm.weight\"", ErrorCode::DuplicateName, "gguf.tensors");
        row("/tensors/2/blocks", "\"0-\"", ErrorCode::OutOfRange, "gguf.tensors[2].blocks");
        row("/tensors/2/blocks", "\"0-99999\"", ErrorCode::OutOfRange, "gguf.tensors[2].blocks");
        row("/tensors/2/blocks", "\"1,1\"", ErrorCode::DuplicateName, "gguf.tensors");
        row("/tensors/2/tensors/0/blocks", "\"2\"", ErrorCode::OutOfRange, "gguf.tensors[2].tensors[0].blocks");
    }
    void refused()
    {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(int, code);
        QFETCH(QString, where);
        Json json = roundJson(small());
        json[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
        const Result<GgufModel> model = fromJson(json);
        QVERIFY(!model);
        QCOMPARE(QString::fromStdString(model.error().where), where);
        QCOMPARE(static_cast<int>(model.error().code), code);
    }
};

QTEST_APPLESS_MAIN(TestGgufJson)
#include "tst_ggufjson.moc"
