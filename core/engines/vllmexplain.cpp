// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/vllmexplain.h"

#include <algorithm>
#include <array>

namespace kvscope::vllm {

namespace {

using serving::Lines;
using serving::number;
using serving::rangeOf;

constexpr double gib = static_cast<double>(bytesPerGiB);

/// A start told in formulas: one object a call, holding what every line needs.
class Explainer {
public:
    Explainer(const Setup &setup, const Scenario &scenario, Lines &lines) :
        m_scenario(scenario), m_setup(setup), m_stage(setup.binding()), m_budget(setup.budgets[m_stage]), m_lines(lines)
    {
    }

    /// A line for each group: what one sequence holds of the pool on a rank. They add up to bytes_per_sequence.
    void addPool(const Plan &plan)
    {
        static constexpr std::array rules{"vllm.group_full", "vllm.group_sliding", "vllm.group_chunked", "vllm.group_state",
                                          "vllm.group_cross"};
        const PoolShape &pool = m_setup.pool;
        if (pool.empty())
            return;
        const std::int64_t bytes = pool.blockBytes[m_stage];
        for (const GroupKind &group : pool.kinds) {
            const std::int64_t blocks = pool.holding.blocks(group.kind, group.block, group.window, m_scenario.context);
            m_lines.add("kv.bytes_per_sequence", rules[static_cast<std::size_t>(group.kind)],
                        number(group.count) + " x (" + blocksFormula(group) + ") x " + number(bytes) + " B",
                        Bytes{bytes} * saturatingMultiply(blocks, group.count), "2.5, 2.6", Confidence::Exact);
        }
        m_lines.addTotal(plan, "2.6");
        const std::string block = pool.sharedPage > 0 ? number(bytes / pool.sharedPage) + " x " + number(pool.sharedPage) : number(bytes);
        m_lines.add(m_lines.onDevice("kv_bytes"), pool.sharedPage > 0 ? "vllm.shared_page" : "vllm.block_count",
                    number(m_setup.blocks) + " x " + block + " B", Bytes{bytes} * m_setup.blocks, "2.6, 2.7",
                    m_budget.given ? Confidence::Exact : estimated());
    }

    void addMemory()
    {
        addProfile();
        addBudget();
        addReport();
    }

private:
    /// Blocks that one sequence holds of a group (2.5), with its numbers.
    std::string blocksFormula(const GroupKind &group) const
    {
        const Holding &holding = m_setup.pool.holding;
        const std::string length = number(m_scenario.context.value);
        const std::string block = number(group.block);
        const std::string ahead = holding.ahead > 0 ? number(holding.ahead) + " + " : "";
        const std::string reach =
            number(group.window) + (group.kind == SpecKind::Sliding ? " - 1 + " + ahead : " + ") + number(holding.inFlight);
        switch (group.kind) {
        case SpecKind::Full:
            return "ceil(" + (holding.contextRanks > 1 ? "ceil(" + length + " / " + number(holding.contextRanks) + ")" : length) + " / " +
                   block + ")";
        case SpecKind::Sliding: return "ceil(min(" + reach + ", " + length + ") / " + block + ") + 1";
        case SpecKind::Chunked: return "ceil(min(" + reach + ", " + length + ") / " + block + ")";
        case SpecKind::State: return number(holding.stateBlocks);
        case SpecKind::Cross: return "ceil(" + number(group.window) + " / " + block + ")";
        }
        return {};
    }

    Confidence estimated() const { return m_budget.tried ? Confidence::Calibrated : Confidence::Assumed; }

    /// A line that runs of the kind were held against: so many bytes off at the most.
    static void hold(Explanation &line, double bytes, int runs)
    {
        if (line.confidence == Confidence::Calibrated && line.value.value > 0)
            line.trial = Trial{bytes / static_cast<double>(line.value.value), runs};
    }
    bool isDense() const { return !m_setup.run.mixtureOfExperts() && !m_setup.run.hasMixer(Mixer::Latent); }

    void addProfile()
    {
        const Peak &peak = m_budget.peak;
        const ServingOptions &options = m_scenario.serving;
        if (options.givenActivation) {
            m_lines.add(m_lines.onDevice("activation_bytes"), "serving.given", number(*options.givenActivation) + " B",
                        *options.givenActivation, "1.1", Confidence::Exact);
        } else if (peak.total > 0) {
            const std::string experts = number(peak.experts);
            const std::string sampler = number(peak.sampler) + (m_setup.rules.expertWorkspacesStay() ? " + " + experts : "");
            const std::string fixed = peak.vision + peak.fixed > 0 ? " + " + number(peak.vision + peak.fixed) : "";
            Explanation &line = m_lines.add(m_lines.onDevice("activation_bytes"), "vllm.peak",
                                            "max(" + number(peak.forward) + " + " + experts + ", " + sampler + ")" + fixed + " B; " +
                                                rangeOf(m_budget.activation),
                                            Bytes{peak.total}, "5.1, 5.2, 5.6", estimated());
            if (isDense() && m_setup.rules.smallSampler()) // 5.2
                hold(line, 0.014 * gib, 42);
            else if (isDense())
                hold(line, 0.1 * gib, 9);
        }
        if (m_budget.graphs.middle.value > 0) {
            const int sizes = captureSizes(m_setup.run, m_setup.rules, m_scenario, m_setup.devices[m_stage]);
            const Stage &stage = m_setup.run.stages[m_stage];
            Explanation &line = m_lines.add(m_lines.onDevice("graph_bytes"), options.givenGraph ? "serving.given" : "vllm.graphs",
                                            options.givenGraph ? number(m_budget.graphs.middle) + " B"
                                                               : serving::graphFormula(m_setup.run, stage.last - stage.first, sizes) +
                                                                     "; " + rangeOf(m_budget.graphs),
                                            m_budget.graphs.middle, "5.3", options.givenGraph ? Confidence::Exact : estimated());
            hold(line, (isDense() ? 0.21 : 0.4) * gib, isDense() ? 26 : 7); // 5.3
        }
        m_lines.add(m_lines.onDevice("runtime_bytes"), options.givenRuntime ? "serving.given" : "vllm.outside_torch",
                    number(m_budget.before.middle) + " + " + number(m_budget.growth.middle) + " B; " + rangeOf(m_budget.growth),
                    m_budget.before.middle + m_budget.growth.middle, "5.4", options.givenRuntime ? Confidence::Exact : estimated());
    }

    void addBudget()
    {
        if (m_budget.given) {
            m_lines.add("engine_report.available_kv_cache_bytes", "serving.given", number(m_budget.available.middle) + " B",
                        m_budget.available.middle, "1.1", Confidence::Exact);
            return;
        }
        std::string sum = number(m_budget.requested) + " - " + number(m_budget.weights.total()) + " - " +
                          number(m_budget.activation.middle) + " - " + number(m_budget.growth.middle);
        if (m_budget.subtracted.middle.value > 0)
            sum += " - " + number(m_budget.subtracted.middle);
        Explanation &line =
            m_lines.add("engine_report.available_kv_cache_bytes", m_budget.tried ? "vllm.budget" : "vllm.budget_untried",
                        sum + " B; " + rangeOf(m_budget.available), m_budget.available.middle, "1.1, 1.2, 5.6", estimated());
        hold(line, 0.003 * static_cast<double>(m_setup.devices[m_stage].memory.value), 62); // 5.6: a share of the card
    }

    void addReport()
    {
        if (m_setup.pool.empty())
            return;
        const Rules &rules = m_setup.rules;
        const Printed printed = printedOf(m_setup.pool, rules, m_setup.blocks, m_setup.configuredBlock, m_scenario.context);
        const std::string blocks = number(m_setup.blocks);
        const std::string each = number(m_setup.pool.blocksOf(m_scenario.context));
        const auto groups = static_cast<std::int64_t>(m_setup.pool.groups.size());
        const bool byGroups = !rules.tokensByConcurrency() || !rules.groups();
        const std::int64_t block =
            rules.configuredBlockInTokens() && rules.groups() ? m_setup.configuredBlock : m_setup.pool.smallestBlock();
        const std::int64_t ranks = m_setup.pool.holding.contextRanks;
        const std::string spread = ranks > 1 ? " x " + number(ranks) : "";
        m_lines.addCount("engine_report.kv_cache_tokens", byGroups ? "vllm.tokens_by_groups" : "vllm.tokens_by_concurrency",
                         byGroups ? "floor(" + blocks + " / " + number(groups) + ") x " + number(block) + spread
                                  : blocks + " / " + each + " x " + number(m_scenario.context.value),
                         printed.tokens, "3.1", Confidence::Exact);
        const bool whole = !rules.needPerRank() && m_setup.run.stages.size() > 1;
        m_lines.add("engine_report.bytes_needed_for_max_model_len", whole ? "vllm.need_whole" : "vllm.need",
                    each + " x " + number(whole ? m_setup.pool.wholeBlock : std::ranges::max(m_setup.pool.checkBytes)) + " B",
                    m_setup.needed(m_scenario.context), "3.3", Confidence::Exact);
    }

    const Scenario &m_scenario;
    const Setup &m_setup;
    std::size_t m_stage;
    const Budget &m_budget;
    Lines &m_lines;
};

} // namespace

void explainPool(const Setup &setup, const Scenario &scenario, const Plan &plan, Lines &lines)
{
    Explainer(setup, scenario, lines).addPool(plan);
}

void explainMemory(const Setup &setup, const Scenario &scenario, Lines &lines) { Explainer(setup, scenario, lines).addMemory(); }

} // namespace kvscope::vllm
