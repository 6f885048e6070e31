// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/draftfield.h"

#include "ui/inputsection.h"
#include "ui/modelpicker.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace kvscope {

DraftField::DraftField(const Catalog &catalog, QWidget *parent) :
    QWidget(parent), m_label(nullptr), m_picker(new ModelPicker(catalog, this, ModelPicker::Use::Draft)), m_clear(new QToolButton(this))
{
    m_picker->setObjectName(QStringLiteral("draftButton"));
    m_clear->setObjectName(QStringLiteral("noDraftButton"));
    m_clear->setText(QStringLiteral("×"));
    m_clear->setProperty("quiet", true);
    m_label = makeLabel(this, m_picker);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(6);
    row->addWidget(m_label);
    row->addWidget(m_picker, 1);
    row->addWidget(m_clear);
    connect(m_picker, &ModelPicker::modelChosen, this,
            [this](const std::shared_ptr<const ModelSpec> &model) { emit edited([model](Scenario &s) { s.draft = model; }); });
    connect(m_picker, &ModelPicker::fileWanted, this, &DraftField::fileWanted);
    connect(m_picker, &ModelPicker::failed, this, &DraftField::failed);
    connect(m_clear, &QToolButton::clicked, this, [this] { emit edited([](Scenario &s) { s.draft.reset(); }); });
    retranslate();
}

bool DraftField::appliesTo(const Scenario &scenario)
{
    return scenario.engine.id == EngineId::Vllm || scenario.engine.id == EngineId::Sglang || scenario.draft;
}

QString DraftField::inWords(const Scenario &scenario)
{
    return scenario.draft ? tr("Draft model %1").arg(QString::fromStdString(scenario.draft->name)) : QString();
}

void DraftField::showScenario(const Scenario &scenario)
{
    m_shown = scenario.draft;
    m_picker->setText(m_shown ? QString::fromStdString(m_shown->name) : tr("none", "no draft model"));
    m_clear->setVisible(m_shown != nullptr);
}

void DraftField::retranslate()
{
    m_label->setText(tr("Draft model"));
    m_clear->setToolTip(tr("Draft with no other model"));
    m_clear->setAccessibleName(m_clear->toolTip());
    if (!m_shown)
        m_picker->setText(tr("none", "no draft model"));
}

} // namespace kvscope
