// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kvscope {

/// How a key names its entry. The lowest rank that an asked name meets wins; two entries at that rank are ambiguous.
enum class KeyRank : std::uint8_t {
    Name,    ///< id, Hugging Face id, whole name
    Alias,   ///< listed in the entry
    Derived, ///< the name without its vendor's prefixes or its memory size; the last part of a Hugging Face id that two entries share
};

/// A name as keyOf() writes it, and the entry that it names.
struct CatalogKey {
    std::string_view key;
    std::uint16_t entry;
    KeyRank rank;
};

/// What an entry's vendor adds to it.
struct VendorInfo {
    std::string_view name;
    std::string_view words;    ///< search words, both languages
    std::string_view prefixes; ///< keys that may be left out in front of a device's name, space separated
    double lessGiB;            ///< memory that an engine can't take: lessGiB + lessShare of the whole; 0 and 0 = not known
    double lessShare;
};

/// Search words of a model family or a device class.
struct GroupWords {
    std::string_view name;
    std::string_view words;
};

/// What the heads of models.json and devices.json say about all entries.
struct CatalogHead {
    std::span<const VendorInfo> vendors;
    std::span<const GroupWords> classes;
    std::span<const GroupWords> families;
};

/// A model's entry as minified JSON: `{"config":{...},...}`; the config starts at a fixed place and is `configSize` long.
struct ModelText {
    std::string_view entry;
    std::uint32_t configSize;
};

/// The catalogue as the indexer wrote it: constant data, lists in the order of the ids, keys sorted.
struct CatalogIndex {
    std::span<const ModelListing> models;
    std::span<const ModelText> modelTexts;
    std::span<const CatalogKey> modelKeys;
    std::span<const DeviceListing> devices;
    std::span<const std::string_view> deviceTexts;
    std::span<const CatalogKey> deviceKeys;
    CatalogHead head;
    std::span<const EngineHistory> engines; ///< in the order of EngineId
};

/// Defined in the generated file.
const CatalogIndex &builtInIndex();

} // namespace kvscope
