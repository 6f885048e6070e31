// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacpprun.h"

#include "core/engines/rulesdate.h"

#include <algorithm>
#include <array>
#include <optional>

namespace kvscope::llamacpp {

namespace {

constexpr std::array cacheFormatsWidestFirst{Format::F32,  Format::F16,  Format::BF16, Format::Q8_0,  Format::Q5_1,
                                             Format::Q5_0, Format::Q4_1, Format::Q4_0, Format::IQ4_NL};
constexpr std::int64_t automaticSlotCount = 4;
constexpr std::int64_t standardBatch = 2048, standardUbatch = 512;
constexpr std::int64_t wholeCells = 256, wholeCellsWithoutFlash = 32;

std::int64_t padded(std::int64_t x, std::int64_t pad) { return ceilDivide(x, pad) * pad; }

bool quantised(Format format) { return infoOf(format).blockElements > 1; }

std::string formatNames()
{
    std::string names;
    for (const Format format : cacheFormatsWidestFirst)
        names += (names.empty() ? "" : ", ") + std::string(infoOf(format).name);
    return names;
}

/// The back end that a maker's cards run by, unless another is asked for.
Backend backendOf(const Scenario &scenario, const Cluster &cluster)
{
    if (scenario.local.backend != Backend::Automatic || cluster.devices.empty())
        return scenario.local.backend;
    const std::string &vendor = cluster.devices.front().vendor;
    if (vendor == "Apple")
        return Backend::Metal;
    if (vendor == "AMD")
        return Backend::Rocm;
    return vendor == "Intel" ? Backend::Vulkan : Backend::Cuda;
}

/// Before latents were cached, K and V of all heads were; for a time V of the latent lay beside it (3.10).
void applyDatedLatents(Run &run)
{
    if (!run.layers.latent)
        return;
    for (GgufLayer &layer : run.layers.layers) {
        if (!run.rules.latentCache()) {
            layer.kvHeads = layer.heads;
            layer.keyDim = run.layers.latentKeyDim;
            layer.valueDim = run.layers.latentValueDim;
            layer.keyRow = saturatingMultiply(layer.keyDim, layer.heads);
        }
        if (run.rules.latentKeepsValues())
            layer.valueRow = saturatingMultiply(layer.valueDim, layer.kvHeads);
    }
    run.layers.latent = run.rules.latentCache();
}

std::optional<Error> checkTypes(const Scenario &scenario, Run &run)
{
    for (const Format format : {run.key, run.value}) {
        if (std::ranges::find(cacheFormatsWidestFirst, format) == cacheFormatsWidestFirst.end())
            return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(format).name), formatNames(), {}};
    }
    if (!run.flash && quantised(run.value))
        return Error{ErrorCode::FlashAttentionNeeded, std::string(infoOf(run.value).name), {}, {}};
    if ((run.layers.latent || run.layers.architecture->compressed) && run.key != run.value)
        return Error{ErrorCode::UnequalCacheTypes, std::string(infoOf(run.key).name), std::string(infoOf(run.value).name), {}};
    if (scenario.local.flash == FlashAttention::Off)
        return {};
    for (const GgufLayer &layer : run.layers.layers) {
        const std::array<std::pair<Format, std::int64_t>, 2> heads{{{run.key, layer.keyDim}, {run.value, layer.valueDim}}};
        for (const auto &[format, dim] : heads) {
            if (quantised(format) && dim % infoOf(format).blockElements != 0)
                return Error{ErrorCode::HeadNotWholeBlocks, std::string(infoOf(format).name), std::to_string(dim), {}};
        }
    }
    return {};
}

/// n_ctx, streams and cells by 3.1 and 3.4, in the order that the engine takes its steps.
void countCells(Run &run, std::int64_t context)
{
    const std::int64_t batch = run.causal ? std::min(context, run.batch) : run.batch;
    run.tokens = std::min(batch, run.ubatch);
    run.windowSlack = run.rules.windowByBatch() ? run.batch : run.ubatch;
    Cells &cells = run.cells;
    cells.streams = run.unified ? 1 : run.slotCount;
    cells.dense = padded(padded(context, run.pad) / cells.streams, run.pad);
    cells.context = cells.dense * cells.streams;
    if (run.layers.windows()) {
        const std::int64_t windows = saturatingMultiply(run.layers.window.value, run.unified ? run.slotCount : 1);
        const std::int64_t slack = run.rules.windowByBatch() ? batch : run.tokens;
        cells.windowed = run.fullWindows ? cells.dense : padded(std::min(cells.dense, saturatingAdd(windows, slack)), run.pad);
    }
}

} // namespace

std::span<const Format> cacheFormats() { return cacheFormatsWidestFirst; }

Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings)
{
    const Result<int> date = rulesDate(EngineId::LlamaCpp, version, warnings);
    if (!date)
        return date.error();
    return Rules{*date};
}

Result<Run> runOf(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings)
{
    const LocalOptions &local = scenario.local;
    const Result<Rules> rules = rulesOf(scenario.engine.version, warnings);
    if (!rules)
        return rules.error();
    Run run;
    run.model = scenario.model.get();
    run.layers = layersOf(*run.model);
    run.rules = *rules;
    run.backend = backendOf(scenario, cluster);
    run.key = keyFormat(scenario);
    run.value = valueFormat(scenario);
    run.flash = !run.layers.architecture->neverFlash &&
                (local.flash == FlashAttention::On || (local.flash == FlashAttention::Automatic && run.rules.automaticFlash()));
    applyDatedLatents(run);
    if (std::optional<Error> error = checkTypes(scenario, run))
        return *std::move(error);

    const bool automatic = local.automaticSlots && run.rules.automaticSlots();
    run.leastSlots = automatic ? automaticSlotCount : local.slotCount.value_or(0);
    run.slotCount = std::max(ceilDivide(scenario.batch, cluster.split.data), run.leastSlots);
    if (run.slotCount > mostSlots)
        return Error{ErrorCode::OutOfRange, "--parallel", "1.." + std::to_string(mostSlots), {}};
    run.unified = local.unified.value_or(automatic) || !run.rules.streams();
    run.causal = run.layers.architecture->causal;
    run.fullWindows = local.fullWindows || !run.rules.windowedCaches();
    run.pad = !run.rules.paddedCells() ? 1 : run.rules.cellsPaddedByFlash() && !run.flash ? wholeCellsWithoutFlash : wholeCells;
    run.batch = local.batch.value_or(standardBatch);
    run.ubatch = std::min<std::int64_t>(run.batch, local.ubatch.value_or(standardUbatch));
    run.draftTokens = scenario.serving.draftTokens;
    run.fixedPool = local.pool.has_value();
    countCells(run, run.fixedPool ? local.pool->value : saturatingMultiply(scenario.context.value, run.slotCount));
    return run;
}

std::int64_t Run::cellsOf(CellKind kind, std::int64_t ratio) const
{
    switch (kind) {
    case CellKind::Dense: return cells.context;
    case CellKind::Windowed: return cells.windowed * cells.streams;
    case CellKind::RawWindow:
        return (fullWindows ? cells.dense : padded(std::min(cells.dense, layers.window.value + tokens), wholeCells)) * slotCount;
    case CellKind::Compressed: return padded(ceilDivide(cells.dense, ratio), wholeCells) * slotCount;
    }
    return 0;
}

CurveTerm Run::cellTerm(Part part, CellKind kind, Bytes bytes, std::int64_t ratio) const
{
    CurveTerm term{part, bytes, Growth::Linear};
    if (fixedPool) {
        term.growth = Growth::Constant;
        term.coefficient = bytes * cellsOf(kind, ratio);
        return term;
    }
    const bool pooled = unified && kind != CellKind::RawWindow;
    term.pooled = pooled;
    term.perSequence = !pooled;
    term.pad = pad;
    if (!fullWindows && (kind == CellKind::Windowed || kind == CellKind::RawWindow)) {
        // A micro-batch is cut to the context before this limit counts, so that the smaller of both is the same.
        term.limit = pooled ? TokenCount{windowSlack} : layers.window + TokenCount{windowSlack};
        term.limitPerSequence = pooled ? layers.window : TokenCount{};
    }
    if (kind == CellKind::Compressed) {
        term.every = ratio;
        term.pad = ratio * wholeCells;
        if (pooled) // each sequence has a stream as long as all of them together
            term.coefficient = bytes * slotCount;
    }
    return term;
}

CurveTerm Run::streamTerm(Part part, CellKind kind, Bytes bytes) const
{
    if (fixedPool)
        return {part, bytes * (kind == CellKind::Dense ? cells.dense : cells.windowed)};
    CurveTerm term = cellTerm(part, kind, bytes);
    term.perSequence = false;
    return term;
}

CurveTerm Run::tokenTerm(Part part, Bytes bytes) const
{
    if (fixedPool)
        return {part, bytes * tokens};
    CurveTerm term{part, bytes, Growth::Linear};
    term.pooled = true;
    term.limit = TokenCount{ubatch};
    return term;
}

CurveTerm Run::slotTerm(Part part, Bytes bytes) const
{
    CurveTerm term{part, bytes};
    term.perSequence = true;
    return term;
}

std::int64_t Run::widestValueRow() const
{
    std::int64_t widest = 0;
    for (const GgufLayer &layer : layers.layers)
        widest = std::max(widest, layer.valueRow);
    return widest;
}

} // namespace kvscope::llamacpp
