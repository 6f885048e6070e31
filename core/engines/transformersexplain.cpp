// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/transformersexplain.h"

#include "core/engines/engines.h"
#include "core/engines/transformersbytes.h"
#include "core/engines/transformersweights.h"

#include <algorithm>
#include <array>

namespace kvscope::transformers {

namespace {

std::string number(std::int64_t n) { return std::to_string(n); }

/// Replicas of a plan: every device of one replica has a curve.
std::int64_t replicasOf(const Compiled &compiled, const Plan &plan)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(plan.devices.size() / std::max<std::size_t>(1, compiled.devices.size())));
}

/// How far measured peaks of dense models are from the rules (spec/transformers.md 10).
constexpr const char *residual = ", median error 0.1 %, largest 1.8 %";

/// A finished plan told in words of its formulas: one object a call, holding what every line needs.
class Explainer {
public:
    Explainer(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan, Run run) :
        m_scenario(scenario), m_cluster(cluster), m_compiled(compiled), m_plan(plan), m_run(std::move(run)), m_model(*m_run.model)
    {
        m_rows = ceilDivide(scenario.batch, replicasOf(compiled, plan));
        m_prompt = std::max<std::int64_t>(0, scenario.context.value - m_run.promptOffset.value);
        m_held = std::max<std::int64_t>(0, scenario.context.value - m_run.heldOffset.value);
        m_engine = "Transformers " + (scenario.engine.version.empty() ? std::string("newest") : scenario.engine.version);
        const std::span<const std::string_view> versions = transformersEngine().versions();
        if (scenario.engine.version.empty() && !versions.empty())
            m_engine = "Transformers " + std::string(versions.front());
    }

    std::vector<Explanation> lines()
    {
        const std::vector<int> counts = m_model.groupCounts();
        addCache(counts);
        addWeights();
        addState(counts);
        addMoment();
        addReserved();
        return std::move(m_lines);
    }

private:
    std::string rule(const char *section, const char *what = "") const
    {
        return m_engine + (*what ? " " : "") + what + "; rules " + section;
    }
    std::string elements() const { return number(m_run.b) + " B"; }
    void add(std::string figure, std::string rule, std::string formula, Bytes value, std::string source, Confidence confidence)
    {
        m_lines.push_back({std::move(figure), std::move(rule), std::move(formula), value, std::move(source), confidence});
    }

    std::string cacheFormula(const LayerGroup &group, int count) const
    {
        const std::string head = number(count) + " x ";
        const std::int64_t plain = cacheBytes(m_run, group);
        if (group.mixer == Mixer::Latent) {
            const bool latent = plain == (group.latentDim + group.ropeDim) * m_run.b;
            const std::string index = group.indexKeyDim > 0 ? " + " + number(group.indexKeyDim) : "";
            return latent ? head + "(" + number(group.latentDim) + " + " + number(group.ropeDim) + ") x " + elements()
                          : head + "(" + number(group.queryHeads) + " x (" + number(group.keyDim) + " + " + number(group.valueDim) + ")" +
                                index + ") x " + elements();
        }
        const std::string shape = head + number(group.kvHeads) + " x (" + number(group.keyDim) + " + " + number(group.valueDim) + ")";
        if (m_run.cache == CacheClass::Quantized)
            return shape + " x (" + number(m_run.bits) + " / 8 + 2 x " + number(m_run.b) + " / 64) B";
        return shape + " x " + elements();
    }

    void addCache(const std::vector<int> &counts)
    {
        static constexpr std::array rules{"transformers.dynamic_cache", "transformers.static_cache", "transformers.quantized_cache",
                                          "transformers.offloaded_cache"};
        static constexpr std::array names{"DynamicCache", "StaticCache", "QuantizedCache", "OffloadedCache"};
        static constexpr std::array sections{"2.1, 2.2, 2.8", "2.3", "2.7", "2.5"};
        const auto cache = static_cast<std::size_t>(m_run.cache);
        Bytes own;
        for (std::size_t g = 0; g < counts.size(); ++g) {
            const LayerGroup &group = m_model.groups[g];
            if (!group.hasCache())
                continue;
            std::vector<int> only(counts.size());
            only[g] = counts[g];
            const CacheCurve curve{{wholeCache(m_run, only)}};
            const bool windowed = group.window.value > 0 && (m_run.cache == CacheClass::Static || m_run.rules.windowedDynamic());
            const std::string tokens = windowed ? "min(" + number(m_held) + ", " + number(group.window.value) + ")" : number(m_held);
            const Bytes value = curve.at(m_scenario.context, m_scenario.batch);
            add("kv.total_bytes", rules[cache], cacheFormula(group, counts[g]) + " x " + tokens + " x " + number(m_scenario.batch), value,
                rule(sections[cache], names[cache]), Confidence::Exact);
            own += value;
        }
        if (const Bytes cross = m_plan.kv.total - own; cross.value > 0)
            add("kv.total_bytes", "kv.cross", number(m_plan.kv.total.value) + " - " + number(own.value) + " B", cross,
                rule("2.4", "EncoderDecoderCache"), Confidence::Exact);
    }

    /// Parameters in the weights' format, and those that stay in the model's dtype.
    std::pair<std::int64_t, std::int64_t> parametersByFormat(const WeightBytes &weights) const
    {
        std::int64_t matrices = 0, rest = 0;
        const auto count = [&](const RoleCounts &counts, const std::array<Bytes, roleCount> &bytes, int layers) {
            for (std::size_t r = 0; r < bytes.size(); ++r) {
                if (static_cast<Role>(r) != Role::Mtp)
                    (bytes[r] == bytesOf(m_run.dtype, counts.count[r]) ? rest : matrices) += saturatingMultiply(counts.count[r], layers);
            }
        };
        count(m_model.outer, weights.outer, 1);
        const std::vector<int> layers = m_model.groupCounts();
        for (std::size_t g = 0; g < layers.size(); ++g)
            count(m_model.groups[g].parameters, weights.perLayer[g], layers[g]);
        return {matrices, rest};
    }

    void addWeights()
    {
        if (!m_model.parametersKnown && !m_scenario.weights.measured && !m_model.measuredWeights)
            return;
        const WeightBytes weights = loadedWeights(m_run, m_scenario);
        if (weights.measured) {
            add("weights", "weights.measured", number(weights.total.value) + " B", weights.total,
                m_scenario.weights.measured ? "given" : m_model.measuredSource, Confidence::Exact);
            return;
        }
        const auto [matrices, rest] = parametersByFormat(weights);
        const TensorFormat &format = infoOf(weights.format);
        const std::string each =
            " x " + number(format.blockBytes) + (format.blockElements > 1 ? " / " + number(format.blockElements) : "") + " B";
        const std::string formula =
            matrices == 0 ? number(rest) + " x " + elements() : number(matrices) + each + " + " + number(rest) + " x " + elements();
        add("weights", matrices == 0 ? "weights.every" : "weights.matrices", formula, weights.total, rule("6.1, 6.3, 6.4"),
            Confidence::Exact);
        if (const Bytes rounding = m_compiled.weights - weights.total; rounding.value > 0)
            add("weights", "transformers.rounding", number(rounding.value) + " B", rounding, rule("6.1"), Confidence::Exact);
    }

    void addState(const std::vector<int> &counts)
    {
        if (m_compiled.statePerSequence.value == 0)
            return;
        std::string formula;
        for (std::size_t g = 0; g < counts.size(); ++g) {
            const RecurrentState &state = m_model.groups[g].state;
            if (state.kind == Recurrence::None)
                continue;
            const Bytes conv = Bytes{state.convChannels} * state.convKernel * m_run.b;
            formula += (formula.empty() ? "" : " + ") + number(counts[g]) + " x (" + number(state.convChannels) + " x " +
                       number(state.convKernel) + " x " + elements() + " + " + number((stateBytes(m_run, m_model.groups[g]) - conv).value) +
                       " B)";
        }
        add("kv.state_bytes_per_sequence", "state.recurrent", formula, m_compiled.statePerSequence, rule("2.6"), Confidence::Exact);
    }

    /// The moment that decides on the fullest device, with its terms.
    void addMoment()
    {
        const DevicePlan *binding = m_plan.binding();
        if (!binding)
            return;
        const auto index = static_cast<std::size_t>(m_plan.fullest) % m_compiled.devices.size();
        const std::vector<Share> shares = sharesOf(m_run, m_scenario, m_cluster, loadedWeights(m_run, m_scenario));
        if (index >= shares.size())
            return;
        const Share &share = shares[index];
        Step largest;
        Bytes most{-1};
        for (Step &step : stepsOf(m_run, share)) {
            const Bytes bytes = CacheCurve{{step.phase}}.at(m_scenario.context, m_rows);
            if (bytes > most) {
                most = bytes;
                largest = std::move(step);
            }
        }
        const PartBytes parts = CacheCurve{{largest.phase}}.partsAt(m_scenario.context, m_rows);
        const DeviceCurve &curve = m_compiled.devices[index];
        std::string sum;
        for (const Part part : {Part::Weights, Part::Kv, Part::State, Part::Activation}) {
            if (parts[part].value > 0)
                sum += number(parts[part].value) + " + ";
        }
        const std::string path = "devices." + number(m_plan.fullest) + ".";
        add(path + "total_bytes", "transformers.peak", sum + number(curve.runtime.middle.value) + " B", binding->total,
            rule("1, 10", "generate()") + residual, Confidence::Calibrated);
        addActivation(path + "activation_bytes", largest, share, parts[Part::Activation]);
        add(path + "runtime_bytes", "transformers.context",
            number(curve.runtime.low.value) + " .. " + number(curve.runtime.high.value) + " B", curve.runtime.middle,
            rule("7.2, 7.3", "CUDA context and caching allocator"), Confidence::Assumed);
    }

    /// What one moment holds beside weights and cache; the lines add up to `total`.
    void addActivation(const std::string &figure, const Step &step, const Share &share, Bytes total)
    {
        Bytes sum;
        const auto line = [&](const char *id, const std::string &formula, Bytes value, const std::string &source, Confidence confidence) {
            add(figure, id, formula, value, source, confidence);
            sum += value;
        };
        const LayerGroup &group = m_model.groups[step.group];
        const std::int64_t tokens = m_prompt * m_rows;
        const std::string times = " x " + number(m_prompt) + " x " + number(m_rows);
        const std::string cosines = " + " + number(rotaryBytes(m_run)) + " B x " + number(m_prompt);
        const Bytes rotary = Bytes{rotaryBytes(m_run)} * m_prompt;
        if (step.moment != Moment::Load)
            line("transformers.fixed", number(share.fixed.value) + " B", share.fixed, rule("1, 6.4"), Confidence::Calibrated);
        switch (step.moment) {
        case Moment::Load: break; // the table held twice counts as weights
        case Moment::PrefillFfn: {
            const bool experts = group.parameters[Role::Experts] > 0;
            const std::string dense = elements() + " x (" + (m_model.gatedFfn ? "3" : "2") + " x " + number(m_model.intermediate) + " + " +
                                      (share.embedding ? "4" : "3") + " x " + number(m_model.hidden) + ")";
            line("transformers.ffn", (experts ? number(ffnBytes(m_run, group, share.embedding)) + " B" : dense) + times + cosines,
                 Bytes{ffnBytes(m_run, group, share.embedding)} * tokens + rotary, rule("5.1") + (experts ? "" : residual),
                 experts ? Confidence::Assumed : Confidence::Calibrated);
            break;
        }
        case Moment::PrefillAttention:
            line("transformers.attention_side", number(attentionBytes(m_run, group)) + " B" + times + cosines,
                 Bytes{attentionBytes(m_run, group)} * tokens + rotary, rule("5.1"), Confidence::Assumed);
            if (m_run.attention == AttentionKernel::Eager)
                line("transformers.scores", number(scoreBytes(m_run, group)) + " B x " + number(m_prompt) + times,
                     Bytes{scoreBytes(m_run, group)} * m_prompt * tokens, rule("4.1", "eager attention"), Confidence::Exact);
            break;
        case Moment::Logits:
            line("transformers.logits", number(logitBytes(m_run)) + " B" + (allRows(m_run) ? times : " x " + number(m_rows)),
                 Bytes{logitBytes(m_run)} * (allRows(m_run) ? tokens : m_rows), rule("5.2") + residual, Confidence::Calibrated);
            break;
        case Moment::SecondStep:
        case Moment::Decode:
            if (m_run.rules.tupleCache()) {
                const std::int64_t held = step.moment == Moment::Decode ? std::max<std::int64_t>(0, m_held - 1) : m_prompt;
                const TokenCount context{held + m_run.heldOffset.value};
                line("transformers.two_copies", number(held) + " x " + number(m_rows),
                     CacheCurve{{wholeCache(m_run, share.layers)}}.at(context, m_rows), rule("1") + residual, Confidence::Calibrated);
            } else if (m_run.cache != CacheClass::Static) {
                const std::int64_t held = std::min(m_held, group.window.value > 0 ? group.window.value : m_held);
                line("transformers.step", number(stepBytes(m_run, group)) + " B x " + number(held) + " x " + number(m_rows),
                     Bytes{stepBytes(m_run, group)} * held * m_rows, rule("2.1, 2.7"), Confidence::Calibrated);
            }
            break;
        case Moment::Encoder:
            line("transformers.encoder", number((total - sum).value) + " B", total - sum, rule("5.1"), Confidence::Assumed);
            break;
        }
        if (total > sum)
            line("transformers.rest", number(total.value) + " - " + number(sum.value) + " B", total - sum, rule("4, 5.2"),
                 Confidence::Assumed);
    }

    void addReserved()
    {
        const Reserved reserved = reservedOf(m_scenario, m_compiled, m_plan);
        std::string devices;
        for (std::size_t i = 0; i < m_compiled.devices.size() && i < m_plan.devices.size(); ++i)
            devices += (i > 0 ? " + " : "") + number((m_plan.devices[i].total - m_compiled.devices[i].runtime.middle).value);
        add("engine_report.allocated_peak_bytes", "transformers.allocated", devices + " B", reserved.allocated, rule("1, 10") + residual,
            Confidence::Calibrated);
        add("engine_report.reserved_high_bytes", "transformers.reserved",
            number(reserved.low.value) + " .. " + number(reserved.high.value) + " B", reserved.high, rule("7.2", "caching allocator"),
            Confidence::Assumed);
    }

    const Scenario &m_scenario;
    const Cluster &m_cluster;
    const Compiled &m_compiled;
    const Plan &m_plan;
    Run m_run;
    const ModelSpec &m_model;
    std::int64_t m_rows = 1, m_prompt = 0, m_held = 0;
    std::string m_engine;
    std::vector<Explanation> m_lines;
};

} // namespace

Reserved reservedOf(const Scenario &scenario, const Compiled &compiled, const Plan &plan)
{
    // A growing cache never fits the hole that it leaves: freed copies add up until the card is full (7.2). Otherwise holes of 10 % of the card.
    const CacheClass cache = scenario.transformers.cache;
    const bool grows = cache == CacheClass::Dynamic || cache == CacheClass::Quantized;
    const std::int64_t steps = grows ? scenario.transformers.newTokens.value_or(TokenCount{}).value : 0;
    Reserved reserved;
    for (std::size_t i = 0; i < compiled.devices.size() && i < plan.devices.size(); ++i) {
        const DevicePlan &device = plan.devices[i];
        const Bytes allocated = device.total - compiled.devices[i].runtime.middle;
        const Bytes wanted = allocated + std::max(device.kvNeeded * steps, Bytes{device.memory.value / 10});
        reserved.allocated += allocated;
        reserved.cache += device.kvNeeded;
        reserved.low += allocated;
        reserved.high += std::max(allocated, std::min(wanted, device.usable - compiled.devices[i].runtime.low));
    }
    return reserved;
}

std::vector<Explanation> explainRun(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled, const Plan &plan)
{
    std::vector<Warning> ignored;
    Result<Run> run = runOf(scenario, ignored);
    if (!run || compiled.devices.empty())
        return {};
    return Explainer(scenario, cluster, compiled, plan, *std::move(run)).lines();
}

} // namespace kvscope::transformers
