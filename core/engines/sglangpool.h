// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingweights.h"

namespace kvscope::sglang {

using serving::Run;

/// The rules in force on a day of SGLang's development (spec/serving-engines.md 0.1, 1.4, 2.11).
struct Rules {
    int date = 0; ///< yyyymmdd

    bool computedFraction() const { return date >= 20250610; } ///< before: a table by tensor parallelism
    bool slidingPools() const { return date >= 20250610; }     ///< before: one pool, every layer counts as full
    bool newPools() const { return date >= 20260715; }
};
Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings);

/// Tier defaults by the card's capacity (1.4).
struct Tier {
    std::int64_t chunk = 4096;     ///< chunked_prefill_size
    std::int64_t graphBatch = 160; ///< cuda_graph_max_bs
};
Tier tierOf(const Rules &rules, std::int64_t mebibytes, int tensor);

/// mem_fraction_static where it is not set: what is left beside the reserve for activations, graphs and metadata (1.4).
double defaultFraction(const Run &run, const Rules &rules, std::int64_t mebibytes, const Tier &tier, bool eager);
/// As set or by default, and what the backend makes of it.
double fractionOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, const Tier &tier);

/// Tokens of the sliding pool for one of the full pool: swa_full_tokens_ratio.
inline constexpr double slidingRatio = 0.8;

/// Pools of one rank of a stage (2.11): tokens of layers that keep all, tokens of windowed layers, and slots for states.
struct PoolShape {
    std::int64_t fullBytes = 0;    ///< of one token in all layers that keep every token
    std::int64_t slidingBytes = 0; ///< of one token in all windowed layers
    std::int64_t stateBytes = 0;   ///< of one slot
    std::int64_t window = 0;       ///< tokens that a sequence holds of windowed layers, those in flight included
    std::int64_t page = 1;         ///< tokens
    std::int64_t slotsPerRequest = 0;

    /// Share of the pool that states take.
    double stateShare() const;
    /// Pool bytes that go with one token of the full pool, sliding layers' part and states' share included.
    double bytesPerToken() const;
};
PoolShape poolOf(const Run &run, const Rules &rules, const Scenario &scenario, std::size_t stage, std::int64_t chunk);

/// What `bytes` hold.
struct Capacity {
    std::int64_t tokens = 0; ///< max_total_num_tokens
    std::int64_t slidingTokens = 0;
    std::int64_t stateSlots = 0;
    std::int64_t requests = 0; ///< that states allow; largestBatch without
};
Capacity capacityOf(const PoolShape &pool, const Rules &rules, Bytes bytes);

/// Bytes of the K and V buffers as printed: a page more than the tokens (2.11). A latent counts as K.
struct Buffers {
    Bytes key, value;
};
Buffers buffersOf(const Run &run, const Rules &rules, const PoolShape &pool, const Capacity &capacity, std::size_t stage);

/// max_running_requests where it is not set (2.11).
std::int64_t runningRequests(const Rules &rules, const Scenario &scenario, const Capacity &capacity);

} // namespace kvscope::sglang
