// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/inputsection.h"

#include <vector>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QSpinBox;
class QToolButton;

namespace kvscope {

class QuantityField;

/// What is set rarely, folded away. The fields are made when first unfolded. Settings that one engine alone has are shown only with it.
class AdvancedInputs : public InputSection {
    Q_OBJECT

public:
    explicit AdvancedInputs(QWidget *parent = nullptr);

    void setUnfolded(bool on);

signals:
    void unfolded();

protected:
    void fill(const ViewState &state) override;
    void retranslate() override;

private:
    /// A field over a quantity of the scenario: how to read it and how to set it. Empty stands for "not set".
    struct QuantityRow {
        QuantityField *field;
        std::optional<std::int64_t> (*get)(const Scenario &);
        void (*set)(Scenario &, std::optional<std::int64_t>);
    };
    /// A count of the scenario.
    struct CountRow {
        QSpinBox *box;
        int &(*of)(Scenario &);
    };

    void makeFields();
    QuantityField *addQuantity(const char *name, int kind, QuantityRow row);
    QSpinBox *addCount(const char *name, int lowest, int highest, int &(*of)(Scenario &));
    void addRow(QWidget *field);
    void showSummary(const Scenario &scenario);
    void showEngine(const Scenario &scenario);
    void setRowVisible(QWidget *field, bool on);

    QToolButton *m_toggle;
    QLabel *m_summary;
    QWidget *m_body = nullptr;
    QFormLayout *m_form = nullptr;
    std::vector<QuantityRow> m_quantities;
    std::vector<CountRow> m_counts;
    QDoubleSpinBox *m_reserve = nullptr;
    QComboBox *m_scales = nullptr;
    QSpinBox *m_groupSize = nullptr;
    QCheckBox *m_zeroPoints = nullptr;
    QComboBox *m_attention = nullptr;
    QComboBox *m_cache = nullptr;
    QSpinBox *m_cacheBits = nullptr;
    QuantityField *m_newTokens = nullptr;
    QuantityField *m_sinks = nullptr, *m_window = nullptr;
};

} // namespace kvscope
