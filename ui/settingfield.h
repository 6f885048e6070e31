// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/planner.h"
#include "ui/scenariosettings.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;

namespace kvscope {

class PowerSlider;
class QuantityField;

/// One setting as a label and the field that fits its kind, side by side; a slider over layers below them.
class SettingField : public QWidget {
    Q_OBJECT

public:
    /// The setting outlives the field.
    explicit SettingField(const ScenarioSetting &setting, QWidget *parent = nullptr);

    const ScenarioSetting &setting() const { return m_setting; }
    /// Shows what the scenario holds; emits nothing.
    void showScenario(const Scenario &scenario, text::Unit unit);
    void retranslate();

signals:
    /// A person set it. `done`: at once, no more of the same gesture follows.
    void edited(const kvscope::ScenarioEdit &change, bool done);
    void gestureEnded();

private:
    QWidget *makeEditor();
    QuantityField *makeQuantity();
    void makeSlider();
    void give(ScenarioSetting::Number value, bool done = true);
    void giveShares();
    void complain(const QString &sentence);
    void showEngine(EngineId engine);

    const ScenarioSetting &m_setting;
    QLabel *m_label = nullptr; ///< null: a switch has its words itself
    QWidget *m_editor = nullptr;
    QuantityField *m_quantity = nullptr; ///< null where the kind has another editor, as are the others
    QComboBox *m_choice = nullptr;
    QCheckBox *m_switch = nullptr;
    QLineEdit *m_shares = nullptr;
    PowerSlider *m_slider = nullptr;
    std::int64_t m_most = 0;
    EngineId m_engine = EngineId::Formula;
};

/// What is set, in words: "GPU layers 20"; empty where nothing is.
QString settingInWords(const ScenarioSetting &setting, const Scenario &scenario, text::Unit unit);

} // namespace kvscope
