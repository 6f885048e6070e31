// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/settingfield.h"

#include "core/engine.h"
#include "core/parse.h"
#include "ui/inputsection.h"
#include "ui/powerslider.h"
#include "ui/quantityfield.h"
#include "ui/searchpopup.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QStyle>
#include <QVBoxLayout>

#include <algorithm>

namespace kvscope {

namespace {

using Kind = ScenarioSetting::Kind;

QString inWords(const char *source) { return QCoreApplication::translate("kvscope::AdvancedInputs", source); }

QString unsetWords(const ScenarioSetting &setting)
{
    return setting.unset ? inWords(setting.unset) : QCoreApplication::translate("kvscope::AdvancedInputs", "default");
}

QString writtenShares(const std::vector<double> &shares)
{
    QStringList words;
    for (const double share : shares)
        words += QString::number(share);
    return words.join(QLatin1Char(','));
}

QuantityField::Kind quantityKind(Kind kind)
{
    switch (kind) {
    case Kind::Bytes: return QuantityField::Kind::Bytes;
    case Kind::Tokens: return QuantityField::Kind::Tokens;
    case Kind::Fraction: return QuantityField::Kind::Fraction;
    case Kind::Percent: return QuantityField::Kind::Percent;
    default: return QuantityField::Kind::Count;
    }
}

} // namespace

SettingField::SettingField(const ScenarioSetting &setting, QWidget *parent) : QWidget(parent), m_setting(setting)
{
    setObjectName(QLatin1String(setting.name) + QStringLiteral("Row"));
    m_editor = makeEditor();
    m_editor->setObjectName(QLatin1String(setting.name));
    auto *row = new QHBoxLayout;
    row->setSpacing(8);
    if (!m_switch) {
        m_label = makeLabel(this, m_editor);
        m_label->setWordWrap(true);
        row->addWidget(m_label, 1);
    }
    row->addWidget(m_editor, m_switch ? 1 : 0);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addLayout(row);
    if (setting.kind == Kind::Layers) {
        makeSlider();
        column->addWidget(m_slider);
    }
    retranslate();
}

QWidget *SettingField::makeEditor()
{
    switch (m_setting.kind) {
    case Kind::Choice:
        m_choice = new QComboBox(this);
        for (std::size_t i = 0; i < m_setting.options.size(); ++i)
            m_choice->addItem(QString());
        connect(m_choice, &QComboBox::activated, this,
                [this](int index) { give(m_setting.options[static_cast<std::size_t>(index)].value); });
        return m_choice;
    case Kind::Switch:
        m_switch = new QCheckBox(this);
        connect(m_switch, &QCheckBox::clicked, this, [this](bool on) { give(on ? ScenarioSetting::Number(1) : std::nullopt); });
        return m_switch;
    case Kind::Shares:
        m_shares = new QLineEdit(this);
        m_shares->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        connect(m_shares, &QLineEdit::editingFinished, this, &SettingField::giveShares);
        return m_shares;
    default: return makeQuantity();
    }
}

QuantityField *SettingField::makeQuantity()
{
    m_quantity = new QuantityField(quantityKind(m_setting.kind), this);
    m_quantity->setRange(m_setting.lowest, m_setting.highest);
    m_quantity->setOptional({});
    connect(m_quantity, &QuantityField::edited, this, [this](std::optional<std::int64_t> value) { give(value); });
    return m_quantity;
}

void SettingField::makeSlider()
{
    m_slider = new PowerSlider(PowerSlider::Spacing::Even, this);
    m_slider->setObjectName(QLatin1String(m_setting.name) + QStringLiteral("Slider"));
    const auto unsetAt = [this] { return m_setting.unsetIsMost ? m_most : 0; };
    connect(m_slider, &PowerSlider::moved, this,
            [this, unsetAt](std::int64_t value) { give(value == unsetAt() ? std::nullopt : ScenarioSetting::Number(value), false); });
    connect(m_slider, &PowerSlider::gestureEnded, this, &SettingField::gestureEnded);
    connect(m_quantity, &QuantityField::stepped, m_slider, &PowerSlider::step);
}

void SettingField::give(ScenarioSetting::Number value, bool done)
{
    emit edited([set = m_setting.set, value](Scenario &s) { set(s, value); }, done);
}

/// What can't be read stays in the field, marked, until it is mended or left empty.
void SettingField::giveShares()
{
    if (!m_shares->isModified())
        return;
    std::vector<double> shares;
    const QString typed = m_shares->text().trimmed();
    for (const QString &part : typed.isEmpty() ? QStringList() : typed.split(QLatin1Char(','))) {
        const Result<double> share = parseDecimal(part.trimmed().toStdString(), 0, largestBatch);
        if (!share) {
            complain(text::sentence(share.error()));
            return;
        }
        shares.push_back(*share);
    }
    m_shares->setModified(false);
    complain({});
    emit edited([shares](Scenario &s) { s.local.tensorSplit = shares; }, true);
}

void SettingField::complain(const QString &sentence)
{
    m_shares->setProperty("invalid", !sentence.isEmpty());
    m_shares->style()->unpolish(m_shares);
    m_shares->style()->polish(m_shares);
    m_shares->setAccessibleDescription(sentence);
    if (sentence.isEmpty())
        showEngine(m_engine); // what it is for
    else
        m_shares->setToolTip(sentence);
}

void SettingField::showScenario(const Scenario &scenario, text::Unit unit)
{
    if (scenario.engine.id != m_engine)
        showEngine(scenario.engine.id);
    if (m_shares) {
        if (!m_shares->isModified() || !m_shares->hasFocus())
            m_shares->setText(writtenShares(scenario.local.tensorSplit));
        return;
    }
    const ScenarioSetting::Number value = m_setting.get(scenario);
    if (m_switch)
        m_switch->setChecked(value.has_value());
    if (m_choice) {
        const auto at = std::ranges::find(m_setting.options, value, &ScenarioSetting::Option::value);
        m_choice->setCurrentIndex(at == m_setting.options.end() ? -1 : static_cast<int>(at - m_setting.options.begin()));
    }
    if (m_quantity) {
        m_quantity->setUnit(unit);
        m_quantity->setQuantity(value);
    }
    if (!m_slider)
        return;
    if (const std::int64_t most = m_setting.most(scenario); most != m_most) {
        m_most = most;
        std::vector<std::int64_t> stops;
        for (std::int64_t i = 0; i <= most; ++i)
            stops.push_back(i);
        m_slider->setStops(std::move(stops));
    }
    m_slider->setQuantity(std::min(value.value_or(m_setting.unsetIsMost ? m_most : 0), m_most));
    m_slider->setSpokenValue(value ? text::count(*value) : unsetWords(m_setting));
}

void SettingField::showEngine(EngineId engine)
{
    m_engine = engine;
    QString hint = inWords(m_setting.tip);
    if (const std::string_view name = m_setting.engineName(engine); !name.empty())
        hint = QStringLiteral("%1\n%2: %3").arg(hint, text::name(engine), toQString(name));
    if (m_quantity)
        m_quantity->setHint(hint);
    else
        m_editor->setToolTip(hint);
    if (m_label)
        m_label->setToolTip(hint);
    if (m_slider)
        m_slider->setToolTip(hint);
}

void SettingField::retranslate()
{
    const QString words = inWords(m_setting.label);
    m_editor->setAccessibleName(words);
    if (m_label)
        m_label->setText(words);
    if (m_switch)
        m_switch->setText(words);
    if (m_slider)
        m_slider->setAccessibleName(words);
    if (m_quantity)
        m_quantity->setPlaceholderText(unsetWords(m_setting));
    if (m_shares)
        m_shares->setPlaceholderText(unsetWords(m_setting));
    for (std::size_t i = 0; m_choice && i < m_setting.options.size(); ++i)
        m_choice->setItemText(static_cast<int>(i), inWords(m_setting.options[i].words));
    showEngine(m_engine);
}

QString settingInWords(const ScenarioSetting &setting, const Scenario &scenario, text::Unit unit)
{
    const QString label = inWords(setting.label);
    const auto with = [&label](const QString &value) { return QStringLiteral("%1 %2").arg(label, value); };
    if (setting.kind == Kind::Shares)
        return scenario.local.tensorSplit.empty() ? QString() : with(writtenShares(scenario.local.tensorSplit));
    const ScenarioSetting::Number value = setting.get(scenario);
    if (!value)
        return {};
    const auto number = [&value](double scale) { return QLocale().toString(static_cast<double>(*value) * scale, 'g'); };
    switch (setting.kind) {
    case Kind::Bytes: return with(text::bytes({*value}, unit));
    case Kind::Tokens: return with(text::tokensShort({*value}));
    case Kind::Fraction: return with(number(1e-6));
    case Kind::Percent: return with(number(1e-6) + QStringLiteral(" %"));
    case Kind::Choice:
        for (const ScenarioSetting::Option &option : setting.options) {
            if (option.value == value)
                return with(inWords(option.words));
        }
        return {};
    case Kind::Switch: return label;
    case Kind::Count:
    case Kind::Layers:
    case Kind::Shares: break;
    }
    return with(text::count(*value));
}

} // namespace kvscope
