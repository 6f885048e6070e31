// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/servingexplain.h"

#include "core/engines/servingmemory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace kvscope::serving {

std::string number(std::int64_t n) { return std::to_string(n); }
std::string number(Bytes bytes) { return std::to_string(bytes.value); }

std::string graphFormula(const Run &run, int layers, int sizes)
{
    return number(std::int64_t{sizes}) + " x " + decimal(graphGiB(run, layers, sizes) / std::max(1, sizes)) + " GiB";
}

std::string decimal(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.4f", value);
    std::string digits(text);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.'))
        digits.pop_back();
    return digits;
}

std::string rangeOf(const Spread &spread) { return number(spread.low) + " .. " + number(spread.high) + " B"; }

Explanation &Lines::add(std::string figure, std::string rule, std::string formula, Bytes value, const char *section, Confidence confidence)
{
    m_lines.push_back({std::move(figure), std::move(rule), std::move(formula), value, m_engine + "; rules " + section, confidence});
    return m_lines.back();
}

void Lines::addCount(std::string figure, std::string rule, std::string formula, std::int64_t value, const char *section,
                     Confidence confidence)
{
    add(std::move(figure), std::move(rule), std::move(formula), Bytes{value}, section, confidence).quantity = Quantity::Count;
}

void Lines::addMemory(const char *figure, const char *rule, std::string formula, const Spread &spread, const std::optional<Bytes> &given,
                      const char *section)
{
    if (given)
        add(onDevice(figure), "serving.given", number(*given) + " B", *given, section, Confidence::Exact);
    else if (spread.middle.value != 0)
        add(onDevice(figure), rule, std::move(formula) + "; " + rangeOf(spread), spread.middle, section, Confidence::Assumed);
}

void Lines::addNeed(const char *rule, std::string formula, const Plan &plan, const char *section)
{
    add("kv.bytes_per_sequence", rule, std::move(formula), plan.kv.perSequence, section, Confidence::Exact);
    addTotal(plan, section);
}

void Lines::addTotal(const Plan &plan, const char *section)
{
    Bytes sum;
    std::string terms;
    for (std::size_t i = 0, next = 0; i < plan.devices.size(); i = next) {
        const Bytes each = plan.devices[i].kvNeeded;
        while (next < plan.devices.size() && plan.devices[next].kvNeeded == each)
            ++next;
        const auto alike = static_cast<std::int64_t>(next - i);
        sum += each * alike;
        const std::int64_t one = plan.kv.perSequence.value;
        const std::int64_t sequences = one > 0 && each.value % one == 0 ? each.value / one : 1;
        terms += (terms.empty() ? "" : " + ") + (alike > 1 ? number(alike) + " x " : "") +
                 (sequences > 1 ? number(sequences) + " x " + number(one) : number(each));
    }
    add("kv.total_bytes", "serving.total", (sum == plan.kv.total ? terms : number(plan.kv.total)) + " B", plan.kv.total, section,
        Confidence::Exact);
}

void Lines::addWeights(const Run &run, const std::vector<RankWeights> &stages, Bytes total)
{
    if (!run.model->parametersKnown)
        return;
    if (!stages.empty() && stages.front().measured) {
        m_lines.push_back({"weights", "weights.measured", number(total) + " B", total, "given", Confidence::Exact});
        return;
    }
    RankWeights sum;
    for (const RankWeights &stage : stages) {
        sum.layers += stage.layers * run.tensor();
        sum.tables += stage.tables * run.tensor();
        sum.other += stage.other * run.tensor();
        sum.copies += stage.copies * run.tensor();
        sum.rotary += stage.rotary * run.tensor();
        sum.rounding += stage.rounding * run.tensor();
        sum.draft += stage.draft * run.tensor();
    }
    const bool plain = run.weights == run.dtype;
    const TensorFormat &format = infoOf(run.weights);
    const std::int64_t parameters = run.model->parameters().total();
    // Beside the parameters in that format: what stays in 16 bit, copies on several ranks, padded rows.
    const Bytes held = sum.layers + sum.tables + sum.other;
    const Bytes beside = held - bytesOf(run.weights, parameters);
    const std::string rest = beside.value == 0 ? "" : (beside.value > 0 ? " + " : " - ") + number(std::abs(beside.value));
    const std::string each = " x " + number(format.blockBytes) + (format.blockElements > 1 ? " / " + number(format.blockElements) : "");
    // 4.1: unquantised models within 0.1 % of what 57 logs print, others within 0.7 % of 15.
    const Trial trial = plain ? Trial{0.001, 57} : Trial{0.007, 15};
    const auto line = [&](const char *rule, const std::string &formula, Bytes value, const char *section, Confidence confidence) {
        if (value.value == 0)
            return;
        Explanation &added = add("weights", rule, formula, value, section, confidence);
        if (confidence == Confidence::Calibrated)
            added.trial = trial;
    };
    line(plain ? "weights.every" : "weights.matrices", number(parameters) + each + rest + " B", held, "4.1, 4.2",
         plain ? Confidence::Exact : Confidence::Calibrated);
    line("serving.latent_copies", number(sum.copies) + " B", sum.copies, "4.1", Confidence::Exact);
    line("serving.rotary", number(sum.rotary) + " B", sum.rotary, "4.1", Confidence::Exact);
    line("serving.draft", number(sum.draft) + " B", sum.draft, "2.10, 4.1", Confidence::Calibrated);
    line("serving.rounding", number(sum.rounding) + " B", sum.rounding, "4.1", Confidence::Calibrated);
}

} // namespace kvscope::serving
