// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inputspanel.h"

#include "ui/advancedinputs.h"
#include "ui/hardwareinputs.h"
#include "ui/loadinputs.h"
#include "ui/modelinputs.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>

namespace kvscope {

InputsPanel::InputsPanel(const Catalog &catalog, QWidget *parent) : QScrollArea(parent), m_catalog(catalog)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setProperty("panel", true);
}

void InputsPanel::makeSections()
{
    if (m_model)
        return;
    auto *page = new QFrame(this);
    page->setObjectName(QStringLiteral("inputsPage"));
    page->setProperty("panel", true);
    m_model = new ModelInputs(m_catalog, page);
    m_load = new LoadInputs(page);
    m_hardware = new HardwareInputs(m_catalog, page);
    m_advanced = new AdvancedInputs(m_catalog, page);
    auto *layout = new QVBoxLayout(page);
    layout->setContentsMargins(16, 12, 14, 12);
    layout->setSpacing(12);
    for (InputSection *section : {static_cast<InputSection *>(m_model), static_cast<InputSection *>(m_load),
                                  static_cast<InputSection *>(m_hardware), static_cast<InputSection *>(m_advanced)}) {
        layout->addWidget(section);
        connect(section, &InputSection::edited, this, &InputsPanel::edited);
        connect(section, &InputSection::gestureEnded, this, &InputsPanel::gestureEnded);
        connect(section, &InputSection::failed, this, &InputsPanel::failed);
    }
    layout->addStretch();
    m_model->setObjectName(QStringLiteral("modelInputs"));
    m_load->setObjectName(QStringLiteral("loadInputs"));
    m_hardware->setObjectName(QStringLiteral("hardwareInputs"));
    m_advanced->setObjectName(QStringLiteral("advancedInputs"));
    connect(m_model, &ModelInputs::fileWanted, this, &InputsPanel::fileWanted);
    connect(m_advanced, &AdvancedInputs::draftFileWanted, this, &InputsPanel::draftFileWanted);
    connect(m_model, &ModelInputs::handWanted, this, &InputsPanel::handWanted);
    setWidget(page);
    page->installEventFilter(this);
    guardWheel(page);
    connect(m_advanced, &AdvancedInputs::unfolded, this, [this, page] {
        guardWheel(page);
        // Once the page has its new height.
        QTimer::singleShot(0, this,
                           [this, page] { verticalScrollBar()->setValue(m_advanced->y() - page->layout()->contentsMargins().top()); });
    });
}

/// The wheel scrolls the page; a box that it passes over changes only when it has the keyboard.
void InputsPanel::guardWheel(QWidget *page)
{
    QList<QWidget *> boxes;
    for (auto *box : page->findChildren<QComboBox *>())
        boxes += box;
    for (auto *box : page->findChildren<QAbstractSpinBox *>())
        boxes += box;
    for (QWidget *box : boxes) {
        box->setFocusPolicy(Qt::StrongFocus);
        box->installEventFilter(this);
    }
}

bool InputsPanel::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest && watched == widget())
        keepWide();
    if (event->type() == QEvent::Wheel && watched->isWidgetType() && watched != viewport() &&
        !static_cast<QWidget *>(watched)->hasFocus()) {
        event->ignore();
        return true;
    }
    return QScrollArea::eventFilter(watched, event);
}

void InputsPanel::showState(const ViewState &state)
{
    if (!m_model)
        return;
    for (InputSection *section : {static_cast<InputSection *>(m_model), static_cast<InputSection *>(m_load),
                                  static_cast<InputSection *>(m_hardware), static_cast<InputSection *>(m_advanced)})
        section->showState(state);
}

QSize InputsPanel::sizeHint() const
{
    constexpr int usualWidth = 44, height = 600; // digits, until the sections say it exactly
    const int wide = widget() ? widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width()
                              : fontMetrics().horizontalAdvance(QLatin1Char('0')) * usualWidth;
    return {wide, height};
}

/// The page never needs more width than there is: sideways scrolling is off.
void InputsPanel::keepWide() { setMinimumWidth(widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width()); }

} // namespace kvscope
