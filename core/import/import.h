// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model.h"
#include "core/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kvscope {

/// Largest JSON file that is read. A config.json has kilobytes, an index a few megabytes.
inline constexpr std::int64_t largestJsonFile = 64 * bytesPerMiB;

/// Reads a regular file of at most `limit` bytes whole. Errors: FileNotFound, NotAFile, NoPermission, FileTooLarge, FileEmpty, ReadFailed.
Result<std::string> readFile(const std::filesystem::path &path, std::int64_t limit = largestJsonFile);

/// Writes through a temporary file beside `path` and a rename, so that a reader sees the old or the new one, whole. Error: WriteFailed.
std::optional<Error> writeFile(const std::filesystem::path &path, std::string_view text);

/// A Hugging Face config.json's text. `name` names the model in messages. Rules: spec/serving-engines.md 8.1 to 8.5.
/// Every default taken is listed in ModelSpec::assumptions. Python's NaN and Infinity are accepted as values.
Result<ModelSpec> modelFromConfig(std::string_view json, std::string_view name);

/// A safetensors index's text: measured bytes (metadata.total_size) for `model`; stored-but-tied heads and MTP stay named by role counts.
Result<ModelSpec> withSafetensorsIndex(ModelSpec model, std::string_view json, std::string_view name);

/// What a path holds: a config.json of any name, a model folder (config + index or files), a safetensors index (config beside it).
Result<ModelSpec> modelFromPath(const std::filesystem::path &path);

} // namespace kvscope
