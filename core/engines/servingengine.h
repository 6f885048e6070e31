// SPDX-License-Identifier: GPL-3.0-or-later
// What vLLM, SGLang and TensorRT-LLM have in common as engines. Each adds facts and a Start: its own rules, applied.
#pragma once

#include "core/engines/servingexplain.h"

#include <array>
#include <memory>

namespace kvscope::serving {

/// Memory of a rank of one pipeline stage after the start.
struct RankMemory {
    RankWeights weights;
    Spread pool; ///< what sequences can take
    Bytes activation, graphs;
    Spread runtime;
};

/// The whole model's cache as one rank would hold it.
struct WholeModel {
    Bytes kvPerToken;
    Bytes statePerSequence;
    Phase sequence; ///< KV of one sequence, no state
};

/// Figures of a pool that is counted in tokens: every sequence takes as many as it is long.
PoolFigures poolFigures(const Scenario &scenario, std::int64_t tokens, std::int64_t blockTokens, std::int64_t blocks);

/// How an engine starts a scenario on a cluster: what compiling, reporting and explaining read. The scenario outlives it.
class Start {
public:
    explicit Start(const Scenario &scenario) : m_scenario(scenario) {}
    virtual ~Start() = default;
    Start(const Start &) = delete;
    Start &operator=(const Start &) = delete;

    virtual const Run &run() const = 0;
    virtual RankMemory memory(std::size_t stage) const = 0;
    /// What sequences need of a rank's pool, a prefix that they share held once.
    virtual CacheCurve cache(std::size_t stage, TokenCount sharedPrefix) const = 0;
    /// What they take of it where it is cut into pools of fixed shares (Pool::claim).
    virtual CacheCurve claim(std::size_t, TokenCount) const { return {}; }
    /// What the engine wants to have there for one request of the full length before it starts; empty: it does not look.
    virtual CacheCurve oneRequest(std::size_t) const { return {}; }
    /// Of the pool, what it keeps for itself: beside RankMemory::pool.
    virtual Bytes kept(std::size_t) const { return {}; }
    virtual Bytes kvPerToken(std::size_t stage) const = 0;
    virtual WholeModel wholeModel() const = 0;
    /// As the engine counts it; empty: it sets no pool aside.
    virtual std::optional<PoolFigures> pool() const = 0;
    virtual std::vector<ReportFigure> report() const = 0;

    /// The stage whose ranks bound the pool.
    virtual std::size_t binding() const = 0;
    virtual bool sharesPrefixes() const { return m_scenario.serving.prefixCaching.value_or(true); }
    virtual bool modelsActivations() const { return run().model->hidden != 0; }
    /// The memory rules were held against logs of this version and kind of start.
    virtual bool tried() const { return false; }
    /// Sequences that one replica runs at once.
    virtual std::int64_t mostSequences() const { return largestBatch; }
    virtual void addWarnings(std::vector<Warning> &) const {}

    /// Lines on what sequences need and what the pool holds, and lines on what lies beside it and weights.
    virtual void explainPool(const Plan &plan, Lines &lines) const = 0;
    virtual void explainMemory(Lines &lines) const = 0;

protected:
    const Scenario &scenario() const { return m_scenario; }

private:
    const Scenario &m_scenario;
};

/// Weight formats of vLLM and SGLang (4.2), widest first.
inline constexpr std::array checkpointFormats{Format::F32,   Format::BF16, Format::F16,  Format::MXFP8, Format::FP8Block,
                                              Format::FP8,   Format::Int8, Format::NF4,  Format::NVFP4, Format::Int4Group32,
                                              Format::MXFP4, Format::AWQ,  Format::GPTQ, Format::Int4,  Format::NF4Double};

/// What is so of an engine whatever it runs.
struct EngineFacts {
    EngineId id{};
    std::string_view name, label;
    std::span<const Format> kvFormats, weightFormats; ///< widest first
    std::string_view rulesYear;                       ///< where no table tells releases apart: the year that the rules were read in
};

class ServingEngine : public Engine {
public:
    explicit ServingEngine(const EngineFacts &facts);

    EngineId id() const final { return m_facts.id; }
    std::string_view name() const final { return m_facts.name; }
    std::string_view label() const final { return m_facts.label; }
    std::span<const std::string_view> versions() const final { return m_newestFirst; }
    std::span<const Format> kvFormats() const final { return m_facts.kvFormats; }
    Format defaultKvFormat(const Scenario &scenario) const final { return defaultKv(scenario); }
    std::span<const Format> weightFormats() const final { return m_facts.weightFormats; }
    Format defaultWeightFormat(const Scenario &scenario) const final { return loadedFormat(*scenario.model); }
    std::vector<Split> splits(const ModelSpec &model, int devices) const final { return splitsOf(model, devices); }

    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const final;
    bool followsLoad(const Scenario &) const final { return true; } // tokens of a step, pools of requests
    std::vector<ReportFigure> report(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const final;
    std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Compiled &compiled,
                                     const Plan &plan) const final;

protected:
    using Started = Result<std::shared_ptr<const Start>>;
    /// What an engine's own set-up came to, as its Start.
    template<typename OwnStart, typename Setup>
    static Started startedFrom(const Scenario &scenario, const Result<Setup> &setup)
    {
        return setup ? Started(std::make_shared<OwnStart>(scenario, *setup)) : Started(setup.error());
    }

private:
    /// The engine's rules applied. Errors: UnknownName (version), ImpossibleSplit, UnsupportedFormat.
    virtual Started start(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings) const = 0;

    EngineFacts m_facts;
    std::vector<std::string_view> m_newestFirst;
};

} // namespace kvscope::serving
