// SPDX-License-Identifier: GPL-3.0-or-later
// What one layer takes for a token: spec/transformers.md 2, 4 and 5.
#include "core/engines/transformersbytes.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kvscope::transformers {

namespace {

bool cachesLatent(const Run &run, const LayerGroup &group)
{
    return group.mixer == Mixer::Latent && run.rules.latentCache() && group.indexKeyDim == 0;
}

/// K and V heads as attention sees them: MLA expands to all of them.
std::int64_t attendedHeads(const LayerGroup &group) { return group.mixer == Mixer::Latent ? group.queryHeads : group.kvHeads; }

} // namespace

bool attends(const LayerGroup &group) { return group.mixer != Mixer::None; }

bool repeats(const LayerGroup &group) { return attends(group) && group.queryHeads > attendedHeads(group); }

std::int64_t cacheBytes(const Run &run, const LayerGroup &group)
{
    if (!group.hasCache())
        return 0;
    if (cachesLatent(run, group))
        return (group.latentDim + group.ropeDim) * run.b;
    return (attendedHeads(group) * (group.keyDim + group.valueDim) + group.indexKeyDim) * run.b;
}

std::int64_t storedBytes(const Run &run, const LayerGroup &group, int layers)
{
    const std::int64_t plain = cacheBytes(run, group) * layers;
    if (run.cache != CacheClass::Quantized)
        return plain;
    // Groups of 64 elements with a scale and a shift in the model's dtype; HQQ packs ten 3-bit values into 32 bits. In tenths of a byte.
    const std::int64_t tenthsAGroup = (run.bits == 3 ? 256 : 80 * run.bits) + 20 * run.b;
    return ceilDivide(saturatingMultiply(plain / run.b, tenthsAGroup), 640);
}

std::int64_t stepBytes(const Run &run, const LayerGroup &group)
{
    if (!group.hasCache())
        return 0;
    if (run.cache == CacheClass::Quantized)
        return group.kvHeads * (4 * group.keyDim * run.b + group.keyDim + group.valueDim);
    if (cachesLatent(run, group))
        return std::max(group.latentDim, group.ropeDim) * run.b;
    return attendedHeads(group) * std::max(group.keyDim, group.valueDim) * run.b;
}

std::int64_t expansionBytes(const Run &run, const LayerGroup &group)
{
    if (group.mixer != Mixer::Latent)
        return 0;
    const std::int64_t nope = group.keyDim - group.ropeDim;
    const std::int64_t expanded = cachesLatent(run, group) ? 2 * nope + group.valueDim + group.ropeDim : 0;
    const std::int64_t padded = run.attention == AttentionKernel::Flash2 && group.keyDim != group.valueDim ? group.keyDim : 0;
    return group.queryHeads * (expanded + padded) * run.b;
}

std::int64_t repeatBytes(const Run &run, const LayerGroup &group)
{
    return std::int64_t{group.queryHeads} * (group.keyDim + group.valueDim) * run.b;
}

std::int64_t scoreBytes(const Run &run, const LayerGroup &group)
{
    if (!attends(group))
        return 0;
    return std::int64_t{group.queryHeads} * (run.dtype == Format::BF16 ? 10 : 8);
}

std::int64_t ffnBytes(const Run &run, const LayerGroup &group, bool embedding)
{
    const ModelSpec &model = *run.model;
    const std::int64_t hidden = model.hidden;
    std::int64_t largest = 0;
    if (group.parameters[Role::Ffn] > 0 || !model.parametersKnown)
        largest = run.b * ((model.gatedFfn ? 3 : 2) * std::int64_t{model.intermediate} + (embedding ? 4 : 3) * hidden);
    if (group.parameters[Role::Experts] > 0) {
        const std::int64_t grouped =
            run.b * (4 * hidden + model.expertsPerToken * std::max(hidden + 4 * std::int64_t{model.expertIntermediate}, 4 * hidden));
        const std::int64_t looped = run.b * 5 * hidden + std::int64_t{model.expertsPerToken} * model.experts * 8;
        largest = std::max(largest, run.rules.groupedExperts() ? grouped : looped);
    }
    return largest;
}

std::int64_t attentionBytes(const Run &run, const LayerGroup &group)
{
    if (!attends(group))
        return 0;
    const std::int64_t query = std::int64_t{group.queryHeads} * (3 * group.keyDim + group.valueDim);
    const std::int64_t own = attendedHeads(group) * (group.keyDim + group.valueDim);
    const std::int64_t norms = run.model->qkNorm ? 10 * std::int64_t{group.queryHeads} * group.keyDim : 0;
    return run.b * (3 * std::int64_t{run.model->hidden} + query + own) + norms;
}

std::int64_t rotaryBytes(const Run &run)
{
    const LayerGroup *group = run.model->mainGroup();
    if (!group)
        return 0;
    const bool twoKinds = run.model->family.starts_with("gemma3") || run.model->family.starts_with("gemma4"); // global and local
    return (twoKinds ? 2 : 1) * 2 * run.b * (group->mixer == Mixer::Latent ? group->ropeDim : group->keyDim);
}

bool allRows(const Run &run) { return run.forwardOnly || !run.rules.lastLogitsOnly(); }

std::int64_t logitBytes(const Run &run)
{
    const ModelSpec &model = *run.model;
    if (!run.forwardOnly)
        return model.vocab * (run.b + 4) + (allRows(run) ? model.hidden * run.b : 0);
    constexpr std::array<std::string_view, 6> alwaysFloat{"mamba", "mamba2", "mllama", "mllama_text_model", "nemotron_h", "blt"};
    const bool casts = run.rules.floatLogits() || std::ranges::find(alwaysFloat, model.family) != alwaysFloat.end();
    return model.vocab * (run.b + (casts ? 4 : 0)) + model.hidden * run.b;
}

Bytes stateBytes(const Run &run, const LayerGroup &group)
{
    const RecurrentState &state = group.state;
    const bool deltaRule = state.kind == Recurrence::GatedDelta || state.kind == Recurrence::KDA;
    const std::int64_t element = run.rules.floatStates() || deltaRule || state.alwaysF32 ? 4 : run.b;
    return Bytes{state.convChannels} * state.convKernel * run.b + Bytes{state.elements} * element;
}

} // namespace kvscope::transformers
