// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/modulenames.h"

#include <compare>
#include <map>
#include <optional>

namespace kvscope {

/// A format, and its bits where they are not the format's own (Quantization::bits).
struct Stored {
    Format format = Format::BF16;
    double bits = 0;

    auto operator<=>(const Stored &) const = default;
};

/// `bits` of an element with what scales take; 0, or the format's own: as the format has them.
Stored stored(Format format, double bits);

/// What of the model is in which format.
class Scheme {
public:
    explicit Scheme(const ModelSpec &model) : m_model(model), m_excluded(model) {}

    ModuleCoverage &in(const Stored &format) { return m_taken.try_emplace(format, m_model).first->second; }
    ModuleCoverage &excluded() { return m_excluded; }
    /// Of the matrices of the layers that no other format takes.
    void takeRest(const Stored &format) { m_rest = format; }

    /// The experts' format, or that of the largest dense role, becomes the main one; another format of other roles the second. A role is in the
    /// format that most of it is in.
    std::optional<Quantization> result() const;

private:
    /// Prediction layers are stored as the model's own are; tables that they bring along stay in 16 bit.
    void takePrediction(Quantization &quantization) const;

    const ModelSpec &m_model;
    std::map<Stored, ModuleCoverage> m_taken;
    std::optional<Stored> m_rest;
    ModuleCoverage m_excluded;
};

} // namespace kvscope
