// SPDX-License-Identifier: GPL-3.0-or-later
// GGUF headers as models: layers, parameters by role, formats; real headers beside the answers of llama.cpp's own reader.
#include "core/import/ggufspec.h"

#include "core/import/gguf.h"
#include "core/import/import.h"
#include "tests/core/ggufwriter.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

Result<GgufModel> readBytes(const std::string &bytes)
{
    std::istringstream stream(bytes);
    return ggufFromInput(*bytesOf(stream), "small.gguf");
}

/// Empty if all is well.
template<typename T>
QString said(const Result<T> &result)
{
    return result ? QString() : QString::fromStdString(result.error().where + ", " + result.error().detail);
}

QDir sampleFolder() { return QDir(QStringLiteral(KVSCOPE_SHARED_DIR "/data/gguf")); }

QJsonObject jsonOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject();
}

std::filesystem::path pathOf(const QString &path) { return path.toStdU16String(); }

} // namespace

class TestGgufSpec : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void spec()
    {
        QTemporaryDir folder;
        const std::filesystem::path path = pathOf(folder.filePath(QStringLiteral("模型.bin")));
        const std::string whole = smallFile().whole();
        std::ofstream(path, std::ios::binary).write(whole.data(), static_cast<std::streamsize>(whole.size()));
        const Result<ModelSpec> model = modelFromPath(path);
        QVERIFY2(model, qPrintable(said(model)));
        QCOMPARE(model->name, "Small");
        QCOMPARE(QString::fromStdString(model->id), QStringLiteral("模型"));
        QCOMPARE(model->reference, shown(path));
        QCOMPARE(model->family, "llama");
        QCOMPARE(model->origin, ModelOrigin::File);
        QCOMPARE(model->layerCount(), 2);
        QCOMPARE(model->groups.size(), std::size_t{1});
        const LayerGroup &group = model->groups[0];
        QCOMPARE(group.mixer, Mixer::Full);
        QCOMPARE(group.queryHeads, 4);
        QCOMPARE(group.kvHeads, 2);
        QCOMPARE(group.keyDim, 16);
        QCOMPARE(group.parameters[Role::Attention], 64 * 64);
        QCOMPARE(group.parameters[Role::Small], 64);
        QCOMPARE(model->outer[Role::Embedding], 6400);
        QCOMPARE(model->outer[Role::Small], 64);
        QVERIFY(model->tiedEmbeddings && model->parametersKnown && !model->unknownArchitecture);
        QCOMPARE(model->quantization->format, Format::Q8_0);
        QCOMPARE(model->quantization->method, "gguf");
        QCOMPARE(model->measuredWeights->value, 6800 + 2 * 4352 + 3 * 256);
        QCOMPARE(model->trainedContext.value, 4096);
        QCOMPARE(model->vocab, 100);
    }

    /// What is stored of each role, to the byte; the blocks' matrices differ in type, the prediction block counts apart.
    void bytesByRole()
    {
        GgufFile file;
        file.text("general.architecture", "deepseek2").u32("deepseek2.block_count", 3).u32("deepseek2.context_length", 8);
        file.u32("deepseek2.embedding_length", 256).u32("deepseek2.attention.head_count", 4).u32("deepseek2.nextn_predict_layers", 1);
        file.tensor("token_embd.weight", {256, 10}, 12, 1440).tensor("blk.0.attn_q.weight", {256, 256}, 12, 36864);
        file.tensor("blk.1.attn_q.weight", {256, 256}, 14, 53760).tensor("blk.1.attn_norm.weight", {256}, 0, 1024);
        file.tensor("blk.2.attn_q.weight", {256, 256}, 1, 131072);
        const std::array<Bytes, roleCount> bytes = ggufBytesByRole(*readBytes(file.header()));
        const auto at = [&bytes](Role role) { return bytes[static_cast<std::size_t>(role)].value; };
        QCOMPARE(at(Role::Embedding), 10 * 144);
        QCOMPARE(at(Role::Attention), 256 * 144 + 256 * 210);
        QCOMPARE(at(Role::Small), 1024);
        QCOMPARE(at(Role::Mtp), 131072);
        const Result<ModelSpec> model = modelFromGguf(*readBytes(file.header()), "x");
        QCOMPARE(model->layerCount(), 2);
        QCOMPARE(model->outer[Role::Mtp], 65536);
    }

    /// Unknown architectures are read by the standard keys.
    void unknownArchitecture()
    {
        GgufFile file;
        file.text("general.architecture", "novel").u32("novel.block_count", 1).u32("novel.context_length", 8);
        file.u32("novel.embedding_length", 64).u32("novel.attention.head_count", 4);
        const Result<ModelSpec> model = modelFromGguf(*readBytes(file.header()), "x");
        QVERIFY(model && model->unknownArchitecture);
        QCOMPARE(model->groups[0].kvHeads, 4);
        QCOMPARE(model->groups[0].keyDim, 16);
        QVERIFY(!model->parametersKnown && !model->measuredWeights);
    }

    void roles_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QList<int>>("dims");
        QTest::addColumn<int>("role");
        const auto row = [](const char *name, QList<int> dims, Role role) {
            QTest::newRow(name) << QString::fromLatin1(name) << dims << static_cast<int>(role);
        };
        row("token_embd.weight", {8, 9}, Role::Embedding);
        row("output.weight", {8, 9}, Role::OutputHead);
        row("output_norm.weight", {8}, Role::Small);
        row("rope_freqs.weight", {8}, Role::Small);
        row("blk.0.attn_q.weight", {8, 8}, Role::Attention);
        row("blk.0.attn_q.bias", {8}, Role::Small);
        row("blk.0.attn_q_norm.weight", {8, 8}, Role::Small);
        row("blk.12.ffn_up.weight", {8, 8}, Role::Ffn);
        row("blk.0.ffn_gate_exps.weight", {8, 8, 4}, Role::Experts);
        row("blk.0.ffn_gate_exps.bias", {8, 4}, Role::Small);
        row("blk.0.ffn_up.3.weight", {8, 8}, Role::Experts);
        row("blk.0.ffn_up_shexp.weight", {8, 8}, Role::SharedExperts);
        row("blk.0.ffn_gate_inp.weight", {8, 4}, Role::Router);
        row("blk.0.ssm_in.weight", {8, 8}, Role::Recurrent);
        row("blk.0.ssm_conv1d.weight", {4, 8}, Role::Small);
        row("blk.0.ssm_a", {1, 8}, Role::Small);
        row("blk.0.shortconv.in_proj.weight", {8, 8}, Role::Recurrent);
        row("blk.0.shortconv.conv.weight", {3, 8}, Role::Small);
        row("blk.0.nextn.eh_proj.weight", {8, 8}, Role::Mtp);
        row("v.blk.0.attn_q.weight", {8, 8}, Role::Vision);
        row("enc.blk.0.attn_q.weight", {8, 8}, Role::Attention);
    }
    void roles()
    {
        QFETCH(QString, name);
        QFETCH(QList<int>, dims);
        QFETCH(int, role);
        GgufTensor tensor{name.toStdString(), {1, 1, 1, 1}, Format::F16};
        std::copy(dims.begin(), dims.end(), tensor.dims.begin());
        QCOMPARE(static_cast<int>(roleOfTensor(tensor)), role);
    }

    /// Real headers beside the answers of llama.cpp's own reader.
    void samples_data()
    {
        if (!sampleFolder().exists())
            QSKIP("../shared/data/gguf is not here: real headers are not compared");
        QTest::addColumn<QString>("name");
        const QStringList names{QStringLiteral("dense-gqa"),  QStringLiteral("hybrid-linear"), QStringLiteral("mla-moe"),
                                QStringLiteral("moe-window"), QStringLiteral("state-space"),   QStringLiteral("window-tied")};
        for (const QString &name : names)
            QTest::newRow(qPrintable(name)) << name;
    }
    void samples()
    {
        QFETCH(QString, name);
        const QDir folder = sampleFolder();
        const QJsonObject truth = jsonOf(folder.filePath(name + QStringLiteral(".json")));
        const Result<GgufModel> model = ggufFromFile(pathOf(folder.filePath(name + QStringLiteral(".gguf"))));
        QVERIFY2(model, qPrintable(said(model)));
        QCOMPARE(QString::fromStdString(model->architecture), truth[QLatin1String("arch")].toString());
        QCOMPARE(model->fileType, truth[QLatin1String("file_type")].toInt());
        QCOMPARE(model->vocab, truth[QLatin1String("n_vocab")].toInteger());
        const QJsonObject reader = truth[QLatin1String("reader")].toObject();
        QCOMPARE(std::ssize(model->tensors), reader[QLatin1String("n_tensors")].toInteger());
        QCOMPARE(model->tensorBytes().value, reader[QLatin1String("tensor_bytes")].toInteger());
        QMap<QString, qint64> byType;
        for (const GgufTensor &tensor : model->tensors)
            ++byType[QString::fromUtf8(infoOf(tensor.type).name.data())];
        const QJsonObject types = reader[QLatin1String("tensors_by_type")].toObject();
        QCOMPARE(byType.size(), types.size());
        for (auto it = types.begin(); it != types.end(); ++it)
            QCOMPARE(byType.value(it.key().toLower()), it.value().toInteger());
        const QJsonObject metadata = truth[QLatin1String("metadata")].toObject();
        for (auto it = metadata.begin(); it != metadata.end(); ++it) {
            const double number = it.value().toDouble(0.5);
            const QByteArray key = it.key().toUtf8();
            if (it.value().isDouble() && model->has(key.constData()))
                QCOMPARE(static_cast<double>(model->number(key.constData())), number);
            else // decimals and texts are not kept
                QVERIFY2(number != std::floor(number) || !it.value().isDouble() || key == "rope.freq_base" || key == "expert_weights_scale",
                         key);
        }
        QVERIFY(model->incomplete); // the data is left out
        const Result<ModelSpec> spec = modelFromGguf(*model, "x");
        const QJsonObject run = truth[QLatin1String("runs")].toArray().first()[QLatin1String("result")].toObject();
        QCOMPARE(spec->parameters().total(), run[QLatin1String("n_params")].toInteger());
        QCOMPARE(spec->measuredWeights->value, run[QLatin1String("model_file_bytes")].toInteger());
    }

    void splitSample()
    {
        if (!sampleFolder().exists())
            QSKIP("../shared/data/gguf is not here: the split sample is not compared");
        const QJsonObject truth = jsonOf(sampleFolder().filePath(QStringLiteral("split.json")));
        qint64 bytes = 0;
        for (const QJsonValue &reader : truth[QLatin1String("readers")].toArray())
            bytes += reader[QLatin1String("tensor_bytes")].toInteger();
        for (const QJsonValue &file : truth[QLatin1String("files")].toArray()) {
            const Result<GgufModel> model = ggufFromFile(pathOf(sampleFolder().filePath(file.toString())));
            QVERIFY2(model, qPrintable(said(model)));
            QCOMPARE(std::ssize(model->tensors), truth[QLatin1String("n_tensors_total")].toInteger());
            QCOMPARE(model->tensorBytes().value, bytes);
        }
    }
};

QTEST_APPLESS_MAIN(TestGgufSpec)
#include "tst_ggufspec.moc"
