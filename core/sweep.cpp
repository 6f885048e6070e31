// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/sweep.h"

#include "core/boundary.h"
#include "core/engine.h"
#include "core/judge.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace kvscope {

Sweep::Sweep(SweepLists lists) : m_lists(std::move(lists))
{
    const auto size = [](const auto &list) { return static_cast<std::int32_t>(list.size()); };
    m_lengths = {size(m_lists.models),   size(m_lists.weights),  size(m_lists.engines), size(m_lists.clusters),
                 size(m_lists.memories), size(m_lists.reserves), size(m_lists.kv),      std::max(1, size(m_lists.contexts)),
                 size(m_lists.batches)};
    m_rows = 1;
    for (const std::int32_t length : m_lengths)
        m_rows = saturatingMultiply(m_rows, length);
}

SweepPoint Sweep::pointAt(std::int64_t row) const
{
    SweepPoint point;
    for (std::size_t i = m_lengths.size(); i-- > 0;) {
        point.index[i] = static_cast<std::int32_t>(row % m_lengths[i]);
        row /= m_lengths[i];
    }
    return point;
}

std::int64_t Sweep::rowOf(const SweepPoint &point) const
{
    std::int64_t row = 0;
    for (std::size_t i = 0; i < m_lengths.size(); ++i)
        row = row * m_lengths[i] + point.index[i];
    return row;
}

Scenario Sweep::scenarioAt(const SweepPoint &point) const
{
    const auto at = [&](const auto &list, SweepAxis axis) -> const auto & { return list[static_cast<std::size_t>(point[axis])]; };
    Scenario scenario = m_lists.base;
    const SweepModel &model = at(m_lists.models, SweepAxis::Model);
    scenario.model = model.model;
    scenario.weights = at(m_lists.weights, SweepAxis::Weights);
    scenario.engine = at(m_lists.engines, SweepAxis::Engine);
    scenario.clusters = {at(m_lists.clusters, SweepAxis::Cluster)};
    scenario.selected = 0;
    if (const std::optional<Bytes> memory = at(m_lists.memories, SweepAxis::Memory)) {
        for (Device &device : scenario.clusters.front().devices)
            device = deviceOfSize(*memory, std::move(device));
    }
    scenario.reservePercent = at(m_lists.reserves, SweepAxis::Reserve);
    scenario.kv = at(m_lists.kv, SweepAxis::Kv);
    scenario.context = m_lists.contexts.empty() ? model.context : at(m_lists.contexts, SweepAxis::Context);
    scenario.batch = at(m_lists.batches, SweepAxis::Batch);
    return scenario;
}

/// All rows that differ in context and batch alone.
struct SweepReader::Cell {
    SweepPoint point;
    Scenario scenario;
    std::optional<FitBoundary> boundary; ///< empty: each row is planned by itself
    bool refused = false;
    Bytes budget;
    // The two limits depend on one of the two each; worked out when first asked for.
    std::vector<std::optional<Limits>> byBatch, byContext;

    Cell(const Sweep &sweep, const SweepPoint &p);
    SweepFigures figures() const;
    Limits limits();
};

SweepReader::Cell::Cell(const Sweep &sweep, const SweepPoint &p) :
    point(p),
    scenario(sweep.scenarioAt(p)),
    byBatch(static_cast<std::size_t>(sweep.length(SweepAxis::Batch))),
    byContext(static_cast<std::size_t>(sweep.length(SweepAxis::Context)))
{
    const Cluster &cluster = scenario.clusters.front();
    Result<Compiled> compiled = compile(scenario, cluster);
    refused = !compiled;
    // Where devices differ, plan() has to look at each.
    const Device &first = cluster.devices.front();
    const bool alike =
        std::ranges::all_of(cluster.devices, [&](const Device &d) { return d.usable == first.usable && d.memory == first.memory; });
    // A pool's engine answers by what it holds, and settings that follow the load make each row another one.
    const bool pools = !refused && std::ranges::any_of(compiled->devices, [](const DeviceCurve &d) { return d.pool.has_value(); });
    if (refused || !alike || pools || engineOf(scenario.engine.id).followsLoad(scenario))
        return;
    budget = FitBoundary::budgetOf(first, scenario);
    boundary.emplace(std::move(*compiled), scenario, cluster);
}

Limits SweepReader::Cell::limits()
{
    std::optional<Limits> &ofBatch = byBatch[static_cast<std::size_t>(point[SweepAxis::Batch])];
    std::optional<Limits> &ofContext = byContext[static_cast<std::size_t>(point[SweepAxis::Context])];
    if (!ofBatch || !ofContext)
        ofBatch = ofContext = limitsOf(*boundary, scenario, scenario.clusters.front());
    Limits limits = *ofBatch;
    limits.maxBatch = ofContext->maxBatch;
    limits.batchReason = ofContext->batchReason;
    return limits;
}

SweepReader::SweepReader(const Sweep &sweep) : m_sweep(&sweep) {}

SweepReader::~SweepReader() = default;

const Scenario &SweepReader::scenario() const { return m_cell->scenario; }

namespace {

SweepFigures figuresOf(const Plan &plan)
{
    SweepFigures figures;
    figures.verdict = plan.verdict;
    if (plan.verdict == Verdict::Refused)
        return figures;
    figures.kv = plan.kv.total;
    figures.weights = plan.weightsTotal;
    if (const DevicePlan *device = plan.binding()) {
        figures.total = device->total;
        figures.free = device->free();
    }
    figures.limits = plan.limits;
    return figures;
}

bool sameCell(const SweepPoint &a, const SweepPoint &b)
{
    return std::equal(a.index.begin(), a.index.begin() + static_cast<int>(SweepAxis::Context), b.index.begin());
}

} // namespace

const SweepFigures &SweepReader::read(const SweepPoint &point)
{
    if (!m_cell || !sameCell(point, m_cell->point))
        m_cell = std::make_unique<Cell>(*m_sweep, point);
    Cell &cell = *m_cell;
    cell.point = point;
    Scenario &scenario = cell.scenario;
    const SweepLists &lists = m_sweep->lists();
    if (!lists.contexts.empty())
        scenario.context = lists.contexts[static_cast<std::size_t>(point[SweepAxis::Context])];
    scenario.batch = lists.batches[static_cast<std::size_t>(point[SweepAxis::Batch])];
    if (cell.refused)
        return m_figures = {};
    if (cell.boundary) {
        const FitBoundary &boundary = *cell.boundary;
        m_figures.kv = kvTotal(boundary, scenario);
        m_figures.weights = boundary.compiled().weights;
        m_figures.total = boundary.fullestTotal(scenario.context, scenario.batch);
        // What comes near to the end of counting is left to plan().
        constexpr Bytes countable{tooLargeValue / 4};
        if (m_figures.kv < countable && m_figures.weights < countable && m_figures.total < countable) {
            m_figures.free = cell.budget - m_figures.total;
            m_figures.verdict = boundary.verdict(scenario.context, scenario.batch);
            m_figures.limits = cell.limits();
            return m_figures;
        }
    }
    return m_figures = figuresOf(plan(scenario, scenario.clusters.front()));
}

SweepRange shardOf(std::int64_t rows, std::int64_t part, std::int64_t parts)
{
    const std::int64_t each = rows / parts, longer = rows % parts;
    const std::int64_t before = part - 1;
    return {before * each + std::min(before, longer), each + (before < longer ? 1 : 0)};
}

namespace {

/// Blocks of rows, worked out by any thread and given to the sink in order.
class BlockQueue {
public:
    static constexpr std::int64_t blockRows = 4096;

    BlockQueue(std::int64_t rows, int jobs, const std::function<bool(std::string_view, std::int64_t)> &sink,
               const std::atomic<bool> &stop) :
        m_rows(rows), m_ahead(jobs * std::int64_t{4}), m_sink(sink), m_stop(stop)
    {
    }

    /// The next block to work out, or nothing: all is taken or the run ends. Waits while the sink is far behind.
    std::optional<SweepRange> take()
    {
        std::unique_lock lock(m_mutex);
        m_moved.wait(lock, [&] { return m_ended || m_stop || m_taken < m_given + m_ahead; });
        const std::int64_t first = m_taken * blockRows;
        if (m_ended || m_stop || first >= m_rows)
            return {};
        ++m_taken;
        return SweepRange{first, std::min(blockRows, m_rows - first)};
    }

    /// Hands over a block's text; the answer is an empty text whose memory was used before.
    std::string give(SweepRange block, std::string text)
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.emplace(block.first / blockRows, std::pair{block.count, std::move(text)});
        for (auto next = m_waiting.begin(); next != m_waiting.end() && next->first == m_given && !m_ended; next = m_waiting.begin()) {
            auto &[rows, lines] = next->second;
            if (m_sink(lines, rows))
                m_done += rows;
            else
                m_ended = true;
            m_spent.push_back(std::move(lines));
            m_waiting.erase(next);
            ++m_given;
        }
        m_moved.notify_all();
        if (m_spent.empty())
            return {};
        std::string reused = std::move(m_spent.back());
        m_spent.pop_back();
        reused.clear();
        return reused;
    }

    std::int64_t done() const { return m_done; }

private:
    std::int64_t m_rows, m_ahead;
    const std::function<bool(std::string_view, std::int64_t)> &m_sink;
    const std::atomic<bool> &m_stop;
    std::mutex m_mutex;
    std::condition_variable m_moved;
    std::map<std::int64_t, std::pair<std::int64_t, std::string>> m_waiting;
    std::vector<std::string> m_spent;
    std::int64_t m_taken = 0, m_given = 0, m_done = 0;
    bool m_ended = false;
};

void work(const Sweep &sweep, SweepRange range, BlockQueue &queue, const SweepWriter &writer)
{
    SweepReader reader(sweep);
    std::string text;
    while (const std::optional<SweepRange> block = queue.take()) {
        SweepPoint point = sweep.pointAt(range.first + block->first);
        for (std::int64_t i = 0; i < block->count; ++i) {
            const SweepFigures &figures = reader.read(point);
            writer(point, figures, reader.scenario(), text);
            for (int axis = sweepAxisCount; axis-- > 0;) {
                const auto a = static_cast<SweepAxis>(axis);
                if (++point[a] < sweep.length(a))
                    break;
                point[a] = 0;
            }
        }
        text = queue.give(*block, std::move(text));
    }
}

} // namespace

std::int64_t runSweep(const Sweep &sweep, SweepRange range, int jobs, const std::function<SweepWriter()> &makeWriter,
                      const std::function<bool(std::string_view, std::int64_t)> &sink, const std::atomic<bool> &stop)
{
    BlockQueue queue(range.count, jobs, sink, stop);
    std::vector<std::jthread> threads;
    for (int i = 1; i < jobs; ++i)
        threads.emplace_back([&] { work(sweep, range, queue, makeWriter()); });
    work(sweep, range, queue, makeWriter());
    threads.clear();
    return queue.done();
}

} // namespace kvscope
