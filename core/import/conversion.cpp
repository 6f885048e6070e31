// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/conversion.h"

#include "core/import/family.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

constexpr std::string_view sandwich = "attn_norm post_attention_norm ffn_norm post_ffw_norm";
constexpr std::string_view postOnly = "post_attention_norm post_ffw_norm";
constexpr std::string_view postAttention = "attn_norm post_attention_norm";
constexpr std::int64_t endless = 1 << 20; ///< the context that the converter writes for models that have no limit

// spec/gguf-quantize.md 6 and, for relatives of its rows, spec/local-engines.md 2.4. A new family: one row.
constexpr auto conversions = std::to_array<Conversion>({
    {.types = "llama yi smollm llava llava_next mistral pixtral mixtral internlm internlm3", .architecture = "llama"},
    {.types = "mistral3 ministral3", .architecture = "mistral3"},
    {.types = "smollm3", .architecture = "smollm3"},
    {.types = "granite", .architecture = "granite"},
    {.types = "granitemoe granitemoeshared", .architecture = "granitemoe"},
    {.types = "minicpm", .architecture = "minicpm"},
    {.types = "seed_oss", .architecture = "seed_oss", .norms = postAttention},
    {.types = "apertus", .architecture = "apertus"},
    {.types = "internlm2", .architecture = "internlm2"},
    {.types = "exaone", .architecture = "exaone"},
    {.types = "exaone4", .architecture = "exaone4", .norms = postOnly},
    {.types = "baichuan", .architecture = "baichuan"},

    {.types = "qwen", .architecture = "qwen", .fusedQkv = true},
    {.types = "qwen2 qwen2_audio", .architecture = "qwen2"},
    {.types = "qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text", .architecture = "qwen2vl"},
    {.types = "qwen2_moe", .architecture = "qwen2moe"},
    {.types = "qwen3", .architecture = "qwen3"},
    {.types = "qwen3_vl qwen3_vl_text", .architecture = "qwen3vl"},
    {.types = "qwen3_moe", .architecture = "qwen3moe"},
    {.types = "qwen3_vl_moe qwen3_vl_moe_text qwen3_omni_moe_text", .architecture = "qwen3vlmoe"},
    {.types = "qwen3_next", .architecture = "qwen3next", .norms = postAttention},
    {.types = "qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text",
     .architecture = "qwen35",
     .expertArchitecture = "qwen35moe",
     .norms = postAttention,
     .separateBetaGates = true,
     .nextn = NextnBlocks::Block},

    {.types = "gemma", .architecture = "gemma"},
    {.types = "gemma2", .architecture = "gemma2", .norms = sandwich},
    {.types = "gemma3 gemma3_text", .architecture = "gemma3", .norms = sandwich, .tokens = 262'144},
    {.types = "gemma3n gemma3n_text", .architecture = "gemma3n", .norms = sandwich, .altup = true},
    {.types = "gemma4 gemma4_text",
     .architecture = "gemma4",
     .norms = sandwich,
     .layerScalar = "layer_output_scale",
     .parallelExperts = true,
     .windowPattern = true,
     .fullRopeFactors = true},

    {.types = "phi phi-msft", .architecture = "phi2"},
    {.types = "phi3 phi4", .architecture = "phi3", .fusedQkv = true, .fusedGateUp = true},
    {.types = "phimoe", .architecture = "phimoe"},
    {.types = "gpt_oss", .architecture = "gpt-oss", .norms = postAttention},

    {.types = "deepseek", .architecture = "deepseek"},
    {.types = "deepseek_v2 deepseek_v3 kimi_k2 kimi_k25 glm4_moe_lite", .architecture = "deepseek2"},
    {.types = "deepseek_v32", .architecture = "deepseek32"},
    {.types = "deepseek_v4 deepseek_ref", .architecture = "deepseek4", .compressed = true},
    {.types = "glm_moe_dsa", .architecture = "glm-dsa", .nextn = NextnBlocks::Block},
    {.types = "kimi_linear", .architecture = "kimi-linear", .kvHeadsTellLayers = true},

    {.types = "chatglm", .architecture = "chatglm", .fusedQkv = true, .fusedGateUp = true},
    {.types = "glm", .architecture = "chatglm", .fusedGateUp = true},
    {.types = "glm4 glm4v glm4v_text", .architecture = "glm4", .norms = sandwich, .fusedGateUp = true},
    {.types = "glm4_moe", .architecture = "glm4moe", .norms = postAttention, .nextn = NextnBlocks::BlockAndTables},
    {.types = "dots1", .architecture = "dots1"},
    {.types = "minimax_m2", .architecture = "minimax-m2"},
    {.types = "minimax_m3 minimax_m3_vl", .architecture = "minimax-m3", .indexerInFloat = true},

    {.types = "falcon RefinedWebModel RefinedWeb", .architecture = "falcon", .norms = "attn_norm attn_norm_2", .fusedQkv = true},
    {.types = "gpt2", .architecture = "gpt2", .fusedQkv = true},
    {.types = "gpt_neox", .architecture = "gptneox", .fusedQkv = true},
    {.types = "bloom", .architecture = "bloom", .fusedQkv = true},
    {.types = "gpt_bigcode", .architecture = "starcoder", .fusedQkv = true},
    {.types = "mpt", .architecture = "mpt", .fusedQkv = true},
    {.types = "cohere", .architecture = "command-r", .norms = "attn_norm", .normByHead = true},
    {.types = "cohere2", .architecture = "cohere2", .norms = "attn_norm"},
    {.types = "dbrx", .architecture = "dbrx", .norms = "attn_norm attn_output_norm", .fusedQkv = true},
    {.types = "stablelm", .architecture = "stablelm", .normByHead = true},
    {.types = "nemotron-nas deci", .architecture = "deci", .blocksDiffer = true},
    {.types = "starcoder2", .architecture = "starcoder2"},
    {.types = "olmo", .architecture = "olmo"},
    {.types = "olmo2 olmo3", .architecture = "olmo2", .norms = postOnly},
    {.types = "olmoe", .architecture = "olmoe"},
    {.types = "ernie4_5 ernie4_5_moe", .architecture = "ernie4_5", .expertArchitecture = "ernie4_5-moe"},
    {.types = "hunyuan hunyuan_v1_dense hunyuan_v1_moe hunyuan_dense hunyuan_moe",
     .architecture = "hunyuan-dense",
     .expertArchitecture = "hunyuan-moe"},
    {.types = "llama4 llama4_text", .architecture = "llama4"},

    {.types = "jamba", .architecture = "jamba", .kvHeadsTellLayers = true},
    {.types = "mamba falcon_mamba", .architecture = "mamba", .vocabularyMultiple = 8, .context = endless},
    {.types = "mamba2", .architecture = "mamba2", .vocabularyMultiple = 16, .context = endless},
    {.types = "nemotron_h",
     .architecture = "nemotron_h",
     .expertArchitecture = "nemotron_h_moe",
     .kvHeadsTellLayers = true,
     .nextn = NextnBlocks::Block,
     .vocabularyMultiple = 8,
     .context = endless},
    {.types = "bamba", .architecture = "granitehybrid", .kvHeadsTellLayers = true, .vocabularyMultiple = 8},
    {.types = "granitemoehybrid", .architecture = "granitehybrid", .kvHeadsTellLayers = true, .vocabularyMultiple = 8, .context = endless},
    {.types = "falcon_h1", .architecture = "falcon-h1", .vocabularyMultiple = 16},
    {.types = "lfm2 lfm2_moe",
     .architecture = "lfm2",
     .expertArchitecture = "lfm2moe",
     .finalNorm = "token_embd_norm",
     .kvHeadsTellLayers = true},
    {.types = "mimo_v2_flash", .architecture = "mimo2", .windowPattern = true},
    {.types = "step3p5 step3p7", .architecture = "step35", .windowPattern = true, .nextn = NextnBlocks::WindowedBlockAndHead},
});

} // namespace

const Conversion *conversionOf(std::string_view modelType)
{
    const auto found =
        std::ranges::find_if(conversions, [&](const Conversion &conversion) { return listsType(conversion.types, modelType); });
    return found == conversions.end() || modelType.empty() ? nullptr : &*found;
}

} // namespace kvscope
