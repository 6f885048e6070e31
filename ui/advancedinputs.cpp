// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advancedinputs.h"

#include "ui/draftfield.h"
#include "ui/settingfield.h"

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace kvscope {

AdvancedInputs::AdvancedInputs(const Catalog &catalog, QWidget *parent) :
    InputSection(parent), m_catalog(catalog), m_toggle(new QToolButton(this)), m_summary(new QLabel(this))
{
    m_toggle->setObjectName(QStringLiteral("advancedButton"));
    m_toggle->setProperty("quiet", true);
    m_toggle->setCheckable(true);
    m_toggle->setStyleSheet(QStringLiteral("QToolButton { padding-left: 0px; }"));
    m_toggle->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_toggle->setArrowType(Qt::RightArrow);
    m_summary->setObjectName(QStringLiteral("advancedSummary"));
    m_summary->setProperty("role", QStringLiteral("muted"));
    m_summary->setWordWrap(true);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(m_toggle, 0, Qt::AlignLeading);
    layout->addWidget(m_summary);
    connect(m_toggle, &QToolButton::toggled, this, &AdvancedInputs::setUnfolded);
    retranslate();
}

void AdvancedInputs::setUnfolded(bool on)
{
    m_toggle->setChecked(on);
    m_toggle->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    if (on && !m_body)
        makeFields();
    if (m_body)
        m_body->setVisible(on);
    m_summary->setVisible(!on);
    if (state().results)
        fill(state());
    if (on)
        emit unfolded();
}

void AdvancedInputs::makeFields()
{
    m_body = new QWidget(this);
    m_body->setObjectName(QStringLiteral("advancedBody"));
    auto *column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_engineCaption = makeCaption(m_body, "engineCaption");
    m_commonCaption = makeCaption(m_body, "commonCaption");
    column->addWidget(m_engineCaption);
    bool common = false;
    for (const ScenarioSetting &setting : scenarioSettings()) {
        if (setting.engines.empty() && !std::exchange(common, true))
            column->addWidget(m_commonCaption);
        auto *field = new SettingField(setting, m_body);
        column->addWidget(field);
        connect(field, &SettingField::edited, this, [this](const ScenarioEdit &change, bool done) {
            if (done)
                emitDone(change, Field::Advanced);
            else
                emit edited(change, Field::Advanced);
        });
        connect(field, &SettingField::gestureEnded, this, &AdvancedInputs::gestureEnded);
        m_fields.push_back(field);
        if (std::string_view(setting.name) == "draftTokensField") {
            m_draft = new DraftField(m_catalog, m_body);
            column->addWidget(m_draft);
        }
    }
    connect(m_draft, &DraftField::edited, this, [this](const ScenarioEdit &change) { emitDone(change, Field::Advanced); });
    connect(m_draft, &DraftField::fileWanted, this, &AdvancedInputs::draftFileWanted);
    connect(m_draft, &DraftField::failed, this, &AdvancedInputs::failed);
    layout()->addWidget(m_body);
    retranslate();
}

void AdvancedInputs::fill(const ViewState &state)
{
    const Scenario &scenario = state.results->scenario;
    showSummary(scenario);
    if (!m_body || m_body->isHidden())
        return;
    bool ofEngine = false;
    for (SettingField *field : m_fields) {
        const bool on = field->setting().appliesTo(scenario);
        ofEngine = ofEngine || (on && !field->setting().engines.empty());
        field->setVisible(on);
        if (on)
            field->showScenario(scenario, state.unit);
    }
    m_draft->setVisible(DraftField::appliesTo(scenario));
    m_draft->showScenario(scenario);
    m_engineCaption->setText(text::name(scenario.engine.id));
    m_engineCaption->setVisible(ofEngine);
}

void AdvancedInputs::showSummary(const Scenario &scenario)
{
    QStringList set;
    for (const ScenarioSetting &setting : scenarioSettings()) {
        if (setting.appliesTo(scenario))
            set += settingInWords(setting, scenario, state().unit);
    }
    set += DraftField::inWords(scenario);
    set.removeAll(QString());
    m_summary->setText(set.join(QStringLiteral(" · ")));
    m_summary->setVisible(!m_toggle->isChecked() && !set.isEmpty());
}

void AdvancedInputs::retranslate()
{
    m_toggle->setText(tr("Advanced"));
    m_toggle->setToolTip(tr("The engine's own settings, reserve, host memory and shared prefix"));
    if (!m_body)
        return;
    m_commonCaption->setText(tr("ALL ENGINES"));
    for (SettingField *field : m_fields)
        field->retranslate();
    m_draft->retranslate();
}

} // namespace kvscope
