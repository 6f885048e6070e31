// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog/entries.h"

#include "core/catalog/place.h"
#include "core/import/import.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace kvscope {

namespace {

constexpr int catalogVersion = 1;
constexpr std::string_view configKey = "{\"config\":";

constexpr std::int64_t mostMiB = std::int64_t{1} << 30; // 1 PiB
constexpr std::int64_t mostGB = 1'000'000;
constexpr std::int64_t mostParameters = 1'000'000'000'000'000;
constexpr std::int64_t mostRate = 1'000'000'000; // GB/s, TFLOPS, TOPS, W

void append(std::string &words, std::string_view more)
{
    if (more.empty())
        return;
    if (!words.empty())
        words += ' ';
    words += lowerCase(more);
}

void addKey(std::vector<EntryKey> &keys, std::string_view name, KeyRank rank)
{
    std::string key = keyOf(name);
    if (key.empty())
        return;
    const bool known = std::ranges::any_of(keys, [&](const EntryKey &k) { return k.key == key; });
    if (!known)
        keys.push_back({std::move(key), rank});
}

template<typename T>
std::string_view wordsOf(std::span<const T> groups, std::string_view name)
{
    const auto found = std::ranges::find(groups, name, &T::name);
    return found == groups.end() ? std::string_view() : found->words;
}

const VendorInfo *vendorOf(const CatalogHead &head, std::string_view name)
{
    const auto found = std::ranges::find(head.vendors, name, &VendorInfo::name);
    return found == head.vendors.end() ? nullptr : &*found;
}

std::string idOf(const Place &entry)
{
    const std::string id = entry.text("id");
    for (const char c : id) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte <= ' ' || (c >= 'A' && c <= 'Z') || c == '"' || c == '\\' || c == ',' || byte == 0x7f)
            entry.at("id").fail(ErrorCode::OutOfRange, "lower case, no spaces");
    }
    if (keyOf(id).empty())
        entry.at("id").fail(ErrorCode::OutOfRange, "letters or digits");
    return id;
}

/// What each figure's source is, by the groups that an entry has: config, parameters, weights, released, licence.
void checkModelSources(const Place &entry, SourceRule rule)
{
    std::set<std::string> covered;
    for (const Place &source : entry.list("sources")) {
        if (!source.value().is_object())
            source.fail(ErrorCode::WrongType, "object");
        source.text("url");
        for (const Place &group : source.list("for"))
            covered.insert(group.asText());
    }
    if (rule == SourceRule::Optional)
        return;
    for (const std::string_view group : {"config", "parameters", "weights", "released", "licence"}) {
        if (entry.has(group) && !covered.contains(std::string(group)) && !(group == "licence" && entry.yes("licence_from_memory")))
            throw Failure{{ErrorCode::MissingField, entry.path() + ".sources", "a source for " + std::string(group), {}}};
    }
}

Result<ModelSpec> modelOf(const Place &entry, std::string_view config)
{
    const std::string id = idOf(entry);
    const std::string hubId = entry.textOr("hub_id");
    Result<ModelSpec> read = modelFromConfig(config, hubId.empty() ? id : hubId);
    if (!read)
        return read;
    ModelSpec &model = *read;
    model.id = model.reference = id;
    model.name = entry.text("name");
    model.origin = ModelOrigin::Catalogue;
    if (entry.has("parameters")) {
        const Place parameters = entry.object("parameters");
        if (parameters.has("total")) {
            const std::int64_t total = parameters.whole("total", mostParameters);
            // What was computed from the config says no more than the config.
            if (parameters.text("counted") != "config")
                model.publishedParameters = total;
        }
        if (parameters.has("active") && parameters.text("active_counted") != "config")
            model.publishedActive = parameters.whole("active", mostParameters);
    }
    if (entry.has("weights")) {
        const Place weights = entry.object("weights");
        const Bytes listed{weights.whole("bytes", mostParameters * 8)};
        // A rounded listing that agrees with the count says less than the count.
        const std::int64_t rounding = weights.has("rounded_to") ? weights.whole("rounded_to", bytesPerGiB) : 0;
        const std::int64_t off = (listed - bytesOf(model.nativeFormat, model.parameters().total())).value;
        if (rounding == 0 || model.quantization || off > rounding || off < -rounding) {
            model.measuredWeights = listed;
            model.measuredSource = weights.text("basis");
        }
    }
    model.sources.clear();
    for (const Place &source : entry.list("sources"))
        model.sources.push_back(source.text("url"));
    return read;
}

ModelRow readModel(const Place &entry, const CatalogHead &head, SourceRule rule)
{
    ModelRow row;
    row.id = idOf(entry);
    row.name = entry.text("name");
    row.hubId = entry.textOr("hub_id");
    row.family = entry.textOr("family");
    for (const std::string_view name : {"released", "licence", "unverified", "note", "config_from", "config_of"})
        entry.textOr(name);
    checkModelSources(entry, rule);

    const std::string config = entry.object("config").value().dump();
    row.configSize = static_cast<std::uint32_t>(config.size());
    Json rest = entry.value();
    rest.erase("config");
    row.text = std::string(configKey) + config + "," + rest.dump().substr(1);

    Result<ModelSpec> model = modelOf(entry, config);
    if (!model) {
        Error error = model.error();
        error.where = entry.path() + ".config" + (error.where.empty() ? "" : ": " + error.where);
        throw Failure{std::move(error)};
    }
    row.parameters = model->parametersKnown ? model->parameters().total() : model->publishedParameters.value_or(0);
    row.maxContext =
        static_cast<std::int32_t>(std::min<std::int64_t>(model->trainedContext.value, std::numeric_limits<std::int32_t>::max()));

    addKey(row.keys, row.id, KeyRank::Name);
    addKey(row.keys, row.hubId, KeyRank::Name);
    addKey(row.keys, row.name, KeyRank::Name);
    append(row.words, row.name);
    append(row.words, row.hubId);
    append(row.words, row.family);
    for (const Place &alias : entry.list("aliases")) {
        addKey(row.keys, alias.asText(), KeyRank::Alias);
        append(row.words, alias.asText());
    }
    addKey(row.keys, std::string_view(row.hubId).substr(row.hubId.rfind('/') + 1), KeyRank::Derived);
    append(row.words, wordsOf(head.families, row.family));
    append(row.words, entry.textOr("words"));
    return row;
}

Bytes gibibytes(double gib) { return {static_cast<std::int64_t>(std::floor(gib * static_cast<double>(bytesPerGiB)))}; }

Device deviceOf(const Place &entry, const CatalogHead &head)
{
    Device device;
    device.id = idOf(entry);
    device.name = entry.text("name");
    device.vendor = entry.text("vendor");
    device.architecture = entry.textOr("architecture");
    device.computeCapability = entry.textOr("compute_capability");
    device.fastLinks = entry.yes("fast_links");
    const Place memory = entry.object("memory");
    const double nominalGB = memory.decimal("nominal_gb", mostGB);
    device.nominal = {std::llround(nominalGB * static_cast<double>(bytesPerGB))};
    if (memory.has("driver_mib")) {
        device.memory = memory.whole("driver_mib", mostMiB) * Bytes{bytesPerMiB};
    } else {
        if (nominalGB == 0)
            memory.at("nominal_gb");
        device.memory = gibibytes(nominalGB);
        device.memoryAssumed = true;
    }
    device.unified = memory.yes("unified");
    device.bandwidthGBs = memory.decimal("bandwidth_gbs", mostRate);

    const double torchGiB = memory.decimal("torch_gib", mostGB);
    const double gpuGiB = memory.decimal("gpu_gib", mostGB);
    const double gpuShare = memory.decimal("gpu_share", 1);
    const VendorInfo *vendor = vendorOf(head, device.vendor);
    device.usableAssumed = torchGiB == 0;
    device.usable = device.memory;
    if (torchGiB > 0)
        device.usable = gibibytes(torchGiB);
    else if (gpuGiB > 0)
        device.usable = gibibytes(gpuGiB);
    else if (gpuShare > 0)
        device.usable = {static_cast<std::int64_t>(static_cast<double>(device.memory.value) * gpuShare)};
    else if (vendor && !device.unified)
        device.usable -=
            {gibibytes(vendor->lessGiB).value + static_cast<std::int64_t>(static_cast<double>(device.memory.value) * vendor->lessShare)};
    if (device.usable > device.memory)
        memory.fail(ErrorCode::OutOfRange, "usable at most the memory");
    device.usable = std::max(device.usable, Bytes{});

    if (entry.has("compute")) {
        const Place compute = entry.object("compute");
        device.tflops16 = compute.decimal("fp16_tflops", mostRate);
        for (const std::string_view name : {"fp8_tflops", "int8_tops", "fp4_tflops"})
            compute.decimal(name, mostRate);
    }
    for (const Place &source : entry.list("sources"))
        device.sources.push_back(source.asText());
    return device;
}

/// Memory sizes at the end of a name fall away: "H100 SXM5 80GB" -> "H100 SXM5".
std::string_view withoutMemorySize(std::string_view name)
{
    const std::size_t space = name.rfind(' ');
    if (space == std::string_view::npos || !name.ends_with("GB"))
        return name;
    const std::string_view digits = name.substr(space + 1, name.size() - space - 3);
    const bool isSize = !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    return isSize ? name.substr(0, space) : name;
}

/// Keys of a name less the vendor's prefixes, one after the other: "geforcertx4090" -> "rtx4090", "4090".
void addShortKeys(std::vector<EntryKey> &keys, std::string_view name, std::string_view prefixes)
{
    std::string key = keyOf(name);
    for (bool shortened = true; shortened;) {
        addKey(keys, key, KeyRank::Derived);
        shortened = false;
        for (std::size_t i = 0; i < prefixes.size();) {
            const std::size_t end = std::min(prefixes.find(' ', i), prefixes.size());
            const std::string_view prefix = prefixes.substr(i, end - i);
            if (key.size() > prefix.size() && key.starts_with(prefix)) {
                key.erase(0, prefix.size());
                shortened = true;
                break;
            }
            i = end + 1;
        }
    }
}

DeviceRow readDevice(const Place &entry, const CatalogHead &head, SourceRule rule)
{
    const Device device = deviceOf(entry, head);
    DeviceRow row;
    row.id = device.id;
    row.name = device.name;
    row.vendor = device.vendor;
    row.memoryBytes = device.memory.value;
    row.bandwidthGBs = device.bandwidthGBs;
    row.text = entry.value().dump();
    for (const std::string_view name : {"class", "architecture", "launched", "interconnect", "pcie", "note", "unverified"})
        entry.textOr(name);
    entry.decimal("tdp_w", mostRate);
    if (rule == SourceRule::Required && device.sources.empty())
        throw Failure{{ErrorCode::MissingField, entry.path() + ".sources", "sources", {}}};

    const VendorInfo *vendor = vendorOf(head, device.vendor);
    addKey(row.keys, row.id, KeyRank::Name);
    addKey(row.keys, row.name, KeyRank::Name);
    append(row.words, row.name);
    append(row.words, row.vendor);
    for (const Place &alias : entry.list("aliases")) {
        addKey(row.keys, alias.asText(), KeyRank::Alias);
        append(row.words, alias.asText());
    }
    const std::string_view prefixes = vendor ? vendor->prefixes : std::string_view();
    addShortKeys(row.keys, row.name, prefixes);
    addShortKeys(row.keys, withoutMemorySize(row.name), prefixes);
    append(row.words, vendor ? vendor->words : std::string_view());
    append(row.words, entry.textOr("class"));
    append(row.words, wordsOf(head.classes, entry.textOr("class")));
    append(row.words, entry.textOr("architecture"));
    append(row.words, entry.textOr("words"));
    return row;
}

template<typename Row>
void checkUnique(const std::vector<Row> &rows, std::string_view list)
{
    std::set<std::string_view> ids;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!ids.insert(rows[i].id).second)
            throw Failure{{ErrorCode::AmbiguousName, std::string(list) + '[' + std::to_string(i) + "].id", rows[i].id, {}}};
    }
}

} // namespace

std::string lowerCase(std::string_view text)
{
    std::string result(text);
    for (char &c : result) {
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

std::string keyOf(std::string_view name)
{
    std::string key;
    key.reserve(name.size());
    for (const char c : lowerCase(name)) {
        const bool kept =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '+' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
        if (kept)
            key += c;
    }
    return key;
}

Result<CatalogRows> readCatalog(std::string_view json, std::string_view name, const CatalogHead &head, SourceRule sources)
{
    const Result<Json> document = parseJson(json, name);
    if (!document)
        return document.error();
    const auto failed = [&](Error error) {
        error.file = name;
        return error;
    };
    if (!document->is_object() || !(document->contains("models") || document->contains("devices")))
        return Error{ErrorCode::NotThisKind, std::string(name), "models or devices", {}};
    try {
        const Place root(*document, {});
        if (root.has("schema") && root.whole("schema", std::numeric_limits<std::int32_t>::max()) > catalogVersion)
            return Error{ErrorCode::NewerVersion,
                         std::string(name),
                         std::to_string(root.whole("schema", std::numeric_limits<std::int32_t>::max())),
                         {}};
        CatalogRows rows;
        for (const std::string_view list : {"models", "devices"}) {
            for (const Place &entry : root.list(list)) {
                if (!entry.value().is_object())
                    entry.fail(ErrorCode::WrongType, "object");
                if (list == "models")
                    rows.models.push_back(readModel(entry, head, sources));
                else
                    rows.devices.push_back(readDevice(entry, head, sources));
            }
        }
        checkUnique(rows.models, "models");
        checkUnique(rows.devices, "devices");
        return rows;
    } catch (const Failure &failure) {
        return failed(failure.error);
    }
}

Result<ModelSpec> modelOfEntry(std::string_view entry, std::uint32_t configSize)
{
    const std::string_view config = entry.substr(configKey.size(), configSize);
    const std::string rest = "{" + std::string(entry.substr(configKey.size() + configSize + 1));
    const Result<Json> document = parseJson(rest, {});
    if (!document)
        return document.error();
    try {
        return modelOf({*document, {}}, config);
    } catch (const Failure &failure) {
        return failure.error;
    }
}

Result<Device> deviceOfEntry(std::string_view entry, const CatalogHead &head)
{
    const Result<Json> document = parseJson(entry, {});
    if (!document)
        return document.error();
    try {
        return deviceOf({*document, {}}, head);
    } catch (const Failure &failure) {
        return failure.error;
    }
}

} // namespace kvscope
