// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"

namespace kvscope::llamacpp {

/// What the server's --fit would change where less than its margin of 1024 MiB stays free (spec/local-engines.md 5.7): the context it would
/// choose without -c, the units it would place, the blocks whose experts it would keep on the host. Empty where it changes nothing or the
/// version has none.
std::vector<Warning> fitRemarks(const Engine &engine, const Scenario &scenario, const Cluster &cluster, const Plan &plan);

} // namespace kvscope::llamacpp
