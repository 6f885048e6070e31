// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/curve.h"

#include "core/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kvscope {

namespace {

std::int64_t unitsOf(const CurveTerm &term, std::int64_t tokens, std::int64_t limit)
{
    std::int64_t x = std::clamp(tokens - term.offset.value, std::int64_t{0}, limit);
    if (term.pad > 1)
        x = ceilDivide(x, term.pad) * term.pad;
    return term.every == 1 ? x : x / term.every;
}

/// The term for one sequence (or for all, where it does not depend on them).
Bytes valueOf(const CurveTerm &term, TokenCount tokens, std::int64_t sequences)
{
    if (term.growth == Growth::Constant)
        return term.coefficient;
    const std::int64_t x = term.pooled
                               ? unitsOf(term, saturatingMultiply(tokens.value, sequences),
                                         saturatingAdd(term.limit.value, saturatingMultiply(term.limitPerSequence.value, sequences)))
                               : unitsOf(term, tokens.value, term.limit.value);
    return term.growth == Growth::Linear ? term.coefficient * x : term.coefficient * x * x;
}

/// What the phase takes for `sequences`.
Bytes phaseAt(const Phase &phase, TokenCount tokens, std::int64_t sequences)
{
    Bytes fixed, each;
    for (const CurveTerm &term : phase.terms)
        (term.perSequence ? each : fixed) += valueOf(term, tokens, sequences);
    return fixed + each * sequences;
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
    const auto fits = [&](std::int64_t tokens) { return phaseAt(phase, TokenCount{tokens}, sequences) <= budget; };
    if (!fits(0))
        return -1;
    if (fits(largestContext.value))
        return largestContext.value;
    // Steps of whole cells or blocks have no root to solve for.
    if (std::ranges::any_of(phase.terms, [](const CurveTerm &term) { return term.pad > 1 || term.pooled; }))
        return largestThatFits(0, largestContext.value, fits);

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
    const Bytes room = budget - phaseAt(phase, TokenCount{from}, sequences);
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
    const auto fits = [&](std::int64_t sequences) {
        const Bytes bytes = phaseAt(phase, tokens, sequences);
        return !bytes.tooLarge() && bytes <= budget;
    };
    if (!fits(0))
        return -1;
    if (std::ranges::any_of(phase.terms, &CurveTerm::pooled))
        return largestThatFits(0, largestBatch, fits);
    const Bytes fixed = phaseAt(phase, tokens, 0);
    const Bytes each = phaseAt(phase, tokens, 1) - fixed;
    if (each.value <= 0)
        return largestBatch;
    return std::min((budget - fixed).value / each.value, largestBatch);
}

} // namespace

Bytes PartBytes::total() const { return std::accumulate(part.begin(), part.end(), Bytes{}); }

Bytes CacheCurve::at(TokenCount tokens, std::int64_t sequences) const
{
    sequences = std::max(sequences, leastSequences);
    Bytes largest;
    for (const Phase &phase : phases)
        largest = std::max(largest, phaseAt(phase, tokens, sequences));
    return largest;
}

PartBytes CacheCurve::partsAt(TokenCount tokens, std::int64_t sequences) const
{
    sequences = std::max(sequences, leastSequences);
    PartBytes largest;
    Bytes most{-1};
    for (const Phase &phase : phases) {
        PartBytes parts;
        for (const CurveTerm &term : phase.terms)
            parts[term.part] += valueOf(term, tokens, sequences) * (term.perSequence ? sequences : 1);
        if (const Bytes total = parts.total(); total > most) {
            most = total;
            largest = parts;
        }
    }
    return largest;
}

TokenCount CacheCurve::maxTokens(Bytes budget, std::int64_t sequences) const
{
    sequences = std::max(sequences, leastSequences);
    std::int64_t least = largestContext.value;
    for (const Phase &phase : phases)
        least = std::min(least, maxTokensOf(phase, budget, sequences));
    return {least};
}

std::int64_t CacheCurve::maxSequences(Bytes budget, TokenCount tokens) const
{
    std::int64_t least = mostSequences;
    for (const Phase &phase : phases)
        least = std::min(least, maxSequencesOf(phase, budget, tokens));
    return least < leastSequences ? -1 : least;
}

} // namespace kvscope
