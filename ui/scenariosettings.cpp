// SPDX-License-Identifier: GPL-3.0-or-later
// The engines' own names: spec/local-engines.md 7, spec/serving-engines.md 7, spec/transformers.md 2 and 4.
#include "ui/scenariosettings.h"

#include "ui/settingrow.h"

#include <QCoreApplication>

#include <algorithm>
#include <iterator>

namespace kvscope {

namespace {

using namespace settingrow;
constexpr EngineId formula = EngineId::Formula, transformers = EngineId::Transformers, llama = EngineId::LlamaCpp,
                   ollama = EngineId::Ollama, vllm = EngineId::Vllm, sglang = EngineId::Sglang, trtllm = EngineId::TensorRtLlm;
constexpr int largestCount = 1'000'000'000;

std::int64_t layersOf(const Scenario &scenario) { return scenario.model ? scenario.model->layerCount() : 1; }
bool hasExperts(const Scenario &scenario) { return scenario.model && scenario.model->experts > 0; }
bool hasEncoder(const Scenario &scenario)
{
    return scenario.model && std::ranges::any_of(scenario.model->groups, [](const LayerGroup &g) { return g.crossKvHeads > 0; });
}
bool hasWindows(const Scenario &scenario)
{
    return scenario.model && std::ranges::any_of(scenario.model->groups, [](const LayerGroup &g) {
               return g.mixer == Mixer::Sliding || g.mixer == Mixer::Chunked;
           });
}
bool hasSeveralDevices(const Scenario &scenario)
{
    const auto at = static_cast<std::size_t>(scenario.selected);
    return at < scenario.clusters.size() && scenario.clusters[at].devices.size() > 1;
}

Number hostExperts(const Scenario &scenario)
{
    const Number set = getField<&Scenario::local, &LocalOptions::hostExperts>(scenario);
    return set ? Number(std::min(*set, layersOf(scenario))) : set;
}
void setHostExperts(Scenario &scenario, Number layers)
{
    if (layers && *layers >= layersOf(scenario))
        layers = largestLayerCount; // all, whatever model comes next
    setField<&Scenario::local, &LocalOptions::hostExperts>(scenario, layers == Number(0) ? std::nullopt : layers);
}
void setGpuLayers(Scenario &scenario, Number layers)
{
    setField<&Scenario::local, &LocalOptions::gpuLayers>(scenario, layers && *layers > layersOf(scenario) ? std::nullopt : layers);
}

/// The rows, in a class for the sake of their translation context.
struct Rows {
    Q_DECLARE_TR_FUNCTIONS(kvscope::AdvancedInputs)

public:
    static std::vector<ScenarioSetting> ofTransformers();
    static std::vector<ScenarioSetting> ofFormula();
    static std::vector<ScenarioSetting> ofLocalEngines();
    static std::vector<ScenarioSetting> ofServingEngines();
    static std::vector<ScenarioSetting> ofAllEngines();

private:
    static Options byDefaultOnOff() { return {{QT_TR_NOOP("default"), {}}, {QT_TR_NOOP("on"), 1}, {QT_TR_NOOP("off"), 0}}; }
};

std::vector<ScenarioSetting> Rows::ofTransformers()
{
    return {
        Row(Kind::Choice, "attentionBox", QT_TR_NOOP("Attention kernel"),
            QT_TR_NOOP("How attention is computed: decides what it needs beside the cache"))
            .at<&Scenario::transformers, &TransformersOptions::attention>()
            .of({{transformers, "attn_implementation"}})
            .choosing({{"sdpa", {}}, {"eager", 1}, {"flash_attention_2", 2}}),
        Row(Kind::Choice, "cacheBox", QT_TR_NOOP("Cache class"), QT_TR_NOOP("Which cache object generate() makes"))
            .at<&Scenario::transformers, &TransformersOptions::cache>()
            .of({{transformers, "cache_implementation"}})
            .choosing({{"dynamic", {}}, {"static", 1}, {"quantized", 2}, {"offloaded", 3}}),
        Row(Kind::Count, "cacheBitsBox", QT_TR_NOOP("Cache bits"), QT_TR_NOOP("Bits of each element of the quantized cache"))
            .at<&Scenario::transformers, &TransformersOptions::cacheBits>()
            .of({{transformers, "nbits"}})
            .within(1, 8)
            .saying("4")
            .when([](const Scenario &s) { return s.transformers.cache == CacheClass::Quantized; }),
        Row(Kind::Tokens, "newTokensField", QT_TR_NOOP("New tokens"),
            QT_TR_NOOP("Tokens generated, part of the context; 0 is one plain forward pass. Not set: the worse of both ends"))
            .at<&Scenario::transformers, &TransformersOptions::newTokens>()
            .of({{transformers, "max_new_tokens"}})
            .within(0, largestContext.value)
            .saying(QT_TR_NOOP("not set")),
    };
}

std::vector<ScenarioSetting> Rows::ofFormula()
{
    const Names here{{formula, {}}};
    return {
        Row(Kind::Choice, "scalesBox", QT_TR_NOOP("Scales of INT8 / INT4"),
            QT_TR_NOOP("What a KV cache in INT8 or INT4 carries beside its bits"))
            .at<&Scenario::kv, &KvPrecision::scales>()
            .of(here)
            .choosing({{QT_TR_NOOP("none"), {}},
                       {QT_TR_NOOP("per tensor"), 1},
                       {QT_TR_NOOP("per token"), 2},
                       {QT_TR_NOOP("per channel"), 3},
                       {QT_TR_NOOP("per group"), 4}}),
        Row(Kind::Count, "groupSizeBox", QT_TR_NOOP("Group size"), QT_TR_NOOP("Elements that share a scale"))
            .at<&Scenario::kv, &KvPrecision::groupSize>()
            .of(here)
            .within(1, 65'536)
            .saying("64")
            .when([](const Scenario &s) { return s.kv.scales == KvScales::PerGroup; }),
        Row(Kind::Switch, "zeroPointsBox", QT_TR_NOOP("Zero points too"), QT_TR_NOOP("A zero point beside each scale"))
            .at<&Scenario::kv, &KvPrecision::zeroPoints>()
            .of(here)
            .when([](const Scenario &s) { return s.kv.scales != KvScales::None; }),
        Row(Kind::Tokens, "sinksField", QT_TR_NOOP("Attention sinks"), QT_TR_NOOP("First tokens that a streaming window keeps"))
            .at<&Scenario::sinks>()
            .of(here)
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Tokens, "windowField", QT_TR_NOOP("Streaming window"), QT_TR_NOOP("Only this many of the last tokens stay in the cache"))
            .at<&Scenario::streamWindow>()
            .of(here)
            .saying(QT_TR_NOOP("none")),
    };
}

std::vector<ScenarioSetting> Rows::ofLocalEngines()
{
    return {
        Row(Kind::Layers, "gpuLayersField", QT_TR_NOOP("GPU layers"),
            QT_TR_NOOP("Layers on the GPU, the output layer counted last; the others and their cache stay in host memory"))
            .at(getField<&Scenario::local, &LocalOptions::gpuLayers>, setGpuLayers)
            .of({{llama, "-ngl"}, {ollama, "num_gpu"}})
            .within(0, largestLayerCount + 1)
            .saying(QT_TR_NOOP("all"))
            .sliding([](const Scenario &s) { return layersOf(s) + 1; }, true),
        Row(Kind::Layers, "hostExpertsField", QT_TR_NOOP("Experts on the host"),
            QT_TR_NOOP("Layers whose routed experts stay in host memory, counted from the first"))
            .at(hostExperts, setHostExperts)
            .of({{llama, "-ncmoe, -cmoe"}})
            .within(0, largestLayerCount)
            .saying(QT_TR_NOOP("none"))
            .sliding(layersOf, false)
            .when(hasExperts),
        Row(Kind::Shares, "tensorSplitField", QT_TR_NOOP("Tensor split"),
            QT_TR_NOOP("How the layers are divided over the GPUs, a number for each, like 3,1. Not set: by free memory"))
            .of({{llama, "-ts"}})
            .saying(QT_TR_NOOP("by free memory"))
            .when(hasSeveralDevices),
        Row(Kind::Switch, "kvOnHostBox", QT_TR_NOOP("KV cache on the host"), QT_TR_NOOP("The whole cache stays in host memory"))
            .at<&Scenario::local, &LocalOptions::kvOnHost>()
            .of({{llama, "-nkvo"}}),
        Row(Kind::Tokens, "poolField", QT_TR_NOOP("Context of all slots"),
            QT_TR_NOOP("Cells of the cache that all slots share out. Not set: context times slots"))
            .at<&Scenario::local, &LocalOptions::pool>()
            .of({{llama, "-c"}})
            .within(1, largestContext.value),
        Row(Kind::Switch, "automaticSlotsBox", QT_TR_NOOP("Automatic slots"), QT_TR_NOOP("Four slots over one unified cache"))
            .at<&Scenario::local, &LocalOptions::automaticSlots>()
            .of({{llama, "-np -1"}}),
        Row(Kind::Count, "slotsField", QT_TR_NOOP("Slots"), QT_TR_NOOP("Sequences that memory is set aside for. Not set: the concurrency"))
            .at<&Scenario::local, &LocalOptions::slotCount>()
            .of({{llama, "-np"}, {ollama, "OLLAMA_NUM_PARALLEL"}})
            .within(1, 256)
            .when([](const Scenario &s) { return s.engine.id != llama || !s.local.automaticSlots; }),
        Row(Kind::Choice, "unifiedBox", QT_TR_NOOP("Unified KV cache"), QT_TR_NOOP("One cache for all slots instead of one each"))
            .at<&Scenario::local, &LocalOptions::unified>()
            .of({{llama, "-kvu"}})
            .choosing(byDefaultOnOff()),
        Row(Kind::Count, "batchField", QT_TR_NOOP("Batch"), QT_TR_NOOP("Most tokens of a prompt that are submitted at once"))
            .at<&Scenario::local, &LocalOptions::batch>()
            .of({{llama, "-b"}, {ollama, "num_batch"}})
            .within(1, largestCount),
        Row(Kind::Count, "ubatchField", QT_TR_NOOP("Micro-batch"),
            QT_TR_NOOP("Tokens that are computed at once: sets the size of the compute buffers"))
            .at<&Scenario::local, &LocalOptions::ubatch>()
            .of({{llama, "-ub"}})
            .within(1, largestCount),
        Row(Kind::Choice, "flashBox", QT_TR_NOOP("Flash attention"), QT_TR_NOOP("Off: larger compute buffers, and no quantised V"))
            .at<&Scenario::local, &LocalOptions::flash>()
            .of({{llama, "-fa"}, {ollama, "OLLAMA_FLASH_ATTENTION"}})
            .choosing({{QT_TR_NOOP("auto"), {}}, {QT_TR_NOOP("on"), 1}, {QT_TR_NOOP("off"), 2}}),
        Row(Kind::Switch, "fullWindowsBox", QT_TR_NOOP("Full-size windowed cache"),
            QT_TR_NOOP("Layers with a sliding window cache every token"))
            .at<&Scenario::local, &LocalOptions::fullWindows>()
            .of({{llama, "--swa-full"}})
            .when(hasWindows),
        Row(Kind::Choice, "backendBox", QT_TR_NOOP("Backend"),
            QT_TR_NOOP("What computes: decides how buffers are padded and what lies outside them"))
            .at<&Scenario::local, &LocalOptions::backend>()
            .of({{llama, {}}, {ollama, "OLLAMA_LLM_LIBRARY"}})
            .choosing({{QT_TR_NOOP("by the GPU"), {}}, {"CUDA", 1}, {"ROCm", 2}, {"Vulkan", 3}, {"Metal", 4}, {"RPC", 5}, {"CPU", 6}}),
    };
}

std::vector<ScenarioSetting> Rows::ofServingEngines()
{
    const Names all{{vllm, {}}, {sglang, {}}, {trtllm, {}}};
    return {
        Row(Kind::Fraction, "memoryFractionField", QT_TR_NOOP("Memory fraction"),
            QT_TR_NOOP("Share of the GPU's memory that the engine plans with"))
            .at<&Scenario::serving, &ServingOptions::memoryFraction>()
            .of({{vllm, "--gpu-memory-utilization"}, {sglang, "--mem-fraction-static"}, {trtllm, "free_gpu_memory_fraction"}})
            .within(1, static_cast<std::int64_t>(millionths)),
        Row(Kind::Count, "maxSequencesField", QT_TR_NOOP("Most sequences at once"), QT_TR_NOOP("What comes beyond waits in the queue"))
            .at<&Scenario::serving, &ServingOptions::maxSequences>()
            .of({{vllm, "--max-num-seqs"}, {sglang, "--max-running-requests"}, {trtllm, "--max_batch_size"}})
            .within(1, largestBatch),
        Row(Kind::Count, "batchedTokensField", QT_TR_NOOP("Batched tokens"),
            QT_TR_NOOP("Most tokens of one step: sets the activation peak"))
            .at<&Scenario::serving, &ServingOptions::batchedTokens>()
            .of({{vllm, "--max-num-batched-tokens"}, {sglang, "--chunked-prefill-size"}, {trtllm, "--max_num_tokens"}})
            .within(1, largestCount),
        Row(Kind::Count, "blockSizeField", QT_TR_NOOP("Block size"), QT_TR_NOOP("Tokens that the cache is handed out in"))
            .at<&Scenario::serving, &ServingOptions::blockSize>()
            .of({{vllm, "--block-size"}, {sglang, "--page-size"}, {trtllm, "tokens_per_block"}})
            .within(1, largestCount),
        Row(Kind::Choice, "prefixCachingBox", QT_TR_NOOP("Prefix caching"),
            QT_TR_NOOP("Blocks of finished prompts are kept for others that begin alike"))
            .at<&Scenario::serving, &ServingOptions::prefixCaching>()
            .of({{vllm, "--enable-prefix-caching"}, {sglang, "--disable-radix-cache"}, {trtllm, "enable_block_reuse"}})
            .choosing(byDefaultOnOff()),
        Row(Kind::Count, "draftTokensField", QT_TR_NOOP("Draft tokens"), QT_TR_NOOP("Tokens that speculative decoding looks ahead"))
            .at<&Scenario::serving, &ServingOptions::draftTokens>()
            .of({{vllm, "num_speculative_tokens"}, {sglang, "--speculative-num-draft-tokens"}, {trtllm, "max_draft_len"}})
            .within(0, 1024)
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Switch, "eagerBox", QT_TR_NOOP("No CUDA graphs"),
            QT_TR_NOOP("Every step is launched kernel by kernel: slower, and no memory for graphs"))
            .at<&Scenario::serving, &ServingOptions::eager>()
            .of({{vllm, "--enforce-eager"}, {sglang, "--disable-cuda-graph"}, {trtllm, "cuda_graph_config"}}),
        Row(Kind::Bytes, "givenKvField", QT_TR_NOOP("Measured KV budget"),
            QT_TR_NOOP("KV cache of one rank as the engine's log says; takes the place of the estimate"))
            .at<&Scenario::serving, &ServingOptions::givenKv>()
            .of(all)
            .saying(QT_TR_NOOP("estimated")),
        Row(Kind::Bytes, "givenActivationField", QT_TR_NOOP("Measured activations"),
            QT_TR_NOOP("Activation peak of one rank as measured; takes the place of the estimate"))
            .at<&Scenario::serving, &ServingOptions::givenActivation>()
            .of(all)
            .saying(QT_TR_NOOP("estimated")),
        Row(Kind::Bytes, "givenGraphField", QT_TR_NOOP("Measured CUDA graphs"),
            QT_TR_NOOP("CUDA graphs of one rank as measured; takes the place of the estimate"))
            .at<&Scenario::serving, &ServingOptions::givenGraph>()
            .of(all)
            .saying(QT_TR_NOOP("estimated")),
        Row(Kind::Bytes, "givenRuntimeField", QT_TR_NOOP("Measured runtime"),
            QT_TR_NOOP("Driver context and libraries of one rank as measured; takes the place of the estimate"))
            .at<&Scenario::serving, &ServingOptions::givenRuntime>()
            .of(all)
            .saying(QT_TR_NOOP("estimated")),
    };
}

std::vector<ScenarioSetting> Rows::ofAllEngines()
{
    return {
        Row(Kind::Bytes, "offloadField", QT_TR_NOOP("KV in host memory"), QT_TR_NOOP("KV cache that may live in host memory"))
            .at<&Scenario::offloadKv>()
            .of({{formula, {}}})
            .evenWhereLacking()
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Tokens, "prefixField", QT_TR_NOOP("Shared prefix"), QT_TR_NOOP("First tokens that all sequences share"))
            .at<&Scenario::sharedPrefix>()
            .of({{formula, {}}, {vllm, {}}, {sglang, {}}, {trtllm, {}}})
            .evenWhereLacking()
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Count, "keepFirstBox", QT_TR_NOOP("First layers kept wide"),
            QT_TR_NOOP("First layers whose cache stays at the model's precision"))
            .at<&Scenario::kv, &KvPrecision::keepFirst>()
            .of({{formula, {}}, {vllm, "--kv-cache-dtype-skip-layers"}})
            .evenWhereLacking()
            .within(0, largestLayerCount)
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Count, "keepLastBox", QT_TR_NOOP("Last layers kept wide"),
            QT_TR_NOOP("Last layers whose cache stays at the model's precision"))
            .at<&Scenario::kv, &KvPrecision::keepLast>()
            .of({{formula, {}}, {vllm, "--kv-cache-dtype-skip-layers"}})
            .evenWhereLacking()
            .within(0, largestLayerCount)
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Percent, "reserveBox", QT_TR_NOOP("Kept free"),
            QT_TR_NOOP("Share of the card's memory kept free on top of what the engine keeps"))
            .at<&Scenario::reservePercent>()
            .within(0, 100 * static_cast<std::int64_t>(millionths))
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Bytes, "inUseField", QT_TR_NOOP("In use by others"), QT_TR_NOOP("Memory of each card that other programs hold"))
            .at<&Scenario::inUse>()
            .saying(QT_TR_NOOP("none")),
        Row(Kind::Bytes, "hostMemoryField", QT_TR_NOOP("Host memory"),
            QT_TR_NOOP("Memory of the machine beside its GPUs. Not set: not judged"))
            .at<&Scenario::hostMemory>()
            .saying(QT_TR_NOOP("not set")),
        Row(Kind::Bytes, "measuredWeightsField", QT_TR_NOOP("Measured weights"),
            QT_TR_NOOP("Weights of one replica as measured; takes the place of the estimate"))
            .at<&Scenario::weights, &WeightChoice::measured>()
            .saying(QT_TR_NOOP("not set")),
        Row(Kind::Tokens, "encoderField", QT_TR_NOOP("Encoder length"), QT_TR_NOOP("Tokens that the encoder gives to cross attention"))
            .at<&Scenario::encoderLength>()
            .saying(QT_TR_NOOP("not set"))
            .when(hasEncoder),
    };
}

} // namespace

bool ScenarioSetting::appliesTo(const Scenario &scenario) const
{
    const bool has = engines.empty() || std::ranges::find(engines, scenario.engine.id, &Name::engine) != engines.end();
    return (has || (evenIfLacking && get(scenario))) && (!meaningful || meaningful(scenario));
}

std::string_view ScenarioSetting::engineName(EngineId engine) const
{
    const auto at = std::ranges::find(engines, engine, &Name::engine);
    return at == engines.end() ? std::string_view() : at->words;
}

std::span<const ScenarioSetting> scenarioSettings()
{
    static const std::vector<ScenarioSetting> all = [] {
        std::vector<ScenarioSetting> list;
        for (auto *part : {Rows::ofTransformers, Rows::ofLocalEngines, Rows::ofServingEngines, Rows::ofFormula, Rows::ofAllEngines}) {
            std::vector<ScenarioSetting> rows = part();
            std::ranges::move(rows, std::back_inserter(list));
        }
        return list;
    }();
    return all;
}

} // namespace kvscope
