// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/units.h"

#include <array>
#include <vector>

namespace kvscope {

/// The parts that a device's memory is told apart by.
enum class Part : std::uint8_t { Weights, Kv, State, Activation, Graph, Runtime };
inline constexpr int partCount = static_cast<int>(Part::Runtime) + 1;

struct PartBytes {
    std::array<Bytes, partCount> part{};

    Bytes &operator[](Part p) { return part[static_cast<std::size_t>(p)]; }
    Bytes operator[](Part p) const { return part[static_cast<std::size_t>(p)]; }
    Bytes total() const;
    bool operator==(const PartBytes &) const = default;
};

/// How a term grows with the tokens of a sequence.
enum class Growth : std::uint8_t { Constant, Linear, Quadratic };

/// One term of a phase: coefficient * x (Linear) or x * x (Quadratic) or 1 (Constant), times the sequences if perSequence,
/// where x = clamp(tokens - offset, 0, limit) rounded up to a multiple of `pad`, over `every`, rounded down. Pooled terms put the tokens of
/// all sequences together (tokens x sequences) before that and are not multiplied again.
struct CurveTerm {
    Part part = Part::Kv;
    Bytes coefficient; ///< may be negative only in Constant terms
    Growth growth = Growth::Constant;
    bool perSequence = false;
    TokenCount offset{0};
    TokenCount limit{largestContext};
    std::int64_t every = 1;         ///< compressed caches: one entry per this many tokens
    std::int64_t pad = 1;           ///< cells or blocks are handed out in this many tokens
    bool pooled = false;            ///< one cache for all sequences
    TokenCount limitPerSequence{0}; ///< pooled: the limit grows by this a sequence
};

/// A moment of the run: the sum of its terms. Memory is the largest moment's.
struct Phase {
    std::vector<CurveTerm> terms;
};

/// A scenario compiled for one device: bytes as a function of (tokens a sequence, sequences). Monotone in both.
/// Charts, limits and the boundary all read this one.
class CacheCurve {
public:
    std::vector<Phase> phases;
    std::int64_t leastSequences = 0;           ///< memory is set aside for this many even if fewer come (slots)
    std::int64_t mostSequences = largestBatch; ///< more than these the engine does not take

    /// Bytes of the largest phase.
    Bytes at(TokenCount tokens, std::int64_t sequences) const;
    /// The same by part, of the phase that binds.
    PartBytes partsAt(TokenCount tokens, std::int64_t sequences) const;
    /// Largest token count in 0..largestContext that stays within `budget`, in closed form; -1 if not even 0 tokens do.
    TokenCount maxTokens(Bytes budget, std::int64_t sequences) const;
    /// Most sequences in 0..largestBatch that stay within `budget`; -1 if not even none do.
    std::int64_t maxSequences(Bytes budget, TokenCount tokens) const;
};

} // namespace kvscope
