// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/planner.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace kvscope {

class ModelPicker;

/// The model that drafts tokens for the scenario's own (speculative decoding): chosen like it, or none.
class DraftField : public QWidget {
    Q_OBJECT

public:
    /// The catalogue outlives the field.
    explicit DraftField(const Catalog &catalog, QWidget *parent = nullptr);

    /// The engine drafts with another model, or one is set.
    static bool appliesTo(const Scenario &scenario);
    static QString inWords(const Scenario &scenario);

    void showScenario(const Scenario &scenario);
    void retranslate();

signals:
    void edited(const kvscope::ScenarioEdit &change);
    void fileWanted();
    void failed(const QString &sentence);

private:
    QLabel *m_label;
    ModelPicker *m_picker;
    QToolButton *m_clear;
    std::shared_ptr<const ModelSpec> m_shown;
};

} // namespace kvscope
