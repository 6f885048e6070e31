// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacpplog.h"

#include "core/engines/llamacpprun.h"
#include "core/engines/ollamalaunch.h"

#include <algorithm>

namespace kvscope::llamacpp {

std::optional<LogFacts> logFacts(const Scenario &scenario, const Cluster &cluster)
{
    std::vector<Warning> ignored;
    if (scenario.engine.id == EngineId::Ollama) {
        const Result<ollama::Launch> launch = ollama::launchOf(scenario, cluster, ignored);
        return launch ? logFacts(launch->run, cluster) : std::nullopt;
    }
    const Result<Run> run = runOf(scenario, cluster, ignored);
    if (!run)
        return {};
    LogFacts facts{run->backend, run->slotCount, run->unified ? 1 : run->slotCount, run->key, run->value};
    const auto count = [&](auto has) { return static_cast<int>(std::ranges::count_if(run->layers.layers, has)); };
    facts.denseLayers = count([&](const GgufLayer &l) { return l.trunk && l.holdsKv && !run->windowed(l); });
    facts.windowedLayers = count([&](const GgufLayer &l) { return l.trunk && l.holdsKv && run->windowed(l); });
    facts.recurrentLayers = count([](const GgufLayer &l) { return l.trunk && l.recurrent; });
    return facts;
}

} // namespace kvscope::llamacpp
