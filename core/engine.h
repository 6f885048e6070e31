// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/curve.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/scenario.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// What of a device's memory is not on the curve and how far it is uncertain: added to the curve's value.
struct Spread {
    Bytes low, middle, high;
};

/// The KV pool that an engine sets aside on one device before it knows what is asked of it.
struct Pool {
    Spread bytes;            ///< low and high: what it may come out as
    CacheCurve oneRequest{}; ///< what must be there for one request of the full length before the engine starts; empty: not asked
    CacheCurve
        claim{};  ///< what sequences take of it where it is cut into pools of fixed shares: each pool's use in bytes of the whole, the
                  ///< fullest decides; empty: as much as they need
    Bytes kept{}; ///< beside `bytes`: what the engine keeps of the pool for itself, there for that check
};

/// One device of a replica, compiled.
struct DeviceCurve {
    int device = 0;            ///< index into Cluster::devices
    CacheCurve curve;          ///< weights, cache, activations: all that the engine's rules give
    CacheCurve cache;          ///< the KV needed alone, the host's part included; empty: the curve's own KV part
    bool hostHoldsRest = true; ///< what `cache` has beyond the curve's KV part lies in host memory; false: it comes and goes on the device
    Spread runtime;            ///< driver context, allocator slack
    std::optional<Pool> pool;  ///< the curve's KV part is this pool, whatever is asked; what is needed (claimOn()) must fit into it
    Bytes kvPerToken;          ///< at length 0, this device's share, copies counted
    int peers = 1; ///< tensor-parallel devices that hold the same figures, this one included, with indices device .. device + peers - 1
};

/// A scenario compiled by an engine for one cluster. Replicas are alike: curves are those of the first.
struct Compiled {
    std::vector<DeviceCurve> devices;
    std::vector<Warning> warnings;
    Bytes hostWeights, hostActivation;
    CacheCurve host; ///< what else lies in host memory by part, growing with the context (llama.cpp: layers that are not offloaded)
    std::optional<PoolFigures> pool;
    Bytes kvPerToken;       ///< whole model at length 0, no copies
    CacheCurve sequence;    ///< KV of one sequence, whole model, no copies and no state
    Bytes statePerSequence; ///< whole model
    Bytes weights;          ///< one replica, copies counted
};

/// One engine's rules. One file each in core/engines; engines.cpp lists them.
class Engine {
public:
    virtual ~Engine() = default;

    virtual EngineId id() const = 0;
    virtual std::string_view name() const = 0;  ///< as typed: "transformers"
    virtual std::string_view label() const = 0; ///< as shown: "Transformers"
    /// Releases whose rules are told apart, newest first; empty for an engine without versions.
    virtual std::span<const std::string_view> versions() const = 0;
    /// KV formats that can be chosen, widest first.
    virtual std::span<const Format> kvFormats() const = 0;
    virtual Format defaultKvFormat(const Scenario &scenario) const = 0;
    /// Weight formats that can be chosen.
    virtual std::span<const Format> weightFormats() const = 0;
    /// What `auto` loads: as the checkpoint is stored, unless the engine has a rule of its own. The scenario has a model.
    virtual Format defaultWeightFormat(const Scenario &scenario) const;
    /// The rules applied: curves for each device, or why the engine refuses.
    virtual Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const = 0;
    /// True where the engine derives settings from context or batch (tokens of a step, pools, slots): what was compiled then holds for the
    /// scenario's own load alone, and another load has to be compiled anew.
    virtual bool followsLoad(const Scenario &) const { return false; }
    /// The engine's own figures, under its own names, for a finished plan.
    virtual std::vector<ReportFigure> report(const Scenario &, const Cluster &, const Compiled &, const Plan &) const { return {}; }
    /// What a finished plan wants to have said beside what compiling it did (llama.cpp: what --fit would change).
    virtual std::vector<Warning> remarks(const Scenario &, const Cluster &, const Plan &) const { return {}; }
    /// How each figure came about.
    virtual std::vector<Explanation> explain(const Scenario &, const Cluster &, const Compiled &, const Plan &) const = 0;
    /// Splits over `devices` equal devices that the engine allows for this model, best first.
    virtual std::vector<Split> splits(const ModelSpec &model, int devices) const = 0;
};

const Engine &engineOf(EngineId id);
std::span<const Engine *const> engines();
/// By name, any case; nullptr if unknown.
const Engine *engineByName(std::string_view name);

/// The scenario's engine compiles it for the cluster.
Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster);

} // namespace kvscope
