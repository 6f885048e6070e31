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

enum class EngineId : std::uint8_t { Formula, Transformers };
inline constexpr int engineCount = static_cast<int>(EngineId::Transformers) + 1;

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

struct WeightChoice {
    std::optional<Format> format;  ///< empty = auto: as the checkpoint is stored, else 16 bit
    std::optional<Bytes> measured; ///< summed over the devices of one replica; wins over the format

    bool operator==(const WeightChoice &) const = default;
};

/// All that the user set. What a file stores, a slider changes, undo keeps. Copying is cheap: the model is shared and immutable.
struct Scenario {
    std::shared_ptr<const ModelSpec> model;
    WeightChoice weights;
    EngineChoice engine;
    std::vector<Cluster> clusters; ///< compared side by side
    int selected = 0;              ///< the cluster that the verdict and the growth chart speak of
    TokenCount context{8192};      ///< tokens a sequence, prompt and answer together
    std::int64_t batch = 1;        ///< sequences held at once, over all replicas
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
    std::string unknownKeys; ///< JSON object of keys that a file had and this version does not know

    bool operator==(const Scenario &o) const; ///< by value, the model too
};

/// The precision in force: what was asked for, else the engine's default (formula: f16; Transformers: the model's dtype).
Format keyFormat(const Scenario &scenario);
Format valueFormat(const Scenario &scenario);
/// The weights' format in force: what was asked for, else what the engine loads. The scenario has a model.
Format weightFormat(const Scenario &scenario);

} // namespace kvscope
