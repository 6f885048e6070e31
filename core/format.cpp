// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kvscope {

namespace {

constexpr bool weights = true, kv = true, all = true, no = false;

// name, label, elements a block, bytes a block, for weights, for KV, every parameter
constexpr std::array<TensorFormat, formatCount> formats{{
    {"f32", "FP32", 1, 4, weights, kv, all},
    {"f16", "FP16", 1, 2, weights, kv, all},
    {"bf16", "BF16", 1, 2, weights, kv, all},
    {"fp8", "FP8", 1, 1, weights, kv, no},
    {"fp8_e4m3", "FP8 E4M3", 1, 1, no, kv, no},
    {"fp8_e5m2", "FP8 E5M2", 1, 1, no, kv, no},
    {"fp8_block", "FP8 block", 16384, 16388, weights, no, no}, // one fp32 scale per 128 x 128
    {"mxfp8", "MXFP8", 32, 33, weights, no, no},
    {"int8", "INT8", 1, 1, weights, kv, no},
    {"int4", "INT4", 2, 1, weights, kv, no},
    {"awq", "AWQ", 256, 133, weights, no, no},                  // group 128: 4 + 16/128 + 4/128 bits
    {"gptq", "GPTQ", 256, 133, weights, no, no},                // the same
    {"nf4", "NF4", 64, 36, weights, no, no},                    // fp32 absmax per 64
    {"nf4_double", "NF4 double", 16384, 8452, weights, no, no}, // 8-bit absmax per 64, fp32 per 256 of those
    {"mxfp4", "MXFP4", 32, 17, weights, no, no},
    {"nvfp4", "NVFP4", 16, 9, weights, kv, no},
    {"q1_0", "Q1_0", 128, 18, weights, no, no},
    {"q2_0", "Q2_0", 64, 18, weights, no, no},
    {"q4_0", "Q4_0", 32, 18, weights, kv, no},
    {"q4_1", "Q4_1", 32, 20, weights, kv, no},
    {"q5_0", "Q5_0", 32, 22, weights, kv, no},
    {"q5_1", "Q5_1", 32, 24, weights, kv, no},
    {"q8_0", "Q8_0", 32, 34, weights, kv, no},
    {"q8_1", "Q8_1", 32, 36, weights, no, no},
    {"q2_k", "Q2_K", 256, 84, weights, no, no},
    {"q3_k", "Q3_K", 256, 110, weights, no, no},
    {"q4_k", "Q4_K", 256, 144, weights, no, no},
    {"q5_k", "Q5_K", 256, 176, weights, no, no},
    {"q6_k", "Q6_K", 256, 210, weights, no, no},
    {"q8_k", "Q8_K", 256, 292, weights, no, no},
    {"iq1_s", "IQ1_S", 256, 50, weights, no, no},
    {"iq1_m", "IQ1_M", 256, 56, weights, no, no},
    {"iq2_xxs", "IQ2_XXS", 256, 66, weights, no, no},
    {"iq2_xs", "IQ2_XS", 256, 74, weights, no, no},
    {"iq2_s", "IQ2_S", 256, 82, weights, no, no},
    {"iq3_xxs", "IQ3_XXS", 256, 98, weights, no, no},
    {"iq3_s", "IQ3_S", 256, 110, weights, no, no},
    {"iq4_nl", "IQ4_NL", 32, 18, weights, kv, no},
    {"iq4_xs", "IQ4_XS", 256, 136, weights, no, no},
    {"tq1_0", "TQ1_0", 256, 54, weights, no, no},
    {"tq2_0", "TQ2_0", 256, 66, weights, no, no},
    // DeepSeek V3.2 latent: 512 e4m3 + 4 fp32 scales + 64 bf16 rope = 656 bytes for 576 elements (serving-engines.md 2.2)
    {"fp8_ds_mla", "FP8 DS-MLA", 576, 656, no, kv, no},
    {"int4_g32", "INT4 group 32", 32, 18, weights, no, no}, // symmetric, 4 + 16/32 bits (Kimi K2 Thinking)
    {"f64", "FP64", 1, 8, no, no, no},
    {"i8", "I8", 1, 1, no, no, no},
    {"i16", "I16", 1, 2, no, no, no},
    {"i32", "I32", 1, 4, no, no, no},
    {"i64", "I64", 1, 8, no, no, no},
    // Scales are of a head: the block is K and V of one of 128 (serving-engines.md 2.3).
    {"fp8_per_token_head", "FP8 per head", 256, 264, no, kv, no},
    {"int8_per_token_head", "INT8 per head", 256, 264, no, kv, no},
    {"int4_per_token_head", "INT4 per head", 256, 136, no, kv, no},
    {"turboquant_k8v4", "TurboQuant K8 V4", 256, 196, no, kv, no},
    {"turboquant_4bit_nc", "TurboQuant 4-bit", 256, 134, no, kv, no},
    {"turboquant_k3v4_nc", "TurboQuant K3 V4", 256, 118, no, kv, no},
    {"turboquant_3bit_nc", "TurboQuant 3-bit", 256, 102, no, kv, no},
    {"nvfp4_4over6", "NVFP4 4/6", 16, 9, no, kv, no},
    {"fp8_inc", "FP8 INC", 1, 1, no, kv, no},
    // Mixes: the block is that of the type that most tensors get (spec/gguf-quantize.md 4).
    {"q2_k_s", "Q2_K_S", 256, 84, weights, no, no},
    {"q3_k_s", "Q3_K_S", 256, 110, weights, no, no},
    {"q3_k_m", "Q3_K_M", 256, 110, weights, no, no},
    {"q3_k_l", "Q3_K_L", 256, 110, weights, no, no},
    {"q4_k_s", "Q4_K_S", 256, 144, weights, no, no},
    {"q4_k_m", "Q4_K_M", 256, 144, weights, no, no},
    {"q5_k_s", "Q5_K_S", 256, 176, weights, no, no},
    {"q5_k_m", "Q5_K_M", 256, 176, weights, no, no},
    {"iq2_m", "IQ2_M", 256, 82, weights, no, no},
    {"iq3_xs", "IQ3_XS", 256, 110, weights, no, no},
    {"iq3_m", "IQ3_M", 256, 110, weights, no, no},
}};

struct Synonym {
    std::string_view name;
    Format format;
};
constexpr std::array synonyms{Synonym{"fp16", Format::F16}, Synonym{"fp32", Format::F32}, Synonym{"float16", Format::F16},
                              Synonym{"float32", Format::F32}, Synonym{"bfloat16", Format::BF16}};

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool equalIgnoringCase(std::string_view a, std::string_view b)
{
    return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

/// Levenshtein distance, letters compared without case.
int editDistance(std::string_view a, std::string_view b)
{
    std::vector<int> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        int diagonal = row[0];
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const int substitution = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
        }
    }
    return row[b.size()];
}

} // namespace

const TensorFormat &infoOf(Format format) { return formats[static_cast<std::size_t>(format)]; }

std::optional<Format> formatByName(std::string_view name)
{
    for (std::size_t i = 0; i < formats.size(); ++i) {
        if (equalIgnoringCase(formats[i].name, name))
            return static_cast<Format>(i);
    }
    for (const Synonym &s : synonyms) {
        if (equalIgnoringCase(s.name, name))
            return s.format;
    }
    return {};
}

Bytes bytesOf(Format format, std::int64_t elements)
{
    const TensorFormat &f = infoOf(format);
    return Bytes{f.blockBytes} * ceilDivide(elements, f.blockElements);
}

std::vector<std::string> nearNames(std::string_view asked, std::span<const std::string_view> names, std::size_t most)
{
    struct Candidate {
        int distance;
        std::string_view name;
    };
    std::vector<Candidate> near;
    const auto allowed = static_cast<int>(std::clamp<std::size_t>(asked.size() / 3, 2, 6));
    for (const std::string_view name : names) {
        const bool prefix = asked.size() >= 3 && name.size() > asked.size() && equalIgnoringCase(name.substr(0, asked.size()), asked);
        const int distance = prefix ? 1 : editDistance(asked.substr(0, 128), name);
        if (distance <= allowed)
            near.push_back({distance, name});
    }
    std::ranges::stable_sort(near, {}, &Candidate::distance);
    std::vector<std::string> result;
    for (const Candidate &c : near) {
        if (result.size() == most)
            break;
        result.emplace_back(c.name);
    }
    return result;
}

} // namespace kvscope
