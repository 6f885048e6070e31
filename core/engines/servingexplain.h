// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingweights.h"

namespace kvscope::serving {

/// Collects the lines of a plan's explanation, all read in the same rules.
class Lines {
public:
    /// `device`: index of the one that figures of a device are told of.
    Lines(std::string engine, int device) : m_engine(std::move(engine)), m_device("devices." + std::to_string(device) + ".") {}

    /// The path of a device's figure.
    std::string onDevice(const char *figure) const { return m_device + figure; }

    /// `section`: where the rule stands.
    Explanation &add(std::string figure, std::string rule, std::string formula, Bytes value, const char *section, Confidence confidence);
    /// A number of tokens or slots.
    void addCount(std::string figure, std::string rule, std::string formula, std::int64_t value, const char *section,
                  Confidence confidence);
    /// Memory of the device beside weights and cache, its range behind the formula; as measured where that was `given`.
    void addMemory(const char *figure, const char *rule, std::string formula, const Spread &spread, const std::optional<Bytes> &given,
                   const char *section);
    /// What one sequence takes on the device, by `rule` and `formula`, and what all take on all devices.
    void addNeed(const char *rule, std::string formula, const Plan &plan, const char *section);
    /// The second of these alone.
    void addTotal(const Plan &plan, const char *section);
    void addWeights(const Run &run, const std::vector<RankWeights> &stages, Bytes total);

    std::vector<Explanation> take() { return std::move(m_lines); }

private:
    std::string m_engine, m_device;
    std::vector<Explanation> m_lines;
};

std::string number(std::int64_t n);
std::string number(Bytes bytes);
/// At most four places behind the point.
std::string decimal(double value);
/// CUDA graphs (5.3) with their numbers: so many sizes, so much each.
std::string graphFormula(const Run &run, int layers, int sizes);
/// "low .. high B".
std::string rangeOf(const Spread &spread);

} // namespace kvscope::serving
