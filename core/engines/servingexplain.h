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

    /// `section`: where the rule stands; `range`: what its interval is, if it has one.
    void add(std::string figure, std::string rule, std::string formula, Bytes value, const char *section, Confidence confidence);
    void addWeights(const Run &run, const std::vector<RankWeights> &stages, Bytes total);

    std::vector<Explanation> take() { return std::move(m_lines); }

private:
    std::string m_engine, m_device;
    std::vector<Explanation> m_lines;
};

std::string number(std::int64_t n);
std::string number(Bytes bytes);
/// "low .. high B".
std::string rangeOf(const Spread &spread);

} // namespace kvscope::serving
