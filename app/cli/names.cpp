// SPDX-License-Identifier: GPL-3.0-or-later
// What the names on a command line stand for: models, machines, engines, formats.
#include <algorithm>
#include <filesystem>
#include <istream>
#include <iterator>

#include "app/cli/commandline.h"
#include "app/cli/options.h"
#include "core/engine.h"
#include "core/import/import.h"
#include "core/parse.h"

namespace kvscope::cli {

namespace {

bool exists(const std::string &path)
{
    std::error_code ignored;
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored));
}

/// A name that can only be meant as a file, so that a missing one is a missing file and no unknown id.
bool looksLikeFile(std::string_view what)
{
    return what.ends_with(".json") || what.ends_with(".gguf") || what.ends_with(".safetensors") || what.starts_with('/') ||
           what.starts_with("./") || what.starts_with("../") || what.ends_with('/');
}

std::vector<std::string_view> namesOf(std::span<const Format> formats)
{
    std::vector<std::string_view> names;
    for (const Format format : formats)
        names.push_back(infoOf(format).name);
    return names;
}

/// Near names, or all of them where none is near and they are few.
std::string nearOrAll(std::string_view asked, std::span<const std::string_view> names)
{
    std::vector<std::string> near = nearNames(asked, names);
    constexpr std::size_t few = 32;
    if (near.empty() && names.size() <= few)
        near.assign(names.begin(), names.end());
    return joined(near);
}

} // namespace

Result<std::string> readStandardInput(std::istream &in)
{
    std::string text;
    std::vector<char> block(1 << 16);
    while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
        if (static_cast<std::int64_t>(text.size()) > largestJsonFile)
            return Error{ErrorCode::FileTooLarge, "-", std::to_string(largestJsonFile / bytesPerMiB) + " MiB", "-"};
    }
    if (text.empty())
        return Error{ErrorCode::FileEmpty, "-", {}, "-"};
    return text;
}

Result<ModelSpec> modelNamed(const std::string &what, const Sources &sources)
{
    if (what == "-")
        return modelFromStream(sources.in, "-");
    if (exists(what))
        return modelFromPath(what);
    Result<ModelSpec> model = sources.catalog.model(what);
    if (!model && model.error().code == ErrorCode::UnknownName && looksLikeFile(what))
        return Error{ErrorCode::FileNotFound, what, {}, {}};
    return model;
}

Result<Cluster> clusterNamed(const std::string &text, Split split, const Catalog &catalog)
{
    if (const Result<Device> device = catalog.device(text))
        return clusterOf(*device, static_cast<int>(split.devices()), split);
    Result<std::vector<Device>> machine = catalog.machine(text);
    if (!machine)
        return machine.error();
    if (static_cast<std::int64_t>(machine->size()) < split.devices())
        return Error{ErrorCode::ImpossibleSplit, std::to_string(split.devices()), text, {}};
    return Cluster{std::move(*machine), split};
}

Result<EngineChoice> engineNamed(std::string_view text)
{
    const std::size_t at = text.find('@');
    const std::string_view name = text.substr(0, at);
    const std::string version(at == std::string_view::npos ? std::string_view() : text.substr(at + 1));
    if (const Engine *engine = engineByName(name)) {
        if (at == std::string_view::npos)
            return EngineChoice{engine->id(), {}};
        if (engine->versions().empty() || version.empty())
            return Error{ErrorCode::BadOption, std::string(text), std::string(name), {}};
        if (const Result<ResolvedRelease> release = resolveRelease(engine->id(), version); !release)
            return release.error();
        return EngineChoice{engine->id(), version};
    }
    std::vector<std::string_view> names;
    for (const Engine *engine : engines())
        names.push_back(engine->name());
    return Error{ErrorCode::UnknownName, std::string(name), nearOrAll(name, names), {}};
}

Result<WeightChoice> weightsNamed(std::string_view text, EngineId engine)
{
    if (text == "auto")
        return WeightChoice{};
    if (const std::optional<Format> format = formatByName(text))
        return WeightChoice{*format, {}};
    return Error{ErrorCode::UnknownName, std::string(text), nearOrAll(text, namesOf(engineOf(engine).weightFormats())), {}};
}

Result<Format> kvFormatNamed(std::string_view text, EngineId engine)
{
    if (const std::optional<Format> format = formatByName(text))
        return *format;
    return Error{ErrorCode::UnknownName, std::string(text), nearOrAll(text, namesOf(engineOf(engine).kvFormats())), {}};
}

int exitCodeOf(const Error &error)
{
    switch (error.code) {
    case ErrorCode::FileNotFound:
    case ErrorCode::NotAFile:
    case ErrorCode::NoPermission:
    case ErrorCode::FileTooLarge:
    case ErrorCode::FileEmpty:
    case ErrorCode::ReadFailed:
    case ErrorCode::WriteFailed:
    case ErrorCode::NotJson:
    case ErrorCode::NotThisKind:
    case ErrorCode::MissingField:
    case ErrorCode::WrongType:
    case ErrorCode::UnknownArchitecture:
    case ErrorCode::NewerVersion: return 3;
    default: return error.file.empty() ? 2 : 3;
    }
}

} // namespace kvscope::cli
