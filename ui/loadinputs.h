// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/inputsection.h"

class QComboBox;

namespace kvscope {

class PowerSlider;
class QuantityField;

/// Context, concurrency and the precision of the cache.
class LoadInputs : public InputSection {
    Q_OBJECT

public:
    explicit LoadInputs(QWidget *parent = nullptr);

protected:
    void fill(const ViewState &state) override;
    void retranslate() override;

private:
    void connectKv();
    void showContext(const Results &results);
    void showConcurrency(const Results &results);
    void showKv(const Results &results);
    void editContext(std::int64_t tokens);
    void editConcurrency(std::int64_t sequences);
    void editKv(std::size_t index);

    QLabel *m_caption;
    QLabel *m_contextLabel;
    QuantityField *m_contextField;
    PowerSlider *m_contextSlider;
    QLabel *m_concurrencyLabel;
    QuantityField *m_concurrencyField;
    PowerSlider *m_concurrencySlider;
    QLabel *m_kvLabel;
    QComboBox *m_keyBox;
    QLabel *m_valueLabel;
    QComboBox *m_valueBox;
    PowerSlider *m_kvSlider;
};

} // namespace kvscope
