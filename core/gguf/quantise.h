// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/result.h"

#include <optional>
#include <vector>

namespace kvscope {

/// What the quantiser is told beside the mix (spec/gguf-quantize.md 5).
struct QuantiseOptions {
    bool importanceMatrix = false;     ///< one was given; mixes that can't be made without imply it
    bool leaveOutput = false;          ///< --leave-output-tensor: output.weight keeps its type
    bool pure = false;                 ///< --pure: the mix's main type for every tensor
    std::optional<Format> output{};    ///< --output-tensor-type; a tied embedding is the output
    std::optional<Format> embedding{}; ///< --token-embedding-type
};

/// A row of the quantiser's list of file types.
struct GgufFileType {
    int id;      ///< general.file_type
    Format type; ///< what most matrices get
};

/// A format that no tensor is in, only a file: its tensors get types of their own.
constexpr bool isMix(Format format) { return format >= Format::Q2_K_S; }

/// The file type that a format names: a mix itself; q3_k, q4_k and q5_k as the quantiser takes them (the _M mix); mxfp4 for the experts and
/// q8_0 for the rest. Empty: the quantiser has none, or only the converter writes it (nvfp4).
std::optional<GgufFileType> ggufFileType(Format mix);

/// The types that llama.cpp's quantiser gives the tensors of `unquantised`, in their order (spec/gguf-quantize.md 1 to 5).
/// Errors: UnsupportedFormat for a format that is no file type; NotDivisible (where: the tensor) for a row that its type's blocks do not fit
/// and that no other type stands in for.
Result<std::vector<Format>> quantisedTypes(const GgufModel &unquantised, Format mix, const QuantiseOptions &options = {});

/// The same as a model of its own. Errors: of quantisedTypes().
Result<GgufModel> quantised(const GgufModel &unquantised, Format mix, const QuantiseOptions &options = {});

} // namespace kvscope
