// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/handmodeldialog.h"

#include "core/plan.h"
#include "ui/quantityfield.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>

#include <memory>

namespace kvscope {

HandModelDialog::HandModelDialog(const ModelSpec *model, QWidget *parent) :
    QDialog(parent), m_preview(new QLabel(this)), m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this))
{
    setObjectName(QStringLiteral("handModelDialog"));
    setWindowTitle(tr("A model from its numbers"));
    auto *form = new QFormLayout(this);
    const auto add = [&](const char *name, const QString &label, QuantityField::Kind kind, std::int64_t highest, std::int64_t value) {
        auto *field = new QuantityField(kind, this);
        field->setObjectName(QLatin1String(name));
        field->setRange(1, highest);
        field->setQuantity(value > 0 ? std::optional(value) : std::nullopt);
        field->setAccessibleName(QString(label).remove(QLatin1Char('&')));
        form->addRow(label, field);
        connect(field, &QuantityField::edited, this, &HandModelDialog::preview);
        return field;
    };
    constexpr std::int64_t widest = 1'000'000;
    const LayerGroup *group = model ? model->mainGroup() : nullptr;
    m_layers = add("handLayers", tr("&Layers"), QuantityField::Kind::Count, largestLayerCount, model ? model->layerCount() : 32);
    m_kvHeads = add("handKvHeads", tr("&KV heads"), QuantityField::Kind::Count, widest, group ? group->kvHeads : 8);
    m_headDim = add("handHeadDim", tr("&Head dim"), QuantityField::Kind::Count, widest, group ? group->keyDim : 128);
    m_heads = add("handHeads", tr("&Attention heads"), QuantityField::Kind::Count, widest, group ? group->queryHeads : 0);
    m_heads->setOptional(tr("same as KV heads"));
    m_parameters = add("handParameters", tr("&Parameters"), QuantityField::Kind::Parameters, tooLargeValue - 1,
                       model && model->parametersKnown ? model->parameters().total() : 0);
    m_parameters->setOptional(tr("not known"));
    m_parameters->setToolTip(tr("Without them no weights are counted, and the verdict speaks of the KV cache alone"));
    m_preview->setObjectName(QStringLiteral("handPreview"));
    m_preview->setProperty("role", QStringLiteral("muted"));
    m_preview->setWordWrap(true);
    form->addRow(m_preview);
    form->addRow(m_buttons);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_buttons, &QDialogButtonBox::accepted, this, [this] {
        for (QuantityField *field : findChildren<QuantityField *>()) {
            field->commit();
            if (!field->complaint().isEmpty())
                return field->setFocus();
        }
        emit modelGiven(std::make_shared<const ModelSpec>(modelByHand(shape())));
        accept();
    });
    preview();
}

HandShape HandModelDialog::shape() const
{
    const auto whole = [](const QuantityField *field) { return static_cast<int>(field->quantity().value_or(0)); };
    return {whole(m_layers), whole(m_kvHeads), whole(m_headDim), whole(m_heads), m_parameters->quantity().value_or(0)};
}

void HandModelDialog::preview()
{
    const HandShape given = shape();
    const bool whole = given.layers > 0 && given.kvHeads > 0 && given.headDim > 0;
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(whole);
    if (!whole)
        return m_preview->setText(tr("Layers, KV heads and head dim are needed"));
    Scenario scenario;
    scenario.model = std::make_shared<const ModelSpec>(modelByHand(given));
    scenario.context = {1};
    const Plan one = plan(scenario, clusterOf(deviceOfSize(1_GB)));
    m_preview->setText(tr("%1 · %2 a token at %3")
                           .arg(text::shapeLine(*scenario.model), text::bytes(one.kv.perToken, text::Unit::GB), text::kvName(scenario)));
}

} // namespace kvscope
