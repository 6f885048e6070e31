// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/llamacppcache.h"

namespace kvscope::llamacpp {

namespace {

constexpr std::int64_t stateElementBytes = 4; // always f32

void addRow(Phase &phase, const CurveTerm &term)
{
    if (term.coefficient.value == 0)
        return;
    for (CurveTerm &t : phase.terms) {
        if (t.part == term.part && t.growth == term.growth && t.perSequence == term.perSequence && t.limit == term.limit &&
            t.every == term.every && t.pad == term.pad && t.pooled == term.pooled && t.limitPerSequence == term.limitPerSequence) {
            t.coefficient += term.coefficient;
            return;
        }
    }
    phase.terms.push_back(term);
}

} // namespace

std::vector<CacheRow> cacheRows(const Run &run, const GgufLayer &layer)
{
    std::vector<CacheRow> rows;
    if (!layer.holdsKv)
        return rows;
    if (run.layers.architecture->compressed) {
        const Bytes key = bytesOf(run.key, layer.keyRow);
        rows.push_back({CellKind::RawWindow, 1, key, {}});
        if (layer.compression > 1) {
            rows.push_back({CellKind::Compressed, layer.compression, key, {}});
            if (layer.indexKeyRow > 0)
                rows.push_back({CellKind::Compressed, layer.compression, bytesOf(run.key, layer.indexKeyRow), {}});
        }
        return rows;
    }
    // Without flash attention V lies transposed, and all layers' V are as wide as the widest (3.3). A latent has none.
    const bool hasValue = layer.valueRow > 0 || !run.layers.latent;
    const std::int64_t valueRow = run.flash || !hasValue ? layer.valueRow : run.widestValueRow();
    rows.push_back(
        {run.windowed(layer) ? CellKind::Windowed : CellKind::Dense, 1, bytesOf(run.key, layer.keyRow), bytesOf(run.value, valueRow)});
    if (layer.indexKeyRow > 0)
        rows.push_back({CellKind::Dense, 1, bytesOf(run.key, layer.indexKeyRow), bytesOf(run.value, layer.indexValueRow)});
    return rows;
}

Bytes stateBytes(const Run &run, const GgufLayer &layer)
{
    const std::int64_t copies = 1 + (run.layers.architecture->rollback ? run.draftTokens : 0);
    return Bytes{stateElementBytes} * (layer.convState + layer.matrixState) * copies;
}

void addCacheTerms(const Run &run, const GgufLayer &layer, Phase &phase)
{
    for (const CacheRow &row : cacheRows(run, layer))
        addRow(phase, run.cellTerm(Part::Kv, row.kind, row.both(), row.ratio));
    addRow(phase, run.slotTerm(Part::State, stateBytes(run, layer)));
}

CacheTotals cacheTotals(const Run &run)
{
    CacheTotals totals;
    for (const GgufLayer &layer : run.layers.layers) {
        for (const CacheRow &row : cacheRows(run, layer)) {
            const std::int64_t cells = run.cellsOf(row.kind, row.ratio);
            totals.key += row.key * cells;
            totals.value += row.value * cells;
            if (row.kind == CellKind::Windowed || row.kind == CellKind::RawWindow)
                totals.windowed += row.both() * cells;
        }
        totals.state += stateBytes(run, layer) * run.slotCount;
    }
    return totals;
}

} // namespace kvscope::llamacpp
