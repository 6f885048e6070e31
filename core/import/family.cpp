// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/family.h"

#include "core/import/adjust.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

// Class defaults: what the configuration classes of Transformers take for a field that a file leaves out
// (spec/serving-engines.md 8.2 "Traps" and 8.3).
constexpr FieldDefault llamaNested[] = {
    {"hidden_size", 4096},       {"intermediate_size", 11008}, {"num_hidden_layers", 32},
    {"num_attention_heads", 32}, {"vocab_size", 32000},        {"max_position_embeddings", 2048},
};
constexpr FieldDefault mistralDefaults[] = {{"sliding_window", 4096}};
constexpr FieldDefault mistralNested[] = {
    {"hidden_size", 4096},      {"intermediate_size", 14336}, {"num_hidden_layers", 32},           {"num_attention_heads", 32},
    {"num_key_value_heads", 8}, {"vocab_size", 32000},        {"max_position_embeddings", 131072},
};
constexpr FieldDefault qwen3Defaults[] = {{"head_dim", 128}};
constexpr FieldDefault gatedDeltaDefaults[] = {
    {"head_dim", 256},
    {"linear_conv_kernel_dim", 4},
    {"linear_key_head_dim", 128},
    {"linear_value_head_dim", 128},
    {"linear_num_key_heads", 16},
    {"linear_num_value_heads", 32},
};
constexpr FieldDefault gemmaDefaults[] = {{"head_dim", 256}};
constexpr FieldDefault gemma2Defaults[] = {{"head_dim", 256}, {"sliding_window", 4096}};
constexpr FieldDefault gemma3Nested[] = {
    {"num_attention_heads", 8},
    {"num_key_value_heads", 4},
    {"vocab_size", 262208},
    {"max_position_embeddings", 131072},
};
constexpr FieldDefault gemma3nDefaults[] = {
    {"head_dim", 256},
    {"sliding_window", 512},
    {"num_kv_shared_layers", 15},
    {"hidden_size_per_layer_input", 256},
    {"vocab_size_per_layer_input", 262144},
    {"altup_num_inputs", 4},
    {"laurel_rank", 64},
};
constexpr FieldDefault gemma4Defaults[] = {{"head_dim", 256}, {"global_head_dim", 512}, {"sliding_window", 512}};
constexpr FieldDefault gptOssDefaults[] = {{"head_dim", 64}, {"sliding_window", 128}};
constexpr FieldDefault window4096[] = {{"sliding_window", 4096}};
constexpr FieldDefault window2048[] = {{"attention_window_size", 2048}, {"conv1d_width", 4}};
constexpr FieldDefault window256[] = {{"window_size", 256}};
constexpr FieldDefault mimoV2Defaults[] = {{"sliding_window", 128}};
constexpr FieldDefault step3Defaults[] = {{"sliding_window", 512}, {"num_attention_groups", 8}};
constexpr FieldDefault llama4Defaults[] = {
    {"attention_chunk_size", 8192},
    {"head_dim", 128},
    {"n_shared_experts", 1},
    {"interleave_moe_layer_step", 1},
};
constexpr FieldDefault kvChannels128[] = {{"kv_channels", 128}};
constexpr FieldDefault headDim128[] = {{"head_dim", 128}};
constexpr FieldDefault deepSeekV4Defaults[] = {{"head_dim", 512}, {"sliding_window", 128}, {"hc_mult", 4}};
constexpr FieldDefault jambaDefaults[] = {
    {"mamba_d_state", 16},      {"mamba_d_conv", 4}, {"mamba_expand", 2},        {"expert_layer_period", 2},
    {"expert_layer_offset", 1}, {"num_experts", 16}, {"num_experts_per_tok", 2},
};
constexpr FieldDefault mambaDefaults[] = {{"state_size", 16}, {"conv_kernel", 4}, {"expand", 2}};
constexpr FieldDefault mamba2Defaults[] = {{"state_size", 128}, {"conv_kernel", 4}, {"expand", 2}, {"n_groups", 8}, {"head_dim", 64}};
constexpr FieldDefault nemotronHDefaults[] = {{"ssm_state_size", 128}, {"conv_kernel", 4}, {"n_groups", 8}, {"mamba_head_dim", 64}};
constexpr FieldDefault hybridMamba2Defaults[] = {{"mamba_d_state", 256}, {"mamba_d_conv", 4}, {"mamba_expand", 2}, {"mamba_n_groups", 1}};
constexpr FieldDefault zamba2Defaults[] = {
    {"mamba_d_state", 64}, {"mamba_d_conv", 4}, {"mamba_expand", 2}, {"mamba_ngroups", 1}, {"n_mamba_heads", 8},
};
constexpr FieldDefault lfm2Defaults[] = {{"conv_L_cache", 3}};
constexpr FieldDefault gpt2Defaults[] = {{"n_positions", 1024}, {"vocab_size", 50257}};
constexpr FieldDefault optDefaults[] = {{"max_position_embeddings", 2048}};
constexpr FieldDefault t5Defaults[] = {{"d_kv", 64}, {"relative_attention_num_buckets", 32}};
constexpr FieldDefault whisperDefaults[] = {{"max_source_positions", 1500}, {"max_target_positions", 448}, {"num_mel_bins", 80}};

// A new family goes here: one row, only what differs from a plain pre-norm gated transformer with RMSNorm.
// A trait that no flag can say gets a function in adjust.cpp.
constexpr auto families = std::to_array<Family>({
    {.types = "llama yi minicpm granite smollm", .nestedDefaults = llamaNested},
    {.types = "mistral", .defaults = mistralDefaults, .nestedDefaults = mistralNested},
    {.types = "mixtral ministral ministral3", .nestedDefaults = mistralNested},
    {.types = "smollm3", .tied = true, .windowNeedsFlag = true},
    {.types = "seed_oss", .qkvBias = {"attention_bias", true}, .outputBias = {"attention_out_bias", false}},
    {.types = "apertus", .layerScalars = 2, .qkNorm = QkNorm::PerHead, .gated = false},
    {.types = "internlm", .qkvBias = {"bias", true}, .outputBias = {"bias", true}, .ffnBias = never},
    {.types = "internlm2", .qkvBias = {"bias", false}, .outputBias = {"bias", false}, .ffnBias = never},
    {.types = "internlm3", .qkvBias = {"qkv_bias", false}, .outputBias = {"bias", false}, .ffnBias = {"bias", false}},
    {.types = "exaone", .qkvBias = never, .outputBias = never, .ffnBias = never},
    {.types = "exaone4 exaone_moe",
     .qkNorm = QkNorm::PerHead,
     .pattern = {.period = 4, .offset = 3, .periodField = "sliding_window_pattern"},
     .defaults = window4096},
    {.types = "baichuan", .qkvBias = never, .outputBias = never},

    {.types = "qwen", .qkvBias = always, .outputBias = never, .ffnBias = never, .ffnShare = 2, .defaults = kvChannels128},
    {.types = "qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_audio",
     .qkvBias = always,
     .outputBias = never,
     .windowNeedsFlag = true},
    {.types = "mimo", .qkvBias = {"attention_bias", true}, .outputBias = never, .windowNeedsFlag = true, .mtp = MtpStyle::Layer},
    {.types = "qwen3 qwen3_vl qwen3_vl_text", .qkNorm = QkNorm::PerHead, .windowNeedsFlag = true, .defaults = qwen3Defaults},
    {.types = "qwen2_moe", .qkvBias = {"qkv_bias", true}, .outputBias = never, .windowNeedsFlag = true, .sharedGate = true},
    {.types = "qwen3_moe qwen3_vl_moe qwen3_vl_moe_text", .qkNorm = QkNorm::PerHead, .windowNeedsFlag = true, .defaults = qwen3Defaults},
    {.types = "qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text",
     .qkNorm = QkNorm::PerHead,
     .outputGate = true,
     .pattern = {4, 3, LayerKind::Full, LayerKind::State, "full_attention_interval"},
     .recurrence = Recurrence::GatedDelta,
     .sharedGate = true,
     .mtp = MtpStyle::Layer,
     .defaults = gatedDeltaDefaults},

    {.types = "gemma", .tied = true, .defaults = gemmaDefaults},
    {.types = "gemma2", .tied = true, .norms = 4, .pattern = {2, 1}, .defaults = gemma2Defaults},
    {.types = "gemma3 gemma3_text",
     .tied = true,
     .norms = 4,
     .qkNorm = QkNorm::PerHead,
     .pattern = {.period = 6, .offset = 5, .periodField = "sliding_window_pattern"},
     .defaults = gemma2Defaults,
     .nestedDefaults = gemma3Nested},
    {.types = "gemma3n gemma3n_text",
     .tied = true,
     .norms = 4,
     .qkNorm = QkNorm::PerHead,
     .pattern = {5, 4},
     .formulaUnchecked = true,
     .defaults = gemma3nDefaults,
     .adjustLayer = adjustGemma3nLayer,
     .adjustOuter = adjustGemma3nOuter},
    {.types = "gemma4 gemma4_text",
     .tied = true,
     .norms = 4,
     .layerScalars = 1,
     .qkNorm = QkNorm::PerHead,
     .valueIsKey = {"attention_k_eq_v", false},
     .pattern = {.period = 6, .offset = 5, .lastToo = true},
     .denseBesideExperts = true,
     .scoreBias = always,
     .defaults = gemma4Defaults,
     .adjustLayer = adjustGemma4Layer,
     .adjustOuter = adjustGemma4Outer},
    {.types = "recurrent_gemma",
     .tied = true,
     .qkvBias = never,
     .outputBias = always,
     .ffnBias = always,
     .ffnShare = 2,
     .pattern = {3, 2, LayerKind::Sliding, LayerKind::State},
     .recurrence = Recurrence::RGLRU,
     .formulaUnchecked = true,
     .defaults = window2048},

    {.types = "phi phi-msft",
     .normVectors = 2,
     .norms = 1,
     .qkvBias = always,
     .outputBias = always,
     .ffnBias = always,
     .headBias = always,
     .gated = false},
    {.types = "phi3 phi4"},
    {.types = "phimoe",
     .normVectors = 2,
     .qkvBias = {"attention_bias", true},
     .outputBias = {"attention_bias", true},
     .headBias = {"lm_head_bias", true}},
    {.types = "gpt_oss",
     .qkvBias = {"attention_bias", true},
     .outputBias = {"attention_bias", true},
     .fullSinks = always,
     .slidingSinks = always,
     .pattern = {2, 1},
     .routerBias = true,
     .expertBias = true,
     .defaults = gptOssDefaults},

    {.types = "deepseek deepseek_v2"},
    {.types = "deepseek_v3 kimi_k2 pangu_ultra pangu_ultra_moe glm4_moe_lite deepseek_v32",
     .scoreBias = always,
     .mtp = MtpStyle::LayerAndTables},
    {.types = "glm_moe_dsa", .scoreBias = always, .mtp = MtpStyle::Layer},
    {.types = "deepseek_v4 deepseek_ref",
     .pattern = {1, 0, LayerKind::Sliding},
     .defaults = deepSeekV4Defaults,
     .adjustLayer = adjustDeepSeekV4Layer,
     .adjustOuter = adjustDeepSeekV4Outer},
    {.types = "longcat_flash", .doubledLayers = true, .denseBesideExperts = true, .scoreBias = always},
    {.types = "kimi_linear", .recurrence = Recurrence::KDA, .scoreBias = always, .stateInFloat = true},

    {.types = "glm chatglm", .qkvBias = {"add_qkv_bias", true}, .outputBias = never},
    {.types = "glm4 glm4v glm4v_text", .norms = 4, .outputBias = never},
    {.types = "glm4_moe",
     .outputBias = never,
     .qkNorm = QkNorm::PerHead,
     .qkNormWhen = {"use_qk_norm", false},
     .scoreBias = always,
     .mtp = MtpStyle::LayerAndTables},
    {.types = "dots1", .outputBias = never, .qkNorm = QkNorm::PerHead, .scoreBias = always},
    {.types = "minimax_m2", .qkNorm = QkNorm::FullWidth, .qkNormWhen = {"use_qk_norm", true}, .scoreBias = {"use_routing_bias", true}},
    {.types = "minimax_m3 minimax_m3_vl",
     .qkNorm = QkNorm::PerHead,
     .qkNormWhen = {"use_qk_norm", true},
     .scoreBias = {"use_routing_bias", true},
     .formulaUnchecked = true,
     .adjustLayer = adjustMinimaxM3Layer},
    {.types = "minimax_text_01 minimax_m1 minimax",
     .pattern = {8, 7, LayerKind::Full, LayerKind::State},
     .recurrence = Recurrence::LinearAttention,
     .formulaUnchecked = true},

    {.types = "falcon RefinedWebModel RefinedWeb",
     .tied = true,
     .normVectors = 2,
     .norms = 1,
     .oneMoreNorm = {"new_decoder_architecture", false},
     .qkvBias = {"bias", false},
     .outputBias = {"bias", false},
     .ffnBias = {"bias", false},
     .gated = false,
     .multiQuery = {"multi_query", true},
     .notMultiQueryIf = {"new_decoder_architecture", false}},
    {.types = "gpt2",
     .tied = true,
     .normVectors = 2,
     .qkvBias = always,
     .outputBias = always,
     .ffnBias = always,
     .gated = false,
     .positionRows = 0,
     .defaults = gpt2Defaults},
    {.types = "gptj",
     .normVectors = 2,
     .norms = 1,
     .qkvBias = never,
     .outputBias = never,
     .ffnBias = always,
     .headBias = always,
     .gated = false},
    {.types = "gpt_neox",
     .normVectors = 2,
     .qkvBias = {"attention_bias", true},
     .outputBias = {"attention_bias", true},
     .ffnBias = always,
     .gated = false},
    {.types = "gpt_neo",
     .tied = true,
     .normVectors = 2,
     .qkvBias = never,
     .outputBias = always,
     .ffnBias = always,
     .gated = false,
     .positionRows = 0,
     .pattern = {2, 0},
     .defaults = window256},
    {.types = "bloom",
     .tied = true,
     .normVectors = 2,
     .qkvBias = always,
     .outputBias = always,
     .ffnBias = always,
     .gated = false,
     .embeddingNorm = true},
    {.types = "opt",
     .tied = true,
     .normVectors = 2,
     .qkvBias = {"enable_bias", true},
     .outputBias = {"enable_bias", true},
     .ffnBias = {"enable_bias", true},
     .gated = false,
     .positionRows = 2,
     .defaults = optDefaults},
    {.types = "gpt_bigcode",
     .tied = true,
     .normVectors = 2,
     .qkvBias = always,
     .outputBias = always,
     .ffnBias = always,
     .gated = false,
     .positionRows = 0,
     .multiQuery = {"multi_query", true}},
    {.types = "mpt", .tied = true, .qkvBias = never, .outputBias = never, .ffnBias = never, .gated = false},
    {.types = "cohere", .tied = true, .norms = 1, .qkNorm = QkNorm::FullWidth, .qkNormWhen = {"use_qk_norm", false}},
    {.types = "cohere2",
     .tied = true,
     .norms = 1,
     .pattern = {.period = 4, .offset = 3, .periodField = "sliding_window_pattern"},
     .defaults = window4096},
    {.types = "dbrx", .qkvBias = never, .outputBias = never, .ffnBias = never},
    {.types = "stablelm",
     .normVectors = 2,
     .qkvBias = {"use_qkv_bias", false},
     .outputBias = never,
     .qkNorm = QkNorm::FullWidth,
     .qkNormWhen = {"qk_layernorm", false}},
    {.types = "starcoder2",
     .tied = true,
     .normVectors = 2,
     .qkvBias = {"use_bias", true},
     .outputBias = {"use_bias", true},
     .ffnBias = {"use_bias", true},
     .gated = false},
    {.types = "olmo", .normVectors = 0},
    {.types = "olmo2", .qkNorm = QkNorm::FullWidth},
    {.types = "olmo3", .qkNorm = QkNorm::FullWidth, .pattern = {4, 3}, .defaults = window4096},
    {.types = "olmoe", .qkNorm = QkNorm::FullWidth},
    {.types = "ernie4_5 ernie4_5_moe",
     .qkvBias = {"use_bias", false},
     .outputBias = {"use_bias", false},
     .ffnBias = {"use_bias", false},
     .scoreBias = {"moe_use_aux_free", true},
     .defaults = headDim128},
    {.types = "hunyuan hunyuan_v1_dense hunyuan_v1_moe hunyuan_dense hunyuan_moe",
     .qkNorm = QkNorm::PerHead,
     .qkNormWhen = {"use_qk_norm", true}},
    {.types = "llama4 llama4_text", .pattern = {4, 3, LayerKind::Full, LayerKind::Chunked}, .defaults = llama4Defaults},
    {.types = "granitemoe granitemoeshared", .tied = true},

    {.types = "jamba",
     .pattern = {8, 4, LayerKind::Full, LayerKind::State, "attn_layer_period", "attn_layer_offset"},
     .recurrence = Recurrence::Mamba1,
     .recurrentNorms = true,
     .defaults = jambaDefaults},
    {.types = "mamba falcon_mamba",
     .tied = true,
     .norms = 1,
     .pattern = {1, 0, LayerKind::State},
     .recurrence = Recurrence::Mamba1,
     .singleBlock = true,
     .defaults = mambaDefaults},
    {.types = "mamba2",
     .norms = 1,
     .pattern = {1, 0, LayerKind::State},
     .recurrence = Recurrence::Mamba2,
     .singleBlock = true,
     .defaults = mamba2Defaults},
    {.types = "nemotron_h",
     .norms = 1,
     .gated = false,
     .recurrence = Recurrence::Mamba2,
     .singleBlock = true,
     .scoreBias = always,
     .mtp = MtpStyle::Layer,
     .stateInFloat = true,
     .defaults = nemotronHDefaults},
    {.types = "granitemoehybrid bamba",
     .tied = true,
     .pattern = {1, 0, LayerKind::State},
     .recurrence = Recurrence::Mamba2,
     .defaults = hybridMamba2Defaults},
    {.types = "falcon_h1",
     .pattern = {1, 0, LayerKind::Hybrid},
     .recurrence = Recurrence::Mamba2,
     .formulaUnchecked = true,
     .defaults = hybridMamba2Defaults},
    {.types = "zamba2",
     .tied = true,
     .pattern = {1, 0, LayerKind::State},
     .recurrence = Recurrence::Mamba2,
     .formulaUnchecked = true,
     .defaults = zamba2Defaults},
    {.types = "lfm2 lfm2_moe",
     .tied = true,
     .qkvBias = never,
     .outputBias = never,
     .qkNorm = QkNorm::PerHead,
     .recurrence = Recurrence::ShortConv,
     .scoreBias = {"use_expert_bias", true},
     .defaults = lfm2Defaults},
    {.types = "mimo_v2_flash",
     .outputBias = never,
     .fullSinks = {"add_full_attention_sink_bias", false},
     .slidingSinks = {"add_swa_attention_sink_bias", true},
     .pattern = {.period = 6, .offset = 5, .firstToo = true},
     .scoreBias = always,
     .defaults = mimoV2Defaults},
    {.types = "step3p5 step3p7",
     .qkNorm = QkNorm::PerHead,
     .qkNormWhen = {"use_qk_norm", true},
     .headGate = {"use_head_wise_attn_gate", true},
     .pattern = {4, 0},
     .scoreBias = {"use_moe_router_bias", true},
     .mtp = MtpStyle::WindowedLayerAndTable,
     .defaults = step3Defaults},

    {.types = "nemotron-nas deci", .adjustLayer = adjustNemotronNasLayer},
    {.types = "mllama mllama_text_model", .adjustLayer = adjustMllamaLayer, .adjustOuter = adjustMllamaOuter},
    {.types = "t5 mt5",
     .tied = true,
     .qkvBias = never,
     .outputBias = never,
     .ffnBias = never,
     .defaults = t5Defaults,
     .adjustLayer = adjustT5Layer,
     .adjustOuter = adjustT5Outer},
    {.types = "whisper",
     .tied = true,
     .normVectors = 2,
     .qkvBias = always,
     .outputBias = always,
     .ffnBias = always,
     .gated = false,
     .positionRows = 0,
     .defaults = whisperDefaults,
     .adjustLayer = adjustWhisperLayer,
     .adjustOuter = adjustWhisperOuter},
});

constexpr Family standard{.types = ""};

bool names(std::string_view types, std::string_view wanted)
{
    while (!types.empty()) {
        const std::size_t end = std::min(types.find(' '), types.size());
        if (types.substr(0, end) == wanted)
            return true;
        types.remove_prefix(std::min(end + 1, types.size()));
    }
    return false;
}

} // namespace

const Family *familyOf(std::string_view modelType)
{
    if (modelType.empty())
        return nullptr;
    const auto found = std::find_if(families.begin(), families.end(), [&](const Family &family) { return names(family.types, modelType); });
    return found == families.end() ? nullptr : &*found;
}

const Family &standardFamily() { return standard; }

} // namespace kvscope
