// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device.h"
#include "core/model.h"
#include "core/result.h"
#include "core/scenario.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kvscope {

struct CatalogKey;
struct ModelText;

/// What a list shows of a model without parsing its entry.
struct ModelListing {
    std::string_view id;     ///< last part of the Hugging Face id, lower case; whole id where two collide
    std::string_view hubId;  ///< "meta-llama/Llama-3.1-8B-Instruct"
    std::string_view name;   ///< as shown: "Llama 3.1 8B Instruct"
    std::string_view family; ///< maker or line: "Llama"
    std::string_view words;  ///< search words in both languages, lower case, space separated
    std::int64_t parameters; ///< 0 = not known
    std::int32_t maxContext; ///< 0 = not known
};

/// What a list shows of a device.
struct DeviceListing {
    std::string_view id;
    std::string_view name;
    std::string_view vendor;
    std::string_view words;
    std::int64_t memoryBytes; ///< driver figure, else nominal x 2^30
    double bandwidthGBs;      ///< 0 = not known
};

/// A release from which on an engine's rules give other numbers.
struct EngineRelease {
    std::string_view release; ///< "4.50"; two entries may share it, when a change came between two dates of its development
    std::string_view date;    ///< ISO date from which the change is in force
    std::string_view change;  ///< what changed, a code: "mla_latent"
    std::string_view source;  ///< section it was read in
};

/// An engine's releases, oldest first.
struct EngineHistory {
    std::string_view name; ///< as typed
    std::span<const EngineRelease> releases;
};

/// The releases whose rules are told apart, oldest first; empty for an engine without versions.
std::span<const EngineRelease> engineReleases(EngineId engine);

/// The rules in force at a version.
struct ResolvedRelease {
    /// The last listed change that is in it. nullptr: none listed, or older than all (then the oldest rules hold).
    const EngineRelease *release;
    bool listed; ///< false: the version itself is not in the table, the nearest below it stands for it
};

/// The releases of its history by name, newest first, each once.
std::vector<std::string_view> releaseNames(EngineId engine);

/// `4.46.0`, `v4.46`, or a date `2025-07-18`: the last change with that release or an earlier one, or made by that day. Empty: the newest.
/// A release holds all changes listed for it; parts of its number that the table's lacks do not count. Error: UnknownName for what is neither, with the releases.
Result<ResolvedRelease> resolveRelease(EngineId engine, std::string_view version);

/// Models and devices: those built in (indexed when built, an entry parsed when asked for) and the user's own.
class Catalog {
public:
    /// The built-in entries. Costs nothing: the index is constant data.
    Catalog();
    /// Adds the user's entries, a file of the same form as resources/catalog/models.json or devices.json. An entry with an id that exists replaces it.
    /// Errors name the file and the JSON path; then nothing is added.
    std::optional<Error> addFile(const std::filesystem::path &path);

    std::span<const ModelListing> models() const;
    std::span<const DeviceListing> devices() const;

    /// By id or Hugging Face id, any case. Errors: UnknownName with near names, AmbiguousName.
    Result<ModelSpec> model(std::string_view idOrHubId) const;
    /// By id, name or alias, any case, spaces = hyphens; `geforce-` and `radeon-` may be left out.
    Result<Device> device(std::string_view nameOrAlias) const;
    /// The whole of an entry as JSON text, for showing sources and licence.
    std::string_view modelEntry(std::string_view id) const;
    std::string_view deviceEntry(std::string_view id) const;

    /// Indices into models(), best match first; every word of `text` must occur in id, name or search words. Empty text: all, in order.
    std::vector<int> findModels(std::string_view text) const;
    std::vector<int> findDevices(std::string_view text) const;
    /// `NAME`, `NAME xN`, `NAME xN + NAME`: the whole text is tried as a name first.
    Result<std::vector<Device>> machine(std::string_view text) const;

private:
    struct Added;

    std::span<const CatalogKey> modelKeys() const;
    std::span<const CatalogKey> deviceKeys() const;
    const ModelText &modelTextAt(int entry) const;
    std::string_view deviceTextAt(int entry) const;

    std::shared_ptr<const Added> m_added; ///< nullptr: the built-in entries alone
};

} // namespace kvscope
