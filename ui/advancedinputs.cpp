// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/advancedinputs.h"

#include "ui/quantityfield.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLocale>
#include <QToolButton>

#include <array>

namespace kvscope {

namespace {

/// A quantity whose 0 means "none".
std::optional<std::int64_t> orNone(std::int64_t value) { return value == 0 ? std::nullopt : std::optional(value); }

template<typename T>
std::optional<std::int64_t> valueOf(const std::optional<T> &quantity)
{
    return quantity ? std::optional(quantity->value) : std::nullopt;
}

} // namespace

AdvancedInputs::AdvancedInputs(QWidget *parent) : InputSection(parent), m_toggle(new QToolButton(this)), m_summary(new QLabel(this))
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

void AdvancedInputs::addRow(QWidget *field)
{
    QLabel *label = makeLabel(m_body, field);
    label->setWordWrap(true);
    m_form->addRow(label, field);
}

QuantityField *AdvancedInputs::addQuantity(const char *name, int kind, QuantityRow row)
{
    row.field = new QuantityField(static_cast<QuantityField::Kind>(kind), m_body);
    row.field->setObjectName(QLatin1String(name));
    row.field->setOptional({});
    addRow(row.field);
    connect(row.field, &QuantityField::edited, this, [this, set = row.set](std::optional<std::int64_t> value) {
        emitDone([set, value](Scenario &s) { set(s, value); }, Field::Advanced);
    });
    m_quantities.push_back(row);
    return row.field;
}

QSpinBox *AdvancedInputs::addCount(const char *name, int lowest, int highest, int &(*of)(Scenario &))
{
    auto *box = new QSpinBox(m_body);
    box->setObjectName(QLatin1String(name));
    box->setRange(lowest, highest);
    box->setKeyboardTracking(false);
    addRow(box);
    connect(box, &QSpinBox::valueChanged, this,
            [this, of](int value) { emit edited([of, value](Scenario &s) { of(s) = value; }, Field::Advanced); });
    connect(box, &QSpinBox::editingFinished, this, &AdvancedInputs::gestureEnded);
    m_counts.push_back({box, of});
    return box;
}

void AdvancedInputs::makeFields()
{
    m_body = new QWidget(this);
    m_body->setObjectName(QStringLiteral("advancedBody"));
    m_form = new QFormLayout(m_body);
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setHorizontalSpacing(8);
    m_form->setVerticalSpacing(6);
    m_form->setFieldGrowthPolicy(QFormLayout::FieldsStayAtSizeHint);
    m_form->setFormAlignment(Qt::AlignTop);
    layout()->addWidget(m_body);

    m_reserve = new QDoubleSpinBox(m_body);
    m_reserve->setObjectName(QStringLiteral("reserveBox"));
    m_reserve->setRange(0, 100);
    m_reserve->setDecimals(1);
    m_reserve->setSuffix(QStringLiteral(" %"));
    m_reserve->setKeyboardTracking(false);
    addRow(m_reserve);
    connect(m_reserve, &QDoubleSpinBox::valueChanged, this,
            [this](double percent) { emit edited([percent](Scenario &s) { s.reservePercent = percent; }, Field::Advanced); });
    connect(m_reserve, &QDoubleSpinBox::editingFinished, this, &AdvancedInputs::gestureEnded);

    const int size = static_cast<int>(QuantityField::Kind::Bytes), length = static_cast<int>(QuantityField::Kind::Tokens);
    addQuantity("inUseField", size,
                {nullptr, [](const Scenario &s) { return orNone(s.inUse.value); },
                 [](Scenario &s, std::optional<std::int64_t> v) { s.inUse = {v.value_or(0)}; }});
    addQuantity("hostMemoryField", size,
                {nullptr, [](const Scenario &s) { return valueOf(s.hostMemory); },
                 [](Scenario &s, std::optional<std::int64_t> v) { s.hostMemory = v ? std::optional(Bytes{*v}) : std::nullopt; }});
    addQuantity("measuredWeightsField", size,
                {nullptr, [](const Scenario &s) { return valueOf(s.weights.measured); },
                 [](Scenario &s, std::optional<std::int64_t> v) { s.weights.measured = v ? std::optional(Bytes{*v}) : std::nullopt; }});
    addQuantity("offloadField", size,
                {nullptr, [](const Scenario &s) { return orNone(s.offloadKv.value); },
                 [](Scenario &s, std::optional<std::int64_t> v) { s.offloadKv = {v.value_or(0)}; }});
    addQuantity("prefixField", length,
                {nullptr, [](const Scenario &s) { return orNone(s.sharedPrefix.value); },
                 [](Scenario &s, std::optional<std::int64_t> v) { s.sharedPrefix = {v.value_or(0)}; }});
    addQuantity("encoderField", length,
                {nullptr, [](const Scenario &s) { return valueOf(s.encoderLength); },
                 [](Scenario &s, std::optional<std::int64_t> v) { s.encoderLength = v ? std::optional(TokenCount{*v}) : std::nullopt; }});
    addCount("keepFirstBox", 0, largestLayerCount, [](Scenario &s) -> int & { return s.kv.keepFirst; });
    addCount("keepLastBox", 0, largestLayerCount, [](Scenario &s) -> int & { return s.kv.keepLast; });

    m_scales = new QComboBox(m_body);
    m_scales->setObjectName(QStringLiteral("scalesBox"));
    addRow(m_scales);
    connect(m_scales, &QComboBox::activated, this,
            [this](int index) { emitDone([index](Scenario &s) { s.kv.scales = static_cast<KvScales>(index); }, Field::Advanced); });
    constexpr int widestGroup = 65'536;
    m_groupSize = addCount("groupSizeBox", 1, widestGroup, [](Scenario &s) -> int & { return s.kv.groupSize; });
    m_zeroPoints = new QCheckBox(m_body);
    m_zeroPoints->setObjectName(QStringLiteral("zeroPointsBox"));
    m_form->addRow(m_zeroPoints);
    connect(m_zeroPoints, &QCheckBox::clicked, this,
            [this](bool on) { emitDone([on](Scenario &s) { s.kv.zeroPoints = on; }, Field::Advanced); });
    m_sinks = addQuantity("sinksField", length,
                          {nullptr, [](const Scenario &s) { return orNone(s.sinks.value); },
                           [](Scenario &s, std::optional<std::int64_t> v) { s.sinks = {v.value_or(0)}; }});
    m_window = addQuantity("windowField", length,
                           {nullptr, [](const Scenario &s) { return orNone(s.streamWindow.value); },
                            [](Scenario &s, std::optional<std::int64_t> v) { s.streamWindow = {v.value_or(0)}; }});

    m_attention = new QComboBox(m_body);
    m_attention->setObjectName(QStringLiteral("attentionBox"));
    m_attention->addItems({QStringLiteral("sdpa"), QStringLiteral("eager"), QStringLiteral("flash_attention_2")});
    addRow(m_attention);
    connect(m_attention, &QComboBox::activated, this, [this](int index) {
        emitDone([index](Scenario &s) { s.transformers.attention = static_cast<AttentionKernel>(index); }, Field::Advanced);
    });
    m_cache = new QComboBox(m_body);
    m_cache->setObjectName(QStringLiteral("cacheBox"));
    m_cache->addItems({QStringLiteral("dynamic"), QStringLiteral("static"), QStringLiteral("quantized"), QStringLiteral("offloaded")});
    addRow(m_cache);
    connect(m_cache, &QComboBox::activated, this, [this](int index) {
        emitDone([index](Scenario &s) { s.transformers.cache = static_cast<CacheClass>(index); }, Field::Advanced);
    });
    m_cacheBits = addCount("cacheBitsBox", 1, 8, [](Scenario &s) -> int & { return s.transformers.cacheBits; });
    m_newTokens = addQuantity(
        "newTokensField", length,
        {nullptr, [](const Scenario &s) { return valueOf(s.transformers.newTokens); },
         [](Scenario &s, std::optional<std::int64_t> v) { s.transformers.newTokens = v ? std::optional(TokenCount{*v}) : std::nullopt; }});
    retranslate();
}

void AdvancedInputs::fill(const ViewState &state)
{
    const Scenario &scenario = state.results->scenario;
    showSummary(scenario);
    if (!m_body || m_body->isHidden())
        return;
    for (const QuantityRow &row : m_quantities) {
        row.field->setUnit(state.unit);
        row.field->setQuantity(row.get(scenario));
    }
    Scenario copy = scenario;
    for (const CountRow &row : m_counts) {
        const QSignalBlocker quiet(row.box);
        row.box->setValue(row.of(copy));
    }
    const QSignalBlocker quiet(m_reserve);
    m_reserve->setValue(scenario.reservePercent);
    m_scales->setCurrentIndex(static_cast<int>(scenario.kv.scales));
    m_zeroPoints->setChecked(scenario.kv.zeroPoints);
    m_attention->setCurrentIndex(static_cast<int>(scenario.transformers.attention));
    m_cache->setCurrentIndex(static_cast<int>(scenario.transformers.cache));
    showEngine(scenario);
}

void AdvancedInputs::showEngine(const Scenario &scenario)
{
    const bool formula = scenario.engine.id == EngineId::Formula, transformers = scenario.engine.id == EngineId::Transformers;
    for (QWidget *field : {static_cast<QWidget *>(m_scales), static_cast<QWidget *>(m_sinks), static_cast<QWidget *>(m_window)})
        setRowVisible(field, formula);
    setRowVisible(m_groupSize, formula && scenario.kv.scales == KvScales::PerGroup);
    m_zeroPoints->setVisible(formula && scenario.kv.scales != KvScales::None);
    for (QWidget *field : {static_cast<QWidget *>(m_attention), static_cast<QWidget *>(m_cache), static_cast<QWidget *>(m_newTokens)})
        setRowVisible(field, transformers);
    setRowVisible(m_cacheBits, transformers && scenario.transformers.cache == CacheClass::Quantized);
}

void AdvancedInputs::setRowVisible(QWidget *field, bool on)
{
    field->setVisible(on);
    if (QWidget *label = m_form->labelForField(field))
        label->setVisible(on);
}

void AdvancedInputs::showSummary(const Scenario &scenario)
{
    QStringList set;
    if (scenario.reservePercent > 0)
        set += tr("reserve %1 %").arg(QLocale().toString(scenario.reservePercent));
    if (scenario.inUse.value > 0)
        set += tr("in use %1").arg(text::bytes(scenario.inUse, state().unit));
    if (scenario.sharedPrefix.value > 0)
        set += tr("shared prefix %1").arg(text::tokensShort(scenario.sharedPrefix));
    if (scenario.offloadKv.value > 0)
        set += tr("off-loaded KV %1").arg(text::bytes(scenario.offloadKv, state().unit));
    if (scenario.streamWindow.value > 0)
        set += tr("window %1").arg(text::tokensShort(scenario.streamWindow));
    if (scenario.weights.measured)
        set += tr("measured weights %1").arg(text::bytes(*scenario.weights.measured, state().unit));
    m_summary->setText(set.join(QStringLiteral(" · ")));
    m_summary->setVisible(!m_toggle->isChecked() && !set.isEmpty());
}

void AdvancedInputs::retranslate()
{
    m_toggle->setText(tr("Advanced"));
    m_toggle->setToolTip(tr("Reserve, host memory, shared prefix, scales and the engine's own settings"));
    if (!m_body)
        return;
    const std::array<std::pair<const char *, QString>, 17> labels{{
        {"reserveBox", tr("Kept free")},
        {"inUseField", tr("In use by others")},
        {"hostMemoryField", tr("Host memory")},
        {"measuredWeightsField", tr("Measured weights")},
        {"offloadField", tr("KV in host memory")},
        {"prefixField", tr("Shared prefix")},
        {"encoderField", tr("Encoder length")},
        {"keepFirstBox", tr("First layers kept wide")},
        {"keepLastBox", tr("Last layers kept wide")},
        {"scalesBox", tr("Scales of INT8 / INT4")},
        {"groupSizeBox", tr("Group size")},
        {"sinksField", tr("Attention sinks")},
        {"windowField", tr("Streaming window")},
        {"attentionBox", tr("Attention kernel")},
        {"cacheBox", tr("Cache class")},
        {"cacheBitsBox", tr("Cache bits")},
        {"newTokensField", tr("New tokens")},
    }};
    for (const auto &[name, words] : labels) {
        auto *field = m_body->findChild<QWidget *>(QLatin1String(name));
        field->setAccessibleName(words);
        qobject_cast<QLabel *>(m_form->labelForField(field))->setText(words);
    }
    for (const QuantityRow &row : m_quantities)
        row.field->setPlaceholderText(tr("not set"));
    m_zeroPoints->setText(tr("Zero points too"));
    const int scales = std::max(0, m_scales->currentIndex());
    m_scales->clear();
    m_scales->addItems({tr("none"), tr("per tensor"), tr("per token"), tr("per channel"), tr("per group")});
    m_scales->setCurrentIndex(scales);
    m_reserve->setToolTip(tr("Share of the card's memory kept free on top of what the engine keeps"));
}

} // namespace kvscope
