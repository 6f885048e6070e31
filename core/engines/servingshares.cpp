// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/servingshares.h"

namespace kvscope::serving {

namespace {

/// Projections into K and V: replicated once the ranks outnumber the heads.
std::int64_t attentionOnRank(const Run &run, const LayerGroup &group)
{
    const std::int64_t all = group.parameters[Role::Attention];
    const std::int64_t hidden = run.model->hidden;
    const int tensor = run.attentionTensor();
    if (group.mixer == Mixer::Latent) { // the down projections are replicated, and so is an indexer
        const std::int64_t heads = group.queryHeads;
        const std::int64_t query = group.queryLatentDim > 0 ? hidden * group.queryLatentDim : 0;
        const std::int64_t down = query + hidden * (group.latentDim + group.ropeDim);
        const std::int64_t from = group.queryLatentDim > 0 ? group.queryLatentDim : hidden;
        const std::int64_t nope = group.keyDim - group.ropeDim;
        const bool plain = group.compression.value == 1 && group.window.value == 0;
        const std::int64_t split = plain ? heads * (from * group.keyDim + std::int64_t{group.latentDim} * (nope + group.valueDim) +
                                                    std::int64_t{group.valueDim} * hidden)
                                         : all - down;
        return all - split + share(split, tensor);
    }
    const std::int64_t keyValue = group.mixer == Mixer::Shared ? 0 : hidden * group.kvHeads * (group.keyDim + group.valueDim);
    if (keyValue == 0 || keyValue >= all || group.kvHeads >= tensor)
        return share(all, tensor);
    return share(all - keyValue, tensor) + keyValue / group.kvHeads;
}

std::int64_t expertsOnRank(const Run &run, const LayerGroup &group)
{
    const std::int64_t all = group.parameters[Role::Experts];
    const std::int64_t experts = run.model->experts;
    if (experts == 0)
        return share(all, run.tensor());
    if (run.split.expert > 1)
        return all / experts * ceilDivide(experts, run.expertRanks());
    return share(all, run.expertRanks());
}

/// Two projections into and out of the narrower width that experts work in, whole on every rank, stand beside experts as their dense part
/// (NemotronH: `fc1_latent_proj` and `fc2_latent_proj` are ReplicatedLinear in vLLM's and SGLang's nemotron_h.py).
bool projectsForExperts(const Run &run, const LayerGroup &group)
{
    const ModelSpec &model = *run.model;
    const std::int64_t rows = std::int64_t{model.experts} * (model.gatedFfn ? 3 : 2) * model.expertIntermediate;
    return rows > 0 && group.parameters[Role::Experts] > 0 && group.parameters[Role::Experts] / rows < model.hidden;
}

/// Vectors are whole on every rank, but for the experts' biases: dealt out with them, or those of the inner side split like it.
std::int64_t vectorsOnRank(const Run &run, const LayerGroup &group)
{
    const ModelSpec &model = *run.model;
    const std::int64_t all = group.parameters[Role::Small];
    if (model.expertVectors == 0 || group.parameters[Role::Experts] == 0)
        return all;
    const std::int64_t inputs = model.gatedFfn ? 2 : 1;
    const std::int64_t outer = std::int64_t{model.experts} * model.hidden;
    const std::int64_t inner = std::int64_t{model.experts} * inputs * model.expertIntermediate;
    if (all < outer + inner)
        return all;
    const std::int64_t others = all - outer - inner;
    if (run.split.expert > 1)
        return others + (outer + inner) / model.experts * share(model.experts, run.expertRanks());
    return others + outer + share(inner, run.expertRanks());
}

} // namespace

std::int64_t share(std::int64_t elements, std::int64_t ranks) { return ceilDivide(elements, ranks); }

std::int64_t elementsOnRank(const Run &run, const LayerGroup &group, Role role)
{
    switch (role) {
    case Role::Attention: return attentionOnRank(run, group);
    case Role::Experts: return expertsOnRank(run, group);
    case Role::Recurrent: return share(group.parameters[role], run.attentionTensor());
    case Role::Router: return group.parameters[role];
    case Role::Ffn: return projectsForExperts(run, group) ? group.parameters[role] : share(group.parameters[role], run.tensor());
    case Role::Small: return vectorsOnRank(run, group);
    default: return share(group.parameters[role], run.tensor());
    }
}

} // namespace kvscope::serving
