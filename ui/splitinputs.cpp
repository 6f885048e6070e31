// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/splitinputs.h"

#include "core/engine.h"
#include "ui/flowlayout.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>
#include <numeric>

namespace kvscope {

namespace {

constexpr int mostDevices = 4096;
constexpr std::array<int Split::*, 4> axes{&Split::tensor, &Split::pipeline, &Split::data, &Split::decodeContext};

bool isServing(EngineId id) { return id == EngineId::Vllm || id == EngineId::Sglang || id == EngineId::TensorRtLlm; }

bool spreadsExperts(const Scenario &scenario) { return scenario.model && scenario.model->experts > 0 && isServing(scenario.engine.id); }

bool allAlike(const std::vector<Device> &devices)
{
    return std::all_of(devices.begin(), devices.end(), [&](const Device &d) { return d == devices.front(); });
}

/// A machine of equal cards grows and shrinks with its split; a mixed one stays as it is, and the engine says what it lacks.
void splitOver(Cluster &cluster, const Split &split)
{
    cluster.split = split;
    if (!cluster.devices.empty() && allAlike(cluster.devices))
        cluster.devices.resize(static_cast<std::size_t>(std::min<std::int64_t>(split.devices(), mostDevices)),
                               Device(cluster.devices.front()));
    cluster.nodes = std::gcd(std::max(1, cluster.nodes), static_cast<int>(cluster.devices.size()));
}

/// Experts are spread over all ranks of a stage, or not at all (spec/serving-engines.md 4.1).
Split withExperts(Split split, bool spread)
{
    split.expert = spread ? split.tensor * split.cardGroups() : 1;
    return split;
}

/// The same cards with the replicas of attention inside the tensor-parallel group, or beside one another.
Split withDataInTensor(Split split, bool inside)
{
    if (inside == split.dataInTensor)
        return split;
    if (inside)
        split.tensor *= split.data;
    else if (split.tensor % split.data == 0)
        split.tensor /= split.data;
    split.dataInTensor = inside;
    return withExperts(split, split.expert > 1);
}

/// Numbers worth looking at: all small ones, then those that machines and heads are counted in.
constexpr std::array candidates{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 72, 80, 96, 128};
constexpr std::array telling{2, 3, 4, 6, 8, 16}; ///< whose refusal is worth a line

} // namespace

SplitInputs::SplitInputs(QWidget *parent) :
    InputSection(parent),
    m_label(nullptr),
    m_choices{new SplitChoice(QStringLiteral("TP "), this), new SplitChoice(QStringLiteral("PP "), this),
              new SplitChoice(QStringLiteral("DP "), this), nullptr},
    m_expert(new QCheckBox(this)),
    m_dataInTensor(new QCheckBox(this)),
    m_contextRow(new QWidget(this)),
    m_machineRow(new QWidget(this)),
    m_machines(new SplitChoice(QStringLiteral("× "), m_machineRow)),
    m_link(new QComboBox(m_machineRow))
{
    m_choices[DecodeContext] = new SplitChoice(QStringLiteral("DCP "), m_contextRow);
    choice(Tensor)->setObjectName(QStringLiteral("tensorBox"));
    choice(Pipeline)->setObjectName(QStringLiteral("pipelineBox"));
    choice(Data)->setObjectName(QStringLiteral("dataBox"));
    choice(DecodeContext)->setObjectName(QStringLiteral("decodeContextBox"));
    m_expert->setObjectName(QStringLiteral("expertBox"));
    m_dataInTensor->setObjectName(QStringLiteral("dataInTensorBox"));
    m_machines->setObjectName(QStringLiteral("machinesBox"));
    m_link->setObjectName(QStringLiteral("interconnectBox"));
    m_link->addItems({QString(), QStringLiteral("NVLink"), QStringLiteral("PCIe")}); // in the order of Interconnect
    m_label = makeLabel(this, choice(Tensor));
    m_contextLabel = makeLabel(m_contextRow, choice(DecodeContext));
    m_machineLabel = makeLabel(m_machineRow, m_machines);
    m_linkLabel = makeLabel(m_machineRow, m_link);

    const auto rowOn = [](QWidget *parentOfRow, std::initializer_list<QWidget *> widgets) {
        auto *row = parentOfRow ? new QHBoxLayout(parentOfRow) : new QHBoxLayout;
        row->setContentsMargins(0, 0, 0, 0);
        row->setSpacing(6);
        row->addWidget(*widgets.begin());
        row->addStretch();
        std::for_each(widgets.begin() + 1, widgets.end(), [row](QWidget *widget) { row->addWidget(widget); });
        return row;
    };
    auto *switches = new FlowLayout(nullptr, 14);
    switches->insertWidget(0, m_expert);
    switches->insertWidget(1, m_dataInTensor);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addLayout(rowOn(nullptr, {m_label, choice(Tensor), choice(Pipeline), choice(Data)}));
    layout->addLayout(switches);
    rowOn(m_contextRow, {m_contextLabel, choice(DecodeContext)});
    layout->addWidget(m_contextRow);
    rowOn(m_machineRow, {m_machineLabel, m_machines, m_linkLabel, m_link});
    layout->addWidget(m_machineRow);
    connectAll();
    retranslate();
}

void SplitInputs::connectAll()
{
    for (const Axis axis : {Tensor, Pipeline, Data, DecodeContext}) {
        choice(axis)->setOffers([this, axis] { return offersOf(axis); });
        connect(choice(axis), &SplitChoice::chosen, this, [this, axis](int value) {
            Split split = cluster()->split;
            split.*axes[axis] = value;
            editSplit(withExperts(split, split.expert > 1));
        });
    }
    connect(m_expert, &QCheckBox::clicked, this, [this](bool on) { editSplit(withExperts(cluster()->split, on)); });
    connect(m_dataInTensor, &QCheckBox::clicked, this, [this](bool on) { editSplit(withDataInTensor(cluster()->split, on)); });
    m_machines->setOffers([this] { return machineOffers(); });
    connect(m_machines, &SplitChoice::chosen, this, [this](int value) { editCluster([value](Cluster &c) { c.nodes = value; }); });
    connect(m_link, &QComboBox::activated, this,
            [this](int index) { editCluster([index](Cluster &c) { c.interconnect = static_cast<Interconnect>(index); }); });
}

std::vector<QWidget *> SplitInputs::fields() const
{
    return {choice(Tensor), choice(Pipeline), choice(Data), m_expert, m_dataInTensor, choice(DecodeContext), m_machines, m_link};
}

QString SplitInputs::refusalOf(const Split &split) const
{
    Cluster trial = *cluster();
    splitOver(trial, split);
    const Result<Compiled> compiled = compile(state().results->scenario, trial);
    return compiled || compiled.error().code != ErrorCode::ImpossibleSplit ? QString() : text::sentence(compiled.error());
}

/// What is accepted, and of what is refused those numbers that one would try, up to the next beyond the largest accepted.
std::vector<SplitChoice::Offer> SplitInputs::offersOf(Axis axis) const
{
    std::vector<SplitChoice::Offer> offers;
    if (!cluster())
        return offers;
    const bool spread = cluster()->split.expert > 1;
    int largest = 1;
    for (const int value : candidates) {
        Split split = cluster()->split;
        split.*axes[axis] = value;
        const QString refusal = refusalOf(withExperts(split, spread));
        if (refusal.isEmpty())
            largest = value;
        if (refusal.isEmpty() || std::ranges::find(telling, value) != telling.end())
            offers.push_back({value, refusal});
    }
    std::erase_if(offers, [largest](const SplitChoice::Offer &offer) { return offer.value > 2 * largest; });
    return offers;
}

/// The cards are dealt out equally many a machine.
std::vector<SplitChoice::Offer> SplitInputs::machineOffers() const
{
    std::vector<SplitChoice::Offer> offers;
    const int devices = cluster() ? static_cast<int>(cluster()->devices.size()) : 1;
    for (const int value : candidates) {
        if (devices % value == 0)
            offers.push_back({value, {}});
    }
    return offers;
}

void SplitInputs::editSplit(const Split &split)
{
    emitDone([split](Scenario &s) { splitOver(s.clusters[static_cast<std::size_t>(s.selected)], split); }, Field::Split);
}

void SplitInputs::editCluster(const std::function<void(Cluster &)> &change)
{
    emitDone([change](Scenario &s) { change(s.clusters[static_cast<std::size_t>(s.selected)]); }, Field::Split);
}

void SplitInputs::fill(const ViewState &state)
{
    setEnabled(cluster() && !cluster()->devices.empty());
    if (!isEnabled())
        return;
    const Scenario &scenario = state.results->scenario;
    const EngineId engine = scenario.engine.id;
    const Split &split = cluster()->split;
    for (const Axis axis : {Tensor, Pipeline, Data, DecodeContext})
        choice(axis)->setValue(split.*axes[axis]);
    m_expert->setVisible(spreadsExperts(scenario) || split.expert > 1);
    m_expert->setChecked(split.expert > 1);
    m_expert->setEnabled(split.tensor * split.cardGroups() > 1 || m_expert->isChecked());
    m_dataInTensor->setVisible((engine == EngineId::Sglang && (split.data > 1 || split.tensor > 1)) || split.dataInTensor);
    m_dataInTensor->setChecked(split.dataInTensor);
    m_contextRow->setVisible((engine == EngineId::Vllm && split.tensor > 1) || split.decodeContext > 1);
    const bool joined = isServing(engine) && cluster()->devices.size() > 1;
    m_machineRow->setVisible(joined || cluster()->nodes > 1 || cluster()->interconnect != Interconnect::Automatic);
    m_machines->setValue(cluster()->nodes);
    m_link->setCurrentIndex(static_cast<int>(cluster()->interconnect));
}

void SplitInputs::retranslate()
{
    m_label->setText(tr("&Split"));
    choice(Tensor)->setAccessibleName(tr("Tensor parallel"));
    choice(Tensor)->setToolTip(tr("Tensor parallel: each layer is cut over this many GPUs"));
    choice(Pipeline)->setAccessibleName(tr("Pipeline parallel"));
    choice(Pipeline)->setToolTip(tr("Pipeline parallel: the layers are spread over this many groups"));
    choice(Data)->setAccessibleName(tr("Data parallel"));
    choice(Data)->setToolTip(tr("Data parallel: this many whole copies share the sequences"));
    m_expert->setText(tr("E&xpert parallel"));
    m_expert->setToolTip(tr("Expert parallel (EP): whole experts are spread over all GPUs of a stage, instead of a slice of each"));
    m_dataInTensor->setText(tr("DP attention"));
    m_dataInTensor->setToolTip(
        tr("The copies of attention lie within the tensor-parallel GPUs: each keeps the cache of its own sequences\nSGLang: "
           "--enable-dp-attention"));
    m_contextLabel->setText(tr("&Decode context"));
    choice(DecodeContext)->setAccessibleName(tr("Decode context parallel"));
    choice(DecodeContext)
        ->setToolTip(
            tr("Decode context parallel: the tokens of a sequence are spread over this many of the GPUs that would hold copies\nvLLM: "
               "--decode-context-parallel-size"));
    m_machineLabel->setText(tr("M&achines"));
    m_machines->setAccessibleName(tr("Machines"));
    m_machines->setToolTip(tr("Machines that the GPUs are dealt out to, equally many each"));
    m_linkLabel->setText(tr("&joined by", "what links the GPUs"));
    m_link->setItemText(0, tr("automatic", "what links the GPUs"));
    m_link->setAccessibleName(tr("What joins the GPUs of a machine"));
    m_link->setToolTip(tr("What joins the GPUs of a machine. Automatic: what the card is known to have"));
}

} // namespace kvscope
