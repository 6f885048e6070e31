// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/inputsection.h"

class QComboBox;

namespace kvscope {

class ModelPicker;

/// Model, weights and engine.
class ModelInputs : public InputSection {
    Q_OBJECT

public:
    explicit ModelInputs(const Catalog &catalog, QWidget *parent = nullptr);

    ModelPicker *picker() const { return m_picker; }

signals:
    void fileWanted();
    void handWanted();

protected:
    void fill(const ViewState &state) override;
    void retranslate() override;

private:
    void showFacts(const ViewState &state);
    void fillFormats(const Scenario &scenario);
    void fillVersions(const Scenario &scenario);
    void giveVersion(const QString &version);

    QLabel *m_modelCaption;
    ModelPicker *m_picker;
    QLabel *m_facts;
    QLabel *m_tokenCost;
    QLabel *m_weightsLabel;
    QComboBox *m_weights;
    QLabel *m_engineLabel;
    QComboBox *m_engine;
    QLabel *m_versionLabel;
    QComboBox *m_version;
};

} // namespace kvscope
