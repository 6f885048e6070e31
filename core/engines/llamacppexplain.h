// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"

namespace kvscope::llamacpp {

/// The figures of llama.cpp's log, under the names of spec/cli.md.
std::vector<ReportFigure> reportOf(const Scenario &scenario, const Cluster &cluster, const Plan &plan);

/// How each figure came about, with the numbers put in. The lines of one figure add up to it.
std::vector<Explanation> explainRun(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan);

} // namespace kvscope::llamacpp
