// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/inputsection.h"

#include <vector>

class QToolButton;
class QVBoxLayout;

namespace kvscope {

class SettingField;

/// What is set rarely, folded away. The fields are made when first unfolded. Settings that some engines alone have come first and are shown
/// only with these.
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
    void makeFields();
    void showSummary(const Scenario &scenario);

    QToolButton *m_toggle;
    QLabel *m_summary;
    QWidget *m_body = nullptr; ///< null until first unfolded, as are the captions
    QLabel *m_engineCaption = nullptr;
    QLabel *m_commonCaption = nullptr;
    std::vector<SettingField *> m_fields;
};

} // namespace kvscope
