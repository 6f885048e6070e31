// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engine.h"
#include "core/gguf/layers.h"

#include <span>
#include <string>
#include <vector>

namespace kvscope::llamacpp {

/// The rules in force on a day of llama.cpp's development (spec/local-engines.md 3.10): each change counts from its date on.
struct Rules {
    int date = 0; ///< yyyymmdd; 0: older than all changes

    bool latentCache() const { return date >= 20250415; }
    bool latentKeepsValues() const { return date < 20260125; }
    bool windowedCaches() const { return date >= 20250520; }
    bool windowByBatch() const { return date < 20250531; } ///< windowed cells hold a whole batch, not a micro-batch
    bool streams() const { return date >= 20250716; }      ///< before: one cache for all sequences, whatever is asked
    bool automaticFlash() const { return date >= 20250830; }
    bool paddedCells() const { return date < 20251028 || date >= 20251107; }
    bool cellsPaddedByFlash() const { return date < 20251028; } ///< 256 with flash attention, 32 without
    bool automaticSlots() const { return date >= 20251102; }
    bool fits() const { return date >= 20251215; }        ///< --fit
    bool outputFirst() const { return date >= 20251218; } ///< -ngl counts from the output layer
    bool logitsOfAllTokens() const { return date < 20260601; }
    bool flashCopies() const { return date >= 20260603; } ///< f16 copies of K and V lie in the compute buffer (5.6)
};

/// The rules of a build (`b5912`) or date; empty: the newest. Adds UnknownVersion where the nearest listed below stands in.
Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings);

/// Slots that the engine takes at the most (3.1).

/// How many cells each kind of cache has at the scenario's own context and slots (3.1, 3.4).
struct Cells {
    std::int64_t context = 0;  ///< n_ctx: all streams together
    std::int64_t dense = 0;    ///< of a stream
    std::int64_t windowed = 0; ///< of a stream; 0: no layer keeps a window
    std::int64_t streams = 1;
};

/// What a cache's cells follow.
enum class CellKind : std::uint8_t {
    Dense,
    Windowed,
    RawWindow,  ///< windowed, a stream for each sequence even where the cache is unified (3.7)
    Compressed, ///< one cell for so many tokens, a stream for each sequence (3.7)
};

/// A scenario resolved under the rules of its version.
struct Run {
    const ModelSpec *model = nullptr;
    GgufLayers layers;
    Rules rules;
    Backend backend = Backend::Cuda;
    Format key = Format::F16, value = Format::F16;
    bool flash = true;
    bool fixedPool = false;      ///< -c is given: cells do not follow the context
    std::int64_t leastSlots = 0; ///< -np where it is given
    std::int64_t slotCount = 1;  ///< n_seq_max
    bool unified = false;
    bool causal = true;
    bool fullWindows = false;       ///< windowed layers have all cells
    std::int64_t pad = 256;         ///< cells are handed out in this many
    std::int64_t batch = 2048;      ///< n_batch before the context cuts it
    std::int64_t ubatch = 512;      ///< n_ubatch before the context cuts it
    std::int64_t tokens = 512;      ///< U: n_ubatch at the scenario's own context
    std::int64_t windowSlack = 512; ///< cells beside the window
    std::int64_t draftTokens = 0;
    Cells cells;

    /// All streams' cells of a kind, `bytes` each, as they grow with context and sequences. `ratio`: Compressed.
    CurveTerm cellTerm(Part part, CellKind kind, Bytes bytes, std::int64_t ratio = 1) const;
    /// The same of one stream: what masks and scores follow.
    CurveTerm streamTerm(Part part, CellKind kind, Bytes bytes) const;
    /// `bytes` for each token of a micro-batch.
    CurveTerm tokenTerm(Part part, Bytes bytes) const;
    /// `bytes` for each slot.
    CurveTerm slotTerm(Part part, Bytes bytes) const;
    /// Cells at the scenario's own context that cellTerm() counts.
    std::int64_t cellsOf(CellKind kind, std::int64_t ratio = 1) const;

    /// Whether the layer's cells are those of the window.
    bool windowed(const GgufLayer &layer) const { return layer.windowed && !fullWindows; }
    /// Widest V of all layers, elements.
    std::int64_t widestValueRow() const;
};

/// What the run will be, or why the engine refuses (3.3): UnsupportedFormat, FlashAttentionNeeded, UnequalCacheTypes, HeadNotWholeBlocks,
/// OutOfRange.
Result<Run> runOf(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings);

/// K and V types that -ctk and -ctv take, widest first (3.2).
std::span<const Format> cacheFormats();

} // namespace kvscope::llamacpp
