// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/fields.h"

/// What the configuration classes of Transformers take for a field that a file leaves out, by family (spec/serving-engines.md 8.2 "Traps", 8.3).
/// "Nested" ones hold only for a text_config that lists what differs from its class.
namespace kvscope {

inline constexpr FieldDefault llamaNested[] = {
    {"hidden_size", 4096},       {"intermediate_size", 11008}, {"num_hidden_layers", 32},
    {"num_attention_heads", 32}, {"vocab_size", 32000},        {"max_position_embeddings", 2048},
};
inline constexpr FieldDefault mistralDefaults[] = {{"sliding_window", 4096}};
inline constexpr FieldDefault mistralNested[] = {
    {"hidden_size", 4096},      {"intermediate_size", 14336}, {"num_hidden_layers", 32},           {"num_attention_heads", 32},
    {"num_key_value_heads", 8}, {"vocab_size", 32000},        {"max_position_embeddings", 131072},
};
inline constexpr FieldDefault qwen3Defaults[] = {{"head_dim", 128}};
inline constexpr FieldDefault gatedDeltaDefaults[] = {
    {"head_dim", 256},
    {"linear_conv_kernel_dim", 4},
    {"linear_key_head_dim", 128},
    {"linear_value_head_dim", 128},
    {"linear_num_key_heads", 16},
    {"linear_num_value_heads", 32},
};
inline constexpr FieldDefault gemmaDefaults[] = {{"head_dim", 256}};
inline constexpr FieldDefault gemma2Defaults[] = {{"head_dim", 256}, {"sliding_window", 4096}};
inline constexpr FieldDefault gemma3Nested[] = {
    {"num_attention_heads", 8},
    {"num_key_value_heads", 4},
    {"vocab_size", 262208},
    {"max_position_embeddings", 131072},
};
inline constexpr FieldDefault gemma3nDefaults[] = {
    {"head_dim", 256},
    {"sliding_window", 512},
    {"num_kv_shared_layers", 15},
    {"hidden_size_per_layer_input", 256},
    {"vocab_size_per_layer_input", 262144},
    {"altup_num_inputs", 4},
    {"laurel_rank", 64},
};
inline constexpr FieldDefault gemma4Defaults[] = {{"head_dim", 256}, {"global_head_dim", 512}, {"sliding_window", 512}};
inline constexpr FieldDefault gptOssDefaults[] = {{"head_dim", 64}, {"sliding_window", 128}};
inline constexpr FieldDefault window4096[] = {{"sliding_window", 4096}};
inline constexpr FieldDefault window2048[] = {{"attention_window_size", 2048}, {"conv1d_width", 4}};
inline constexpr FieldDefault window256[] = {{"window_size", 256}};
inline constexpr FieldDefault mimoV2Defaults[] = {{"sliding_window", 128}};
inline constexpr FieldDefault step3Defaults[] = {{"sliding_window", 512}, {"num_attention_groups", 8}};
inline constexpr FieldDefault llama4Defaults[] = {
    {"attention_chunk_size", 8192},
    {"head_dim", 128},
    {"n_shared_experts", 1},
    {"interleave_moe_layer_step", 1},
};
inline constexpr FieldDefault kvChannels128[] = {{"kv_channels", 128}};
inline constexpr FieldDefault headDim128[] = {{"head_dim", 128}};
inline constexpr FieldDefault deepSeekV4Defaults[] = {{"head_dim", 512}, {"sliding_window", 128}, {"hc_mult", 4}};
inline constexpr FieldDefault jambaDefaults[] = {
    {"mamba_d_state", 16},      {"mamba_d_conv", 4}, {"mamba_expand", 2},        {"expert_layer_period", 2},
    {"expert_layer_offset", 1}, {"num_experts", 16}, {"num_experts_per_tok", 2},
};
inline constexpr FieldDefault mambaDefaults[] = {{"state_size", 16}, {"conv_kernel", 4}, {"expand", 2}};
inline constexpr FieldDefault mamba2Defaults[] = {
    {"state_size", 128}, {"conv_kernel", 4}, {"expand", 2}, {"n_groups", 8}, {"head_dim", 64}};
inline constexpr FieldDefault nemotronHDefaults[] = {{"ssm_state_size", 128}, {"conv_kernel", 4}, {"n_groups", 8}, {"mamba_head_dim", 64}};
inline constexpr FieldDefault hybridMamba2Defaults[] = {
    {"mamba_d_state", 256}, {"mamba_d_conv", 4}, {"mamba_expand", 2}, {"mamba_n_groups", 1}};
inline constexpr FieldDefault zamba2Defaults[] = {
    {"mamba_d_state", 64}, {"mamba_d_conv", 4}, {"mamba_expand", 2}, {"mamba_ngroups", 1}, {"n_mamba_heads", 8},
};
inline constexpr FieldDefault lfm2Defaults[] = {{"conv_L_cache", 3}};
inline constexpr FieldDefault gpt2Defaults[] = {{"n_positions", 1024}, {"vocab_size", 50257}};
inline constexpr FieldDefault optDefaults[] = {{"max_position_embeddings", 2048}};
inline constexpr FieldDefault t5Defaults[] = {{"d_kv", 64}, {"relative_attention_num_buckets", 32}};
inline constexpr FieldDefault whisperDefaults[] = {{"max_source_positions", 1500}, {"max_target_positions", 448}, {"num_mel_bins", 80}};

} // namespace kvscope
