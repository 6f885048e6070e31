// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/curve.h"
#include "core/result.h"
#include "core/scenario.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kvscope {

enum class Verdict : std::uint8_t { Fits, Tight, OutOfMemory, Refused };

/// What a plan wants to have said. `code` for files is codeOf(); the sentence stands in ui/text.
enum class WarningCode : std::uint8_t {
    BeyondTrainedLength,    ///< values: context, trained length
    UnknownArchitecture,    ///< values: model_type
    IncompleteFile,         ///< values: model: the header is whole, tensors are missing
    NoWeights,              ///< a shape by hand without parameters: the verdict speaks of KV alone
    AssumedMemory,          ///< values: device
    AssumedUsable,          ///< values: device
    UnusedDevices,          ///< values: how many of how many
    ReplicatedKvHeads,      ///< values: TP, KV heads
    UnevenHeads,            ///< values: KV heads, TP
    EngineLacksOption,      ///< values: option: the engine has no such thing, the figure leaves it out
    HostMemoryShort,        ///< values: needed, there
    UnknownVersion,         ///< values: asked, taken
    OlderThanListed,        ///< values: asked, the oldest listed
    ActivationsNotModelled, ///< values: why
    MixedDevices,           ///< values: the device that binds
    TooLarge,               ///< the figure can't be counted
    UnknownFormatSize,      ///< values: what was taken instead
    RecurrentSplit,         ///< values: TP: states do not divide evenly
    BudgetNotTried,         ///< the engine's memory rules were not held against logs of this version, card or kind of model
    StartRefused,           ///< values: bytes needed for one sequence, bytes there, tokens that would fit
    EngineNotForDevice,     ///< values: device: the engine has no back end for it
    UnifiedLimit,           ///< values: device, bytes that the system lets a GPU take by default
    SilentSpill,            ///< on Windows the driver moves what does not fit to host memory instead of failing
    CacheTypeIgnored,       ///< values: KV type: not used without flash attention
    EngineOffloadsLess,     ///< values: units that the engine itself would place on the devices, units in all
    FitContext,             ///< values: context that the engine would choose if none were given
    FitExperts,             ///< values: blocks whose experts the engine itself would keep on the host, blocks in all
    SequencesWait,          ///< values: sequences asked for on one replica, most that run at once
    TensorAcrossMachines,   ///< values: TP, devices of one machine: the group's every layer waits for the network
    OptionOfOtherEngine,    ///< values: option, engines that have it, the option whose value it gave here or empty
    ThousandsOfTokens,      ///< values: the text, tokens taken, tokens that vLLM reads in it: k is 1024 here and 1000 there
    PrefixClipped,          ///< values: tokens that all sequences share, context: no more than the context can be shared
};
struct Warning {
    WarningCode code{};
    std::vector<std::string> values;

    bool operator==(const Warning &) const = default;
};
/// "beyond_trained_length" and so on: part of the terminal contract, never translated.
const char *codeOf(WarningCode code);
/// What is to be said of a model whatever is planned with it.
std::vector<Warning> modelWarnings(const ModelSpec &model);

enum class Confidence : std::uint8_t { Exact, Calibrated, Assumed };
/// What a calibrated rule was held against.
struct Trial {
    double residual = 0; ///< largest difference, a share of the figure
    int runs = 0;
};
enum class Quantity : std::uint8_t { Bytes, Count };

/// How one figure came about: rule, formula with its numbers put in, where the rule was read.
struct Explanation {
    std::string figure;  ///< JSON path of the figure: "kv.total_bytes"
    std::string rule;    ///< "kv.full", "weights.format", ...: worded by ui/text
    std::string formula; ///< "2 x 32 x 8 x 128 x 32768 x 2 B"
    Bytes value;
    std::string source; ///< "spec, section", paper, engine and version
    Confidence confidence = Confidence::Exact;
    Quantity quantity = Quantity::Bytes; ///< what `value` is: bytes, or a number of tokens, slots, steps
    std::optional<Trial> trial = {};     ///< calibrated, where it is known
};

/// What stops a limit.
enum class LimitReason : std::uint8_t {
    Memory,
    TrainedLength,
    NoGrowth,    ///< memory does not grow with it: there is no limit, and the figure does not count
    HostUnknown, ///< it grows in host memory alone, of which nobody said how much there is: likewise
    LargestCounted,
    WeightsDoNotFit,
    EngineLimit,
};
/// The limit is none: its figure does not count.
constexpr bool isUnlimited(LimitReason reason) { return reason == LimitReason::NoGrowth || reason == LimitReason::HostUnknown; }

/// As a verdict counts: what fits tightly fits, one step above the limit is out of memory.
struct Limits {
    TokenCount maxContext;               ///< at this batch, within the trained length (0 = not even one token)
    TokenCount maxContextBeyondTraining; ///< the same without regard to it
    LimitReason contextReason = LimitReason::Memory;
    std::int64_t maxBatch = 0; ///< at this context, over all replicas
    LimitReason batchReason = LimitReason::Memory;
    // Above that it fits tightly at the best: the same for the high end of the range, beyond training too.
    TokenCount maxContextSure;
    std::int64_t maxBatchSure = 0;
};

struct DevicePlan {
    std::string name;
    int index = 0;
    Bytes memory;
    Bytes usable;
    Bytes budget;   ///< usable less what others hold and the reserve: what total may take
    PartBytes used; ///< sums to total
    Bytes kvNeeded; ///< with off-loaded KV included
    Bytes total;
    Bytes low, high; ///< range of total
    Bytes free() const { return budget - total; }
};

/// Figures about the cache of the whole model, before the split and after.
struct KvFigures {
    Bytes perToken;          ///< added by one more token at length 0: all layers, whole model, no padding
    Bytes perTokenAtContext; ///< the same at the context (windows full)
    Bytes perTokenPerDevice; ///< at length 0, after split and replication, fullest device
    Bytes perSequence;       ///< at the context, as the engine holds it, fullest device
    Bytes total;             ///< what the sequences need, over all devices, copies counted; no state
    Bytes statePerSequence;  ///< independent of length, whole model
};

/// What the layers of a group keep, that draw blocks of a pool together.
enum class PoolKind : std::uint8_t { Full, Sliding, Chunked, State, Cross };

/// Layers with one table of blocks a request.
struct PoolGroup {
    PoolKind kind = PoolKind::Full;
    int layers = 0;
    TokenCount blockTokens;
    std::int64_t blocksOfOne = 0; ///< that one sequence of the context's length takes
};

/// An engine with a pool: how much it holds.
struct PoolFigures {
    TokenCount blockTokens;
    std::int64_t blocks = 0;
    TokenCount capacity;           ///< tokens that all blocks hold, as the engine prints it
    double maxConcurrency = 0;     ///< sequences of the context's length, as the engine prints it
    std::int64_t ownBlocks = 0;    ///< of the blocks, those that the engine keeps for itself
    std::vector<PoolGroup> groups; ///< where the engine tells them apart
};

/// One figure of an engine's own log, under the engine's own name.
struct ReportFigure {
    std::string name;
    double value = 0; ///< bytes, tokens, cells: whole numbers up to 2^53; concurrency has a fraction
    int device = -1;  ///< of one device; -1 = of all

    ReportFigure(std::string figure, double number, int ofDevice = -1) : name(std::move(figure)), value(number), device(ofDevice) {}
    ReportFigure(std::string figure, Bytes bytes, int ofDevice = -1) :
        ReportFigure(std::move(figure), static_cast<double>(bytes.value), ofDevice)
    {
    }
};

/// The answer for one scenario and one cluster.
struct Plan {
    Verdict verdict = Verdict::Refused;
    std::optional<Error> refusal; ///< why, when Refused
    KvFigures kv;
    std::vector<DevicePlan> devices; ///< every device of the machine that holds a share, in order
    int fullest = 0;                 ///< index into devices of the one that decides
    Bytes weightsTotal;              ///< of one replica
    Bytes hostWeights, hostKv, hostActivation;
    Limits limits;
    std::optional<PoolFigures> pool;
    std::vector<ReportFigure> engineReport; ///< the engine's own figures under its own names
    std::vector<Warning> warnings;

    const DevicePlan *binding() const { return devices.empty() ? nullptr : &devices[static_cast<std::size_t>(fullest)]; }
};

/// Plans one scenario on one cluster.
Plan plan(const Scenario &scenario, const Cluster &cluster);

/// How each figure of the plan came about. Apart from plan(), since words and formulas cost more than the numbers.
std::vector<Explanation> explain(const Scenario &scenario, const Cluster &cluster, const Plan &plan);

/// Widest KV precision of the engine that fits, tightly at least, with everything else as it is; empty if none does. K and V alike.
std::optional<Format> widestFittingKv(const Scenario &scenario, const Cluster &cluster);

/// Fewest devices of the cluster's first kind that hold the scenario, tightly at least, by splits the engine allows; empty if none up to 4096.
std::optional<Split> fewestDevices(const Scenario &scenario, const Cluster &cluster);

} // namespace kvscope
