// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/modelinputs.h"

#include "core/engine.h"
#include "ui/modelpicker.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace kvscope {

namespace {

QComboBox *makeBox(QWidget *parent, const char *name)
{
    auto *box = new QComboBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    box->setMaxVisibleItems(24);
    return box;
}

/// Another engine may split otherwise: where it can't run the machine as it is split, its own best way is taken.
void suitSplit(const Scenario &scenario, Cluster &cluster)
{
    if (!scenario.model || cluster.devices.size() < 2)
        return;
    const Result<Compiled> compiled = compile(scenario, cluster);
    if (compiled || compiled.error().code != ErrorCode::ImpossibleSplit)
        return;
    const auto allowed = engineOf(scenario.engine.id).splits(*scenario.model, static_cast<int>(cluster.devices.size()));
    if (!allowed.empty())
        cluster.split = allowed.front();
}

} // namespace

ModelInputs::ModelInputs(const Catalog &catalog, QWidget *parent) :
    InputSection(parent),
    m_modelCaption(makeCaption(this, "modelCaption")),
    m_picker(new ModelPicker(catalog, this)),
    m_facts(new QLabel(this)),
    m_tokenCost(new QLabel(this)),
    m_weights(makeBox(this, "weightsBox")),
    m_engine(makeBox(this, "engineBox")),
    m_version(makeBox(this, "versionBox"))
{
    m_picker->setObjectName(QStringLiteral("modelButton"));
    m_facts->setObjectName(QStringLiteral("modelFacts"));
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_tokenCost->setObjectName(QStringLiteral("modelHint"));
    m_tokenCost->setProperty("role", QStringLiteral("muted"));
    m_tokenCost->setWordWrap(true);
    m_weightsLabel = makeLabel(this, m_weights);
    m_engineLabel = makeLabel(this, m_engine);
    m_versionLabel = makeLabel(this, m_version);

    auto *choices = new QGridLayout;
    choices->setContentsMargins(0, 4, 0, 0);
    choices->setHorizontalSpacing(8);
    choices->setVerticalSpacing(6);
    choices->setColumnStretch(0, 1);
    int row = 0;
    for (const auto &[label, box] :
         {std::pair{m_weightsLabel, m_weights}, std::pair{m_engineLabel, m_engine}, std::pair{m_versionLabel, m_version}}) {
        choices->addWidget(label, row, 0);
        choices->addWidget(box, row++, 1, Qt::AlignRight);
    }
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(6);
    layout->addWidget(m_modelCaption);
    layout->addWidget(m_picker);
    layout->addWidget(m_facts);
    layout->addWidget(m_tokenCost);
    layout->addLayout(choices);

    for (const Engine *engine : engines())
        m_engine->addItem(QString(), static_cast<int>(engine->id()));

    connect(m_picker, &ModelPicker::modelChosen, this,
            [this](const std::shared_ptr<const ModelSpec> &model) { emitDone([model](Scenario &s) { s.model = model; }, Field::Model); });
    connect(m_picker, &ModelPicker::fileWanted, this, &ModelInputs::fileWanted);
    connect(m_picker, &ModelPicker::handWanted, this, &ModelInputs::handWanted);
    connect(m_picker, &ModelPicker::failed, this, &ModelInputs::failed);
    connect(m_weights, &QComboBox::activated, this, [this](int index) {
        const QVariant chosen = m_weights->itemData(index);
        emitDone(
            [chosen](Scenario &s) {
                s.weights.format = chosen.isValid() ? std::optional(static_cast<Format>(chosen.toInt())) : std::nullopt;
            },
            Field::Weights);
    });
    connect(m_engine, &QComboBox::activated, this, [this](int index) {
        const auto id = static_cast<EngineId>(m_engine->itemData(index).toInt());
        emitDone(
            [id](Scenario &s) {
                if (s.engine.id == id)
                    return;
                s.engine = {id, {}};
                std::erase_if(s.otherEngines, [id](const EngineChoice &other) { return other.id == id; });
                for (Cluster &cluster : s.clusters)
                    suitSplit(s, cluster);
            },
            Field::Engine);
    });
    // A build or a day that no list has is typed.
    m_version->setEditable(true);
    m_version->setInsertPolicy(QComboBox::NoInsert);
    m_version->setCompleter(nullptr);
    m_version->lineEdit()->setObjectName(QStringLiteral("versionField"));
    m_version->lineEdit()->setMaxLength(40);
    connect(m_version, &QComboBox::activated, this, [this](int index) { giveVersion(m_version->itemData(index).toString()); });
    connect(m_version->lineEdit(), &QLineEdit::editingFinished, this, [this] {
        if (!m_version->lineEdit()->isModified())
            return;
        m_version->lineEdit()->setModified(false);
        const QString typed = m_version->lineEdit()->text().trimmed();
        giveVersion(typed == m_version->itemText(0) ? QString() : typed);
    });
    retranslate();
}

void ModelInputs::giveVersion(const QString &version)
{
    emitDone([version = version.toStdString()](Scenario &s) { s.engine.version = version; }, Field::Engine);
}

void ModelInputs::fill(const ViewState &state)
{
    const Scenario &scenario = state.results->scenario;
    const bool named = scenario.model && !scenario.model->name.empty();
    m_picker->setText(named ? QString::fromStdString(scenario.model->name) : scenario.model ? tr("A model by hand") : tr("Choose a model"));
    showFacts(state);
    fillFormats(scenario);
    m_engine->setCurrentIndex(m_engine->findData(static_cast<int>(scenario.engine.id)));
    fillVersions(scenario);
}

void ModelInputs::showFacts(const ViewState &state)
{
    const Scenario &scenario = state.results->scenario;
    if (!scenario.model) {
        m_facts->clear();
        m_tokenCost->clear();
        return;
    }
    m_facts->setText(text::shapeLine(*scenario.model));
    QStringList lines;
    if (const Plan *plan = state.results->selectedPlan(); plan && plan->kv.perToken.value > 0)
        lines += tr("%1 a token at %2").arg(text::bytes(plan->kv.perToken, state.unit), text::kvName(scenario));
    if (const QString hint = text::wrongReadingHint(*scenario.model); !hint.isEmpty())
        lines += hint;
    m_tokenCost->setText(lines.join(QStringLiteral(" · ")));
}

void ModelInputs::fillFormats(const Scenario &scenario)
{
    const QSignalBlocker quiet(m_weights);
    const auto formats = engineOf(scenario.engine.id).weightFormats();
    const QString automatic =
        scenario.model ? tr("auto (%1)").arg(text::name(engineOf(scenario.engine.id).defaultWeightFormat(scenario))) : tr("auto");
    if (m_weights->count() != static_cast<int>(formats.size()) + 1 ||
        m_weights->property("engine").toInt() != static_cast<int>(scenario.engine.id)) {
        m_weights->clear();
        m_weights->addItem(automatic);
        for (const Format format : formats)
            m_weights->addItem(text::name(format), static_cast<int>(format));
        m_weights->setProperty("engine", static_cast<int>(scenario.engine.id));
    }
    m_weights->setItemText(0, automatic);
    m_weights->setCurrentIndex(scenario.weights.format ? m_weights->findData(static_cast<int>(*scenario.weights.format)) : 0);
    m_weights->setEnabled(!scenario.weights.measured);
}

void ModelInputs::fillVersions(const Scenario &scenario)
{
    const QSignalBlocker quiet(m_version);
    const auto versions = engineOf(scenario.engine.id).versions();
    m_version->setVisible(!versions.empty());
    m_versionLabel->setVisible(!versions.empty());
    if (versions.empty())
        return;
    if (m_version->count() != static_cast<int>(versions.size()) + 1 || m_version->itemData(1).toString() != toQString(versions.front())) {
        m_version->clear();
        m_version->addItem(QString(), QString());
        for (const std::string_view version : versions)
            m_version->addItem(toQString(version), toQString(version));
    }
    m_version->setItemText(0, tr("newest (%1)").arg(toQString(versions.front())));
    const QString asked = QString::fromStdString(scenario.engine.version);
    const int listed = m_version->findData(asked);
    if (m_version->lineEdit()->isModified() && m_version->lineEdit()->hasFocus())
        return;
    m_version->setCurrentIndex(listed);
    m_version->setEditText(listed < 0 ? asked : m_version->itemText(listed));
}

void ModelInputs::retranslate()
{
    m_modelCaption->setText(tr("MODEL"));
    m_weightsLabel->setText(tr("&Weights"));
    m_engineLabel->setText(tr("Eng&ine"));
    m_versionLabel->setText(tr("Ve&rsion"));
    for (int i = 0; i < m_engine->count(); ++i)
        m_engine->setItemText(i, text::name(static_cast<EngineId>(m_engine->itemData(i).toInt())));
    m_weights->setAccessibleName(tr("Weight format"));
    m_engine->setAccessibleName(tr("Engine"));
    m_version->setAccessibleName(tr("Engine version"));
    m_version->setToolTip(tr("A release, a build like b5912, or a day like 2025-07-18: the rules in force then"));
    m_weights->setToolTip(tr("How the weights are stored; auto is what the checkpoint itself holds"));
    m_engine->setToolTip(tr("Whose rules the figures follow; the formula alone is a lower bound"));
}

} // namespace kvscope
