// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/import/ggufbytes.h"
#include "core/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace kvscope {

inline constexpr std::string_view ggufMagic = "GGUF";

/// Does it begin as a GGUF file does? (spec/local-engines.md 1.1)
bool isGguf(std::string_view beginning);

/// The header of a GGUF file, by spec/local-engines.md 1: versions 2 and 3, both byte orders; of a split file any part, the others beside it.
/// A pipe is read as far as the header goes. GgufModel::incomplete: a part ends before its tensors do.
/// Errors, `file` being the one at fault: of openBytes; FileEmpty, NotThisKind ("gguf"); UnsupportedVersion, CutShort, DamagedHeader, DuplicateName,
/// UnknownTensorType, SplitMismatch; WrongType, OutOfRange and MissingField for a key (where).
Result<GgufModel> ggufFromFile(const std::filesystem::path &path);

/// The same from an input that is open already; it can't be a part of a split file. `name` stands in Error::file.
Result<GgufModel> ggufFromInput(ByteInput &input, std::string_view name);

/// A file's name without its ending and, of a split file, without the part's number.
std::string ggufStem(const std::filesystem::path &path);

} // namespace kvscope
