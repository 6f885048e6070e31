// SPDX-License-Identifier: GPL-3.0-or-later
// Weights and where they lie: spec/transformers.md 6, and what section 1 calls fixed.
#include "core/engines/transformersweights.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kvscope::transformers {

namespace {

constexpr std::int64_t blockBytes = 2 * bytesPerMiB;

/// What cudaMalloc's blocks add to a tensor of this size (6.1, 7.1).
std::int64_t roundingOf(std::int64_t bytes)
{
    const std::int64_t added = ceilDivide(bytes, blockBytes) * blockBytes - bytes;
    return bytes >= 10 * bytesPerMiB && added <= bytesPerMiB ? added : 0;
}

/// Matrices of the layers in the chosen format; packed values apart from their scales.
std::int64_t matrixBytes(const Run &run, std::int64_t elements)
{
    switch (run.weights) {
    case Format::F32: return elements * 4;
    case Format::AWQ:
    case Format::GPTQ:
    case Format::NF4:
    case Format::NF4Double:
    case Format::MXFP4:
    case Format::Int4: return elements / 2;
    case Format::FP8:
    case Format::FP8Block:
    case Format::Int8: return elements;
    default: return elements * 2;
    }
}

/// Roles that bitsandbytes, AWQ and GPTQ replace: nn.Linear inside the layers (6.3).
constexpr std::array quantisedRoles{Role::Attention, Role::Recurrent, Role::Ffn, Role::Experts, Role::SharedExperts};

/// bitsandbytes int8: one fp32 scale per output row beside the values, that is 32 / in bits a weight (6.3).
void applyInt8(std::array<Bytes, roleCount> &bytes, const RoleCounts &counts, int hidden)
{
    for (const Role role : quantisedRoles) {
        const std::int64_t scales = hidden > 0 ? saturatingMultiply(counts[role] / hidden, 4) : 0;
        bytes[static_cast<std::size_t>(role)] = Bytes{counts[role]} + Bytes{scales};
    }
}

std::int64_t largestMatrix(const ModelSpec &model)
{
    std::int64_t largest = std::int64_t{model.hidden} * std::max(model.intermediate, model.expertIntermediate);
    for (const LayerGroup &group : model.groups)
        largest = std::max(largest, std::int64_t{model.hidden} * group.queryHeads * group.keyDim);
    return largest;
}

/// accelerate keeps this much free beyond an even part, so that a layer more still fits: 1.25 * max(largest layer, mean leaf module).
std::int64_t balanceBuffer(const ModelSpec &model, std::int64_t weights, std::int64_t largestLayer)
{
    constexpr std::int64_t leavesALayer = 9; // four projections, three of the feed-forward, two norms
    const std::int64_t leaves = leavesALayer * model.layerCount() + 3;
    return saturatingMultiply(std::max(largestLayer, weights / leaves) / 4, 5);
}

/// Sizes of the parts that device_map places in order: tables first, then whole layers, then norm and head.
struct Parts {
    Bytes first, head;
    std::vector<Bytes> layer; ///< of each group
};

Parts partsOf(const WeightBytes &weights)
{
    Parts parts;
    for (std::size_t r = 0; r < weights.outer.size(); ++r) {
        const auto role = static_cast<Role>(r);
        (role == Role::OutputHead || role == Role::Small ? parts.head : parts.first) += weights.outer[r];
    }
    for (std::size_t g = 0; g < weights.perLayer.size(); ++g)
        parts.layer.push_back(weights.layerTotal(g));
    return parts;
}

/// Which device holds what, by index.
struct Placement {
    std::size_t embedding = 0, head = 0;
    std::vector<int> layers; ///< of each device, in order
};

/// Fills devices one after another with modules in their order (6.2).
class Placer {
public:
    Placer(const Run &run, const Scenario &scenario, std::span<const Device> devices, const Parts &parts, Bytes total) :
        m_scenario(scenario), m_devices(devices)
    {
        const Bytes largestLayer = parts.layer.empty() ? Bytes{} : std::ranges::max(parts.layer);
        m_largest = run.model->tiedEmbeddings ? largestLayer : std::max(largestLayer, parts.head);
        m_bitsandbytes = run.weights == Format::NF4 || run.weights == Format::NF4Double || run.weights == Format::Int8;
        m_even = saturatingAdd(total.value / static_cast<std::int64_t>(devices.size()),
                               balanceBuffer(*run.model, total.value, largestLayer.value));
    }

    /// The device that takes a module; the last one takes what no other has room for. `more`: others are still to come.
    std::size_t place(Bytes size, bool more)
    {
        while (m_device + 1 < m_devices.size() && m_used + size + (m_device == 0 && more ? m_largest : Bytes{}) > room()) {
            ++m_device;
            m_used = {};
        }
        m_used += size;
        return m_device;
    }

private:
    Bytes room() const
    {
        const std::int64_t free = (m_devices[m_device].usable - m_scenario.inUse).value;
        return {std::min(m_bitsandbytes ? free / 10 * 9 : free, m_even)};
    }

    const Scenario &m_scenario;
    std::span<const Device> m_devices;
    Bytes m_largest; ///< that the first device keeps free
    bool m_bitsandbytes = false;
    std::int64_t m_even = 0; ///< what each device but the last may take
    std::size_t m_device = 0;
    Bytes m_used;
};

Placement placementOf(const Run &run, const Scenario &scenario, std::span<const Device> devices, const Parts &parts, Bytes total)
{
    const ModelSpec &model = *run.model;
    Placement placement;
    placement.layers.resize(devices.size());
    if (devices.size() == 1) {
        placement.layers[0] = model.layerCount();
        return placement;
    }
    Placer placer(run, scenario, devices, parts, total);
    placement.embedding = placer.place(parts.first, true);
    for (const std::uint16_t group : model.layout)
        ++placement.layers[placer.place(parts.layer[group], true)];
    const std::size_t last = placer.place(parts.head, false);
    placement.head = model.tiedEmbeddings ? placement.embedding : last; // tied modules lie together
    return placement;
}

} // namespace

WeightBytes loadedWeights(const Run &run, const Scenario &scenario)
{
    const ModelSpec &model = *run.model;
    WeightChoice choice = scenario.weights;
    const bool asStored = !choice.format && run.weights == resolvedWeightFormat(model, {});
    if (!asStored)
        choice.format = run.weights;
    if (run.weights != Format::Int8 || asStored || choice.measured)
        return weightBytes(model, choice);
    choice.format = run.dtype;
    WeightBytes weights = weightBytes(model, choice);
    weights.format = Format::Int8;
    const std::vector<int> counts = model.groupCounts();
    weights.total = weights.outerTotal();
    for (std::size_t g = 0; g < weights.perLayer.size(); ++g) {
        applyInt8(weights.perLayer[g], model.groups[g].parameters, model.hidden);
        weights.total += weights.layerTotal(g) * counts[g];
    }
    return weights;
}

Bytes roundingOfLayer(const Run &run, const LayerGroup &group)
{
    if (!run.rules.roundedTensors())
        return {};
    const ModelSpec &model = *run.model;
    const std::int64_t hidden = model.hidden;
    const auto rounding = [&](std::int64_t elements) { return roundingOf(matrixBytes(run, elements)); };
    std::int64_t sum = 0;
    if (group.parameters[Role::Attention] > 0 && group.mixer != Mixer::Latent) {
        sum += rounding(hidden * group.queryHeads * group.keyDim) + rounding(hidden * group.queryHeads * group.valueDim);
        sum += rounding(hidden * group.kvHeads * group.keyDim) + rounding(hidden * group.kvHeads * group.valueDim);
    }
    const int matrices = model.gatedFfn ? 3 : 2;
    if (group.parameters[Role::Ffn] > 0)
        sum += matrices * rounding(hidden * model.intermediate);
    if (group.parameters[Role::Experts] > 0)
        sum += std::int64_t{model.experts} * matrices * rounding(hidden * model.expertIntermediate);
    return {sum};
}

Bytes roundingOfTables(const Run &run)
{
    if (!run.rules.roundedTensors())
        return {};
    const std::int64_t table = roundingOf(run.model->vocab * run.model->hidden * run.b);
    return {run.model->tiedEmbeddings ? table : 2 * table};
}

Bytes fixedBytes(const Run &run, const Device &device, int layers, bool embedding)
{
    const ModelSpec &model = *run.model;
    const LayerGroup *main = model.mainGroup();
    const bool largeWorkspace = device.architecture == "Hopper" || device.architecture.starts_with("Blackwell");
    std::int64_t bytes = largeWorkspace ? 33'554'432 : 8'519'680; // cuBLAS
    const std::int64_t trained = model.trainedContext.value;
    if (main && run.rules.rotaryInLayers(model.family))
        bytes += layers * 2 * trained * main->keyDim * run.b;
    const bool llamaLike = model.family == "llama" || model.family == "gemma";
    if (run.rules.causalBuffer() && llamaLike && embedding)
        bytes += trained * trained * run.rules.causalBufferBytes();
    if (run.weights == Format::GPTQ && !run.rules.automaticDtype()) // AutoGPTQ's ExLlama (6.4)
        bytes += 2 * largestMatrix(model) + std::int64_t{2048} * std::max(model.hidden, model.intermediate) * 2;
    const bool fourBits = run.weights == Format::NF4 || run.weights == Format::NF4Double;
    if (fourBits && run.rules.dequantisesMatrices()) // the largest linear in 16 bit and, computing in fp32, in fp32 (6.3)
        bytes += 6 * largestMatrix(model);
    return {bytes};
}

std::vector<Share> sharesOf(const Run &run, const Scenario &scenario, const Cluster &cluster, const WeightBytes &weights)
{
    const ModelSpec &model = *run.model;
    const std::size_t count = cluster.devices.size() / static_cast<std::size_t>(cluster.split.data);
    const std::span devices(cluster.devices.data(), count);
    const Parts parts = partsOf(weights);
    const Placement placement = placementOf(run, scenario, devices, parts, weights.total);

    const bool given = scenario.weights.measured.has_value(); // measured on a device, rounding included
    std::vector<Share> shares;
    std::size_t next = 0;
    for (std::size_t d = 0; d < count; ++d) {
        Share share;
        share.device = static_cast<int>(d);
        share.layers.resize(model.groups.size());
        share.embedding = d == placement.embedding;
        share.head = d == placement.head;
        if (placement.layers[d] == 0 && !share.embedding && !share.head)
            continue;
        share.fixed = fixedBytes(run, devices[d], placement.layers[d], share.embedding);
        for (int i = 0; i < placement.layers[d]; ++i, ++next) {
            const std::uint16_t group = model.layout[next];
            ++share.layers[group];
            share.weights += parts.layer[group] + (given ? Bytes{} : roundingOfLayer(run, model.groups[group]));
        }
        if (share.embedding)
            share.weights += parts.first + (given ? Bytes{} : roundingOfTables(run));
        if (share.head)
            share.weights += parts.head;
        // AutoAWQ's files of tied models hold the head beside the table; both are there until they are tied (Qwen2.5 AWQ at one token).
        if (share.head && model.tiedEmbeddings && run.weights == Format::AWQ)
            share.loading = weights.outer[static_cast<std::size_t>(Role::Embedding)];
        shares.push_back(std::move(share));
    }
    return shares;
}

} // namespace kvscope::transformers
