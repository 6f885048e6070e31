// SPDX-License-Identifier: GPL-3.0-or-later
// What llama.cpp's converter would write for a config: sizes of published files, parameters as the importer counts them, the headers of real shapes.
#include "core/catalog.h"
#include "core/gguf/quantise.h"
#include "core/import/gguf.h"
#include "core/import/import.h"
#include "core/weights.h"

#include <QDir>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTest>

#include <map>

using namespace kvscope;

namespace {

using F = Format;

const QString configFolder = QStringLiteral(KVSCOPE_SHARED_DIR "/data/configs");
const QString headerFolder = QStringLiteral(KVSCOPE_SHARED_DIR "/truth/gguf");

ModelSpec catalogued(const char *id)
{
    const Result<ModelSpec> model = Catalog().model(id);
    return model ? *model : ModelSpec{};
}

/// The block in "blk.N."; -1 outside the blocks.
int blockOf(const std::string &name) { return name.starts_with("blk.") ? std::atoi(name.c_str() + 4) : -1; }

/// Elements of the tensors that are parameters of the checkpoint's layers and tables.
std::int64_t parametersOf(const ModelSpec &model)
{
    std::int64_t sum = 0;
    for (const GgufTensor &tensor : model.gguf->tensors) {
        const bool computed = tensor.name.starts_with("rope_f"); // factors that the converter works out
        // The norms of MiniMax M3's indexer are not in spec/serving-engines.md 8.5.
        const bool uncounted = model.gguf->architecture == "minimax-m3" && tensor.name.find("indexer.") != std::string::npos &&
                               tensor.name.ends_with("_norm.weight");
        if (!computed && !uncounted && blockOf(tensor.name) < model.layerCount())
            sum += tensor.elements();
    }
    // Tables are cut to the tokenizer's length (Gemma 3), or padded to the table's (Gemma 3n's per-layer rows).
    const GgufTensor *const table = model.gguf->tensor("token_embd.weight");
    sum += (model.vocab - table->dims[1]) * table->dims[0];
    if (model.gguf->architecture == "gemma3n")
        sum -= (model.vocab - 262'144) * model.gguf->tensor("per_layer_token_embd.weight")->dims[0];
    return sum;
}

/// What of a model's parameters goes into the file of its language part.
std::int64_t languageParameters(const ModelSpec &model)
{
    const RoleCounts counts = model.parameters();
    return counts.total() - counts[Role::Vision] - counts[Role::Mtp];
}

std::map<std::string, GgufTensor> byName(const GgufModel &model)
{
    std::map<std::string, GgufTensor> tensors;
    for (const GgufTensor &tensor : model.tensors)
        tensors[tensor.name] = tensor;
    return tensors;
}

} // namespace

class TestConvert : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    // spec/gguf-quantize.md 7: exact tensor bytes; a published file is one constant header larger.
    void exactBytes_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<int>("mix");
        QTest::addColumn<bool>("matrix");
        QTest::addColumn<qint64>("bytes");
        QTest::addColumn<qint64>("file"); // 0: none at hand
        QTest::addColumn<qint64>("header");
        const auto row = [](const char *what, const char *id, Format mix, bool matrix, qint64 bytes, qint64 file, qint64 header) {
            QTest::newRow(what) << QString::fromLatin1(id) << static_cast<int>(mix) << matrix << bytes << file << header;
        };
        constexpr qint64 llama = 7'840'928;
        row("Llama 3.1 8B Q4_K_M", "meta-llama-3.1-8b", F::Q4_K_M, true, 4'912'898'304, 4'920'739'232, llama);
        row("Llama 3.1 8B Q8_0", "meta-llama-3.1-8b", F::Q8_0, true, 8'532'934'912, 8'540'775'840, llama);
        row("Llama 3.1 8B Q5_K_M", "meta-llama-3.1-8b", F::Q5_K_M, true, 5'725'151'488, 5'732'992'416, llama);
        row("Llama 3.1 8B IQ4_XS", "meta-llama-3.1-8b", F::IQ4_XS, true, 4'439'826'688, 4'447'667'616, llama);
        row("Llama 3.1 8B IQ4_XS without a matrix", "meta-llama-3.1-8b", F::IQ4_XS, false, 4'476'526'848, 0, 0);
        row("Qwen2.5 7B Q4_K_M", "qwen2.5-7b", F::Q4_K_M, true, 4'677'120'000, 4'683'073'536, 5'953'536);
        row("Mixtral 8x7B Q4_K_M", "mixtral-8x7b-v0.1", F::Q4_K_M, false, 28'447'727'616, 0, 0);
    }
    void exactBytes()
    {
        QFETCH(QString, id);
        QFETCH(int, mix);
        QFETCH(bool, matrix);
        QFETCH(qint64, bytes);
        QFETCH(qint64, file);
        QFETCH(qint64, header);
        const ModelSpec model = catalogued(qPrintable(id));
        QVERIFY(model.gguf);
        const Result<GgufModel> result = quantised(*model.gguf, static_cast<Format>(mix), {.importanceMatrix = matrix});
        QVERIFY(result);
        QCOMPARE(static_cast<qint64>(result->tensorBytes().value), bytes);
        if (file > 0)
            QCOMPARE(file - bytes, header);
    }

    // The same page: sizes that other people's logs print, in GiB with two decimals.
    void printedSizes_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<int>("mix");
        QTest::addColumn<double>("gib");
        const auto row = [](const char *what, const char *id, Format mix, double gib) {
            QTest::newRow(what) << QString::fromLatin1(id) << static_cast<int>(mix) << gib;
        };
        row("Qwen3 30B A3B Q4_K_M", "qwen3-30b-a3b", F::Q4_K_M, 17.28);
        row("Qwen3 30B A3B Q5_K_M", "qwen3-30b-a3b", F::Q5_K_M, 20.23);
        row("Qwen3 235B A22B Q8_0", "qwen3-235b-a22b", F::Q8_0, 232.77);
        row("Qwen3 235B A22B Q6_K", "qwen3-235b-a22b", F::Q6_K, 179.75);
        row("DeepSeek R1 Q8_0", "deepseek-r1", F::Q8_0, 664.29);
        // huggingface.co/ubergarm/GLM-4.5-Air-GGUF: 205.811 and 109.381 GiB, prediction block with its tables included.
        row("GLM 4.5 Air BF16", "glm-4.5-air", F::BF16, 205.81);
        row("GLM 4.5 Air Q8_0", "glm-4.5-air", F::Q8_0, 109.38);
    }
    void printedSizes()
    {
        QFETCH(QString, id);
        QFETCH(int, mix);
        QFETCH(double, gib);
        const ModelSpec model = catalogued(qPrintable(id));
        QVERIFY(model.gguf);
        const Result<GgufModel> result = quantised(*model.gguf, static_cast<Format>(mix));
        QVERIFY(result);
        const double size = static_cast<double>(result->tensorBytes().value) / static_cast<double>(bytesPerGiB);
        QVERIFY2(std::abs(size - gib) < 0.005001, qPrintable(QString::number(size, 'f', 4)));
    }

    // GLM-Z1-32B in IQ4_XS, 16.38 GiB by the same page: glm4 with 61 layers of 48 heads over 2.
    void glm4()
    {
        const Result<ModelSpec> model = modelFromConfig(R"({"model_type": "glm4", "hidden_size": 6144, "intermediate_size": 23040,
            "num_hidden_layers": 61, "num_attention_heads": 48, "num_key_value_heads": 2, "head_dim": 128, "vocab_size": 151552,
            "attention_bias": false, "tie_word_embeddings": false, "torch_dtype": "bfloat16", "max_position_embeddings": 32768})",
                                                        "config.json");
        QVERIFY(model);
        QVERIFY(model->gguf);
        const Result<GgufModel> result = quantised(*model->gguf, F::IQ4_XS, {.importanceMatrix = true});
        QVERIFY(result);
        const double size = static_cast<double>(result->tensorBytes().value) / static_cast<double>(bytesPerGiB);
        QVERIFY2(std::abs(size - 16.38) < 0.005001, qPrintable(QString::number(size, 'f', 4)));
        QVERIFY(result->tensor("blk.60.post_ffw_norm.weight"));
        QVERIFY(!result->tensor("blk.0.ffn_gate.weight"));
        QCOMPARE(result->tensor("blk.0.ffn_up.weight")->dims[1], std::int64_t{46'080});
    }

    // What the engine printed of published files: parameters of the repeating layers in 10^9, or the number of tensors.
    void publishedCounts_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<double>("repeating"); // 0: not printed
        QTest::addColumn<int>("tensors");      // 0: not printed
        QTest::addColumn<bool>("prediction");  // converted with the prediction block
        const auto row = [](const char *id, double repeating, int tensors, bool prediction) {
            QTest::newRow(id) << QString::fromLatin1(id) << repeating << tensors << prediction;
        };
        row("glm-4.5", 356.786, 0, true);       // huggingface.co/sokann/GLM-4.5-GGUF-3.2162bpw
        row("glm-5", 751.961, 0, true);         // huggingface.co/sokann/GLM-5-GGUF-1.594bpw
        row("qwen3.5-27b", 24.353, 0, false);   // huggingface.co/sokann/Qwen3.5-27B-GGUF-4.165bpw
        row("minimax-m2.7-bf16", 0, 809, true); // huggingface.co/W0lfland/MiniMax-M2.7-Greg-Knee-GGUF
    }
    void publishedCounts()
    {
        QFETCH(QString, id);
        QFETCH(double, repeating);
        QFETCH(int, tensors);
        QFETCH(bool, prediction);
        const ModelSpec model = catalogued(qPrintable(id));
        QVERIFY(model.gguf);
        std::int64_t sum = 0;
        for (const GgufTensor &tensor : model.gguf->tensors) {
            const int block = blockOf(tensor.name);
            sum += block >= 0 && (prediction || block < model.layerCount()) ? tensor.elements() : 0;
        }
        if (repeating > 0)
            QCOMPARE(qRound64(static_cast<double>(sum) / 1e6), qRound64(repeating * 1e3));
        if (tensors > 0)
            QCOMPARE(static_cast<int>(model.gguf->tensors.size()), tensors);
    }

    void gemmaTied()
    {
        // Section 7: gemma3-12b Q4_0 is 6,561.7 MiB.
        const Result<GgufModel> result = quantised(*catalogued("gemma-3-12b-it").gguf, F::Q4_0);
        QVERIFY(result);
        QCOMPARE(qRound(10.0 * static_cast<double>(result->tensorBytes().value) / static_cast<double>(bytesPerMiB)), 65'617);
        QVERIFY(!result->tensor("output.weight"));
        QCOMPARE(result->vocab, std::int64_t{262'144});
    }

    // A checkpoint with MXFP4 experts keeps them; local-engines.md 4.3: all but the token table 10,949.4 MiB, the table 586.8.
    void packedExperts()
    {
        const ModelSpec model = catalogued("gpt-oss-20b");
        QVERIFY(model.gguf);
        QCOMPARE(model.gguf->tensor("blk.0.ffn_up_exps.weight")->type, F::MXFP4);
        const Result<GgufModel> result = quantised(*model.gguf, F::MXFP4);
        QVERIFY(result);
        const Bytes table = result->tensor("token_embd.weight")->bytes();
        QCOMPARE(qRound(10.0 * static_cast<double>(table.value) / static_cast<double>(bytesPerMiB)), 5'868);
        QCOMPARE(qRound(10.0 * static_cast<double>((result->tensorBytes() - table).value) / static_cast<double>(bytesPerMiB)), 109'494);
    }

    // Every catalogue model with a rule: as many parameters as the importer counts, in more than 250 models.
    void catalogueParameters()
    {
        const Catalog catalog;
        int converted = 0;
        for (const ModelListing &listing : catalog.models()) {
            const Result<ModelSpec> model = catalog.model(listing.id);
            QVERIFY2(model, std::string(listing.id).c_str());
            if (!model->gguf)
                continue;
            ++converted;
            QVERIFY2(parametersOf(*model) == languageParameters(*model), std::string(listing.id).c_str());
            for (const GgufTensor &tensor : model->gguf->tensors)
                QVERIFY2(tensor.dims[0] > 0 && tensor.elements() > 0, (std::string(listing.id) + ": " + tensor.name).c_str());
            QCOMPARE(byName(*model->gguf).size(), model->gguf->tensors.size()); // no name twice
            std::int64_t prediction = 0;
            for (const GgufTensor &tensor : model->gguf->tensors)
                prediction += blockOf(tensor.name) >= model->layerCount() ? tensor.elements() : 0;
            if (prediction > 0)
                QVERIFY2(prediction == model->outer[Role::Mtp], std::string(listing.id).c_str());
        }
        QVERIFY2(converted >= 260, qPrintable(QString::number(converted)));
    }

    void configParameters()
    {
        const QDir folder(configFolder);
        if (!folder.exists())
            QSKIP("the collected config files are not at hand");
        int converted = 0;
        for (const QString &name : folder.entryList({QStringLiteral("*.json")}, QDir::Files)) {
            const Result<ModelSpec> model = modelFromPath(folder.filePath(name).toStdString());
            QVERIFY2(model, qPrintable(name));
            if (!model->gguf)
                continue;
            ++converted;
            QVERIFY2(parametersOf(*model) == languageParameters(*model), qPrintable(name));
        }
        QVERIFY2(converted >= 195, qPrintable(QString::number(converted)));
    }

    // Headers of real shapes: the same names and dimensions as the catalogue's model of that shape becomes.
    void headers_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("id");
        QTest::addColumn<QStringList>("unused");  // in the header alone: what the library lists for other uses of the architecture
        QTest::addColumn<QStringList>("omitted"); // in the model alone
        const auto row = [](const char *file, const char *id, const QStringList &unused = {}, const QStringList &omitted = {}) {
            QTest::newRow(file) << QString::fromLatin1(file) << QString::fromLatin1(id) << unused << omitted;
        };
        const QStringList classifier{QStringLiteral("cls.output.weight")};
        const QStringList factors{QStringLiteral("rope_freqs.weight")};
        row("deepseek-v2-lite", "deepseek-v2-lite");
        row("deepseek-v3.2-like", "deepseek-v3.2");
        row("deepseek-v4-like", "deepseek-v4-flash");
        row("gemma2-9b", "gemma-2-9b-it");
        row("gemma2-27b", "gemma-2-27b-it");
        row("gemma3-1b", "gemma-3-1b-it");
        row("gemma3-4b", "gemma-3-4b-it");
        row("gemma3-12b", "gemma-3-12b-it");
        // Skipped when loading, so not in the library's list: the prediction block's own tables.
        row("glm-4.5-air", "glm-4.5-air", {},
            {QStringLiteral("blk.46.nextn.embed_tokens.weight"), QStringLiteral("blk.46.nextn.shared_head_head.weight")});
        row("gpt-oss-20b", "gpt-oss-20b");
        row("granite-4.0-h-micro", "granite-4.0-h-micro");
        row("lfm2-1.2b", "lfm2-1.2b", {QStringLiteral("dense_2.weight")});
        row("llama-2-7b", "llama-2-7b-hf");
        row("llama-3.1-8b", "meta-llama-3.1-8b");
        row("llama-3.2-1b", "llama-3.2-1b-instruct");
        row("llama4-scout", "llama-4-scout-17b-16e-instruct", {}, factors);
        row("mistral-nemo-12b", "mistral-nemo-instruct-2407");
        row("qwen2.5-0.5b", "qwen2.5-0.5b-instruct");
        row("qwen2.5-7b", "qwen2.5-7b");
        row("qwen3-30b-a3b", "qwen3-30b-a3b");
        row("qwen3-32b", "qwen3-32b", classifier);
        row("qwen3-4b", "qwen3-4b", classifier);
        row("qwen3-8b", "qwen3-8b", classifier);
        row("qwen3-next-80b-a3b", "qwen3-next-80b-a3b-instruct");
    }
    void headers()
    {
        QFETCH(QString, file);
        QFETCH(QString, id);
        QFETCH(QStringList, unused);
        QFETCH(QStringList, omitted);
        if (!QDir(headerFolder).exists())
            QSKIP("headers of real shapes are not at hand");
        const Result<GgufModel> real = ggufFromFile((headerFolder + QLatin1Char('/') + file + QStringLiteral(".gguf")).toStdString());
        QVERIFY(real);
        const ModelSpec model = catalogued(qPrintable(id));
        QVERIFY(model.gguf);
        QCOMPARE(model.gguf->architecture, real->architecture);
        const auto mine = byName(*model.gguf);
        const auto theirs = byName(*real);
        for (const auto &[name, tensor] : theirs) {
            const auto found = mine.find(name);
            if (found == mine.end())
                QVERIFY2(unused.contains(QString::fromStdString(name)), name.c_str());
            else
                QVERIFY2(found->second.dims == tensor.dims, name.c_str());
        }
        for (const auto &[name, tensor] : mine)
            QVERIFY2(theirs.contains(name) || omitted.contains(QString::fromStdString(name)), name.c_str());
        // Keys that decide memory. What the model was trained for differs between releases.
        for (const char *key : {"block_count",
                                "embedding_length",
                                "feed_forward_length",
                                "attention.head_count",
                                "attention.head_count_kv",
                                "attention.sliding_window",
                                "attention.sliding_window_pattern",
                                "attention.key_length_swa",
                                "attention.key_length_mla",
                                "attention.value_length_mla",
                                "attention.kv_lora_rank",
                                "attention.q_lora_rank",
                                "ssm.conv_kernel",
                                "ssm.inner_size",
                                "ssm.state_size",
                                "ssm.time_step_rank",
                                "ssm.group_count",
                                "shortconv.l_cache",
                                "expert_count",
                                "expert_used_count",
                                "expert_feed_forward_length",
                                "leading_dense_block_count",
                                "nextn_predict_layers",
                                "full_attention_interval",
                                "attention.indexer.key_length",
                                "attention.compress_ratios"})
            if (real->has(key))
                QVERIFY2(model.gguf->has(key) && real->keys.at(key) == model.gguf->keys.at(key), key);
    }

    // Section 6, row qwen35: a prediction layer is one more block of full attention; section 2: what stays f32.
    void predictionBlock()
    {
        const ModelSpec model = catalogued("qwen3.5-27b");
        QVERIFY(model.gguf);
        QCOMPARE(model.gguf->architecture, std::string("qwen35"));
        QCOMPARE(model.gguf->blocks(), 65);
        QCOMPARE(model.gguf->number("nextn_predict_layers"), std::int64_t{1});
        QVERIFY(model.gguf->tensor("blk.64.attn_q.weight"));
        QCOMPARE(model.gguf->tensor("blk.64.nextn.eh_proj.weight")->dims[0], std::int64_t{10'240});
        QCOMPARE(model.gguf->tensor("blk.0.ssm_conv1d.weight")->type, F::F32);
        QCOMPARE(model.gguf->tensor("blk.0.ssm_alpha.weight")->type, F::BF16);
    }

    // Tables padded to a multiple (section 6): 50,277 rows to 50,288 by 16, 131,073 to 131,080 by 8.
    void paddedTables()
    {
        const auto rows = [](const char *config) {
            const Result<ModelSpec> model = modelFromConfig(config, "config.json");
            return model && model->gguf ? model->gguf->tensor("token_embd.weight")->dims[1] : 0;
        };
        QCOMPARE(rows(R"({"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 2, "vocab_size": 50277, "num_heads": 80,
            "head_dim": 64, "state_size": 128, "n_groups": 1, "expand": 2, "conv_kernel": 4, "tie_word_embeddings": true})"),
                 std::int64_t{50'288});
        QCOMPARE(rows(R"({"model_type": "mamba2", "hidden_size": 2560, "num_hidden_layers": 2, "vocab_size": 50277, "num_heads": 80,
            "head_dim": 64, "state_size": 128, "n_groups": 1, "expand": 2, "conv_kernel": 4, "pad_vocab_size_multiple": 1})"),
                 std::int64_t{50'277});
        QCOMPARE(rows(R"({"model_type": "nemotron_h", "hidden_size": 4096, "hybrid_override_pattern": "M*-", "vocab_size": 131073,
            "intermediate_size": 8192, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "mamba_num_heads": 128,
            "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8, "conv_kernel": 4})"),
                 std::int64_t{131'080});
    }

    // One of each: mixer, attention, FFN; head_count_kv and feed_forward_length tell which (local-engines.md 2.4).
    void singleBlocks()
    {
        const Result<ModelSpec> model = modelFromConfig(R"({"model_type": "nemotron_h", "hidden_size": 4096,
            "hybrid_override_pattern": "M*-", "vocab_size": 131072, "intermediate_size": 8192, "num_attention_heads": 32,
            "num_key_value_heads": 8, "head_dim": 128, "mamba_num_heads": 128, "mamba_head_dim": 64, "ssm_state_size": 128, "n_groups": 8,
            "conv_kernel": 4})",
                                                        "config.json");
        QVERIFY(model && model->gguf);
        const GgufModel &gguf = *model->gguf;
        QCOMPARE(gguf.architecture, std::string("nemotron_h"));
        QCOMPARE(gguf.keys.at("attention.head_count_kv"), (GgufNumbers{{0, 8, 0}, true}));
        QCOMPARE(gguf.keys.at("feed_forward_length"), (GgufNumbers{{0, 0, 8192}, true}));
        QVERIFY(gguf.tensor("blk.0.ssm_in.weight") && !gguf.tensor("blk.0.attn_q.weight") && !gguf.tensor("blk.0.ffn_up.weight"));
        QVERIFY(gguf.tensor("blk.1.attn_q.weight") && !gguf.tensor("blk.1.ssm_in.weight"));
        QVERIFY(gguf.tensor("blk.2.ffn_up.weight") && !gguf.tensor("blk.2.ffn_gate.weight") && !gguf.tensor("blk.2.ffn_norm.weight"));
        // in 8192, groups 8, state 128: 2 x 8192 + 2 x 8 x 128 + 128 heads
        QCOMPARE(gguf.tensor("blk.0.ssm_in.weight")->dims[1], std::int64_t{18'560});
    }

    // Families that llama.cpp does not convert, and a language model that is another architecture than its name says.
    void noRule()
    {
        for (const char *id : {"opt-125m", "gpt-j-6b", "llama-3.2-11b-vision-instruct", "kimi-k3"})
            QVERIFY2(!catalogued(id).gguf, id);
    }

    // A mix under the theory's engine: the tensors' bytes; without a GGUF the main type's block.
    void weightsOfMix()
    {
        const ModelSpec model = catalogued("meta-llama-3.1-8b");
        const WeightBytes weights = weightBytes(model, {F::Q4_K_M, {}});
        QVERIFY(weights.mixed);
        QCOMPARE(weights.total, Bytes{4'912'898'304});
        Bytes sum = weights.outerTotal();
        const std::vector<int> counts = model.groupCounts();
        for (std::size_t g = 0; g < counts.size(); ++g)
            sum += weights.layerTotal(g) * counts[g];
        QCOMPARE(sum, weights.total);
        std::int64_t elements = 0;
        for (const std::int64_t n : weights.elements)
            elements += n;
        QCOMPARE(elements, std::int64_t{8'030'261'248 + 64});

        ModelSpec bare = model;
        bare.gguf = {};
        const WeightBytes assumed = weightBytes(bare, {F::Q4_K_M, {}});
        QVERIFY(!assumed.mixed);
        QCOMPARE(assumed.total, weightBytes(bare, {F::Q4_K, {}}).total);
        // The vision tower is a file of its own, at 16 bit; Qwen2.5-VL's has a formula.
        const ModelSpec seeing = catalogued("qwen2.5-vl-7b-instruct");
        QVERIFY(seeing.outer[Role::Vision] > 0);
        const Result<GgufModel> language = quantised(*seeing.gguf, F::Q4_K_M);
        QVERIFY(language);
        QCOMPARE(weightBytes(seeing, {F::Q4_K_M, {}}).total, language->tensorBytes() + Bytes{2 * seeing.outer[Role::Vision]});
    }
};

QTEST_APPLESS_MAIN(TestConvert)
#include "tst_convert.moc"
