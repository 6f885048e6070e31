// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/planner.h"

#include <QScrollArea>

namespace kvscope {

class AdvancedInputs;
class HardwareInputs;
class InputSection;
class LoadInputs;
class ModelInputs;

/// All that a person sets: the form over the scenario. Scrolls where the window is low.
class InputsPanel : public QScrollArea {
    Q_OBJECT

public:
    /// The catalogue outlives the panel.
    explicit InputsPanel(const Catalog &catalog, QWidget *parent = nullptr);

    /// Fills the panel. Apart from the constructor, so that a window can stand before its form does.
    void makeSections();
    void showState(const ViewState &state);
    ModelInputs *model() const { return m_model; }
    HardwareInputs *hardware() const { return m_hardware; }

    QSize sizeHint() const override;

signals:
    void edited(const kvscope::ScenarioEdit &change, kvscope::Field field);
    void gestureEnded();
    void failed(const QString &sentence);
    void fileWanted();
    void handWanted();
    void draftFileWanted();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void guardWheel(QWidget *page);
    void keepWide();

    const Catalog &m_catalog;
    ModelInputs *m_model = nullptr; ///< null until makeSections(), as are the others
    LoadInputs *m_load = nullptr;
    HardwareInputs *m_hardware = nullptr;
    AdvancedInputs *m_advanced = nullptr;
};

} // namespace kvscope
