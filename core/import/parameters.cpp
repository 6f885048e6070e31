// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/parameters.h"

namespace kvscope {

namespace {

void add(RoleCounts &counts, Role role, Count n) { counts[role] = saturatingAdd(counts[role], n.value); }

} // namespace

RoleCounts attentionParameters(const AttentionBlock &b)
{
    const Count query = b.heads * b.keyDim;
    const Count key = b.ownsKeys ? b.kvHeads * b.keyDim : Count{0};
    const Count value = b.ownsKeys ? b.kvHeads * b.valueDim : Count{0};
    RoleCounts counts;
    add(counts, Role::Attention, b.hidden * (query * (b.outputGate ? 2 : 1) + key + (b.valueIsKey ? Count{0} : value)));
    add(counts, Role::Attention, b.heads * b.valueDim * b.hidden);
    if (b.headGate)
        add(counts, Role::Attention, b.hidden * b.heads);
    if (b.qkvBias)
        add(counts, Role::Small, query + value + (b.keyBias ? key : Count{0}));
    if (b.outputBias)
        add(counts, Role::Small, b.hidden);
    if (b.sinks)
        add(counts, Role::Small, b.heads);
    switch (b.qkNorm) {
    case QkNorm::None: break;
    case QkNorm::PerHead: add(counts, Role::Small, 2 * b.keyDim); break;
    case QkNorm::FullWidth: add(counts, Role::Small, query + key); break;
    case QkNorm::QueryPerHead: add(counts, Role::Small, b.keyDim); break;
    }
    return counts;
}

RoleCounts latentParameters(const LatentBlock &b)
{
    const Count queryDim = b.nope + b.rope;
    const Count q = b.queryRank;
    RoleCounts counts;
    if (b.queryRank > 0) {
        add(counts, Role::Attention, b.hidden * q + q * b.heads * queryDim);
        add(counts, Role::Small, q);
    } else {
        add(counts, Role::Attention, b.hidden * b.heads * queryDim);
    }
    add(counts, Role::Attention,
        b.hidden * (b.latent + b.rope) + b.latent * b.heads * (b.nope + b.valueDim) + b.heads * b.valueDim * b.hidden);
    add(counts, Role::Small, b.latent);
    if (b.indexHeads.value > 0) {
        add(counts, Role::Attention, q * b.indexHeads * b.indexDim + b.hidden * b.indexDim + b.hidden * b.indexHeads);
        add(counts, Role::Small, 2 * b.indexDim);
    }
    return counts;
}

RoleCounts compressedParameters(const CompressedBlock &b)
{
    RoleCounts counts;
    add(counts, Role::Attention,
        b.hidden * b.queryRank + b.queryRank * b.heads * b.headDim + b.hidden * b.headDim + b.heads * b.headDim * b.outputRank +
            b.outputGroups * b.outputRank * b.hidden);
    add(counts, Role::Small, b.queryRank + b.headDim + b.heads);
    if (b.ratio == 4) {
        add(counts, Role::Attention, 4 * b.hidden * b.headDim);
        add(counts, Role::Small, 8 * b.headDim + b.headDim);
        add(counts, Role::Attention, 4 * b.hidden * b.indexDim + b.queryRank * b.indexHeads * b.indexDim + b.hidden * b.indexHeads);
        add(counts, Role::Small, 8 * b.indexDim + b.indexDim);
    } else if (b.ratio > 0) {
        add(counts, Role::Attention, 2 * b.hidden * b.headDim);
        add(counts, Role::Small, b.ratio * b.headDim + b.headDim);
    }
    const Count c = b.streams;
    add(counts, Role::Small, 2 * ((2 + c) * c * c * b.hidden + (2 + c) * c + 3));
    return counts;
}

RoleCounts ffnParameters(Count hidden, Count width, bool gated, bool bias, Role role)
{
    RoleCounts counts;
    const Count inputs = gated ? 2 : 1;
    add(counts, role, (inputs + 1) * hidden * width);
    if (bias)
        add(counts, Role::Small, inputs * width + hidden);
    return counts;
}

RoleCounts moeParameters(const MoeBlock &b)
{
    const Count matrices = b.gated ? 3 : 2;
    const Count inner = b.latent.value > 0 ? b.latent : b.hidden;
    RoleCounts counts;
    add(counts, Role::Experts, b.experts * (matrices * inner * b.width));
    add(counts, Role::Router, b.hidden * (b.experts + b.zeroExperts));
    if (b.latent.value > 0)
        add(counts, Role::Ffn, 2 * b.hidden * b.latent);
    if (b.sharedWidth.value > 0)
        add(counts, Role::SharedExperts, matrices * b.hidden * b.sharedWidth);
    if (b.sharedGate)
        add(counts, Role::Router, b.hidden);
    if (b.scoreBias)
        add(counts, Role::Small, b.experts + b.zeroExperts);
    if (b.routerBias)
        add(counts, Role::Small, b.experts);
    if (b.expertBias)
        add(counts, Role::Small, b.experts * ((b.gated ? 2 : 1) * b.width + inner));
    return counts;
}

RoleCounts mamba1Parameters(const Mamba1Block &b)
{
    const Count r = b.stepRank;
    const Count n = b.stateSize;
    RoleCounts counts;
    add(counts, Role::Recurrent, 2 * b.hidden * b.inner + b.inner * (r + 2 * n) + r * b.inner + b.inner * b.hidden);
    // A and D, the step's bias, the convolution
    add(counts, Role::Small, b.inner * b.kernel + (b.convBias ? b.inner : Count{0}) + b.inner + b.inner * n + b.inner);
    if (b.norms)
        add(counts, Role::Small, r + 2 * n);
    return counts;
}

RoleCounts mamba2Parameters(const Mamba2Block &b)
{
    const Count inner = b.heads * b.headDim;
    const Count conv = inner + 2 * b.groups * b.stateSize;
    RoleCounts counts;
    add(counts, Role::Recurrent, b.hidden * (inner + conv + b.heads) + inner * b.hidden);
    add(counts, Role::Small, conv * b.kernel + (b.convBias ? conv : Count{0}) + 3 * b.heads + (b.norm ? inner : Count{0}));
    if (b.projectionBias)
        add(counts, Role::Small, inner + conv + b.heads + b.hidden);
    return counts;
}

RoleCounts gatedDeltaParameters(const GatedDeltaBlock &b)
{
    const Count keys = b.keyHeads * b.keyDim;
    const Count values = b.valueHeads * b.valueDim;
    RoleCounts counts;
    add(counts, Role::Recurrent, b.hidden * (2 * keys + 2 * values) + 2 * b.hidden * b.valueHeads + values * b.hidden);
    add(counts, Role::Small, (2 * keys + values) * b.kernel + 2 * b.valueHeads + b.valueDim);
    return counts;
}

RoleCounts kdaParameters(const KdaBlock &b)
{
    const Count p = b.heads * b.headDim;
    const Count thinGate = b.hidden * b.headDim + b.headDim * p;
    RoleCounts counts;
    add(counts, Role::Recurrent,
        3 * b.hidden * p + thinGate + (b.fullRankGate ? b.hidden * p : thinGate) + b.hidden * b.heads + p * b.hidden);
    add(counts, Role::Small, 3 * p * b.kernel + p + b.heads + b.headDim);
    return counts;
}

RoleCounts linearAttentionParameters(Count hidden, Count heads, Count headDim)
{
    const Count p = heads * headDim;
    RoleCounts counts;
    add(counts, Role::Recurrent, 5 * hidden * p);
    add(counts, Role::Small, p);
    return counts;
}

RoleCounts shortConvParameters(Count hidden, Count kernel, bool bias)
{
    RoleCounts counts;
    add(counts, Role::Recurrent, 4 * hidden * hidden);
    add(counts, Role::Small, hidden * kernel + (bias ? 5 * hidden : Count{0}));
    return counts;
}

RoleCounts rglruParameters(Count hidden, Count width, Count heads, Count kernel)
{
    const Count block = heads.value > 0 ? Count{width.value / heads.value} : Count{0};
    RoleCounts counts;
    add(counts, Role::Recurrent, 3 * hidden * width + 2 * width * block);
    add(counts, Role::Small, 2 * width + hidden + width * kernel + width + 2 * width + width);
    return counts;
}

RoleCounts rwkvParameters(Count hidden, Count width, Count ffn)
{
    RoleCounts counts;
    add(counts, Role::Recurrent, 4 * hidden * width);
    add(counts, Role::Ffn, 2 * hidden * ffn + hidden * hidden);
    add(counts, Role::Small, 2 * width + 3 * hidden + 2 * hidden); // decay and first token's weight; mixes of both blocks
    return counts;
}

} // namespace kvscope
