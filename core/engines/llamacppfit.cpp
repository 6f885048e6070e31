// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppfit.h"

#include "core/engines/llamacpprun.h"

#include <algorithm>
#include <optional>

namespace kvscope::llamacpp {

namespace {

constexpr Bytes margin = 1024_MiB;
constexpr TokenCount leastContext{4096};
constexpr std::int64_t contextStep = 256;

/// Model, context and compute buffers of each device: what the engine itself counts, nothing outside its buffers.
std::vector<Bytes> usedOf(const Engine &engine, const Scenario &scenario, const Cluster &cluster)
{
    std::vector<Bytes> used;
    const Result<Compiled> compiled = engine.compile(scenario, cluster);
    if (!compiled)
        return used;
    for (const DeviceCurve &device : compiled->devices)
        used.push_back(device.curve.at(scenario.context, ceilDivide(scenario.batch, cluster.split.data)));
    return used;
}

class Fit {
public:
    Fit(const Engine &engine, const Scenario &scenario, const Cluster &cluster) :
        m_engine(engine), m_scenario(scenario), m_cluster(cluster), m_layers(layersOf(*scenario.model))
    {
    }

    bool fits(const Scenario &trial) const
    {
        const std::vector<Bytes> used = usedOf(m_engine, trial, m_cluster);
        for (std::size_t d = 0; d < used.size(); ++d) {
            if (used[d] > free(d) - margin)
                return false;
        }
        return !used.empty();
    }

    /// Without -c: between the least context and the trained one, by the memory that each needs (step 2). Empty: the trained one fits.
    std::optional<TokenCount> context() const
    {
        if (m_layers.trained <= leastContext)
            return {};
        const Bytes full = usedAt(m_layers.trained), least = usedAt(leastContext);
        Bytes target;
        std::size_t devices = m_cluster.devices.size() / static_cast<std::size_t>(m_cluster.split.data);
        for (std::size_t d = 0; d < devices; ++d)
            target += free(d) - margin;
        if (devices > 1) // layers are placed whole: some room is lost on each card (step 2)
            target -= Bytes{weightsOfBlock().value / (hasExperts() ? 6 : 2)} * static_cast<std::int64_t>(devices + 1);
        if (full <= target || full <= least)
            return {};
        if (target <= least)
            return leastContext;
        const double share = static_cast<double>((target - least).value) / static_cast<double>((full - least).value);
        const auto more = static_cast<std::int64_t>(static_cast<double>((m_layers.trained - leastContext).value) * share);
        return TokenCount{std::max(leastContext.value, (leastContext.value + more) / contextStep * contextStep)};
    }

    /// Most units, from the output backwards, that fit (step 3).
    int units() const
    {
        const auto withUnits = [&](int count) {
            Scenario trial = m_scenario;
            trial.local.gpuLayers = count;
            return fits(trial);
        };
        return largest(m_layers.blocks + 1, withUnits);
    }

    /// Fewest blocks with their experts on the host; empty if not even all of them do (steps 3 and 4).
    std::optional<int> hostExperts() const
    {
        const auto withHost = [&](int onDevice) {
            Scenario trial = m_scenario;
            trial.local.hostExperts = m_layers.blocks - onDevice;
            return fits(trial);
        };
        if (!withHost(0))
            return {};
        return m_layers.blocks - largest(m_layers.blocks, withHost);
    }

    int unitsInAll() const { return m_layers.blocks + 1; }
    bool hasExperts() const { return m_layers.experts > 0; }

private:
    Bytes free(std::size_t device) const { return m_cluster.devices[device].usable - m_scenario.inUse; }

    /// Of a block on the devices, on the average over those that are offloaded.
    Bytes weightsOfBlock() const
    {
        Bytes sum;
        if (const Result<Compiled> compiled = m_engine.compile(m_scenario, m_cluster)) {
            for (const DeviceCurve &device : compiled->devices)
                sum += device.curve.partsAt({}, 0)[Part::Weights];
        }
        const int offloaded = std::min(m_scenario.local.gpuLayers.value_or(m_layers.blocks), m_layers.blocks);
        return {sum.value / std::max(offloaded, 1)};
    }

    Bytes usedAt(TokenCount context) const
    {
        Scenario trial = m_scenario;
        trial.local.pool = context;
        Bytes sum;
        for (const Bytes used : usedOf(m_engine, trial, m_cluster))
            sum += used;
        return sum;
    }

    /// The largest count of 0 .. most that holds; 0 is taken to.
    template<typename Holds>
    static int largest(int most, const Holds &holds)
    {
        int from = 0, to = most;
        while (from < to) {
            const int middle = from + (to - from + 1) / 2;
            if (holds(middle))
                from = middle;
            else
                to = middle - 1;
        }
        return from;
    }

    const Engine &m_engine;
    const Scenario &m_scenario;
    const Cluster &m_cluster;
    GgufLayers m_layers;
};

} // namespace

std::vector<Warning> fitRemarks(const Engine &engine, const Scenario &scenario, const Cluster &cluster, const Plan &plan)
{
    std::vector<Warning> remarks, ignored;
    const Result<Rules> rules = rulesOf(scenario.engine.version, ignored);
    if (!rules || !rules->fits() || plan.verdict == Verdict::Refused || !scenario.model->parametersKnown)
        return remarks;
    const Fit fit(engine, scenario, cluster);
    if (fit.fits(scenario))
        return remarks;
    if (const std::optional<TokenCount> context = fit.context())
        remarks.push_back({WarningCode::FitContext, {std::to_string(context->value)}});
    const LocalOptions &local = scenario.local;
    if (local.gpuLayers || local.hostExperts || !local.tensorSplit.empty())
        return remarks; // a placement by hand is left alone
    if (fit.hasExperts()) {
        if (const std::optional<int> blocks = fit.hostExperts()) {
            remarks.push_back({WarningCode::FitExperts, {std::to_string(*blocks), std::to_string(fit.unitsInAll() - 1)}});
            return remarks;
        }
    }
    remarks.push_back({WarningCode::EngineOffloadsLess, {std::to_string(fit.units()), std::to_string(fit.unitsInAll())}});
    return remarks;
}

} // namespace kvscope::llamacpp
