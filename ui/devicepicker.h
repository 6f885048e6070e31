// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/searchpopup.h"

#include <QEvent>

class QLabel;
class QSpinBox;

namespace kvscope {

class QuantityField;

/// Adds a GPU, or several alike as one machine, from the catalogue or by its size alone. The list is made when first opened.
class DevicePicker : public QPushButton {
    Q_OBJECT

public:
    /// The catalogue outlives the picker.
    explicit DevicePicker(const Catalog &catalog, QWidget *parent = nullptr);

    void open() { openBelow(this); }
    /// The same popup below another control.
    void openBelow(const QWidget *anchor);

    /// As high as the chips beside it.
    QSize sizeHint() const override;

signals:
    void devicesChosen(const kvscope::Device &device, int count);
    void failed(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;

private:
    void makePopup();
    void retranslate();

    const Catalog &m_catalog;
    SearchPopup *m_popup = nullptr;
    QLabel *m_countLabel = nullptr;
    QSpinBox *m_count = nullptr;
    QLabel *m_sizeLabel = nullptr;
    QuantityField *m_size = nullptr;
    QPushButton *m_sizeButton = nullptr;
};

} // namespace kvscope
