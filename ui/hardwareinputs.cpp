// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardwareinputs.h"

#include "core/engine.h"
#include "ui/devicechips.h"
#include "ui/devicepicker.h"
#include "ui/powerslider.h"
#include "ui/quantityfield.h"
#include "ui/splitinputs.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace kvscope {

namespace {

/// Sizes that cards are sold in, in the unit that is shown.
std::vector<std::int64_t> memoryStops(text::Unit unit, std::int64_t present)
{
    constexpr std::array sizes{4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 141, 192, 256, 288};
    const std::int64_t one = unit == text::Unit::GB ? bytesPerGB : bytesPerGiB;
    std::vector<std::int64_t> stops;
    for (const int size : sizes)
        stops.push_back(size * one);
    if (present < stops.front() && present > 0)
        stops.insert(stops.begin(), present);
    while (stops.back() < present && stops.back() < tooLargeValue / 4)
        stops.push_back(stops.back() * 2);
    return stops;
}

} // namespace

HardwareInputs::HardwareInputs(const Catalog &catalog, QWidget *parent) :
    InputSection(parent),
    m_catalog(catalog),
    m_caption(makeCaption(this, "hardwareCaption")),
    m_memoryField(new QuantityField(QuantityField::Kind::Bytes, this)),
    m_memorySlider(new PowerSlider(PowerSlider::Spacing::Logarithmic, this)),
    m_memoryNote(new QLabel(this)),
    m_resetMemory(new QToolButton(this)),
    m_picker(new DevicePicker(catalog, this)),
    m_chips(new DeviceChips(m_picker, this)),
    m_split(new SplitInputs(this))
{
    m_memoryField->setObjectName(QStringLiteral("memoryField"));
    m_memoryField->setRange(1, tooLargeValue - 1);
    m_memorySlider->setObjectName(QStringLiteral("memorySlider"));
    m_memoryLabel = makeLabel(this, m_memoryField);
    m_memoryNote->setObjectName(QStringLiteral("memoryNote"));
    m_memoryNote->setProperty("role", QStringLiteral("muted"));
    m_memoryNote->setWordWrap(true);
    m_resetMemory->setObjectName(QStringLiteral("resetMemoryButton"));
    m_resetMemory->setProperty("quiet", true);
    m_picker->setObjectName(QStringLiteral("addGpuButton"));
    m_picker->setProperty("chip", true);
    m_chips->setObjectName(QStringLiteral("gpuChips"));
    m_split->setObjectName(QStringLiteral("splitInputs"));

    auto *memoryRow = new QHBoxLayout;
    memoryRow->addWidget(m_memoryLabel);
    memoryRow->addStretch();
    memoryRow->addWidget(m_memoryField);
    auto *noteRow = new QHBoxLayout;
    noteRow->addWidget(m_memoryNote, 1);
    noteRow->addWidget(m_resetMemory);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_caption);
    layout->addWidget(m_chips);
    layout->addLayout(memoryRow);
    layout->addWidget(m_memorySlider);
    layout->addLayout(noteRow);
    layout->addWidget(m_split);

    connect(m_memorySlider, &PowerSlider::moved, this, &HardwareInputs::editMemory);
    connect(m_memorySlider, &PowerSlider::gestureEnded, this, &HardwareInputs::gestureEnded);
    connect(m_memoryField, &QuantityField::stepped, m_memorySlider, &PowerSlider::step);
    connect(m_memoryField, &QuantityField::edited, this, [this](std::optional<std::int64_t> value) {
        emit gestureEnded();
        editMemory(value.value_or(1));
        emit gestureEnded();
    });
    connect(m_resetMemory, &QToolButton::clicked, this, [this] {
        emitDone(
            [this](Scenario &s) {
                for (Device &device : s.clusters[static_cast<std::size_t>(s.selected)].devices) {
                    if (const auto original = m_catalog.device(device.id))
                        device = *original;
                }
            },
            Field::Memory);
    });
    connect(m_picker, &DevicePicker::devicesChosen, this, &HardwareInputs::addDevices);
    connect(m_picker, &DevicePicker::failed, this, &HardwareInputs::failed);
    connect(m_chips, &DeviceChips::selected, this,
            [this](int index) { emitDone([index](Scenario &s) { s.selected = index; }, Field::Selection); });
    connect(m_chips, &DeviceChips::removed, this,
            [this](int index) { emitDone([index](Scenario &s) { removeCluster(s, index); }, Field::Clusters); });
    connect(m_split, &InputSection::edited, this, &InputSection::edited);
    connect(m_split, &InputSection::gestureEnded, this, &InputSection::gestureEnded);
    connect(m_chips, &DeviceChips::remade, this, &HardwareInputs::chainTabs);
    retranslate();
}

/// Tab follows the eye: the chips, the one that adds, memory, split. Chips come and go, so the whole section is chained anew.
void HardwareInputs::chainTabs()
{
    QWidget *before = m_chips;
    for (DeviceChip *chip : m_chips->chips())
        setTabOrder(std::exchange(before, chip), chip);
    std::vector<QWidget *> rest{m_picker, m_memoryField, m_memorySlider, m_resetMemory};
    std::ranges::copy(m_split->fields(), std::back_inserter(rest));
    for (QWidget *next : rest)
        setTabOrder(std::exchange(before, next), next);
}

void HardwareInputs::editMemory(std::int64_t bytes)
{
    emit edited(
        [bytes](Scenario &s) {
            for (Device &device : s.clusters[static_cast<std::size_t>(s.selected)].devices)
                device = deviceOfSize({bytes}, device);
        },
        Field::Memory);
}

void HardwareInputs::addDevices(const Device &device, int count)
{
    emitDone(
        [device, count](Scenario &s) {
            Split split{.tensor = count};
            if (s.model) {
                if (const auto allowed = engineOf(s.engine.id).splits(*s.model, count); !allowed.empty())
                    split = allowed.front();
            }
            s.clusters.push_back(clusterOf(device, count, split));
            s.selected = static_cast<int>(s.clusters.size()) - 1;
        },
        Field::Clusters);
}

void HardwareInputs::fill(const ViewState &state)
{
    m_chips->showState(state);
    const Cluster *cluster = state.results->selectedCluster();
    const bool usable = cluster && !cluster->devices.empty();
    for (QWidget *widget : {static_cast<QWidget *>(m_memoryField), static_cast<QWidget *>(m_memorySlider)})
        widget->setEnabled(usable);
    m_split->showState(state);
    if (usable)
        showMemory(state, *cluster);
}

void HardwareInputs::showMemory(const ViewState &state, const Cluster &cluster)
{
    const Device &device = cluster.devices.front();
    const std::int64_t tenth = (state.unit == text::Unit::GB ? bytesPerGB : bytesPerGiB) / 10;
    m_memoryField->setUnit(state.unit);
    m_memoryField->setQuantity(device.memory.value);
    m_memorySlider->setStops(memoryStops(state.unit, device.memory.value), tenth);
    m_memorySlider->setQuantity(device.memory.value);
    m_memorySlider->setSpokenValue(text::bytes(device.memory, state.unit));
    QString note;
    bool changed = false;
    if (const Device *original = known(device.id)) {
        changed = original->memory != device.memory || original->usable != device.usable;
        if (changed)
            note = tr("%1 has %2").arg(QString::fromStdString(original->name), text::bytes(original->memory, state.unit));
        else if (device.memoryAssumed)
            note = tr("as marketed; the driver's figure is not known");
        else if (device.usable != device.memory)
            note = tr("as the driver reports; %1 usable").arg(text::bytes(device.usable, state.unit));
        else
            note = tr("as the driver reports");
    }
    m_memoryNote->setText(note);
    m_memoryNote->setVisible(!note.isEmpty());
    m_resetMemory->setVisible(changed);
}

const Device *HardwareInputs::known(const std::string &id)
{
    if (id != m_knownId) {
        m_knownId = id;
        m_known.reset();
        if (const auto device = m_catalog.device(id))
            m_known = *device;
    }
    return m_known ? &*m_known : nullptr;
}

void HardwareInputs::retranslate()
{
    m_caption->setText(tr("HARDWARE"));
    m_memoryLabel->setText(tr("&GPU memory"));
    m_memoryField->setAccessibleName(tr("Memory of the selected GPU"));
    m_memorySlider->setAccessibleName(tr("GPU memory"));
    m_memorySlider->setToolTip(tr("Memory of the selected GPU, each card of it"));
    m_resetMemory->setText(tr("Reset"));
    m_resetMemory->setAccessibleName(tr("Reset the memory to the catalogue's figure"));
    m_chips->setAccessibleName(tr("GPUs compared"));
}

} // namespace kvscope
