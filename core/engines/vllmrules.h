// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/device.h"
#include "core/engines/servingrun.h"

namespace kvscope::vllm {

using serving::Run;

/// The rules in force on a day of vLLM's development (spec/serving-engines.md 0.2): each change counts from its date on.
struct Rules {
    int date = 0; ///< yyyymmdd; 0: older than all changes

    bool v0() const { return date < 20250318; }
    bool countsOtherProcesses() const { return (date >= 20241115 && date < 20241226) || (date >= 20250318 && date < 20250610); } // 1.2
    bool latentCache() const { return date >= 20250131; }
    bool a100HasLargeBatches() const { return date < 20250527; }
    bool groups() const { return date >= 20250610; }
    bool configuredBlockInTokens() const { return date < 20250706; } ///< 0.9.1 prints by the configured block size (3.1)
    bool ncclInGrowth() const { return date < 20250923; }            ///< 1.1; the forward pass was seen to take up to half more (5.6)
    bool contextRanks() const { return date >= 20250901; }           ///< decode context parallelism (2.9, 3.1)
    bool dealsGroups() const { return date >= 20251101; }            ///< 2.6 c: before, a group takes consecutive layers
    double largestGroupRatio() const
    {
        return date >= 20260312 ? 1.5 : date >= 20251124 ? 1.25 : 1.0;
    } ///< 2.6 b; 1: always the smallest bucket
    bool expertWorkspacesStay() const { return date >= 20251218; }
    bool padsExpertWidth() const { return date >= 20251124; } ///< 4-bit experts (4.2): only the hidden side in 0.11; the day is not known
    bool smallSampler() const { return date >= 20260307; }
    double logitBytes() const { return v0() ? 37.2 : smallSampler() ? 14.5 : 38.0; } ///< of the sampler's peak (5.2)
    double keptHiddens() const { return v0() ? 3.0 : 4.25; }                         ///< hidden-sized tensors of a forward pass (5.1)
    bool needPerRank() const { return date >= 20260307; }                            ///< 3.3: after 2026-02-08, the day is not known
    enum class Growth : std::uint8_t { V0, UpTo017, From018 };
    bool lateGrowth() const { return date >= 20260320; }
    Growth growth() const { return v0() ? Growth::V0 : lateGrowth() ? Growth::From018 : Growth::UpTo017; } ///< rows of 5.4's table
    bool hasKvFormat(Format format) const;                                                                 ///< 2.3
    bool keepsLayers() const { return date >= 20260414; }                                                  ///< --kv-cache-dtype-skip-layers
    /// NemotronH's states are fp32 where config.json says nothing: vllm-project/vllm pull request 39032, in 0.20.0.
    bool floatStatesByDefault() const { return date >= 20260421; }
    bool utilization92() const { return date >= 20260421; }
    bool subtractsGraphs() const { return date >= 20260421; }
    bool tokensByConcurrency() const { return date >= 20260428; }
    bool runnerV2() const { return date >= 20260614; }
    bool runnerV2Experts() const { return date >= 20260701; }
    bool runnerV2Dense() const { return date >= 20260702; }
    bool inFlightDoubles() const { return date >= 20260708; }
    bool deviceFreeBudget() const { return date >= 20260720; } ///< 1.1
    bool concurrencyOverGroups() const { return date >= 20260721; }
    bool hybridPrefixCaching() const { return date >= 20260810; } ///< after 0.26.0 and by 2026-08-15 (2.7)
    bool wideCapture() const { return date >= 20260807; }
    bool largestCardTier() const { return date >= 20260811; }
    bool packedByCheckBytes() const { return date < 20260614; } ///< 2.8: up to 0.22 the allocation too
    bool packedCheckByStride() const { return date >= 20260818; }
    /// What the rules were tried on: 0.11 to 0.19 on H100 (5.6). Elsewhere ranges are twice as wide.
    bool tried() const { return date >= 20250923 && date < 20260421; }
};

/// An H100, or a card known only by its size that is as large.
bool isTriedCard(const Device &device);

/// The rules of a release (`0.19.0`) or date; empty: the newest.
Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings);

/// Which of the two model runners serves this model (1.1).
bool usesRunnerV2(const Run &run, const Rules &rules);

/// max_num_batched_tokens and max_num_seqs: as set, else by card and version (7.2).
struct BatchSizes {
    std::int64_t tokens = 2048;
    std::int64_t sequences = 256;
};
BatchSizes batchSizes(const Rules &rules, const Scenario &scenario, const Device &device);

/// V0: prompts are cut from 32,768 tokens on by itself (5.2, 7.2); V1 always.
bool chunkedPrefill(const Rules &rules, const Scenario &scenario);

/// Tokens that may be in flight for one request (2.5).
std::int64_t inFlightTokens(const Run &run, const Rules &rules, const BatchSizes &sizes);

/// Hybrid models hold one state block more with it (2.7).
bool prefixCaching(const Run &run, const Rules &rules, const Scenario &scenario);

} // namespace kvscope::vllm
