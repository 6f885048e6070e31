// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/sglangrules.h"

namespace kvscope::sglang {

/// Tokens of the sliding pool for one of the full pool: swa_full_tokens_ratio.
inline constexpr double slidingRatio = 0.8;
/// What states may take for one byte of KV: mamba_full_memory_ratio.
inline constexpr double stateRatio = 0.9;

/// Pools of one rank of a stage (2.11): tokens of layers that keep all, tokens of windowed layers, and slots for states.
struct PoolShape {
    std::int64_t fullBytes = 0;    ///< of one token in all layers that keep every token, drafting layers included
    std::int64_t slidingBytes = 0; ///< of one token in all windowed layers
    std::int64_t stateBytes = 0;   ///< of one slot
    std::int64_t window = 0;       ///< tokens that a sequence holds of windowed layers, those in flight included
    std::int64_t page = 1;         ///< tokens
    std::int64_t slotsPerRequest = 0;
    double slotDrafts = 0;         ///< states of drafts that a slot keeps beside its own: a request's, shared out over its slots
    std::int64_t spareBytes = 0;   ///< of slots that the pool keeps for itself
    std::int64_t askedSlots = 0;   ///< as many as requests were asked for; 0: by stateRatio
    std::int64_t tokensOfNone = 0; ///< max_total_num_tokens where no layer keeps any: the length that the engine is started for (SGLang)
    std::int64_t slidingCap = 0;   ///< tokens of the sliding pool, by the requests that were asked for; 0: by slidingRatio

    bool slidesByRatio() const { return slidingBytes > 0 && slidingCap == 0; }
    /// One slot with what it keeps for drafts.
    double slotBytes() const { return static_cast<double>(stateBytes) * (1 + slotDrafts); }
    /// The slots of one request.
    double requestBytes() const { return slotBytes() * static_cast<double>(slotsPerRequest); }
    /// Share of the pool that states take; 0 where slots are set by requests.
    double stateShare() const;
    /// Bytes of a token of the full pool, with the sliding pool's part where that goes by a ratio.
    double tokenBytes() const;
    /// What is set by requests, whatever the pool holds.
    std::int64_t fixedBytes() const;
};
/// `chunk`: tokens of a prefill in flight.
PoolShape poolOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, std::size_t stage, std::int64_t chunk);

/// What `bytes` hold.
struct Capacity {
    std::int64_t tokens = 0; ///< max_total_num_tokens
    std::int64_t slidingTokens = 0;
    std::int64_t stateSlots = 0;
    std::int64_t requests = 0; ///< that states allow; largestBatch without
};
Capacity capacityOf(const PoolShape &pool, Bytes bytes);

/// Bytes of the K and V buffers as printed: a page more than the tokens (2.11). A latent counts as K.
struct Buffers {
    Bytes key, value;
};
Buffers buffersOf(const Run &run, const Rules &rules, const PoolShape &pool, const Capacity &capacity, std::size_t stage);

/// max_running_requests of one replica (2.11).
std::int64_t runningRequests(const Run &run, const Rules &rules, const Scenario &scenario, const Capacity &capacity);

} // namespace kvscope::sglang
