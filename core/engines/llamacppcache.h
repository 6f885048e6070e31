// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/llamacpprun.h"

#include <vector>

namespace kvscope::llamacpp {

/// One cache tensor pair of a layer: bytes a cell of K and of V (spec/local-engines.md 3.2 to 3.7).
struct CacheRow {
    CellKind kind = CellKind::Dense;
    std::int64_t ratio = 1;
    Bytes key, value;

    Bytes both() const { return key + value; }
};

/// What a layer keeps of each token; empty for one without cells.
std::vector<CacheRow> cacheRows(const Run &run, const GgufLayer &layer);

/// State of one layer and one sequence, copies for speculative decoding included (2.5, 3.7).
Bytes stateBytes(const Run &run, const GgufLayer &layer);

/// The layer's cells as terms of a curve.
void addCacheTerms(const Run &run, const GgufLayer &layer, Phase &phase);

/// Caches at the scenario's own context and slots, of all devices and the host.
struct CacheTotals {
    Bytes key, value; ///< windowed, indexer and compressed caches included
    Bytes windowed;   ///< of K and V, those in windowed cells
    Bytes state;
};
CacheTotals cacheTotals(const Run &run);

} // namespace kvscope::llamacpp
