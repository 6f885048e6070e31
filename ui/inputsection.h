// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/planner.h"

#include <QEvent>
#include <QWidget>

class QLabel;

namespace kvscope {

/// A part of the inputs panel: shows what is set and emits what a person wants changed. It never emits because of showState().
class InputSection : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;
    void showState(const ViewState &state)
    {
        m_state = state;
        fill(state);
    }

signals:
    void edited(const kvscope::ScenarioEdit &change, kvscope::Field field);
    /// The next edit is a step of undo of its own.
    void gestureEnded();
    /// One line about an input that could not be used.
    void failed(const QString &sentence);

protected:
    virtual void fill(const ViewState &state) = 0;
    virtual void retranslate() = 0;
    const ViewState &state() const { return m_state; }

    void changeEvent(QEvent *event) override
    {
        QWidget::changeEvent(event);
        if (event->type() != QEvent::LanguageChange)
            return;
        retranslate();
        if (m_state.results)
            fill(m_state);
    }
    /// An edit that is done at once: a choice, a text typed.
    void emitDone(const ScenarioEdit &change, Field field)
    {
        emit gestureEnded();
        emit edited(change, field);
        emit gestureEnded();
    }

private:
    ViewState m_state;
};

/// A caption above a section: "MODEL".
QLabel *makeCaption(QWidget *parent, const char *name);
/// A label with the buddy that it names.
QLabel *makeLabel(QWidget *parent, QWidget *buddy);

} // namespace kvscope
