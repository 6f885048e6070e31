// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/result.h"

#include <filesystem>
#include <istream>
#include <string_view>

namespace kvscope {

/// Does it begin as a GGUF file does? (spec/local-engines.md 1.1)
bool isGguf(std::string_view beginning);

/// The header of a GGUF file, by spec/local-engines.md 1: versions 2 and 3, both byte orders; of a split file any part, the others beside it.
/// A pipe is read as far as the header goes. GgufModel::incomplete: a part ends before its tensors do.
/// Errors, `file` being the one at fault: of openBytes; FileEmpty, NotThisKind ("gguf"); UnsupportedVersion, CutShort, DamagedHeader, DuplicateName,
/// UnknownTensorType, SplitMismatch; WrongType, OutOfRange and MissingField for a key (where).
Result<GgufModel> ggufFromFile(const std::filesystem::path &path);

/// The same from a stream that is open already; it can't be a part of a split file. `name` stands in Error::file.
Result<GgufModel> ggufFromStream(std::istream &stream, std::string_view name);

} // namespace kvscope
