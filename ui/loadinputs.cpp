// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/loadinputs.h"

#include "core/engine.h"
#include "ui/powerslider.h"
#include "ui/quantityfield.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>
#include <bit>
#include <utility>

namespace kvscope {

namespace {

/// Powers of two and their threefold halves (12K, 24K): what context lengths are set to. `trained` joins them.
std::vector<std::int64_t> contextStops(std::int64_t trained, std::int64_t present)
{
    constexpr std::int64_t least = 512, million = 1'048'576, thirdsFrom = 8192;
    const auto wanted = static_cast<std::uint64_t>(std::max({million, trained, present}));
    const std::int64_t last = std::min(largestContext.value, static_cast<std::int64_t>(std::bit_ceil(wanted)));
    std::vector<std::int64_t> stops;
    for (std::int64_t power = least; power <= last; power *= 2) {
        stops.push_back(power);
        if (power >= thirdsFrom && power * 3 / 2 < last)
            stops.push_back(power * 3 / 2);
    }
    if (stops.back() < last)
        stops.push_back(last);
    if (trained > least && !std::binary_search(stops.begin(), stops.end(), trained))
        stops.insert(std::upper_bound(stops.begin(), stops.end(), trained), trained);
    return stops;
}

/// 1, 2, 3, 4, 6, 8, 12, ... at least up to 1024.
std::vector<std::int64_t> concurrencyStops(std::int64_t present)
{
    constexpr std::int64_t usual = 1024;
    const auto last =
        std::min(largestBatch, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max(usual, present)))));
    std::vector<std::int64_t> stops{1};
    for (std::int64_t power = 2; power <= last; power *= 2) {
        stops.push_back(power);
        if (power * 3 / 2 < last)
            stops.push_back(power * 3 / 2);
    }
    if (stops.back() < last)
        stops.push_back(last);
    return stops;
}

/// The precisions that the scenario's engine has, widest first.
std::span<const Format> formatsOf(const Scenario &scenario) { return engineOf(scenario.engine.id).kvFormats(); }

/// The others have one setting for both (spec/serving-engines.md 2.3, spec/local-engines.md 6).
bool keepsKeysAndValuesApart(EngineId id) { return id == EngineId::Formula || id == EngineId::Transformers || id == EngineId::LlamaCpp; }

QHBoxLayout *rowOf(std::initializer_list<QWidget *> widgets)
{
    auto *row = new QHBoxLayout;
    row->setSpacing(6);
    bool first = true;
    for (QWidget *widget : widgets) {
        row->addWidget(widget);
        if (std::exchange(first, false))
            row->addStretch();
    }
    return row;
}

} // namespace

LoadInputs::LoadInputs(QWidget *parent) :
    InputSection(parent),
    m_caption(makeCaption(this, "loadCaption")),
    m_contextField(new QuantityField(QuantityField::Kind::Tokens, this)),
    m_contextSlider(new PowerSlider(PowerSlider::Spacing::Logarithmic, this)),
    m_concurrencyField(new QuantityField(QuantityField::Kind::Count, this)),
    m_concurrencySlider(new PowerSlider(PowerSlider::Spacing::Logarithmic, this)),
    m_keyBox(new QComboBox(this)),
    m_valueBox(new QComboBox(this)),
    m_kvSlider(new PowerSlider(PowerSlider::Spacing::Even, this))
{
    m_contextField->setObjectName(QStringLiteral("contextField"));
    m_contextField->setRange(1, largestContext.value);
    m_contextSlider->setObjectName(QStringLiteral("contextSlider"));
    m_contextSlider->setMarkRow(true);
    m_concurrencyField->setObjectName(QStringLiteral("concurrencyField"));
    m_concurrencyField->setRange(1, largestBatch);
    m_concurrencySlider->setObjectName(QStringLiteral("concurrencySlider"));
    m_concurrencySlider->setMarkRow(true);
    m_keyBox->setObjectName(QStringLiteral("keyBox"));
    m_valueBox->setObjectName(QStringLiteral("valueBox"));
    m_kvSlider->setObjectName(QStringLiteral("kvSlider"));
    for (QComboBox *box : {m_keyBox, m_valueBox}) { // long names widen the list, not the panel
        constexpr int usual = 4;
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(usual);
        box->setMaxVisibleItems(20);
    }
    m_contextLabel = makeLabel(this, m_contextField);
    m_concurrencyLabel = makeLabel(this, m_concurrencyField);
    m_kvLabel = makeLabel(this, m_keyBox);
    m_valueLabel = makeLabel(this, m_valueBox);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addWidget(m_caption);
    layout->addLayout(rowOf({m_contextLabel, m_contextField}));
    layout->addWidget(m_contextSlider);
    layout->addSpacing(4);
    layout->addLayout(rowOf({m_concurrencyLabel, m_concurrencyField}));
    layout->addWidget(m_concurrencySlider);
    layout->addSpacing(4);
    QHBoxLayout *kvRow = rowOf({m_kvLabel, m_keyBox, m_valueLabel, m_valueBox});
    kvRow->setStretchFactor(m_keyBox, 1000); // all that V leaves
    layout->addLayout(kvRow);
    layout->addWidget(m_kvSlider);

    connect(m_contextSlider, &PowerSlider::moved, this, &LoadInputs::editContext);
    connect(m_contextSlider, &PowerSlider::gestureEnded, this, &LoadInputs::gestureEnded);
    connect(m_contextField, &QuantityField::stepped, m_contextSlider, &PowerSlider::step);
    connect(m_contextField, &QuantityField::edited, this, [this](std::optional<std::int64_t> value) {
        emit gestureEnded();
        editContext(value.value_or(1));
        emit gestureEnded();
    });
    connect(m_concurrencySlider, &PowerSlider::moved, this, &LoadInputs::editConcurrency);
    connect(m_concurrencySlider, &PowerSlider::gestureEnded, this, &LoadInputs::gestureEnded);
    connect(m_concurrencyField, &QuantityField::stepped, m_concurrencySlider, &PowerSlider::step);
    connect(m_concurrencyField, &QuantityField::edited, this, [this](std::optional<std::int64_t> value) {
        emit gestureEnded();
        editConcurrency(value.value_or(1));
        emit gestureEnded();
    });
    connectKv();
    retranslate();
}

void LoadInputs::connectKv()
{
    connect(m_kvSlider, &PowerSlider::moved, this, [this](std::int64_t index) { editKv(static_cast<std::size_t>(index)); });
    connect(m_kvSlider, &PowerSlider::gestureEnded, this, &LoadInputs::gestureEnded);
    connect(m_keyBox, &QComboBox::activated, this, [this](int index) {
        emit gestureEnded();
        editKv(static_cast<std::size_t>(index));
        emit gestureEnded();
    });
    connect(m_valueBox, &QComboBox::activated, this, [this](int index) {
        const auto value =
            index == 0 ? std::optional<Format>{} : std::optional(formatsOf(state().results->scenario)[static_cast<std::size_t>(index) - 1]);
        emitDone([value](Scenario &s) { s.kv.value = value ? *value : keyFormat(s); }, Field::Kv);
    });
}

void LoadInputs::editContext(std::int64_t tokens)
{
    emit edited([tokens](Scenario &s) { s.context = {tokens}; }, Field::Context);
}

void LoadInputs::editConcurrency(std::int64_t sequences)
{
    emit edited([sequences](Scenario &s) { s.batch = sequences; }, Field::Concurrency);
}

void LoadInputs::editKv(std::size_t index)
{
    const Format format = formatsOf(state().results->scenario)[index];
    emit edited(
        [format](Scenario &s) {
            const bool alike = keyFormat(s) == valueFormat(s);
            s.kv.key = format;
            if (alike)
                s.kv.value = format;
        },
        Field::Kv);
}

void LoadInputs::fill(const ViewState &state)
{
    showContext(*state.results);
    showConcurrency(*state.results);
    showKv(*state.results);
}

void LoadInputs::showContext(const Results &results)
{
    const Scenario &scenario = results.scenario;
    const std::int64_t trained = scenario.model ? scenario.model->trainedContext.value : 0;
    m_contextSlider->setStops(contextStops(trained, scenario.context.value));
    m_contextSlider->setQuantity(scenario.context.value);
    m_contextField->setQuantity(scenario.context.value);
    m_contextField->setHint(scenario.engine.id == EngineId::Vllm
                                ? tr("32K is 32,768 tokens here; vLLM itself reads 32k as 32,000: give it plain digits")
                                : QString());
    std::vector<SliderMark> marks;
    if (trained > 0)
        marks.push_back({trained, tr("trained %1").arg(text::tokensShort({trained})), false});
    if (const Plan *plan = results.selectedPlan(); plan && plan->verdict != Verdict::Refused) {
        const TokenCount most = plan->limits.maxContextBeyondTraining;
        if (most.value > 0 && most < largestContext && !isUnlimited(plan->limits.contextReason))
            marks.push_back({most.value, tr("fits to %1").arg(text::tokensShort(most)), true});
    }
    QStringList words{text::tokens(scenario.context)};
    for (const SliderMark &mark : marks)
        words += mark.label;
    m_contextSlider->setSpokenValue(words.join(QStringLiteral(", ")));
    m_contextSlider->setMarks(std::move(marks));
}

void LoadInputs::showConcurrency(const Results &results)
{
    const Scenario &scenario = results.scenario;
    m_concurrencySlider->setStops(concurrencyStops(scenario.batch));
    m_concurrencySlider->setQuantity(scenario.batch);
    m_concurrencyField->setQuantity(scenario.batch);
    std::vector<SliderMark> marks;
    if (const Plan *plan = results.selectedPlan();
        plan && plan->verdict != Verdict::Refused && plan->limits.maxBatch > 0 && !isUnlimited(plan->limits.batchReason))
        marks.push_back({plan->limits.maxBatch, tr("fits to %1").arg(text::count(plan->limits.maxBatch)), true});
    QStringList words{text::count(scenario.batch)};
    for (const SliderMark &mark : marks)
        words += mark.label;
    m_concurrencySlider->setSpokenValue(words.join(QStringLiteral(", ")));
    m_concurrencySlider->setMarks(std::move(marks));
}

void LoadInputs::showKv(const Results &results)
{
    const QSignalBlocker quietKey(m_keyBox), quietValue(m_valueBox);
    const std::span<const Format> formats = formatsOf(results.scenario);
    QStringList names;
    for (const Format format : formats)
        names += text::name(format);
    if (m_keyBox->property("names").toStringList() != names) {
        m_keyBox->setProperty("names", names);
        m_keyBox->clear();
        m_keyBox->addItems(names);
        m_valueBox->clear();
        m_valueBox->addItem(tr("= K"));
        m_valueBox->addItems(names);
        std::vector<std::int64_t> stops;
        for (std::size_t i = 0; i < formats.size(); ++i)
            stops.push_back(static_cast<std::int64_t>(i));
        m_kvSlider->setStops(std::move(stops));
        for (QComboBox *box : {m_keyBox, m_valueBox})
            box->view()->setMinimumWidth(box->view()->sizeHintForColumn(0) + 30);
    }
    m_valueBox->setItemText(0, tr("= K"));
    const auto indexOf = [formats](Format format) {
        const auto at = std::find(formats.begin(), formats.end(), format);
        return at == formats.end() ? -1 : static_cast<int>(at - formats.begin());
    };
    const Format key = keyFormat(results.scenario), value = valueFormat(results.scenario);
    const bool apart = keepsKeysAndValuesApart(results.scenario.engine.id) || key != value;
    m_valueLabel->setVisible(apart);
    m_valueBox->setVisible(apart);
    m_keyBox->setCurrentIndex(indexOf(key));
    m_valueBox->setCurrentIndex(key == value ? 0 : indexOf(value) + 1);
    m_kvSlider->setQuantity(std::max(0, indexOf(key)));
    m_kvSlider->setSpokenValue(text::kvName(results.scenario));
}

void LoadInputs::retranslate()
{
    m_caption->setText(tr("LOAD"));
    m_contextLabel->setText(tr("C&ontext"));
    m_concurrencyLabel->setText(tr("Co&ncurrency"));
    m_kvLabel->setText(tr("&KV precision"));
    m_valueLabel->setText(tr("V"));
    m_contextField->setAccessibleName(tr("Context, tokens a sequence"));
    m_contextSlider->setAccessibleName(tr("Context"));
    m_contextSlider->setToolTip(tr("Tokens of one sequence, prompt and answer together"));
    m_concurrencyField->setAccessibleName(tr("Concurrency, sequences at once"));
    m_concurrencySlider->setAccessibleName(tr("Concurrency"));
    m_concurrencySlider->setToolTip(tr("Sequences held at the same time"));
    m_keyBox->setAccessibleName(tr("Precision of the keys"));
    m_valueBox->setAccessibleName(tr("Precision of the values"));
    m_valueBox->setToolTip(tr("“= K” keeps the values at the precision of the keys"));
    m_kvSlider->setAccessibleName(tr("KV precision, from widest to narrowest"));
    m_kvSlider->setToolTip(tr("The precisions that the engine has, from widest to narrowest"));
}

} // namespace kvscope
