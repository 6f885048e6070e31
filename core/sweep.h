// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"
#include "core/scenario.h"

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kvscope {

/// A model of a sweep under the name that its rows bear.
struct SweepModel {
    std::string name;
    std::shared_ptr<const ModelSpec> model;
    TokenCount context; ///< where SweepLists::contexts is empty
};

/// The lists that a sweep multiplies. Each has at least one entry, but `contexts`.
struct SweepLists {
    Scenario base; ///< all that no list changes
    std::vector<SweepModel> models;
    std::vector<WeightChoice> weights;
    std::vector<EngineChoice> engines;
    std::vector<Cluster> clusters;
    std::vector<std::optional<Bytes>> memories{std::nullopt}; ///< instead of each card's own, as the engine sees it; empty: the card's own
    std::vector<double> reserves;                             ///< percent
    std::vector<KvPrecision> kv;
    std::vector<TokenCount> contexts; ///< empty: each model's own
    std::vector<std::int64_t> batches;
};

/// The lists in the order of the product: the first changes slowest.
enum class SweepAxis : std::uint8_t { Model, Weights, Engine, Cluster, Memory, Reserve, Kv, Context, Batch };
inline constexpr int sweepAxisCount = static_cast<int>(SweepAxis::Batch) + 1;

/// A row's place: an index into each list.
struct SweepPoint {
    std::array<std::int32_t, sweepAxisCount> index{};

    std::int32_t &operator[](SweepAxis a) { return index[static_cast<std::size_t>(a)]; }
    std::int32_t operator[](SweepAxis a) const { return index[static_cast<std::size_t>(a)]; }
    bool operator==(const SweepPoint &) const = default;
};

/// The figures of a row: those that plan() gives for the same scenario. Refused: only the verdict counts.
struct SweepFigures {
    Verdict verdict = Verdict::Refused;
    Bytes kv;      ///< KvFigures::total
    Bytes weights; ///< Plan::weightsTotal
    Bytes total;   ///< fullest device
    Bytes free;    ///< the same
    Limits limits;
};

/// A product of lists, row by row.
class Sweep {
public:
    explicit Sweep(SweepLists lists);

    const SweepLists &lists() const { return m_lists; }
    /// Rows of the whole product; tooLargeValue where they can't be counted.
    std::int64_t rows() const { return m_rows; }
    std::int32_t length(SweepAxis axis) const { return m_lengths[static_cast<std::size_t>(axis)]; }
    SweepPoint pointAt(std::int64_t row) const;
    std::int64_t rowOf(const SweepPoint &point) const;
    /// The scenario of a row, with its one cluster.
    Scenario scenarioAt(const SweepPoint &point) const;

private:
    SweepLists m_lists;
    std::array<std::int32_t, sweepAxisCount> m_lengths{};
    std::int64_t m_rows = 0;
};

/// Works out rows. What rows have in common (all but context and batch) is compiled once and kept until a row differs in it. One a thread.
class SweepReader {
public:
    explicit SweepReader(const Sweep &sweep);
    ~SweepReader();

    const SweepFigures &read(const SweepPoint &point);
    /// The scenario of the row read last.
    const Scenario &scenario() const;

private:
    struct Cell;
    const Sweep *m_sweep;
    std::unique_ptr<Cell> m_cell;
    SweepFigures m_figures;
};

/// Rows first .. first + count - 1.
struct SweepRange {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// The part-th (from 1) of `parts` runs of rows; in order they make up the whole, and differ in length by one at the most.
SweepRange shardOf(std::int64_t rows, std::int64_t part, std::int64_t parts);

/// A thread's own writer: called for each row of a block in order, appends to `out`.
using SweepWriter = std::function<void(const SweepPoint &, const SweepFigures &, const Scenario &, std::string &out)>;

/// Runs a range on `jobs` threads. `makeWriter` is called once a thread. `sink` gets the text of whole rows in order, and how many rows it is;
/// by one thread at a time. It, or `stop`, ends the run early. Returns the rows that the sink took.
std::int64_t runSweep(const Sweep &sweep, SweepRange range, int jobs, const std::function<SweepWriter()> &makeWriter,
                      const std::function<bool(std::string_view text, std::int64_t rows)> &sink, const std::atomic<bool> &stop);

} // namespace kvscope
