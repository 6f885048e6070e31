// SPDX-License-Identifier: GPL-3.0-or-later
// Real config.json files against the table of models that was gathered beside them. Both lie outside the repository.
#include "core/import/import.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace kvscope;

namespace {

const QString dataFolder = QStringLiteral(KVSCOPE_SHARED_DIR "/data");

using Row = QHash<QString, QString>;

QList<Row> tableRows()
{
    QFile file(dataFolder + QStringLiteral("/models.tsv"));
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text))
        return {};
    const auto split = [](const QByteArray &line) { return QString::fromUtf8(line).remove(QLatin1Char('\n')).split(QLatin1Char('\t')); };
    const QStringList names = split(file.readLine());
    QList<Row> rows;
    while (!file.atEnd()) {
        const QStringList cells = split(file.readLine());
        Row row;
        for (qsizetype i = 0; i < std::min(names.size(), cells.size()); ++i)
            if (!cells[i].isEmpty())
                row.insert(names[i], cells[i]);
        rows.append(row);
    }
    return rows;
}

/// Cells that say something else than the config beside them; what the config says stands.
struct WrongCell {
    const char *model;
    const char *column;
    const char *why;
};
constexpr WrongCell wrongCells[] = {
    {"XiaomiMiMo/MiMo-7B-Base", "sliding_window", "use_sliding_window is false"},
    {"XiaomiMiMo/MiMo-7B-Base", "full_attn_layers", "the same"},
    {"XiaomiMiMo/MiMo-7B-Base", "sliding_layers", "the same"},
    {"XiaomiMiMo/MiMo-V2-Flash", "full_attn_layers", "hybrid_layer_pattern has 9 zeros; the row reads attention_chunk_size as Llama 4's"},
    {"XiaomiMiMo/MiMo-V2-Flash", "sliding_layers", "the same"},
    {"nvidia/Llama-3_3-Nemotron-Super-49B-v1", "kv_heads", "block_configs say 8 heads a group of 64"},
    {"nvidia/Llama-3_3-Nemotron-Super-49B-v1", "full_attn_layers", "31 of 80 blocks are no_op"},
    {"meta-llama/Llama-3.2-11B-Vision-Instruct", "full_attn_layers", "8 of 40 layers are cross attention"},
    {"nvidia/GLM-5.2-NVFP4", "full_attn_layers", "deepseek_sparse_attention counted as no kind of attention"},
    {"Qwen/QwQ-32B", "max_position", "the row takes another copy's value"},
    {"moonshotai/Kimi-K2-Thinking", "total_params", "60 x 384 score biases left out; 8.5 counts them"},
    {"moonshotai/Kimi-K2-Thinking", "active_params", "the same"},
    {"Ba2han/augment-multi-ft2", "total_params", "22 x 32 router biases left out; 8.5 counts them"},
    {"LiquidAI/LFM2-8B-A1B", "total_params", "the same"},
    {"google/gemma-3-12b-it", "total_params", "the row adds a tower that the text-only config has not"},
};

bool known(const Row &row, const QString &column)
{
    const QString model = row[QStringLiteral("hf_id")];
    return std::any_of(std::begin(wrongCells), std::end(wrongCells),
                       [&](const WrongCell &cell) { return model == QLatin1String(cell.model) && column == QLatin1String(cell.column); });
}

int layersOf(const ModelSpec &model, const std::function<bool(const LayerGroup &)> &wanted)
{
    return static_cast<int>(
        std::count_if(model.layout.begin(), model.layout.end(), [&](std::uint16_t group) { return wanted(model.groups[group]); }));
}

} // namespace

class TestConfigs : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }
    void initTestCase()
    {
        if (!QDir(dataFolder + QStringLiteral("/configs")).exists())
            QSKIP("the collected config files are not at hand");
    }

    void everyConfigIsRead()
    {
        const QDir folder(dataFolder + QStringLiteral("/configs"));
        const QStringList files = folder.entryList({QStringLiteral("*.json")}, QDir::Files);
        QVERIFY(!files.isEmpty());
        for (const QString &name : files) {
            const Result<ModelSpec> model = modelFromPath(folder.filePath(name).toStdString());
            if (!model)
                QFAIL(qPrintable(name + QStringLiteral(": ") + QString::fromStdString(model.error().where)));
            QVERIFY(model->layerCount() > 0);
            QVERIFY(model->parameters().total() > 0);
            // Families that 8.4 does not name are read by the standard field names, with the mark that warns.
            const bool unnamed = model->family == "molmo";
            QVERIFY2(model->unknownArchitecture == unnamed, qPrintable(name));
        }
    }

    void table_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<Row>("row");
        for (const Row &row : tableRows()) {
            const QString file = dataFolder + QLatin1Char('/') + row[QStringLiteral("config_file")];
            if (row.contains(QStringLiteral("config_file")) && row[QStringLiteral("config_file")].startsWith(QLatin1String("configs/")) &&
                QFile::exists(file))
                QTest::newRow(qPrintable(row[QStringLiteral("hf_id")])) << file << row;
        }
    }
    void table()
    {
        QFETCH(QString, file);
        QFETCH(Row, row);
        const Result<ModelSpec> read = modelFromPath(file.toStdString());
        QVERIFY(read);
        const ModelSpec &model = *read;
        QStringList differences;
        const auto compare = [&](const char *column, qint64 ours) {
            const QString name = QString::fromLatin1(column);
            bool isNumber = false;
            const qint64 theirs = row.value(name).toLongLong(&isNumber);
            if (isNumber && theirs != ours && !known(row, name))
                differences.append(QStringLiteral("%1: %2 in the table, %3 read").arg(name).arg(theirs).arg(ours));
        };
        compare("layers", model.layerCount());
        compare("hidden", model.hidden);
        compare("vocab", model.vocab);
        compare("max_position", model.trainedContext.value);
        compare("experts", model.experts);
        compare("experts_per_token", model.expertsPerToken);
        compare("moe_intermediate", model.expertIntermediate);

        const auto windowed = [](const LayerGroup &g) { return g.mixer == Mixer::Sliding || g.mixer == Mixer::Chunked; };
        const auto full = [](const LayerGroup &g) { return g.mixer == Mixer::Full || g.mixer == Mixer::Latent; };
        compare("full_attn_layers", layersOf(model, full));
        compare("sliding_layers", layersOf(model, windowed));
        const int recurrent = layersOf(model, [](const LayerGroup &g) { return g.state.kind != Recurrence::None; });
        if (row.value(QStringLiteral("mamba_layers")).toInt() > 0)
            compare("mamba_layers", recurrent);
        if (row.value(QStringLiteral("linear_layers")).toInt() > 0)
            compare("linear_layers", recurrent);

        // Gemma 4's full layers have heads of their own; the table speaks of the sliding ones.
        const bool twoKinds = model.family == "gemma4_text";
        const auto main = std::find_if(model.groups.begin(), model.groups.end(),
                                       [&](const LayerGroup &g) { return twoKinds ? windowed(g) : g.hasCache(); });
        if (main != model.groups.end()) {
            // MiMo V2 and Step: the table speaks of the full layers.
            const auto first = model.mainGroup() && !twoKinds ? *model.mainGroup() : *main;
            compare("attention_heads", first.queryHeads);
            if (first.mixer == Mixer::Latent) {
                compare("kv_lora_rank", first.latentDim);
                compare("qk_rope_head_dim", first.ropeDim);
            } else {
                compare("kv_heads", first.kvHeads);
                compare("head_dim", first.keyDim);
                compare("v_head_dim", first.valueDim);
            }
        }
        qint64 window = 0;
        for (const LayerGroup &group : model.groups)
            window = std::max<qint64>(window, group.window.value);
        compare("sliding_window", window);
        if (row.contains(QStringLiteral("tied_embeddings")) &&
            row[QStringLiteral("tied_embeddings")].startsWith(QLatin1String("true")) != model.tiedEmbeddings)
            differences.append(QStringLiteral("tied_embeddings"));

        // Counts that rest on the config's arithmetic or equal it; towers and prediction layers are in some of them.
        const QString basis = row.value(QStringLiteral("total_params_basis"));
        if (basis.startsWith(QLatin1String("config formula")) || basis.startsWith(QLatin1String("index total_size"))) {
            const RoleCounts counts = model.parameters();
            const qint64 language = counts.total() - counts[Role::Vision] - counts[Role::Mtp];
            const qint64 theirs = row.value(QStringLiteral("total_params")).toLongLong();
            if (theirs != language + counts[Role::Vision])
                compare("total_params", language);
        }
        if (row.value(QStringLiteral("active_params_basis")).startsWith(QLatin1String("config formula")))
            compare("active_params", model.activeParameters());
        if (!differences.isEmpty())
            QFAIL(qPrintable(differences.join(QLatin1String("; "))));
    }

    // The indexes beside the configs: bytes as stored, and two a parameter where the model is stored in 16 bit.
    void indexes_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<qint64>("parameters");
        QTest::newRow("SmolLM3-3B") << "HuggingFaceTB__SmolLM3-3B" << qint64{3'075'098'624};
        QTest::newRow("gemma-2b-it") << "google__gemma-2b-it" << qint64{2'506'172'416};
        QTest::newRow("Dolphin3.0-R1-Mistral-24B") << "cognitivecomputations__Dolphin3.0-R1-Mistral-24B" << qint64{23'572'423'680};
    }
    void indexes()
    {
        QFETCH(QString, name);
        QFETCH(qint64, parameters);
        const Result<ModelSpec> model =
            modelFromPath((dataFolder + QStringLiteral("/configs/") + name + QStringLiteral(".json")).toStdString());
        const Result<std::string> index =
            readFile((dataFolder + QStringLiteral("/safetensors_index/") + name + QStringLiteral(".json")).toStdString());
        QVERIFY(model);
        QVERIFY(index);
        const Result<ModelSpec> measured = withSafetensorsIndex(*model, *index, "index");
        QVERIFY(measured);
        QCOMPARE(measured->parameters().total(), parameters);
        // Some indexes count the file's headers too: 326 to 363 tensors of about 120 bytes.
        QVERIFY(measured->measuredWeights->value >= 2 * parameters);
        QVERIFY(measured->measuredWeights->value < 2 * parameters + 64 * 1024);
    }
};

QTEST_GUILESS_MAIN(TestConfigs)
#include "tst_configs.moc"
