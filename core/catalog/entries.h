// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog/index.h"
#include "core/result.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvscope {

/// The largest machine that is planned.
inline constexpr int mostDevices = 4096;

/// A name as it is compared: ASCII letters in lower case, digits, `.`, `+`, `/` and everything beyond ASCII; the rest (spaces, hyphens, brackets) falls away.
std::string keyOf(std::string_view name);

/// `text` in lower case, ASCII only.
std::string lowerCase(std::string_view text);

/// A name of an entry, see CatalogKey.
struct EntryKey {
    std::string key;
    KeyRank rank;
};

/// All that a list or a search needs of one entry, and its text.
struct ModelRow {
    std::string id, hubId, name, family, words, text;
    std::uint32_t configSize = 0;
    std::int64_t parameters = 0;
    std::int32_t maxContext = 0;
    std::vector<EntryKey> keys;
};
struct DeviceRow {
    std::string id, name, vendor, words, text;
    std::int64_t memoryBytes = 0;
    double bandwidthGBs = 0;
    std::vector<EntryKey> keys;
};

/// A file of entries, read and checked.
struct CatalogRows {
    std::vector<ModelRow> models;
    std::vector<DeviceRow> devices;
};

/// Where the sources of figures must be named: in the built-in files, not in a user's own.
enum class SourceRule : std::uint8_t { Required, Optional };

/// Reads a file in the form of resources/catalog/models.json or devices.json (one list or both) and checks every entry: fields, ranges, ids, that a model's
/// config can be read. Errors: those of parseJson; NotThisKind, NewerVersion, MissingField, WrongType, OutOfRange, AmbiguousName (an id twice), with the JSON path;
/// those of modelFromConfig, with the path of the config before its own.
Result<CatalogRows> readCatalog(std::string_view json, std::string_view name, const CatalogHead &head, SourceRule sources);

/// The model of an entry's text. Checked when the entry was read. `configSize`: see ModelText.
Result<ModelSpec> modelOfEntry(std::string_view entry, std::uint32_t configSize);

/// The device of an entry's text.
/// memory: the driver's figure, else nominal GB x 2^30. usable: what PyTorch reports; else the part of unified memory that its system gives
/// a GPU; else memory less the vendor's estimate (resources/catalog/devices.json, `less`); else all of it.
Result<Device> deviceOfEntry(std::string_view entry, const CatalogHead &head);

} // namespace kvscope
