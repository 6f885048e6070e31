// SPDX-License-Identifier: GPL-3.0-or-later
// The settings that only some engines have.
#include <algorithm>
#include <tuple>

#include "app/cli/reader.h"
#include "core/engine.h"

namespace kvscope::cli {

namespace {

constexpr std::int64_t mostTokens = 1'000'000'000;

void readTransformers(const ScenarioOptions &o, TransformersOptions &options, Reader &reader)
{
    reader.word<AttentionKernel>(
        "--attention", o.attention,
        {{"eager", AttentionKernel::Eager}, {"sdpa", AttentionKernel::Sdpa}, {"flash_attention_2", AttentionKernel::Flash2}},
        options.attention);
    reader.word<CacheClass>("--cache", o.cache,
                            {{"dynamic", CacheClass::Dynamic},
                             {"static", CacheClass::Static},
                             {"quantized", CacheClass::Quantized},
                             {"offloaded", CacheClass::Offloaded}},
                            options.cache);
    reader.whole("--cache-bits", o.cacheBits, 1, 8, options.cacheBits);
    reader.read("--new-tokens", o.newTokens, parseTokens, options.newTokens);
}

/// `3,1`
void readTensorSplit(const ScenarioOptions::Text &text, std::vector<double> &split, Reader &reader)
{
    if (!text)
        return;
    split.clear();
    std::string_view rest = *text;
    while (true) {
        const std::string_view part = rest.substr(0, rest.find(','));
        if (part.empty())
            return reader.fail({ErrorCode::BadOption, "--tensor-split " + *text, "A,B", {}});
        double share = 0;
        reader.decimal("--tensor-split", ScenarioOptions::Text(part), 0, 1e9, share);
        split.push_back(share);
        if (part.size() == rest.size())
            return;
        rest.remove_prefix(part.size() + 1);
    }
}

void readLocal(const ScenarioOptions &o, LocalOptions &local, Reader &reader)
{
    if (o.ctxSize) {
        std::int64_t pool = 1;
        reader.tokens("--ctx-size", o.ctxSize, 1, largestContext.value, pool);
        local.pool = TokenCount{pool};
    }
    local.automaticSlots = o.parallel ? *o.parallel == "auto" : local.automaticSlots;
    if (!local.automaticSlots)
        reader.whole("--parallel", o.parallel, 1, mostSlots, local.slotCount);
    reader.word<std::optional<bool>>("--kv-unified", o.kvUnified, {{"on", true}, {"off", false}}, local.unified);
    reader.tokens("--batch-size", o.batchSize, 1, mostTokens, local.batch);
    reader.tokens("--ubatch", o.ubatch, 1, mostTokens, local.ubatch);
    if (o.gpuLayers && *o.gpuLayers == "all")
        local.gpuLayers.reset();
    else
        reader.whole("--gpu-layers", o.gpuLayers, 0, largestLayerCount, local.gpuLayers);
    reader.word<FlashAttention>("--flash-attention", o.flashAttention,
                                {{"on", FlashAttention::On}, {"off", FlashAttention::Off}, {"auto", FlashAttention::Automatic}},
                                local.flash);
    reader.word<Backend>("--backend", o.backend,
                         {{"auto", Backend::Automatic},
                          {"cuda", Backend::Cuda},
                          {"rocm", Backend::Rocm},
                          {"vulkan", Backend::Vulkan},
                          {"metal", Backend::Metal},
                          {"rpc", Backend::Rpc},
                          {"cpu", Backend::Cpu}},
                         local.backend);
    local.fullWindows = local.fullWindows || o.swaFull;
    local.kvOnHost = local.kvOnHost || o.noKvOffload;
    reader.whole("--n-cpu-moe", o.nCpuMoe, 0, largestLayerCount, local.hostExperts);
    if (o.cpuMoe)
        local.hostExperts = largestLayerCount;
    readTensorSplit(o.tensorSplit, local.tensorSplit, reader);
}

bool isCompared(const Scenario &scenario, EngineId engine)
{
    return scenario.engine.id == engine || std::ranges::count(scenario.otherEngines, engine, &EngineChoice::id) > 0;
}

void readServing(const ScenarioOptions &o, const Scenario &scenario, ServingOptions &serving, Reader &reader)
{
    for (const auto &[option, text, engine] : {std::tuple{"--gpu-memory-utilization", &o.gpuMemoryUtilization, EngineId::Vllm},
                                               {"--mem-fraction-static", &o.memFractionStatic, EngineId::Sglang},
                                               {"--free-gpu-memory-fraction", &o.freeGpuMemoryFraction, EngineId::TensorRtLlm}}) {
        if (!*text)
            continue;
        if (!isCompared(scenario, engine)) // each engine means another share by it
            return reader.fail({ErrorCode::BadOption, option, "--engine " + std::string(engineOf(engine).name()), {}});
        double fraction = 0;
        reader.decimal(option, *text, 0, 1, fraction);
        serving.memoryFraction = fraction;
    }
    if (o.dpAttention && !isCompared(scenario, EngineId::Sglang)) // elsewhere these would be other machines
        return reader.fail({ErrorCode::BadOption, "--dp-attention", "--engine sglang", {}});
    reader.tokens("--block-size", o.blockSize, 1, mostTokens, serving.blockSize);
    reader.tokens("--max-num-batched-tokens", o.maxNumBatchedTokens, 1, mostTokens, serving.batchedTokens);
    reader.whole("--max-num-seqs", o.maxNumSeqs, 1, largestBatch, serving.maxSequences);
    serving.eager = serving.eager || o.enforceEager;
    reader.word<std::optional<bool>>("--prefix-caching", o.prefixCaching, {{"on", true}, {"off", false}}, serving.prefixCaching);
    reader.whole("--draft-tokens", o.draftTokens, 0, 1024, serving.draftTokens);
    reader.read("--given-kv-bytes", o.givenKvBytes, parseBytes, serving.givenKv);
}

} // namespace

void readEngineOptions(const ScenarioOptions &options, Scenario &scenario, Reader &reader)
{
    readTransformers(options, scenario.transformers, reader);
    readLocal(options, scenario.local, reader);
    readServing(options, scenario, scenario.serving, reader);
}

} // namespace kvscope::cli
