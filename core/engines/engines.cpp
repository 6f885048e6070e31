// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/engines.h"

#include "core/engine.h"
#include "core/weights.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace kvscope {

namespace {

std::span<const Engine *const> table()
{
    static const std::array<const Engine *, engineCount> all{&formulaEngine(), &transformersEngine(), &llamaCppEngine(),   &ollamaEngine(),
                                                             &vllmEngine(),    &sglangEngine(),       &tensorRtLlmEngine()};
    return all;
}

} // namespace

const Engine &engineOf(EngineId id) { return *table()[static_cast<std::size_t>(id)]; }

std::span<const Engine *const> engines() { return table(); }

const Engine *engineByName(std::string_view name)
{
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    for (const Engine *engine : table()) {
        if (std::ranges::equal(engine->name(), name, {}, lower, lower))
            return engine;
    }
    return nullptr;
}

namespace {

/// A format that was asked for and that the engine lacks; named are those it has that are nearest in width.
std::optional<Error> lacking(const std::optional<Format> &format, std::span<const Format> offered)
{
    if (!format || std::ranges::find(offered, *format) != offered.end())
        return {};
    constexpr std::size_t most = 8;
    std::vector<Format> near(offered.begin(), offered.end());
    const double asked = infoOf(*format).bitsPerElement();
    std::ranges::stable_sort(near, {}, [asked](Format f) { return std::abs(infoOf(f).bitsPerElement() - asked); });
    near.resize(std::min(near.size(), most));
    std::string names;
    for (const Format f : near)
        names += (names.empty() ? "" : ", ") + std::string(infoOf(f).name);
    return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(*format).name), names, {}};
}

} // namespace

Format Engine::defaultWeightFormat(const Scenario &scenario) const { return resolvedWeightFormat(*scenario.model, {}); }

Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster)
{
    if (!scenario.model || scenario.model->layout.empty())
        return Error{ErrorCode::MissingModel, {}, {}, {}};
    if (cluster.devices.empty())
        return Error{ErrorCode::MissingDevice, {}, {}, {}};
    const std::int64_t needed = cluster.split.devices();
    if (needed > static_cast<std::int64_t>(cluster.devices.size())) {
        return Error{
            ErrorCode::ImpossibleSplit, "tp x pp x dp = " + std::to_string(needed), "<= " + std::to_string(cluster.devices.size()), {}};
    }
    if (cluster.split.pipeline > scenario.model->layerCount())
        return Error{ErrorCode::ImpossibleSplit,
                     "pp = " + std::to_string(cluster.split.pipeline),
                     "<= " + std::to_string(scenario.model->layerCount()),
                     {}};
    if (cluster.split.dataInTensor && scenario.engine.id != EngineId::Sglang) // others' ways of it were not read
        return Error{ErrorCode::ImpossibleSplit, "DP attention", "sglang", {}};
    if (cluster.split.decodeContext > 1 && scenario.engine.id != EngineId::Vllm) // the others have no such split (2.9)
        return Error{ErrorCode::ImpossibleSplit, "dcp = " + std::to_string(cluster.split.decodeContext), "dcp = 1", {}};
    const Engine &engine = engineOf(scenario.engine.id);
    for (const auto &[format, offered] : {std::pair{scenario.kv.key, engine.kvFormats()}, std::pair{scenario.kv.value, engine.kvFormats()},
                                          std::pair{scenario.weights.format, engine.weightFormats()}}) {
        if (std::optional<Error> error = lacking(format, offered))
            return *error;
    }
    return engine.compile(scenario, cluster);
}

} // namespace kvscope
