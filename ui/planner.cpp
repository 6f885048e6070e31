// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/planner.h"

#include <algorithm>

namespace kvscope {

void removeCluster(Scenario &scenario, int cluster)
{
    const int count = static_cast<int>(scenario.clusters.size());
    if (count < 2 || cluster < 0 || cluster >= count)
        return;
    scenario.clusters.erase(scenario.clusters.begin() + cluster);
    const int selected = scenario.selected > cluster ? scenario.selected - 1 : scenario.selected;
    scenario.selected = std::clamp(selected, 0, count - 2);
}

class Planner::Step : public QUndoCommand {
public:
    Step(Planner &planner, Document after, Field field, int gesture) :
        m_planner(planner), m_before(planner.m_document), m_after(std::move(after)), m_field(field), m_gesture(gesture)
    {
    }

    int id() const override { return m_field == Field::Document ? -1 : static_cast<int>(m_field); }
    void undo() override { m_planner.apply(m_before); }
    void redo() override { m_planner.apply(m_after); }
    bool mergeWith(const QUndoCommand *other) override
    {
        const auto *next = static_cast<const Step *>(other);
        if (next->m_gesture != m_gesture)
            return false;
        m_after = next->m_after;
        setObsolete(m_after.file == m_before.file && m_after.scenario == m_before.scenario);
        return true;
    }

private:
    Planner &m_planner;
    Document m_before, m_after;
    Field m_field;
    int m_gesture;
};

Planner::Planner(QObject *parent) : QObject(parent)
{
    m_coalesce.setSingleShot(true);
    m_coalesce.setInterval(0);
    connect(&m_coalesce, &QTimer::timeout, this, &Planner::evaluateNow);
}

Planner::~Planner() = default;

void Planner::start(const Scenario &scenario, const QString &file, bool modified)
{
    m_history.clear();
    if (modified)
        m_history.resetClean();
    endGesture();
    apply({scenario, file});
}

void Planner::request(const Scenario &scenario, Field field)
{
    if (scenario == m_document.scenario)
        return;
    m_history.push(new Step(*this, {scenario, m_document.file}, field, m_gesture));
}

void Planner::edit(const ScenarioEdit &change, Field field)
{
    Scenario next = m_document.scenario;
    change(next);
    request(next, field);
}

void Planner::open(const Scenario &scenario, const QString &file)
{
    endGesture();
    m_history.push(new Step(*this, {scenario, file}, Field::Document, m_gesture));
    m_history.setClean();
}

void Planner::markSaved(const QString &file)
{
    if (m_document.file != file) {
        m_document.file = file;
        emit fileChanged();
    }
    endGesture();
    m_history.setClean();
}

void Planner::pin()
{
    flush();
    m_state.pinned = m_state.results;
    emit changed(m_state);
}

void Planner::unpin()
{
    if (!m_state.pinned)
        return;
    m_state.pinned.reset();
    emit changed(m_state);
}

void Planner::setUnit(text::Unit unit)
{
    if (m_state.unit == unit)
        return;
    m_state.unit = unit;
    if (m_state.results)
        emit changed(m_state);
}

void Planner::flush()
{
    if (m_coalesce.isActive())
        evaluateNow();
}

void Planner::apply(const Document &document)
{
    const bool otherFile = m_document.file != document.file;
    m_document = document;
    m_coalesce.start();
    emit scenarioChanged();
    if (otherFile)
        emit fileChanged();
}

void Planner::evaluateNow()
{
    m_coalesce.stop();
    m_state.results = std::make_shared<const Results>(evaluate(m_document.scenario));
    emit changed(m_state);
}

} // namespace kvscope
