// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stages.h"

#include <algorithm>

namespace kvscope {

int headsOnDevice(int heads, int tensor) { return static_cast<int>(ceilDivide(heads, std::min(heads, tensor))); }

std::vector<Stage> stagesOf(int layers, int pipeline)
{
    std::vector<int> sizes(static_cast<std::size_t>(pipeline), layers / pipeline);
    for (int r = 0; r < layers % pipeline; ++r)
        ++sizes[static_cast<std::size_t>(pipeline - 2 - r)];
    std::vector<Stage> stages;
    int first = 0;
    for (const int size : sizes) {
        stages.push_back({first, first + size});
        first += size;
    }
    return stages;
}

std::vector<GroupShare> sharesOf(const Scenario &scenario, Stage stage)
{
    const ModelSpec &model = *scenario.model;
    std::vector<GroupShare> shares(model.groups.size());
    for (int i = stage.first; i < stage.last; ++i) {
        GroupShare &share = shares[model.layout[static_cast<std::size_t>(i)]];
        ++share.layers;
        share.kept += i < scenario.kv.keepFirst || i >= model.layerCount() - scenario.kv.keepLast;
    }
    return shares;
}

} // namespace kvscope
