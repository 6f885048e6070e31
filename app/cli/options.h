// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalog.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/scenario.h"

namespace kvscope::cli {

class CommandLine;

/// The scenario options of the terminal contract (spec/cli.md, "Scenario options"), as typed.
struct ScenarioOptions {
    using Text = std::optional<std::string>;

    Text scenario, save;
    Text model, layers, kvHeads, headDim, heads, params, draftModel;
    Text weights, weightsBytes;
    std::vector<std::string> engines;
    std::vector<std::string> gpus;
    Text gpuMemory, gpuBandwidth, gpuTflops, inUse, hostMemory, reserve;
    Text tensor, pipeline, expert, data, decodeContext, nodes, interconnect;
    bool dpAttention = false;
    Text context, batch, sharedPrefix, encoderLength;
    Text kvType, kvTypeKey, kvTypeValue, kvScales, kvKeep, sinks, window, offloadKv;
    bool kvZeroPoints = false;
    Text prompt, newTokens, attention, cache, cacheBits;
    Text ctxSize, parallel, kvUnified, batchSize, ubatch, gpuLayers, flashAttention, nCpuMoe, tensorSplit, backend;
    bool swaFull = false, noKvOffload = false, cpuMoe = false;
    Text gpuMemoryUtilization, memFractionStatic, freeGpuMemoryFraction, blockSize, maxNumBatchedTokens, maxNumSeqs, prefixCaching;
    Text draftTokens, givenKvBytes;
    bool enforceEager = false;

    void addTo(CommandLine &line);
    bool givesModel() const { return model || layers || kvHeads || headDim; }
    bool givesSplit() const { return tensor || pipeline || expert || data || decodeContext || dpAttention; }
    bool givesDevice() const { return !gpus.empty() || gpuMemory; }
    bool givesContext() const { return context || prompt || ctxSize || scenario; }
};

/// Where names and files are looked up.
struct Sources {
    const Catalog &catalog;
    std::istream &in; ///< what `-` reads
};

/// The scenario that the options describe, defaults filled in. Without a model or a device: MissingModel, MissingDevice, unless `partial`
/// (a sweep brings them by lists). Errors of a value name the option and the value.
Result<Scenario> scenarioFrom(const ScenarioOptions &options, const Sources &sources, bool partial = false);

/// What is to be said of the options as typed under these engines: those that none of them has, and token counts that vLLM would read otherwise.
std::vector<Warning> remarksOn(const ScenarioOptions &options, std::span<const EngineChoice> engines);

/// Tokens a sequence where nobody says: the model's own limit, at most 32768.
TokenCount defaultContext(const ModelSpec *model);

/// All of what `-` stands for. Errors: FileEmpty, FileTooLarge beyond what a JSON file may have.
Result<std::string> readStandardInput(std::istream &in);
/// `WHAT` of --model: "-" (a config on standard input), a path, a catalogue id or Hugging Face id.
Result<ModelSpec> modelNamed(const std::string &what, const Sources &sources);
/// A model by --layers, --kv-heads, --head-dim and what goes with them.
Result<ModelSpec> modelByHand(const ScenarioOptions &options);
/// `NAME`, `NAME xN`, `NAME + NAME`, split as asked; without xN there are as many devices as the split needs.
Result<Cluster> clusterNamed(const std::string &text, Split split, const Catalog &catalog);
/// `NAME[@VERSION]`.
Result<EngineChoice> engineNamed(std::string_view text);
/// `auto` or a weight format's name. A known format that the engine lacks is left to the engine to refuse.
Result<WeightChoice> weightsNamed(std::string_view text, EngineId engine);
/// A KV format's name. A known format that the engine lacks is left to the engine to refuse.
Result<Format> kvFormatNamed(std::string_view text, EngineId engine);

/// 2: the words on the command line are wrong; 3: a file can't be used.
int exitCodeOf(const Error &error);

} // namespace kvscope::cli
