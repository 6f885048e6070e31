// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"
#include "core/weights.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kvscope {

/// Codes of the terminal contract (spec/cli.md, "plan --json"): never translated.
const char *codeOf(Verdict verdict); ///< "fits", "tight", "oom", "refused"
const char *codeOf(Confidence confidence);
const char *codeOf(LimitReason reason);
const char *codeOf(ErrorCode code);

/// Core has no sentences: who writes the JSON brings the words. Empty functions give empty messages.
struct Messages {
    std::function<std::string(const Warning &)> warning;
    std::function<std::string(const Error &)> error;
};

/// What plan --json holds beside the plan itself.
struct PlanExtras {
    std::vector<Explanation> explanations; ///< from explain()
    std::optional<Format> smallestChange;  ///< from widestFittingKv(); written where the plan does not fit
    std::optional<Split> fewestDevices;    ///< from fewestDevices()
    Messages messages;
    int indent = 2; ///< -1: one line
};

/// The scenario with what it leaves to the engine or the model put in: engine version, KV types, encoder length.
/// It plans to the same figures.
Scenario resolved(Scenario scenario);

/// The object of `plan --json` (spec/cli.md; schema: resources/schema/plan.schema.json). A refusal is the first warning, under its error's code.
std::string planToJson(const Scenario &scenario, const Cluster &cluster, const Plan &plan, const PlanExtras &extras);

/// The object of `inspect --json` (schema: resources/schema/inspect.schema.json).
std::string inspectToJson(const ModelSpec &model, const WeightBytes &weights, std::span<const Warning> warnings, const Messages &messages,
                          int indent = 2);

} // namespace kvscope
