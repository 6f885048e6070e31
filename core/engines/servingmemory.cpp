// SPDX-License-Identifier: GPL-3.0-or-later
// What serving engines hold beside weights and cache, as estimates: spec/serving-engines.md 5. Fitted on vLLM's logs; the other engines
// print none of it.
#include "core/engines/servingmemory.h"

#include "core/engines/servingexplain.h"

#include <algorithm>

namespace kvscope::serving {

namespace {

constexpr double gibibyte = static_cast<double>(bytesPerGiB);

/// Elements of a token's widest tensors: gate, up and their product, or queries, keys, values and attention's output.
double widest(const Run &run)
{
    const ModelSpec &model = *run.model;
    double attention = 0;
    for (const LayerGroup &group : model.groups) {
        const std::int64_t keyValueHeads = group.mixer == Mixer::Latent ? group.queryHeads : group.kvHeads;
        const std::int64_t width = std::int64_t{group.queryHeads} * group.keyDim + keyValueHeads * (group.keyDim + group.valueDim) +
                                   std::int64_t{group.queryHeads} * group.valueDim;
        attention = std::max(attention, static_cast<double>(width));
    }
    const double feedForward = model.experts > 0 ? 0 : 3.0 * model.intermediate;
    return std::max(attention, feedForward) / run.tensor();
}

/// Formats whose fused kernels take two workspaces; 4-bit experts were seen to add nothing.
bool hasWorkspaces(Format experts)
{
    const TensorFormat &format = infoOf(experts);
    const bool eightBits = format.blockBytes == format.blockElements || experts == Format::FP8Block || experts == Format::Int8;
    return experts == Format::F32 || experts == Format::F16 || experts == Format::BF16 || eightBits;
}

} // namespace

std::int64_t wholeBytes(double bytes) { return static_cast<std::int64_t>(std::clamp(bytes, -9.0e18, 9.0e18)); }

Spread spreadOf(double low, double middle, double high)
{
    const auto bytes = [](double gib) { return Bytes{wholeBytes(gib * gibibyte)}; };
    return {bytes(low), bytes(middle), bytes(high)};
}

Spread exactly(Bytes bytes) { return {bytes, bytes, bytes}; }

Spread twiceAsWide(const Spread &spread)
{
    return {spread.middle - (spread.middle - spread.low) * 2, spread.middle, spread.middle + (spread.high - spread.middle) * 2};
}

double forwardBytes(const Run &run, double tokens, double kept)
{
    const ModelSpec &model = *run.model;
    const double plain = static_cast<double>(run.b) * tokens * (widest(run) + kept * model.hidden);
    constexpr double streamBytes = 700'000.0 / 4096; // hyper-connections: DeepSeek-V4-Flash, two runs, not derived
    const bool streams = std::ranges::any_of(model.groups, [](const LayerGroup &g) { return g.compression.value > 1; });
    return streams ? std::max(plain, tokens * streamBytes * model.hidden) : plain;
}

std::string forwardFormula(const Run &run, std::int64_t tokens, double kept, std::int64_t workspaces)
{
    const std::string width = decimal(widest(run)) + " + " + decimal(kept) + " x " + number(std::int64_t{run.model->hidden});
    const std::string plain = number(run.b) + " x " + number(tokens) + " x (" + width + ")";
    const auto there = static_cast<double>(tokens);
    const double forward = forwardBytes(run, there, kept);
    const bool byRule = forward <= static_cast<double>(run.b) * there * (widest(run) + kept * run.model->hidden);
    return (byRule ? plain : number(tokens) + " x " + decimal(forward / there)) + (workspaces > 0 ? " + " + number(workspaces) : "") + " B";
}

double expertWorkspaceBytes(const Run &run, const Scenario &scenario, double tokens)
{
    const ModelSpec &model = *run.model;
    if (model.experts == 0 || !hasWorkspaces(formatsOfRoles(run, scenario)[static_cast<std::size_t>(Role::Experts)]))
        return 0;
    const int ranks = run.split.expert > 1 ? 1 : run.expertRanks();
    const double width = static_cast<double>(model.expertIntermediate) / ranks;
    const double hidden = model.hidden;
    return static_cast<double>(run.b) * tokens * model.expertsPerToken * (std::max(width, hidden) + std::max(2 * width, hidden));
}

Spread contextOf(const Run &run)
{
    constexpr double leastContext = 0.3;
    if (run.tensor() == 1 && run.split.pipeline == 1)
        return spreadOf(leastContext, 0.51, 0.6);
    const double middle = run.tensor() > 1 && run.mixtureOfExperts() ? 2.0 : 1.5;
    const double communicators = (run.tensor() > 2 ? 392.0 : 342.0) / 1024;
    return spreadOf(leastContext + communicators, middle, 1.2 * middle);
}

bool hasFastLinks(const Device &device, Interconnect interconnect)
{
    if (interconnect != Interconnect::Automatic)
        return interconnect == Interconnect::NvLink;
    const bool knownBySize = device.architecture.empty();
    return knownBySize ? device.memory >= 70_GiB : device.fastLinks;
}

bool isSm100(const Device &device) { return device.computeCapability.starts_with("10."); }

bool isSm120(const Device &device) { return device.computeCapability.starts_with("12."); }

int captureSizes(std::int64_t largest)
{
    int count = 0;
    for (const std::int64_t size : {1, 2, 4})
        count += size <= largest;
    for (std::int64_t size = 8; size <= largest; size += size < 256 ? 8 : 16)
        ++count;
    return count;
}

bool capturesFar(const Run &run) { return run.model->family == "gpt_oss"; }

double graphGiB(const Run &run, int layers, int sizes)
{
    const bool latent = run.hasMixer(Mixer::Latent);
    const double extra = latent || capturesFar(run) ? 0.7 : run.mixtureOfExperts() ? 0.2 : 0.0;
    const double all = 0.39 + 0.016 * layers + extra;
    const bool gatedDelta =
        std::ranges::any_of(run.model->groups, [](const LayerGroup &g) { return g.state.kind == Recurrence::GatedDelta; });
    const double recurrent = gatedDelta ? 24.0 / 1024 * sizes : 0.0; // a full graph each
    return std::max(0.1, all * sizes / usualSizes) + recurrent;
}

} // namespace kvscope::serving
