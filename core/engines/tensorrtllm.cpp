// SPDX-License-Identifier: GPL-3.0-or-later
// TensorRT-LLM's PyTorch backend: a fraction of what is free after a dummy pass becomes blocks (spec/serving-engines.md 1.5, 2.12).
#include "core/engines/engines.h"
#include "core/engines/servingengine.h"
#include "core/engines/tensorrtllmexplain.h"

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

class TensorRtLlmStart : public serving::Start {
public:
    TensorRtLlmStart(const Scenario &scenario, Setup setup) : Start(scenario), m_setup(std::move(setup)) {}

    const Run &run() const override { return m_setup.run; }
    serving::RankMemory memory(std::size_t stage) const override
    {
        const Share &share = m_setup.shares[stage];
        return {share.weights, share.pool, share.activation.middle, share.graphs.middle, share.runtime};
    }
    CacheCurve cache(std::size_t stage, TokenCount sharedPrefix) const override
    {
        CacheCurve curve;
        curve.phases = {cachePhase(m_setup.shares[stage], m_setup.block, sharedPrefix)};
        return curve;
    }
    Bytes kvPerToken(std::size_t stage) const override { return Bytes{m_setup.shares[stage].tokenBytes}; }
    serving::WholeModel wholeModel() const override
    {
        const Share all = shareOf(serving::wholeModel(run()), 0);
        return {Bytes{all.tokenBytes}, Bytes{all.stateBytes}, {{{Part::Kv, Bytes{all.tokenBytes}, Growth::Linear, true}}}};
    }
    std::optional<PoolFigures> pool() const override
    {
        return serving::poolFigures(scenario(), m_setup.tokens, m_setup.block, m_setup.blocks);
    }
    std::vector<ReportFigure> report() const override
    {
        return {{"allocated_kv_cache_bytes", static_cast<double>(m_setup.blocks * m_setup.block * m_setup.shares[binding()].tokenBytes)},
                {"max_tokens_in_paged_kv_cache", static_cast<double>(m_setup.tokens)}};
    }

    std::size_t binding() const override { return m_setup.binding; }

    void explainPool(const Plan &plan, serving::Lines &lines) const override { tensorrtllm::explainPool(m_setup, scenario(), plan, lines); }
    void explainMemory(serving::Lines &lines) const override { tensorrtllm::explainMemory(m_setup, scenario(), lines); }

private:
    Setup m_setup;
};

class TensorRtLlmEngine : public serving::ServingEngine {
public:
    TensorRtLlmEngine() :
        ServingEngine({EngineId::TensorRtLlm, "tensorrt-llm", "TensorRT-LLM", kvFormatsWidestFirst, weightFormatsWidestFirst, "2026"})
    {
    }

private:
    Started start(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &) const override
    {
        return startedFrom<TensorRtLlmStart>(scenario, setUp(scenario, cluster));
    }
};

} // namespace

const Engine &tensorRtLlmEngine()
{
    static const TensorRtLlmEngine engine;
    return engine;
}

} // namespace kvscope
