// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog.h"
#include "core/import/import.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace kvscope;

namespace {

QString q(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QJsonObject object(std::string_view json)
{
    return QJsonDocument::fromJson(QByteArray(json.data(), static_cast<qsizetype>(json.size()))).object();
}

QByteArray userFile()
{
    QFile file(QStringLiteral(KVSCOPE_SOURCE_DIR "/tests/data/catalog-user.json"));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

double inGiB(Bytes bytes) { return static_cast<double>(bytes.value) / static_cast<double>(bytesPerGiB); }

/// The catalogue with a file of this text added; `error` is what addFile said.
Catalog withText(const QByteArray &text, std::optional<Error> &error)
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("own.json"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("no temporary file");
    file.close();
    Catalog catalog;
    error = catalog.addFile(path.toStdString());
    return catalog;
}

QStringList modelIds(const Catalog &catalog, const QString &text)
{
    QStringList ids;
    for (const int i : catalog.findModels(text.toStdString()))
        ids << q(catalog.models()[static_cast<std::size_t>(i)].id);
    return ids;
}

QStringList deviceIds(const Catalog &catalog, const QString &text)
{
    QStringList ids;
    for (const int i : catalog.findDevices(text.toStdString()))
        ids << q(catalog.devices()[static_cast<std::size_t>(i)].id);
    return ids;
}

} // namespace

class tst_Catalog : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void isLargeEnough()
    {
        const Catalog catalog;
        QVERIFY(catalog.models().size() >= 250);
        QVERIFY(catalog.devices().size() >= 220);
    }

    void idsAreUniqueAndSorted()
    {
        const Catalog catalog;
        QSet<QString> ids;
        for (const ModelListing &m : catalog.models())
            ids.insert(q(m.id));
        QCOMPARE(ids.size(), static_cast<qsizetype>(catalog.models().size()));
        QVERIFY(std::ranges::is_sorted(catalog.models(), {}, &ModelListing::id));
        ids.clear();
        for (const DeviceListing &d : catalog.devices())
            ids.insert(q(d.id));
        QCOMPARE(ids.size(), static_cast<qsizetype>(catalog.devices().size()));
        QVERIFY(std::ranges::is_sorted(catalog.devices(), {}, &DeviceListing::id));
    }

    /// spec/cli.md: the id is the last part of the Hugging Face id in lower case.
    void modelIdsFollowTheHub()
    {
        const Catalog catalog;
        for (const ModelListing &m : catalog.models()) {
            const QString hub = q(m.hubId);
            QVERIFY2(q(m.id) == hub.section(QLatin1Char('/'), -1).toLower() || q(m.id) == hub.toLower(), qPrintable(hub));
        }
    }

    /// spec/cli.md: ids are the catalogue names in lower case with hyphens.
    void deviceIdsFollowTheNames()
    {
        const Catalog catalog;
        for (const DeviceListing &d : catalog.devices()) {
            QString slug = q(d.name).toLower();
            slug.replace(QRegularExpression(QStringLiteral("[^a-z0-9.]+")), QStringLiteral("-"));
            while (slug.endsWith(QLatin1Char('-')))
                slug.chop(1);
            QCOMPARE(q(d.id), slug);
        }
    }

    void everyModelIsRead()
    {
        const Catalog catalog;
        for (const ModelListing &m : catalog.models()) {
            const Result<ModelSpec> model = catalog.model(m.id);
            QVERIFY2(bool(model), qPrintable(q(m.id) + QStringLiteral(": ") + (model ? QString() : q(model.error().where))));
            QCOMPARE(q(model->id), q(m.id));
            QCOMPARE(q(model->name), q(m.name));
            QVERIFY(model->origin == ModelOrigin::Catalogue);
            QVERIFY(model->layerCount() > 0);
            QVERIFY(!model->sources.empty());
            QVERIFY(m.maxContext == 0 || model->trainedContext.value == m.maxContext);
            QVERIFY2(bool(catalog.model(m.hubId)), qPrintable(q(m.hubId)));
        }
    }

    void everyDeviceIsRead()
    {
        const Catalog catalog;
        for (const DeviceListing &d : catalog.devices()) {
            const Result<Device> device = catalog.device(d.id);
            QVERIFY2(bool(device), qPrintable(q(d.id)));
            QCOMPARE(q(device->id), q(d.id));
            QVERIFY(device->memory.value == d.memoryBytes && device->memory > Bytes{});
            QVERIFY2(device->usable > Bytes{} && device->usable <= device->memory, qPrintable(q(d.id)));
            QVERIFY2(bool(catalog.device(d.name)), qPrintable(q(d.name)));
        }
    }

    void everyFigureHasASource()
    {
        const Catalog catalog;
        for (const ModelListing &m : catalog.models()) {
            const QJsonObject entry = object(catalog.modelEntry(m.id));
            QSet<QString> covered;
            for (const QJsonValue &source : entry[QStringLiteral("sources")].toArray()) {
                QVERIFY2(!source[QStringLiteral("url")].toString().isEmpty(), qPrintable(q(m.id)));
                for (const QJsonValue &group : source[QStringLiteral("for")].toArray())
                    covered << group.toString();
            }
            for (const char *group : {"config", "parameters", "weights", "released", "licence"}) {
                const QString name = QLatin1String(group);
                const bool remembered = name == QStringLiteral("licence") && entry[QStringLiteral("licence_from_memory")].toBool();
                QVERIFY2(!entry.contains(name) || covered.contains(name) || remembered, qPrintable(q(m.id) + QLatin1Char(' ') + name));
            }
            QVERIFY2(entry[QStringLiteral("parameters")].isUndefined() ||
                         !entry[QStringLiteral("parameters")][QStringLiteral("counted")].isNull(),
                     qPrintable(q(m.id)));
        }
        for (const DeviceListing &d : catalog.devices())
            QVERIFY2(!object(catalog.deviceEntry(d.id))[QStringLiteral("sources")].toArray().isEmpty(), qPrintable(q(d.id)));
    }

    void knownModels_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("kvHeads");
        QTest::addColumn<int>("headDim");
        QTest::addColumn<qint64>("parameters");
        QTest::addColumn<qint64>("context");
        // The models' own config files; counts as the Hub gives them (spec/serving-engines.md 8.5).
        QTest::newRow("llama 3.1 8b") << QStringLiteral("llama-3.1-8b-instruct") << 32 << 32 << 8 << 128 << qint64(8'030'261'248)
                                      << qint64(131'072);
        QTest::newRow("by hub id") << QStringLiteral("META-LLAMA/llama-3.1-8b-INSTRUCT") << 32 << 32 << 8 << 128 << qint64(8'030'261'248)
                                   << qint64(131'072);
        QTest::newRow("llama 3.3 70b") << QStringLiteral("llama-3.3-70b-instruct") << 80 << 64 << 8 << 128 << qint64(70'553'706'496)
                                       << qint64(131'072);
        QTest::newRow("qwen2.5 7b") << QStringLiteral("qwen2.5-7b-instruct") << 28 << 28 << 4 << 128 << qint64(7'615'616'512)
                                    << qint64(32'768);
        QTest::newRow("qwen3 30b") << QStringLiteral("qwen3-30b-a3b") << 48 << 32 << 4 << 128 << qint64(30'532'122'624) << qint64(40'960);
        QTest::newRow("mistral nemo") << QStringLiteral("mistral-nemo-instruct-2407") << 40 << 32 << 8 << 128 << qint64(12'247'782'400)
                                      << qint64(0);
        QTest::newRow("mixtral") << QStringLiteral("mixtral-8x7b-v0.1") << 32 << 32 << 8 << 128 << qint64(46'702'792'704) << qint64(32'768);
        QTest::newRow("gemma 2 9b") << QStringLiteral("gemma-2-9b-it") << 42 << 16 << 8 << 256 << qint64(9'241'705'984) << qint64(8'192);
        QTest::newRow("llama 2 13b") << QStringLiteral("llama-2-13b-hf") << 40 << 40 << 40 << 128 << qint64(13'015'864'320)
                                     << qint64(4'096);
        QTest::newRow("falcon 7b, one KV head") << QStringLiteral("falcon-7b") << 32 << 71 << 1 << 64 << qint64(6'921'720'704) << qint64(0);
    }

    void knownModels()
    {
        QFETCH(QString, id);
        QFETCH(int, layers);
        QFETCH(int, heads);
        QFETCH(int, kvHeads);
        QFETCH(int, headDim);
        QFETCH(qint64, parameters);
        QFETCH(qint64, context);
        const Result<ModelSpec> model = Catalog().model(id.toStdString());
        QVERIFY(bool(model));
        QCOMPARE(model->layerCount(), layers);
        QVERIFY(model->mainGroup());
        QCOMPARE(model->mainGroup()->queryHeads, heads);
        QCOMPARE(model->mainGroup()->kvHeads, kvHeads);
        QCOMPARE(model->mainGroup()->keyDim, headDim);
        QCOMPARE(model->parameters().total(), parameters);
        if (context > 0)
            QCOMPARE(model->trainedContext.value, context);
    }

    /// An entry that was read from the model's own files says what they say, though much was left out of it.
    void entriesSayWhatTheirFilesSay()
    {
        const QDir configs(QStringLiteral(KVSCOPE_SHARED_DIR "/data/configs"));
        const QDir quantisations(QStringLiteral(KVSCOPE_SHARED_DIR "/data/hf_quant_configs"));
        if (!configs.exists())
            QSKIP("the folder of original config files is not there");
        const Catalog catalog;
        int compared = 0;
        for (const ModelListing &m : catalog.models()) {
            const QString name = q(m.hubId).replace(QLatin1Char('/'), QStringLiteral("__")) + QStringLiteral(".json");
            // Where an entry takes a part from elsewhere, its note says so.
            const QString note = object(catalog.modelEntry(m.id))[QStringLiteral("note")].toString();
            if (!configs.exists(name) || note.contains(QStringLiteral("vision_config")))
                continue;
            QTemporaryDir folder;
            QVERIFY(QFile::copy(configs.filePath(name), folder.filePath(QStringLiteral("config.json"))));
            if (quantisations.exists(name))
                QVERIFY(QFile::copy(quantisations.filePath(name), folder.filePath(QStringLiteral("hf_quant_config.json"))));
            const Result<ModelSpec> file = modelFromPath(folder.filePath(QStringLiteral("config.json")).toStdString());
            const Result<ModelSpec> entry = catalog.model(m.id);
            QVERIFY2(bool(file) && bool(entry), qPrintable(q(m.id)));
            QVERIFY2(entry->groups == file->groups && entry->layout == file->layout && entry->outer == file->outer, qPrintable(q(m.id)));
            QVERIFY2(entry->quantization == file->quantization && entry->nativeFormat == file->nativeFormat, qPrintable(q(m.id)));
            QVERIFY2(entry->trainedContext == file->trainedContext && entry->assumptions == file->assumptions, qPrintable(q(m.id)));
            ++compared;
        }
        QVERIFY(compared >= 170);
    }

    void measuredWeights()
    {
        const Catalog catalog;
        // Sum of the repository's LFS pointers, models.tsv row bigscience/bloom.
        const Result<ModelSpec> bloom = catalog.model("bloom");
        QVERIFY(bool(bloom) && bloom->measuredWeights == Bytes{352'494'635'619});
        QVERIFY(q(bloom->measuredSource).contains(QStringLiteral("LFS")));
        // A listing of 642.14 GiB, to two decimals; FP8 with its scales, which the count of parameters does not give.
        const Result<ModelSpec> deepseek = catalog.model("deepseek-v3.2");
        QVERIFY(bool(deepseek) && deepseek->measuredWeights);
        QVERIFY(std::abs(inGiB(*deepseek->measuredWeights) - 642.14) < 0.01);
        QVERIFY(q(deepseek->measuredSource).contains(QStringLiteral("642.14")));
        // 14.96 GiB to two decimals says less than 8,030,261,248 parameters of 2 bytes.
        const Result<ModelSpec> llama = catalog.model("llama-3.1-8b-instruct");
        QVERIFY(bool(llama) && !llama->measuredWeights);
        // Derived from a count: not measured.
        const Result<ModelSpec> qwen = catalog.model("qwen2.5-7b-instruct");
        QVERIFY(bool(qwen) && !qwen->measuredWeights);
    }

    void copiesDoNotInheritQuantisation()
    {
        const Catalog catalog;
        // Their shape was read from a quantised upload, the checkpoints themselves are 16 bit.
        for (const char *id : {"gemma-4-31b-it", "qwen2.5-0.5b-instruct", "qwen3.6-27b", "deepseek-r1-distill-qwen-14b", "glm-5"}) {
            const Result<ModelSpec> model = catalog.model(id);
            QVERIFY2(bool(model) && !model->quantization, id);
        }
        for (const char *id : {"qwen3-8b-awq", "qwen3-32b-fp8", "deepseek-v3", "gpt-oss-20b", "qwen3-32b-nvfp4"}) {
            const Result<ModelSpec> model = catalog.model(id);
            QVERIFY2(bool(model) && model->quantization, id);
        }
    }

    void devices_data()
    {
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("id");
        QTest::addColumn<qint64>("memoryMiB");
        QTest::addColumn<double>("usableGiB"); // 0: estimated
        QTest::addColumn<double>("bandwidth");
        // What nvidia-smi and PyTorch print (gpus.tsv).
        for (const char *asked : {"geforce-rtx-4090", "rtx-4090", "RTX 4090", "rtx4090", "4090", "GeForce RTX 4090", "nvidia rtx 4090",
                                  "NVIDIA GeForce RTX 4090"})
            QTest::newRow(asked) << QString::fromLatin1(asked) << QStringLiteral("geforce-rtx-4090") << qint64(24'564) << 23.52 << 1008.0;
        for (const char *asked : {"h100", "h100-sxm5-80gb", "H100 SXM5 80GB", "h100-sxm5"})
            QTest::newRow(asked) << QString::fromLatin1(asked) << QStringLiteral("h100-sxm5-80gb") << qint64(81'559) << 79.10 << 3350.0;
        QTest::newRow("a100") << QStringLiteral("a100-sxm4-80gb") << QStringLiteral("a100-sxm4-80gb") << qint64(81'920) << 79.10 << 2039.0;
        QTest::newRow("h200") << QStringLiteral("h200") << QStringLiteral("h200-sxm-141gb") << qint64(143'771) << 139.81 << 4800.0;
        QTest::newRow("5090") << QStringLiteral("5090") << QStringLiteral("geforce-rtx-5090") << qint64(32'607) << 31.37 << 1792.0;
        QTest::newRow("mi300x") << QStringLiteral("mi300x") << QStringLiteral("instinct-mi300x") << qint64(196'592) << 191.98 << 5300.0;
        QTest::newRow("l40s") << QStringLiteral("L40S") << QStringLiteral("l40s") << qint64(46'068) << 0.0 << 864.0;
        QTest::newRow("radeon left out") << QStringLiteral("rx-7900-xtx") << QStringLiteral("radeon-rx-7900-xtx") << qint64(24'576) << 0.0
                                         << 960.0;
        QTest::newRow("apple") << QStringLiteral("m3 max") << QStringLiteral("apple-m3-max-40-core-gpu") << qint64(49'152) << 0.0 << 400.0;
    }

    void devices()
    {
        QFETCH(QString, asked);
        QFETCH(QString, id);
        QFETCH(qint64, memoryMiB);
        QFETCH(double, usableGiB);
        QFETCH(double, bandwidth);
        const Result<Device> device = Catalog().device(asked.toStdString());
        QVERIFY(bool(device));
        QCOMPARE(q(device->id), id);
        QCOMPARE(device->memory.value, memoryMiB * bytesPerMiB);
        QCOMPARE(device->bandwidthGBs, bandwidth);
        QCOMPARE(device->usableAssumed, usableGiB == 0.0);
        if (usableGiB > 0)
            QVERIFY(std::abs(inGiB(device->usable) - usableGiB) < 1e-6);
    }

    void usableIsEstimated()
    {
        const Catalog catalog;
        // 24564 MiB less 0.43 GiB and 0.18 % (the line through the measured cards): 23.988 - 0.43 - 0.0432 = 23.515 GiB.
        const Result<Device> card = catalog.device("rtx-3090-ti");
        QVERIFY(bool(card) && card->usableAssumed && !card->memoryAssumed);
        QVERIFY(std::abs(inGiB(card->usable) - 23.5151) < 0.001);
        // No driver figure: 16 GB x 2^30; Apple gives a GPU about two thirds up to 32 GiB, three quarters above.
        const Result<Device> small = catalog.device("apple-m1-16gb");
        QVERIFY(bool(small) && small->unified && small->memoryAssumed && small->memory == 16_GiB);
        QVERIFY(std::abs(inGiB(small->usable) - 16 * 0.667) < 0.001);
        const Result<Device> large = catalog.device("apple-m2-ultra-192gb");
        QVERIFY(bool(large) && large->memory == 192_GiB && large->usable == 144_GiB);
        // One catalogue name for a range of sizes: the smallest.
        const Result<Device> range = catalog.device("apple-m2-ultra");
        QVERIFY(bool(range) && range->memory == 64_GiB);
        // Nothing measured, nothing known to be taken: all of it, and said so.
        const Result<Device> radeon = catalog.device("radeon-rx-7900-xtx");
        QVERIFY(bool(radeon) && radeon->usable == radeon->memory && radeon->usableAssumed);
    }

    void machines()
    {
        const Catalog catalog;
        const auto count = [&](const char *text) {
            const Result<std::vector<Device>> machine = catalog.machine(text);
            return machine ? static_cast<int>(machine->size()) : -1;
        };
        QCOMPARE(count("RTX 4090"), 1);
        QCOMPARE(count("h100-sxm5-80gb x8"), 8);
        QCOMPARE(count("h100-sxm5-80gbx8"), 8);
        QCOMPARE(count("H100 SXM5 80GB X8"), 8);
        QCOMPARE(count("rtx-4090 + rtx-3090"), 2);
        QCOMPARE(count("rtx-4090 x2 + rtx-3090"), 3);
        QCOMPARE(count("rtx-4090+rtx-3090 x2"), 3);
        QCOMPARE(count("Ryzen AI Max+ 395"), 1);
        QCOMPARE(count("Ryzen AI Max+ 395 x2"), 2);
        QCOMPARE(count("ryzen ai max+ 395 + rtx-4090"), 2);
        QCOMPARE(count("MLU370-X8"), 1); // a name that ends like a count
        QCOMPARE(count("rtx-4090 x4096"), 4096);
        QCOMPARE(count("rtx-4090 x4097"), -1);
        QCOMPARE(count("rtx-4090 x4096 + rtx-4090"), -1);
        QCOMPARE(count("rtx-4090 x0"), -1);
        QCOMPARE(count("rtx-4090 x99999999999999999999"), -1);
        QCOMPARE(count("rtx-4090 +"), -1);
        QCOMPARE(count("x4"), -1);
        QCOMPARE(count(""), -1);
        const Result<std::vector<Device>> mixed = catalog.machine("rtx-4090 + rtx-3090");
        QVERIFY(bool(mixed));
        QCOMPARE(q((*mixed)[0].id), QStringLiteral("geforce-rtx-4090"));
        QCOMPARE(q((*mixed)[1].id), QStringLiteral("geforce-rtx-3090"));
        const Result<std::vector<Device>> wrong = catalog.machine("rtx-4090 + rtx-3099");
        QVERIFY(!wrong && wrong.error().code == ErrorCode::UnknownName);
        QCOMPARE(q(wrong.error().where), QStringLiteral("rtx-3099"));
    }

    void unknownNamesSuggestNearOnes()
    {
        const Catalog catalog;
        const Result<Device> device = catalog.device("rtx-4091");
        QVERIFY(!device && device.error().code == ErrorCode::UnknownName);
        QVERIFY(q(device.error().detail).contains(QStringLiteral("rtx-4090")));
        const Result<ModelSpec> model = catalog.model("llama-3.1-8b-instuct");
        QVERIFY(!model && model.error().code == ErrorCode::UnknownName);
        QVERIFY(q(model.error().detail).contains(QStringLiteral("llama-3.1-8b-instruct")));
        const Result<ModelSpec> hub = catalog.model("meta-lama/Llama-3.1-8B-Instruct");
        QVERIFY(!hub && q(hub.error().detail).contains(QStringLiteral("meta-llama/Llama-3.1-8B-Instruct")));
        QVERIFY(!catalog.model("") && !catalog.device("  "));
    }

    void ambiguousNamesNameTheirCandidates()
    {
        const Catalog catalog;
        for (const auto &[asked, candidates] :
             {std::pair{"a100", QStringLiteral("a100-pcie-40gb, a100-pcie-80gb, a100-sxm4-40gb, a100-sxm4-80gb")},
              std::pair{"rtx-3080", QStringLiteral("geforce-rtx-3080-10gb, geforce-rtx-3080-12gb")}}) {
            const Result<Device> device = catalog.device(asked);
            QVERIFY(!device && device.error().code == ErrorCode::AmbiguousName);
            QCOMPARE(q(device.error().detail), candidates);
        }
    }

    void findsInBothLanguages()
    {
        const Catalog catalog;
        QCOMPARE(modelIds(catalog, QString()).size(), static_cast<qsizetype>(catalog.models().size()));
        QCOMPARE(modelIds(catalog, QStringLiteral("llama-3.1-8b-instruct")).value(0), QStringLiteral("llama-3.1-8b-instruct"));
        QVERIFY(modelIds(catalog, QStringLiteral("LLAMA 70b")).contains(QStringLiteral("llama-3.3-70b-instruct")));
        QCOMPARE(modelIds(catalog, QStringLiteral("Mixtral")).value(0), QStringLiteral("mixtral-8x7b-v0.1"));
        for (const auto &[text, id] :
             {std::pair{u"通义千问 7b", "qwen2.5-7b-instruct"}, std::pair{u"千问3 32b", "qwen3-32b"}, std::pair{u"深度求索", "deepseek-v3"},
              std::pair{u"智谱", "glm-4.5"}, std::pair{u"百川", "baichuan2-7b-chat"}, std::pair{u"书生", "internlm3-8b-instruct"},
              std::pair{u"零一万物", "yi-34b"}, std::pair{u"混元", "hunyuan-a13b-instruct"}, std::pair{u"月之暗面", "kimi-k2-instruct"},
              std::pair{u"面壁", "minicpm4-8b"}, std::pair{u"阶跃", "step-3.5-flash"}, std::pair{u"稀宇", "minimax-m2"},
              std::pair{u"小米", "mimo-7b-base"}, std::pair{u"字节", "seed-oss-36b-instruct"}})
            QVERIFY2(modelIds(catalog, QString::fromUtf16(text)).contains(QLatin1String(id)), id);
        QVERIFY(modelIds(catalog, QStringLiteral("no such model")).isEmpty());

        QCOMPARE(deviceIds(catalog, QStringLiteral("4090")).value(0), QStringLiteral("geforce-rtx-4090"));
        for (const auto &[text, id] :
             {std::pair{u"英伟达 4090", "geforce-rtx-4090"}, std::pair{u"昇腾", "ascend-910b2"}, std::pair{u"华为", "ascend-910b2"},
              std::pair{u"超威 7900", "radeon-rx-7900-xtx"}, std::pair{u"英特尔", "arc-b580"}, std::pair{u"苹果 m3", "apple-m3"},
              std::pair{u"摩尔线程", "moore-threads-mtt-s4000"}, std::pair{u"寒武纪", "cambricon-mlu370-x8"},
              std::pair{u"沐曦", "metax-c550"}, std::pair{u"数据中心 h100", "h100-sxm5-80gb"}})
            QVERIFY2(deviceIds(catalog, QString::fromUtf16(text)).contains(QLatin1String(id)), id);
    }

    void userFileAddsAndReplaces()
    {
        std::optional<Error> error;
        const Catalog catalog = withText(userFile(), error);
        QVERIFY2(!error, error ? error->where.c_str() : "");
        const Catalog plain;
        QCOMPARE(catalog.models().size(), plain.models().size() + 1);
        QCOMPARE(catalog.devices().size(), plain.devices().size() + 1);

        for (const char *name : {"house-7b", "example/House-7B", "House 7B", "haus"}) {
            const Result<ModelSpec> model = catalog.model(name);
            QVERIFY2(bool(model), name);
            QCOMPARE(model->layerCount(), 32);
            QCOMPARE(model->trainedContext.value, qint64(16'384));
        }
        QCOMPARE(modelIds(catalog, QStringLiteral("自家")), QStringList{QStringLiteral("house-7b")});
        QCOMPARE(modelIds(catalog, QStringLiteral("羊驼 house")), QStringList{QStringLiteral("house-7b")}); // words of the family it names

        const Result<Device> modded = catalog.device("modded");
        QVERIFY(bool(modded) && modded->memory == 49140_MiB);
        QVERIFY(catalog.device("rtx-4090")->memory == 49140_MiB);
        QVERIFY(plain.device("rtx-4090")->memory == 24564_MiB);
        const Result<Device> lab = catalog.device("lab card");
        QVERIFY(bool(lab) && lab->memory == 20_GiB && lab->memoryAssumed && lab->usable == lab->memory);
        QVERIFY(!object(catalog.deviceEntry("lab-card")).isEmpty());
        QVERIFY(bool(catalog.model("llama-3.1-8b-instruct"))); // the built-in ones are still there

        Catalog twice = catalog;
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("again.json"));
        QVERIFY(QFile::copy(QStringLiteral(KVSCOPE_SOURCE_DIR "/tests/data/catalog-user.json"), path));
        QVERIFY(!twice.addFile(path.toStdString()));
        QCOMPARE(twice.models().size(), catalog.models().size());
        QVERIFY(bool(twice.device("modded")) && bool(twice.model("haus")));
    }

    void userFileCutAnywhereAddsNothing()
    {
        const QByteArray whole = userFile().trimmed();
        QVERIFY(whole.size() > 500);
        const std::size_t models = Catalog().models().size(), devices = Catalog().devices().size();
        for (qsizetype n = 0; n < whole.size(); ++n) {
            std::optional<Error> error;
            const Catalog catalog = withText(whole.left(n), error);
            QVERIFY2(error, qPrintable(QString::number(n)));
            QVERIFY(error->code == ErrorCode::NotJson || error->code == ErrorCode::FileEmpty);
            QCOMPARE(catalog.models().size(), models);
            QCOMPARE(catalog.devices().size(), devices);
        }
    }

    void userFileErrorsNameThePlace_data()
    {
        QTest::addColumn<QByteArray>("from");
        QTest::addColumn<QByteArray>("to");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("where");
        const auto row = [](const char *name, const char *from, const char *to, ErrorCode code, const char *where) {
            QTest::newRow(name) << QByteArray(from) << QByteArray(to) << static_cast<int>(code) << QString::fromLatin1(where);
        };
        row("no name", "\"name\": \"Lab Card\",", "", ErrorCode::MissingField, "devices[1].name");
        row("no id", "\"id\": \"lab-card\",", "", ErrorCode::MissingField, "devices[1].id");
        row("capital id", "\"id\": \"lab-card\"", "\"id\": \"Lab Card\"", ErrorCode::OutOfRange, "devices[1].id");
        row("no memory", "\"memory\": {\"nominal_gb\": 20}", "\"memory\": {}", ErrorCode::MissingField, "devices[1].memory.nominal_gb");
        row("memory as text", "\"driver_mib\": 49140", "\"driver_mib\": \"49140\"", ErrorCode::WrongType, "devices[0].memory.driver_mib");
        row("negative memory", "\"driver_mib\": 49140", "\"driver_mib\": -1", ErrorCode::OutOfRange, "devices[0].memory.driver_mib");
        row("absurd memory", "\"driver_mib\": 49140", "\"driver_mib\": 18446744073709551615", ErrorCode::OutOfRange,
            "devices[0].memory.driver_mib");
        row("part of a MiB", "\"driver_mib\": 49140", "\"driver_mib\": 49140.5", ErrorCode::WrongType, "devices[0].memory.driver_mib");
        row("no bandwidth", "\"bandwidth_gbs\": 1008", "\"bandwidth_gbs\": 0", ErrorCode::OutOfRange, "devices[0].memory.bandwidth_gbs");
        row("NaN", "\"bandwidth_gbs\": 1008", "\"bandwidth_gbs\": NaN", ErrorCode::WrongType, "devices[0].memory.bandwidth_gbs");
        row("more usable than there is", "\"nominal_gb\": 20", "\"nominal_gb\": 20, \"torch_gib\": 21", ErrorCode::OutOfRange,
            "devices[1].memory");
        row("aliases no list", "\"aliases\": [\"modded\"]", "\"aliases\": \"modded\"", ErrorCode::WrongType, "devices[0].aliases");
        row("alias no text", "\"aliases\": [\"modded\"]", "\"aliases\": [1]", ErrorCode::WrongType, "devices[0].aliases[0]");
        row("id twice", "\"id\": \"lab-card\"", "\"id\": \"geforce-rtx-4090\"", ErrorCode::AmbiguousName, "devices[1].id");
        row("no config", "\"config\": {", "\"konfig\": {", ErrorCode::MissingField, "models[0].config");
        row("newer form", "\"schema\": 1", "\"schema\": 2", ErrorCode::NewerVersion, "");
        row("another file", "\"models\": [", "\"scenario\": [", ErrorCode::NotThisKind, "");
    }

    void userFileErrorsNameThePlace()
    {
        QFETCH(QByteArray, from);
        QFETCH(QByteArray, to);
        QFETCH(int, code);
        QFETCH(QString, where);
        QByteArray text = userFile();
        QVERIFY(text.contains(from));
        text.replace(from, to);
        if (code == static_cast<int>(ErrorCode::NotThisKind))
            text.replace("\"devices\"", "\"clusters\"");
        std::optional<Error> error;
        const Catalog catalog = withText(text, error);
        QVERIFY(error.has_value());
        QCOMPARE(static_cast<int>(error->code), code);
        if (!where.isEmpty())
            QCOMPARE(q(error->where), where);
        QVERIFY(!error->where.empty());
        QCOMPARE(catalog.devices().size(), Catalog().devices().size());
    }

    void aBrokenConfigIsNamedWithItsEntry()
    {
        QByteArray text = userFile();
        text.replace("\"num_hidden_layers\": 32", "\"num_hidden_layers\": 0");
        std::optional<Error> error;
        withText(text, error);
        QVERIFY(error.has_value());
        QVERIFY2(q(error->where).startsWith(QStringLiteral("models[0].config")), error->where.c_str());
        QVERIFY2(q(error->where).contains(QStringLiteral("num_hidden_layers")), error->where.c_str());
    }

    void filesThatCannotBeRead()
    {
        Catalog catalog;
        QVERIFY(catalog.addFile("/no/such/file.json")->code == ErrorCode::FileNotFound);
        QVERIFY(catalog.addFile("/")->code == ErrorCode::NotAFile);
    }

    void releases_data()
    {
        QTest::addColumn<QString>("version");
        QTest::addColumn<QString>("date"); // empty: older than all that is listed
        QTest::addColumn<bool>("listed");
        // spec/transformers.md 0.1
        QTest::newRow("newest") << QString() << QStringLiteral("2026-08-06") << true;
        QTest::newRow("release") << QStringLiteral("4.46.0") << QStringLiteral("2024-10-17") << true;
        QTest::newRow("with v, no patch") << QStringLiteral("v4.46") << QStringLiteral("2024-10-17") << true;
        QTest::newRow("holds all its changes") << QStringLiteral("4.42.1") << QStringLiteral("2024-06-27") << true;
        QTest::newRow("nearest below") << QStringLiteral("4.48.3") << QStringLiteral("2024-10-17") << false;
        QTest::newRow("minor is a number") << QStringLiteral("4.9") << QString() << false;
        QTest::newRow("development") << QStringLiteral("5.16.0.dev0") << QStringLiteral("2026-08-06") << false;
        QTest::newRow("day of a change") << QStringLiteral("2025-07-21") << QStringLiteral("2025-07-21") << true;
        QTest::newRow("day before it") << QStringLiteral("2025-07-20") << QStringLiteral("2025-06-26") << true;
        QTest::newRow("before all") << QStringLiteral("2020-01-01") << QString() << false;
    }

    void releases()
    {
        QFETCH(QString, version);
        QFETCH(QString, date);
        QFETCH(bool, listed);
        const Result<ResolvedRelease> release = resolveRelease(EngineId::Transformers, version.toStdString());
        QVERIFY(bool(release));
        QCOMPARE(release->release ? q(release->release->date) : QString(), date);
        QCOMPARE(release->listed, listed);
    }

    void versionsThatAreNone()
    {
        for (const char *version : {"banana", "4.x", "2025-13-01", "2025-7-1", "-4.1", "4..1", "99999999999999999999"}) {
            const Result<ResolvedRelease> release = resolveRelease(EngineId::Transformers, version);
            QVERIFY2(!release && release.error().code == ErrorCode::UnknownName, version);
            QVERIFY(q(release.error().detail).startsWith(QStringLiteral("5.15, 5.13")));
        }
        QVERIFY(engineReleases(EngineId::Formula).empty());
        QVERIFY(std::ranges::is_sorted(engineReleases(EngineId::Transformers), {}, &EngineRelease::date));
    }
};

QTEST_APPLESS_MAIN(tst_Catalog)
#include "tst_catalog.moc"
