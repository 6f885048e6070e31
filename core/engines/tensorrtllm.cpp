// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/engines.h"

namespace kvscope {

namespace {

class TensorRtLlmEngine : public Engine {
public:
    EngineId id() const override { return EngineId::TensorRtLlm; }
    std::string_view name() const override { return "tensorrt-llm"; }
    std::string_view label() const override { return "TensorRT-LLM"; }
    std::span<const std::string_view> versions() const override { return {}; }
    std::span<const Format> kvFormats() const override { return formulaEngine().kvFormats(); }
    Format defaultKvFormat(const Scenario &) const override { return Format::F16; }
    std::span<const Format> weightFormats() const override { return formulaEngine().weightFormats(); }
    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override
    {
        return formulaEngine().compile(scenario, cluster);
    }
    std::vector<Explanation> explain(const Scenario &, const Compiled &, const Plan &) const override { return {}; }
    std::vector<Split> splits(const ModelSpec &model, int devices) const override { return formulaEngine().splits(model, devices); }
};

} // namespace

const Engine &tensorRtLlmEngine()
{
    static const TensorRtLlmEngine engine;
    return engine;
}

} // namespace kvscope
