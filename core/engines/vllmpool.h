// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/vllmspecs.h"

#include <functional>

namespace kvscope::vllm {

/// Layers that draw block ids together: one table of blocks a request.
struct BlockGroup {
    SpecKind kind = SpecKind::Full;
    std::int64_t block = 16; ///< tokens
    std::int64_t window = 0;
    std::vector<PlacedSpec> members;
};

/// Groups that take alike blocks.
struct GroupKind {
    SpecKind kind = SpecKind::Full;
    std::int64_t block = 16;
    std::int64_t window = 0;
    std::int64_t count = 0;
};

/// How the pool is cut into blocks (spec/serving-engines.md 2.6 to 2.8).
struct PoolShape {
    std::vector<BlockGroup> groups;
    std::vector<GroupKind> kinds;         ///< the groups again, alike ones counted
    std::int64_t sharedPage = 0;          ///< bytes that every page takes where pages share tensors; 0: pages keep their own size
    std::int64_t tensors = 0;             ///< with a shared page: layers of the largest group, whole model
    std::vector<std::int64_t> blockBytes; ///< of one block on a rank of each stage
    std::vector<std::int64_t> checkBytes; ///< the same as the check at start counts it
    std::int64_t wholeBlock = 0;          ///< of one block if one rank held all layers, as the check counts it
    Holding holding;

    /// Blocks of one request of this length, all groups (2.6).
    std::int64_t blocksOf(TokenCount length) const;
    /// Smallest block over the groups, tokens.
    std::int64_t smallestBlock() const;
    bool empty() const { return groups.empty(); }
};

/// For each stage, the largest group's sum of `amount` over its caches there.
std::vector<std::int64_t> mostOnStages(const Run &run, const std::vector<BlockGroup> &groups,
                                       const std::function<std::int64_t(const PlacedSpec &)> &amount);

PoolShape poolOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device);

/// Blocks that fit on a rank of a stage; 0 if the budget is none.
std::int64_t blocksIn(const PoolShape &pool, std::size_t stage, Bytes available);

/// Bytes that one request of this length needs of the whole model, as the check at start counts (3.3).
Bytes neededWhole(const PoolShape &pool, TokenCount length);

/// What the log prints (3.1).
struct Printed {
    std::int64_t tokens = 0;
    double concurrency = 0;
};
Printed printedOf(const PoolShape &pool, const Rules &rules, std::int64_t blocks, std::int64_t configuredBlock, TokenCount length);

/// Largest length in 0 .. length for which the poorest stage's budget holds one request (3.3). `available` has an entry a stage.
TokenCount longestOf(const PoolShape &pool, const Rules &rules, const std::vector<Bytes> &available, TokenCount length);

} // namespace kvscope::vllm
