// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/import.h"

#include "core/import/gguf.h"
#include "core/import/ggufspec.h"
#include "core/import/json.h"
#include "core/import/quantization.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

namespace kvscope {

namespace fs = std::filesystem;

namespace {

bool isRegular(const fs::path &path)
{
    std::error_code problem;
    return fs::is_regular_file(path, problem);
}

/// What a list shows the model under: the folder for a config.json, else the file's own name.
std::string nameOf(const fs::path &file)
{
    const fs::path stem = file.filename() == "config.json" ? file.parent_path().filename() : file.stem();
    return stem.empty() ? shown(file.filename()) : shown(stem);
}

/// An index says what is stored where; a config.json never has this key.
bool isIndex(const Json &json) { return json.is_object() && json.contains("weight_map"); }

Result<ModelSpec> failedIn(Error error, const fs::path &file)
{
    error.file = shown(file);
    if (error.code == ErrorCode::NotJson || error.code == ErrorCode::NotThisKind || error.code == ErrorCode::FileEmpty)
        error.where = error.file;
    return error;
}

/// Bytes of tensors in a safetensors file: its size less the 8-byte length and the header of that length. 0 if it is none.
std::int64_t tensorBytes(const fs::path &file)
{
    std::error_code problem;
    const std::uintmax_t size = fs::file_size(file, problem);
    if (problem || size < 8)
        return 0;
    std::ifstream stream(file, std::ios::binary);
    std::array<char, 8> raw{};
    if (!stream.read(raw.data(), raw.size()))
        return 0;
    std::uint64_t header = 0; // little endian
    for (std::size_t i = raw.size(); i-- > 0;)
        header = header << 8 | static_cast<unsigned char>(raw[i]);
    if (header > size - 8)
        return 0;
    return static_cast<std::int64_t>(size - 8 - header);
}

/// The folder's tensors where there is no index: what a single-file checkpoint or a cut download holds.
ModelSpec withTensorFiles(ModelSpec model, const fs::path &folder)
{
    std::error_code problem;
    Bytes sum;
    int files = 0;
    for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end; entry.increment(problem)) {
        // "consolidated" files hold the same tensors once more, in the maker's own layout.
        const std::string name = shown(entry->path().filename());
        if (entry->path().extension() != ".safetensors" || name.starts_with("consolidated") || name.starts_with("adapter") ||
            !isRegular(entry->path()))
            continue;
        const std::int64_t bytes = tensorBytes(entry->path());
        files += bytes > 0;
        sum += Bytes{bytes};
    }
    if (files > 0) {
        model.measuredWeights = sum;
        model.measuredSource = "safetensors";
    }
    return model;
}

/// The index of a folder; empty if there is none.
fs::path indexIn(const fs::path &folder)
{
    for (const char *name : {"model.safetensors.index.json", "pytorch_model.bin.index.json"})
        if (isRegular(folder / name))
            return folder / name;
    return {};
}

/// What may lie beside a config: ModelOpt's description of the quantisation, an index, the tensors.
Result<ModelSpec> withNeighbours(ModelSpec model, const fs::path &folder, const fs::path &index)
{
    if (const fs::path file = folder / "hf_quant_config.json"; !model.quantization && isRegular(file)) {
        const Result<std::string> text = readFile(file);
        if (!text)
            return text.error();
        Result<ModelSpec> better = withModelOptConfig(std::move(model), *text, shown(file));
        if (!better)
            return failedIn(better.error(), file);
        model = std::move(*better);
    }
    if (!index.empty()) {
        const Result<std::string> text = readFile(index);
        if (!text)
            return text.error();
        Result<ModelSpec> better = withSafetensorsIndex(std::move(model), *text, shown(index));
        return better ? better : failedIn(better.error(), index);
    }
    return withTensorFiles(std::move(model), folder);
}

Result<ModelSpec> fromConfigText(std::string_view text, const fs::path &file)
{
    Result<ModelSpec> model = modelFromConfig(text, nameOf(file));
    if (!model)
        return failedIn(model.error(), file);
    std::error_code problem;
    const fs::path absolute = fs::absolute(file, problem);
    model->reference = shown(problem ? file : absolute);
    model->sources = {model->reference};
    return model;
}

/// A GGUF as a model of this file.
Result<ModelSpec> fromGguf(Result<GgufModel> gguf, const fs::path &file)
{
    if (!gguf)
        return gguf.error();
    Result<ModelSpec> model = modelFromGguf(std::move(*gguf), ggufStem(file));
    if (!model)
        return failedIn(model.error(), file);
    std::error_code problem;
    const fs::path absolute = fs::absolute(file, problem);
    model->reference = shown(problem ? file : absolute);
    model->sources = {model->reference};
    return model;
}

/// What comes through a pipe: a GGUF's header, or a config as a whole.
Result<ModelSpec> fromInput(ByteInput &input, const fs::path &file)
{
    const std::string name = shown(file);
    if (isGguf(input.beginning(ggufMagic.size())))
        return fromGguf(ggufFromInput(input, name), file);
    std::string text;
    std::vector<unsigned char> block(std::size_t{1} << 16);
    while (const std::size_t got = input.read(block.data(), block.size())) {
        text.append(reinterpret_cast<const char *>(block.data()), got);
        if (text.size() > static_cast<std::size_t>(largestJsonFile))
            return Error{ErrorCode::FileTooLarge, name, std::to_string(largestJsonFile), name};
    }
    if (text.empty())
        return Error{ErrorCode::FileEmpty, name, {}, name};
    return fromConfigText(text, file);
}

Result<ModelSpec> fromFolder(const fs::path &folder, const fs::path &index)
{
    const fs::path config = folder / "config.json";
    const Result<std::string> text = readFile(config);
    if (!text)
        return text.error();
    Result<ModelSpec> model = fromConfigText(*text, config);
    return model ? withNeighbours(std::move(*model), folder, index) : model;
}

} // namespace

namespace {

/// What a checkpoint stores and engines do not load (spec/serving-engines.md 8.5): prediction layers, which are named "mtp" or counted on from
/// the last layer, and a head beside the table that it is tied to.
Bytes notLoaded(const ModelSpec &model, const Json &map)
{
    const Format plain = model.nativeFormat == Format::F32 ? Format::F32 : Format::BF16;
    bool predicts = false, head = false;
    for (const auto &[name, shard] : map.items()) {
        head = head || name.ends_with("lm_head.weight");
        const std::size_t layers = name.find("layers.");
        const bool past = layers != std::string::npos && std::atoi(name.c_str() + layers + 7) >= model.layerCount();
        predicts = predicts || past || name.starts_with("mtp.") || name.find(".mtp.") != std::string::npos;
    }
    Bytes bytes;
    if (head && model.tiedEmbeddings)
        bytes += bytesOf(plain, model.vocab * model.hidden);
    const std::int64_t prediction = model.outer[Role::Mtp];
    if (!predicts || prediction == 0)
        return bytes;
    const std::optional<Quantization> &stored = model.quantization;
    const auto r = static_cast<std::size_t>(Role::Mtp);
    const bool inSecond = stored && stored->secondFormat && stored->secondQuantised[r];
    const Format format = stored && stored->quantised[r] ? stored->format : inSecond ? *stored->secondFormat : plain;
    return bytes + (stored ? stored->bytesOf(Role::Mtp, format, prediction, plain) : bytesOf(plain, prediction));
}

} // namespace

Result<ModelSpec> withSafetensorsIndex(ModelSpec model, std::string_view json, std::string_view name)
{
    const auto failed = [&](ErrorCode code, std::string where, std::string detail) -> Result<ModelSpec> {
        return Error{code, std::move(where), std::move(detail), std::string(name)};
    };
    const Result<Json> file = parseJson(json, name);
    if (!file)
        return failed(file.error().code, file.error().where, file.error().detail);
    if (!isIndex(*file))
        return failed(ErrorCode::NotThisKind, std::string(name), "safetensors_index");
    const Json &map = (*file)["weight_map"];
    if (!map.is_object() || map.empty())
        return failed(ErrorCode::WrongType, "weight_map", "object");
    for (const auto &[tensor, shard] : map.items())
        if (!shard.is_string())
            return failed(ErrorCode::WrongType, "weight_map." + tensor, "string");
    const auto metadata = file->find("metadata");
    if (metadata == file->end() || !metadata->is_object() || !metadata->contains("total_size"))
        return failed(ErrorCode::MissingField, "metadata.total_size", "metadata.total_size");
    const Json &size = (*metadata)["total_size"];
    if (!size.is_number())
        return failed(ErrorCode::WrongType, "metadata.total_size", "integer");
    const auto bytes = size.get<double>(); // some tools write it as 4.7e9
    constexpr double largest = 1e18;
    if (!(bytes >= 1 && bytes <= largest))
        return failed(ErrorCode::OutOfRange, "metadata.total_size", "1..1000000000000000000");
    const Bytes stored = Bytes{size.is_number_integer() ? size.get<std::int64_t>() : static_cast<std::int64_t>(bytes)};
    model.measuredWeights = std::max(Bytes{}, stored - notLoaded(model, map));
    model.measuredAsLoaded = true;
    model.measuredSource = "safetensors index";
    return model;
}

Result<ModelSpec> modelFromStream(std::istream &stream, std::string_view name)
{
    const std::unique_ptr<ByteInput> input = bytesOf(stream);
    Result<ModelSpec> model = fromInput(*input, fs::path(std::u8string(name.begin(), name.end())));
    if (model) {
        model->reference.clear(); // a stream can't be read again
        model->sources.clear();
    }
    return model;
}

Result<ModelSpec> modelFromPath(const fs::path &path)
{
    std::error_code problem;
    if (fs::is_directory(path, problem))
        return fromFolder(path, indexIn(path));
    if (const Result<std::unique_ptr<ByteInput>> input = openBytes(path)) {
        if ((*input)->size() == ByteInput::unknownSize)
            return fromInput(**input, path);
        if (isGguf((*input)->beginning(ggufMagic.size())))
            return fromGguf(ggufFromFile(path), path);
    }
    const Result<std::string> text = readFile(path);
    if (!text)
        return text.error();
    const Result<Json> json = parseJson(*text, shown(path));
    if (!json)
        return failedIn(json.error(), path);
    const fs::path folder = path.parent_path().empty() ? fs::path(".") : path.parent_path();
    if (isIndex(*json))
        return fromFolder(folder, path);
    Result<ModelSpec> model = fromConfigText(*text, path);
    // A file of another name may lie among files of other models: only a config.json speaks for its folder.
    if (!model || path.filename() != "config.json")
        return model;
    return withNeighbours(std::move(*model), folder, indexIn(folder));
}

} // namespace kvscope
