// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"
#include "core/gguf/layers.h"

#include <string>
#include <vector>

namespace kvscope::ollama {

/// The rules in force on a day of Ollama's development (spec/local-engines.md 6): each change counts from its date on.
struct Rules {
    int date = 0; ///< yyyymmdd; 0: older than all changes

    bool runsServer() const { return date >= 20260529; }      ///< v0.30.0: every GGUF in a llama-server of its own
    bool contextByMemory() const { return date >= 20260127; } ///< v0.15.5
    bool context4096() const { return date >= 20250422; }     ///< v0.6.7; before: 2048
};

Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings);

/// What Ollama makes of a scenario: the run of llama.cpp that it starts.
struct Launch {
    Scenario run;              ///< llama.cpp of the same day with the settings that Ollama passes
    std::int64_t parallel = 1; ///< slots that it starts, each of the context's length
    bool oneSlot = false;      ///< more are never started for this architecture
    std::int64_t batch = 512;  ///< num_batch, logical and physical
    TokenCount defaultContext; ///< num_ctx where nobody sets it
    Bytes predicted;           ///< the scheduler's own guess of what the model takes (6.1), for choosing cards and batch
    int onlyDevice = -1;       ///< the card that holds all, where more are there; -1: split
};

/// The launch. Warnings say what was changed or left out. Errors: UnknownName (version), UnequalCacheTypes.
Result<Launch> launchOf(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings);

/// What versions before v0.30.0 expected a model to take before they started it (6.2).
struct Estimate {
    Bytes kv;            ///< cache and states of all layers
    Bytes graph;         ///< compute graph on each GPU
    int layersOnGpu = 0; ///< units that it would place on the cards, output included
    int units = 0;       ///< blocks and the output
};
Estimate estimateOf(const Launch &launch, const Cluster &cluster, const Rules &rules);

} // namespace kvscope::ollama
