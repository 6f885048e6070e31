// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model.h"
#include "core/scenario.h"

#include <array>

namespace kvscope {

/// The weights of a model under a choice of format, by role; what a format leaves unquantised stays at 16 bit (spec/serving-engines.md 4.2).
struct WeightBytes {
    std::array<Bytes, roleCount> outer{};               ///< outside the layers
    std::vector<std::array<Bytes, roleCount>> perLayer; ///< one layer of each group, same index as ModelSpec::groups
    std::array<Format, roleCount> formatOfRole{};     ///< what each role is in, before a measured total scales it; of a mix: the main type
    std::array<std::int64_t, formatCount> elements{}; ///< parameters by the format they are in, before a measured total
    bool mixed = false;                               ///< each tensor has a type of its own; a layer's bytes are the mean of its group's
    Bytes total;                                      ///< everything; the measured figure where there is one
    Format format = Format::BF16;                     ///< what the matrices are in
    bool measured = false;                            ///< total is measured, and the shares are scaled to it

    Bytes outerTotal() const;
    Bytes layerTotal(std::size_t group) const;
};

/// Weight bytes of the whole model. int8 and int4 are pure bits on every parameter (spec/cli.md, --weights).
WeightBytes weightBytes(const ModelSpec &model, const WeightChoice &choice);

/// The format that `auto` stands for: as the checkpoint is stored, else its dtype.
Format resolvedWeightFormat(const ModelSpec &model, const WeightChoice &choice);

} // namespace kvscope
