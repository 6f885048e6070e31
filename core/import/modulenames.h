// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model.h"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// For each role a share of its parameters, 0 to 1.
using RoleShares = std::array<double, roleCount>;

/// What of a model a list of module names covers, as schemes of quantisation list what they leave out or take in
/// (spec/serving-engines.md 4.2, "Reading mixed files"): names of modules or of what holds them ("model.layers.3.self_attn.q_proj",
/// "lm_head", "visual"), wildcards `*`, and after "re:" regular expressions. Of these, what such lists use is understood: `.*`, `\.`,
/// `\d+`, alternatives in parentheses and digits in brackets; a pattern with anything else covers nothing.
class ModuleCoverage {
public:
    explicit ModuleCoverage(const ModelSpec &model);

    void add(std::string_view pattern);
    /// All of a role, in all layers.
    void addRole(Role role);

    RoleShares shares() const;

private:
    using Parts = std::uint8_t; ///< bits of a role's parts: projections of attention, sides of a feed-forward block

    void addPlain(std::string_view name);
    void addModule(int layer, Role role, Parts parts);
    double shareOf(const LayerGroup &group, Role role, Parts parts) const;

    const ModelSpec &m_model;
    std::vector<std::array<Parts, roleCount>> m_layers; ///< same index as ModelSpec::layout
    std::array<bool, roleCount> m_outer{};
    std::set<std::string> m_known; ///< names that were added: lists repeat themselves
};

} // namespace kvscope
