// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/hardwareinputs.h"

#include "core/engine.h"
#include "ui/devicechips.h"
#include "ui/devicepicker.h"
#include "ui/powerslider.h"
#include "ui/quantityfield.h"
#include "ui/splitbox.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <array>
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

SplitBox *makeCount(QWidget *parent, const char *name, const QString &prefix)
{
    constexpr int most = 4096;
    auto *box = new SplitBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setRange(1, most);
    box->setPrefix(prefix);
    box->setKeyboardTracking(false);
    constexpr int usual = 999; // room for what is met; a larger number scrolls in its field
    box->setMaximum(usual);
    const int width = box->sizeHint().width();
    box->setMaximum(most);
    box->setFixedWidth(width);
    return box;
}

bool allAlike(const std::vector<Device> &devices)
{
    return std::all_of(devices.begin(), devices.end(), [&](const Device &d) { return d == devices.front(); });
}

/// A machine of equal cards grows and shrinks with its split; a mixed one stays as it is, and the engine says what it lacks.
void splitOver(Cluster &cluster, const Split &split)
{
    constexpr std::int64_t mostDevices = 4096;
    cluster.split = split;
    if (!cluster.devices.empty() && allAlike(cluster.devices))
        cluster.devices.resize(static_cast<std::size_t>(std::min(split.devices(), mostDevices)), Device(cluster.devices.front()));
}

/// Experts are spread over all ranks of a stage, or not at all (spec/serving-engines.md 4.1).
Split withExperts(Split split, bool spread)
{
    split.expert = spread ? split.tensor * split.data : 1;
    return split;
}

bool spreadsExperts(const Scenario &scenario)
{
    const EngineId id = scenario.engine.id;
    return scenario.model && scenario.model->experts > 0 && (id == EngineId::Vllm || id == EngineId::Sglang || id == EngineId::TensorRtLlm);
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
    m_tensor(makeCount(this, "tensorBox", QStringLiteral("TP "))),
    m_pipeline(makeCount(this, "pipelineBox", QStringLiteral("PP "))),
    m_data(makeCount(this, "dataBox", QStringLiteral("DP "))),
    m_expert(new QCheckBox(this))
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
    m_splitLabel = makeLabel(this, m_tensor);

    auto *memoryRow = new QHBoxLayout;
    memoryRow->addWidget(m_memoryLabel);
    memoryRow->addStretch();
    memoryRow->addWidget(m_memoryField);
    auto *noteRow = new QHBoxLayout;
    noteRow->addWidget(m_memoryNote, 1);
    noteRow->addWidget(m_resetMemory);
    auto *splitRow = new QHBoxLayout;
    splitRow->setSpacing(6);
    splitRow->addWidget(m_splitLabel);
    splitRow->addStretch();
    splitRow->addWidget(m_tensor);
    splitRow->addWidget(m_pipeline);
    splitRow->addWidget(m_data);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_caption);
    layout->addWidget(m_chips);
    layout->addLayout(memoryRow);
    layout->addWidget(m_memorySlider);
    layout->addLayout(noteRow);
    layout->addLayout(splitRow);
    layout->addWidget(m_expert);
    m_expert->setObjectName(QStringLiteral("expertBox"));

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
    for (const auto &[box, axis] : {std::pair{m_tensor, &Split::tensor}, {m_pipeline, &Split::pipeline}, {m_data, &Split::data}}) {
        connect(box, &QSpinBox::valueChanged, this, &HardwareInputs::editSplit);
        connect(box, &QSpinBox::editingFinished, this, &HardwareInputs::gestureEnded);
        box->setAccepts([this, axis = axis](int value) { return !refusalOf(axis, value); });
        connect(box, &SplitBox::refused, this, [this, axis = axis](int value) {
            if (const std::optional<Error> why = refusalOf(axis, value))
                emit failed(text::sentence(*why));
        });
    }
    connect(m_expert, &QCheckBox::clicked, this, [this] {
        emit gestureEnded();
        editSplit();
        emit gestureEnded();
    });
    connect(m_chips, &DeviceChips::remade, this, &HardwareInputs::chainTabs);
    retranslate();
}

/// Tab follows the eye: the chips, the one that adds, memory, split. Chips come and go, so the whole section is chained anew.
void HardwareInputs::chainTabs()
{
    QWidget *before = m_chips;
    for (DeviceChip *chip : m_chips->chips())
        setTabOrder(std::exchange(before, chip), chip);
    for (QWidget *next : {static_cast<QWidget *>(m_picker), static_cast<QWidget *>(m_memoryField), static_cast<QWidget *>(m_memorySlider),
                          static_cast<QWidget *>(m_resetMemory), static_cast<QWidget *>(m_tensor), static_cast<QWidget *>(m_pipeline),
                          static_cast<QWidget *>(m_data), static_cast<QWidget *>(m_expert)})
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

Split HardwareInputs::shownSplit() const
{
    const Split split{m_tensor->value(), m_pipeline->value(), 1, m_data->value()};
    return withExperts(split, m_expert->isChecked());
}

void HardwareInputs::editSplit()
{
    emit edited([split = shownSplit()](Scenario &s) { splitOver(s.clusters[static_cast<std::size_t>(s.selected)], split); }, Field::Split);
}

/// Why model and engine can't be split so; empty where they can. What else they refuse is told by the plan.
std::optional<Error> HardwareInputs::refusalOf(int Split::*axis, int value) const
{
    if (!state().results || !state().results->selectedCluster())
        return {};
    Split split = shownSplit();
    split.*axis = value;
    Cluster cluster = *state().results->selectedCluster();
    splitOver(cluster, withExperts(split, m_expert->isChecked()));
    const Result<Compiled> compiled = compile(state().results->scenario, cluster);
    return compiled || compiled.error().code != ErrorCode::ImpossibleSplit ? std::nullopt : std::optional(compiled.error());
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
    for (QWidget *widget : {static_cast<QWidget *>(m_memoryField), static_cast<QWidget *>(m_memorySlider), static_cast<QWidget *>(m_tensor),
                            static_cast<QWidget *>(m_pipeline), static_cast<QWidget *>(m_data)})
        widget->setEnabled(usable);
    if (!usable)
        return;
    showMemory(state, *cluster);
    const QSignalBlocker a(m_tensor), b(m_pipeline), c(m_data);
    m_tensor->setValue(cluster->split.tensor);
    m_pipeline->setValue(cluster->split.pipeline);
    m_data->setValue(cluster->split.data);
    m_expert->setVisible(spreadsExperts(state.results->scenario) || cluster->split.expert > 1);
    m_expert->setChecked(cluster->split.expert > 1);
    m_expert->setEnabled(cluster->split.tensor * cluster->split.data > 1 || m_expert->isChecked());
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
    m_splitLabel->setText(tr("&Split"));
    m_tensor->setAccessibleName(tr("Tensor parallel"));
    m_tensor->setToolTip(tr("Tensor parallel: each layer is cut over this many GPUs"));
    m_pipeline->setAccessibleName(tr("Pipeline parallel"));
    m_pipeline->setToolTip(tr("Pipeline parallel: the layers are spread over this many groups"));
    m_expert->setText(tr("E&xpert parallel"));
    m_expert->setToolTip(tr("Expert parallel (EP): whole experts are spread over all GPUs of a stage, instead of a slice of each"));
    m_data->setAccessibleName(tr("Data parallel"));
    m_data->setToolTip(tr("Data parallel: this many whole copies share the sequences"));
}

} // namespace kvscope
