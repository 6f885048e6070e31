// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/curve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kvscope {

namespace {

std::int64_t unitsOf(const CurveTerm &term, TokenCount tokens)
{
    const std::int64_t x = std::clamp(tokens.value - term.offset.value, std::int64_t{0}, term.limit.value);
    return term.every == 1 ? x : x / term.every;
}

/// The term for one sequence (or for all, where it does not depend on them).
Bytes valueOf(const CurveTerm &term, TokenCount tokens)
{
    switch (term.growth) {
    case Growth::Constant: return term.coefficient;
    case Growth::Linear: return term.coefficient * unitsOf(term, tokens);
    case Growth::Quadratic: {
        const std::int64_t x = unitsOf(term, tokens);
        return term.coefficient * x * x;
    }
    }
    return {};
}

/// A phase at one context: what does not depend on the sequences, and what each of them adds.
struct Affine {
    Bytes fixed, each;

    Bytes at(std::int64_t sequences) const { return fixed + each * sequences; }
};

Affine affineAt(const Phase &phase, TokenCount tokens)
{
    Affine sum;
    for (const CurveTerm &term : phase.terms)
        (term.perSequence ? sum.each : sum.fixed) += valueOf(term, tokens);
    return sum;
}

/// Largest dx >= 0 with quadratic * dx^2 + linear * dx <= room, up to rounding.
std::int64_t root(double quadratic, double linear, double room)
{
    double dx = 0;
    if (quadratic > 0)
        dx = 2 * room / (linear + std::sqrt(linear * linear + 4 * quadratic * room)); // the form that does not cancel
    else if (linear > 0)
        dx = room / linear;
    else
        return largestContext.value;
    return static_cast<std::int64_t>(std::min(dx, static_cast<double>(largestContext.value)));
}

/// Largest token count at which one phase stays within the budget; -1 if none does.
std::int64_t maxTokensOf(const Phase &phase, Bytes budget, std::int64_t sequences)
{
    const auto fits = [&](std::int64_t tokens) { return affineAt(phase, TokenCount{tokens}).at(sequences) <= budget; };
    if (!fits(0))
        return -1;
    if (fits(largestContext.value))
        return largestContext.value;

    // Between the points where a term starts or stops to grow, the phase is one polynomial. Find the stretch that crosses the budget.
    std::int64_t from = 0;
    std::int64_t to = largestContext.value;
    for (const CurveTerm &term : phase.terms) {
        if (term.growth == Growth::Constant)
            continue;
        for (const std::int64_t bend : {term.offset.value, saturatingAdd(term.offset.value, term.limit.value)}) {
            if (bend > from && bend < to)
                (fits(bend) ? from : to) = bend;
        }
    }

    double quadratic = 0;
    double linear = 0;
    for (const CurveTerm &term : phase.terms) {
        const bool grows = term.growth != Growth::Constant && term.offset.value <= from && term.offset.value + term.limit.value >= to;
        if (!grows)
            continue;
        const double coefficient = static_cast<double>(term.coefficient.value) * (term.perSequence ? static_cast<double>(sequences) : 1.0);
        const auto every = static_cast<double>(term.every);
        if (term.growth == Growth::Linear) {
            linear += coefficient / every;
        } else {
            quadratic += coefficient / (every * every);
            linear += coefficient * 2 * static_cast<double>(from - term.offset.value) / (every * every);
        }
    }
    const Bytes room = budget - affineAt(phase, TokenCount{from}).at(sequences);
    std::int64_t tokens = std::min(from + root(quadratic, linear, static_cast<double>(room.value)), to);
    // The root is exact but for rounding, of doubles (one token) and of compressed caches (less than `every` tokens).
    while (tokens > from && !fits(tokens))
        --tokens;
    while (tokens < to && fits(tokens + 1))
        ++tokens;
    return tokens;
}

std::int64_t maxSequencesOf(const Phase &phase, Bytes budget, TokenCount tokens)
{
    const Affine sum = affineAt(phase, tokens);
    const Bytes room = budget - sum.fixed;
    if (sum.fixed.tooLarge() || room.value < 0)
        return -1;
    if (sum.each.value <= 0)
        return largestBatch;
    return std::min(room.value / sum.each.value, largestBatch);
}

} // namespace

Bytes PartBytes::total() const { return std::accumulate(part.begin(), part.end(), Bytes{}); }

Bytes CacheCurve::at(TokenCount tokens, std::int64_t sequences) const
{
    Bytes largest;
    for (const Phase &phase : phases)
        largest = std::max(largest, affineAt(phase, tokens).at(sequences));
    return largest;
}

PartBytes CacheCurve::partsAt(TokenCount tokens, std::int64_t sequences) const
{
    PartBytes largest;
    Bytes most{-1};
    for (const Phase &phase : phases) {
        PartBytes parts;
        for (const CurveTerm &term : phase.terms)
            parts[term.part] += valueOf(term, tokens) * (term.perSequence ? sequences : 1);
        if (const Bytes total = parts.total(); total > most) {
            most = total;
            largest = parts;
        }
    }
    return largest;
}

TokenCount CacheCurve::maxTokens(Bytes budget, std::int64_t sequences) const
{
    std::int64_t least = largestContext.value;
    for (const Phase &phase : phases)
        least = std::min(least, maxTokensOf(phase, budget, sequences));
    return {least};
}

std::int64_t CacheCurve::maxSequences(Bytes budget, TokenCount tokens) const
{
    std::int64_t least = largestBatch;
    for (const Phase &phase : phases)
        least = std::min(least, maxSequencesOf(phase, budget, tokens));
    return least;
}

} // namespace kvscope
