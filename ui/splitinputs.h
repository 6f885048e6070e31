// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/inputsection.h"
#include "ui/splitchoice.h"

#include <array>

class QCheckBox;

namespace kvscope {

/// How the model is split over the selected machine, and how that is joined. What the engine has not is not shown, unless it is set.
class SplitInputs : public InputSection {
    Q_OBJECT

public:
    explicit SplitInputs(QWidget *parent = nullptr);

    /// In the order of the eye, for the tab key.
    std::vector<QWidget *> fields() const;

protected:
    void fill(const ViewState &state) override;
    void retranslate() override;

private:
    enum Axis { Tensor, Pipeline, Data, DecodeContext, axisCount };

    SplitChoice *choice(Axis axis) const { return m_choices[axis]; }
    void connectAll();
    std::vector<SplitChoice::Offer> offersOf(Axis axis) const;
    std::vector<SplitChoice::Offer> machineOffers() const;
    /// Why model and engine can't be split so; empty where they can. What else they refuse is told by the plan.
    QString refusalOf(const Split &split) const;
    void editSplit(const Split &split);
    void editCluster(const std::function<void(Cluster &)> &change);
    const Cluster *cluster() const { return state().results ? state().results->selectedCluster() : nullptr; }

    QLabel *m_label;
    std::array<SplitChoice *, axisCount> m_choices;
    QCheckBox *m_expert;
    QCheckBox *m_dataInTensor;
    QWidget *m_contextRow;
    QLabel *m_contextLabel;
    QWidget *m_machineRow;
    QLabel *m_machineLabel;
    SplitChoice *m_machines;
    QLabel *m_linkLabel;
    QComboBox *m_link;
};

} // namespace kvscope
