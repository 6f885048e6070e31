// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/vllmsetup.h"
#include "tests/core/servingmodels.h"

namespace kvscope::testing {

/// The scenario as vLLM would start it; fails the test where it refuses. A setup points into its model, which stays for as long as the test runs.
inline vllm::Setup vllmSetup(const Scenario &scenario)
{
    static std::vector<std::shared_ptr<const ModelSpec>> kept;
    kept.push_back(scenario.model);
    std::vector<Warning> warnings;
    Result<vllm::Setup> setup = vllm::setUp(scenario, scenario.clusters.front(), warnings);
    if (!setup) {
        QTest::qFail(setup.error().where.c_str(), __FILE__, __LINE__);
        return {};
    }
    return *setup;
}

/// The same with a measured budget; 0: estimated.
inline vllm::Setup vllmSetup(Scenario scenario, double poolGiB)
{
    if (poolGiB > 0)
        scenario.serving.givenKv = Bytes{static_cast<std::int64_t>(poolGiB * static_cast<double>(bytesPerGiB))};
    return vllmSetup(std::as_const(scenario));
}

inline Scenario vllmScenario(std::shared_ptr<const ModelSpec> model, const char *version, int tensor, std::optional<Format> kv,
                             TokenCount context)
{
    Scenario scenario = servingScenario(EngineId::Vllm, version, std::move(model), {.tensor = tensor});
    scenario.kv.key = scenario.kv.value = kv;
    scenario.context = context;
    return scenario;
}

/// A model of the catalogue at 8,192 tokens; no weights: as it is stored.
inline Scenario vllmScenarioOf(const QByteArray &model, const char *version, Split split = {}, std::optional<Format> weights = {})
{
    Scenario scenario = servingScenario(EngineId::Vllm, version, catalogued(model.constData()), split);
    scenario.weights.format = weights;
    scenario.context = TokenCount{8192};
    return scenario;
}

inline vllm::Printed printedBy(const vllm::Setup &setup, TokenCount length)
{
    return vllm::printedOf(setup.pool, setup.rules, setup.blocks, setup.configuredBlock, length);
}

inline double gibOf(Bytes bytes) { return gibOf(static_cast<double>(bytes.value)); }

} // namespace kvscope::testing

#define COMPARE_NEAR(actual, expected, tolerance)                                                                                          \
    QVERIFY2(std::abs((actual) - (expected)) <= (tolerance), qPrintable(QStringLiteral("%1 instead of %2").arg(actual).arg(expected)))
