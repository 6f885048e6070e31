// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model.h"
#include "core/result.h"

#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

namespace kvscope {

/// Largest JSON file that is read. A config.json has kilobytes, an index a few megabytes.
inline constexpr std::int64_t largestJsonFile = 64 * bytesPerMiB;

/// A path for messages and files: UTF-8 whatever the system's encoding.
std::string shown(const std::filesystem::path &path);

/// Reads a regular file of at most `limit` bytes whole. Errors: FileNotFound, NotAFile, NoPermission, FileTooLarge, FileEmpty, ReadFailed.
Result<std::string> readFile(const std::filesystem::path &path, std::int64_t limit = largestJsonFile);

/// Writes through a temporary file beside `path` and a rename, so that a reader sees the old or the new one, whole. Error: WriteFailed.
std::optional<Error> writeFile(const std::filesystem::path &path, std::string_view text);

/// A Hugging Face config.json's text. `name` names the model and stands in Error::file. Rules: spec/serving-engines.md 8.1 to 8.5.
/// Every default taken is listed in ModelSpec::assumptions; what was there but could not be used, too. Python's NaN and Infinity are read as values.
/// Reasons: hidden_size_over_heads, attention_heads, family_default, family_pattern (value: the period), list_length, first_of_list,
/// four_times_hidden, same_as_decoder, unknown_active_experts, dtype_not_stated, quantization_not_known (value: the method), and parts that
/// are not in the count: vision_not_counted, audio_not_counted, mtp_not_counted; formula_unchecked: no published count was at hand for the family.
/// Errors: FileEmpty, NotJson, NotThisKind (detail "config"), UnknownArchitecture, MissingField, WrongType, OutOfRange, NotDivisible, TooLarge.
Result<ModelSpec> modelFromConfig(std::string_view json, std::string_view name);

/// A safetensors index's text: metadata.total_size as the measured bytes of `model`. They may hold a head stored though tied, and prediction
/// layers: the model's role counts tell how much. Errors: as above, NotThisKind with detail "safetensors_index".
Result<ModelSpec> withSafetensorsIndex(ModelSpec model, std::string_view json, std::string_view name);

/// A GGUF's header or a config.json, whichever the stream holds. Errors: of ggufFromInput and modelFromConfig; FileTooLarge.
Result<ModelSpec> modelFromStream(std::istream &stream, std::string_view name);

/// What a path holds: a GGUF, a config.json of any name, a model folder, a safetensors index (config.json beside it). A folder's hf_quant_config.json and its
/// index, or the sizes of its *.safetensors, are read with its config. Errors: of readFile and of the readers above, `file` being the one at fault.
Result<ModelSpec> modelFromPath(const std::filesystem::path &path);

} // namespace kvscope
