// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog.h"

#include "core/catalog/entries.h"
#include "core/catalog/index.h"
#include "core/format.h"
#include "core/import/import.h"
#include "core/parse.h"

#include <algorithm>
#include <limits>
#include <map>

namespace kvscope {

/// The lists with a user's entries put in: those built in first, in their order, those of new ids behind.
struct Catalog::Added {
    std::vector<std::shared_ptr<const CatalogRows>> rows; ///< keeps the texts that the views below point into
    std::vector<ModelListing> models;
    std::vector<ModelText> modelTexts;
    std::vector<DeviceListing> devices;
    std::vector<std::string_view> deviceTexts;
    std::vector<CatalogKey> modelKeys, deviceKeys; ///< sorted by key
};

namespace {

/// One of the two lists, for what is the same in both.
template<typename Listing>
struct Shelf {
    std::span<const Listing> listings;
    std::span<const CatalogKey> keys;
};

/// The entries that a name means: those of the lowest rank.
std::vector<int> entriesNamed(std::span<const CatalogKey> keys, std::string_view key)
{
    std::vector<int> entries;
    KeyRank rank = KeyRank::Derived;
    for (const CatalogKey &k : std::ranges::equal_range(keys, key, {}, &CatalogKey::key)) {
        if (k.rank < rank) {
            rank = k.rank;
            entries.clear();
        }
        if (k.rank == rank)
            entries.push_back(k.entry);
    }
    return entries;
}

template<typename Listing>
Error ambiguous(const Shelf<Listing> &shelf, std::string_view asked, const std::vector<int> &entries)
{
    std::string candidates;
    for (const int i : entries) {
        if (!candidates.empty())
            candidates += ", ";
        candidates += shelf.listings[static_cast<std::size_t>(i)].id;
    }
    return {ErrorCode::AmbiguousName, std::string(asked), std::move(candidates), {}};
}

/// `names`: what a person may have meant.
Error unknown(std::string_view asked, std::span<const std::string_view> names)
{
    std::string near;
    if (keyOf(asked).empty())
        return {ErrorCode::UnknownName, std::string(asked), {}, {}};
    for (const std::string &name : nearNames(asked, names)) {
        if (!near.empty())
            near += ", ";
        near += name;
    }
    return {ErrorCode::UnknownName, std::string(asked), std::move(near), {}};
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
        return {};
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// Words of a query: split at white space, and where Chinese meets Latin ("通义7b").
std::vector<std::string> queryWords(std::string_view text)
{
    std::vector<std::string> words;
    bool inWord = false, beyondAscii = false;
    for (const char c : lowerCase(text)) {
        if (c == ' ' || c == '\t') {
            inWord = false;
            continue;
        }
        const bool beyond = static_cast<unsigned char>(c) >= 0x80;
        if (!inWord || beyond != beyondAscii)
            words.emplace_back();
        words.back() += c;
        inWord = true;
        beyondAscii = beyond;
    }
    return words;
}

bool isLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80; }

/// How well a word stands in a text: 0 it starts a word of it, 1 it occurs, -1 it does not.
int standing(std::string_view text, std::string_view word)
{
    int best = -1;
    for (std::size_t i = text.find(word); i != std::string_view::npos; i = text.find(word, i + 1)) {
        if (i == 0 || !isLetterOrDigit(text[i - 1]))
            return 0;
        best = 1;
    }
    return best;
}

template<typename Listing>
std::vector<int> find(const Shelf<Listing> &shelf, std::string_view text)
{
    const std::vector<std::string> words = queryWords(text);
    const std::vector<int> named = words.empty() ? std::vector<int>() : entriesNamed(shelf.keys, keyOf(text));
    struct Match {
        int score, entry;
    };
    std::vector<Match> matches;
    for (std::size_t i = 0; i < shelf.listings.size(); ++i) {
        const Listing &listing = shelf.listings[i];
        const auto entry = static_cast<int>(i);
        int score = 0;
        bool all = true;
        for (const std::string &word : words) {
            const int inId = standing(listing.id, word);
            const int inWords = standing(listing.words, word);
            if (inId < 0 && inWords < 0) {
                all = false;
                break;
            }
            // In the name or at a word's start is what was meant; within a word or in the search words may be.
            score += inId == 0 ? 0 : inWords == 0 ? 1 : inId == 1 ? 2 : 3;
        }
        const bool isNamed = std::ranges::find(named, entry) != named.end();
        if (isNamed)
            score = -1;
        if (all || isNamed)
            matches.push_back({score, entry});
    }
    std::ranges::stable_sort(matches, {}, &Match::score);
    std::vector<int> entries;
    for (const Match &m : matches)
        entries.push_back(m.entry);
    return entries;
}

/// Vendor names in front are dropped, one after the other, until something is found: "nvidia-rtx-4090".
std::vector<int> devicesNamed(std::span<const CatalogKey> keys, std::string_view name)
{
    std::string key = keyOf(name);
    std::vector<int> entries = entriesNamed(keys, key);
    for (const VendorInfo &vendor : builtInIndex().head.vendors) {
        const std::string prefix = keyOf(vendor.prefixes.substr(0, vendor.prefixes.find(' ')));
        if (entries.empty() && key.size() > prefix.size() && key.starts_with(prefix))
            entries = entriesNamed(keys, std::string_view(key).substr(prefix.size()));
    }
    return entries;
}

/// `NAME xN`: the name's length and N; 0 if the text ends in no such count.
struct Counted {
    std::string_view name;
    std::string_view count;
};
Counted splitCount(std::string_view text)
{
    std::size_t digits = text.size();
    while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9')
        --digits;
    if (digits == text.size() || digits < 2 || (text[digits - 1] != 'x' && text[digits - 1] != 'X'))
        return {};
    return {trimmed(text.substr(0, digits - 1)), text.substr(digits)};
}

/// Parts of a machine of mixed cards: at ` + `, else at `+`.
std::vector<std::string_view> splitMixed(std::string_view text)
{
    const std::string_view separator = text.find(" + ") != std::string_view::npos ? " + " : "+";
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(separator, begin);
        parts.push_back(trimmed(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
        if (end == std::string_view::npos)
            return parts;
        begin = end + separator.size();
    }
}

/// Replaces or appends the user's rows in a list and rebuilds its keys.
template<typename Row, typename Listing, typename Text>
void put(const std::vector<Row> &rows, std::vector<Listing> &listings, std::vector<Text> &texts, std::vector<CatalogKey> &keys,
         Listing (*listingOf)(const Row &), Text (*textOf)(const Row &))
{
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; i < listings.size(); ++i)
        places.emplace(listings[i].id, i);
    for (const Row &row : rows) {
        const auto known = places.find(row.id);
        const std::size_t place = known == places.end() ? listings.size() : known->second;
        if (place == listings.size()) {
            listings.push_back(listingOf(row));
            texts.push_back(textOf(row));
        } else {
            std::erase_if(keys, [&](const CatalogKey &k) { return k.entry == place; });
            listings[place] = listingOf(row);
            texts[place] = textOf(row);
        }
        for (const EntryKey &key : row.keys)
            keys.push_back({key.key, static_cast<std::uint16_t>(place), key.rank});
    }
    std::ranges::stable_sort(keys, {}, &CatalogKey::key);
}

ModelListing modelListing(const ModelRow &r) { return {r.id, r.hubId, r.name, r.family, r.words, r.parameters, r.maxContext}; }
ModelText modelText(const ModelRow &r) { return {r.text, r.configSize}; }
DeviceListing deviceListing(const DeviceRow &r) { return {r.id, r.name, r.vendor, r.words, Bytes{r.memoryBytes}.value, r.bandwidthGBs}; }
std::string_view deviceText(const DeviceRow &r) { return r.text; }

template<typename T>
std::vector<T> copyOf(std::span<const T> span)
{
    return {span.begin(), span.end()};
}

} // namespace

Catalog::Catalog() = default;

std::optional<Error> Catalog::addFile(const std::filesystem::path &path)
{
    const Result<std::string> text = readFile(path);
    if (!text)
        return text.error();
    Result<CatalogRows> read = readCatalog(*text, path.string(), builtInIndex().head, SourceRule::Optional);
    if (!read)
        return read.error();
    constexpr std::size_t mostEntries = std::numeric_limits<std::uint16_t>::max();
    if (models().size() + read->models.size() > mostEntries || devices().size() + read->devices.size() > mostEntries)
        return Error{ErrorCode::OutOfRange, "models, devices", "0.." + std::to_string(mostEntries), path.string()};

    auto added = std::make_shared<Added>();
    if (m_added) {
        *added = *m_added;
    } else {
        const CatalogIndex &index = builtInIndex();
        *added = {{},
                  copyOf(index.models),
                  copyOf(index.modelTexts),
                  copyOf(index.devices),
                  copyOf(index.deviceTexts),
                  copyOf(index.modelKeys),
                  copyOf(index.deviceKeys)};
    }
    const auto rows = std::make_shared<const CatalogRows>(std::move(*read));
    added->rows.push_back(rows);
    put(rows->models, added->models, added->modelTexts, added->modelKeys, modelListing, modelText);
    put(rows->devices, added->devices, added->deviceTexts, added->deviceKeys, deviceListing, deviceText);
    m_added = std::move(added);
    return {};
}

std::span<const ModelListing> Catalog::models() const
{
    return m_added ? std::span<const ModelListing>(m_added->models) : builtInIndex().models;
}

std::span<const DeviceListing> Catalog::devices() const
{
    return m_added ? std::span<const DeviceListing>(m_added->devices) : builtInIndex().devices;
}

std::span<const CatalogKey> Catalog::modelKeys() const
{
    return m_added ? std::span<const CatalogKey>(m_added->modelKeys) : builtInIndex().modelKeys;
}

std::span<const CatalogKey> Catalog::deviceKeys() const
{
    return m_added ? std::span<const CatalogKey>(m_added->deviceKeys) : builtInIndex().deviceKeys;
}

const ModelText &Catalog::modelTextAt(int entry) const
{
    const auto i = static_cast<std::size_t>(entry);
    return m_added ? m_added->modelTexts[i] : builtInIndex().modelTexts[i];
}

std::string_view Catalog::deviceTextAt(int entry) const
{
    const auto i = static_cast<std::size_t>(entry);
    return m_added ? m_added->deviceTexts[i] : builtInIndex().deviceTexts[i];
}

Result<ModelSpec> Catalog::model(std::string_view idOrHubId) const
{
    const std::vector<int> entries = entriesNamed(modelKeys(), keyOf(idOrHubId));
    if (entries.size() > 1)
        return ambiguous(Shelf<ModelListing>{models(), modelKeys()}, idOrHubId, entries);
    if (entries.empty()) {
        const bool whole = idOrHubId.find('/') != std::string_view::npos;
        std::vector<std::string_view> names;
        for (const ModelListing &m : models())
            names.push_back(whole && !m.hubId.empty() ? m.hubId : m.id);
        return unknown(idOrHubId, names);
    }
    const ModelText &text = modelTextAt(entries.front());
    return modelOfEntry(text.entry, text.configSize);
}

Result<Device> Catalog::device(std::string_view nameOrAlias) const
{
    const std::vector<int> entries = devicesNamed(deviceKeys(), nameOrAlias);
    if (entries.size() > 1)
        return ambiguous(Shelf<DeviceListing>{devices(), deviceKeys()}, nameOrAlias, entries);
    if (entries.empty()) {
        std::vector<std::string_view> names;
        for (const DeviceListing &d : devices()) {
            names.push_back(d.id);
            for (const std::string_view prefix : {"geforce-", "radeon-"}) {
                if (d.id.starts_with(prefix))
                    names.back() = d.id.substr(prefix.size());
            }
        }
        return unknown(nameOrAlias, names);
    }
    return deviceOfEntry(deviceTextAt(entries.front()), builtInIndex().head);
}

std::string_view Catalog::modelEntry(std::string_view id) const
{
    const std::vector<int> entries = entriesNamed(modelKeys(), keyOf(id));
    return entries.size() == 1 ? modelTextAt(entries.front()).entry : std::string_view();
}

std::string_view Catalog::deviceEntry(std::string_view id) const
{
    const std::vector<int> entries = devicesNamed(deviceKeys(), id);
    return entries.size() == 1 ? deviceTextAt(entries.front()) : std::string_view();
}

std::vector<int> Catalog::findModels(std::string_view text) const { return find(Shelf<ModelListing>{models(), modelKeys()}, text); }

std::vector<int> Catalog::findDevices(std::string_view text) const { return find(Shelf<DeviceListing>{devices(), deviceKeys()}, text); }

Result<std::vector<Device>> Catalog::machine(std::string_view text) const
{
    const std::string_view whole = trimmed(text);
    const Result<Device> one = device(whole);
    if (one)
        return std::vector<Device>{*one};
    if (one.error().code != ErrorCode::UnknownName)
        return one.error();

    std::vector<Device> devices;
    std::vector<std::string_view> parts{whole};
    // "Ryzen AI Max+ 395 x2" is one name with a count, "RTX 4090 + RTX 3090" two names.
    const Counted all = splitCount(whole);
    if (!(all.count.size() && device(all.name)))
        parts = splitMixed(whole);
    for (const std::string_view part : parts) {
        Result<Device> card = device(part);
        std::int64_t count = 1;
        const Counted counted = splitCount(part);
        if (!card && card.error().code == ErrorCode::UnknownName && !counted.count.empty()) {
            card = device(counted.name);
            const Result<std::int64_t> number = parseWhole(counted.count, 1, mostDevices);
            if (!number)
                return Error{ErrorCode::OutOfRange, std::string(part), "x1..x" + std::to_string(mostDevices), {}};
            count = *number;
        }
        if (!card)
            return card.error();
        if (count + static_cast<std::int64_t>(devices.size()) > mostDevices)
            return Error{ErrorCode::OutOfRange, std::string(whole), "x1..x" + std::to_string(mostDevices), {}};
        devices.insert(devices.end(), static_cast<std::size_t>(count), *card);
    }
    return devices;
}

} // namespace kvscope
