// SPDX-License-Identifier: GPL-3.0-or-later
// What vLLM, SGLang and TensorRT-LLM have in common: versions by date, splits, formats, KV bytes of a layer (spec/serving-engines.md 2, 4).
#pragma once

#include "core/engine.h"
#include "core/stages.h"

namespace kvscope::serving {

/// What a scenario comes to on these engines before any version counts.
struct Run {
    const ModelSpec *model = nullptr;
    const ModelSpec *draft = nullptr; ///< another model that drafts for it
    Split split;
    Format weights = Format::BF16; ///< of the matrices
    Format dtype = Format::BF16;   ///< of activations, states, and of what stays unquantised
    std::int64_t b = 2;            ///< bytes an element of dtype
    Format kv = Format::BF16;      ///< in force
    int drafts = 0;                ///< speculative tokens a step
    TokenCount encoderTokens;
    int keepFirst = 0, keepLast = 0; ///< layers whose cache stays in the model's dtype ...
    bool keepsLayers = false;        ///< ... where the engine can do so; the engine says
    int expertGroups = 1;            ///< groups of cards that share the experts out among them
    std::vector<Stage> stages;       ///< pipeline stages in order

    int tensor() const { return split.tensor; }
    /// Ranks that attention and states are split over: those of one replica (2.9).
    int attentionTensor() const { return split.dataInTensor ? split.tensor / split.data : split.tensor; }
    /// Ranks that routed experts are split over or dealt out to (4.1).
    int expertRanks() const { return split.tensor * expertGroups; }
    /// The stage of each layer, an index into `stages`.
    std::vector<std::size_t> stageOfLayers() const;
    /// Draft tokens come from prediction layers that the checkpoint ships: these are loaded too. Other drafting weights are not known.
    bool predicts() const { return drafts > 0 && !draft && model->outer[Role::Mtp] > 0; }
    bool mixtureOfExperts() const { return model->experts > 0; }
    bool hasMixer(Mixer mixer) const;
    bool hasStates() const;
    /// Sparse attention over latents: an indexer picks the tokens (2.2, DSA). Layers without one of their own share another's.
    bool isSparse() const;
    bool hasVision() const { return model->outer[Role::Vision] > 0; }
};

/// Error: ImpossibleSplit where the heads do not divide (2.1, 4.1), UnsupportedFormat where K and V differ.
Result<Run> runOf(const Scenario &scenario, const Split &split);

/// The dtype of activations beside weights of this format (2.3, 4.1: fp32 checkpoints are cast to 16 bit unless fp32 is asked for).
Format activationFormat(const ModelSpec &model, Format weights);
/// What is loaded by default: as stored where quantised, fp32 checkpoints in 16 bit (4.1).
Format loadedFormat(const ModelSpec &model);
/// `auto`: what the checkpoint declares for its cache, else the model's dtype (2.3).
Format automaticKv(const ModelSpec &model, Format dtype);
/// Adds blocks of every token of each sequence: `term` counts whole blocks of term.pad tokens. Those of a prefix that all sequences share are
/// there once.
void addBlocks(Phase &phase, CurveTerm term, TokenCount sharedPrefix);
/// The poorest device of each pipeline stage, all replicas counted.
std::vector<Device> devicesOfStages(const Run &run, const Cluster &cluster);

/// What holds on any of these engines: heads that are copied, options that they have not.
void addRunWarnings(const Run &run, const Scenario &scenario, std::vector<Warning> &warnings);

/// Rows of the vocabulary on a rank: padded to 64, then split (4.1).
std::int64_t vocabularyOnRank(const ModelSpec &model, int tensor);

/// The cache format of a scenario that does not name one.
Format defaultKv(const Scenario &scenario);
/// The run as one rank that holds the whole model.
Run wholeModel(const Run &run);

/// Splits over equal devices, best first: tensor parallelism as far as the heads allow, then pipeline stages (7.6).
std::vector<Split> splitsOf(const ModelSpec &model, int devices);

/// KV heads on one rank: whole, replicated once the ranks outnumber them (2.1).
std::int64_t kvHeadsOnRank(const LayerGroup &group, int tensor);
/// Bytes of K and V of one token in one layer on one rank (2.2, 2.3); MLA: the latent, not divided.
std::int64_t tokenBytes(const LayerGroup &group, int tensor, Format kv);
/// Bytes of one KV head's K and V as the format packs them, with the scales that lie beside them (2.3).
std::int64_t headBytes(std::int64_t keyDim, std::int64_t valueDim, Format kv);

/// One byte an element, no scales within the cache.
bool isFp8(Format kv);
/// One latent in the packed layout (fp8_ds_mla): fp8 elements, an fp32 scale for each 128 of them, the rotary part in 16 bit (2.2).
std::int64_t packedLatentBytes(const LayerGroup &group);

/// Recurrent state of one layer and sequence on one rank (2.7).
struct StateBytes {
    std::int64_t conv = 0;
    std::int64_t recurrent = 0;
    std::int64_t total() const { return saturatingAdd(conv, recurrent); }
};
StateBytes stateBytes(const Run &run, const LayerGroup &group, bool recurrentInF32);

} // namespace kvscope::serving
