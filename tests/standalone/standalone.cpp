// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/plan.h"

#include <cstdint>
#include <cstdio>
#include <memory>

using namespace kvscope;

namespace {

/// K and V x 32 layers x `kvHeads` x 128 x 32768 tokens x 2 bytes, on a card of 24 GB.
bool expect(int kvHeads, std::int64_t bytes, Verdict verdict)
{
    Scenario scenario;
    scenario.model = std::make_shared<ModelSpec>(modelByHand({.layers = 32, .kvHeads = kvHeads, .headDim = 128}));
    scenario.context = 32768_tokens;
    scenario.clusters = {clusterOf(deviceOfSize(24_GB))};
    const Plan answer = plan(scenario, scenario.clusters.front());
    std::printf("%d KV heads: %lld bytes, expected %lld\n", kvHeads, static_cast<long long>(answer.kv.total.value),
                static_cast<long long>(bytes));
    return answer.kv.total == Bytes{bytes} && answer.verdict == verdict;
}

} // namespace

int main()
{
    const bool grouped = expect(8, 4'294'967'296, Verdict::Fits);
    const bool everyHead = expect(32, 17'179'869'184, Verdict::Fits);
    const bool tooMuch = expect(64, 34'359'738'368, Verdict::OutOfMemory);
    return grouped && everyHead && tooMuch ? 0 : 1;
}
