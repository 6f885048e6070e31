// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppcompile.h"

#include "core/engines/llamacppcache.h"
#include "core/engines/llamacppcompute.h"
#include "core/engines/llamacppplace.h"
#include "core/weights.h"

#include <optional>

namespace kvscope::llamacpp {

namespace {

/// What lies outside the printed buffers: driver context, kernels, libraries' workspace (5.6).
Spread outsideBuffers(Backend backend)
{
    switch (backend) {
    case Backend::Rpc:
    case Backend::Cpu: return {};
    case Backend::Metal: return {Bytes{}, 256_MiB, 512_MiB};
    default: return {300_MiB, 457_MiB, 600_MiB};
    }
}

/// llama.cpp lays whole layers over all devices; rows and heads are not divided here.
std::optional<Error> checkSplit(const Cluster &cluster)
{
    const Split &split = cluster.split;
    const auto devices = static_cast<int>(cluster.devices.size());
    if (split.tensor > 1)
        return Error{ErrorCode::ImpossibleSplit, "tp = " + std::to_string(split.tensor), "tp = 1", {}};
    if (devices % split.data != 0)
        return Error{ErrorCode::ImpossibleSplit, "dp = " + std::to_string(split.data), std::to_string(devices) + " / dp", {}};
    if (split.pipeline > 1 && split.pipeline != devices / split.data)
        return Error{
            ErrorCode::ImpossibleSplit, "pp = " + std::to_string(split.pipeline), "pp = " + std::to_string(devices / split.data), {}};
    return {};
}

void addWarnings(const Scenario &scenario, const Run &run, std::vector<Warning> &warnings)
{
    const auto lacks = [&](bool asked, const char *option) {
        if (asked)
            warnings.push_back({WarningCode::EngineLacksOption, {option}});
    };
    lacks(scenario.kv.scales != KvScales::None || scenario.kv.zeroPoints, "--kv-scales");
    lacks(scenario.kv.keepFirst > 0 || scenario.kv.keepLast > 0, "--kv-keep");
    lacks(scenario.sharedPrefix.value > 0, "--shared-prefix");
    lacks(scenario.offloadKv.value > 0, "--offload-kv");
    lacks(scenario.streamWindow.value > 0, "--sinks");
    const GgufPointer &file = run.model->gguf;
    const bool otherWeights = scenario.weights.format && *scenario.weights.format != resolvedWeightFormat(*run.model, {});
    lacks(file && !file->converted && otherWeights, "--weights"); // a file's own tensors always win
    if (run.layers.embedding == 0)
        warnings.push_back({WarningCode::ActivationsNotModelled, {run.model->name}});
    if (!run.layers.known)
        warnings.push_back({WarningCode::UnknownArchitecture, {run.model->gguf->architecture}});
}

void keepKvAlone(Phase &phase)
{
    std::erase_if(phase.terms, [](const CurveTerm &term) { return term.part != Part::Kv; });
}

class Compiler {
public:
    Compiler(const Scenario &scenario, const Cluster &cluster, const Run &run, const GgufModel &weights) :
        m_scenario(scenario),
        m_run(run),
        m_growing(run),
        m_placement(placementOf(run, scenario, cluster, weights)),
        m_kvOnHost(scenario.local.kvOnHost)
    {
        m_growing.fixedPool = false;
    }

    Compiled compiled() &&
    {
        addWarnings(m_scenario, m_run, m_compiled.warnings);
        for (std::size_t d = 0; d < m_placement.devices.size(); ++d)
            addDevice(static_cast<int>(d));
        addHost();
        addSequence();
        return std::move(m_compiled);
    }

private:
    const std::vector<GgufLayer> &layers() const { return m_run.layers.layers; }

    void addDevice(int index)
    {
        const Share &share = m_placement.share(index);
        DeviceCurve device;
        device.device = index;
        device.hostHoldsRest = false; // the host has a curve of its own
        Phase held{{{Part::Weights, share.weights}}}, needed;
        for (std::size_t i = 0; i < layers().size() && !m_kvOnHost; ++i) {
            if (m_placement.deviceOf(i) != index)
                continue;
            addCacheTerms(m_run, layers()[i], held);
            addNeeded(layers()[i], needed);
            device.kvPerToken += perToken(layers()[i]);
        }
        if (const CurveTerm copies = poolCopies(m_run); copies.coefficient.value > 0 && !share.layers.empty() && !m_kvOnHost)
            held.terms.push_back(copies);
        const std::vector<ComputeMoment> moments = computeMoments(m_run, m_placement, index, m_scenario.local);
        device.curve = curveOf(held, moments);
        device.cache.phases = {needed};
        if (m_run.fixedPool) {
            Bytes pool;
            for (const CurveTerm &term : held.terms)
                pool += term.part == Part::Kv ? term.coefficient : Bytes{};
            if (pool.value > 0)
                device.pool = Pool{{pool, pool, pool}};
        }
        const Spread outside = outsideBuffers(m_run.backend), spread = computeSpread(m_run, moments);
        device.runtime = {outside.low + spread.low, outside.middle, outside.high + spread.high};
        m_compiled.weights += share.weights;
        m_compiled.devices.push_back(std::move(device));
    }

    void addHost()
    {
        Phase held{{{Part::Weights, m_placement.host.weights}}};
        for (std::size_t i = 0; i < layers().size(); ++i) {
            if (m_kvOnHost || m_placement.deviceOf(i) == onHost)
                addCacheTerms(m_run, layers()[i], held);
        }
        held.terms.push_back(outputBuffer(m_run));
        m_compiled.host = curveOf(held, computeMoments(m_run, m_placement, onHost, m_scenario.local));
        m_compiled.weights += m_placement.host.weights;
    }

    void addSequence()
    {
        Phase sequence;
        Run one = m_growing;
        one.slotCount = 1;
        for (const GgufLayer &layer : layers()) {
            addCacheTerms(one, layer, sequence);
            m_compiled.statePerSequence += stateBytes(m_run, layer);
            m_compiled.kvPerToken += perToken(layer);
        }
        keepKvAlone(sequence);
        for (CurveTerm &term : sequence.terms)
            term.pad = 1; // what a token is worth, not how cells are handed out
        m_compiled.sequence.phases = {sequence};
    }

    /// What the sequences need of a pool: windows lie there for all slots whatever comes, the rest grows.
    void addNeeded(const GgufLayer &layer, Phase &needed) const
    {
        for (const CacheRow &row : cacheRows(m_run, layer)) {
            const bool window = row.kind == CellKind::Windowed || row.kind == CellKind::RawWindow;
            needed.terms.push_back((window ? m_run : m_growing).cellTerm(Part::Kv, row.kind, row.both(), row.ratio));
        }
    }

    Bytes perToken(const GgufLayer &layer) const
    {
        Bytes bytes;
        for (const CacheRow &row : cacheRows(m_run, layer))
            bytes += Bytes{row.both().value / row.ratio};
        return bytes;
    }

    CacheCurve curveOf(const Phase &held, const std::vector<ComputeMoment> &moments) const
    {
        CacheCurve curve;
        curve.leastSequences = m_run.leastSlots;
        curve.mostSequences = mostSlots;
        for (const ComputeMoment &moment : moments) {
            curve.phases.push_back(moment.phase);
            std::vector<CurveTerm> &terms = curve.phases.back().terms;
            terms.insert(terms.end(), held.terms.begin(), held.terms.end());
        }
        if (curve.phases.empty())
            curve.phases.push_back(held);
        return curve;
    }

    const Scenario &m_scenario;
    const Run &m_run;
    Run m_growing; ///< as if no pool were given
    Placement m_placement;
    bool m_kvOnHost;
    Compiled m_compiled;
};

} // namespace

Result<Compiled> compileRun(const Scenario &scenario, const Cluster &cluster)
{
    if (std::optional<Error> error = checkSplit(cluster))
        return *std::move(error);
    std::vector<Warning> warnings;
    const Result<Run> run = runOf(scenario, cluster, warnings);
    if (!run)
        return run.error();
    const Result<GgufModel> weights = loadedTensors(*run, scenario);
    if (!weights)
        return weights.error();
    Compiled compiled = Compiler(scenario, cluster, *run, *weights).compiled();
    compiled.warnings.insert(compiled.warnings.begin(), warnings.begin(), warnings.end());
    return compiled;
}

} // namespace kvscope::llamacpp
