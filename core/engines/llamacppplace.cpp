// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppplace.h"

#include "core/gguf/quantise.h"
#include "core/weights.h"

#include <algorithm>
#include <array>
#include <string>

namespace kvscope::llamacpp {

namespace {

constexpr std::int64_t hostPad = 32, cudaPad = 128, cudaRow = 512;

/// Units on GPUs, and which unit is the first of them (4.1).
struct Offload {
    int start = 0;
    int count = 0;
    bool output = true;
};

Offload offloadOf(const Run &run, const Scenario &scenario)
{
    const int blocks = run.layers.blocks;
    const int asked = scenario.local.gpuLayers.value_or(blocks + 1);
    const int counted = blocks + (run.rules.outputFirst() ? 1 : 0);
    return {std::max(counted - asked, 0), std::min(asked, blocks + 1), run.rules.outputFirst() ? asked > 0 : asked > blocks};
}

/// Shares of the units by -ts, else by free memory; running sums, normalised, in the engine's own precision.
std::vector<float> runningShares(const Scenario &scenario, const Cluster &cluster, std::size_t devices)
{
    std::vector<float> sums(devices);
    float sum = 0;
    const std::vector<double> &split = scenario.local.tensorSplit;
    const bool given = std::ranges::any_of(split, [](double share) { return share > 0; });
    for (std::size_t d = 0; d < devices; ++d) {
        const Bytes free = cluster.devices[d].usable - scenario.inUse;
        sum += given ? (d < split.size() ? static_cast<float>(split[d]) : 0.0F) : static_cast<float>(std::max<std::int64_t>(free.value, 0));
        sums[d] = sum;
    }
    for (float &s : sums)
        s = sum > 0 ? s / sum : 1.0F;
    return sums;
}

std::vector<int> placeUnits(const Run &run, const Scenario &scenario, const Cluster &cluster, std::size_t devices)
{
    const auto units = static_cast<std::size_t>(run.layers.blocks) + 1;
    std::vector<int> device(units, onHost);
    const Offload offload = offloadOf(run, scenario);
    if (offload.count <= 0 || devices == 0 || run.backend == Backend::Cpu)
        return device;
    const std::vector<float> shares = runningShares(scenario, cluster, devices);
    for (std::size_t u = 0; u < units; ++u) {
        const bool isOutput = u + 1 == units;
        if (isOutput ? !offload.output : static_cast<int>(u) < offload.start)
            continue;
        const float position = static_cast<float>(static_cast<int>(u) - offload.start) / static_cast<float>(offload.count);
        const auto found = std::ranges::upper_bound(shares, position);
        device[u] = static_cast<int>(std::min<std::ptrdiff_t>(found - shares.begin(), static_cast<std::ptrdiff_t>(devices) - 1));
    }
    return device;
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> stems)
{
    return std::ranges::any_of(
        stems, [&](std::string_view stem) { return name.starts_with(stem) && (name.size() == stem.size() || name[stem.size()] == '.'); });
}

/// Tables that the input reads: always on the host.
bool isInput(std::string_view name) { return isOneOf(name, {"token_embd", "token_types", "position_embd", "per_layer_token_embd"}); }

bool isRopeFactor(std::string_view name) { return isOneOf(name, {"rope_freqs", "rope_factors_long", "rope_factors_short"}); }

/// Tensors without a block that block 0 computes with.
bool isOfFirstBlock(std::string_view name, const Architecture &row)
{
    return isOneOf(name, {"per_layer_model_proj", "per_layer_proj_norm"}) ||
           (isOneOf(name, {"token_embd_norm"}) && !row.embeddingNormIsOutput);
}

class Placer {
public:
    Placer(const Run &run, const Scenario &scenario, Placement &placement) :
        m_run(run), m_placement(placement), m_hostExperts(scenario.local.hostExperts.value_or(0))
    {
    }

    void place(const GgufModel &model)
    {
        for (const GgufTensor &tensor : model.tensors)
            place(tensor);
        if (const GgufTensor *table = model.tensor("token_embd.weight");
            table && m_run.layers.architecture->tiesOutput && !model.tensor("output.weight") && outputDevice() != onHost)
            add(*table, outputDevice()); // the output's own copy of the table
    }

private:
    int outputDevice() const { return m_placement.unitDevice.back(); }

    void place(const GgufTensor &tensor)
    {
        const int block = blockOf(tensor.name);
        if (block >= m_run.layers.trunk)
            return; // next-token prediction is not loaded
        if (block >= 0)
            return placeInBlock(tensor, block);
        if (isInput(tensor.name))
            return add(tensor, onHost);
        if (isRopeFactor(tensor.name))
            return placeRopeFactor(tensor);
        add(tensor, isOfFirstBlock(tensor.name, *m_run.layers.architecture) ? m_placement.unitDevice.front() : outputDevice());
    }

    void placeInBlock(const GgufTensor &tensor, int block)
    {
        const bool kept = block < m_hostExperts && isExpert(tensor.name);
        const int device = kept ? onHost : m_placement.unitDevice[static_cast<std::size_t>(block)];
        add(tensor, device);
        if (device == onHost && tensor.dims[1] > 1)
            m_placement.host.largestMatrix = std::max(m_placement.host.largestMatrix, tensor.bytes());
    }

    /// One copy on every device that runs a block (4.2).
    void placeRopeFactor(const GgufTensor &tensor)
    {
        const auto runs = [&](const Share &share) {
            return std::ranges::any_of(share.layers, [&](std::size_t layer) {
                return !m_run.layers.architecture->ropeFactorsOnDense || !m_run.layers.layers[layer].windowed;
            });
        };
        for (std::size_t d = 0; d < m_placement.devices.size(); ++d) {
            if (runs(m_placement.devices[d]))
                add(tensor, static_cast<int>(d));
        }
        if (runs(m_placement.host))
            add(tensor, onHost);
    }

    void add(const GgufTensor &tensor, int device)
    {
        if (device == onHost)
            m_placement.host.weights += bufferBytes(Backend::Cpu, tensor);
        else
            m_placement.devices[static_cast<std::size_t>(device)].weights += bufferBytes(m_run.backend, tensor);
    }

    const Run &m_run;
    Placement &m_placement;
    int m_hostExperts;
};

/// A model without tensors: by the roles of its parameters (core/weights.h). The projector is a file of its own, next-token prediction is not loaded.
void placeRoles(const Run &run, const Scenario &scenario, Placement &placement)
{
    const ModelSpec &model = *run.model;
    const WeightBytes weights = weightBytes(model, scenario.weights);
    const auto add = [&](int device, Bytes bytes) {
        (device == onHost ? placement.host : placement.devices[static_cast<std::size_t>(device)]).weights += bytes;
    };
    const auto ofRole = [](const std::array<Bytes, roleCount> &bytes, Role role) { return bytes[static_cast<std::size_t>(role)]; };
    const int hostExperts = scenario.local.hostExperts.value_or(0);
    for (std::size_t i = 0; i < model.layout.size(); ++i) {
        const auto &bytes = weights.perLayer[model.layout[i]];
        const int device = placement.unitDevice[i];
        for (std::size_t r = 0; r < bytes.size(); ++r) {
            const bool kept = static_cast<Role>(r) == Role::Experts && static_cast<int>(i) < hostExperts;
            add(kept ? onHost : device, bytes[r]);
        }
    }
    const int output = placement.unitDevice.back();
    add(onHost, ofRole(weights.outer, Role::Embedding));
    for (std::size_t r = 0; r < weights.outer.size(); ++r) {
        const auto role = static_cast<Role>(r);
        if (role != Role::Embedding && role != Role::Vision && role != Role::Mtp)
            add(output, weights.outer[r]);
    }
    if (model.tiedEmbeddings && output != onHost)
        add(output, ofRole(weights.outer, Role::Embedding));
}

/// A measured total: every share in proportion.
void scaleTo(Bytes total, Placement &placement)
{
    Bytes sum = placement.host.weights;
    for (const Share &share : placement.devices)
        sum += share.weights;
    if (sum.value <= 0)
        return;
    const double factor = static_cast<double>(total.value) / static_cast<double>(sum.value);
    const auto scale = [&](Share &share) {
        share.weights = {static_cast<std::int64_t>(static_cast<double>(share.weights.value) * factor)};
    };
    scale(placement.host);
    for (Share &share : placement.devices)
        scale(share);
}

} // namespace

int Placement::deviceOf(std::size_t layer) const
{
    const std::size_t blocks = unitDevice.size() - 1;
    return blocks == 0 ? onHost : unitDevice[layer < blocks ? layer : layer % blocks];
}

Bytes bufferBytes(Backend backend, const GgufTensor &tensor)
{
    const bool cuda = backend == Backend::Cuda || backend == Backend::Rocm;
    const TensorFormat &format = infoOf(tensor.type);
    Bytes bytes = tensor.bytes();
    if (cuda && format.blockElements > 1 && tensor.dims[0] % cudaRow != 0)
        bytes += bytesOf(tensor.type, cudaRow - tensor.dims[0] % cudaRow);
    const std::int64_t pad = cuda ? cudaPad : hostPad;
    return Bytes{ceilDivide(bytes.value, pad)} * pad;
}

bool isExpert(std::string_view tensorName)
{
    constexpr std::string_view stem = ".ffn_";
    const std::size_t at = tensorName.find(stem);
    if (at == std::string_view::npos)
        return false;
    const std::string_view rest = tensorName.substr(at + stem.size());
    for (const std::string_view matrix : {"gate_up", "gate", "up", "down"}) {
        if (rest.starts_with(matrix) &&
            (rest.substr(matrix.size()).starts_with("_exps") || rest.substr(matrix.size()).starts_with("_chexps")))
            return true;
    }
    return false;
}

Result<GgufModel> loadedTensors(const Run &run, const Scenario &scenario)
{
    if (!run.model->gguf)
        return GgufModel{};
    const GgufModel &model = *run.model->gguf;
    if (model.converted && scenario.weights.format)
        return quantised(model, *scenario.weights.format);
    return model;
}

Placement placementOf(const Run &run, const Scenario &scenario, const Cluster &cluster, const GgufModel &weights)
{
    const std::size_t devices = cluster.devices.size() / static_cast<std::size_t>(cluster.split.data);
    Placement placement;
    placement.devices.resize(devices);
    placement.unitDevice = placeUnits(run, scenario, cluster, devices);
    placement.overrides = scenario.local.hostExperts.value_or(0) > 0;
    const auto shareOf = [&](int device) -> Share & {
        return device == onHost ? placement.host : placement.devices[static_cast<std::size_t>(device)];
    };
    for (std::size_t layer = 0; layer < run.layers.layers.size(); ++layer) {
        if (run.layers.layers[layer].trunk)
            shareOf(placement.deviceOf(layer)).layers.push_back(layer);
    }
    shareOf(placement.unitDevice.back()).output = true;
    if (!weights.tensors.empty())
        Placer(run, scenario, placement).place(weights);
    else
        placeRoles(run, scenario, placement);
    if (scenario.weights.measured)
        scaleTo(*scenario.weights.measured, placement);
    return placement;
}

} // namespace kvscope::llamacpp
