// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"
#include "core/scenario.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kvscope {

/// Version written into `.kvscope` files. Older ones open; a newer one is refused with NewerVersion.
inline constexpr int scenarioVersion = 1;

/// The `.kvscope` object (schema: resources/schema/scenario.schema.json): every input resolved, the model and the devices whole, so that
/// a file opens the same wherever the catalogue has moved on.
std::string toJson(const Scenario &scenario, int indent = 2);

/// The inverse. Keys that this version does not know are kept in Scenario::unknownKeys and written again.
Result<Scenario> scenarioFromJson(std::string_view json, std::string_view name);

Result<Scenario> loadScenario(const std::filesystem::path &path);
/// Through a temporary file and a rename.
std::optional<Error> saveScenario(const Scenario &scenario, const std::filesystem::path &path);

} // namespace kvscope
