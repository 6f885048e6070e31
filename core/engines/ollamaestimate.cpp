// SPDX-License-Identifier: GPL-3.0-or-later
// What Ollama expected of a model before it started llama-server and let that decide (spec/local-engines.md 6.2).
#include "core/engines/llamacppplace.h"
#include "core/engines/ollamalaunch.h"

#include <algorithm>

namespace kvscope::ollama {

namespace {

constexpr Bytes minimumFree = 457_MiB, minimumFreeOnMetal = 512_MiB;

/// Bytes an element as the estimate counts them: blocks' scales are left out.
double estimatedBytes(Format format)
{
    switch (format) {
    case Format::F32: return 4;
    case Format::Q8_0: return 1;
    case Format::Q4_0: return 0.5;
    default: return 2;
    }
}

/// Tokens that the estimate counts a windowed layer by; 0: all of them. Two architectures have a rule, gpt-oss with a window of its own.
std::int64_t estimatedWindow(const GgufLayers &layers, const GgufLayer &layer)
{
    constexpr std::int64_t gptOssWindow = 4096;
    if (!layer.windowed)
        return 0;
    const std::string_view architecture = layers.architecture->name;
    return architecture == "gemma3" ? layers.window.value : architecture == "gpt-oss" ? gptOssWindow : 0;
}

struct Shape {
    std::int64_t embedding = 0, vocab = 0, heads = 1, leastKvHeads = 1, keyDim = 0;
    std::int64_t tokens = 0, batch = 0; ///< N, B
};

/// The compute graph where all layers are on the card; 0: no formula for the architecture.
Bytes graphOf(std::string_view architecture, const Shape &s)
{
    const std::int64_t b = 4 * s.batch, e = s.embedding, n = s.tokens, h = s.heads, v = s.vocab;
    const auto larger = [&](std::int64_t x, std::int64_t y) { return Bytes{b} * std::max(x, y); };
    if (architecture == "llama" || architecture == "llama4")
        return larger(1 + 4 * e + n * (1 + h), e + v);
    if (architecture == "gemma" || architecture == "gemma2" || architecture == "gemma3")
        return larger(e + v, 2 + n + n * h + 2 * e + 2 * s.keyDim * h);
    if (architecture == "gemma3n")
        return larger(e + v, 2 + n + n * h + 2 * e + 2 * s.keyDim * h) * 4;
    if (architecture == "qwen2")
        return larger(e + v, 1 + 2 * e + n + n * h);
    if (architecture == "phi2")
        return larger(e + v, 1 + 4 * e + n + n * h);
    if (architecture == "command-r")
        return larger(e + v, 2 + 4 * e + n * (1 + h));
    if (architecture == "stablelm")
        return Bytes{b} * (n * (1 + h) + 3 * e + 2);
    if (architecture == "deepseek2")
        return larger(3 * e + v, 3 * e + 2 + n * (1 + s.leastKvHeads) + 2 * s.keyDim * s.leastKvHeads);
    return {};
}

} // namespace

Estimate estimateOf(const Launch &launch, const Cluster &cluster, const Rules &rules)
{
    Estimate estimate;
    std::vector<Warning> ignored;
    const Scenario &scenario = launch.run;
    const Result<llamacpp::Run> run = llamacpp::runOf(scenario, cluster, ignored);
    if (!run || rules.runsServer())
        return estimate;
    const Result<GgufModel> tensors = llamacpp::loadedTensors(*run, scenario);
    if (!tensors)
        return estimate;
    const GgufLayers &layers = run->layers;
    Shape shape;
    shape.tokens = scenario.local.pool ? scenario.local.pool->value : saturatingMultiply(scenario.context.value, launch.parallel);
    shape.batch = std::min(shape.tokens, launch.batch);
    shape.embedding = layers.embedding;
    shape.vocab = layers.vocab;
    const double element = estimatedBytes(run->key);

    std::vector<Bytes> unit(static_cast<std::size_t>(layers.blocks) + 1);
    bool first = true;
    for (std::size_t i = 0; i < layers.layers.size(); ++i) {
        const GgufLayer &layer = layers.layers[i];
        if (layer.heads > 0) {
            shape.heads = std::max<std::int64_t>(shape.heads, layer.heads);
            shape.leastKvHeads = first ? layer.kvHeads : std::min<std::int64_t>(shape.leastKvHeads, layer.kvHeads);
            shape.keyDim = std::max(shape.keyDim, layer.keyDim);
            first = false;
        }
        std::int64_t held = shape.tokens;
        if (const std::int64_t window = estimatedWindow(layers, layer); window > 0)
            held = std::min(held, launch.parallel * window + shape.batch);
        Bytes cache;
        if (layer.holdsKv)
            cache +=
                Bytes{static_cast<std::int64_t>(static_cast<double>(saturatingMultiply(layer.keyRow + layer.valueRow, held)) * element)};
        if (layer.recurrent)
            cache += Bytes{4} * (layer.convState + layer.matrixState);
        estimate.kv += cache;
        if (i < unit.size())
            unit[i] += cache;
    }
    for (const GgufTensor &tensor : tensors->tensors) {
        const int block = blockOf(tensor.name);
        const bool output = tensor.name.starts_with("output");
        if (block >= 0 && block < layers.blocks)
            unit[static_cast<std::size_t>(block)] += tensor.bytes();
        else if (output || (tensor.name == "token_embd.weight" && !tensors->tensor("output.weight")))
            unit.back() += tensor.bytes();
    }
    estimate.graph = graphOf(layers.architecture->name, shape);
    if (estimate.graph.value == 0)
        estimate.graph = Bytes{estimate.kv.value / 6} * ceilDivide(shape.heads, std::max<std::int64_t>(shape.leastKvHeads, 1));

    // From the last block to the first over the cards that are worth it, then the output.
    const Bytes least = run->backend == Backend::Metal ? minimumFreeOnMetal : minimumFree;
    std::vector<Bytes> room;
    for (const Device &device : cluster.devices) {
        const Bytes usable = device.usable - scenario.inUse - least - estimate.graph;
        if (usable >= unit.front() + unit.front())
            room.push_back(usable - unit.front());
    }
    estimate.units = layers.blocks + 1;
    std::size_t next = 0;
    const auto place = [&](Bytes bytes) {
        for (std::size_t tries = 0; tries < room.size(); ++tries, ++next) {
            Bytes &there = room[next % room.size()];
            if (there >= bytes) {
                there -= bytes;
                ++next;
                return true;
            }
        }
        return false;
    };
    for (int block = layers.blocks - 1; block >= 0; --block) {
        if (!place(unit[static_cast<std::size_t>(block)]))
            return estimate;
        ++estimate.layersOnGpu;
    }
    estimate.layersOnGpu += place(unit.back());
    return estimate;
}

} // namespace kvscope::ollama
