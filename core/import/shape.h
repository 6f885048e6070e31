// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/family.h"

#include <vector>

namespace kvscope {

/// Heads of one kind of attention layer.
struct HeadShape {
    std::int64_t heads = 0, kvHeads = 0, keyDim = 0, valueDim = 0;
};

/// What the matrices of the family's recurrence are cut to; which fields count depends on its kind. 0 = it has none.
struct RecurrentShape {
    std::int64_t inner = 0;    ///< channels of the mixer's output
    std::int64_t heads = 0;    ///< value heads; `inner` over their width
    std::int64_t keyHeads = 0; ///< GatedDelta
    std::int64_t keyDim = 0;   ///< GatedDelta, KDA: a key head's width
    std::int64_t groups = 0;   ///< Mamba2
    std::int64_t stateSize = 0, stepRank = 0, kernel = 0;
    bool convBias = false;
    bool norm = true; ///< Mamba2: the gated norm
};

/// The numbers of a config that hold for all its layers (8.2). 0 = the model has none.
struct Shape {
    const Family *family = nullptr;
    std::int64_t layers = 0, hidden = 0, vocabulary = 0, context = 0;
    bool tied = false;
    bool gated = true;
    HeadShape full, sliding;
    std::int64_t window = 0, chunk = 0;
    bool qkvBias = false, outputBias = false, ffnBias = false;
    bool qkNorm = false, headGate = false, valueIsKey = false, fullSinks = false, slidingSinks = false;
    int norms = 2; ///< a layer
    // MLA and its indexer
    std::int64_t queryRank = 0, latent = 0, rope = 0, nope = 0, indexHeads = 0, indexDim = 0;
    // feed forward
    std::int64_t ffn = 0; ///< width of a dense layer's
    std::int64_t experts = 0, expertsPerToken = 0, expertWidth = 0, sharedWidth = 0, expertLatent = 0, zeroExperts = 0;
    bool scoreBias = false;
    std::int64_t mtpLayers = 0;
    RecurrentState state;
    RecurrentShape recurrent;
    RoleCounts stateParameters; ///< of one layer's recurrence
};

/// Reads the shape by the names of 8.2 in their order; errors stay in `fields`.
Shape readShape(Fields &fields, const Family &family);

/// The recurrence of the family's State and Hybrid layers: its state and its parameters (2.7, 8.5).
void readRecurrence(Fields &fields, Shape &shape);

/// Which layer is what.
struct LayerPlan {
    std::vector<LayerKind> kinds;
    std::vector<bool> sparse;                ///< experts instead of a dense FFN
    std::vector<bool> ownsKv;                ///< false: reads an earlier layer's cache
    std::vector<bool> indexed;               ///< keeps index keys of its own
    std::vector<std::int64_t> compression{}; ///< DeepSeek V4: tokens to a compressed latent, 0 = none; empty for other families
};

/// Reads the lists and rules of 8.2 and 8.3.
LayerPlan planLayers(Fields &fields, const Shape &shape);

/// Layer `index` by the common rules, then mended by the family.
LayerGroup buildLayer(Fields &fields, const Shape &shape, const LayerPlan &plan, std::size_t index);

/// The feed-forward part of a layer: dense or experts.
RoleCounts feedForward(const Shape &shape, bool sparse);

/// The parameters of one attention of `kind` with all that the family hangs on it.
RoleCounts attentionOf(const Shape &shape, LayerKind kind, bool ownsKv);

} // namespace kvscope
