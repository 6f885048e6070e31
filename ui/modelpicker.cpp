// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/modelpicker.h"

#include "ui/text/text.h"

#include <QBoxLayout>

namespace kvscope {

namespace {

class ModelTable : public SearchModel {
public:
    explicit ModelTable(const Catalog &catalog) : m_catalog(catalog) {}

    void search(const QString &text) override { setFound(m_catalog.findModels(text.toStdString())); }

protected:
    QString tip(int entry) const override { return toQString(m_catalog.models()[static_cast<std::size_t>(entry)].hubId); }

    QString cell(int entry, int column) const override
    {
        const ModelListing &model = m_catalog.models()[static_cast<std::size_t>(entry)];
        switch (column) {
        case 0: return toQString(model.name);
        case 1: return toQString(model.family);
        case 2: return model.parameters > 0 ? text::parameters(model.parameters) : QString();
        case 3: return model.maxContext > 0 ? text::tokensShort({model.maxContext}) : QString();
        default: return {};
        }
    }

    QString head(int column) const override
    {
        switch (column) {
        case 0: return ModelPicker::tr("Model");
        case 1: return ModelPicker::tr("Family");
        case 2: return ModelPicker::tr("Parameters");
        case 3: return ModelPicker::tr("Trained context");
        default: return {};
        }
    }

private:
    const Catalog &m_catalog;
};

} // namespace

ModelPicker::ModelPicker(const Catalog &catalog, QWidget *parent, Use use) : PickerButton(parent), m_catalog(catalog), m_use(use)
{
    connect(this, &QPushButton::clicked, this, &ModelPicker::open);
    retranslate();
}

void ModelPicker::open()
{
    if (!m_popup)
        makePopup();
    m_popup->openBelow(this);
}

void ModelPicker::makePopup()
{
    m_popup = new SearchPopup(new ModelTable(m_catalog), this);
    m_popup->setObjectName(m_use == Use::Main ? QStringLiteral("modelPopup") : QStringLiteral("draftPopup"));
    m_fileButton = new QPushButton(m_popup);
    m_fileButton->setObjectName(QStringLiteral("modelFileButton"));
    m_handButton = new QPushButton(m_popup);
    m_handButton->setObjectName(QStringLiteral("modelByHandButton"));
    m_popup->footer()->addWidget(m_fileButton);
    m_popup->footer()->addWidget(m_handButton);
    m_popup->footer()->addStretch();
    m_handButton->setVisible(m_use == Use::Main);
    connect(m_popup, &SearchPopup::chosen, this, [this](int entry) {
        const auto model = m_catalog.model(m_catalog.models()[static_cast<std::size_t>(entry)].id);
        if (model)
            emit modelChosen(std::make_shared<const ModelSpec>(*model));
        else
            emit failed(text::sentence(model.error()));
    });
    connect(m_fileButton, &QPushButton::clicked, this, [this] {
        m_popup->hide();
        emit fileWanted();
    });
    connect(m_handButton, &QPushButton::clicked, this, [this] {
        m_popup->hide();
        emit handWanted();
    });
    retranslate();
}

void ModelPicker::retranslate()
{
    setAccessibleName(m_use == Use::Main ? tr("Model") : tr("Draft model"));
    setToolTip(m_use == Use::Main ? tr("Choose a model from the catalogue, a file, or enter its numbers")
                                  : tr("A smaller model that drafts tokens for this one; from the catalogue or a file"));
    if (!m_popup)
        return;
    m_popup->setPlaceholder(tr("Search %n models by name, maker or identifier", nullptr, static_cast<int>(m_catalog.models().size())));
    m_popup->setNames(tr("Search models"), tr("Models found"));
    m_fileButton->setText(tr("Open a model file…"));
    m_handButton->setText(tr("Enter the numbers…"));
}

void ModelPicker::changeEvent(QEvent *event)
{
    PickerButton::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

} // namespace kvscope
