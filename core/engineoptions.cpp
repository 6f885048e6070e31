// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engineoptions.h"

namespace kvscope {

namespace {

constexpr std::array<std::string_view, 3> attentionNames{"sdpa", "eager", "flash_attention_2"};
constexpr std::array<std::string_view, 4> cacheNames{"dynamic", "static", "quantized", "offloaded"};
constexpr std::array<std::string_view, 7> backendNames{"auto", "cuda", "rocm", "vulkan", "metal", "rpc", "cpu"};
constexpr std::array<std::string_view, 3> flashNames{"auto", "on", "off"};

constexpr Range tokensOfStep{1, 1'000'000'000};
constexpr Range slotRange{1, mostSlots};
constexpr Range sequenceRange{1, largestBatch};
constexpr Range layerRange{0, largestLayerCount};
constexpr std::size_t mostShares = 4096;
constexpr double largestShare = 1e9;

OrderedJson transformersToJson(const TransformersOptions &options, Extent extent)
{
    const TransformersOptions standard;
    ObjectWriter writer(extent);
    writer.addName("attention", options.attention, standard.attention, attentionNames);
    writer.addName("cache", options.cache, standard.cache, cacheNames);
    writer.add("cache_bits", options.cacheBits, standard.cacheBits);
    writer.add("new_tokens", options.newTokens);
    return writer.object;
}

void readTransformers(const Json &json, TransformersOptions &options, std::optional<Error> &error)
{
    ObjectReader reader(json, "transformers", error);
    reader.readName("attention", options.attention, attentionNames);
    reader.readName("cache", options.cache, cacheNames);
    reader.read("cache_bits", options.cacheBits, Range{1, 8});
    reader.read("new_tokens", options.newTokens, countedTokens);
}

OrderedJson localToJson(const LocalOptions &options, Extent extent)
{
    const LocalOptions standard;
    ObjectWriter writer(extent);
    writer.add("ctx_size", options.pool);
    writer.add("parallel", options.slotCount);
    writer.add("automatic_slots", options.automaticSlots, standard.automaticSlots);
    writer.add("kv_unified", options.unified);
    writer.add("batch_size", options.batch);
    writer.add("ubatch", options.ubatch);
    writer.add("gpu_layers", options.gpuLayers);
    writer.addName("flash_attention", options.flash, standard.flash, flashNames);
    writer.add("swa_full", options.fullWindows, standard.fullWindows);
    writer.add("no_kv_offload", options.kvOnHost, standard.kvOnHost);
    writer.add("n_cpu_moe", options.hostExperts);
    writer.add("tensor_split", options.tensorSplit, standard.tensorSplit);
    writer.addName("backend", options.backend, standard.backend, backendNames);
    return writer.object;
}

void readLocal(const Json &json, LocalOptions &options, std::optional<Error> &error)
{
    ObjectReader reader(json, "llama_cpp", error);
    reader.read("ctx_size", options.pool, Range{1, largestContext.value});
    reader.read("parallel", options.slotCount, slotRange);
    reader.read("automatic_slots", options.automaticSlots);
    reader.read("kv_unified", options.unified);
    reader.read("batch_size", options.batch, tokensOfStep);
    reader.read("ubatch", options.ubatch, tokensOfStep);
    reader.read("gpu_layers", options.gpuLayers, layerRange);
    reader.readName("flash_attention", options.flash, flashNames);
    reader.read("swa_full", options.fullWindows);
    reader.read("no_kv_offload", options.kvOnHost);
    reader.read("n_cpu_moe", options.hostExperts, layerRange);
    const Json *shares = reader.list("tensor_split", mostShares);
    for (std::size_t i = 0; shares && i < shares->size() && !reader.failed(); ++i) {
        const Json &share = (*shares)[i];
        if (!share.is_number())
            reader.fail(ErrorCode::WrongType, "tensor_split", "numbers");
        else if (!(share.get<double>() >= 0 && share.get<double>() <= largestShare))
            reader.fail(ErrorCode::OutOfRange, "tensor_split", "0..1000000000");
        else
            options.tensorSplit.push_back(share.get<double>());
    }
    reader.readName("backend", options.backend, backendNames);
}

OrderedJson servingToJson(const ServingOptions &options, Extent extent)
{
    const ServingOptions standard;
    ObjectWriter writer(extent);
    writer.add("memory_fraction", options.memoryFraction);
    writer.add("block_size", options.blockSize);
    writer.add("max_batched_tokens", options.batchedTokens);
    writer.add("max_sequences", options.maxSequences);
    writer.add("enforce_eager", options.eager, standard.eager);
    writer.add("prefix_caching", options.prefixCaching);
    writer.add("draft_tokens", options.draftTokens, standard.draftTokens);
    writer.add("given_kv_bytes", options.givenKv);
    writer.add("given_activation_bytes", options.givenActivation);
    writer.add("given_graph_bytes", options.givenGraph);
    writer.add("given_runtime_bytes", options.givenRuntime);
    return writer.object;
}

void readServing(const Json &json, ServingOptions &options, std::optional<Error> &error)
{
    ObjectReader reader(json, "serving", error);
    reader.read("memory_fraction", options.memoryFraction, 0.0, 1.0);
    reader.read("block_size", options.blockSize, tokensOfStep);
    reader.read("max_batched_tokens", options.batchedTokens, tokensOfStep);
    reader.read("max_sequences", options.maxSequences, sequenceRange);
    reader.read("enforce_eager", options.eager);
    reader.read("prefix_caching", options.prefixCaching);
    reader.read("draft_tokens", options.draftTokens, Range{0, 1024});
    reader.read("given_kv_bytes", options.givenKv);
    reader.read("given_activation_bytes", options.givenActivation);
    reader.read("given_graph_bytes", options.givenGraph);
    reader.read("given_runtime_bytes", options.givenRuntime);
}

} // namespace

void writeEngineOptions(ObjectWriter &writer, const Scenario &scenario, Extent extent)
{
    writer.addNested("transformers", transformersToJson(scenario.transformers, extent));
    writer.addNested("llama_cpp", localToJson(scenario.local, extent));
    writer.addNested("serving", servingToJson(scenario.serving, extent));
}

void readEngineOptions(ObjectReader &reader, Scenario &scenario)
{
    std::optional<Error> &error = reader.sink();
    if (const Json *object = reader.object("transformers"))
        readTransformers(*object, scenario.transformers, error);
    if (const Json *object = reader.object("llama_cpp"))
        readLocal(*object, scenario.local, error);
    if (const Json *object = reader.object("serving"))
        readServing(*object, scenario.serving, error);
}

} // namespace kvscope
