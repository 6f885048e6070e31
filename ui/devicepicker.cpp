// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/devicepicker.h"

#include "ui/devicechips.h"
#include "ui/inputsection.h"
#include "ui/quantityfield.h"

#include <QBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QSpinBox>

namespace kvscope {

namespace {

constexpr int mostDevices = 4096;

class DeviceTable : public SearchModel {
public:
    explicit DeviceTable(const Catalog &catalog) : m_catalog(catalog) {}

    void search(const QString &text) override { setFound(m_catalog.findDevices(text.toStdString())); }

protected:
    QString cell(int entry, int column) const override
    {
        const DeviceListing &device = m_catalog.devices()[static_cast<std::size_t>(entry)];
        switch (column) {
        case 0: return toQString(device.name);
        case 1: return toQString(device.vendor);
        case 2: return text::bytes({device.memoryBytes}, text::Unit::GB);
        case 3: return device.bandwidthGBs > 0 ? QLocale().toString(device.bandwidthGBs, 'f', 0) + QStringLiteral(" GB/s") : QString();
        default: return {};
        }
    }

    QString head(int column) const override
    {
        switch (column) {
        case 0: return DevicePicker::tr("GPU");
        case 1: return DevicePicker::tr("Vendor");
        case 2: return DevicePicker::tr("Memory");
        case 3: return DevicePicker::tr("Bandwidth");
        default: return {};
        }
    }

private:
    const Catalog &m_catalog;
};

} // namespace

DevicePicker::DevicePicker(const Catalog &catalog, QWidget *parent) : QPushButton(parent), m_catalog(catalog)
{
    connect(this, &QPushButton::clicked, this, &DevicePicker::open);
    retranslate();
}

QSize DevicePicker::sizeHint() const { return {fontMetrics().horizontalAdvance(text()) + chipHeight(*this), chipHeight(*this)}; }

void DevicePicker::openBelow(const QWidget *anchor)
{
    if (!m_popup)
        makePopup();
    m_popup->openBelow(anchor);
}

void DevicePicker::makePopup()
{
    m_popup = new SearchPopup(new DeviceTable(m_catalog), this);
    m_popup->setObjectName(QStringLiteral("devicePopup"));
    m_count = new QSpinBox(m_popup);
    m_count->setObjectName(QStringLiteral("deviceCount"));
    m_count->setRange(1, mostDevices);
    m_count->setPrefix(QStringLiteral("× "));
    m_countLabel = makeLabel(m_popup, m_count);
    m_size = new QuantityField(QuantityField::Kind::Bytes, m_popup);
    m_size->setObjectName(QStringLiteral("customSizeField"));
    m_size->setRange(1, tooLargeValue - 1);
    m_size->setQuantity((24_GB).value);
    m_sizeLabel = makeLabel(m_popup, m_size);
    m_sizeButton = new QPushButton(m_popup);
    m_sizeButton->setObjectName(QStringLiteral("customSizeButton"));
    QBoxLayout *footer = m_popup->footer();
    for (QWidget *widget : {static_cast<QWidget *>(m_countLabel), static_cast<QWidget *>(m_count)})
        footer->addWidget(widget);
    footer->addStretch();
    for (QWidget *widget : {static_cast<QWidget *>(m_sizeLabel), static_cast<QWidget *>(m_size), static_cast<QWidget *>(m_sizeButton)})
        footer->addWidget(widget);
    connect(m_popup, &SearchPopup::chosen, this, [this](int entry) {
        const auto device = m_catalog.device(m_catalog.devices()[static_cast<std::size_t>(entry)].id);
        if (device)
            emit devicesChosen(*device, m_count->value());
        else
            emit failed(text::sentence(device.error()));
    });
    connect(m_sizeButton, &QPushButton::clicked, this, [this] {
        m_popup->hide();
        emit devicesChosen(deviceOfSize({m_size->quantity().value_or(0)}), m_count->value());
    });
    retranslate();
}

void DevicePicker::retranslate()
{
    setText(tr("+ Add"));
    setAccessibleName(tr("Add a GPU"));
    setToolTip(tr("Add a GPU, or several alike, to the comparison"));
    if (!m_popup)
        return;
    m_popup->setPlaceholder(tr("Search %n GPUs by name or maker", nullptr, static_cast<int>(m_catalog.devices().size())));
    m_popup->setNames(tr("Search GPUs"), tr("GPUs found"));
    m_countLabel->setText(tr("How &many:"));
    m_sizeLabel->setText(tr("A card of any &size:"));
    m_sizeButton->setText(tr("Add"));
    m_sizeButton->setAccessibleName(tr("Add a card of this size"));
}

void DevicePicker::changeEvent(QEvent *event)
{
    QPushButton::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

} // namespace kvscope
