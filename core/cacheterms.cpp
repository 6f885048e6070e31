// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/cacheterms.h"

#include <algorithm>
#include <iterator>

namespace kvscope {

namespace {

/// What INT8 and INT4 carry beside their bits, 2 bytes a scale and 2 a zero point, for one tensor (K or V) of one layer.
struct ScaleBytes {
    Bytes onceALayer, aToken, aSequence;
};

ScaleBytes scaleBytes(const KvPrecision &kv, Format format, std::int64_t elements)
{
    ScaleBytes bytes;
    if (format != Format::Int8 && format != Format::Int4)
        return bytes;
    const Bytes each{kv.zeroPoints ? 4 : 2};
    switch (kv.scales) {
    case KvScales::None: break;
    case KvScales::PerTensor: bytes.onceALayer = each; break;
    case KvScales::PerToken: bytes.aToken = each; break;
    case KvScales::PerChannel: bytes.aSequence = each * elements; break;
    case KvScales::PerGroup: bytes.aToken = each * ceilDivide(elements, kv.groupSize); break;
    }
    return bytes;
}

/// Elements that one layer keeps for a token on one device: K and V, or the latent once (MLA is not divided: serving-engines.md 2.1).
struct TokenElements {
    std::int64_t key = 0;
    std::int64_t value = 0;
    std::int64_t indexKey = 0;
};

TokenElements elementsOf(const LayerGroup &group, int tensor)
{
    if (group.mixer == Mixer::Latent)
        return {group.latentDim + group.ropeDim, 0, group.indexKeyDim};
    const std::int64_t heads = headsOnDevice(group.kvHeads, tensor);
    return {heads * group.keyDim, heads * group.valueDim, group.indexKeyDim};
}

/// State of one layer and sequence: k - 1 convolution columns and the recurrent matrix (serving-engines.md 2.7).
Bytes stateBytes(const LayerGroup &group, Format native, int tensor)
{
    const RecurrentState &state = group.state;
    const std::int64_t columns = std::max(0, state.convKernel - 1);
    return bytesOf(native, ceilDivide(state.convChannels, tensor) * columns) +
           bytesOf(state.alwaysF32 ? Format::F32 : native, ceilDivide(state.elements, tensor));
}

TokenCount encoderTokens(const Scenario &scenario) { return scenario.encoderLength.value_or(scenario.model->encoderLength); }

void addCrossCache(CacheTerms &terms, const Scenario &scenario, const LayerGroup &group, int layers, int tensor)
{
    const std::int64_t elements = std::int64_t{headsOnDevice(group.crossKvHeads, tensor)} * group.crossHeadDim;
    const Bytes perToken = (bytesOf(keyFormat(scenario), elements) + bytesOf(valueFormat(scenario), elements)) * layers;
    const TokenCount tokens = encoderTokens(scenario);
    if (tokens.value > 0)
        terms.perSequence(Part::Kv, perToken * tokens);
    else // no length of its own: the encoder's text is taken as long as the context
        terms.perToken(perToken, largestContext);
}

} // namespace

void CacheTerms::perToken(Bytes bytes, TokenCount limit, std::int64_t every)
{
    add({Part::Kv, bytes, Growth::Linear, true, m_prefix, limit, every});
    if (m_prefix.value > 0)
        add({Part::Kv, bytes, Growth::Linear, false, {}, std::min(m_prefix, limit), every});
}

void CacheTerms::perSequence(Part part, Bytes bytes) { add({part, bytes, Growth::Constant, true}); }

void CacheTerms::once(Part part, Bytes bytes) { add({part, bytes, Growth::Constant, false}); }

Phase CacheTerms::only(Part part) const
{
    Phase phase;
    std::ranges::copy_if(m_terms, std::back_inserter(phase.terms), [part](const CurveTerm &t) { return t.part == part; });
    return phase;
}

Bytes CacheTerms::kvPerToken() const
{
    Bytes sum;
    for (const CurveTerm &term : m_terms) {
        if (term.part == Part::Kv && term.growth == Growth::Linear && term.perSequence)
            sum += Bytes{term.coefficient.value / term.every};
    }
    return sum;
}

void CacheTerms::add(const CurveTerm &term)
{
    if (term.coefficient.value == 0)
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

bool hasCompressedWindow(const LayerGroup &group)
{
    return group.mixer == Mixer::Latent && group.window.value > 0 && group.compression.value > 1;
}

TokenCount tokenLimit(const LayerGroup &group, const Scenario &scenario)
{
    const bool windowOnly = group.mixer == Mixer::Latent && group.window.value > 0 && !hasCompressedWindow(group);
    if (group.mixer == Mixer::Sliding || group.mixer == Mixer::Chunked || windowOnly)
        return group.window;
    if (scenario.streamWindow.value > 0) // StreamingLLM keeps the first tokens and a window
        return scenario.sinks + scenario.streamWindow;
    return largestContext;
}

void addTokenCache(CacheTerms &terms, const Scenario &scenario, const LayerGroup &group, GroupShare share, int tensor)
{
    const Format native = scenario.model->nativeFormat;
    const TokenElements elements = elementsOf(group, tensor);
    const TokenCount limit = tokenLimit(group, scenario);
    const auto tensorOf = [&](Format format, std::int64_t count, int layers, bool windowed = false) {
        if (count == 0 || layers == 0)
            return;
        const ScaleBytes scales = scaleBytes(scenario.kv, format, count);
        terms.perToken((bytesOf(format, count) + scales.aToken) * layers, limit, group.compression.value);
        if (windowed)
            terms.perToken((bytesOf(format, count) + scales.aToken) * layers, group.window);
        terms.perSequence(Part::Kv, scales.aSequence * layers);
        terms.once(Part::Kv, scales.onceALayer * layers);
    };
    tensorOf(keyFormat(scenario), elements.key, share.layers - share.kept, hasCompressedWindow(group));
    tensorOf(valueFormat(scenario), elements.value, share.layers - share.kept);
    tensorOf(native, elements.key, share.kept, hasCompressedWindow(group));
    tensorOf(native, elements.value, share.kept);
    tensorOf(native, elements.indexKey, share.layers);
}

CacheTerms cacheOf(const Scenario &scenario, Stage stage, int tensor, TokenCount sharedPrefix)
{
    CacheTerms terms(sharedPrefix);
    const ModelSpec &model = *scenario.model;
    const std::vector<GroupShare> shares = sharesOf(scenario, stage);
    for (std::size_t g = 0; g < shares.size(); ++g) {
        const LayerGroup &group = model.groups[g];
        if (shares[g].layers == 0)
            continue;
        if (group.hasCache())
            addTokenCache(terms, scenario, group, shares[g], tensor);
        if (group.crossKvHeads > 0)
            addCrossCache(terms, scenario, group, shares[g].layers, tensor);
        if (group.state.kind != Recurrence::None)
            terms.perSequence(Part::State, stateBytes(group, model.nativeFormat, tensor) * shares[g].layers);
    }
    return terms;
}

} // namespace kvscope
