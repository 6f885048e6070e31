// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kvscope {

/// A setting under Advanced: its words, the engines that have it, and where it stands in a scenario. The words are the sources of the
/// translation context "kvscope::AdvancedInputs".
struct ScenarioSetting {
    enum class Kind : std::uint8_t {
        Bytes,
        Tokens,
        Count,
        Fraction, ///< 0 to 1, in millionths
        Percent,  ///< in millionths
        Layers,   ///< a count with a slider from 0 to `most`
        Shares,   ///< numbers in a row, `3,1`: of LocalOptions::tensorSplit
        Choice,
        Switch, ///< 1 = on
    };
    /// What an engine itself calls it; empty: it has no name there.
    struct Name {
        EngineId engine;
        std::string_view words;
    };
    struct Option {
        const char *words;
        std::optional<std::int64_t> value;
    };
    using Number = std::optional<std::int64_t>; ///< nullopt: not set, the engine's default

    Kind kind;
    const char *name; ///< of the field that shows it
    const char *label;
    const char *tip;
    Number (*get)(const Scenario &) = nullptr;
    void (*set)(Scenario &, Number) = nullptr;
    const char *unset = nullptr; ///< what an empty field says; null: "default"
    std::vector<Name> engines{}; ///< that have it; none: all of them
    std::int64_t lowest = 0, highest = tooLargeValue - 1;
    std::vector<Option> options{};                    ///< Choice
    std::int64_t (*most)(const Scenario &) = nullptr; ///< Layers: the slider's end
    bool unsetIsMost = false;                         ///< Layers: where the slider stands when nothing is set
    bool evenIfLacking = false;                     ///< shown under any engine once it is set: the plan then says that the engine lacks it
    bool (*meaningful)(const Scenario &) = nullptr; ///< null: wherever the engine has it

    /// It is shown: the scenario's engine has it and it means something for the model, machine and other settings.
    bool appliesTo(const Scenario &scenario) const;
    /// "-ngl"; empty where the engine has no name for it.
    std::string_view engineName(EngineId engine) const;
};

/// All of them in the order of the form: those of some engines first.
std::span<const ScenarioSetting> scenarioSettings();

} // namespace kvscope
