// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device.h"
#include "core/format.h"
#include "core/model.h"
#include "core/units.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kvscope {

/// What INT8 / INT4 KV carries beside its bits (scales of 2 bytes, and zero points of 2 bytes each where asked for).
enum class KvScales : std::uint8_t { None, PerTensor, PerToken, PerChannel, PerGroup };

/// Precision of the cache.
struct KvPrecision {
    std::optional<Format> key; ///< empty: the engine's default
    std::optional<Format> value;
    KvScales scales = KvScales::None;
    int groupSize = 64; ///< PerGroup: elements that share a scale
    bool zeroPoints = false;
    int keepFirst = 0; ///< layers kept at the model's precision
    int keepLast = 0;

    bool operator==(const KvPrecision &) const = default;
};

enum class EngineId : std::uint8_t { Formula, Transformers, LlamaCpp, Ollama, Vllm, Sglang, TensorRtLlm };
inline constexpr int engineCount = static_cast<int>(EngineId::TensorRtLlm) + 1;

struct EngineChoice {
    EngineId id = EngineId::Formula;
    std::string version; ///< release, build or date as asked for; empty = newest

    bool operator==(const EngineChoice &) const = default;
};

/// Transformers' own settings (spec/transformers.md 2 and 4).
enum class AttentionKernel : std::uint8_t { Sdpa, Eager, Flash2 };
enum class CacheClass : std::uint8_t { Dynamic, Static, Quantized, Offloaded };
struct TransformersOptions {
    AttentionKernel attention = AttentionKernel::Sdpa;
    CacheClass cache = CacheClass::Dynamic;
    int cacheBits = 4;
    std::optional<TokenCount> newTokens; ///< tokens generated, part of the context; 0 = one plain forward; empty: the worse of both ends

    bool operator==(const TransformersOptions &) const = default;
};

/// What llama.cpp runs on: decides padding of buffers and what lies outside them (spec/local-engines.md 4.4, 5.6).
enum class Backend : std::uint8_t { Automatic, Cuda, Rocm, Vulkan, Metal, Rpc, Cpu };
enum class FlashAttention : std::uint8_t { Automatic, On, Off };
/// Slots that llama.cpp takes (spec/local-engines.md 3.1).
inline constexpr int mostSlots = 256;

/// Settings of llama.cpp and Ollama (spec/local-engines.md 7). The slots are Scenario::batch unless `slotCount` says another number.
struct LocalOptions {
    std::optional<TokenCount> pool;   ///< -c, cells of all slots; empty: context x slots
    std::optional<int> slotCount;     ///< -np where it is not the batch
    bool automaticSlots = false;      ///< -np -1: four slots over one unified cache
    std::optional<bool> unified;      ///< -kvu; empty: only with automatic slots
    std::optional<int> batch, ubatch; ///< -b, -ub; empty: the engine's default
    std::optional<int> gpuLayers;     ///< -ngl; empty: all
    FlashAttention flash = FlashAttention::Automatic;
    bool fullWindows = false;        ///< --swa-full
    bool kvOnHost = false;           ///< -nkvo
    std::optional<int> hostExperts;  ///< -ncmoe; largestLayerCount: -cmoe
    std::vector<double> tensorSplit; ///< -ts; empty: by free memory
    Backend backend = Backend::Automatic;

    bool operator==(const LocalOptions &) const = default;
};

/// Settings of vLLM, SGLang and TensorRT-LLM (spec/serving-engines.md 1, 7). Empty: the engine's default at its version.
struct ServingOptions {
    std::optional<double> memoryFraction; ///< gpu_memory_utilization, mem_fraction_static, free_gpu_memory_fraction: 0 to 1
    std::optional<int> blockSize;         ///< tokens
    std::optional<int> batchedTokens;     ///< max_num_batched_tokens, chunked_prefill_size
    std::optional<int> maxSequences;      ///< max_num_seqs, max_running_requests
    bool eager = false;                   ///< no CUDA graphs
    std::optional<bool> prefixCaching;
    int draftTokens = 0;
    std::optional<Bytes> givenKv;                                   ///< measured KV budget of one rank, replaces the estimate
    std::optional<Bytes> givenActivation, givenGraph, givenRuntime; ///< measured, one rank

    bool operator==(const ServingOptions &) const = default;
};

struct WeightChoice {
    std::optional<Format> format;  ///< empty = auto: as the checkpoint is stored, else 16 bit
    std::optional<Bytes> measured; ///< summed over the devices of one replica; wins over the format

    bool operator==(const WeightChoice &) const = default;
};

/// All that the user set. What a file stores, a slider changes, undo keeps. Copying is cheap: the model is shared and immutable.
struct Scenario {
    std::shared_ptr<const ModelSpec> model;
    std::shared_ptr<const ModelSpec> draft; ///< a model that drafts for it (speculative decoding); empty: none but the model's own layers
    WeightChoice weights;
    EngineChoice engine;
    std::vector<EngineChoice> otherEngines; ///< compared beside it
    std::vector<Cluster> clusters;          ///< compared side by side
    int selected = 0;                       ///< the cluster that the verdict and the growth chart speak of
    TokenCount context{8192};               ///< tokens a sequence, prompt and answer together
    std::int64_t batch = 1;                 ///< sequences held at once, over all replicas
    KvPrecision kv;
    TokenCount sinks;                        ///< StreamingLLM: first tokens kept ...
    TokenCount streamWindow;                 ///< ... and the window behind them; 0 = off
    std::optional<TokenCount> encoderLength; ///< empty: the model's
    TokenCount sharedPrefix;                 ///< tokens that all sequences share
    Bytes offloadKv;                         ///< KV that may live in host memory
    Bytes inUse;                             ///< on each card, held by others
    double reservePercent = 0;               ///< of the card's memory, kept free
    std::optional<Bytes> hostMemory;         ///< empty: not judged
    TransformersOptions transformers;
    LocalOptions local;
    ServingOptions serving;
    std::string unknownKeys; ///< JSON object of keys that a file had and this version does not know

    bool operator==(const Scenario &o) const; ///< by value, the model too
};

/// The precision in force: what was asked for, else the engine's default (formula: f16; Transformers: the model's dtype).
Format keyFormat(const Scenario &scenario);
Format valueFormat(const Scenario &scenario);
/// The weights' format in force: what was asked for, else what the engine loads. The scenario has a model.
Format weightFormat(const Scenario &scenario);

} // namespace kvscope
