// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/formulaexplain.h"

#include "core/cacheterms.h"
#include "core/weights.h"

#include <algorithm>
#include <string>

namespace kvscope {

namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

/// "2 B" or "34/32 B": bytes an element.
std::string bytesAnElement(Format format)
{
    const TensorFormat &f = infoOf(format);
    return f.blockElements == 1 ? number(f.blockBytes) + " B" : number(f.blockBytes) + "/" + number(f.blockElements) + " B";
}

std::string joined(const std::string &before, const std::string &more) { return before.empty() ? more : before + " + " + more; }

struct Citation {
    const char *rule;
    const char *source;
};

Citation citationOf(const LayerGroup &group)
{
    if (group.indexKeyDim > 0)
        return {"kv.sparse", "DeepSeek-AI 2025, DeepSeek-V3.2"};
    switch (group.mixer) {
    case Mixer::Full: return {"kv.full", "Vaswani et al. 2017, arXiv:1706.03762; Ainslie et al. 2023, arXiv:2305.13245"};
    case Mixer::Sliding: return {"kv.sliding", "Jiang et al. 2023, arXiv:2310.06825"};
    case Mixer::Chunked: return {"kv.chunked", "Meta 2025, Llama 4"};
    case Mixer::Latent: return {"kv.latent", "DeepSeek-AI 2024, arXiv:2405.04434"};
    case Mixer::Shared:
    case Mixer::None: break;
    }
    return {"kv.none", ""};
}

/// Bytes a token in `layers` layers: "2 x 32 x 8 x 128 x 2 B".
std::string perTokenFormula(const LayerGroup &group, int layers, Format key, Format value)
{
    const std::string head = number(layers) + " x ";
    if (group.mixer == Mixer::Latent)
        return head + "(" + number(group.latentDim) + " + " + number(group.ropeDim) + ") x " + bytesAnElement(key);
    const std::string heads = head + number(group.kvHeads) + " x ";
    if (group.keyDim == group.valueDim && key == value)
        return "2 x " + heads + number(group.keyDim) + " x " + bytesAnElement(key);
    return heads + "(" + number(group.keyDim) + " x " + bytesAnElement(key) + " + " + number(group.valueDim) + " x " +
           bytesAnElement(value) + ")";
}

/// Tokens held by all sequences, a shared prefix once: "32768 x 4", "(1000 + 31768 x 4)", "min(32768, 4096) x 4".
std::string tokensFormula(const Scenario &scenario, TokenCount limit)
{
    const auto capped = [limit](TokenCount tokens) {
        return limit < largestContext ? "min(" + number(tokens.value) + ", " + number(limit.value) + ")" : number(tokens.value);
    };
    const TokenCount prefix = std::min(scenario.sharedPrefix, scenario.context);
    if (prefix.value == 0)
        return capped(scenario.context) + " x " + number(scenario.batch);
    return "(" + capped(prefix) + " + " + capped(scenario.context - prefix) + " x " + number(scenario.batch) + ")";
}

std::string groupFormula(const Scenario &scenario, const LayerGroup &group, GroupShare share)
{
    const Format native = scenario.model->nativeFormat;
    std::string perToken;
    if (share.layers > share.kept)
        perToken = perTokenFormula(group, share.layers - share.kept, keyFormat(scenario), valueFormat(scenario));
    if (share.kept > 0)
        perToken = joined(perToken, perTokenFormula(group, share.kept, native, native));
    std::string all = perToken;
    if (group.indexKeyDim > 0)
        all = joined(all, number(share.layers) + " x " + number(group.indexKeyDim) + " x " + bytesAnElement(native));
    const std::string every = group.compression.value > 1 ? " / " + number(group.compression.value) : "";
    const auto bracketed = [](const std::string &sum) { return sum.find(" + ") == std::string::npos ? sum : "(" + sum + ")"; };
    std::string formula = bracketed(all) + " x " + tokensFormula(scenario, tokenLimit(group, scenario)) + every;
    if (hasCompressedWindow(group))
        formula = joined(formula, bracketed(perToken) + " x " + tokensFormula(scenario, group.window));
    return formula;
}

Bytes valueOf(const CacheTerms &terms, const Scenario &scenario)
{
    return CacheCurve{{terms.only(Part::Kv)}}.at(scenario.context, scenario.batch);
}

/// One line a kind of layer, then what comes on top: scales, the encoder's cache, copies on several devices.
void explainCache(std::vector<Explanation> &lines, const Scenario &scenario, const Plan &plan)
{
    const ModelSpec &model = *scenario.model;
    const char *figure = "kv.total_bytes";
    const std::vector<GroupShare> shares = sharesOf(scenario, {0, model.layerCount()});
    Scenario bare = scenario;
    bare.kv.scales = KvScales::None;
    Bytes sum;
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        const LayerGroup &group = model.groups[g];
        if (!group.hasCache())
            continue;
        CacheTerms terms(scenario.sharedPrefix);
        addTokenCache(terms, bare, group, shares[g], 1);
        const Citation cited = citationOf(group);
        const Bytes value = valueOf(terms, scenario);
        lines.push_back({figure, cited.rule, groupFormula(scenario, group, shares[g]), value, cited.source, Confidence::Exact});
        sum += value;
    }
    const auto addRest = [&](const char *rule, Bytes total, const char *source) {
        if (total == sum)
            return;
        lines.push_back({figure, rule, number(total.value) + " - " + number(sum.value) + " B", total - sum, source, Confidence::Exact});
        sum = total;
    };
    const Stage whole{0, model.layerCount()};
    addRest("kv.cross", valueOf(cacheOf(bare, whole, 1, scenario.sharedPrefix), scenario), "Vaswani et al. 2017, arXiv:1706.03762");
    addRest("kv.scales", valueOf(cacheOf(scenario, whole, 1, scenario.sharedPrefix), scenario), "computed");
    addRest("kv.copies", plan.kv.total, "Shoeybi et al. 2019, arXiv:1909.08053");
}

void explainState(std::vector<Explanation> &lines, const ModelSpec &model, Bytes perSequence)
{
    std::string formula;
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        const RecurrentState &state = model.groups[g].state;
        if (state.kind == Recurrence::None)
            continue;
        formula =
            joined(formula, number(counts[g]) + " x (" + number(state.convChannels) + " x " + number(std::max(0, state.convKernel - 1)) +
                                " x " + bytesAnElement(model.nativeFormat) + " + " + number(state.elements) + " x " +
                                bytesAnElement(state.alwaysF32 ? Format::F32 : model.nativeFormat) + ")");
    }
    lines.push_back({"kv.state_bytes_per_sequence", "state.recurrent", formula, perSequence,
                     "Gu and Dao 2023, arXiv:2312.00752; Yang et al. 2024, arXiv:2412.06464", Confidence::Exact});
}

void explainWeights(std::vector<Explanation> &lines, const Scenario &scenario)
{
    const ModelSpec &model = *scenario.model;
    const WeightBytes weights = weightBytes(model, scenario.weights);
    if (weights.measured) {
        lines.push_back({"weights", "weights.measured", number(weights.total.value) + " B", weights.total,
                         scenario.weights.measured ? "given" : model.measuredSource, Confidence::Exact});
        return;
    }
    // Parameters by the format they are in: "6979321856 x 133/256 B + 1050939392 x 2 B".
    std::string formula;
    for (std::size_t f = 0; f < weights.elements.size(); ++f)
        if (weights.elements[f] > 0)
            formula = joined(formula, number(weights.elements[f]) + " x " + bytesAnElement(static_cast<Format>(f)));
    if (weights.mixed) {
        lines.push_back({"weights", "weights.tensors", formula, weights.total, "llama.cpp 2026-08-18, quantiser", Confidence::Exact});
        return;
    }
    const bool mixed = formula.find(" + ") != std::string::npos;
    lines.push_back({"weights", mixed ? "weights.matrices" : "weights.every", formula, weights.total, "computed", Confidence::Exact});
}

} // namespace

std::vector<Explanation> explainFormula(const Scenario &scenario, const Compiled &compiled, const Plan &plan)
{
    const ModelSpec &model = *scenario.model;
    std::vector<Explanation> lines;
    explainCache(lines, scenario, plan);
    lines.push_back({"kv.bytes_per_token", "kv.per_token", number(compiled.kvPerToken.value) + " B", compiled.kvPerToken, "computed",
                     Confidence::Exact});
    if (compiled.statePerSequence.value > 0)
        explainState(lines, model, compiled.statePerSequence);
    if (model.parametersKnown || scenario.weights.measured || model.measuredWeights)
        explainWeights(lines, scenario);
    if (const DevicePlan *device = plan.binding()) {
        const Bytes reserve = device->usable - scenario.inUse - device->budget;
        lines.push_back({"devices.budget_bytes", "budget",
                         number(device->usable.value) + " - " + number(scenario.inUse.value) + " - " + number(reserve.value) + " B",
                         device->budget, "computed", Confidence::Exact});
    }
    return lines;
}

} // namespace kvscope
