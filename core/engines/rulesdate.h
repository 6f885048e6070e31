// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"

#include <string>
#include <vector>

namespace kvscope {

/// The day, as yyyymmdd, whose rules a version stands for: a date's own, a listed release's or build's, that of the nearest listed below it (then
/// with the warning UnknownVersion); empty: the newest listed. 0: older than all (OlderThanListed). Error: UnknownName for what is no version.
Result<int> rulesDate(EngineId engine, const std::string &version, std::vector<Warning> &warnings);

} // namespace kvscope
