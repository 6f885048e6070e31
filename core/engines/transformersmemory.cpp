// SPDX-License-Identifier: GPL-3.0-or-later
// The moments of a run as curve terms: spec/transformers.md 1, 2, 4 and 5. Rows are equally long, so nothing is padded.
#include "core/engines/transformersmemory.h"

#include "core/engines/transformersbytes.h"

#include <algorithm>

namespace kvscope::transformers {

namespace {

/// Which tokens a term counts: from `offset` on, `limit` at the most.
struct Span {
    TokenCount offset;
    TokenCount limit = largestContext;
};

class Terms {
public:
    void constant(Part part, Bytes bytes, bool perSequence) { add({part, bytes, Growth::Constant, perSequence}); }
    void linear(Part part, std::int64_t bytes, Span span, bool perSequence = true, std::int64_t every = 1)
    {
        add({part, Bytes{bytes}, Growth::Linear, perSequence, span.offset, span.limit, every});
    }
    void squared(Part part, std::int64_t bytes, Span span, bool perSequence)
    {
        add({part, Bytes{bytes}, Growth::Quadratic, perSequence, span.offset, span.limit});
    }

    /// bytes * x once x >= from, nothing before: the part above from - 1, and the part below at one stroke.
    void linearFrom(Part part, std::int64_t bytes, Span span, TokenCount from, bool perSequence = true)
    {
        const TokenCount below = from + TokenCount{-1};
        const Span above{span.offset + below, span.limit + TokenCount{-below.value}};
        if (below.value < 0 || above.limit.value <= 0)
            return linear(part, bytes, span, perSequence);
        linear(part, bytes, above, perSequence);
        linear(part, saturatingMultiply(bytes, below.value), {above.offset, TokenCount{1}}, perSequence);
    }

    /// bytes * x * x once x >= from: (x - a)^2 + 2a(x - a) + a^2 with a = from - 1.
    void squaredFrom(Part part, std::int64_t bytes, Span span, TokenCount from, bool perSequence)
    {
        const TokenCount below = from + TokenCount{-1};
        if (below.value < 0)
            return squared(part, bytes, span, perSequence);
        const Span above{span.offset + below};
        squared(part, bytes, above, perSequence);
        linear(part, saturatingMultiply(bytes, 2 * below.value), above, perSequence);
        linear(part, saturatingMultiply(bytes, saturatingMultiply(below.value, below.value)), {above.offset, TokenCount{1}}, perSequence);
    }

    std::vector<CurveTerm> take() && { return std::move(m_terms); }

private:
    void add(const CurveTerm &term)
    {
        if (term.coefficient.value == 0 || term.limit.value <= 0)
            return;
        for (CurveTerm &t : m_terms) {
            if (t.part == term.part && t.growth == term.growth && t.perSequence == term.perSequence && t.offset == term.offset &&
                t.limit == term.limit && t.every == term.every) {
                t.coefficient += term.coefficient;
                return;
            }
        }
        m_terms.push_back(term);
    }

    std::vector<CurveTerm> m_terms;
};

bool hasWindow(const LayerGroup &group)
{
    return (group.mixer == Mixer::Sliding || group.mixer == Mixer::Chunked) && group.window.value > 0;
}

/// Tokens that a layer holds at the most while decoding (2.2, 2.9).
TokenCount decodeLimit(const Run &run, const LayerGroup &group)
{
    const bool honoured = run.cache == CacheClass::Static || run.rules.windowedDynamic();
    return hasWindow(group) && honoured ? std::min(group.window, run.sinkLimit) : run.sinkLimit;
}

/// Dims that the fused SDPA kernels do not take with grouped heads (4.2).
bool oddDims(const LayerGroup &group) { return group.keyDim != group.valueDim || group.keyDim > 256; }

template<typename Visit>
void forEachOwn(const Run &run, const std::vector<int> &layers, Visit visit)
{
    for (std::size_t g = 0; g < layers.size(); ++g) {
        if (layers[g] > 0)
            visit(run.model->groups[g], layers[g]);
    }
}

/// Two layers, the running and the prefetched next (three before 4.54), hold the device's part of an off-loaded cache (2.5).
std::int64_t offloadedLayersBytes(const Run &run, const std::vector<int> &layers)
{
    std::int64_t largest = 0;
    int own = 0;
    forEachOwn(run, layers, [&](const LayerGroup &group, int count) {
        largest = std::max(largest, cacheBytes(run, group));
        own += group.hasCache() ? count : 0;
    });
    return largest * std::min(own, run.rules.threeOffloadedLayers() ? 3 : 2);
}

/// K and V over the encoder's tokens, and the encoder's output (2.4); as long as the context where the model gives no length.
void addCross(const Run &run, const std::vector<int> &layers, bool embedding, Terms &terms)
{
    std::int64_t perToken = 0;
    forEachOwn(run, layers, [&](const LayerGroup &group, int count) {
        perToken += std::int64_t{count} * 2 * group.crossKvHeads * group.crossHeadDim * run.b;
    });
    if (perToken == 0)
        return;
    const std::int64_t output = run.model->encoderDecoder && embedding ? run.model->hidden * run.b : 0;
    if (run.encoderTokens.value > 0) {
        terms.constant(Part::Kv, Bytes{perToken} * run.encoderTokens, true);
        terms.constant(Part::Activation, Bytes{output} * run.encoderTokens, true);
    } else {
        terms.linear(Part::Kv, perToken, {});
        terms.linear(Part::Activation, output, {});
    }
}

/// Every layer's K and V when the last layer of the prefill runs: windows save nothing in DynamicCache (2.2), StaticCache is whole at once (2.3).
void addPrefillCache(const Run &run, const std::vector<int> &layers, Terms &terms)
{
    if (run.cache == CacheClass::Offloaded)
        return terms.linear(Part::Kv, offloadedLayersBytes(run, layers), {run.promptOffset});
    forEachOwn(run, layers, [&](const LayerGroup &group, int count) {
        const Span span = run.cache == CacheClass::Static ? Span{run.heldOffset, decodeLimit(run, group)} : Span{run.promptOffset};
        terms.linear(Part::Kv, storedBytes(run, group, count), span, true, group.compression.value);
    });
}

/// Tokens behind the prompt of a QuantizedCache: whole blocks of 128 in its bits, the rest in the model's dtype (2.7).
constexpr std::int64_t residualLength = 128;
Bytes tailBytes(Bytes stored, Bytes plain, std::int64_t behind)
{
    return stored * (behind / residualLength * residualLength) + plain * (behind % residualLength);
}

void addDecodeCache(const Run &run, const std::vector<int> &layers, std::int64_t behind, Terms &terms)
{
    if (run.cache == CacheClass::Offloaded)
        return terms.linear(Part::Kv, offloadedLayersBytes(run, layers), {run.heldOffset});
    forEachOwn(run, layers, [&](const LayerGroup &group, int count) {
        const std::int64_t stored = storedBytes(run, group, count);
        if (run.cache == CacheClass::Quantized) {
            terms.linear(Part::Kv, stored, {run.promptOffset});
            terms.constant(Part::Kv, tailBytes(Bytes{stored}, Bytes{cacheBytes(run, group)} * count, behind), true);
        } else {
            terms.linear(Part::Kv, stored, {run.heldOffset, decodeLimit(run, group)}, true, group.compression.value);
        }
    });
}

/// What is there at every moment but loading.
Terms baseTerms(const Run &run, const Share &share)
{
    Terms terms;
    terms.constant(Part::Weights, share.weights, false);
    terms.constant(Part::Activation, share.fixed, false);
    Bytes state;
    forEachOwn(run, share.layers, [&](const LayerGroup &group, int count) { state += stateBytes(run, group) * count; });
    terms.constant(Part::State, state, true);
    addCross(run, share.layers, share.embedding, terms);
    return terms;
}

/// Masks that live through the whole prefill: eager's for each row (4.1); SDPA's for the windowed kinds, one for all rows (4.2).
void addHeldMasks(const Run &run, const std::vector<int> &layers, Terms &terms)
{
    const Span prompt{run.promptOffset};
    if (run.attention == AttentionKernel::Eager)
        return terms.squared(Part::Activation, run.b + 1, prompt, true);
    if (run.attention != AttentionKernel::Sdpa)
        return;
    std::vector<std::pair<Mixer, TokenCount>> kinds;
    forEachOwn(run, layers, [&](const LayerGroup &group, int) {
        const std::pair kind{group.mixer, group.window};
        if (!hasWindow(group) || std::ranges::find(kinds, kind) != kinds.end())
            return;
        kinds.push_back(kind);
        terms.squaredFrom(Part::Activation, run.rules.booleanMasks() ? 1 : run.b, prompt, group.window, false);
    });
}

/// Section 4 for the running layer of the prefill.
void addPrefillAttention(const Run &run, const LayerGroup &group, Terms &terms)
{
    const Span prompt{run.promptOffset};
    const auto scores = [&] {
        terms.squared(Part::Activation, scoreBytes(run, group), prompt, true);
        if (repeats(group))
            terms.linear(Part::Activation, repeatBytes(run, group), prompt);
    };
    terms.linear(Part::Activation, expansionBytes(run, group), prompt);
    switch (run.attention) {
    case AttentionKernel::Eager: return scores();
    case AttentionKernel::Flash2: return;
    case AttentionKernel::Sdpa: break;
    }
    const bool odd = repeats(group) && oddDims(group);
    const bool mathKernel = odd && !run.rules.sdpaRepeats() && !run.rules.sdpaNeedsEqualDims();
    if (mathKernel)
        return scores();
    const bool always = repeats(group) && (run.rules.sdpaRepeats() || odd);
    if (always)
        terms.linear(Part::Activation, repeatBytes(run, group), prompt);
    if (!hasWindow(group))
        return;
    if (run.rules.booleanMasks())
        terms.squaredFrom(Part::Activation, run.b + 1, prompt, group.window, false); // the mask as the kernel takes it: float
    if (repeats(group) && !always)
        terms.linearFrom(Part::Activation, repeatBytes(run, group), prompt, group.window);
}

/// Section 4 for the running layer of a decode step, q = 1.
void addDecodeAttention(const Run &run, const LayerGroup &group, Span held, Terms &terms)
{
    terms.linear(Part::Activation, expansionBytes(run, group), held);
    const auto repeated = [&](bool there) {
        if (there && repeats(group))
            terms.linear(Part::Activation, repeatBytes(run, group), held);
    };
    const bool odd = oddDims(group) && repeats(group);
    const bool mathKernel = run.attention == AttentionKernel::Sdpa && odd && !run.rules.sdpaRepeats() && !run.rules.sdpaNeedsEqualDims();
    if (run.attention == AttentionKernel::Eager || mathKernel) {
        terms.linear(Part::Activation, scoreBytes(run, group), held);
        repeated(true);
    } else if (run.attention == AttentionKernel::Sdpa) {
        const bool masked = run.cache == CacheClass::Static; // the empty tail must be hidden
        if (masked)
            terms.linear(Part::Activation, 1 + run.b + 1, held);
        repeated(masked || odd || run.rules.sdpaRepeats());
    }
}

/// a is nowhere above b: each of its terms has a twin that is at least as large.
bool isWithin(const Phase &a, const Phase &b)
{
    return std::ranges::all_of(a.terms, [&](const CurveTerm &x) {
        return std::ranges::any_of(b.terms, [&](const CurveTerm &y) {
            return x.part == y.part && x.growth == y.growth && x.perSequence == y.perSequence && x.offset == y.offset &&
                   x.limit == y.limit && x.every == y.every && x.coefficient <= y.coefficient;
        });
    });
}

class Steps {
public:
    void add(Moment moment, std::size_t group, Terms terms)
    {
        Step step{moment, group, {std::move(terms).take()}};
        if (std::ranges::any_of(m_steps, [&](const Step &s) { return isWithin(step.phase, s.phase); }))
            return;
        std::erase_if(m_steps, [&](const Step &s) { return isWithin(s.phase, step.phase); });
        m_steps.push_back(std::move(step));
    }
    std::vector<Step> take() && { return std::move(m_steps); }

private:
    std::vector<Step> m_steps;
};

void addDecodeSteps(const Run &run, const Share &share, const Terms &base, std::int64_t behind, Steps &steps)
{
    const Span held{TokenCount{run.promptOffset.value - behind}};
    for (std::size_t g = 0; g < share.layers.size(); ++g) {
        if (share.layers[g] == 0)
            continue;
        const LayerGroup &group = run.model->groups[g];
        Terms terms = base;
        addDecodeCache(run, share.layers, behind, terms);
        const TokenCount limit = decodeLimit(run, group);
        const Span layer{run.cache == CacheClass::Quantized ? held.offset : run.heldOffset, limit};
        if (run.rules.tupleCache()) // the old copy lives on beside the new one (section 1)
            forEachOwn(run, share.layers, [&](const LayerGroup &own, int count) {
                terms.linear(Part::Activation, cacheBytes(run, own) * count, {run.heldOffset + TokenCount{1}, decodeLimit(run, own)});
            });
        else if (run.cache == CacheClass::Static && hasWindow(group))
            terms.linearFrom(Part::Activation, cacheBytes(run, group), layer, limit); // a full window rolls
        else if (run.cache != CacheClass::Static)
            terms.linear(Part::Activation, stepBytes(run, group), layer, true, group.compression.value);
        addDecodeAttention(run, group, layer, terms);
        if (share.head)
            terms.constant(Part::Activation, Bytes{run.model->vocab * (run.b + 4)}, true);
        steps.add(Moment::Decode, g, std::move(terms));
    }
}

} // namespace

Phase heldCache(const Run &run, const std::vector<int> &layers)
{
    Terms terms;
    if (run.forwardOnly)
        addPrefillCache(run, layers, terms);
    else
        addDecodeCache(run, layers, run.behind.value_or(0), terms);
    addCross(run, layers, false, terms);
    return {std::move(terms).take()};
}

Phase wholeCache(const Run &run, const std::vector<int> &layers)
{
    Run here = run;
    here.cache = run.cache == CacheClass::Offloaded ? CacheClass::Dynamic : run.cache;
    return heldCache(here, layers);
}

std::vector<Step> stepsOf(const Run &run, const Share &share)
{
    const ModelSpec &model = *run.model;
    const Span prompt{run.promptOffset};
    const Terms base = baseTerms(run, share);
    Steps steps;

    Terms prefilled = base;
    addPrefillCache(run, share.layers, prefilled);
    Terms prefill = prefilled;
    addHeldMasks(run, share.layers, prefill);
    prefill.linear(Part::Activation, rotaryBytes(run), prompt, false);
    for (std::size_t g = 0; g < share.layers.size(); ++g) {
        if (share.layers[g] == 0)
            continue;
        const LayerGroup &group = model.groups[g];
        Terms ffn = prefill;
        ffn.linear(Part::Activation, ffnBytes(run, group, share.embedding), prompt);
        steps.add(Moment::PrefillFfn, g, std::move(ffn));
        Terms attention = prefill;
        attention.linear(Part::Activation, attentionBytes(run, group), prompt);
        addPrefillAttention(run, group, attention);
        steps.add(Moment::PrefillAttention, g, std::move(attention));
    }
    if (share.head) {
        Terms logits = prefilled;
        if (allRows(run))
            logits.linear(Part::Activation, logitBytes(run), prompt);
        else
            logits.constant(Part::Activation, Bytes{logitBytes(run)}, true);
        steps.add(Moment::Logits, 0, std::move(logits));
    }
    if (model.encoderDecoder && share.embedding && run.encoderTokens.value > 0) {
        Terms encoder;
        encoder.constant(Part::Weights, share.weights, false);
        encoder.constant(Part::Activation, share.fixed, false);
        const std::int64_t perToken =
            run.b * ((model.gatedFfn ? 3 : 2) * std::int64_t{model.intermediate} + 4 * std::int64_t{model.hidden});
        encoder.constant(Part::Activation, Bytes{perToken} * run.encoderTokens, true);
        steps.add(Moment::Encoder, 0, std::move(encoder));
    }
    if (run.decodes) {
        const std::int64_t behind = run.behind.value_or(0);
        addDecodeSteps(run, share, base, behind, steps);
        // A residual that is nearly full takes more than one just quantised.
        const std::int64_t fullest = (behind + 1) / residualLength * residualLength - 1;
        if (run.cache == CacheClass::Quantized && fullest > 0 && fullest < behind)
            addDecodeSteps(run, share, base, fullest, steps);
        if (run.rules.tupleCache()) {
            Terms second = prefilled;
            forEachOwn(run, share.layers, [&](const LayerGroup &group, int count) {
                second.linear(Part::Activation, cacheBytes(run, group) * count, prompt);
            });
            if (share.head)
                second.linear(Part::Activation, model.vocab * 4, prompt);
            steps.add(Moment::SecondStep, 0, std::move(second));
        }
    }
    Terms load;
    load.constant(Part::Weights, share.weights + share.loading, false);
    steps.add(Moment::Load, 0, std::move(load));
    return std::move(steps).take();
}

} // namespace kvscope::transformers
