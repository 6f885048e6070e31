// SPDX-License-Identifier: GPL-3.0-or-later
// What a checkpoint's description of its quantisation covers, by spec/serving-engines.md 4.2 and hand arithmetic.
#include "core/import/import.h"
#include "core/import/modulenames.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

namespace {

// 12 layers. Attention: q and o 512 x 512, k and v 512 x 128: 655,360. Feed-forward: 3 x 512 x 1024.
const QByteArray dense = R"({"model_type": "llama", "num_hidden_layers": 12, "hidden_size": 512, "num_attention_heads": 8,
 "num_key_value_heads": 2, "intermediate_size": 1024, "vocab_size": 1024, "max_position_embeddings": 4096, "tie_word_embeddings": false,
 "torch_dtype": "bfloat16"})";

const QByteArray latent = R"({"model_type": "deepseek_v3", "num_hidden_layers": 61, "hidden_size": 7168, "num_attention_heads": 128,
 "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "intermediate_size": 18432,
 "moe_intermediate_size": 2048, "n_routed_experts": 256, "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3,
 "vocab_size": 129280, "max_position_embeddings": 163840, "torch_dtype": "bfloat16"})";

Result<ModelSpec> read(const QByteArray &config, const QByteArray &quantization = {})
{
    QJsonObject object = QJsonDocument::fromJson(config).object();
    if (!quantization.isEmpty())
        object.insert(QStringLiteral("quantization_config"), QJsonDocument::fromJson(quantization).object());
    const QByteArray text = QJsonDocument(object).toJson();
    return modelFromConfig(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), "config.json");
}

constexpr std::size_t at(Role role) { return static_cast<std::size_t>(role); }

bool near(double actual, double expected) { return std::abs(actual - expected) < 1e-9; }

} // namespace

class TestQuantization : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void coversModules_data()
    {
        QTest::addColumn<QByteArray>("names"); // separated by spaces
        QTest::addColumn<double>("attention");
        QTest::addColumn<double>("ffn");
        QTest::addColumn<bool>("head");
        const auto row = [](const char *name, const char *names, double attention, double ffn, bool head = false) {
            QTest::newRow(name) << QByteArray(names) << attention << ffn << head;
        };
        row("head", "lm_head", 0, 0, true);
        row("vectors, routers and towers", "model.norm model.layers.0.input_layernorm mlp.gate gate visual model.vision_tower", 0, 0);
        row("all attention", "model.layers.*.self_attn", 1, 0);
        row("a name alone", "self_attn", 1, 0);
        row("three projections", "*.q_proj *.self_attn.q_proj *.self_attn.k_proj *.self_attn.v_proj", 0.6, 0);
        row("fused projections", "re:.*self_attn\\.qkv_proj", 0.6, 0);
        row("one layer's output", "model.layers.3.self_attn.o_proj", 0.4 / 12, 0);
        row("one side in one layer", "model.layers.7.mlp.down_proj", 0, 1.0 / 36);
        row("two sides as one", "model.layers.7.mlp.gate_up_proj", 0, 2.0 / 36);
        row("a layer", "model.layers.1.*", 1.0 / 12, 1.0 / 12);
        row("layers that begin with 1", "model.layers.1*", 0.25, 0.25);
        row("a layer's number alone", "model.layers.0*", 1.0 / 12, 1.0 / 12);
        row("a number past all layers", "model.layers.99999999999999999999.self_attn", 0, 0);
        row("a layer past the last", "model.layers.12*", 0, 0);
        row("twice the same", "model.layers.2.mlp model.layers.2.mlp.up_proj", 0, 1.0 / 12);
        row("alternatives", "re:.*mlp\\.(gate|up|gate_up)_proj.*", 0, 2.0 / 3);
        row("digits in brackets", "re:model\\.layers\\.[0-2]\\..*", 0.25, 0.25);
        row("any digits", "re:.*layers\\.\\d+\\.self_attn\\..*", 1, 0);
        row("anchors and groups", "re:^model\\.layers\\.(?:4|5)\\.mlp$", 0, 2.0 / 12);
        row("not understood", "re:.*(?!mlp).* re:.*self_attn( re:[a-z] re:a{3}self_attn", 0, 0);
        row("too many alternatives", "re:(a|b|c|d|e)(a|b|c|d|e)(a|b|c|d|e)(a|b|c|d|e)self_attn", 0, 0);
    }
    void coversModules()
    {
        QFETCH(QByteArray, names);
        QFETCH(double, attention);
        QFETCH(double, ffn);
        QFETCH(bool, head);
        const Result<ModelSpec> model = read(dense);
        QVERIFY(model);
        ModuleCoverage coverage(*model);
        for (const QByteArray &name : names.split(' '))
            coverage.add(name.toStdString());
        const RoleShares shares = coverage.shares();
        QVERIFY2(near(shares[at(Role::Attention)], attention), QByteArray::number(shares[at(Role::Attention)]).constData());
        QVERIFY2(near(shares[at(Role::Ffn)], ffn), QByteArray::number(shares[at(Role::Ffn)]).constData());
        QCOMPARE(shares[at(Role::OutputHead)], head ? 1.0 : 0.0);
        QCOMPARE(shares[at(Role::Embedding)], 0.0);
    }

    /// Long lists and expressions cost no more than reading them.
    void readsLongLists()
    {
        const Result<ModelSpec> model = read(dense);
        QVERIFY(model);
        ModuleCoverage coverage(*model);
        for (int i = 0; i < 200'000; ++i)
            coverage.add("model.layers." + std::to_string(i % 20'000) + "*");
        coverage.add("re:" + std::string(1'000'000, 'a'));
        QCOMPARE(coverage.shares()[at(Role::Attention)], 1.0);
    }

    /// Down and up projections stay in 16 bit, the output does not: 69,664,768 of 187,105,280 elements.
    void leavesPartOfARole()
    {
        const Result<ModelSpec> model = read(latent, R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head",
            "model.layers.*.self_attn.kv_a_proj_with_mqa", "model.layers.*.self_attn.kv_b_proj", "model.layers.*.self_attn.q_a_proj",
            "model.layers.*.self_attn.q_b_proj", "model.layers.61*"]})");
        QVERIFY(model);
        QVERIFY(model->quantization);
        const Quantization &stored = *model->quantization;
        QVERIFY(stored.format == Format::NVFP4);
        QVERIFY(stored.quantised[at(Role::Attention)]);
        QVERIFY(near(stored.leftOut[at(Role::Attention)], 69'664'768.0 / 187'105'280.0));
        QCOMPARE(stored.leftOut[at(Role::Experts)], 0.0);
        QCOMPARE(stored.bytesOf(Role::Attention, Format::NVFP4, 187'105'280, Format::BF16),
                 Bytes{117'440'512LL * 9 / 16 + 2 * 69'664'768LL});
    }

    /// 4.2: w + (16 + w) / g bits with zero points, w + 16 / g without, w by output rows.
    void countsGroups_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<int>("format");
        QTest::addColumn<double>("bits");
        const auto row = [](const char *name, const char *config, Format format, double bits) {
            QTest::newRow(name) << QByteArray(config) << static_cast<int>(format) << bits;
        };
        row("AWQ, 128", R"({"quant_method": "awq", "bits": 4, "group_size": 128})", Format::AWQ, 4.15625);
        row("AWQ, 64", R"({"quant_method": "awq", "bits": 4, "group_size": 64})", Format::AWQ, 4.3125);
        row("AWQ, 32", R"({"quant_method": "awq", "bits": 4, "group_size": 32})", Format::AWQ, 4.625);
        row("GPTQ, 8 bit", R"({"quant_method": "gptq", "bits": 8, "group_size": 128})", Format::Int8, 8.1875);
        row("GPTQ, 3 bit", R"({"quant_method": "gptq", "bits": 3, "group_size": 128})", Format::GPTQ, 3.1484375);
        row("GPTQ by rows", R"({"quant_method": "gptq", "bits": 4, "group_size": -1})", Format::GPTQ, 4.0);
        row("auto-round", R"({"quant_method": "auto-round", "bits": 4, "group_size": 64})", Format::GPTQ, 4.3125);
        row("compressed, 32, symmetric", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
            "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": true}}}})",
            Format::Int4Group32, 4.5);
        row("compressed, 128, symmetric", R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": ["Linear"],
            "weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128, "symmetric": true}}}})",
            Format::GPTQ, 4.125);
        row("Quark, MXFP4", R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp4", "group_size": 32}}})",
            Format::MXFP4, 4.25);
        row("Quark, FP8", R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3", "group_size": null}}})",
            Format::FP8, 8.0);
    }
    void countsGroups()
    {
        QFETCH(QByteArray, config);
        QFETCH(int, format);
        QFETCH(double, bits);
        const Result<ModelSpec> model = read(dense, config);
        QVERIFY(model);
        QVERIFY(model->quantization);
        QCOMPARE(static_cast<int>(model->quantization->format), format);
        constexpr std::int64_t elements = 1 << 20;
        const Bytes bytes = model->quantization->bytesOf(Role::Ffn, model->quantization->format, elements, Format::BF16);
        QCOMPARE(bytes.value, static_cast<std::int64_t>(elements * bits / 8));
        QCOMPARE(model->quantization->quantised[at(Role::OutputHead)], false);
    }

    void readsWhatIsLeftOut_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<double>("attention");
        QTest::addColumn<double>("ffn");
        const auto row = [](const char *name, const char *config, double attention, double ffn) {
            QTest::newRow(name) << QByteArray(config) << attention << ffn;
        };
        row("AWQ", R"({"quant_method": "awq", "bits": 4, "group_size": 128, "modules_to_not_convert": ["model.layers.0.self_attn"]})",
            1.0 / 12, 0);
        row("GPTQ's rules", R"({"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {"-:.*mlp\\.down_proj": {},
            "+:.*self_attn.*": {"bits": 8}}})",
            0, 1.0 / 3);
        row("FP8", R"({"quant_method": "fp8", "ignored_layers": ["model.layers.0.mlp.gate_proj"]})", 0, 1.0 / 36);
        row("bitsandbytes", R"({"quant_method": "bitsandbytes", "load_in_4bit": true, "llm_int8_skip_modules": ["lm_head", "q_proj"]})",
            0.4, 0);
        row("Quark", R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}},
            "exclude": ["lm_head", "re:.*\\.self_attn\\.o_proj"]})",
            0.4, 0);
        row("auto-round", R"({"quant_method": "auto-round", "bits": 4, "group_size": 128,
            "extra_config": {"model.layers.1.mlp.up_proj": {"bits": 16}, "model.layers.2.mlp.up_proj": {"bits": 8}}})",
            0, 1.0 / 36);
    }
    void readsWhatIsLeftOut()
    {
        QFETCH(QByteArray, config);
        QFETCH(double, attention);
        QFETCH(double, ffn);
        const Result<ModelSpec> model = read(dense, config);
        QVERIFY(model);
        QVERIFY(model->quantization);
        QVERIFY(near(model->quantization->leftOut[at(Role::Attention)], attention));
        QVERIFY(near(model->quantization->leftOut[at(Role::Ffn)], ffn));
    }

    /// 4.2: ModelOpt's lists are nearly always there; without one, experts in NVFP4 are taken to be alone in it.
    void takesExpertsAlone()
    {
        const Result<ModelSpec> model = read(latent, R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})");
        QVERIFY(model);
        QVERIFY(model->quantization);
        for (int role = 0; role < roleCount; ++role)
            QCOMPARE(model->quantization->quantised[static_cast<std::size_t>(role)], role == static_cast<int>(Role::Experts));
        QVERIFY(std::ranges::any_of(model->assumptions, [](const Assumption &a) { return a.field == "exclude_modules"; }));
        const Result<ModelSpec> listed = read(latent, R"({"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": []})");
        QVERIFY(listed);
        QVERIFY(listed->quantization->quantised[at(Role::Attention)]);
    }

    /// Modules in two formats: those named in one, the rest in what the method says.
    void readsMixedSchemes()
    {
        const Result<ModelSpec> quark = read(dense, R"({"quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp8_e4m3"}},
            "layer_quant_config": {"*.mlp.*": {"weight": {"dtype": "fp4", "group_size": 32}}}})");
        QVERIFY(quark);
        QVERIFY(quark->quantization);
        QVERIFY(quark->quantization->format == Format::MXFP4);
        QVERIFY(quark->quantization->quantised[at(Role::Ffn)]);
        QVERIFY(quark->quantization->secondFormat == Format::FP8);
        QVERIFY(quark->quantization->secondQuantised[at(Role::Attention)]);

        const Result<ModelSpec> named = read(dense, R"({"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": {
            "model.layers.0.mlp.up_proj": {"quant_algo": "FP8"}, "model.layers.0.self_attn.o_proj": {"quant_algo": "NVFP4"}}})");
        QVERIFY(named);
        QVERIFY(named->quantization);
        QVERIFY(named->quantization->format == Format::FP8);
        QVERIFY(near(named->quantization->leftOut[at(Role::Ffn)], 35.0 / 36));
        QVERIFY(named->quantization->secondFormat == Format::NVFP4);
        QVERIFY(near(named->quantization->leftOut[at(Role::Attention)], 1 - 0.4 / 12));
    }
    /// 8.5: what an index counts and engines do not load. DeepSeek-V3 ships a prediction layer of 11,610,068,224 parameters in FP8 and, in 16 bit,
    /// its own table and head of 1,853,358,080.
    void subtractsWhatIsNotLoaded()
    {
        QJsonObject object = QJsonDocument::fromJson(latent).object();
        object.insert(QStringLiteral("num_nextn_predict_layers"), 1);
        const QByteArray predicting = QJsonDocument(object).toJson();
        const Result<ModelSpec> model = read(predicting, R"({"quant_method": "fp8", "weight_block_size": [128, 128]})");
        QVERIFY(model);
        QCOMPARE(model->outer[Role::Mtp], 11'610'068'224 + 1'853'358'080);
        const auto loaded = [](const ModelSpec &spec, const char *tensor) {
            const QJsonObject index{
                {QStringLiteral("metadata"), QJsonObject{{QStringLiteral("total_size"), qint64{700'000'000'000}}}},
                {QStringLiteral("weight_map"), QJsonObject{{QString::fromLatin1(tensor), QStringLiteral("1.safetensors")}}}};
            const Result<ModelSpec> measured = withSafetensorsIndex(spec, QJsonDocument(index).toJson().toStdString(), "index");
            return measured ? measured->measuredWeights->value : 0;
        };
        const double prediction = 11'610'068'224 * (1 + 4.0 / (128 * 128)) + 2.0 * 1'853'358'080;
        const auto subtracted = static_cast<double>(700'000'000'000 - loaded(*model, "model.layers.61.eh_proj.weight"));
        QVERIFY(std::abs(subtracted - prediction) < 1e-5 * prediction);
        QCOMPARE(loaded(*model, "model.layers.60.mlp.gate.weight"), 700'000'000'000);
        QCOMPARE(loaded(*model, "lm_head.weight"), 700'000'000'000);

        Result<ModelSpec> tied = read(dense);
        QVERIFY(tied);
        tied->tiedEmbeddings = true;
        QCOMPARE(loaded(*tied, "lm_head.weight"), 700'000'000'000 - 1024LL * 512 * 2);
        QCOMPARE(loaded(*tied, "model.embed_tokens.weight"), 700'000'000'000);
    }
};

QTEST_GUILESS_MAIN(TestQuantization)
#include "tst_quantization.moc"
