// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/servingexplain.h"

namespace kvscope::serving {

std::string number(std::int64_t n) { return std::to_string(n); }
std::string number(Bytes bytes) { return std::to_string(bytes.value); }

std::string rangeOf(const Spread &spread) { return number(spread.low) + " .. " + number(spread.high) + " B"; }

void Lines::add(std::string figure, std::string rule, std::string formula, Bytes value, const char *section, Confidence confidence)
{
    m_lines.push_back({std::move(figure), std::move(rule), std::move(formula), value, m_engine + "; rules " + section, confidence});
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
    const std::string each =
        " x " + number(format.blockBytes) + (format.blockElements > 1 ? " / " + number(format.blockElements) : "") + " B";
    const auto line = [this](const char *rule, const std::string &formula, Bytes value, const char *section, Confidence confidence) {
        if (value.value != 0)
            add("weights", rule, formula, value, section, confidence);
    };
    const std::string copies = number(std::int64_t{run.tensor()}) + " x TP, " + number(std::int64_t{run.split.pipeline}) + " x PP";
    line(plain ? "weights.every" : "weights.matrices",
         number(run.model->parameters().total()) + (plain ? each : each + ", 16 bit") + " / " + copies, sum.layers + sum.tables + sum.other,
         "4.1, 4.2", plain ? Confidence::Exact : Confidence::Calibrated);
    line("serving.latent_copies", number(sum.copies) + " B", sum.copies, "4.1", Confidence::Exact);
    line("serving.rotary", number(sum.rotary) + " B", sum.rotary, "4.1", Confidence::Exact);
    line("serving.draft", number(sum.draft) + " B", sum.draft, "2.10, 4.1", Confidence::Calibrated);
    line("serving.rounding", number(sum.rounding) + " B", sum.rounding, "4.1", Confidence::Calibrated);
}

} // namespace kvscope::serving
