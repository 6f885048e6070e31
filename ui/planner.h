// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QObject>
#include <QTimer>
#include <QUndoStack>

#include <functional>

namespace kvscope {

/// A change to whatever the scenario is when it is applied, so that two of them in one turn of the event loop both count.
using ScenarioEdit = std::function<void(Scenario &)>;

/// Takes a machine out of the comparison; the last one stays. What was selected stays selected, or its neighbour becomes so.
void removeCluster(Scenario &scenario, int cluster);

/// What a request changes; moves of one field within one gesture are one step of undo.
enum class Field {
    Document, ///< all of it: open, drop, new, default
    Model,
    Weights,
    Engine,
    Context,
    Concurrency,
    Point, ///< context and concurrency together: the operating point on a chart
    Kv,
    Memory,
    Clusters,
    Selection,
    Split,
    Advanced,
};

/// The one object with state: owns the scenario, its history, and the results that every view draws.
/// slider -> request() -> scenario -> 0 ms timer -> evaluate() -> changed(): many requests in one turn of the event loop are one evaluation.
class Planner : public QObject {
    Q_OBJECT

public:
    explicit Planner(QObject *parent = nullptr);
    ~Planner() override;

    const Scenario &scenario() const { return m_document.scenario; }
    /// The file that the scenario was opened from or saved to; empty: none.
    const QString &file() const { return m_document.file; }
    const ViewState &state() const { return m_state; }
    QUndoStack &history() { return m_history; }
    bool isModified() const { return !m_history.isClean(); }

    /// Starts afresh, with no history.
    void start(const Scenario &scenario, const QString &file = {}, bool modified = false);
    /// One step of undo, or part of the running one. A scenario that equals the present one is no step.
    void request(const Scenario &scenario, Field field);
    void edit(const ScenarioEdit &change, Field field);
    /// Replaces scenario and file in one step that can be undone, and counts as saved.
    void open(const Scenario &scenario, const QString &file);
    /// The next request starts a step of its own, even for the same field.
    void endGesture() { ++m_gesture; }
    void markSaved(const QString &file);

    bool isPinned() const { return m_state.pinned != nullptr; }
    void pin();
    void unpin();
    void setUnit(text::Unit unit);
    /// Evaluates now what is pending.
    void flush();

signals:
    /// After each evaluation, and where pin or unit changed.
    void changed(const kvscope::ViewState &state);
    /// At once, before any evaluation: for what stores the scenario.
    void scenarioChanged();
    void fileChanged();

private:
    struct Document {
        Scenario scenario;
        QString file;
    };
    class Step;

    void apply(const Document &document);
    void evaluateNow();

    Document m_document;
    ViewState m_state;
    QUndoStack m_history;
    QTimer m_coalesce;
    int m_gesture = 0;
};

} // namespace kvscope
