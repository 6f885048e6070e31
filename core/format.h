// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/units.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// Every storage format of weights and KV cache. Order is that of the table in format.cpp.
enum class Format : std::uint8_t {
    F32,
    F16,
    BF16,
    FP8,
    FP8E4M3,
    FP8E5M2,
    FP8Block,
    MXFP8,
    Int8,
    Int4,
    AWQ,
    GPTQ,
    NF4,
    NF4Double,
    MXFP4,
    NVFP4,
    Q1_0,
    Q2_0,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q8_1,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    Q8_K,
    IQ1_S,
    IQ1_M,
    IQ2_XXS,
    IQ2_XS,
    IQ2_S,
    IQ3_XXS,
    IQ3_S,
    IQ4_NL,
    IQ4_XS,
    TQ1_0,
    TQ2_0,
    FP8DsMla,
    Int4Group32,
    // GGUF: what tensors may be stored in beside the weights
    F64,
    I8,
    I16,
    I32,
    I64,
    // vLLM's caches with scales beside each head and token (spec/serving-engines.md 2.3)
    FP8PerTokenHead,
    Int8PerTokenHead,
    Int4PerTokenHead,
    TurboK8V4,
    Turbo4Bit,
    TurboK3V4,
    Turbo3Bit,
    NVFP4FourOverSix,
    FP8Inc, ///< Gaudi's
    // GGUF mixes: what the quantiser is asked for; each tensor gets a type of its own (spec/gguf-quantize.md)
    Q2_K_S,
    Q3_K_S,
    Q3_K_M,
    Q3_K_L,
    Q4_K_S,
    Q4_K_M,
    Q5_K_S,
    Q5_K_M,
    IQ2_M,
    IQ3_XS,
    IQ3_M,
};
inline constexpr int formatCount = static_cast<int>(Format::IQ3_M) + 1;

/// How many bytes a run of elements takes: whole blocks of `blockElements` in `blockBytes` (`q8_0`: 32 elements, 34 bytes).
/// Sources: GGUF types: ggml's type table (spec/local-engines.md 1.2); checkpoint formats: spec/serving-engines.md 4.2.
struct TensorFormat {
    std::string_view name;  ///< as typed and stored, lower case: "q8_0"
    std::string_view label; ///< as shown: "Q8_0"
    std::int32_t blockElements;
    std::int32_t blockBytes;
    bool forWeights;
    bool forKv;
    bool everyParameter; ///< weights: applies to every parameter; else only to matrices (4.2: embedding, head, norms, router stay 16 bit)

    /// Bits an element, scales included.
    constexpr double bitsPerElement() const { return 8.0 * blockBytes / blockElements; }
};

/// The row of the table for one format.
const TensorFormat &infoOf(Format format);

/// The format by its name or a synonym (`fp16` = `f16`, `fp32` = `f32`), any case. Empty if there is none.
std::optional<Format> formatByName(std::string_view name);

/// Bytes of `elements` in a row: whole blocks, rounded up.
Bytes bytesOf(Format format, std::int64_t elements);

/// Names from `names` that are near to `asked` (edit distance, common prefix), nearest first, at most `most`.
std::vector<std::string> nearNames(std::string_view asked, std::span<const std::string_view> names, std::size_t most = 3);

} // namespace kvscope
