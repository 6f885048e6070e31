// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter counts from configs against published ones: spec/serving-engines.md 8.5, "Check values" and the formula column of "Not exact";
// t5-small, Whisper, Mistral Small 3.1, GLM-4.1V, Llama 3.2 Vision, Step 3.5 and Qwen2-VL: the Hub's counts.
#include "core/import/import.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

namespace {

QJsonArray publishedModels()
{
    QFile file(QStringLiteral(KVSCOPE_SOURCE_DIR "/tests/data/published.json"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return QJsonDocument::fromJson(file.readAll()).array();
}

ModelSpec read(const QByteArray &json)
{
    const Result<ModelSpec> model = modelFromConfig(std::string_view(json.constData(), static_cast<std::size_t>(json.size())), "test");
    return model ? *model : ModelSpec{};
}

ModelSpec published(const char *name)
{
    for (const QJsonValue &entry : publishedModels())
        if (entry[QLatin1String("model")].toString() == QLatin1String(name))
            return read(QJsonDocument(entry[QLatin1String("config")].toObject()).toJson());
    return {};
}

} // namespace

class TestParameters : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void published_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("counts");
        QTest::addColumn<qint64>("parameters");
        const QJsonArray models = publishedModels();
        QVERIFY(models.size() > 150);
        for (const QJsonValue &entry : models)
            QTest::newRow(qPrintable(entry[QLatin1String("model")].toString()))
                << QJsonDocument(entry[QLatin1String("config")].toObject()).toJson() << entry[QLatin1String("counts")].toString()
                << entry[QLatin1String("parameters")].toInteger();
    }
    void published()
    {
        QFETCH(QByteArray, config);
        QFETCH(QString, counts);
        QFETCH(qint64, parameters);
        const Result<ModelSpec> model = modelFromConfig(config.toStdString(), "test");
        if (!model)
            QFAIL(model.error().where.c_str());
        const RoleCounts roles = model->parameters();
        qint64 counted = roles.total();
        if (counts != QLatin1String("all"))
            counted -= roles[Role::Mtp];
        if (counts == QLatin1String("language"))
            counted -= roles[Role::Vision];
        QCOMPARE(counted, parameters);
    }

    // 4.3: what the formats apply to, and what stays 16 bit.
    void roles()
    {
        const ModelSpec llama = ::published("Llama-3-8B");
        QCOMPARE(llama.parameters()[Role::Attention] + llama.parameters()[Role::Ffn], 6'979'321'856);
        QCOMPARE(llama.parameters()[Role::Embedding], 128'256LL * 4096);
        QCOMPARE(llama.parameters()[Role::OutputHead], 128'256LL * 4096);
        QCOMPARE(llama.parameters()[Role::Small], 65LL * 4096);
        const ModelSpec large = ::published("Llama-3.1-70B");
        QCOMPARE(large.parameters()[Role::Attention] + large.parameters()[Role::Ffn], 68'451'041'280);
        const ModelSpec oss = ::published("gpt-oss-120b");
        QCOMPARE(oss.parameters()[Role::Experts], 114'661'785'600);
        QCOMPARE(oss.expertVectors, 39'813'120);
        QCOMPARE(oss.parameters().total() - oss.parameters()[Role::Experts] - oss.expertVectors, 2'127'557'952);
        QCOMPARE(::published("DeepSeek-V4-Flash").parameters()[Role::Experts], 277'025'390'592);
        const ModelSpec v3 = ::published("DeepSeek-V3, main");
        QCOMPARE(v3.outer[Role::Mtp], 11'610'068'224 + 1'853'358'080);
    }

    // Active parameters, embeddings and head included.
    void active()
    {
        QCOMPARE(::published("Llama-3-8B").activeParameters(), 8'030'261'248);
        // Mixtral: 2 of 8 experts of 3 x 4096 x 14336 in 32 layers
        QCOMPARE(::published("Mixtral-8x7B").activeParameters(), 46'702'792'704 - 32LL * 6 * 3 * 4096 * 14336);
        // gpt-oss-120b: 4 of 128, each with its biases 2 x 2880 + 2880
        QCOMPARE(::published("gpt-oss-120b").activeParameters(), 116'829'156'672 - 36LL * 124 * (3LL * 2880 * 2880 + 3 * 2880));
        // Qwen3-30B-A3B: 8 of 128
        QCOMPARE(::published("Qwen3-30B-A3B").activeParameters(), 30'532'122'624 - 48LL * 120 * 3 * 2048 * 768);
    }

    // 2.7: state bytes of one layer, k - 1 columns in bf16, the recurrence in bf16 or fp32.
    void states_data()
    {
        QTest::addColumn<QString>("model");
        QTest::addColumn<bool>("inFloat");
        QTest::addColumn<qint64>("bytes");
        QTest::newRow("gated delta, bf16") << "Qwen3-Next-80B" << false << qint64{1'097'728};
        QTest::newRow("gated delta, fp32") << "Qwen3.5-35B-A3B" << true << qint64{2'146'304};
        QTest::newRow("gated delta, 48 value heads") << "Qwen3.5-27B" << true << qint64{3'207'168};
        QTest::newRow("Mamba 2") << "Nemotron-3-Nano-30B" << true << qint64{2'134'016};
        QTest::newRow("Mamba 1") << "Jamba-v0.1" << false << qint64{311'296};
        QTest::newRow("KDA") << "Kimi-Linear-48B" << true << qint64{2'170'880};
    }
    void states()
    {
        QFETCH(QString, model);
        QFETCH(bool, inFloat);
        QFETCH(qint64, bytes);
        const ModelSpec spec = ::published(qPrintable(model));
        const auto group =
            std::find_if(spec.groups.begin(), spec.groups.end(), [](const LayerGroup &g) { return g.state.kind != Recurrence::None; });
        QVERIFY(group != spec.groups.end());
        QCOMPARE(group->state.alwaysF32, inFloat);
        QCOMPARE(group->state.convChannels * (group->state.convKernel - 1) * 2 + group->state.elements * (inFloat ? 4 : 2), bytes);
    }
    // spec/transformers.md 2.6: all k columns, the recurrence in fp32.
    void mambaState()
    {
        const ModelSpec spec = ::published("mamba-2.8b");
        QCOMPARE(spec.layerCount(), 64);
        QCOMPARE(spec.groups.size(), std::size_t{1});
        const RecurrentState &state = spec.groups.front().state;
        QCOMPARE(state.convChannels * state.convKernel * 2, 40'960);
        QCOMPARE(state.elements * 4, 327'680);
        QVERIFY(!spec.groups.front().hasCache());
    }
};

QTEST_GUILESS_MAIN(TestParameters)
#include "tst_parameters.moc"
