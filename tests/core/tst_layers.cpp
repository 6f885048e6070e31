// SPDX-License-Identifier: GPL-3.0-or-later
// Which layer keeps what cache: spec/serving-engines.md 8.3 and 8.4, spec/transformers.md 2.
#include "core/import/import.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

namespace {

Result<ModelSpec> read(const QByteArray &json)
{
    return modelFromConfig(std::string_view(json.constData(), static_cast<std::size_t>(json.size())), "test");
}

QByteArray published(const QString &name)
{
    QFile file(QStringLiteral(KVSCOPE_SOURCE_DIR "/tests/data/published.json"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    for (const QJsonValue &entry : QJsonDocument::fromJson(file.readAll()).array())
        if (entry[QLatin1String("model")].toString() == name)
            return QJsonDocument(entry[QLatin1String("config")].toObject()).toJson();
    return {};
}

/// A small model of a family with the fields that matter.
QByteArray small(const char *type, const char *fields)
{
    return QByteArray(
               R"({"hidden_size": 512, "num_hidden_layers": 8, "num_attention_heads": 8, "num_key_value_heads": 2, "intermediate_size": 1024,
        "vocab_size": 1000, "head_dim": 64, "max_position_embeddings": 4096, "model_type": ")") +
           type + "\"" + fields + "}";
}

/// "5 full 4x256, 29 sliding(1024) 4x256 + state": kinds of caches, most specific words last, groups that cache alike joined.
QString cachesOf(const ModelSpec &model)
{
    QList<QPair<QString, int>> kinds;
    for (const std::uint16_t index : model.layout) {
        const LayerGroup &g = model.groups[index];
        QString text;
        const QString heads = g.keyDim == g.valueDim ? QStringLiteral(" %1x%2").arg(g.kvHeads).arg(g.keyDim)
                                                     : QStringLiteral(" %1x%2/%3").arg(g.kvHeads).arg(g.keyDim).arg(g.valueDim);
        switch (g.mixer) {
        case Mixer::Full: text = QStringLiteral("full") + heads; break;
        case Mixer::Sliding: text = QStringLiteral("sliding(%1)").arg(g.window.value) + heads; break;
        case Mixer::Chunked: text = QStringLiteral("chunked(%1)").arg(g.window.value) + heads; break;
        case Mixer::Latent:
            text = QStringLiteral("latent %1+%2").arg(g.latentDim).arg(g.ropeDim);
            if (g.window.value > 0)
                text += QStringLiteral(" window %1").arg(g.window.value);
            break;
        case Mixer::Shared: text = QStringLiteral("shared"); break;
        case Mixer::None: text = QStringLiteral("none"); break;
        }
        if (g.compression.value > 1)
            text += QStringLiteral(" /%1").arg(g.compression.value);
        if (g.indexKeyDim > 0)
            text += QStringLiteral(" + index %1").arg(g.indexKeyDim);
        if (g.state.kind != Recurrence::None)
            text += QStringLiteral(" + state");
        if (g.crossKvHeads > 0)
            text += QStringLiteral(" + cross %1x%2").arg(g.crossKvHeads).arg(g.crossHeadDim);
        const auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto &kind) { return kind.first == text; });
        if (known == kinds.end())
            kinds.append({text, 1});
        else
            ++known->second;
    }
    QStringList parts;
    for (const auto &[text, count] : kinds)
        parts.append(QStringLiteral("%1 %2").arg(count).arg(text));
    return parts.join(QLatin1String(", "));
}

} // namespace

class TestLayers : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral(".*"))); }

    void models_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("caches");
        const auto row = [](const char *name, const char *caches) {
            QTest::newRow(name) << published(QString::fromLatin1(name)) << QString::fromLatin1(caches);
        };
        row("Llama-3-8B", "32 full 8x128");
        row("gemma-3-4b, class defaults left out, with SigLIP", "29 sliding(1024) 4x256, 5 full 4x256");
        row("gemma-2-9b-it", "21 sliding(4096) 8x256, 21 full 8x256");
        row("gemma-4-31B", "50 sliding(1024) 16x256, 10 full 4x512");
        row("gemma-4-E2B, text and vision", "12 sliding(512) 1x256, 3 full 1x512, 20 shared");
        row("gpt-oss-120b", "18 sliding(128) 8x64, 18 full 8x64");
        row("DeepSeek-V3, main", "61 latent 512+64");
        row("GLM-5", "78 latent 512+64 + index 128");
        row("LongCat-Flash", "56 latent 512+64");
        row("Kimi-Linear-48B", "20 none + state, 7 latent 512+64");
        row("DeepSeek-V4-Flash",
            "2 latent 448+64 window 128, 21 latent 448+64 window 128 /4 + index 128, 20 latent 448+64 window 128 /128");
        row("Qwen3-Next-80B", "36 none + state, 12 full 2x256");
        row("Jamba-v0.1", "28 none + state, 4 full 8x128");
        row("Nemotron-3-Nano-30B", "23 none + state, 23 none, 6 full 2x128");
        row("granite-4.0-h-micro", "36 none + state, 4 full 8x64");
        row("Falcon-H1-0.5B", "36 full 2x64 + state");
        row("Zamba2-1.2B", "32 none + state, 6 full 32x128 + state");
        row("recurrentgemma-2b", "18 none + state, 8 sliding(2048) 1x256");
        row("LFM2-1.2B", "10 none + state, 6 full 8x64");
        row("MiniMax-Text-01", "70 none + state, 10 full 8x128");
        row("mamba-2.8b", "64 none + state");
        row("Llama-4-Scout", "36 chunked(8192) 8x128, 12 full 8x128");
        row("MiMo-V2-Flash", "9 full 4x192/128, 39 sliding(128) 8x192/128");
        row("Step-3.5-Flash with three prediction layers", "12 full 8x128, 33 sliding(512) 8x128");
        row("Llama-3.2-11B-Vision", "32 full 8x128, 8 none + cross 8x128");
        row("whisper-large-v3", "32 full 20x64 + cross 20x64");
        row("t5-small", "6 full 8x64 + cross 8x64");
        row("falcon-7b", "32 full 1x64");
        row("falcon-40b", "60 full 8x64");
        row("starcoder 15.5B, file with its head", "40 full 1x128");
        row("gpt2", "12 full 12x64");
        row("chatglm3-6b, without the 32 rotary values of its file", "28 full 2x128");
        row("dbrx", "40 full 8x128");
        row("Phi-3-medium-4k-instruct", "40 sliding(2047) 10x128");
        row("OLMoE-1B-7B", "16 full 16x128");
    }
    void models()
    {
        QFETCH(QByteArray, config);
        QFETCH(QString, caches);
        const Result<ModelSpec> model = read(config);
        if (!model)
            QFAIL(model.error().where.c_str());
        QCOMPARE(cachesOf(*model), caches);
    }

    void rules_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("caches");
        const auto row = [](const char *name, const char *type, const char *fields, const char *caches) {
            QTest::newRow(name) << small(type, fields) << QString::fromLatin1(caches);
        };
        const char *allFull = "8 full 2x64";
        row("mistral without the field: the class's 4096", "mistral", "", "8 sliding(4096) 2x64");
        row("mistral with null", "mistral", R"(, "sliding_window": null)", allFull);
        row("a window of 0 is none", "mistral", R"(, "sliding_window": 0)", allFull);
        row("qwen2's window needs its flag", "qwen2", R"(, "sliding_window": 1024, "max_window_layers": 5)", allFull);
        row("qwen2 with the flag: layers from max_window_layers", "qwen2",
            R"(, "sliding_window": 1024, "max_window_layers": 5, "use_sliding_window": true)", "5 full 2x64, 3 sliding(1024) 2x64");
        row("listed windows without a window", "llama",
            R"(, "layer_types": ["sliding_attention", "full_attention", "sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
               "sliding_attention", "sliding_attention"], "sliding_window": null)",
            allFull);
        row("gemma2", "gemma2", "", "4 sliding(4096) 2x64, 4 full 2x64");
        row("gemma3 with a pattern of 4", "gemma3_text", R"(, "sliding_window_pattern": 4, "sliding_window": 512)",
            "6 sliding(512) 2x64, 2 full 2x64");
        row("gemma4: the last layer is full", "gemma4_text", R"(, "global_head_dim": 128, "num_global_key_value_heads": 1)",
            "6 sliding(512) 2x64, 2 full 1x128");
        row("gemma3n: the last ones share", "gemma3n_text", R"(, "num_kv_shared_layers": 2)", "5 sliding(512) 2x64, 1 full 2x64, 2 shared");
        row("cohere2", "cohere2", "", "6 sliding(4096) 2x64, 2 full 2x64");
        row("olmo3", "olmo3", "", "6 sliding(4096) 2x64, 2 full 2x64");
        row("exaone4 in letters", "exaone4", R"(, "sliding_window_pattern": "LLG", "sliding_window": 1024)",
            "6 sliding(1024) 2x64, 2 full 2x64");
        row("exaone4 with null", "exaone4", R"(, "sliding_window_pattern": null, "sliding_window": null)", allFull);
        row("gpt_oss", "gpt_oss", "", "4 sliding(128) 2x64, 4 full 2x64");
        row("gpt_neo", "gpt_neo", "", "4 full 2x64, 4 sliding(256) 2x64");
        row("llama4 by rope layers", "llama4_text", R"(, "no_rope_layers": [1, 1, 0, 1, 1, 1, 0, 1])", "6 chunked(8192) 2x64, 2 full 2x64");
        row("llama4 by default", "llama4_text", "", "6 chunked(8192) 2x64, 2 full 2x64");
        row("mimo: the first and every sixth", "mimo_v2_flash", "", "2 full 2x64, 6 sliding(128) 2x64");
        row("hunyuan large: every second layer owns", "hunyuan_v1_moe", R"(, "use_cla": true, "cla_share_factor": 2)",
            "4 full 2x64, 4 shared");
        row("falcon's one KV head wins", "falcon", R"(, "multi_query": true, "num_kv_heads": 8, "new_decoder_architecture": false)",
            "8 full 1x64");
        row("an indexer that some layers share", "glm_moe_dsa",
            R"(, "kv_lora_rank": 512, "q_lora_rank": 64, "qk_rope_head_dim": 64, "qk_nope_head_dim": 64, "v_head_dim": 64, "index_head_dim": 128,
               "index_n_heads": 4, "index_topk": 16, "indexer_types": ["full", "shared", "shared", "shared", "full", "shared", "shared", "shared"])",
            "2 latent 512+64 + index 128, 6 latent 512+64");
        row("minimax_m3's index keys", "minimax_m3",
            R"(, "sparse_attention_config": {"sparse_attention_freq": [0, 0, 0, 1, 1, 1, 1, 1], "sparse_index_dim": 128, "sparse_num_index_heads": 4})",
            "3 full 2x64, 5 full 2x64 + index 128");
        row("granite hybrid without a list", "granitemoehybrid", R"(, "mamba_n_heads": 16, "mamba_d_head": "auto")", "8 none + state");
        row("linear_attn_config counts from 1", "kimi_linear",
            R"(, "kv_lora_rank": 512, "qk_rope_head_dim": 64, "qk_nope_head_dim": 64, "v_head_dim": 64, "linear_attn_config": {"full_attn_layers": [4, 8],
               "kda_layers": [1, 2, 3, 5, 6, 7], "num_heads": 4, "head_dim": 64, "short_conv_kernel_size": 4})",
            "6 none + state, 2 latent 512+64");
        row("an unknown family with a window", "novel", R"(, "sliding_window": 256)", "8 sliding(256) 2x64");
        QTest::newRow("Nemotron-NAS")
            << QByteArray(R"({"model_type": "nemotron-nas", "num_hidden_layers": 3, "hidden_size": 512, "num_attention_heads": 8,
            "num_key_value_heads": null, "vocab_size": 1000, "block_configs": [{"attention": {"n_heads_in_group": 4, "no_op": false}, "ffn": {"ffn_mult": 2.625}},
            {"attention": {"n_heads_in_group": null, "no_op": true}, "ffn": {"ffn_mult": 1.0}}, {"attention": {"n_heads_in_group": 8, "window_length": 64},
            "ffn": {"no_op": true}}]})")
            << QStringLiteral("1 full 2x64, 1 none, 1 sliding(64) 1x64");
    }
    void rules()
    {
        QFETCH(QByteArray, config);
        QFETCH(QString, caches);
        const Result<ModelSpec> model = read(config);
        if (!model)
            QFAIL(qPrintable(QString::fromStdString(model.error().where + ": " + model.error().detail)));
        QCOMPARE(cachesOf(*model), caches);
    }

    // Nemotron-NAS, 8.4: 2 * ffn_mult * H / 3, rounded up to a multiple of 256: 2.625 and 512 give 896 -> 1024.
    void nasWidth()
    {
        const Result<ModelSpec> model =
            read(R"({"model_type": "nemotron-nas", "num_hidden_layers": 1, "hidden_size": 512, "num_attention_heads": 8,
            "vocab_size": 1000, "block_configs": [{"attention": {"n_heads_in_group": 4}, "ffn": {"ffn_mult": 2.625}}]})");
        QVERIFY(model);
        QCOMPARE(model->parameters()[Role::Ffn], 3LL * 512 * 1024);
        QCOMPARE(model->parameters()[Role::Attention], 512LL * 512 * 2 + 2LL * 512 * 128);
    }

    // 8.4: cross cache of Whisper-large-v3, 1500 frames, bf16: 245.76 MB; the image's tokens of Llama 3.2 Vision: 4 tiles of 40 x 40 + 1.
    void encoders()
    {
        const Result<ModelSpec> whisper = read(published(QStringLiteral("whisper-large-v3")));
        QVERIFY(whisper);
        QVERIFY(whisper->encoderDecoder);
        const LayerGroup &group = whisper->groups.front();
        QCOMPARE(2LL * whisper->layerCount() * group.crossKvHeads * group.crossHeadDim * whisper->encoderLength.value * 2, 245'760'000LL);
        const Result<ModelSpec> vision = read(published(QStringLiteral("Llama-3.2-11B-Vision")));
        QVERIFY(vision);
        QVERIFY(!vision->encoderDecoder);
        QCOMPARE(vision->encoderLength.value, 4LL * 1601);
    }

    // Where the language model stands (8.1), and what it takes from the whole file.
    void places()
    {
        const QByteArray text = small("llama", R"(, "torch_dtype": "float16")");
        for (const char *place : {"text_config", "llm_config", "language_config", "text_model_config", "decoder"}) {
            const Result<ModelSpec> model =
                read(QByteArray("{\"model_type\": \"novel_vl\", \"tie_word_embeddings\": true, \"") + place + "\": " + text + "}");
            QVERIFY2(model, place);
            QCOMPARE(model->layerCount(), 8);
            QCOMPARE(model->family, "llama");
            QVERIFY(model->tiedEmbeddings);
            QVERIFY(model->nativeFormat == Format::F16);
        }
        const Result<ModelSpec> thinker = read("{\"model_type\": \"novel_omni\", \"thinker_config\": {\"text_config\": " + text + "}}");
        QVERIFY(thinker);
        QCOMPARE(thinker->layerCount(), 8);
        // LLaVA 1.5 lists only what differs from its class.
        const Result<ModelSpec> llava = read(R"({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}})");
        QVERIFY(llava);
        QCOMPARE(llava->layerCount(), 32);
        QCOMPARE(llava->parameters().total(), 6'738'415'616 + 2LL * 64 * 4096);
        QVERIFY(std::any_of(llava->assumptions.begin(), llava->assumptions.end(), [](const Assumption &a) {
            return a == Assumption{"num_hidden_layers", "32", "family_default"};
        }));
    }
};

QTEST_GUILESS_MAIN(TestLayers)
#include "tst_layers.moc"
