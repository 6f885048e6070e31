// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/shape.h"

namespace kvscope {

namespace {

bool hasAttention(LayerKind kind)
{
    return kind == LayerKind::Full || kind == LayerKind::Sliding || kind == LayerKind::Chunked || kind == LayerKind::Hybrid;
}

bool hasState(LayerKind kind) { return kind == LayerKind::State || kind == LayerKind::Hybrid; }

const HeadShape &headsOf(const Shape &shape, LayerKind kind) { return kind == LayerKind::Sliding ? shape.sliding : shape.full; }

/// The cache of a layer with attention.
void placeAttention(LayerGroup &group, const Shape &shape, const LayerPlan &plan, std::size_t index)
{
    const LayerKind kind = plan.kinds[index];
    const HeadShape &heads = headsOf(shape, kind);
    group.queryHeads = static_cast<int>(heads.heads);
    group.kvHeads = static_cast<int>(heads.kvHeads);
    group.keyDim = static_cast<int>(heads.keyDim);
    group.valueDim = static_cast<int>(heads.valueDim);
    group.mixer = Mixer::Full;
    if (kind == LayerKind::Sliding) {
        group.mixer = Mixer::Sliding;
        group.window = {shape.window};
    } else if (kind == LayerKind::Chunked) {
        group.mixer = Mixer::Chunked;
        group.window = {shape.chunk};
    }
    if (shape.latent > 0) {
        group.mixer = Mixer::Latent;
        group.kvHeads = 1;
        group.latentDim = static_cast<int>(shape.latent);
        group.ropeDim = static_cast<int>(shape.rope);
        group.queryLatentDim = static_cast<int>(shape.queryRank);
    }
    if (plan.indexed[index])
        group.indexKeyDim = static_cast<int>(shape.indexDim);
    if (!plan.ownsKv[index])
        group.mixer = Mixer::Shared;
}

} // namespace

RoleCounts attentionOf(const Shape &shape, LayerKind kind, bool ownsKv)
{
    const Family &family = *shape.family;
    const HeadShape &heads = headsOf(shape, kind);
    AttentionBlock block;
    block.hidden = shape.hidden;
    block.heads = heads.heads;
    block.kvHeads = heads.kvHeads;
    block.keyDim = heads.keyDim;
    block.valueDim = heads.valueDim;
    block.qkvBias = shape.qkvBias;
    block.outputBias = shape.outputBias;
    block.ownsKeys = ownsKv;
    if (shape.qkNorm)
        block.qkNorm = ownsKv || family.qkNorm != QkNorm::PerHead ? family.qkNorm : QkNorm::QueryPerHead;
    block.outputGate = family.outputGate;
    block.headGate = shape.headGate;
    block.valueIsKey = shape.valueIsKey && kind == LayerKind::Full;
    block.sinks = kind == LayerKind::Sliding ? shape.slidingSinks : shape.fullSinks;
    return attentionParameters(block);
}

RoleCounts feedForward(const Shape &shape, bool sparse)
{
    if (!sparse)
        return ffnParameters(shape.hidden, shape.ffn, shape.gated, shape.ffnBias);
    MoeBlock block;
    block.hidden = shape.hidden;
    block.experts = shape.experts;
    block.width = shape.expertWidth;
    block.sharedWidth = shape.sharedWidth;
    block.latent = shape.expertLatent;
    block.zeroExperts = shape.zeroExperts;
    block.gated = shape.gated;
    block.scoreBias = shape.scoreBias;
    block.routerBias = shape.family->routerBias;
    block.expertBias = shape.family->expertBias;
    block.sharedGate = shape.family->sharedGate && shape.sharedWidth > 0;
    return moeParameters(block);
}

LayerGroup buildLayer(Fields &fields, const Shape &shape, const LayerPlan &plan, std::size_t index)
{
    const Family &family = *shape.family;
    const LayerKind kind = plan.kinds[index];
    LayerGroup group;
    group.mixer = Mixer::None;
    if (hasAttention(kind)) {
        placeAttention(group, shape, plan, index);
        if (shape.latent > 0) {
            const bool indexer = plan.indexed[index];
            group.parameters += latentParameters({shape.hidden, shape.full.heads, shape.queryRank, shape.latent, shape.rope, shape.nope,
                                                  shape.full.valueDim, indexer ? shape.indexHeads : 0, indexer ? shape.indexDim : 0});
        } else {
            group.parameters += attentionOf(shape, kind, plan.ownsKv[index]);
        }
    }
    if (hasState(kind)) {
        group.state = shape.state;
        group.parameters += shape.stateParameters;
    }
    if (!family.singleBlock || kind == LayerKind::Ffn || kind == LayerKind::Moe)
        group.parameters += feedForward(shape, plan.sparse[index]);
    if (family.denseBesideExperts && plan.sparse[index])
        group.parameters += feedForward(shape, false);
    group.parameters[Role::Small] += (Count{shape.norms} * family.normVectors * shape.hidden + family.layerScalars).value;
    if (family.adjustLayer)
        family.adjustLayer(fields, shape, plan, index, group);
    return group;
}

} // namespace kvscope
