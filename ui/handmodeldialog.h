// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model.h"

#include <QDialog>

class QDialogButtonBox;
class QLabel;

namespace kvscope {

class QuantityField;

/// A model from five numbers: layers, KV heads, head dim, attention heads, parameters.
class HandModelDialog : public QDialog {
    Q_OBJECT

public:
    /// Starts with the figures of `model`, where it has them.
    explicit HandModelDialog(const ModelSpec *model, QWidget *parent = nullptr);

signals:
    void modelGiven(const std::shared_ptr<const kvscope::ModelSpec> &model);

private:
    HandShape shape() const;
    void preview();

    QuantityField *m_layers, *m_kvHeads, *m_headDim, *m_heads, *m_parameters;
    QLabel *m_preview;
    QDialogButtonBox *m_buttons;
};

} // namespace kvscope
