// SPDX-License-Identifier: GPL-3.0-or-later
// What the importer makes of good files, bad files and no files.
#include "core/import/import.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <functional>

#ifndef Q_OS_WIN
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#endif

using namespace kvscope;

namespace {

const QByteArray llama = R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
 "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 131072,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16"})";

Result<ModelSpec> read(const QByteArray &json)
{
    return modelFromConfig(std::string_view(json.constData(), static_cast<std::size_t>(json.size())), "config.json");
}

/// `json` with top-level fields replaced; a field given as undefined is removed.
QByteArray with(const QByteArray &json, const QJsonObject &changes)
{
    QJsonObject object = QJsonDocument::fromJson(json).object();
    for (auto it = changes.begin(); it != changes.end(); ++it) {
        if (it.value().isUndefined())
            object.remove(it.key());
        else
            object.insert(it.key(), it.value());
    }
    return QJsonDocument(object).toJson();
}

/// The configs of published.json: small ones of every family.
QList<QJsonObject> fixtures()
{
    QFile file(QStringLiteral(KVSCOPE_SOURCE_DIR "/tests/data/published.json"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    QList<QJsonObject> configs;
    QStringList seen;
    for (const QJsonValue &entry : QJsonDocument::fromJson(file.readAll()).array()) {
        const QJsonObject config = entry[QLatin1String("config")].toObject();
        const QString type = config[QLatin1String("model_type")].toString();
        if (!seen.contains(type)) { // one of each
            seen.append(type);
            configs.append(config);
        }
    }
    return configs;
}

/// Empty if the answer is an error that names its place, or a model that can be computed with; else what is wrong.
QString flaw(const Result<ModelSpec> &result)
{
    if (!result) {
        const Error &error = result.error();
        if (error.where.empty())
            return QStringLiteral("error %1 names no place").arg(static_cast<int>(error.code));
        const bool needsDetail = error.code == ErrorCode::OutOfRange || error.code == ErrorCode::WrongType ||
                                 error.code == ErrorCode::MissingField || error.code == ErrorCode::NotJson ||
                                 error.code == ErrorCode::NotDivisible;
        return needsDetail && error.detail.empty() ? QStringLiteral("error at %1 has no detail").arg(QLatin1String(error.where.c_str()))
                                                   : QString();
    }
    const ModelSpec &model = *result;
    if (model.layerCount() < 1 || model.layerCount() > largestLayerCount)
        return QStringLiteral("%1 layers").arg(model.layerCount());
    for (const std::uint16_t group : model.layout)
        if (group >= model.groups.size())
            return QStringLiteral("layout names group %1").arg(group);
    const RoleCounts counts = model.parameters();
    if (std::any_of(counts.count.begin(), counts.count.end(), [](std::int64_t n) { return n < 0 || n == tooLargeValue; }))
        return QStringLiteral("parameters negative or too large");
    for (const LayerGroup &group : model.groups) {
        const bool heads = group.kvHeads > 0 && group.keyDim > 0 && group.valueDim > 0;
        const bool windowed = group.mixer == Mixer::Sliding || group.mixer == Mixer::Chunked;
        if (group.hasCache() && group.mixer != Mixer::Latent && !heads)
            return QStringLiteral("a cache without heads");
        if (group.mixer == Mixer::Latent && group.latentDim < 1)
            return QStringLiteral("a latent without width");
        if (windowed && group.window.value < 1)
            return QStringLiteral("a window without tokens");
        if (group.state.convChannels < 0 || group.state.elements < 0)
            return QStringLiteral("a negative state");
    }
    return {};
}

void writeBytes(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

std::filesystem::path pathOf(const QString &path) { return std::filesystem::path(path.toStdU16String()); }

} // namespace

Q_DECLARE_METATYPE(kvscope::ErrorCode)

class TestImport : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void plainModel()
    {
        const Result<ModelSpec> model = read(llama);
        QVERIFY(model);
        QCOMPARE(model->layerCount(), 32);
        QCOMPARE(model->groups.size(), std::size_t{1});
        const LayerGroup &group = model->groups.front();
        QVERIFY(group.mixer == Mixer::Full);
        QCOMPARE(group.queryHeads, 32);
        QCOMPARE(group.kvHeads, 8);
        QCOMPARE(group.keyDim, 128);
        QCOMPARE(group.valueDim, 128);
        QCOMPARE(model->trainedContext.value, 131'072);
        QVERIFY(model->nativeFormatKnown);
        QVERIFY(model->nativeFormat == Format::BF16);
        QVERIFY(!model->unknownArchitecture);
        QCOMPARE(model->parameters().total(), 8'030'261'248);
        // head_dim is not in the file: 4096 / 32
        QCOMPARE(model->assumptions.size(), std::size_t{1});
        QVERIFY((model->assumptions.front() == Assumption{"head_dim", "128", "hidden_size_over_heads"}));
    }

    void absurdFields_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<ErrorCode>("code");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("detail");
        const auto change = [](const char *row, const char *field, const QJsonValue &value, ErrorCode code, const char *detail) {
            QTest::newRow(row) << with(llama, {{QLatin1String(field), value}}) << code << QString::fromLatin1(field)
                               << QString::fromLatin1(detail);
        };
        change("0 heads", "num_attention_heads", 0, ErrorCode::OutOfRange, "1..65536");
        change("0 KV heads", "num_key_value_heads", 0, ErrorCode::OutOfRange, "1..65536");
        change("10^12 layers", "num_hidden_layers", 1e12, ErrorCode::OutOfRange, "1..10000");
        change("10,001 layers", "num_hidden_layers", 10'001, ErrorCode::OutOfRange, "1..10000");
        change("negative layers", "num_hidden_layers", -32, ErrorCode::OutOfRange, "1..10000");
        change("half a layer", "num_hidden_layers", 31.5, ErrorCode::WrongType, "integer");
        change("layers in words", "num_hidden_layers", QStringLiteral("32"), ErrorCode::WrongType, "integer");
        change("layers as a list", "num_hidden_layers", QJsonArray{32}, ErrorCode::WrongType, "integer");
        QTest::newRow("heads not divisible") << with(llama, {{QStringLiteral("num_key_value_heads"), 7}}) << ErrorCode::NotDivisible
                                             << "num_attention_heads"
                                             << "32 by 7";
        change("a vocabulary of 10^18", "vocab_size", 1e18, ErrorCode::OutOfRange, "1..1000000000");
        change("negative width", "hidden_size", -4096, ErrorCode::OutOfRange, "1..16777216");
        change("a window below zero", "sliding_window", -1, ErrorCode::OutOfRange, "0..1000000000");
        change("tied in words", "tie_word_embeddings", QStringLiteral("no"), ErrorCode::WrongType, "boolean");
        change("bias in words", "attention_bias", QStringLiteral("no"), ErrorCode::WrongType, "boolean");
        change("more active experts than there are", "num_experts_per_tok", 9, ErrorCode::OutOfRange, "1..8");
        change("no layers", "num_hidden_layers", QJsonValue(QJsonValue::Null), ErrorCode::MissingField,
               "num_hidden_layers, n_layer, n_layers, num_layers");
        QByteArray nan = llama;
        QTest::newRow("NaN") << nan.replace("\"hidden_size\": 4096", "\"hidden_size\": NaN") << ErrorCode::WrongType << "hidden_size"
                             << "integer";
        QByteArray infinite = llama;
        QTest::newRow("Infinity") << infinite.replace("\"hidden_size\": 4096", "\"hidden_size\": -Infinity") << ErrorCode::WrongType
                                  << "hidden_size"
                                  << "integer";
        QByteArray huge = llama;
        QTest::newRow("2^63") << huge.replace("\"hidden_size\": 4096", "\"hidden_size\": 9223372036854775808") << ErrorCode::OutOfRange
                              << "hidden_size"
                              << "1..16777216";
        QTest::newRow("nested") << QByteArray(R"({"model_type": "gemma3", "text_config": {"num_hidden_layers": 0}})")
                                << ErrorCode::OutOfRange << "text_config.num_hidden_layers"
                                << "1..10000";
        QTest::newRow("an unknown kind of layer")
            << with(llama, {{QStringLiteral("num_hidden_layers"), 1}, {QStringLiteral("layer_types"), QJsonArray{QStringLiteral("magic")}}})
            << ErrorCode::OutOfRange << "layer_types[0]"
            << "attention, full_attention, deepseek_sparse_attention, sliding_attention, local_attention, chunked_attention, "
               "linear_attention, mamba, mamba2, conv, recurrent, hybrid, moe, mlp";
        QTest::newRow("a short list") << with(llama, {{QStringLiteral("layer_types"), QJsonArray{QStringLiteral("full_attention")}}})
                                      << ErrorCode::OutOfRange << "layer_types.length"
                                      << "32..10000";
        QTest::newRow("unknown family without fields")
            << QByteArray(R"({"model_type": "novel"})") << ErrorCode::UnknownArchitecture << "novel"
            << "num_hidden_layers";
        QTest::newRow("no config at all") << QByteArray(R"({"version": "1.0"})") << ErrorCode::NotThisKind << "config.json"
                                          << "config";
        QTest::newRow("a list") << QByteArray("[1, 2]") << ErrorCode::NotThisKind << "config.json"
                                << "config";
        QTest::newRow("empty") << QByteArray(" \n") << ErrorCode::FileEmpty << "config.json"
                               << "";
        QTest::newRow("not JSON") << QByteArray("{\"a\": 1, b}") << ErrorCode::NotJson << "config.json"
                                  << "9";
        QTest::newRow("NaN keeps offsets") << QByteArray("{\"a\": NaN, \"c\": -Infinity, b}") << ErrorCode::NotJson << "config.json"
                                           << "27";
        QTest::newRow("nested without end") << QByteArray("{\"a\":") + QByteArray(1'000'000, '[') << ErrorCode::NotJson << "config.json"
                                            << "68";
        QTest::newRow("parameters beyond 63 bits") << with(llama, {{QStringLiteral("num_hidden_layers"), 10'000},
                                                                   {QStringLiteral("hidden_size"), 16'777'216},
                                                                   {QStringLiteral("head_dim"), 128},
                                                                   {QStringLiteral("num_local_experts"), 65'536},
                                                                   {QStringLiteral("num_experts_per_tok"), 1},
                                                                   {QStringLiteral("intermediate_size"), 16'777'216}})
                                                   << ErrorCode::TooLarge << "parameters"
                                                   << "";
    }
    void absurdFields()
    {
        QFETCH(QByteArray, json);
        QFETCH(ErrorCode, code);
        QFETCH(QString, where);
        QFETCH(QString, detail);
        if (where == QLatin1String("num_experts_per_tok"))
            json = with(json, {{QStringLiteral("num_local_experts"), 8}});
        const Result<ModelSpec> model = read(json);
        QVERIFY(!model);
        QCOMPARE(static_cast<int>(model.error().code), static_cast<int>(code));
        QCOMPARE(QString::fromStdString(model.error().where), where);
        QCOMPARE(QString::fromStdString(model.error().detail), detail);
        QCOMPARE(model.error().file, "config.json");
    }

    void pythonTokensAreValues()
    {
        QByteArray json = llama;
        const Result<ModelSpec> model =
            read(json.replace("{\"model_type\"", R"({"time_step_limit": [0.0, Infinity], "a": NaN, "b": "NaN", "model_type")"));
        QVERIFY(model);
        QCOMPARE(model->layerCount(), 32);
    }
    void lastOfTwoKeysHolds()
    {
        QByteArray json = llama;
        const Result<ModelSpec> model = read(json.replace("{\"model_type\"", R"({"num_hidden_layers": 7, "model_type")"));
        QVERIFY(model);
        QCOMPARE(model->layerCount(), 32);
    }
    void unknownFamilyByStandardNames()
    {
        const Result<ModelSpec> model = read(with(llama, {{QStringLiteral("model_type"), QStringLiteral("novel")}}));
        QVERIFY(model);
        QVERIFY(model->unknownArchitecture);
        QCOMPARE(model->family, "novel");
        QCOMPARE(model->parameters().total(), 8'030'261'248);
    }

    // Every byte at which a file may have been cut, for one config of each family.
    void cutAtEachByte()
    {
        const QList<QJsonObject> configs = fixtures();
        QVERIFY(configs.size() > 50);
        for (const QJsonObject &config : configs) {
            const QByteArray whole = QJsonDocument(config).toJson(QJsonDocument::Compact);
            QCOMPARE(flaw(read(whole)), QString());
            QVERIFY(read(whole));
            for (qsizetype cut = 0; cut < whole.size(); ++cut) {
                const Result<ModelSpec> model = read(whole.left(cut));
                QVERIFY(!model);
                QVERIFY(model.error().code == ErrorCode::NotJson || model.error().code == ErrorCode::FileEmpty);
                QCOMPARE(flaw(model), QString());
            }
        }
    }

    // Each field of each family removed, and replaced by what no field should hold.
    void fieldsRemovedAndReplaced()
    {
        const QJsonArray absurd{0,
                                -1,
                                3,
                                65'536,
                                1e12,
                                -1e300,
                                0.5,
                                true,
                                QStringLiteral("text"),
                                QJsonValue(QJsonValue::Null),
                                QJsonArray{},
                                QJsonObject{},
                                QJsonArray{QStringLiteral("x")},
                                QJsonArray{0, 0, 0}};
        int reads = 0;
        int models = 0;
        const auto check = [&](const QJsonObject &config, const QString &path) {
            const Result<ModelSpec> model = read(QJsonDocument(config).toJson(QJsonDocument::Compact));
            const QString wrong = flaw(model);
            if (!wrong.isEmpty())
                QFAIL(qPrintable(path + QStringLiteral(": ") + wrong));
            ++reads;
            models += bool(model);
        };
        std::function<void(const QJsonObject &, const QString &, const std::function<QJsonObject(QJsonObject)> &)> walk;
        walk = [&](const QJsonObject &object, const QString &path, const std::function<QJsonObject(QJsonObject)> &embed) {
            for (const QString &key : object.keys()) {
                QJsonObject changed = object;
                changed.remove(key);
                check(embed(changed), path + key + QStringLiteral(" removed"));
                for (const QJsonValue &value : absurd) {
                    changed.insert(key, value);
                    check(embed(changed), path + key + QStringLiteral(" = ") +
                                              QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact)));
                }
                if (object[key].isObject())
                    walk(object[key].toObject(), path + key + QLatin1Char('.'), [&](const QJsonObject &inner) {
                        QJsonObject outer = object;
                        outer.insert(key, inner);
                        return embed(outer);
                    });
            }
        };
        for (const QJsonObject &config : fixtures())
            walk(config, config[QLatin1String("model_type")].toString() + QLatin1Char(':'),
                 [](const QJsonObject &object) { return object; });
        QVERIFY(reads > 10'000);
        QVERIFY(models > reads / 20); // most changes are refused, not all
    }

    void quantization_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("format");
        QTest::addColumn<bool>("head");
        const auto row = [](const char *name, const char *config, const char *format, bool head = false) {
            QTest::newRow(name) << QByteArray(config) << QString::fromLatin1(format) << head;
        };
        row("awq", R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": true, "modules_to_not_convert": null})", "awq");
        row("gptq", R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "lm_head": false})", "gptq");
        row("gptq with head", R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "lm_head": true})", "gptq", true);
        row("gptq 8 bit", R"({"quant_method": "gptq", "bits": 8, "group_size": 128})", "int8");
        row("gptq 3 bit", R"({"quant_method": "gptq", "bits": 3, "group_size": 128})", "gptq");
        row("fp8", R"({"quant_method": "fp8", "activation_scheme": "static", "weight_block_size": null})", "fp8");
        row("fp8 block", R"({"quant_method": "fp8", "weight_block_size": [128, 128]})", "fp8_block");
        row("compressed fp8", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
            "weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}, "ignore": ["lm_head"]})",
            "fp8");
        row("compressed int4, groups of 32", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
            "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32}}}})",
            "int4_g32");
        row("compressed nvfp4", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
            "weights": {"num_bits": 4, "type": "float", "group_size": 16}}}})",
            "nvfp4");
        row("bitsandbytes nf4", R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": false})", "nf4");
        row("bitsandbytes nf4 double", R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "bnb_4bit_use_double_quant": true})",
            "nf4_double");
        row("bitsandbytes int8", R"({"quant_method": "bitsandbytes", "load_in_8bit": true})", "int8");
        row("mxfp4", R"({"quant_method": "mxfp4"})", "mxfp4");
        row("modelopt", R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})", "nvfp4");
        row("unknown", R"({"quant_method": "exl2", "bits": 4.0})", "");
    }
    void quantization()
    {
        QFETCH(QByteArray, config);
        QFETCH(QString, format);
        QFETCH(bool, head);
        const Result<ModelSpec> model =
            read(with(llama, {{QStringLiteral("quantization_config"), QJsonDocument::fromJson(config).object()}}));
        QVERIFY(model);
        const bool noted = std::any_of(model->assumptions.begin(), model->assumptions.end(),
                                       [](const Assumption &a) { return a.reason == "quantization_not_known"; });
        QCOMPARE(noted, format.isEmpty());
        QCOMPARE(model->quantization.has_value(), !format.isEmpty());
        if (!model->quantization)
            return;
        QCOMPARE(QString::fromStdString(std::string(infoOf(model->quantization->format).name)), format);
        QVERIFY(model->quantization->quantised[static_cast<std::size_t>(Role::Attention)]);
        QVERIFY(model->quantization->quantised[static_cast<std::size_t>(Role::Ffn)]);
        QVERIFY(!model->quantization->quantised[static_cast<std::size_t>(Role::Embedding)]);
        QCOMPARE(model->quantization->quantised[static_cast<std::size_t>(Role::OutputHead)], head);
    }
    // Kimi K2.5: 4.2, int4 in groups of 32, attention, shared experts and dense layers left out by patterns.
    void quantizationPatterns()
    {
        const Result<ModelSpec> model =
            read(R"({"model_type": "deepseek_v3", "num_hidden_layers": 4, "hidden_size": 512, "num_attention_heads": 4,
            "kv_lora_rank": 64, "q_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32, "intermediate_size": 1024,
            "moe_intermediate_size": 128, "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1, "first_k_dense_replace": 1,
            "vocab_size": 1000, "quantization_config": {"quant_method": "compressed-tensors", "ignore": ["lm_head", "re:.*self_attn.*",
            "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*"], "config_groups": {"group_0": {"targets": ["Linear"], "weights":
            {"num_bits": 4, "type": "int", "group_size": 32, "strategy": "group"}}}}})");
        QVERIFY(model);
        QVERIFY(model->quantization);
        QVERIFY(model->quantization->format == Format::Int4Group32);
        for (int role = 0; role < roleCount; ++role)
            QCOMPARE(model->quantization->quantised[static_cast<std::size_t>(role)], role == static_cast<int>(Role::Experts));
    }
    // 4.2: an FP8 method and FP4 experts.
    void twoFormats()
    {
        for (const QJsonObject &config : fixtures()) {
            if (config[QLatin1String("model_type")].toString() != QLatin1String("deepseek_v4"))
                continue;
            QJsonObject stored = config;
            stored.insert(QStringLiteral("expert_dtype"), QStringLiteral("fp4"));
            stored.insert(QStringLiteral("quantization_config"), QJsonObject{{QStringLiteral("quant_method"), QStringLiteral("fp8")},
                                                                             {QStringLiteral("weight_block_size"), QJsonArray{128, 128}}});
            const Result<ModelSpec> model = read(QJsonDocument(stored).toJson());
            QVERIFY(model);
            QVERIFY(model->quantization);
            QVERIFY(model->quantization->format == Format::MXFP4);
            QVERIFY(model->quantization->quantised[static_cast<std::size_t>(Role::Experts)]);
            QVERIFY(!model->quantization->quantised[static_cast<std::size_t>(Role::Attention)]);
            QVERIFY(model->quantization->secondFormat == Format::FP8Block);
            QVERIFY(model->quantization->secondQuantised[static_cast<std::size_t>(Role::Attention)]);
            return;
        }
        QFAIL("no deepseek_v4 among the fixtures");
    }

    void safetensorsIndex()
    {
        const Result<ModelSpec> model = read(llama);
        QVERIFY(model);
        const Result<ModelSpec> measured = withSafetensorsIndex(
            *model, R"({"metadata": {"total_size": 16060522496}, "weight_map": {"lm_head.weight": "model-1.safetensors"}})", "index");
        QVERIFY(measured);
        QCOMPARE(measured->measuredWeights->value, 16'060'522'496);
        const auto refused = [&](const char *json) {
            const Result<ModelSpec> result = withSafetensorsIndex(*model, json, "index");
            return result ? -1 : static_cast<int>(result.error().code);
        };
        QCOMPARE(refused(R"({"metadata": {"total_size": 1}})"), static_cast<int>(ErrorCode::NotThisKind));
        QCOMPARE(refused(R"({"metadata": {}, "weight_map": {"a": "b"}})"), static_cast<int>(ErrorCode::MissingField));
        QCOMPARE(refused(R"({"metadata": {"total_size": -5}, "weight_map": {"a": "b"}})"), static_cast<int>(ErrorCode::OutOfRange));
        QCOMPARE(refused(R"({"metadata": {"total_size": "5"}, "weight_map": {"a": "b"}})"), static_cast<int>(ErrorCode::WrongType));
        QCOMPARE(refused(R"({"metadata": {"total_size": 5}, "weight_map": {"a": 1}})"), static_cast<int>(ErrorCode::WrongType));
        QCOMPARE(refused(R"({"metadata": {"total_size": 5}, "weight_map": {}})"), static_cast<int>(ErrorCode::WrongType));
    }

    void paths()
    {
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        const QDir dir(folder.path());
        writeBytes(dir.filePath(QStringLiteral("anything.txt")), llama);
        const Result<ModelSpec> file = modelFromPath(pathOf(dir.filePath(QStringLiteral("anything.txt"))));
        QVERIFY(file);
        QCOMPARE(file->name, "anything");
        QVERIFY(file->origin == ModelOrigin::File);
        QCOMPARE(QString::fromStdString(file->reference), dir.filePath(QStringLiteral("anything.txt")));

        QVERIFY(dir.mkdir(QStringLiteral("My-8B")));
        const QDir model(dir.filePath(QStringLiteral("My-8B")));
        writeBytes(model.filePath(QStringLiteral("config.json")), llama);
        // Two shards: 8-byte length 2, header "{}", then 1000 and 500 bytes. The consolidated copy does not count.
        const QByteArray head("\x02\0\0\0\0\0\0\0{}", 10);
        writeBytes(model.filePath(QStringLiteral("model-00001-of-00002.safetensors")), head + QByteArray(1000, 'x'));
        writeBytes(model.filePath(QStringLiteral("model-00002-of-00002.safetensors")), head + QByteArray(500, 'x'));
        writeBytes(model.filePath(QStringLiteral("consolidated.safetensors")), head + QByteArray(9000, 'x'));
        Result<ModelSpec> whole = modelFromPath(pathOf(model.path()));
        QVERIFY(whole);
        QCOMPARE(whole->name, "My-8B");
        QCOMPARE(whole->measuredWeights->value, 1500);

        writeBytes(model.filePath(QStringLiteral("model.safetensors.index.json")),
                   R"({"metadata": {"total_size": 1400}, "weight_map": {"a": "b"}})");
        writeBytes(model.filePath(QStringLiteral("hf_quant_config.json")),
                   R"({"quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}})");
        for (const char *name : {"", "/config.json", "/model.safetensors.index.json"}) {
            whole = modelFromPath(pathOf(model.path() + QString::fromLatin1(name)));
            QVERIFY(whole);
            QCOMPARE(whole->measuredWeights->value, 1400);
            QVERIFY(whole->quantization);
            QVERIFY(whole->quantization->format == Format::FP8);
            QCOMPARE(whole->quantization->method, "modelopt");
        }
        writeBytes(model.filePath(QStringLiteral("other.index.json")), R"({"metadata": {"total_size": 1300.0}, "weight_map": {"a": "b"}})");
        whole = modelFromPath(pathOf(model.filePath(QStringLiteral("other.index.json"))));
        QVERIFY(whole);
        QCOMPARE(whole->measuredWeights->value, 1300);
        writeBytes(model.filePath(QStringLiteral("model.safetensors.index.json")), "{");
        whole = modelFromPath(pathOf(model.path()));
        QVERIFY(!whole);
        QCOMPARE(static_cast<int>(whole.error().code), static_cast<int>(ErrorCode::NotJson));
        QVERIFY(QString::fromStdString(whole.error().where).endsWith(QLatin1String("model.safetensors.index.json")));
        QVERIFY(QFile::remove(model.filePath(QStringLiteral("config.json"))));
        whole = modelFromPath(pathOf(model.path()));
        QVERIFY(!whole);
        QCOMPARE(static_cast<int>(whole.error().code), static_cast<int>(ErrorCode::FileNotFound));
    }

    void badFiles()
    {
        QTemporaryDir folder;
        const QDir dir(folder.path());
        const auto codeOf = [&](const QString &name) {
            const Result<ModelSpec> model = modelFromPath(pathOf(dir.filePath(name)));
            return model ? -1 : static_cast<int>(model.error().code);
        };
        QCOMPARE(codeOf(QStringLiteral("absent.json")), static_cast<int>(ErrorCode::FileNotFound));
        QVERIFY(dir.mkdir(QStringLiteral("empty-folder")));
        QCOMPARE(codeOf(QStringLiteral("empty-folder")), static_cast<int>(ErrorCode::FileNotFound));
        QVERIFY(dir.mkpath(QStringLiteral("odd/config.json")));
        QCOMPARE(codeOf(QStringLiteral("odd")), static_cast<int>(ErrorCode::NotAFile));
        writeBytes(dir.filePath(QStringLiteral("empty.json")), {});
        QCOMPARE(codeOf(QStringLiteral("empty.json")), static_cast<int>(ErrorCode::FileEmpty));
        QFile large(dir.filePath(QStringLiteral("config.json")));
        QVERIFY(large.open(QIODevice::WriteOnly));
        QVERIFY(large.resize(qint64{2} << 30)); // sparse
        large.close();
        QCOMPARE(codeOf(QStringLiteral("config.json")), static_cast<int>(ErrorCode::FileTooLarge));
#ifndef Q_OS_WIN
        QCOMPARE(::mkfifo(qPrintable(dir.filePath(QStringLiteral("pipe"))), 0600), 0);
        QCOMPARE(codeOf(QStringLiteral("pipe")), static_cast<int>(ErrorCode::FileEmpty)); // nobody writes to it
        const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        qstrncpy(address.sun_path, qPrintable(dir.filePath(QStringLiteral("socket"))), sizeof address.sun_path);
        QCOMPARE(::bind(listener, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
        QCOMPARE(codeOf(QStringLiteral("socket")), static_cast<int>(ErrorCode::NotAFile));
        ::close(listener);
        QCOMPARE(static_cast<int>(readFile("/dev/zero").error().code), static_cast<int>(ErrorCode::NotAFile));
        if (::geteuid() != 0) { // root may read all
            writeBytes(dir.filePath(QStringLiteral("locked.json")), llama);
            QVERIFY(QFile::setPermissions(dir.filePath(QStringLiteral("locked.json")), {}));
            QCOMPARE(codeOf(QStringLiteral("locked.json")), static_cast<int>(ErrorCode::NoPermission));
        }
#endif
    }

    void writing()
    {
        QTemporaryDir folder;
        const QDir dir(folder.path());
        const auto path = pathOf(dir.filePath(QString::fromUtf8("d\xc3\xa9j\xc3\xa0.kvscope")));
        QVERIFY(!writeFile(path, "first"));
        QVERIFY(!writeFile(path, "second\n"));
        const Result<std::string> text = readFile(path);
        QVERIFY(text);
        QCOMPARE(*text, "second\n");
        QCOMPARE(dir.entryList(QDir::Files).size(), 1); // no temporary file stays
        QVERIFY(dir.mkdir(QStringLiteral("folder")));
        for (const QString &bad : {dir.filePath(QStringLiteral("folder")), dir.filePath(QStringLiteral("absent/file"))}) {
            const auto error = writeFile(pathOf(bad), "x");
            QVERIFY(error);
            QCOMPARE(static_cast<int>(error->code), static_cast<int>(ErrorCode::WriteFailed));
            QVERIFY(!error->detail.empty());
        }
#ifndef Q_OS_WIN
        QVERIFY(QFile::link(dir.filePath(QString::fromUtf8("d\xc3\xa9j\xc3\xa0.kvscope")), dir.filePath(QStringLiteral("link"))));
        QVERIFY(!writeFile(pathOf(dir.filePath(QStringLiteral("link"))), "third"));
        QVERIFY(QFileInfo(dir.filePath(QStringLiteral("link"))).isSymLink());
        QCOMPARE(*readFile(path), "third");
#endif
    }
};

QTEST_GUILESS_MAIN(TestImport)
#include "tst_import.moc"
