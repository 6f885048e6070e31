// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/options.h"
#include "core/result.h"
#include "core/sweep.h"

namespace kvscope::cli {

/// The lists of `kvplan sweep`, as typed: `A,B,...`.
struct ListOptions {
    using Text = std::optional<std::string>;

    Text models, weights, engines, gpus, memories, reserves, kvTypes, contexts, batches;

    void addTo(CommandLine &line);
};

/// "a,b , c" without the spaces around each. Error: BadOption, where one is empty.
Result<std::vector<std::string>> splitList(const char *option, const std::string &text);

/// `[NAME=]LAYERSxKVHEADSxHEADDIM[@PARAMETERS]`, a model by hand in one word; empty where the text has not this form.
std::optional<Result<SweepModel>> handModel(std::string_view text);

/// The lists that the options describe. What has no list has the one value that the scenario options give.
Result<SweepLists> listsFrom(ListOptions lists, ScenarioOptions options, const Sources &sources);

} // namespace kvscope::cli
