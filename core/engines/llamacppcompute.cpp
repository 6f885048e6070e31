// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppcompute.h"

#include <algorithm>

namespace kvscope::llamacpp {

namespace {

constexpr std::int64_t real = 4; // bytes of an f32 activation

/// Bytes of one token of a micro-batch, by what is alive at a step (5.2).
struct Widths {
    std::int64_t embedding = 0; ///< Eb
    std::int64_t heads = 0;     ///< Qb
    std::int64_t ffn = 0;       ///< Fb, widest dense layer
    bool gated = true;
    std::int64_t side = 0; ///< embeddings beside the main ones
    bool dense = false, experts = false, attention = false, recurrence = false;
};

Widths widthsOf(const Run &run, const std::vector<std::size_t> &layers)
{
    const GgufLayers &all = run.layers;
    Widths w;
    w.embedding = real * all.embedding;
    for (const std::size_t index : layers) {
        const GgufLayer &layer = all.layers[index];
        const bool attends = layer.kvHeads > 0 && (layer.holdsKv || !layer.recurrent);
        if (attends) {
            w.attention = true;
            w.heads = std::max(w.heads, real * layer.heads * (all.latent ? all.latentValueDim : layer.valueDim));
        }
        w.recurrence = w.recurrence || layer.recurrent;
        w.experts = w.experts || layer.experts;
        if (!layer.experts && layer.ffn > 0) {
            w.dense = true;
            w.ffn = std::max(w.ffn, real * layer.ffn);
            w.gated = layer.gatedFfn;
        }
    }
    if (all.sideEmbedding > 0)
        w.side = real * all.sideEmbedding * all.blocks + 3 * w.embedding;
    return w;
}

std::int64_t ffnBytes(const Widths &w) { return 2 * w.embedding + (w.gated ? w.heads + 3 * w.ffn : w.ffn); }

std::int64_t expertBytes(const Run &run, const Widths &w)
{
    const std::int64_t used = run.layers.expertsUsed;
    return 2 * w.embedding + w.heads + std::max(3 * real * run.layers.expertFfn * used, 2 * used * w.embedding + w.embedding);
}

std::int64_t attentionBytes(const Run &run, const Widths &w, const std::vector<std::size_t> &layers)
{
    const GgufLayers &all = run.layers;
    if (!all.latent)
        return 2 * w.embedding + 2 * w.heads;
    std::int64_t widest = 0;
    for (const std::size_t index : layers) {
        const GgufLayer &layer = all.layers[index];
        widest = std::max(widest, real * layer.heads * (layer.keyDim + layer.valueDim + all.latentKeyDim));
    }
    return widest + 4 * w.embedding;
}

std::int64_t recurrentBytes(const Run &run, const Widths &w)
{
    const GgufLayers &all = run.layers;
    if (all.stateInner == 0)
        return 18 * w.embedding;
    if (all.stateGroups == 0)
        return 24 * all.stateInner;
    const std::int64_t conv = all.stateInner + 2 * all.stateGroups * all.stateSize;
    return real * (3 * conv + 3 * all.stateInner + all.stateRank) + w.embedding;
}

/// Masks, and without flash attention the places of V, that lie there all the time.
void addInputs(const Run &run, Phase &phase)
{
    if (!run.layers.holdsKv())
        return;
    const std::int64_t mask = (run.flash ? 2 : 4) * run.ubatch;
    phase.terms.push_back(run.streamTerm(Part::Activation, CellKind::Dense, Bytes{mask}));
    if (run.layers.windows())
        phase.terms.push_back(run.streamTerm(Part::Activation, CellKind::Windowed, Bytes{mask}));
    if (!run.flash && !run.layers.latent)
        phase.terms.push_back(run.tokenTerm(Part::Activation, Bytes{8 * run.widestValueRow() * (run.layers.windows() ? 2 : 1)}));
}

/// Scores of one layer, for all cells (without flash attention).
void addScores(const Run &run, const std::vector<std::size_t> &layers, std::vector<ComputeMoment> &moments, const Phase &base)
{
    std::int64_t dense = 0, windowed = 0;
    for (const std::size_t index : layers) {
        const GgufLayer &layer = run.layers.layers[index];
        if (layer.kvHeads == 0)
            continue;
        std::int64_t &heads = run.windowed(layer) ? windowed : dense;
        heads = std::max<std::int64_t>(heads, layer.heads);
    }
    for (const auto &[kind, heads] : {std::pair{CellKind::Dense, dense}, std::pair{CellKind::Windowed, windowed}}) {
        if (heads == 0)
            continue;
        Phase phase = base;
        phase.terms.push_back(run.streamTerm(Part::Activation, kind, Bytes{real * heads * run.ubatch}));
        moments.push_back({Moment::Attention, std::move(phase)});
    }
}

/// Rows of logits that a micro-batch may ask for (5.3).
CurveTerm logits(const Run &run)
{
    const Bytes row{real * run.layers.vocab + real * run.layers.embedding};
    return run.rules.logitsOfAllTokens() ? run.tokenTerm(Part::Activation, row)
                                         : run.slotTerm(Part::Activation, row * (1 + run.draftTokens));
}

} // namespace

std::vector<ComputeMoment> computeMoments(const Run &run, const Placement &placement, int device, bool kvOnHost)
{
    (void)kvOnHost;
    const Share &share = placement.share(device);
    std::vector<ComputeMoment> moments;
    if (share.output) {
        Phase phase;
        phase.terms.push_back(logits(run));
        moments.push_back({Moment::Logits, std::move(phase)});
    }
    Phase inputs;
    addInputs(run, inputs);
    if (share.layers.empty()) {
        if (device == onHost) { // what is fed to the devices
            inputs.terms.push_back(run.tokenTerm(Part::Activation, Bytes{2 * real * run.layers.embedding}));
            moments.push_back({Moment::Inputs, std::move(inputs)});
        }
        return moments;
    }
    const Widths w = widthsOf(run, share.layers);
    const std::int64_t own = device == onHost ? w.embedding : 0;
    const auto with = [&](std::int64_t bytes) {
        Phase phase = inputs;
        phase.terms.push_back(run.tokenTerm(Part::Activation, Bytes{bytes + w.side + own}));
        return phase;
    };
    if (w.dense)
        moments.push_back({Moment::FeedForward, with(ffnBytes(w))});
    if (w.experts)
        moments.push_back({Moment::FeedForward, with(expertBytes(run, w))});
    if (w.attention) {
        if (run.flash)
            moments.push_back({Moment::Attention, with(attentionBytes(run, w, share.layers))});
        else
            addScores(run, share.layers, moments, with(attentionBytes(run, w, share.layers)));
    }
    if (w.recurrence)
        moments.push_back({Moment::Recurrence, with(recurrentBytes(run, w))});
    return moments;
}

CurveTerm outputBuffer(const Run &run) { return run.slotTerm(Part::Activation, Bytes{real * run.layers.vocab}); }

ComputeRange computeRange(const Run &) { return {0.05, 0.05}; }

} // namespace kvscope::llamacpp
