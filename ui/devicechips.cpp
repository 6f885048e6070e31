// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/devicechips.h"

#include "ui/flowlayout.h"
#include "ui/theme.h"

#include <QKeyEvent>
#include <QStyleOptionButton>
#include <QStylePainter>

namespace kvscope {

namespace {

constexpr int crossRoom = 16;
constexpr int sideRoom = 10;
constexpr double crossArm = 3.5;

} // namespace

int chipHeight(const QPushButton &chip) { return chip.fontMetrics().height() + 9; }

DeviceChip::DeviceChip(QWidget *parent) : QPushButton(parent)
{
    setCheckable(true);
    setAutoExclusive(false);
    setProperty("chip", true);
}

void DeviceChip::setRemovable(bool on)
{
    if (m_removable == on)
        return;
    m_removable = on;
    updateGeometry();
    update();
}

QSize DeviceChip::sizeHint() const
{
    // Not asked of the style: through a style sheet that costs a hundred times as much, and a flow layout asks often.
    return {fontMetrics().horizontalAdvance(text()) + 2 * sideRoom + (m_removable ? crossRoom : 0), chipHeight(*this)};
}

QRect DeviceChip::crossRect() const
{
    const QRect right(width() - crossRoom - sideRoom / 2, 0, crossRoom + sideRoom / 2, height());
    return QStyle::visualRect(layoutDirection(), rect(), right);
}

void DeviceChip::paintEvent(QPaintEvent *)
{
    QStylePainter p(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    p.drawControl(QStyle::CE_PushButtonBevel, option);
    const QColor ink = isChecked() ? themeOf(palette()).accent : themeOf(palette()).text;
    p.setPen(ink);
    const QRect words =
        QStyle::visualRect(layoutDirection(), rect(), rect().adjusted(sideRoom, 0, -sideRoom - (m_removable ? crossRoom : 0), 0));
    p.drawText(words, Qt::AlignCenter, fontMetrics().elidedText(text(), Qt::ElideRight, words.width() + 1));
    if (!m_removable)
        return;
    p.setRenderHint(QPainter::Antialiasing);
    p.setPen(QPen(themeOf(palette()).muted, 1.4));
    const QPointF c = QRectF(crossRect()).center();
    p.drawLine(c - QPointF(crossArm, crossArm), c + QPointF(crossArm, crossArm));
    p.drawLine(c - QPointF(crossArm, -crossArm), c + QPointF(crossArm, -crossArm));
}

void DeviceChip::mousePressEvent(QMouseEvent *event)
{
    m_pressedCross = m_removable && event->button() == Qt::LeftButton && crossRect().contains(event->position().toPoint());
    if (!m_pressedCross)
        QPushButton::mousePressEvent(event);
}

void DeviceChip::mouseReleaseEvent(QMouseEvent *event)
{
    if (!m_pressedCross)
        return QPushButton::mouseReleaseEvent(event);
    m_pressedCross = false;
    if (crossRect().contains(event->position().toPoint()))
        emit removed();
}

void DeviceChip::keyPressEvent(QKeyEvent *event)
{
    if (m_removable && (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace))
        emit removed();
    else
        QPushButton::keyPressEvent(event);
}

DeviceChips::DeviceChips(QWidget *adder, QWidget *parent) : QWidget(parent), m_layout(new FlowLayout(this, 6))
{
    m_layout->insertWidget(0, adder);
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void DeviceChips::showState(const ViewState &state)
{
    const Scenario &scenario = state.results->scenario;
    const bool others = m_chips.size() != scenario.clusters.size();
    while (m_chips.size() < scenario.clusters.size()) {
        auto *chip = new DeviceChip(this);
        const int index = static_cast<int>(m_chips.size());
        chip->setObjectName(QStringLiteral("gpuChip%1").arg(index));
        connect(chip, &QPushButton::clicked, this, [this, index] {
            // What is selected stays so when clicked again: the state alone decides.
            m_chips[static_cast<std::size_t>(index)]->setChecked(true);
            emit selected(index);
        });
        // Later, when the chip's own event is over: it may be deleted by the answer.
        connect(
            chip, &DeviceChip::removed, this, [this, index] { emit removed(index); }, Qt::QueuedConnection);
        m_layout->insertWidget(index, chip);
        m_chips.push_back(chip);
        chip->show();
    }
    while (m_chips.size() > scenario.clusters.size()) {
        delete m_layout->takeAt(static_cast<int>(m_chips.size()) - 1);
        m_chips.back()->deleteLater();
        m_chips.back()->hide();
        m_chips.pop_back();
    }
    for (std::size_t i = 0; i < m_chips.size(); ++i) {
        DeviceChip *chip = m_chips[i];
        const QString name = text::name(scenario.clusters[i], state.unit);
        if (chip->text() != name) {
            chip->setText(name);
            chip->setAccessibleName(name);
            chip->updateGeometry();
        }
        const Plan *plan = i < state.results->plans.size() ? &state.results->plans[i] : nullptr;
        chip->setToolTip(plan ? QStringLiteral("%1: %2").arg(name, text::verdictSentence(*plan, state.unit)) : name);
        chip->setChecked(static_cast<int>(i) == scenario.selected);
        chip->setRemovable(m_chips.size() > 1);
    }
    if (others)
        emit remade();
}

} // namespace kvscope
