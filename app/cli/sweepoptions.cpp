// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/sweepoptions.h"

#include <algorithm>

#include "app/cli/commandline.h"
#include "app/cli/words.h"
#include "core/parse.h"

namespace kvscope::cli {

void ListOptions::addTo(CommandLine &line)
{
    line.group(translate("Cli", "Lists, each as A,B,... (the first changes slowest)"));
    line.value("--models", "LIST",
               translate("Cli", "Models as for --model, or by hand as [NAME=]LAYERSxKVHEADSxHEADDIM[@PARAMETERS]: 8B=32x8x128@8.03B"),
               models);
    line.value("--weights-list", "LIST", translate("Cli", "Formats of the weights"), weights);
    line.value("--engines", "LIST", translate("Cli", "Engines, as NAME[@VERSION]"), engines);
    line.value("--gpus", "LIST", translate("Cli", "GPUs or machines, as for --gpu"), gpus);
    line.value("--memories", "LIST", translate("Cli", "Sizes of memory, alone or instead of each GPU's own"), memories);
    line.value("--reserves", "LIST", translate("Cli", "Percent of the memory kept free"), reserves);
    line.value("--kv-types", "LIST", translate("Cli", "Formats of K and V"), kvTypes);
    line.value("--contexts", "LIST", translate("Cli", "Tokens a sequence"), contexts);
    line.value("--batches", "LIST", translate("Cli", "Sequences held at once"), batches);
}

Result<std::vector<std::string>> splitList(const char *option, const std::string &text)
{
    std::vector<std::string> items;
    std::size_t from = 0;
    while (from <= text.size()) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        std::string item = text.substr(from, comma - from);
        item.erase(0, item.find_first_not_of(' '));
        item.erase(item.find_last_not_of(' ') + 1);
        if (item.empty())
            return Error{ErrorCode::BadOption, std::string(option) + ' ' + text, "A,B,...", {}};
        items.push_back(std::move(item));
        from = comma + 1;
    }
    return items;
}

std::optional<Result<SweepModel>> handModel(std::string_view text)
{
    const std::size_t equals = text.find('=');
    const std::string_view shape = equals == std::string_view::npos ? text : text.substr(equals + 1);
    const std::string_view sizes = shape.substr(0, shape.find('@'));
    if (sizes.empty() || sizes.find_first_not_of("0123456789x") != std::string_view::npos || std::ranges::count(sizes, 'x') != 2)
        return {};
    ScenarioOptions options;
    const std::size_t first = sizes.find('x'), second = sizes.rfind('x');
    options.layers = sizes.substr(0, first);
    options.kvHeads = sizes.substr(first + 1, second - first - 1);
    options.headDim = sizes.substr(second + 1);
    if (sizes.size() < shape.size())
        options.params = shape.substr(sizes.size() + 1);
    Result<ModelSpec> model = modelByHand(options);
    if (!model)
        return Error{model.error().code, std::string(text), model.error().detail, {}};
    SweepModel result;
    result.name = equals == std::string_view::npos ? text : text.substr(0, equals);
    model->name = result.name;
    result.model = std::make_shared<const ModelSpec>(std::move(*model));
    return result;
}

namespace {

/// Reads each item of a list by `read`, a function from text to Result; without a list there is the one value `otherwise`.
template<typename T, typename Read>
std::optional<Error> readList(const char *option, const ListOptions::Text &list, T otherwise, Read read, std::vector<T> &target)
{
    target.clear();
    if (!list) {
        target.push_back(std::move(otherwise));
        return {};
    }
    const Result<std::vector<std::string>> items = splitList(option, *list);
    if (!items)
        return items.error();
    for (const std::string &item : *items) {
        auto value = read(item);
        if (!value) {
            Error error = value.error();
            if (error.code == ErrorCode::BadNumber || error.code == ErrorCode::BadSize || error.code == ErrorCode::OutOfRange ||
                error.code == ErrorCode::TooLarge)
                error.where = std::string(option) + ' ' + item;
            return error;
        }
        target.push_back(T(std::move(*value)));
    }
    return {};
}

/// By the first engine that knows the name.
template<typename T>
Result<T> byAnyEngine(const std::vector<EngineChoice> &engines, const std::string &text, Result<T> (*named)(std::string_view, EngineId))
{
    Result<T> first = named(text, engines.front().id);
    for (const EngineChoice &engine : engines) {
        if (Result<T> found = named(text, engine.id))
            return found;
    }
    return first;
}

Result<SweepModel> sweepModel(const std::string &text, const Sources &sources)
{
    if (std::optional<Result<SweepModel>> byHand = handModel(text))
        return std::move(*byHand);
    Result<ModelSpec> model = modelNamed(text, sources);
    if (!model)
        return model.error();
    return SweepModel{text, std::make_shared<const ModelSpec>(std::move(*model)), {}};
}

Result<std::int64_t> parseBatch(const std::string &text) { return parseWhole(text, 1, largestBatch); }

Result<TokenCount> parseContext(const std::string &text)
{
    Result<TokenCount> tokens = parseTokens(text);
    if (tokens && tokens->value < 1)
        return Error{ErrorCode::OutOfRange, text, "1.." + std::to_string(largestContext.value), {}};
    return tokens;
}

} // namespace

Result<SweepLists> listsFrom(ListOptions lists, ScenarioOptions options, const Sources &sources)
{
    if (lists.gpus) {
        const Result<std::vector<std::string>> names = splitList("--gpus", *lists.gpus);
        if (!names)
            return names.error();
        options.gpus.insert(options.gpus.end(), names->begin(), names->end());
    }
    SweepLists result;
    if (lists.memories) {
        const auto size = [](const std::string &text) -> Result<Bytes> {
            const Result<Bytes> bytes = parseBytes(text);
            return bytes && bytes->value < 1 ? Error{ErrorCode::OutOfRange, text, "above 0", {}} : bytes;
        };
        if (std::optional<Error> error = readList<std::optional<Bytes>>("--memories", lists.memories, {}, size, result.memories))
            return *error;
        if (!options.givesDevice() && !options.scenario)
            options.gpuMemory = std::to_string(result.memories.front()->value);
    }
    Result<Scenario> base = scenarioFrom(options, sources, true);
    if (!base)
        return base.error();
    if (!base->model && !lists.models)
        return Error{ErrorCode::MissingModel, {}, {}, {}};
    if (base->clusters.empty())
        return Error{ErrorCode::MissingDevice, {}, {}, {}};

    SweepModel model{options.model.value_or(base->model ? base->model->name : std::string()), base->model, {}};
    std::optional<Error> error = readList(
        "--models", lists.models, std::move(model), [&](const std::string &t) { return sweepModel(t, sources); }, result.models);
    if (!error)
        error = readList("--engines", lists.engines, base->engine, engineNamed, result.engines);
    if (!error)
        error = readList(
            "--weights-list", lists.weights, base->weights,
            [&](const std::string &t) { return byAnyEngine(result.engines, t, weightsNamed); }, result.weights);
    const auto kvOf = [&](const std::string &text) -> Result<KvPrecision> {
        const Result<Format> format = byAnyEngine(result.engines, text, kvFormatNamed);
        if (!format)
            return format.error();
        KvPrecision kv = base->kv;
        kv.key = kv.value = *format;
        return kv;
    };
    if (!error)
        error = readList("--kv-types", lists.kvTypes, base->kv, kvOf, result.kv);
    if (!error)
        error = readList(
            "--reserves", lists.reserves, base->reservePercent, [](const std::string &t) { return parseDecimal(t, 0, 100); },
            result.reserves);
    if (!error)
        error = readList("--batches", lists.batches, base->batch, parseBatch, result.batches);
    if (!error && (lists.contexts || options.givesContext()))
        error = readList("--contexts", lists.contexts, base->context, parseContext, result.contexts);
    if (error)
        return *error;
    for (SweepModel &m : result.models)
        m.context = defaultContext(m.model.get());
    result.clusters = std::move(base->clusters);
    result.base = std::move(*base);
    result.base.clusters.clear();
    return result;
}

} // namespace kvscope::cli
