// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"

namespace kvscope::transformers {

/// The rules in force on a day of Transformers' development (spec/transformers.md 0.1): each change counts from its date on.
struct Rules {
    int date = 0; ///< yyyymmdd; 0: older than all changes

    bool tupleCache() const { return date < 20240605; }                       ///< two whole copies of KV at each decode step
    bool sdpa() const { return date >= 20231208; }                            ///< before: eager is the default
    bool causalBuffer() const { return date >= 20240208 && date < 20240320; } ///< Llama family: max_position^2 mask kept
    int causalBufferBytes() const { return date < 20240301 ? 8 : 1; }
    bool lastLogitsOnly() const { return date >= 20240823; }
    bool floatLogits() const { return date < 20241017; }    ///< a plain forward casts its logits to fp32
    bool roundedTensors() const { return date < 20250225; } ///< 6.1: no block reserved before loading
    bool booleanMasks() const { return date >= 20250522; }
    bool sdpaRepeats() const { return date < 20250721; }         ///< K and V repeated to all heads
    bool sdpaNeedsEqualDims() const { return date >= 20260702; } ///< repeats instead of the math kernel where dk != dv or > 256
    bool windowedDynamic() const { return date >= 20250812; }
    bool hybridDefault() const { return date >= 20240627 && date < 20250812; } ///< Gemma 2 and 3 ask for a static cache
    bool sinkCache() const { return date >= 20231208 && date < 20251001; }
    bool automaticDtype() const { return date >= 20251211; } ///< before: fp32 unless told
    bool groupedExperts() const { return date >= 20260105; }
    bool floatStates() const { return date >= 20260331; }
    bool latentCache() const { return date >= 20260805; }
    bool threeOffloadedLayers() const { return date < 20250721; }
    bool staticCache() const { return date >= 20240208; }
    bool quantizedCache() const { return date >= 20240523; }
    bool offloadedCache() const { return date >= 20240801; }
    bool dequantisesMatrices() const { return date < 20260105; } ///< bitsandbytes before its fused kernel of 2026 (6.3)
    /// Every layer owns rotary tables of the whole trained length.
    bool rotaryInLayers(const std::string &family) const;
};

/// The rules of a release (`4.46.0`) or date (`2024-11-26`); empty: the newest. Adds UnknownVersion where the nearest listed below stands in.
Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings);

/// A scenario resolved under the rules of its version.
struct Run {
    const ModelSpec *model = nullptr;
    Rules rules;
    AttentionKernel attention = AttentionKernel::Sdpa;
    CacheClass cache = CacheClass::Dynamic;
    int bits = 4;                  ///< Quantized only
    Format weights = Format::BF16; ///< of the matrices
    Format dtype = Format::BF16;   ///< of activations, of what stays unquantised, and of the cache
    std::int64_t b = 2;            ///< bytes an element of dtype
    TokenCount promptOffset;       ///< T = context - this
    TokenCount heldOffset;         ///< S = context - this: the last token is never cached
    bool decodes = true;
    bool forwardOnly = false;           ///< one plain forward, logits of all rows
    std::optional<std::int64_t> behind; ///< tokens generated and cached, S - T; empty: not known
    TokenCount encoderTokens;
    TokenCount sinkLimit = largestContext; ///< SinkCache: tokens held in all
};

/// What the run will be, or why the engine refuses: UnsupportedFormat, BadOption.
Result<Run> runOf(const Scenario &scenario, std::vector<Warning> &warnings);

/// What `auto` stands for at this version: as stored where quantised, else the config's dtype (5.0) or fp32 (before) (6.1).
Format loadedFormat(const ModelSpec &model, const Rules &rules);
/// The dtype of activations beside weights of this format.
Format activationFormat(const ModelSpec &model, Format weights);

} // namespace kvscope::transformers
