// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "ui/inputsection.h"

class QToolButton;

namespace kvscope {

class DeviceChips;
class DevicePicker;
class PowerSlider;
class QuantityField;
class SplitInputs;

/// GPU memory, the machines compared, and how the model is split over the selected one.
class HardwareInputs : public InputSection {
    Q_OBJECT

public:
    explicit HardwareInputs(const Catalog &catalog, QWidget *parent = nullptr);

    DevicePicker *picker() const { return m_picker; }

protected:
    void fill(const ViewState &state) override;
    void retranslate() override;

private:
    void showMemory(const ViewState &state, const Cluster &cluster);
    void chainTabs();
    void editMemory(std::int64_t bytes);
    /// The catalogue's card of this id, looked up again only when the id changes; null: a card of the user's own.
    const Device *known(const std::string &id);
    void addDevices(const Device &device, int count);

    const Catalog &m_catalog;
    QLabel *m_caption;
    QLabel *m_memoryLabel;
    QuantityField *m_memoryField;
    PowerSlider *m_memorySlider;
    QLabel *m_memoryNote;
    QToolButton *m_resetMemory;
    DevicePicker *m_picker;
    DeviceChips *m_chips;
    SplitInputs *m_split;
    std::string m_knownId;
    std::optional<Device> m_known;
};

} // namespace kvscope
