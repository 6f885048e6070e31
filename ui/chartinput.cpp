// SPDX-License-Identifier: GPL-3.0-or-later
// How a chart answers to pointer and keyboard.
#include "ui/chartview.h"

#include <QFocusEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>

namespace kvscope {

namespace {

constexpr qreal handleRadius = 11;

} // namespace

// Nothing is handed on to QChartView: Qt Charts 6.4 dereferences null on a press where the view has no item (QTBUG-118669).
void ChartView::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_plot.contains(event->position())) {
        event->ignore();
        return;
    }
    m_dragging = true;
    m_grab = {};
    if (const std::optional<QPointF> off = offHandle(event->position())) {
        // Taken by its handle, the point moves from where it is.
        m_grab = *off;
        return;
    }
    request(scenarioAt(toValue(event->position())));
}

std::optional<QPointF> ChartView::offHandle(QPointF pixel) const
{
    const std::optional<QPointF> value = handle();
    if (!value)
        return std::nullopt;
    const QPointF off = pixel - toPixel(*value);
    return QPointF::dotProduct(off, off) <= handleRadius * handleRadius ? std::optional(off) : std::nullopt;
}

void ChartView::mouseMoveEvent(QMouseEvent *event)
{
    if (m_dragging) {
        // A drag goes on outside the plot, held at its edge.
        const QPointF wanted = event->position() - m_grab;
        const QPointF at(std::clamp(wanted.x(), m_plot.left(), m_plot.right()), std::clamp(wanted.y(), m_plot.top(), m_plot.bottom()));
        request(scenarioAt(toValue(at)));
        showSpot(spotAt(toValue(at)));
        return;
    }
    viewport()->setCursor(offHandle(event->position()) ? Qt::SizeAllCursor : Qt::ArrowCursor);
    showSpot(m_plot.contains(event->position()) ? spotAt(toValue(event->position())) : std::nullopt);
}

void ChartView::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_dragging)
        return;
    m_dragging = false;
    emit gestureEnded();
}

void ChartView::leaveEvent(QEvent *event)
{
    QChartView::leaveEvent(event);
    if (!m_dragging)
        showSpot(std::nullopt);
}

void ChartView::keyPressEvent(QKeyEvent *event)
{
    const bool fine = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (!arrowKey(event->key(), fine))
            event->ignore();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_spot)
            request(scenarioAt(m_spot->at));
        return;
    case Qt::Key_Escape:
        if (m_spot) {
            showSpot(std::nullopt);
            return;
        }
        break;
    default: break;
    }
    event->ignore();
}

void ChartView::keyReleaseEvent(QKeyEvent *event)
{
    // A key held down is one gesture. Shift alone is none.
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (!event->isAutoRepeat())
            emit gestureEnded();
        return;
    default: event->ignore();
    }
}

bool ChartView::event(QEvent *event)
{
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        viewport()->update();
        if (event->type() == QEvent::FocusOut && !underMouse())
            showSpot(std::nullopt);
    }
    return QChartView::event(event);
}

void ChartView::wheelEvent(QWheelEvent *event)
{
    // For the page around it.
    event->ignore();
}

void ChartView::request(const std::optional<Scenario> &scenario)
{
    // Also what equals the results shown: while a drag is ahead of them, the way back to where they stand is a request too.
    if (scenario && m_state.results)
        emit requested(*scenario);
}

} // namespace kvscope
