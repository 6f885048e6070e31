// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppcache.h"
#include "core/engines/llamacppcompute.h"
#include "core/engines/llamacppexplain.h"

#include <algorithm>

namespace kvscope::llamacpp {

std::vector<ReportFigure> reportOf(const Scenario &scenario, const Cluster &cluster, const Plan &plan)
{
    std::vector<Warning> ignored;
    const Result<Run> run = runOf(scenario, cluster, ignored);
    if (!run)
        return {};
    const CacheTotals totals = cacheTotals(*run);
    std::vector<ReportFigure> figures;
    const auto add = [&](const char *name, Bytes bytes, int device = -1) {
        figures.push_back({name, static_cast<double>(bytes.value), device});
    };
    add("kv_bytes", totals.key + totals.value);
    add("k_bytes", totals.key);
    add("v_bytes", totals.value);
    figures.push_back({"kv_cells", run->layers.holdsKv() ? static_cast<double>(run->cells.dense) : 0});
    if (run->layers.windows()) {
        add("swa_kv_bytes", totals.windowed);
        figures.push_back({"swa_cells", static_cast<double>(run->cells.windowed)});
    }
    add("recurrent_bytes", totals.state);
    add("context_bytes", totals.key + totals.value + totals.state);
    add("output_buffer_bytes", outputBuffer(*run).coefficient * run->slotCount);
    for (const DevicePlan &device : plan.devices) {
        add("model_buffer_bytes", device.used[Part::Weights], device.index);
        add("compute_buffer_bytes", device.used[Part::Activation], device.index);
    }
    return figures;
}

} // namespace kvscope::llamacpp
