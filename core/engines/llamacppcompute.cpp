// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppcompute.h"

#include "core/engines/llamacppwidths.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace kvscope::llamacpp {

namespace {

constexpr std::int64_t real = 4;
constexpr std::int64_t pipelineCopies = 3; // beside the one that is there anyway (5.5)

bool isCuda(Backend backend) { return backend == Backend::Cuda || backend == Backend::Rocm; }
constexpr std::int64_t halfBytes = 2;

/// The kernels for prompts need K and V in 16 bits (5.6).
bool copiesHalf(const Run &run) { return isCuda(run.backend) && run.flash && (run.key != Format::F16 || run.value != Format::F16); }

bool copiesWeights(Backend backend) { return backend != Backend::Rpc && backend != Backend::Cpu; }

/// Inputs that cross devices are kept several times where work is pipelined over them (5.5).
bool pipelined(const Run &run, const Placement &placement, const LocalOptions &options)
{
    const auto used = std::ranges::count_if(placement.devices, [](const Share &share) { return !share.layers.empty() || share.output; });
    return isCuda(run.backend) && used > 1 && placement.host.layers.empty() && !options.kvOnHost && !placement.overrides;
}

class Moments {
public:
    Moments(const Run &run, const Placement &placement, int device, const LocalOptions &options) :
        m_run(run),
        m_placement(placement),
        m_options(options),
        m_share(placement.share(device)),
        m_device(device),
        m_widths(widthsOf(run, m_share.layers))
    {
    }

    std::vector<ComputeMoment> moments() &&
    {
        if (m_share.output)
            addLogits();
        if (m_share.layers.empty()) {
            addInputsOfDevices();
            return std::move(m_moments);
        }
        const std::int64_t own = m_device == onHost ? m_widths.embedding : 0;
        const std::int64_t side = sideBytes(m_run, m_widths) + own;
        if (m_widths.dense)
            add(Moment::FeedForward, m_widths.feedForward() + side, "llamacpp.ffn");
        if (m_widths.experts)
            add(Moment::Experts, expertBytes(m_run, m_widths, m_placement.overrides && m_device != onHost) + side, "llamacpp.experts");
        if (m_widths.recurrence) {
            add(Moment::Recurrence, recurrentBytes(m_run, m_widths) + side, "llamacpp.recurrence");
            m_moments.back().put(m_run.slotTerm(Part::Activation, Bytes{recurrentSlotBytes(m_run)}), "llamacpp.recurrence");
        }
        if (m_widths.attention)
            addAttention(attentionBytes(m_run, m_widths, m_share.layers) + side);
        if (m_moments.empty())
            add(Moment::Inputs, 2 * m_widths.embedding + side, "llamacpp.inputs");
        return std::move(m_moments);
    }

private:
    /// Rows of logits that a micro-batch may ask for (5.3); where the rows are chosen late, the whole micro-batch comes to the output layer.
    void addLogits()
    {
        const Bytes row{real * (m_run.layers.vocab + m_run.layers.embedding)};
        ComputeMoment logits{Moment::Logits, {}, {}};
        if (m_run.layers.vocab > 0) {
            logits.put(m_run.rules.logitsOfAllTokens() ? m_run.tokenTerm(Part::Activation, row)
                                                       : m_run.slotTerm(Part::Activation, row * (1 + m_run.draftTokens)),
                       "llamacpp.logits");
        }
        m_moments.push_back(std::move(logits));
        if (m_run.layers.architecture->lateRows && m_share.layers.empty()) {
            const std::int64_t experts = m_run.layers.experts > 0 ? m_run.layers.expertsUsed : 0;
            ComputeMoment late{Moment::Inputs, {}, {}};
            late.put(m_run.tokenTerm(Part::Activation, Bytes{(2 + experts) * real * m_run.layers.embedding}), "llamacpp.inputs");
            m_moments.push_back(std::move(late));
        }
    }

    /// What the host feeds to the devices (5.5).
    void addInputsOfDevices()
    {
        const bool borrows = m_device == 0 && copiesWeights(m_run.backend) && m_placement.host.largestMatrix.value > 0;
        if (m_device != onHost && !borrows)
            return;
        add(Moment::Inputs, 2 * m_widths.embedding, "llamacpp.inputs");
        if (m_options.kvOnHost)
            m_moments.back().put(m_run.slotTerm(Part::Activation, Bytes{2 * recurrentSlotBytes(m_run)}), "llamacpp.recurrence");
    }

    /// Masks, and without flash attention the places of V, that lie there all the time.
    void addAlways(ComputeMoment &moment) const
    {
        const std::int64_t copies = m_device != onHost && pipelined(m_run, m_placement, m_options) ? 1 + pipelineCopies : 1;
        const std::int64_t mask = (m_run.flash ? 2 : 4) * m_run.ubatch * copies;
        if (!m_run.causal) { // no cache: a micro-batch sees itself
            moment.put({Part::Activation, Bytes{mask} * m_run.tokens}, "llamacpp.mask");
        } else if (m_run.layers.holdsKv()) {
            if (!m_run.layers.architecture->compressed) // a mask over compressed cells is told with their scores
                moment.put(m_run.streamTerm(Part::Activation, CellKind::Dense, Bytes{mask}), "llamacpp.mask");
            if (m_run.layers.windows())
                moment.put(m_run.streamTerm(Part::Activation, CellKind::Windowed, Bytes{mask}), "llamacpp.mask");
            if (!m_run.flash && !m_run.layers.latent) {
                const std::int64_t caches = m_run.layers.windows() ? 2 : 1;
                moment.put(m_run.tokenTerm(Part::Activation, Bytes{8 * m_run.widestValueRow() * caches}), "llamacpp.places");
            }
        }
        if (copies > 1)
            moment.put(m_run.tokenTerm(Part::Activation, Bytes{pipelineCopies * m_widths.embedding}), "llamacpp.pipeline");
        // With big batches, matrices that stay on the host are copied to the first GPU one at a time (5.5).
        if (m_device == 0 && copiesWeights(m_run.backend) && m_placement.host.largestMatrix.value > 0)
            moment.put({Part::Activation, m_placement.host.largestMatrix}, "llamacpp.host_tensor");
    }

    ComputeMoment with(Moment kind, std::int64_t bytes, const char *rule) const
    {
        ComputeMoment moment{kind, {}, {}};
        addAlways(moment);
        moment.put(m_run.tokenTerm(Part::Activation, Bytes{bytes}), rule);
        return moment;
    }

    void add(Moment kind, std::int64_t bytes, const char *rule) { m_moments.push_back(with(kind, bytes, rule)); }

    void addAttention(std::int64_t bytes)
    {
        const SparseBytes sparse = sparseBytes(m_run, m_widths);
        for (const CellKind kind : {CellKind::Dense, CellKind::Windowed}) {
            std::int64_t heads = 0, row = 0;
            for (const std::size_t index : m_share.layers) {
                const GgufLayer &layer = m_run.layers.layers[index];
                if (layer.kvHeads == 0 || (kind == CellKind::Windowed) != m_run.windowed(layer))
                    continue;
                heads = std::max<std::int64_t>(heads, layer.heads);
                row = std::max(row, layer.holdsKv ? layer.keyRow + layer.valueRow : 0);
            }
            if (heads == 0)
                continue;
            ComputeMoment moment = with(Moment::Attention, bytes + sparse.token, "llamacpp.attention");
            addScores(moment, kind, heads);
            addCopies(moment, kind, row);
            if (sparse.cell > 0)
                moment.put(m_run.streamTerm(Part::Activation, CellKind::Dense, Bytes{sparse.cell * m_run.ubatch}), "llamacpp.indexer");
            m_moments.push_back(std::move(moment));
        }
    }

    /// Scores of one layer for all cells, without flash attention.
    void addScores(ComputeMoment &moment, CellKind kind, std::int64_t heads) const
    {
        if (m_run.flash)
            return;
        const Bytes cell{real * heads * m_run.ubatch};
        moment.put(m_run.causal ? m_run.streamTerm(Part::Activation, kind, cell) : CurveTerm{Part::Activation, cell * m_run.tokens},
                   "llamacpp.scores");
    }

    /// K and V of one layer: in 16 bits for the kernel where they are stored otherwise (5.6), or as they are where they come from the host (-nkvo).
    void addCopies(ComputeMoment &moment, CellKind kind, std::int64_t row) const
    {
        if (m_device == onHost || row == 0)
            return;
        if (m_options.kvOnHost)
            moment.put(m_run.cellTerm(Part::Activation, kind, bytesOf(m_run.key, row)), "llamacpp.kv_from_host");
        if (m_run.rules.flashCopies() && copiesHalf(m_run))
            moment.put(m_run.cellTerm(Part::Activation, kind, Bytes{halfBytes * row}), "llamacpp.kv_copies");
    }

    const Run &m_run;
    const Placement &m_placement;
    const LocalOptions &m_options;
    const Share &m_share;
    int m_device;
    Widths m_widths;
    std::vector<ComputeMoment> m_moments;
};

/// What follows from the number of cells or rows alone: measured without a difference.
constexpr std::array<std::string_view, 7> exactRules{"llamacpp.mask",    "llamacpp.places",       "llamacpp.scores",   "llamacpp.logits",
                                                     "llamacpp.indexer", "llamacpp.kv_from_host", "llamacpp.kv_copies"};

/// How far the closed form was off, of its value, in measurements of models of this kind (5.2).
struct ComputeRange {
    double below = 0;
    double above = 0;
};

ComputeRange computeRange(const Run &run)
{
    const GgufLayers &all = run.layers;
    const bool sparse = all.architecture->compressed || all.architecture->indexer != IndexerCache::None;
    if (sparse)
        return {0.2, 0.25};
    if (all.sideEmbedding > 0)
        return {0.1, 0.2};
    if (all.experts > 0 || all.recurs())
        return {0.2, 0.12};
    return {0.1, 0.05};
}

} // namespace

std::vector<ComputeMoment> computeMoments(const Run &run, const Placement &placement, int device, const LocalOptions &options)
{
    return Moments(run, placement, device, options).moments();
}

CurveTerm outputBuffer(const Run &run) { return run.slotTerm(Part::Activation, Bytes{real * run.layers.vocab}); }

CurveTerm poolCopies(const Run &run)
{
    std::int64_t row = 0;
    for (const GgufLayer &layer : run.layers.layers)
        row = std::max(row, layer.holdsKv ? layer.keyRow + layer.valueRow : 0);
    const bool hidden = !run.rules.flashCopies() && copiesHalf(run);
    return run.cellTerm(Part::Runtime, CellKind::Dense, Bytes{hidden ? halfBytes * row : 0});
}

Spread computeSpread(const Run &run, const std::vector<ComputeMoment> &moments)
{
    Bytes most;
    for (const ComputeMoment &moment : moments) {
        Bytes bytes;
        for (std::size_t t = 0; t < moment.phase.terms.size(); ++t) {
            const CurveTerm &term = moment.phase.terms[t];
            const bool known = std::ranges::find(exactRules, std::string_view(moment.rules[t])) != exactRules.end();
            if (!known && !term.perSequence)
                bytes += term.growth == Growth::Constant ? term.coefficient : term.coefficient * run.ubatch;
        }
        most = std::max(most, bytes);
    }
    if (moments.empty())
        return {};
    // Without flash attention the places between one layer's scores were measured up to eight embeddings wide.
    const Bytes between = run.flash ? Bytes{} : Bytes{8 * real * run.layers.embedding} * run.ubatch;
    const ComputeRange range = computeRange(run);
    const auto part = [&](double of) { return Bytes{static_cast<std::int64_t>(static_cast<double>(most.value) * of)}; };
    return {Bytes{} - part(range.below), Bytes{}, part(range.above) + between + 16_MiB};
}

} // namespace kvscope::llamacpp
