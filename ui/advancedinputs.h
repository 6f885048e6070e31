// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/inputsection.h"

#include <vector>

class QToolButton;
class QVBoxLayout;

namespace kvscope {

class DraftField;
class SettingField;

/// What is set rarely, folded away. The fields are made when first unfolded. Settings that some engines alone have come first and are shown
/// only with these.
class AdvancedInputs : public InputSection {
    Q_OBJECT

public:
    explicit AdvancedInputs(const Catalog &catalog, QWidget *parent = nullptr);

    void setUnfolded(bool on);

signals:
    void unfolded();
    /// A file with the drafting model is to be opened.
    void draftFileWanted();

protected:
    void fill(const ViewState &state) override;
    void retranslate() override;

private:
    void makeFields();
    void showSummary(const Scenario &scenario);

    const Catalog &m_catalog;
    QToolButton *m_toggle;
    QLabel *m_summary;
    QWidget *m_body = nullptr; ///< null until first unfolded, as are the captions
    QLabel *m_engineCaption = nullptr;
    QLabel *m_commonCaption = nullptr;
    std::vector<SettingField *> m_fields;
    DraftField *m_draft = nullptr;
};

} // namespace kvscope
