// SPDX-License-Identifier: GPL-3.0-or-later
// Runs while building: checks resources/catalog/*.json and writes them as constant tables, so that the programs parse only the entry asked for.
//     kvscope_catalog_indexer models.json devices.json engines.json OUT.cpp
#include "core/catalog/entries.h"
#include "core/import/import.h"
#include "core/import/json.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>

namespace {

using namespace kvscope;

/// What stops the build: file, place, reason.
struct Refused : std::runtime_error {
    using runtime_error::runtime_error;
};

[[noreturn]] void refuse(const std::string &file, const std::string &where, const std::string &why)
{
    throw Refused(file + ": " + where + ": " + why);
}

/// For whoever edits the catalogue; the programs' sentences stand in ui/text.
std::string reasonOf(const Error &error)
{
    switch (error.code) {
    case ErrorCode::MissingField: return "missing: " + error.detail;
    case ErrorCode::WrongType: return "takes " + error.detail;
    case ErrorCode::OutOfRange: return "takes " + error.detail;
    case ErrorCode::NotDivisible: return "not divisible: " + error.detail;
    case ErrorCode::AmbiguousName: return "there twice: " + error.detail;
    case ErrorCode::NotThisKind: return "no " + error.detail;
    case ErrorCode::UnknownArchitecture: return "unknown architecture, and fields are missing";
    default: return "error " + std::to_string(static_cast<int>(error.code)) + ' ' + error.detail;
    }
}

std::string textOf(const std::string &file)
{
    const Result<std::string> text = readFile(file);
    if (!text)
        refuse(file, "file", "can't be read: " + reasonOf(text.error()));
    return *text;
}

Json parsed(const std::string &file, const std::string &text)
{
    const Result<Json> json = parseJson(text, file);
    if (!json)
        refuse(file, "byte " + json.error().detail, "no JSON");
    return *json;
}

CatalogRows rowsOf(const std::string &file, const std::string &text, const CatalogHead &head)
{
    Result<CatalogRows> rows = readCatalog(text, file, head, SourceRule::Required);
    if (!rows)
        refuse(file, rows.error().where, reasonOf(rows.error()));
    return *std::move(rows);
}

/// Strings and tables that a CatalogHead looks into.
struct Head {
    Json models, devices;
    std::vector<std::string> prefixes;
    std::vector<VendorInfo> vendors;
    std::vector<GroupWords> classes, families;

    CatalogHead view() const { return {vendors, classes, families}; }
};

std::vector<GroupWords> groupWords(const std::string &file, const Json &document, const char *name)
{
    std::vector<GroupWords> groups;
    if (!document.contains(name) || !document[name].is_object())
        refuse(file, name, "object expected");
    for (const auto &[group, words] : document[name].items()) {
        if (!words.is_string())
            refuse(file, std::string(name) + '.' + group, "text expected");
        groups.push_back({group, words.get_ref<const std::string &>()});
    }
    return groups;
}

void readHead(Head &head, const std::string &modelsFile, const std::string &devicesFile)
{
    head.families = groupWords(modelsFile, head.models, "families");
    head.classes = groupWords(devicesFile, head.devices, "classes");
    head.prefixes.reserve(head.devices.at("vendors").size());
    for (const auto &[name, vendor] : head.devices.at("vendors").items()) {
        std::string prefixes;
        for (const Json &prefix : vendor.at("prefixes"))
            prefixes += (prefixes.empty() ? "" : " ") + keyOf(prefix.get<std::string>());
        head.prefixes.push_back(std::move(prefixes));
        VendorInfo info{name, vendor.at("words").get_ref<const std::string &>(), head.prefixes.back(), 0, 0};
        if (vendor.contains("less")) {
            info.lessGiB = vendor["less"].at("gib").get<double>();
            info.lessShare = vendor["less"].at("share").get<double>();
            if (!(info.lessGiB >= 0 && info.lessGiB < 8 && info.lessShare >= 0 && info.lessShare < 0.5) ||
                !vendor["less"].at("basis").is_string())
                refuse(devicesFile, "vendors." + name + ".less", "out of range, or without a basis");
        }
        head.vendors.push_back(info);
    }
}

std::string literal(std::string_view text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += c;
    }
    return result + '"';
}

/// The keys of all rows as a sorted table. A name that two entries claim stops the build, and an alias that is another's name. An alias or derived name that
/// several share is ambiguous when asked for.
template<typename Row>
std::string keyTable(const std::string &file, const std::vector<Row> &rows)
{
    struct Key {
        std::string_view key;
        std::size_t entry;
        KeyRank rank;
    };
    std::vector<Key> keys;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const EntryKey &key : rows[i].keys)
            keys.push_back({key.key, i, key.rank});
    }
    std::ranges::sort(keys, [](const Key &a, const Key &b) { return std::tie(a.key, a.rank, a.entry) < std::tie(b.key, b.rank, b.entry); });
    for (std::size_t i = 1; i < keys.size(); ++i) {
        if (keys[i].key == keys[i - 1].key && keys[i].rank != KeyRank::Derived && keys[i - 1].rank == KeyRank::Name)
            refuse(file, rows[keys[i].entry].id,
                   "shares the name or alias '" + std::string(keys[i].key) + "' with " + rows[keys[i - 1].entry].id);
    }
    std::ostringstream out;
    for (const Key &k : keys) {
        const char *rank = k.rank == KeyRank::Name ? "Name" : k.rank == KeyRank::Alias ? "Alias" : "Derived";
        out << "    {" << literal(k.key) << ", " << k.entry << ", KeyRank::" << rank << "},\n";
    }
    return out.str();
}

template<typename Row>
void checkOrder(const std::string &file, const std::vector<Row> &rows)
{
    for (std::size_t i = 1; i < rows.size(); ++i) {
        if (rows[i].id < rows[i - 1].id)
            refuse(file, rows[i].id, "stands before " + rows[i - 1].id + " by its id");
    }
}

/// The id is the last part of the Hugging Face id in lower case; the whole where two share it (spec/cli.md).
void checkModelIds(const std::string &file, const std::vector<ModelRow> &rows)
{
    std::map<std::string, int> lastParts;
    const auto lastPart = [](const ModelRow &row) { return lowerCase(std::string_view(row.hubId).substr(row.hubId.rfind('/') + 1)); };
    for (const ModelRow &row : rows)
        ++lastParts[lastPart(row)];
    for (const ModelRow &row : rows) {
        const std::string wanted = lastParts[lastPart(row)] > 1 ? lowerCase(row.hubId) : lastPart(row);
        if (row.id != wanted)
            refuse(file, row.id, "should have the id " + wanted);
    }
}

std::string engineTables(const std::string &file, const Json &document)
{
    std::ostringstream tables, list;
    int index = 0;
    for (const Json &engine : document.at("engines")) {
        const auto name = engine.at("id").get<std::string>();
        tables << "constexpr EngineRelease releases" << index << "[] = {\n";
        std::string lastDate;
        std::size_t count = 0;
        for (const Json &release : engine.at("releases")) {
            const auto text = [&](const char *field) {
                const auto found = release.find(field);
                if (found == release.end() || !found->is_string() || found->template get<std::string>().empty())
                    refuse(file, name + ".releases[" + std::to_string(count) + "]." + field, "text expected");
                return found->template get<std::string>();
            };
            if (text("date") < lastDate)
                refuse(file, name + ".releases[" + std::to_string(count) + "].date", "dates must rise");
            lastDate = text("date");
            tables << "    {" << literal(text("release")) << ", " << literal(text("date")) << ", " << literal(text("change")) << ", "
                   << literal(text("source")) << "},\n";
            ++count;
        }
        if (count == 0)
            tables << "    {},\n";
        tables << "};\n";
        list << "    {" << literal(name) << ", std::span<const EngineRelease>(releases" << index << ", " << count << ")},\n";
        ++index;
    }
    return tables.str() + "constexpr EngineHistory engines[] = {\n" + list.str() + "};\n";
}

std::string written(const std::string &modelsFile, const std::string &devicesFile, const std::string &enginesFile)
{
    const std::string modelsText = textOf(modelsFile), devicesText = textOf(devicesFile);
    Head head;
    head.models = parsed(modelsFile, modelsText);
    head.devices = parsed(devicesFile, devicesText);
    readHead(head, modelsFile, devicesFile);
    const std::vector<ModelRow> models = rowsOf(modelsFile, modelsText, head.view()).models;
    const std::vector<DeviceRow> devices = rowsOf(devicesFile, devicesText, head.view()).devices;
    checkOrder(modelsFile, models);
    checkOrder(devicesFile, devices);
    checkModelIds(modelsFile, models);
    for (const ModelRow &m : models) {
        if (std::ranges::find(head.families, m.family, &GroupWords::name) == head.families.end())
            refuse(modelsFile, m.id, "family " + m.family + " has no search words");
    }
    for (const DeviceRow &d : devices) {
        if (std::ranges::find(head.vendors, d.vendor, &VendorInfo::name) == head.vendors.end())
            refuse(devicesFile, d.id, "vendor " + d.vendor + " is not listed");
    }

    std::ostringstream out;
    out << "// Written while building from resources/catalog; edit the files there.\n#include \"core/catalog/index.h\"\n\nnamespace "
           "kvscope {\n\nnamespace {\n\n";
    out << "constexpr ModelListing models[] = {\n";
    for (const ModelRow &m : models) {
        out << "    {" << literal(m.id) << ", " << literal(m.hubId) << ", " << literal(m.name) << ", " << literal(m.family) << ", "
            << literal(m.words) << ", " << m.parameters << ", " << m.maxContext << "},\n";
    }
    out << "};\nconstexpr ModelText modelTexts[] = {\n";
    for (const ModelRow &m : models)
        out << "    {" << literal(m.text) << ", " << m.configSize << "},\n";
    out << "};\nconstexpr CatalogKey modelKeys[] = {\n" << keyTable(modelsFile, models);
    out << "};\nconstexpr DeviceListing devices[] = {\n";
    for (const DeviceRow &d : devices) {
        out << "    {" << literal(d.id) << ", " << literal(d.name) << ", " << literal(d.vendor) << ", " << literal(d.words) << ", "
            << d.memoryBytes << ", " << d.bandwidthGBs << "},\n";
    }
    out << "};\nconstexpr std::string_view deviceTexts[] = {\n";
    for (const DeviceRow &d : devices)
        out << "    " << literal(d.text) << ",\n";
    out << "};\nconstexpr CatalogKey deviceKeys[] = {\n" << keyTable(devicesFile, devices);
    out << "};\nconstexpr VendorInfo vendors[] = {\n";
    for (const VendorInfo &v : head.vendors) {
        out << "    {" << literal(v.name) << ", " << literal(v.words) << ", " << literal(v.prefixes) << ", " << v.lessGiB << ", "
            << v.lessShare << "},\n";
    }
    for (const auto &[name, groups] : {std::pair{"classes", &head.classes}, std::pair{"families", &head.families}}) {
        out << "};\nconstexpr GroupWords " << name << "[] = {\n";
        for (const GroupWords &g : *groups)
            out << "    {" << literal(g.name) << ", " << literal(g.words) << "},\n";
    }
    out << "};\n" << engineTables(enginesFile, parsed(enginesFile, textOf(enginesFile)));
    out << "constexpr CatalogIndex index{models, modelTexts, modelKeys, devices, deviceTexts, deviceKeys, {vendors, classes, families}, "
           "engines};\n\n} // namespace\n\n"
           "const CatalogIndex &builtInIndex() { return index; }\n\n} // namespace kvscope\n";
    return out.str();
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 5) {
        std::fputs("usage: kvscope_catalog_indexer models.json devices.json engines.json OUT.cpp\n", stderr);
        return 2;
    }
    try {
        if (writeFile(argv[4], written(argv[1], argv[2], argv[3]))) {
            std::fprintf(stderr, "%s: can't be written\n", argv[4]);
            return 1;
        }
    } catch (const std::exception &e) { // Refused, or a field of the wrong type in a head
        std::fprintf(stderr, "error: %s\n", e.what());
        return 1;
    }
    return 0;
}
