// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/quantizationscheme.h"

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

/// What the schemes quantise unless told otherwise: the matrices of the layers (4.2, "not quantised by default").
constexpr std::array layerMatrices{Role::Attention, Role::Recurrent, Role::Ffn, Role::Experts, Role::SharedExperts};

} // namespace

Stored stored(Format format, double bits)
{
    constexpr double alike = 1e-6;
    const double own = infoOf(format).bitsPerElement();
    return {format, bits == 0 || std::abs(bits - own) < alike ? 0 : bits};
}

std::optional<Quantization> Scheme::result() const
{
    std::array<Stored, roleCount> formats{};
    RoleShares most{};
    RoleShares named{};
    const auto offer = [&](const Stored &format, Role role, double share) {
        const auto r = static_cast<std::size_t>(role);
        if (share > most[r]) {
            most[r] = share;
            formats[r] = format;
        }
    };
    const RoleShares excluded = m_excluded.shares();
    for (const auto &[format, taken] : m_taken) {
        const RoleShares shares = taken.shares();
        for (std::size_t r = 0; r < shares.size(); ++r) {
            offer(format, static_cast<Role>(r), shares[r] * (1 - excluded[r]));
            named[r] += shares[r];
        }
    }
    const RoleCounts counts = m_model.parameters();
    for (const Role role : layerMatrices) {
        const auto r = static_cast<std::size_t>(role);
        if (m_rest && counts[role] > 0)
            offer(*m_rest, role, std::max(0.0, 1 - named[r]) * (1 - excluded[r]));
    }
    std::optional<Quantization> quantization;
    for (const Role role :
         {Role::Experts, Role::Ffn, Role::Attention, Role::SharedExperts, Role::Recurrent, Role::OutputHead, Role::Embedding}) {
        const auto r = static_cast<std::size_t>(role);
        constexpr double nothing = 0.001;
        if (most[r] < nothing)
            continue;
        const Stored &format = formats[r];
        if (!quantization) {
            quantization.emplace().format = format.format;
            quantization->bits = format.bits;
        }
        if (format.format == quantization->format)
            quantization->quantised[r] = true;
        else if (!quantization->secondFormat || quantization->secondFormat == format.format)
            quantization->secondQuantised[r] = true;
        else
            continue; // a third
        if (quantization->secondQuantised[r])
            quantization->secondFormat = format.format;
        quantization->leftOut[r] = most[r] > 1 - nothing ? 0 : 1 - most[r];
    }
    if (quantization && m_rest && counts[Role::Mtp] > 0 && excluded[static_cast<std::size_t>(Role::Mtp)] == 0)
        takePrediction(*quantization);
    return quantization;
}

void Scheme::takePrediction(Quantization &quantization) const
{
    const auto prediction = static_cast<std::size_t>(Role::Mtp);
    const auto like = static_cast<std::size_t>(m_model.experts > 0 ? Role::Experts : Role::Ffn);
    quantization.quantised[prediction] = quantization.quantised[like];
    quantization.secondQuantised[prediction] = quantization.secondQuantised[like];
    if (m_model.layout.empty() || !(quantization.quantised[like] || quantization.secondQuantised[like]))
        return;
    const double hidden = m_model.hidden;
    const auto layer = static_cast<double>(m_model.groups[m_model.layout.back()].parameters.total()) + 2 * hidden * hidden + 3 * hidden;
    const auto all = static_cast<double>(m_model.outer[Role::Mtp]);
    quantization.leftOut[prediction] = std::clamp(1 - m_model.predictionLayers * layer / all, 0.0, 1.0);
}

} // namespace kvscope
