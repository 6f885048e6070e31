// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingrun.h"

namespace kvscope::sglang {

using serving::Run;

/// The rules in force on a day of SGLang's development (spec/serving-engines.md 0.1, 1.4, 2.11). "SGLang" as a source below: its repository,
/// srt/server_args.py, srt/model_executor/pool_configurator.py and srt/mem_cache/kv_cache_configurator.py.
struct Rules {
    int date = 0; ///< yyyymmdd

    bool computedFraction() const { return date >= 20250610; } ///< before: a table by tensor parallelism
    bool slidingPools() const { return date >= 20250610; }     ///< before: one pool, every layer counts as full
    /// The default back end of SM100 asks for pages of 64 (SGLang; the day was not read).
    bool tensorRtAttention() const { return date >= 20251001; }
    bool newPools() const { return date >= 20260715; }
    /// Drafting weights are loaded after the pool, out of a reserve; since then they are there before it (1.4 "older code"; SGLang).
    bool reservesForDrafts() const { return !newPools(); }
    bool mxfp8() const { return newPools(); } ///< 2.3
};
Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings);

/// Cache formats by version (2.3), and experts over ranks that divide (4.1).
std::optional<Error> checkRun(const Run &run, const Rules &rules);

/// Tier defaults by the card's capacity (1.4).
struct Tier {
    std::int64_t chunk = 4096;     ///< chunked_prefill_size
    std::int64_t graphBatch = 160; ///< cuda_graph_max_bs
};
Tier tierOf(const Rules &rules, std::int64_t mebibytes, int tensor);

/// mem_fraction_static where it is not set: what is left beside the reserve for activations, graphs, metadata and drafting models, less where
/// a vision tower runs (1.4). Graphs of prefills and DeepEP count as off.
double reservedMebibytes(const Run &run, const Rules &rules, const Scenario &scenario, std::int64_t card, const Tier &tier);
double defaultFraction(const Run &run, const Rules &rules, const Scenario &scenario, std::int64_t mebibytes, const Tier &tier);
/// As set or by default, and what the back end makes of it.
double fractionOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, const Tier &tier);

/// Tokens of a page: as set, else by the back end that the model and the card get (2.11).
std::int64_t pageOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device);

/// DeepSeek V4: latents of compressed spans (2.11).
bool isCompressed(const ModelSpec &model);

} // namespace kvscope::sglang
