// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/gguf.h"

#include "core/gguf/limits.h"
#include "core/import/fields.h"
#include "core/import/ggufheader.h"
#include "core/import/import.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace kvscope {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t mostParts = 65'535; ///< split.count is 16 bits wide

/// PREFIX-00001-of-00005.gguf, taken apart (spec/local-engines.md 1.4).
struct PartName {
    fs::path folder;
    std::string prefix;
    std::int64_t part = 0, count = 0; ///< part from 1

    fs::path path(std::int64_t number) const
    {
        std::string name = prefix;
        const auto five = [](std::int64_t n) {
            std::string digits = std::to_string(n);
            return std::string(5 - std::min<std::size_t>(digits.size(), 5), '0') + digits;
        };
        name += '-' + five(number) + "-of-" + five(count) + ".gguf";
        return folder / fs::path(std::u8string(name.begin(), name.end()));
    }
};

std::optional<PartName> partNameOf(const fs::path &path)
{
    constexpr std::size_t digits = 5;
    constexpr std::string_view between = "-of-", ending = ".gguf";
    constexpr std::size_t tail = 1 + digits + between.size() + digits + ending.size();
    const std::string name = shown(path.filename());
    if (name.size() < tail)
        return std::nullopt;
    const std::string_view rest = std::string_view(name).substr(name.size() - tail);
    const auto number = [&rest](std::size_t at) {
        std::int64_t value = 0;
        for (const char c : rest.substr(at, digits)) {
            if (c < '0' || c > '9')
                return std::int64_t{-1};
            value = value * 10 + (c - '0');
        }
        return value;
    };
    const std::int64_t part = number(1), count = number(1 + digits + between.size());
    if (rest.front() != '-' || rest.substr(1 + digits, between.size()) != between || !rest.ends_with(ending) || part < 1 || count < part)
        return std::nullopt;
    return PartName{path.parent_path(), name.substr(0, name.size() - tail), part, count};
}

Error inFile(Error error, const std::string &name)
{
    error.file = name;
    return error;
}

/// Numbers of the metadata, checked as they are taken; the first error stays.
class Metadata {
public:
    Metadata(const GgufHeader &header, const std::string &name) : m_header(&header), m_name(&name) {}

    std::int64_t number(const std::string &key, std::int64_t otherwise, Range range)
    {
        const Result<std::optional<std::int64_t>> value = m_header->number(key, range.lowest, range.highest);
        if (!value)
            fail(value.error());
        return value && *value ? **value : otherwise;
    }
    std::string text(const char *key)
    {
        const GgufValue *value = m_header->value(key);
        if (!value)
            return {};
        if (value->array || value->type != GgufValueType::String)
            fail({ErrorCode::WrongType, key, "string", {}});
        return value->text;
    }
    void fail(Error error)
    {
        if (!m_error)
            m_error = inFile(std::move(error), *m_name);
    }
    const std::optional<Error> &error() const { return m_error; }

private:
    const GgufHeader *m_header;
    const std::string *m_name;
    std::optional<Error> m_error;
};

/// 1.6: tokens, else vocab_size of a model without a tokenizer, else the table's rows.
std::int64_t vocabularyOf(const GgufHeader &header, const GgufModel &model, Metadata &metadata)
{
    constexpr const char *tokensKey = "tokenizer.ggml.tokens";
    if (const GgufValue *tokens = header.value(tokensKey)) {
        if (!tokens->array || tokens->type != GgufValueType::String)
            metadata.fail({ErrorCode::WrongType, tokensKey, "list", {}});
        return static_cast<std::int64_t>(tokens->count);
    }
    const GgufValue *tokenizer = header.value("tokenizer.ggml.model");
    if (tokenizer && (tokenizer->text == "no_vocab" || tokenizer->text == "none") && model.has("vocab_size"))
        return metadata.number(model.architecture + ".vocab_size", 0, vocabularyRange);
    const GgufTensor *table = model.tensor("token_embd.weight");
    return table ? table->dims[1] : 0;
}

/// The model of a header whose tensors are those of all parts.
Result<GgufModel> modelOf(GgufHeader &&header, const std::string &name)
{
    GgufModel model;
    Metadata metadata(header, name);
    model.architecture = metadata.text("general.architecture");
    if (model.architecture.empty())
        metadata.fail({ErrorCode::MissingField, "general.architecture", {}, {}});
    model.name = metadata.text("general.name");
    constexpr Range fileTypes{0, 1 << 20};
    model.fileType = static_cast<int>(metadata.number("general.file_type", -1, fileTypes));

    model.tensors = std::move(header.tensors);
    model.incomplete = header.incomplete;
    const std::string prefix = model.architecture + '.';
    for (auto entry = header.values.lower_bound(prefix); entry != header.values.end() && entry->first.starts_with(prefix); ++entry) {
        const GgufValue &value = entry->second;
        std::string key = entry->first.substr(prefix.size());
        if (value.numbers.size() == value.count && value.count > 0)
            model.keys.emplace(std::move(key), GgufNumbers{value.numbers, value.array});
        else if (isGgufNumber(key))
            metadata.fail({ErrorCode::WrongType, entry->first, "integer", {}});
    }
    model.vocab = vocabularyOf(header, model, metadata);
    if (const std::optional<Error> error = ggufProblem(model, prefix))
        metadata.fail(*error);
    if (metadata.error())
        return *metadata.error();
    return model;
}

Result<GgufHeader> headerOf(const fs::path &path)
{
    const Result<std::unique_ptr<ByteInput>> input = openBytes(path);
    if (!input)
        return input.error();
    return readGgufHeader(**input, shown(path));
}

/// What a part says of itself; {0, 1} if nothing.
struct PartKeys {
    std::int64_t number = 0; ///< from 0
    std::optional<std::int64_t> count;
    std::optional<std::int64_t> tensors;
};

Result<PartKeys> partKeysOf(const GgufHeader &header, const std::string &name)
{
    const Result<std::optional<std::int64_t>> number = header.number("split.no", 0, mostParts);
    const Result<std::optional<std::int64_t>> count = header.number("split.count", 0, mostParts);
    const Result<std::optional<std::int64_t>> tensors = header.number("split.tensors.count", 0, tooLargeValue - 1);
    for (const auto *value : {&number, &count, &tensors}) {
        if (!*value)
            return inFile(value->error(), name);
    }
    return PartKeys{number->value_or(0), *count, *tensors};
}

/// All parts from the first on. `given`: the one that was asked for, as read.
Result<GgufHeader> mergedParts(const fs::path &path, GgufHeader &&given, const PartKeys &givenKeys)
{
    const auto mismatch = [](const fs::path &file, const char *key) {
        return Error{ErrorCode::SplitMismatch, shown(file), key, shown(file)};
    };
    const std::optional<PartName> name = partNameOf(path);
    if (!name)
        return mismatch(path, "name");
    std::optional<GgufHeader> whole;
    std::optional<std::int64_t> tensors;
    for (std::int64_t part = 1; part <= name->count; ++part) {
        const fs::path file = part == name->part ? path : name->path(part);
        Result<GgufHeader> header = part == name->part ? Result<GgufHeader>(std::move(given)) : headerOf(file);
        if (!header)
            return header.error();
        const Result<PartKeys> keys = part == name->part ? Result<PartKeys>(givenKeys) : partKeysOf(*header, shown(file));
        if (!keys)
            return keys.error();
        if (keys->number != part - 1)
            return mismatch(file, "split.no");
        if ((part == 1 || keys->count) && keys->count != name->count)
            return mismatch(file, "split.count");
        if (!whole) {
            whole.emplace();
            whole->values = std::move(header->values);
            tensors = keys->tensors;
        }
        std::ranges::move(header->tensors, std::back_inserter(whole->tensors));
        whole->incomplete = whole->incomplete || header->incomplete;
    }
    if (tensors && *tensors != static_cast<std::int64_t>(whole->tensors.size()))
        return mismatch(path, "split.tensors.count");
    return std::move(*whole);
}

} // namespace

Result<GgufModel> ggufFromFile(const fs::path &path)
{
    const std::string name = shown(path);
    Result<GgufHeader> header = headerOf(path);
    if (!header)
        return header.error();
    const Result<PartKeys> keys = partKeysOf(*header, name);
    if (!keys)
        return keys.error();
    if (keys->number > 0 || keys->count.value_or(1) > 1)
        header = mergedParts(path, std::move(*header), *keys);
    return header ? modelOf(std::move(*header), name) : header.error();
}

std::string ggufStem(const fs::path &path)
{
    const std::optional<PartName> part = partNameOf(path);
    return part && !part->prefix.empty() ? part->prefix : shown(path.stem());
}

Result<GgufModel> ggufFromInput(ByteInput &input, std::string_view name)
{
    const std::string file(name);
    Result<GgufHeader> header = readGgufHeader(input, file);
    if (!header)
        return header.error();
    const Result<PartKeys> keys = partKeysOf(*header, file);
    if (!keys)
        return keys.error();
    if (keys->number > 0 || keys->count.value_or(1) > 1)
        return Error{ErrorCode::SplitMismatch, file, "name", file};
    return modelOf(std::move(*header), file);
}

} // namespace kvscope
