// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/evaluate.h"
#include "ui/view.h"

#include <memory>

namespace kvscope {

/// 32 layers x 8 KV heads x 128 on the formula engine in f16, no weights: 2 x 32 x 8 x 128 x 2 B = 131072 B a token and sequence.
/// One card of exactly 24 GB, 65536 tokens, 2 sequences: 17.179869184 GB; 24e9 / 262144 = 91552.7 tokens fit.
inline Scenario handScenario()
{
    Scenario scenario;
    ModelSpec model = modelByHand({32, 8, 128, 32, 0});
    model.name = "Hand 8B";
    model.trainedContext = TokenCount{131072};
    scenario.model = std::make_shared<const ModelSpec>(model);
    scenario.clusters = {clusterOf(deviceOfSize(24_GB))};
    scenario.context = TokenCount{65536};
    scenario.batch = 2;
    return scenario;
}

/// Eight cards of different sizes, with names as long as real ones.
inline Scenario eightCards()
{
    Scenario scenario = handScenario();
    scenario.clusters.clear();
    const std::pair<const char *, int> cards[] = {{"RTX 4080 SUPER", 17}, {"RTX 4090", 25},  {"RTX 5090", 34},         {"RTX A6000", 51},
                                                  {"A100 SXM4 80GB", 85}, {"H200 SXM", 151}, {"Radeon PRO W7900", 48}, {"Arc B580", 12}};
    for (const auto &[name, size] : cards) {
        Device device = deviceOfSize(Bytes{size * bytesPerGB});
        device.id = name;
        device.name = name;
        scenario.clusters.push_back(clusterOf(device));
    }
    scenario.selected = 1;
    return scenario;
}

inline ViewState stateOf(const Scenario &scenario)
{
    ViewState state;
    state.results = std::make_shared<const Results>(evaluate(scenario));
    return state;
}

} // namespace kvscope
