// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppwidths.h"

#include <algorithm>

namespace kvscope::llamacpp {

namespace {

constexpr std::int64_t real = 4; // bytes of an f32 activation

bool attends(const GgufLayer &layer) { return layer.kvHeads > 0 && (layer.holdsKv || !layer.recurrent); }

/// Linear attention by a delta rule keeps its state in the shape of attention heads, not of a scan.
bool deltaRule(const GgufLayers &all) { return all.architecture->recurrent == RecurrentLayers::BetweenIntervals; }

std::int64_t headsOf(const GgufLayers &all, const GgufLayer &layer)
{
    return real * layer.heads * (all.latent ? all.latentValueDim : layer.valueDim);
}

} // namespace

Widths widthsOf(const Run &run, const std::vector<std::size_t> &layers)
{
    const GgufLayers &all = run.layers;
    Widths w;
    w.embedding = real * all.embedding;
    for (const std::size_t index : layers) {
        const GgufLayer &layer = all.layers[index];
        w.firstBlock = w.firstBlock || index == 0;
        if (attends(layer)) {
            w.attention = true;
            w.heads = std::max(w.heads, headsOf(all, layer));
            w.queries = std::max(w.queries, real * layer.heads * (all.latent ? all.latentKeyDim : layer.keyDim));
        }
        w.recurrence = w.recurrence || layer.recurrent;
        w.experts = w.experts || layer.experts;
        if (!layer.experts && layer.ffn > 0) {
            w.dense = true;
            w.ffn = std::max(w.ffn, real * layer.ffn);
            w.gatedFfn = layer.gatedFfn;
        }
    }
    if (!all.layers.empty() && (attends(all.layers.front()) || all.latent))
        w.firstHeads = w.heads;
    w.headsBesideFfn = w.firstBlock || (!all.layers.empty() && headsOf(all, all.layers.front()) < w.heads) ? w.firstHeads : 0;
    return w;
}

std::int64_t Widths::feedForward() const { return gatedFfn ? 2 * embedding + headsBesideFfn + 3 * ffn : 2 * embedding + ffn; }

std::int64_t expertBytes(const Run &run, const Widths &w, bool elsewhere)
{
    const GgufLayers &all = run.layers;
    const std::int64_t base = 2 * w.embedding + w.firstHeads;
    const std::int64_t given = all.expertsUsed * w.embedding; // one embedding an expert
    const std::int64_t shared = 3 * real * all.sharedFfn;
    if (elsewhere)
        return base + std::max(all.gatedSharedExpert ? 2 * given : given, shared > 0 ? w.embedding + shared : 0);
    const std::int64_t inner = real * all.expertFfn * all.expertsUsed; // up, gate and their product
    std::int64_t bytes = base + 3 * inner;
    if (2 * inner < given) { // what the experts give does not fit where up and gate were
        bytes += given;
        if (shared > 0 && inner <= w.firstHeads) // a shared expert leaves the place of the heads to "up"
            bytes -= inner;
        if (all.gatedSharedExpert)
            bytes += w.embedding;
    }
    if (all.architecture->weighsExpertsFirst)
        bytes += given;
    return std::max(bytes, base + shared);
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
    if (all.wkvHead > 0)
        return 18 * w.embedding;
    if (all.stateInner == 0)
        return 0; // a short convolution is narrower than the feed-forward network
    if (all.stateGroups == 0)
        return 24 * all.stateInner;
    // What the short convolution reads and writes; a delta rule needs one tensor of it less than a scan.
    const std::int64_t conv = all.stateInner + 2 * all.stateGroups * all.stateSize;
    const std::int64_t convs = deltaRule(all) ? 2 : 3;
    return real * (convs * conv + 5 * all.stateInner / 2 + all.stateRank) + w.embedding;
}

std::int64_t recurrentSlotBytes(const Run &run)
{
    const GgufLayers &all = run.layers;
    std::int64_t state = 0;
    for (const GgufLayer &layer : all.layers)
        state = std::max(state, real * (layer.convState + layer.matrixState));
    return all.stateGroups == 0 ? 0 : deltaRule(all) ? 2 * state : state;
}

std::int64_t sideBytes(const Run &run, const Widths &w)
{
    const GgufLayers &all = run.layers;
    return all.sideEmbedding > 0 ? real * all.sideEmbedding * all.blocks + 3 * w.embedding : 0;
}

SparseBytes sparseBytes(const Run &run, const Widths &w)
{
    const GgufLayers &all = run.layers;
    std::int64_t indexKey = 0, latentKey = 0;
    for (const GgufLayer &layer : all.layers) {
        indexKey = std::max(indexKey, layer.indexKeyRow);
        latentKey = std::max(latentKey, real * layer.heads * layer.keyDim);
    }
    if (all.architecture->compressed) // scores and mask of one compressed cell for four tokens; streams of hyper connections
        return {w.heads + 6 * w.embedding, 2};
    const std::int64_t inputs = 3 * w.embedding;
    switch (all.architecture->indexer) {
    case IndexerCache::None: return {};
    case IndexerCache::AfterDense: return {inputs, real + 2 * real * all.indexHeads}; // scores of each index head, twice, and their choice
    case IndexerCache::Keys:
    case IndexerCache::KeysWhereTyped: // scores of all index heads together
        return {inputs + latentKey + 2 * real * all.indexHeads * indexKey, 6};
    }
    return {};
}

} // namespace kvscope::llamacpp
