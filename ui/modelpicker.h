// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/searchpopup.h"

#include <QEvent>

namespace kvscope {

/// The model in use, and a search over the catalogue to take another. The list is made when first opened.
class ModelPicker : public PickerButton {
    Q_OBJECT

public:
    enum class Use { Main, Draft }; ///< a drafting model is not entered by hand

    /// The catalogue outlives the picker.
    explicit ModelPicker(const Catalog &catalog, QWidget *parent = nullptr, Use use = Use::Main);

    void open();

signals:
    void modelChosen(const std::shared_ptr<const kvscope::ModelSpec> &model);
    void fileWanted();
    void handWanted();
    void failed(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;

private:
    void makePopup();
    void retranslate();

    const Catalog &m_catalog;
    Use m_use;
    SearchPopup *m_popup = nullptr;
    QPushButton *m_fileButton = nullptr;
    QPushButton *m_handButton = nullptr;
};

} // namespace kvscope
