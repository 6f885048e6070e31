// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/powerslider.h"

#include "ui/theme.h"

#include <QKeyEvent>
#include <QPainter>
#include <QStyle>
#include <QWheelEvent>

#include <algorithm>
#include <bit>
#include <cmath>

namespace kvscope {

namespace {

constexpr int handleRadius = 7;
constexpr int grooveHeight = 4;
constexpr int rowHeight = 22;
constexpr int resolution = 10'000; ///< of QAbstractSlider's own value, which only accessibility reads

} // namespace

PowerSlider::PowerSlider(Spacing spacing, QWidget *parent) : QAbstractSlider(parent), m_spacing(spacing)
{
    setOrientation(Qt::Horizontal);
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QAbstractSlider::setRange(0, resolution);
}

void PowerSlider::setStops(std::vector<std::int64_t> stops, std::int64_t grain)
{
    if (stops.empty() || (stops == m_stops && grain == m_grain))
        return;
    m_stops = std::move(stops);
    m_grain = grain;
    setQuantity(m_quantity);
    update();
}

void PowerSlider::setQuantity(std::int64_t value)
{
    m_quantity = value;
    const QSignalBlocker quiet(this);
    QAbstractSlider::setValue(static_cast<int>(std::lround(fractionOf(value) * resolution)));
    update();
}

void PowerSlider::setMarks(std::vector<SliderMark> marks)
{
    if (marks == m_marks)
        return;
    m_marks = std::move(marks);
    update();
}

void PowerSlider::setMarkRow(bool on)
{
    m_markRow = on;
    updateGeometry();
}

void PowerSlider::setSpokenValue(const QString &words)
{
    if (accessibleDescription() != words)
        setAccessibleDescription(words);
}

double PowerSlider::fractionOf(std::int64_t value) const
{
    if (m_stops.size() < 2)
        return 0;
    const double lowest = static_cast<double>(m_stops.front()), highest = static_cast<double>(m_stops.back());
    const double v = std::clamp(static_cast<double>(value), lowest, highest);
    if (m_spacing == Spacing::Logarithmic)
        return std::log(v / lowest) / std::log(highest / lowest);
    const auto at = std::lower_bound(m_stops.begin(), m_stops.end(), value);
    const auto index = std::min<std::ptrdiff_t>(at - m_stops.begin(), static_cast<std::ptrdiff_t>(m_stops.size()) - 1);
    return static_cast<double>(index) / static_cast<double>(m_stops.size() - 1);
}

std::int64_t PowerSlider::valueAt(double fraction) const
{
    const double f = std::clamp(fraction, 0.0, 1.0);
    if (m_spacing == Spacing::Even)
        return m_stops[static_cast<std::size_t>(std::lround(f * static_cast<double>(m_stops.size() - 1)))];
    const double lowest = static_cast<double>(m_stops.front()), highest = static_cast<double>(m_stops.back());
    return rounded(lowest * std::pow(highest / lowest, f));
}

std::int64_t PowerSlider::grainAt(std::int64_t value) const
{
    if (m_grain > 0)
        return m_grain;
    const auto power = std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, value)));
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(power / 64));
}

std::int64_t PowerSlider::rounded(double value) const
{
    const std::int64_t grain = grainAt(std::llround(value));
    const std::int64_t whole = static_cast<std::int64_t>(std::llround(value / static_cast<double>(grain))) * grain;
    return std::clamp(whole, m_stops.front(), m_stops.back());
}

double PowerSlider::xOf(std::int64_t value) const
{
    const double f = fractionOf(value);
    const double room = width() - 2.0 * handleRadius - 2;
    return handleRadius + 1 + (isRightToLeft() ? 1 - f : f) * room;
}

std::int64_t PowerSlider::stopNear(double x) const
{
    return *std::min_element(m_stops.begin(), m_stops.end(),
                             [this, x](auto a, auto b) { return std::abs(xOf(a) - x) < std::abs(xOf(b) - x); });
}

void PowerSlider::follow(double x)
{
    const double room = std::max(1.0, width() - 2.0 * handleRadius - 2);
    double f = (x - handleRadius - 1) / room;
    if (isRightToLeft())
        f = 1 - f;
    // Gentle: a third of the way to the neighbouring stop belongs to the stop, at most six pixels.
    const std::int64_t stop = stopNear(x);
    const double pull = std::min(6.0, room / static_cast<double>(m_stops.size()) / 3);
    give(std::abs(xOf(stop) - x) <= pull ? stop : valueAt(f));
}

void PowerSlider::give(std::int64_t value)
{
    if (value == m_quantity)
        return;
    setQuantity(value);
    emit moved(value);
}

void PowerSlider::step(int direction, bool fine)
{
    if (fine && m_spacing == Spacing::Logarithmic) {
        give(std::clamp(m_quantity + direction * grainAt(m_quantity), m_stops.front(), m_stops.back()));
        return;
    }
    if (direction > 0) {
        const auto next = std::upper_bound(m_stops.begin(), m_stops.end(), m_quantity);
        if (next != m_stops.end())
            give(*next);
    } else {
        const auto here = std::lower_bound(m_stops.begin(), m_stops.end(), m_quantity);
        if (here != m_stops.begin())
            give(*std::prev(here));
    }
}

void PowerSlider::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return event->ignore();
    setSliderDown(true);
    // A press on the handle does not move it, so that a click alone never changes the value.
    if (std::abs(event->position().x() - xOf(m_quantity)) > handleRadius)
        follow(event->position().x());
    update();
}

void PowerSlider::mouseMoveEvent(QMouseEvent *event)
{
    m_pointerMoved = true;
    if (isSliderDown())
        follow(event->position().x());
}

void PowerSlider::mouseReleaseEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !isSliderDown())
        return event->ignore();
    setSliderDown(false);
    emit gestureEnded();
    update();
}

void PowerSlider::keyPressEvent(QKeyEvent *event)
{
    const bool fine = event->modifiers().testFlag(Qt::ShiftModifier);
    const int forwards = isRightToLeft() ? -1 : 1;
    switch (event->key()) {
    case Qt::Key_Right: return step(forwards, fine);
    case Qt::Key_Left: return step(-forwards, fine);
    case Qt::Key_Up: return step(1, fine);
    case Qt::Key_Down: return step(-1, fine);
    case Qt::Key_PageUp: step(1, false); return step(1, false);
    case Qt::Key_PageDown: step(-1, false); return step(-1, false);
    case Qt::Key_Home: return give(m_stops.front());
    case Qt::Key_End: return give(m_stops.back());
    default: event->ignore();
    }
}

void PowerSlider::wheelEvent(QWheelEvent *event)
{
    if (!hasFocus() && !m_pointerMoved)
        return event->ignore();
    constexpr int notch = 120;
    const QPoint turn = event->angleDelta();
    m_wheelRest += turn.y() != 0 ? turn.y() : turn.x();
    for (; m_wheelRest >= notch; m_wheelRest -= notch)
        step(1, event->modifiers().testFlag(Qt::ShiftModifier));
    for (; m_wheelRest <= -notch; m_wheelRest += notch)
        step(-1, event->modifiers().testFlag(Qt::ShiftModifier));
    event->accept();
}

void PowerSlider::leaveEvent(QEvent *event)
{
    m_pointerMoved = false;
    emit gestureEnded();
    QAbstractSlider::leaveEvent(event);
}

void PowerSlider::focusOutEvent(QFocusEvent *event)
{
    emit gestureEnded();
    QAbstractSlider::focusOutEvent(event);
    update();
}

QSize PowerSlider::sizeHint() const { return {160, rowHeight + (m_markRow ? fontMetrics().height() : 0)}; }

QSize PowerSlider::minimumSizeHint() const { return {80, sizeHint().height()}; }

void PowerSlider::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    p.setRenderHint(QPainter::Antialiasing);
    const Theme &theme = themeOf(palette());
    const QColor accent = isEnabled() ? theme.accent : theme.fieldBorder;
    const double y = rowHeight / 2.0, x = xOf(m_quantity);
    const QRectF groove(handleRadius + 1, y - grooveHeight / 2.0, width() - 2.0 * handleRadius - 2, grooveHeight);
    p.setPen(Qt::NoPen);
    p.setBrush(theme.fieldBorder);
    p.drawRoundedRect(groove, grooveHeight / 2.0, grooveHeight / 2.0);
    QRectF done = groove;
    if (isRightToLeft())
        done.setLeft(x);
    else
        done.setRight(x);
    p.setBrush(accent);
    p.drawRoundedRect(done, grooveHeight / 2.0, grooveHeight / 2.0);
    paintMarks(p);
    constexpr double leastDistance = 12; // closer dots would be a line
    if (m_spacing == Spacing::Even && static_cast<double>(width()) >= leastDistance * static_cast<double>(m_stops.size())) {
        p.setPen(Qt::NoPen);
        for (const std::int64_t stop : m_stops) {
            const double at = xOf(stop);
            p.setBrush(at <= x ? accent : theme.fieldBorder);
            p.drawEllipse(QPointF(at, y), grooveHeight - 1, grooveHeight - 1);
        }
    }
    if (hasFocus()) {
        QColor halo = accent;
        halo.setAlpha(70);
        p.setPen(Qt::NoPen);
        p.setBrush(halo);
        p.drawEllipse(QPointF(x, y), handleRadius + 3.5, handleRadius + 3.5);
    }
    p.setBrush(theme.card);
    p.setPen(QPen(accent, isSliderDown() ? 3.5 : 2.5));
    p.drawEllipse(QPointF(x, y), handleRadius - 1.0, handleRadius - 1.0);
}

void PowerSlider::paintMarks(QPainter &p) const
{
    if (!m_markRow || m_marks.empty())
        return;
    p.save();
    const Theme &theme = themeOf(palette());
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    p.setFont(small);
    const QFontMetrics metrics(small);
    const int gap = metrics.averageCharWidth() * 2;
    // Each label is centred on its tick, then pushed inside and to the right of the one before it; the last may push back to the left.
    std::vector<SliderMark> marks = m_marks;
    std::sort(marks.begin(), marks.end(), [this](const auto &a, const auto &b) { return xOf(a.value) < xOf(b.value); });
    std::vector<QRect> places;
    int from = 0;
    for (const SliderMark &mark : marks) {
        const int w = metrics.horizontalAdvance(mark.label);
        const int left = std::max(from, std::min(static_cast<int>(xOf(mark.value)) - w / 2, width() - w));
        places.emplace_back(left, rowHeight - 2, w, metrics.height());
        from = left + w + gap;
    }
    int to = width();
    for (std::size_t i = places.size(); i-- > 0;) {
        places[i].moveLeft(std::max(0, std::min(places[i].left(), to - places[i].width())));
        to = places[i].left() - gap;
    }
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const QColor colour = marks[i].warns ? theme.outOfMemory : theme.muted;
        p.setPen(QPen(colour, 1.5));
        const double x = xOf(marks[i].value);
        p.drawLine(QPointF(x, rowHeight / 2.0 - 6), QPointF(x, rowHeight - 3.0));
        p.drawText(places[i], Qt::AlignCenter, marks[i].label);
    }
    p.restore();
}

} // namespace kvscope
