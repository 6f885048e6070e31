// SPDX-License-Identifier: GPL-3.0-or-later
// plan() against the bare sum of its terms, and evaluate() for a full window.
#include "core/engine.h"
#include "core/evaluate.h"
#include "core/plan.h"

#include <benchmark/benchmark.h>

using namespace kvscope;

namespace {

/// An 8B of 32 layers, 8 KV heads: the shape most people plan.
Scenario scenario(int clusters)
{
    Scenario s;
    s.model = std::make_shared<ModelSpec>(modelByHand({32, 8, 128, 32, 8'030'261'248}));
    s.context = 32768_tokens;
    s.batch = 4;
    for (int i = 0; i < clusters; ++i)
        s.clusters.push_back(clusterOf(deviceOfSize(Bytes{(16 + 8 * i) * bytesPerGB})));
    return s;
}

void plan(benchmark::State &state)
{
    const Scenario s = scenario(1);
    for (auto _ : state)
        benchmark::DoNotOptimize(kvscope::plan(s, s.clusters.front()));
}
BENCHMARK(plan);

/// The least that any planner must do: each layer's K and V, and the weights by role, added up.
void bareSum(benchmark::State &state)
{
    const Scenario s = scenario(1);
    const ModelSpec &model = *s.model;
    for (auto _ : state) {
        Bytes sum;
        for (const std::uint16_t index : model.layout) {
            const LayerGroup &group = model.groups[index];
            sum += Bytes{2} * group.kvHeads * (group.keyDim + group.valueDim) * s.context.value * s.batch;
            for (const std::int64_t count : group.parameters.count)
                sum += Bytes{2} * count;
        }
        benchmark::DoNotOptimize(sum);
    }
}
BENCHMARK(bareSum);

void evaluateWindow(benchmark::State &state)
{
    const Scenario s = scenario(8);
    const std::vector<Format> precisions{Format::F32, Format::F16, Format::Q8_0, Format::Int8, Format::Q4_0, Format::Int4};
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluate(s, 131072_tokens, 128, precisions));
}
BENCHMARK(evaluateWindow);

} // namespace

BENCHMARK_MAIN();
