// SPDX-License-Identifier: GPL-3.0-or-later
// Weights of one rank: spec/serving-engines.md 4. Unquantised models come out within 0.1 % of what vLLM prints, others within 0.7 %.
#include "core/engines/servingweights.h"

#include "core/engines/servingshares.h"
#include "core/gguf/model.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace kvscope::serving {

namespace {

constexpr std::int64_t roundedFrom = 10 * bytesPerMiB;
constexpr std::int64_t largeBlock = 2 * bytesPerMiB;
constexpr std::int64_t smallBlock = 512;
constexpr std::int64_t widthStep = 128;
constexpr std::int64_t hiddenStep = 256;
constexpr std::int64_t mostPositionRows = 64; ///< that a table of positions has beyond the trained length

std::int64_t roundUp(std::int64_t n, std::int64_t step) { return ceilDivide(n, step) * step; }

std::size_t indexOf(Role role) { return static_cast<std::size_t>(role); }

bool isFourBitFloat(Format format) { return format == Format::MXFP4 || format == Format::NVFP4; }

/// Bytes of values alone, without scales: what one tensor takes.
std::int64_t valueBytes(Format format, std::int64_t elements)
{
    switch (format) {
    case Format::F32: return elements * 4;
    case Format::AWQ:
    case Format::GPTQ:
    case Format::NF4:
    case Format::NF4Double:
    case Format::Int4:
    case Format::Int4Group32:
    case Format::MXFP4:
    case Format::NVFP4: return elements / 2;
    case Format::FP8:
    case Format::FP8E4M3:
    case Format::FP8E5M2:
    case Format::FP8Block:
    case Format::MXFP8:
    case Format::Int8: return elements;
    default: return bytesOf(format, elements).value;
    }
}

/// The checkpoint's own description where it is loaded as stored.
const Quantization *storedAs(const Run &run)
{
    const std::optional<Quantization> &stored = run.model->quantization;
    return stored && stored->format == run.weights ? &*stored : nullptr;
}

/// What torch's allocator adds to a tensor of this size (4.1, "Rounding of the allocator").
std::int64_t roundingOf(std::int64_t bytes)
{
    const std::int64_t added = roundUp(bytes, largeBlock) - bytes;
    if (bytes >= roundedFrom && added <= bytesPerMiB)
        return added;
    return roundUp(bytes, smallBlock) - bytes;
}

/// Counts bytes of layers and tables for one run.
class Counter {
public:
    Counter(const Run &run, const Scenario &scenario, const WeightRules &rules) :
        m_run(run), m_model(*run.model), m_rules(rules), m_formats(formatsOfRoles(run, scenario)), m_stored(storedAs(run))
    {
        for (const LayerGroup &group : m_model.groups)
            m_layers.push_back({Bytes{layerBytes(group)}, Bytes{copyBytes(group)}, Bytes{layerRounding(group)}});
    }

    RankWeights of(const Stage &stage, bool first, bool last) const
    {
        RankWeights weights;
        for (int i = stage.first; i < stage.last; ++i) {
            const Layer &layer = m_layers[m_model.layout[static_cast<std::size_t>(i)]];
            weights.layers += layer.weights;
            weights.copies += layer.copies;
            weights.rounding += layer.rounding;
        }
        addTables(weights, first, last);
        addOthers(weights, first, last);
        for (const RotaryTable &table : m_model.rotary)
            weights.rotary += Bytes{(table.f32 ? 4 : m_run.b) * table.dim} * table.positions;
        return weights;
    }

private:
    /// One layer of a group.
    struct Layer {
        Bytes weights, copies, rounding;
    };

    Format formatOf(Role role) const { return m_formats[indexOf(role)]; }

    std::int64_t bytes(Role role, std::int64_t elements) const
    {
        const Format format = formatOf(role);
        if (format == Format::Int4)
            return bytesOf(Format::GPTQ, elements).value;
        const bool inGroups = m_stored && m_stored->bits > 0;
        const bool asStored = m_stored && format != m_run.dtype;
        std::int64_t sum = (asStored ? m_stored->bytesOf(role, format, elements, m_run.dtype) : bytesOf(format, elements)).value;
        if (format == Format::Int8 && !inGroups)
            sum += 4 * outputRows(role, elements);
        if (role == Role::Experts && isFourBitFloat(format))
            sum += paddingOf(elements);
        return sum;
    }

    /// Rows that have a scale each: inputs of a feed-forward block are as many as it is wide, outputs as the hidden size.
    std::int64_t outputRows(Role role, std::int64_t elements) const
    {
        const std::int64_t hidden = m_model.hidden;
        if (hidden == 0)
            return 0;
        const std::int64_t inputs = m_model.gatedFfn ? 2 : 1;
        const std::int64_t wide = elements / (hidden * (inputs + 1));
        if (role == Role::Experts && m_model.expertIntermediate > 0) {
            const std::int64_t width =
                m_run.split.expert > 1 ? m_model.expertIntermediate : share(m_model.expertIntermediate, m_run.expertRanks());
            return inputs * wide + wide / width * hidden;
        }
        if (role == Role::Ffn || role == Role::SharedExperts)
            return elements > 0 ? inputs * wide + hidden : 0;
        return elements / hidden;
    }

    /// Kernels of 4-bit experts round both sides up; the scales stay as they are (4.2).
    std::int64_t paddingOf(std::int64_t elements) const
    {
        const std::int64_t ranks = m_run.split.expert > 1 ? 1 : m_run.expertRanks();
        const std::int64_t width = ceilDivide(m_model.expertIntermediate, ranks);
        const std::int64_t hidden = m_model.hidden;
        if (width == 0 || hidden == 0)
            return 0;
        const double wider = m_rules.padsExpertWidth ? static_cast<double>(roundUp(width, widthStep)) / static_cast<double>(width) : 1.0;
        const double taller =
            m_rules.padsExpertHidden ? static_cast<double>(roundUp(hidden, hiddenStep)) / static_cast<double>(hidden) : 1.0;
        const std::int64_t values = elements / 2;
        return std::llround(static_cast<double>(values) * (wider * taller - 1));
    }

    std::int64_t layerBytes(const LayerGroup &group) const
    {
        std::int64_t sum = 0;
        for (std::size_t r = 0; r < roleCount; ++r) {
            const auto role = static_cast<Role>(r);
            sum = saturatingAdd(sum, bytes(role, elementsOnRank(m_run, group, role)));
        }
        return sum;
    }

    /// W_UK and W_UV in 16 bit beside kv_b.
    std::int64_t copyBytes(const LayerGroup &group) const
    {
        if (!m_rules.latentCopies || group.mixer != Mixer::Latent || group.compression.value > 1 || group.window.value > 0)
            return 0;
        const std::int64_t heads = share(group.queryHeads, m_run.attentionTensor());
        return m_run.b * group.latentDim * heads * (group.keyDim - group.ropeDim + group.valueDim);
    }

    /// Of a matrix: values and scales are tensors of their own.
    std::int64_t tensor(Role role, std::int64_t elements) const
    {
        const Format format = formatOf(role);
        std::int64_t values = valueBytes(format, elements);
        if (role == Role::Experts && isFourBitFloat(format))
            values += paddingOf(elements);
        const bool whole = !m_stored || m_stored->leftOut[indexOf(role)] == 0;
        const std::int64_t scales = whole ? bytes(role, elements) - values : 0;
        return roundingOf(values) + (scales > 0 ? roundingOf(scales) : 0);
    }

    /// Inputs (gate and up in one) and outputs of a feed-forward block.
    std::int64_t blockRounding(Role role, std::int64_t elements) const
    {
        if (elements == 0)
            return 0;
        const std::int64_t out = elements / (m_model.gatedFfn ? 3 : 2);
        return tensor(role, elements - out) + tensor(role, out);
    }

    std::int64_t layerRounding(const LayerGroup &group) const
    {
        if (m_model.hidden == 0)
            return 0;
        std::int64_t sum = 0;
        if (const std::int64_t attention = elementsOnRank(m_run, group, Role::Attention); attention > 0) {
            const std::int64_t out = share(std::int64_t{group.queryHeads} * group.valueDim * m_model.hidden, m_run.attentionTensor());
            if (group.mixer == Mixer::Latent) {
                const std::int64_t heads = share(group.queryHeads, m_run.attentionTensor());
                const std::int64_t from = group.queryLatentDim > 0 ? group.queryLatentDim : m_model.hidden;
                const std::int64_t down = std::int64_t{m_model.hidden} * (group.queryLatentDim + group.latentDim + group.ropeDim);
                sum += tensor(Role::Attention, down) + tensor(Role::Attention, from * heads * group.keyDim) + tensor(Role::Attention, out) +
                       tensor(Role::Attention, std::int64_t{group.latentDim} * heads * (group.keyDim - group.ropeDim + group.valueDim));
            } else if (attention > out) {
                sum += tensor(Role::Attention, attention - out) + tensor(Role::Attention, out);
            }
        }
        for (const Role role : {Role::Ffn, Role::SharedExperts, Role::Experts})
            sum += blockRounding(role, elementsOnRank(m_run, group, role));
        return sum;
    }

    /// Embedding on the first stage, head on the last; a tied table is held by both (4.1). DP attention: each rank looks its own tokens up in
    /// a whole table (SGLang's models, `enable_tp=not is_dp_attention_enabled()`).
    void addTables(RankWeights &weights, bool first, bool last) const
    {
        const std::int64_t plain = m_model.vocab * m_model.hidden;
        const auto add = [&](Role role, std::int64_t elements) {
            const bool whole = role == Role::Embedding && m_run.split.dataInTensor && m_run.split.data > 1;
            const std::int64_t table = vocabularyOnRank(m_model, whole ? 1 : m_run.tensor()) * m_model.hidden;
            // Beside the vocabulary's rows: learned positions, whole; tables for each layer (Gemma 3n) and of odd width, split like it.
            const std::int64_t beside = elements - plain;
            const bool positions = beside >= 0 && beside <= (m_model.trainedContext.value + mostPositionRows) * m_model.hidden;
            const std::int64_t onRank = positions    ? table + beside
                                        : beside > 0 ? table + share(beside, m_run.tensor())
                                                     : share(elements, m_run.tensor());
            if (onRank == 0)
                return;
            weights.tables += Bytes{bytes(role, onRank)};
            weights.rounding += Bytes{tensor(role, onRank)};
        };
        if (first)
            add(Role::Embedding, m_model.outer[Role::Embedding]);
        if (last && m_model.tiedEmbeddings && !first)
            add(Role::Embedding, plain);
        if (last && !m_model.tiedEmbeddings)
            add(Role::OutputHead, m_model.outer[Role::OutputHead]);
    }

    void addOthers(RankWeights &weights, bool first, bool last) const
    {
        const RoleCounts &outer = m_model.outer;
        if (first)
            weights.other += Bytes{bytes(Role::Vision, share(outer[Role::Vision], m_run.tensor()))};
        if (!last)
            return;
        weights.other += Bytes{bytes(Role::Small, outer[Role::Small])};
        for (const Role role : {Role::Attention, Role::Recurrent, Role::Ffn, Role::Experts, Role::SharedExperts, Role::Router})
            weights.other += Bytes{bytes(role, share(outer[role], m_run.tensor()))};
        if (m_run.predicts())
            weights.other += Bytes{bytes(Role::Mtp, share(outer[Role::Mtp], m_run.tensor()))};
    }

    const Run &m_run;
    const ModelSpec &m_model;
    WeightRules m_rules;
    std::array<Format, roleCount> m_formats;
    const Quantization *m_stored; ///< how the checkpoint keeps the format asked for; null: the format's own way
    std::vector<Layer> m_layers;  ///< same index as ModelSpec::groups
};

/// The stages' shares made to add up to what was measured over all ranks of a replica.
void scaleTo(std::vector<RankWeights> &stages, std::int64_t tensor, Bytes measured)
{
    Bytes sum;
    for (const RankWeights &stage : stages)
        sum += stage.total() * tensor;
    const auto count = static_cast<std::int64_t>(stages.size());
    for (RankWeights &stage : stages) {
        const double part = sum.value > 0 ? static_cast<double>((stage.total() * tensor).value) / static_cast<double>(sum.value)
                                          : 1.0 / static_cast<double>(count);
        RankWeights scaled;
        scaled.layers = Bytes{static_cast<std::int64_t>(static_cast<double>(measured.value) * part) / tensor};
        scaled.measured = true;
        stage = scaled;
    }
}

/// A quantised checkpoint's own bytes over what the formats give: lists of modules left out are finer than roles (8.5). Prediction layers
/// in the files are not loaded, so nothing is told where a model has them; unquantised checkpoints count by their parameters (4.1).
double storedFactor(const Run &run, const Scenario &scenario)
{
    const ModelSpec &model = *run.model;
    const bool fileIsLoaded = model.gguf && !model.gguf->converted && !scenario.weights.format; // each tensor in its own type
    const bool asStored =
        model.quantization && run.weights == model.quantization->format && (model.outer[Role::Mtp] == 0 || model.measuredAsLoaded);
    if (!fileIsLoaded && (!asStored || !model.measuredWeights))
        return 1;
    const Bytes stored = fileIsLoaded ? model.gguf->tensorBytes() : *model.measuredWeights;
    const Run whole = wholeModel(run);
    const RankWeights counted = Counter(whole, scenario, {false, false, false}).of(whole.stages.front(), true, true);
    const double sum = static_cast<double>((counted.layers + counted.tables + counted.other).value);
    const double factor = sum > 0 ? static_cast<double>(stored.value) / sum : 1;
    constexpr double most = 0.1; // beyond that the files hold something else than what is loaded
    return fileIsLoaded || std::abs(factor - 1) <= most ? factor : 1;
}

void applyFactor(std::vector<RankWeights> &stages, double factor)
{
    for (RankWeights &stage : stages) {
        for (Bytes *part : {&stage.layers, &stage.tables, &stage.other})
            part->value = static_cast<std::int64_t>(static_cast<double>(part->value) * factor);
    }
}

std::vector<RankWeights> ownWeights(const Run &run, const Scenario &scenario, const WeightRules &rules)
{
    std::vector<RankWeights> stages;
    const Counter counter(run, scenario, rules);
    for (std::size_t s = 0; s < run.stages.size(); ++s)
        stages.push_back(counter.of(run.stages[s], s == 0, s + 1 == run.stages.size()));
    if (scenario.weights.measured)
        scaleTo(stages, run.tensor(), *scenario.weights.measured);
    else if (!run.model->parametersKnown && run.model->measuredWeights)
        scaleTo(stages, run.tensor(), *run.model->measuredWeights);
    else if (const double factor = storedFactor(run, scenario); factor != 1)
        applyFactor(stages, factor);
    return stages;
}

/// The drafting model as it is loaded.
Scenario draftScenario(const Scenario &scenario)
{
    Scenario draft = scenario;
    draft.model = std::exchange(draft.draft, nullptr);
    draft.weights = {};
    draft.serving.draftTokens = 0;
    return draft;
}

} // namespace

std::array<Format, roleCount> formatsOfRoles(const Run &run, const Scenario &scenario)
{
    const ModelSpec &model = *run.model;
    std::array<Format, roleCount> formats;
    formats.fill(run.dtype);
    if (run.weights == run.dtype)
        return formats;
    const bool stored = storedAs(run) != nullptr;
    const bool mixed = stored && !scenario.weights.format.has_value() && model.quantization->secondFormat;
    constexpr std::array matrices{Role::Attention, Role::Recurrent, Role::Ffn, Role::Experts, Role::SharedExperts};
    for (std::size_t r = 0; r < formats.size(); ++r) {
        const auto role = static_cast<Role>(r);
        const bool matrix = std::ranges::find(matrices, role) != matrices.end();
        const bool byDefault = run.weights == Format::MXFP4 && model.experts > 0 ? role == Role::Experts : matrix;
        if (stored ? model.quantization->quantised[r] : byDefault)
            formats[r] = run.weights;
        else if (mixed && model.quantization->secondQuantised[r])
            formats[r] = *model.quantization->secondFormat;
    }
    return formats;
}

std::optional<Error> checkWeightSplit(const Run &run)
{
    if (run.split.expert > 1 && run.model->experts == 0)
        return Error{ErrorCode::ImpossibleSplit, "ep = " + std::to_string(run.split.expert), "ep = 1", {}};
    return {};
}

Result<Run> draftRunOf(const Run &run, const Scenario &scenario)
{
    return runOf(draftScenario(scenario), {.tensor = run.tensor(), .data = run.split.data, .dataInTensor = run.split.dataInTensor});
}

std::vector<RankWeights> weightsOfStages(const Run &run, const Scenario &scenario, const WeightRules &rules)
{
    std::vector<RankWeights> stages = ownWeights(run, scenario, rules);
    if (scenario.draft && !scenario.weights.measured) { // what was measured holds it
        if (const Result<Run> draft = draftRunOf(run, scenario))
            stages.back().draft = ownWeights(*draft, draftScenario(scenario), rules).front().total();
    }
    return stages;
}

} // namespace kvscope::serving
