// SPDX-License-Identifier: GPL-3.0-or-later
// TensorRT-LLM's PyTorch backend: a fraction of what is free after a dummy pass becomes blocks (spec/serving-engines.md 1.5, 2.12).
#include "core/engines/engines.h"
#include "core/engines/tensorrtllmexplain.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

using namespace tensorrtllm;

constexpr std::array kvFormatsWidestFirst{Format::BF16, Format::F16, Format::FP8, Format::NVFP4};
constexpr std::array weightFormatsWidestFirst{Format::F32,         Format::BF16,  Format::F16,  Format::MXFP8,
                                              Format::FP8Block,    Format::FP8,   Format::Int8, Format::NVFP4,
                                              Format::Int4Group32, Format::MXFP4, Format::AWQ,  Format::GPTQ};

/// Blocks of one sequence: every layer keeps every token (2.12), states lie beside them.
Phase cachePhase(const Share &share, std::int64_t block, TokenCount sharedPrefix)
{
    Phase phase;
    CurveTerm term{Part::Kv, Bytes{share.tokenBytes} * block, Growth::Linear, true};
    term.every = term.pad = block;
    serving::addBlocks(phase, term, sharedPrefix);
    if (share.stateBytes > 0)
        phase.terms.push_back({Part::Kv, Bytes{share.stateBytes}, Growth::Constant, true});
    return phase;
}

class TensorRtLlmEngine : public Engine {
public:
    EngineId id() const override { return EngineId::TensorRtLlm; }
    std::string_view name() const override { return "tensorrt-llm"; }
    std::string_view label() const override { return "TensorRT-LLM"; }
    std::span<const std::string_view> versions() const override { return {}; }
    std::span<const Format> kvFormats() const override { return kvFormatsWidestFirst; }
    Format defaultKvFormat(const Scenario &scenario) const override { return serving::defaultKv(scenario); }
    std::span<const Format> weightFormats() const override { return weightFormatsWidestFirst; }
    Format defaultWeightFormat(const Scenario &scenario) const override { return serving::loadedFormat(*scenario.model); }

    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override;
    std::vector<ReportFigure> report(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override;
    std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const override
    {
        return explainSetup(scenario, cluster, compiled, plan);
    }
    std::vector<Split> splits(const ModelSpec &model, int devices) const override { return serving::splitsOf(model, devices); }
};

Result<Compiled> TensorRtLlmEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    Compiled compiled;
    const Result<Setup> setup = setUp(scenario, cluster);
    if (!setup)
        return setup.error();
    const Run &run = setup->run;
    serving::addRunWarnings(run, scenario, compiled.warnings);
    const TokenCount prefix = scenario.serving.prefixCaching.value_or(true) ? scenario.sharedPrefix : TokenCount{};
    for (std::size_t s = 0; s < setup->shares.size(); ++s) {
        const Share &share = setup->shares[s];
        DeviceCurve device =
            serving::poolDevice(run, s, share.pool, share.weights.total(), share.activation.middle, share.graphs.middle, share.runtime);
        device.cache.phases = {cachePhase(share, setup->block, prefix)};
        device.kvPerToken = Bytes{share.tokenBytes};
        compiled.weights += share.weights.total() * run.tensor();
        compiled.devices.push_back(std::move(device));
    }
    const Run whole = serving::wholeModel(run);
    const Share all = shareOf(whole, 0);
    compiled.kvPerToken = Bytes{all.tokenBytes};
    compiled.statePerSequence = Bytes{all.stateBytes};
    compiled.sequence.phases = {{{{Part::Kv, Bytes{all.tokenBytes}, Growth::Linear, true}}}};
    const double length = static_cast<double>(std::max<std::int64_t>(1, scenario.context.value));
    compiled.pool = PoolFigures{{setup->block}, setup->blocks, {setup->tokens}, static_cast<double>(setup->tokens) / length, 0, {}};
    if (run.model->hidden == 0)
        compiled.warnings.push_back(
            {WarningCode::ActivationsNotModelled, {run.model->family.empty() ? run.model->name : run.model->family}});
    if (!scenario.serving.givenKv)
        compiled.warnings.push_back({WarningCode::BudgetNotTried, {}});
    return compiled;
}

std::vector<ReportFigure> TensorRtLlmEngine::report(const Scenario &scenario, const Cluster &cluster, const Compiled &, const Plan &) const
{
    const Result<Setup> setup = setUp(scenario, cluster);
    if (!setup)
        return {};
    return {{"allocated_kv_cache_bytes", static_cast<double>(setup->blocks * setup->block * setup->shares[setup->binding].tokenBytes)},
            {"max_tokens_in_paged_kv_cache", static_cast<double>(setup->tokens)}};
}

} // namespace

const Engine &tensorRtLlmEngine()
{
    static const TensorRtLlmEngine engine;
    return engine;
}

} // namespace kvscope
