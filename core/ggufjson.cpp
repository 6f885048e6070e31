// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ggufjson.h"

#include "core/gguf/limits.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kvscope {

namespace {

constexpr std::string_view blockPrefix = "blk.";
constexpr std::size_t largestBlock = 9'999;
constexpr std::size_t mostRows = 512; ///< of one run of blocks
constexpr Range anyNumber{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
constexpr Range dimRange{0, anyNumber.highest};

const GgufModel plainGguf;

std::string blockName(std::size_t block, std::string_view rest)
{
    return std::string(blockPrefix) + std::to_string(block) + '.' + std::string(rest);
}

/// "blk.12.attn_q.weight" is 12, "attn_q.weight"; empty for other names, and for numbers that would not be written so again.
std::optional<std::pair<std::size_t, std::string_view>> takenApart(std::string_view name)
{
    if (!name.starts_with(blockPrefix))
        return std::nullopt;
    const char *const end = name.data() + name.size();
    std::size_t block = 0;
    const auto [rest, problem] = std::from_chars(name.data() + blockPrefix.size(), end, block);
    if (problem != std::errc() || rest == end || *rest != '.' || block > largestBlock)
        return std::nullopt;
    const std::string_view tail(rest + 1, static_cast<std::size_t>(end - rest - 1));
    if (tail.empty() || blockName(block, tail) != name)
        return std::nullopt;
    return std::pair(block, tail);
}

/// A tensor that many blocks have, in the order in which they have it.
struct Row {
    GgufTensor tensor; ///< its name is what stands behind the block
    std::vector<std::size_t> blocks;
};

/// Blocks that follow one another in the file. A block's tensors are those rows that have it, in the rows' order.
struct Run {
    std::vector<std::size_t> blocks;
    std::vector<Row> rows;

    bool has(std::size_t block) const { return std::ranges::find(blocks, block) != blocks.end(); }

    /// The tensors of one more block. Rows are only added between others, so no block's order changes.
    void add(std::size_t block, std::span<const GgufTensor> tensors)
    {
        blocks.push_back(block);
        std::size_t place = 0;
        for (const GgufTensor &tensor : tensors) {
            GgufTensor wanted = tensor;
            wanted.name = takenApart(tensor.name)->second;
            const auto from = rows.begin() + static_cast<std::ptrdiff_t>(place);
            auto row = std::find_if(from, rows.end(), [&wanted](const Row &r) { return r.tensor == wanted; });
            if (row == rows.end())
                row = rows.insert(from, Row{std::move(wanted), {}});
            row->blocks.push_back(block);
            place = static_cast<std::size_t>(row - rows.begin()) + 1;
        }
    }
};

/// 0, 1, 2, 5 as "0-2,5".
std::string rangesOf(const std::vector<std::size_t> &numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
        if (last > i)
            text += '-' + std::to_string(numbers[last]);
        i = last + 1;
    }
    return text;
}

std::optional<std::vector<std::size_t>> numbersOf(std::string_view ranges)
{
    std::vector<std::size_t> numbers;
    const char *at = ranges.data();
    const char *const end = at + ranges.size();
    const auto number = [&at, end](std::size_t &value) {
        const auto [rest, problem] = std::from_chars(at, end, value);
        at = rest;
        return problem == std::errc() && value <= largestBlock;
    };
    while (true) {
        std::size_t first = 0;
        if (!number(first))
            return std::nullopt;
        std::size_t last = first;
        if (at != end && *at == '-' && (++at, !number(last) || last <= first))
            return std::nullopt;
        for (std::size_t n = first; n <= last; ++n)
            numbers.push_back(n);
        if (numbers.size() > largestBlock + 1)
            return std::nullopt;
        if (at == end)
            return numbers;
        if (*at++ != ',')
            return std::nullopt;
    }
}

OrderedJson tensorToJson(const GgufTensor &tensor)
{
    std::vector<std::int64_t> dims(tensor.dims.begin(), tensor.dims.end());
    while (dims.size() > 1 && dims.back() == 1)
        dims.pop_back();
    return {{"name", tensor.name}, {"type", infoOf(tensor.type).name}, {"dims", dims}};
}

OrderedJson runToJson(const Run &run)
{
    OrderedJson rows = OrderedJson::array();
    for (const Row &row : run.rows) {
        OrderedJson json = tensorToJson(row.tensor);
        if (row.blocks != run.blocks)
            json["blocks"] = rangesOf(row.blocks);
        rows.push_back(std::move(json));
    }
    return {{"blocks", rangesOf(run.blocks)}, {"tensors", std::move(rows)}};
}

OrderedJson tensorsToJson(const std::vector<GgufTensor> &tensors)
{
    OrderedJson list = OrderedJson::array();
    Run run;
    const auto close = [&list, &run] {
        if (!run.blocks.empty())
            list.push_back(runToJson(run));
        run = {};
    };
    for (std::size_t i = 0; i < tensors.size();) {
        const auto name = takenApart(tensors[i].name);
        if (!name) {
            close();
            list.push_back(tensorToJson(tensors[i++]));
            continue;
        }
        std::size_t end = i + 1;
        for (auto next = name; end < tensors.size() && end - i < mostRows; ++end) {
            next = takenApart(tensors[end].name);
            if (!next || next->first != name->first)
                break;
        }
        if (run.has(name->first) || run.rows.size() + (end - i) > mostRows)
            close();
        run.add(name->first, std::span(tensors).subspan(i, end - i));
        i = end;
    }
    close();
    return list;
}

OrderedJson keysToJson(const GgufModel &model)
{
    OrderedJson keys = OrderedJson::object();
    for (const auto &[key, numbers] : model.keys) {
        if (numbers.array)
            keys[key] = numbers.values;
        else if (!numbers.values.empty())
            keys[key] = numbers.values.front();
    }
    return keys;
}

/// Reads the entries of "tensors".
class TensorReader {
public:
    explicit TensorReader(ObjectReader &reader) : m_reader(&reader) {}

    std::vector<GgufTensor> read()
    {
        const Json *list = m_reader->list("tensors", mostGgufTensors);
        for (std::size_t i = 0; list && i < list->size() && !m_reader->failed(); ++i) {
            ObjectReader entry((*list)[i], m_reader->path("tensors", i), m_reader->sink());
            if (entry.has("tensors") || entry.has("blocks"))
                readRun(entry);
            else
                add(readTensor(entry), entry);
        }
        return std::move(m_tensors);
    }

private:
    void add(GgufTensor tensor, ObjectReader &entry)
    {
        if (tensor.name.size() > longestGgufTensorName)
            entry.fail(ErrorCode::OutOfRange, "name", "1.." + std::to_string(longestGgufTensorName));
        else if (std::ssize(m_tensors) >= mostGgufTensors)
            m_reader->fail(ErrorCode::OutOfRange, "tensors", "0.." + std::to_string(mostGgufTensors));
        else
            m_tensors.push_back(std::move(tensor));
    }

    static GgufTensor readTensor(ObjectReader &entry)
    {
        GgufTensor tensor;
        for (const char *key : {"name", "type", "dims"}) {
            if (!entry.has(key))
                entry.fail(ErrorCode::MissingField, key, key);
        }
        entry.read("name", tensor.name);
        entry.read("type", tensor.type);
        const Json *dims = entry.list("dims", tensor.dims.size());
        for (std::size_t d = 0; dims && d < dims->size(); ++d)
            tensor.dims[d] = wholeNumber((*dims)[d], entry.path("dims", d), dimRange, entry.sink()).value_or(1);
        const GgufType *const type = ggufTypeOf(tensor.type);
        if (!type)
            entry.fail(ErrorCode::OutOfRange, "type", "f32, f16, q4_k, ...");
        else if (tensor.dims[0] % type->block != 0)
            entry.fail(ErrorCode::NotDivisible, "dims", std::to_string(tensor.dims[0]) + " by " + std::to_string(type->block));
        if (tensor.name.empty() || tensor.name.size() > longestGgufTensorName)
            entry.fail(ErrorCode::OutOfRange, "name", "1.." + std::to_string(longestGgufTensorName));
        if (tensor.bytes().tooLarge() || tensor.elements() == tooLargeValue)
            entry.fail(ErrorCode::TooLarge, "dims", {});
        return tensor;
    }

    static std::vector<std::size_t> readBlocks(ObjectReader &entry)
    {
        std::string text;
        entry.read("blocks", text);
        std::optional<std::vector<std::size_t>> blocks = numbersOf(text);
        if (!blocks)
            entry.fail(ErrorCode::OutOfRange, "blocks", "0-31 or 0,2-5, ...");
        return std::move(blocks).value_or(std::vector<std::size_t>());
    }

    void readRun(ObjectReader &entry)
    {
        for (const char *key : {"blocks", "tensors"}) {
            if (!entry.has(key))
                entry.fail(ErrorCode::MissingField, key, key);
        }
        Run run;
        run.blocks = readBlocks(entry);
        const Json *rows = entry.list("tensors", mostRows);
        std::vector<bool> known(largestBlock + 1);
        for (const std::size_t block : run.blocks)
            known[block] = true;
        std::vector<std::vector<std::size_t>> rowsOfBlock(largestBlock + 1);
        for (std::size_t i = 0; rows && i < rows->size() && !entry.failed(); ++i) {
            ObjectReader row((*rows)[i], entry.path("tensors", i), entry.sink());
            run.rows.push_back({readTensor(row), row.has("blocks") ? readBlocks(row) : run.blocks});
            for (const std::size_t block : run.rows.back().blocks) {
                if (!known[block])
                    row.fail(ErrorCode::OutOfRange, "blocks", rangesOf(run.blocks));
                rowsOfBlock[block].push_back(i);
            }
        }
        for (const std::size_t block : run.blocks) {
            for (const std::size_t i : rowsOfBlock[block]) {
                if (entry.failed())
                    return;
                GgufTensor tensor = run.rows[i].tensor;
                tensor.name = blockName(block, tensor.name);
                add(std::move(tensor), entry);
            }
        }
    }

    ObjectReader *m_reader;
    std::vector<GgufTensor> m_tensors;
};

void readKeys(ObjectReader &reader, GgufModel &model)
{
    constexpr std::size_t most = 65'536;
    const Json *keys = reader.object("keys");
    if (!keys)
        return;
    if (keys->size() > most)
        reader.fail(ErrorCode::OutOfRange, "keys", "0.." + std::to_string(most));
    const std::string path = reader.path("keys") + '.';
    for (const auto &[key, value] : keys->items()) {
        if (reader.failed())
            return;
        GgufNumbers numbers;
        numbers.array = value.is_array();
        const Json one = numbers.array ? Json() : Json::array({value});
        const Json &list = numbers.array ? value : one;
        // What decides no memory may be anything.
        if (!isGgufNumber(key) && !std::ranges::all_of(list, [](const Json &number) { return number.is_number_integer(); }))
            continue;
        for (const Json &number : list) {
            if (const auto whole = wholeNumber(number, path + key, anyNumber, reader.sink()))
                numbers.values.push_back(*whole);
        }
        model.keys.emplace(key, std::move(numbers));
    }
}

} // namespace

OrderedJson ggufToJson(const GgufModel &model, Extent extent)
{
    ObjectWriter writer(extent);
    writer.put("architecture", model.architecture);
    writer.add("name", model.name, plainGguf.name);
    writer.add("file_type", model.fileType, plainGguf.fileType);
    writer.add("vocab", model.vocab, plainGguf.vocab);
    writer.add("converted", model.converted, plainGguf.converted);
    writer.add("incomplete", model.incomplete, plainGguf.incomplete);
    writer.put("keys", keysToJson(model));
    writer.addNested("tensors", tensorsToJson(model.tensors));
    return writer.object;
}

GgufModel ggufFromJson(ObjectReader &reader)
{
    GgufModel model;
    reader.read("architecture", model.architecture);
    reader.read("name", model.name);
    reader.read("file_type", model.fileType, Range{-1, 1 << 20});
    reader.read("vocab", model.vocab, Range{0, vocabularyRange.highest});
    reader.read("converted", model.converted);
    reader.read("incomplete", model.incomplete);
    readKeys(reader, model);
    model.tensors = TensorReader(reader).read();
    if (model.architecture.empty() || !reader.has("keys"))
        reader.fail(ErrorCode::MissingField, model.architecture.empty() ? "architecture" : "keys", {});
    if (const std::optional<Error> problem = ggufProblem(model, "keys."))
        reader.fail(problem->code, problem->where.c_str(), problem->detail);
    return model;
}

} // namespace kvscope
