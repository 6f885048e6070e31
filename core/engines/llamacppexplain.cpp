// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppexplain.h"

#include "core/engines/engines.h"
#include "core/engines/llamacppcache.h"
#include "core/engines/llamacppcompute.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace kvscope::llamacpp {

namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

/// Layers whose cells are alike.
struct CacheLine {
    CacheRow row;
    int layers = 0;
};

std::vector<CacheLine> cacheLines(const Run &run)
{
    std::vector<CacheLine> lines;
    for (const GgufLayer &layer : run.layers.layers) {
        for (const CacheRow &row : cacheRows(run, layer)) {
            if (row.both().value == 0)
                continue;
            const auto same = std::ranges::find_if(lines, [&](const CacheLine &line) {
                return std::tuple(line.row.kind, line.row.ratio, line.row.key, line.row.value) ==
                       std::tuple(row.kind, row.ratio, row.key, row.value);
            });
            if (same == lines.end())
                lines.push_back({row, 1});
            else
                ++same->layers;
        }
    }
    return lines;
}

const char *ruleOf(const Run &run, const CacheRow &row)
{
    switch (row.kind) {
    case CellKind::Dense: return run.layers.latent && row.value.value == 0 ? "llamacpp.latent" : "llamacpp.cells";
    case CellKind::Windowed:
    case CellKind::RawWindow: return "llamacpp.window_cells";
    case CellKind::Compressed: return "llamacpp.compressed_cells";
    }
    return "llamacpp.cells";
}

class Explainer {
public:
    Explainer(const Scenario &scenario, const Compiled &compiled, const Plan &plan, const Cluster &cluster, Run run,
              const GgufModel &weights) :
        m_scenario(scenario),
        m_compiled(compiled),
        m_plan(plan),
        m_run(std::move(run)),
        m_weights(weights),
        m_placement(placementOf(m_run, scenario, cluster, weights)),
        m_engine("llama.cpp " +
                 (scenario.engine.version.empty() ? std::string(llamaCppEngine().versions().front()) : scenario.engine.version))
    {
    }

    std::vector<Explanation> lines() &&
    {
        addCache();
        addState();
        addWeights();
        for (std::size_t d = 0; d < m_compiled.devices.size() && d < m_plan.devices.size(); ++d)
            addDevice(d);
        addHost();
        return std::move(m_lines);
    }

private:
    std::string rule(const char *section) const { return "local-engines.md " + std::string(section) + "; " + m_engine; }

    void add(const std::string &figure, const char *id, std::string formula, Bytes value, const char *section, Confidence confidence)
    {
        m_lines.push_back({figure, id, std::move(formula), value, rule(section), confidence});
    }

    /// What is allocated, and of it what the sequences need where the pool is given.
    void addCache()
    {
        Bytes sum;
        for (const CacheLine &line : cacheLines(m_run)) {
            const std::int64_t cells = m_run.cellsOf(line.row.kind, line.row.ratio);
            const Bytes value = line.row.both() * line.layers * cells;
            add("engine_report.context_bytes", ruleOf(m_run, line.row),
                number(line.layers) + " x (" + number(line.row.key.value) + " + " + number(line.row.value.value) + ") B x " + number(cells),
                value, "3.1 to 3.7", Confidence::Exact);
            sum += value;
        }
        if (m_plan.kv.total == sum) { // without a pool the same lines tell what is needed
            const std::size_t lines = m_lines.size();
            for (std::size_t i = 0; i < lines; ++i) {
                m_lines.push_back(m_lines[i]);
                m_lines.back().figure = "kv.total_bytes";
            }
        } else if (m_plan.kv.total.value > 0) {
            add("kv.total_bytes", "llamacpp.needed",
                number(m_scenario.context.value) + " x " + number(m_scenario.batch) + ", " + number(m_plan.kv.total.value) + " B",
                m_plan.kv.total, "3.1 to 3.7", Confidence::Exact);
        }
    }

    void addState()
    {
        if (m_compiled.statePerSequence.value == 0)
            return;
        std::string formula;
        std::vector<std::pair<std::int64_t, int>> kinds;
        for (const GgufLayer &layer : m_run.layers.layers) {
            const std::int64_t bytes = stateBytes(m_run, layer).value;
            if (bytes == 0)
                continue;
            const auto same = std::ranges::find(kinds, bytes, &std::pair<std::int64_t, int>::first);
            if (same == kinds.end())
                kinds.emplace_back(bytes, 1);
            else
                ++same->second;
        }
        for (const auto &[bytes, layers] : kinds)
            formula += (formula.empty() ? "" : " + ") + number(layers) + " x " + number(bytes) + " B";
        add("kv.state_bytes_per_sequence", "state.recurrent", formula, m_compiled.statePerSequence, "2.5", Confidence::Exact);
        add("engine_report.context_bytes", "state.recurrent", "(" + formula + ") x " + number(m_run.slotCount),
            m_compiled.statePerSequence * m_run.slotCount, "2.5", Confidence::Exact);
    }

    void addWeights()
    {
        const bool tensors = !m_weights.tensors.empty() && !m_scenario.weights.measured;
        if (m_compiled.weights.value == 0)
            return;
        const Confidence confidence = tensors && !m_weights.converted ? Confidence::Exact : Confidence::Calibrated;
        const char *id = m_scenario.weights.measured ? "weights.measured"
                         : !tensors                  ? "weights.every"
                         : m_weights.converted       ? "weights.tensors"
                                                     : "llamacpp.tensors";
        std::string formula;
        for (std::size_t d = 0; d < m_placement.devices.size(); ++d)
            formula += number(m_placement.devices[d].weights.value) + " + ";
        add("weights", id, formula + number(m_placement.host.weights.value) + " B", m_compiled.weights, "4.1 to 4.4", confidence);
    }

    void addDevice(std::size_t d)
    {
        const DevicePlan &device = m_plan.devices[d];
        const Share &share = m_placement.devices[d];
        const std::string path = "devices." + number(static_cast<std::int64_t>(d)) + ".";
        add(path + "weights_bytes", "llamacpp.placed",
            number(static_cast<std::int64_t>(share.layers.size())) + (share.output ? " + 1" : "") + " of " +
                number(m_run.layers.blocks + 1),
            share.weights, "4.1 to 4.4", Confidence::Exact);
        addCompute(path + "activation_bytes", static_cast<int>(d), device.used[Part::Activation]);
        const Spread &outside = m_compiled.devices[d].runtime;
        if (outside.middle.value > 0)
            add(path + "runtime_bytes", "llamacpp.outside", number(outside.low.value) + " .. " + number(outside.high.value) + " B",
                outside.middle, "5.6", Confidence::Assumed);
        std::string sum;
        for (const Part part : {Part::Weights, Part::Kv, Part::State, Part::Activation})
            sum += number(device.used[part].value) + " + ";
        add(path + "total_bytes", "llamacpp.sum", sum + number(device.used[Part::Runtime].value) + " B", device.total, "9",
            Confidence::Calibrated);
    }

    /// The terms of the moment that binds; they add up to the buffer.
    void addCompute(const std::string &figure, int device, Bytes total)
    {
        const std::int64_t sequences = std::max(m_run.slotCount, m_scenario.batch);
        for (const ComputeMoment &moment : computeMoments(m_run, m_placement, device, m_scenario.local)) {
            if (CacheCurve{{moment.phase}}.at(m_scenario.context, m_run.slotCount) != total || total.value == 0)
                continue;
            for (std::size_t t = 0; t < moment.phase.terms.size(); ++t) {
                const CurveTerm &term = moment.phase.terms[t];
                const Bytes value = CacheCurve{{Phase{{term}}}}.at(m_scenario.context, m_run.slotCount);
                if (value.value > 0)
                    add(figure, moment.rules[t], formulaOf(term, value, sequences), value, "5.2 to 5.6", confidence());
            }
            return;
        }
    }

    Confidence confidence() const
    {
        const Architecture &row = *m_run.layers.architecture;
        return row.compressed || row.indexer != IndexerCache::None ? Confidence::Assumed : Confidence::Calibrated;
    }

    static std::string formulaOf(const CurveTerm &term, Bytes value, std::int64_t sequences)
    {
        if (term.growth == Growth::Constant)
            return number(term.coefficient.value) + " B" + (term.perSequence ? " x " + number(sequences) : "");
        const std::int64_t units = term.coefficient.value > 0 ? value.value / term.coefficient.value : 0;
        return number(term.coefficient.value) + " B x " + number(units);
    }

    void addHost()
    {
        if (m_placement.host.weights.value > 0)
            add("host.weights_bytes", "llamacpp.host_weights", number(m_placement.host.weights.value) + " B", m_placement.host.weights,
                "4.2, 4.3", Confidence::Exact);
        const Bytes output = outputBuffer(m_run).coefficient * m_run.slotCount;
        add("host.activation_bytes", "llamacpp.output", "4 B x " + number(m_run.layers.vocab) + " x " + number(m_run.slotCount), output,
            "5.1", Confidence::Exact);
        add("engine_report.output_buffer_bytes", "llamacpp.output", "4 B x " + number(m_run.layers.vocab) + " x " + number(m_run.slotCount),
            output, "5.1", Confidence::Exact);
        const int replicas = std::max(1, static_cast<int>(m_plan.devices.size() / std::max<std::size_t>(1, m_compiled.devices.size())));
        if (replicas == 1)
            addCompute("host.activation_bytes", onHost, m_plan.hostActivation - output);
    }

    const Scenario &m_scenario;
    const Compiled &m_compiled;
    const Plan &m_plan;
    Run m_run;
    const GgufModel &m_weights;
    Placement m_placement;
    std::string m_engine;
    std::vector<Explanation> m_lines;
};

} // namespace

std::vector<Explanation> explainRun(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan)
{
    std::vector<Warning> ignored;
    if (compiled.devices.empty() || plan.devices.empty())
        return {};
    Result<Run> run = runOf(scenario, cluster, ignored);
    if (!run)
        return {};
    const Result<GgufModel> weights = loadedTensors(*run, scenario);
    if (!weights)
        return {};
    return Explainer(scenario, compiled, plan, cluster, *std::move(run), *weights).lines();
}

} // namespace kvscope::llamacpp
