// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/memorybar.h"

#include "ui/hatch.h"

#include <QCoreApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLocale>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>

namespace kvscope {

namespace {

constexpr double corner = 4;
constexpr int barHeight = 26;
constexpr int swatch = 10;
constexpr int entryGap = 16;
constexpr double unusedOpacity = 0.35;
constexpr int veilAlpha = 150; ///< of what does not fit: its colours stay to be told apart, but stand back

} // namespace

Bytes barLength(const DevicePlan &device) { return std::max(device.memory, device.total + (device.memory - device.budget)); }

std::vector<BarPiece> barPieces(const DevicePlan &device)
{
    std::vector<BarPiece> pieces;
    Bytes at{0};
    const auto add = [&](BarPiece::Kind kind, Part part, Bytes bytes) {
        if (bytes.value <= 0)
            return;
        pieces.push_back({kind, part, bytes, at});
        at += bytes;
    };
    for (int i = 0; i < partCount; ++i) {
        const auto part = static_cast<Part>(i);
        const Bytes needed =
            part == Part::Kv && device.kvNeeded.value > 0 ? std::min(device.kvNeeded, device.used[part]) : device.used[part];
        add(BarPiece::Kind::Part, part, needed);
        add(BarPiece::Kind::Unused, part, device.used[part] - needed);
    }
    const Bytes budget = std::max(device.budget, Bytes{0});
    add(BarPiece::Kind::Free, Part::Weights, budget - at);
    add(BarPiece::Kind::Kept, Part::Weights, device.memory - budget);
    if (device.total > budget)
        pieces.push_back({BarPiece::Kind::Excess, Part::Weights, device.total - budget, budget}); // lies over the parts
    return pieces;
}

/// As the part is, but faint: it is held, and nothing is in it.
static void fillUnused(QPainter &painter, const QRectF &place, Part part, const Theme &theme)
{
    painter.save();
    painter.setOpacity(painter.opacity() * unusedOpacity);
    fillPart(painter, place, part, theme);
    painter.restore();
}

void paintBar(QPainter &painter, const QRectF &place, const DevicePlan &device, Bytes length, const Theme &theme, bool ghost)
{
    if (length.value <= 0)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    if (ghost)
        painter.setOpacity(0.45);
    QPainterPath outline;
    const double scale = place.width() / static_cast<double>(length.value);
    const QRectF whole(place.left(), place.top(), static_cast<double>(barLength(device).value) * scale, place.height());
    outline.addRoundedRect(whole, corner, corner);
    painter.setClipPath(outline, Qt::IntersectClip);
    painter.fillRect(whole, theme.free);
    for (const BarPiece &piece : barPieces(device)) {
        const QRectF part(place.left() + static_cast<double>(piece.begins.value) * scale, place.top(),
                          static_cast<double>(piece.bytes.value) * scale, place.height());
        switch (piece.kind) {
        case BarPiece::Kind::Part: fillPart(painter, part, piece.part, theme); break;
        case BarPiece::Kind::Unused: fillUnused(painter, part, piece.part, theme); break;
        case BarPiece::Kind::Excess: {
            QColor veil = theme.card;
            veil.setAlpha(veilAlpha);
            painter.fillRect(part, veil);
            fillOutOfMemory(painter, part, theme);
            break;
        }
        case BarPiece::Kind::Kept: painter.fillRect(part, theme.border); break;
        case BarPiece::Kind::Free: break;
        }
    }
    painter.restore();
}

bool tellsOf(const std::string &figure, Part part)
{
    switch (part) {
    case Part::Weights: return figure.starts_with("weights");
    case Part::Kv: return figure == "kv.total_bytes" || figure == "kv_bytes" || figure.ends_with(".kv_bytes");
    case Part::State: return figure.find("state") != std::string::npos;
    case Part::Activation: return figure.find("activation") != std::string::npos;
    case Part::Graph: return figure.find("graph") != std::string::npos;
    case Part::Runtime: return figure.find("runtime") != std::string::npos;
    }
    return false;
}

QString name(const BarPiece &piece)
{
    switch (piece.kind) {
    case BarPiece::Kind::Part: return text::name(piece.part);
    case BarPiece::Kind::Unused: return QCoreApplication::translate("kvscope::MemoryBar", "KV pool, unused");
    case BarPiece::Kind::Excess: return QCoreApplication::translate("kvscope::MemoryBar", "does not fit");
    case BarPiece::Kind::Free: return QCoreApplication::translate("kvscope::MemoryBar", "free");
    case BarPiece::Kind::Kept: return QCoreApplication::translate("kvscope::MemoryBar", "not usable", "memory that the plan may not take");
    }
    return {};
}

MemoryBar::MemoryBar(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

const DevicePlan *MemoryBar::device() const
{
    const Plan *plan = m_state.results ? m_state.results->selectedPlan() : nullptr;
    return plan && plan->verdict != Verdict::Refused ? plan->binding() : nullptr;
}

void MemoryBar::showState(const ViewState &state)
{
    m_state = state;
    m_pieces = device() ? barPieces(*device()) : std::vector<BarPiece>{};
    if (m_pointed && *m_pointed >= m_pieces.size())
        m_pointed.reset();
    setAccessibleName(tr("Memory of the GPU by part"));
    QStringList words;
    for (const BarPiece &piece : m_pieces)
        words += QStringLiteral("%1 %2").arg(name(piece), text::bytes(piece.bytes, m_state.unit));
    setAccessibleDescription(words.join(QStringLiteral(", ")));
    update();
}

QString MemoryBar::readout(std::size_t index) const
{
    const BarPiece &piece = m_pieces[index];
    const double share = static_cast<double>(piece.bytes.value) / static_cast<double>(std::max<std::int64_t>(1, device()->memory.value));
    QString words =
        QStringLiteral("<span style='white-space:nowrap'><b>%1</b> %2 · %3 %</span>")
            .arg(name(piece).toHtmlEscaped(), text::bytes(piece.bytes, m_state.unit, true), QLocale().toString(share * 100, 'f', 1));
    if (piece.kind != BarPiece::Kind::Part)
        return words;
    for (const Explanation &line :
         explain(m_state.results->scenario, *m_state.results->selectedCluster(), *m_state.results->selectedPlan())) {
        if (tellsOf(line.figure, piece.part))
            words += QStringLiteral("<br>%1<br><span style='white-space:nowrap'>%2</span>")
                         .arg(text::rule(line.rule).toHtmlEscaped(), QString::fromStdString(line.formula).toHtmlEscaped());
    }
    return words;
}

QRectF MemoryBar::pieceRect(const BarPiece &piece) const
{
    const double scale = (width() - 4.0) / static_cast<double>(std::max<std::int64_t>(1, barLength(*device()).value));
    return {2 + static_cast<double>(piece.begins.value) * scale, 2, static_cast<double>(piece.bytes.value) * scale, height() - 4.0};
}

std::optional<std::size_t> MemoryBar::pieceAt(QPointF at) const
{
    if (!device())
        return {};
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        if (pieceRect(m_pieces[i]).contains(at))
            return i;
    }
    return {};
}

void MemoryBar::point(std::optional<std::size_t> piece)
{
    m_pointed = piece;
    update();
    if (piece)
        QToolTip::showText(mapToGlobal(pieceRect(m_pieces[*piece]).bottomLeft().toPoint()), readout(*piece), this);
    else
        QToolTip::hideText();
}

bool MemoryBar::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto *help = static_cast<QHelpEvent *>(event);
        if (const auto piece = pieceAt(help->pos()))
            QToolTip::showText(help->globalPos(), readout(*piece), this, pieceRect(m_pieces[*piece]).toAlignedRect());
        else
            QToolTip::hideText();
        return true;
    }
    return QWidget::event(event);
}

void MemoryBar::mousePressEvent(QMouseEvent *event)
{
    const auto piece = pieceAt(event->position());
    if (piece && (m_pieces[*piece].kind == BarPiece::Kind::Part || m_pieces[*piece].kind == BarPiece::Kind::Unused))
        emit explanationWanted(m_pieces[*piece].part);
}

void MemoryBar::keyPressEvent(QKeyEvent *event)
{
    const auto last = m_pieces.size();
    switch (event->key()) {
    case Qt::Key_Right:
        if (last > 0)
            point(m_pointed ? std::min(*m_pointed + 1, last - 1) : 0);
        return;
    case Qt::Key_Left:
        if (last > 0)
            point(m_pointed && *m_pointed > 0 ? *m_pointed - 1 : 0);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        if (m_pointed && m_pieces[*m_pointed].kind == BarPiece::Kind::Part)
            emit explanationWanted(m_pieces[*m_pointed].part);
        return;
    default: QWidget::keyPressEvent(event);
    }
}

void MemoryBar::focusOutEvent(QFocusEvent *event)
{
    m_pointed.reset();
    QWidget::focusOutEvent(event);
    update();
}

void MemoryBar::paintEvent(QPaintEvent *)
{
    if (!device())
        return;
    QPainter p(this);
    const Theme &theme = themeOf(palette());
    const QRectF place = QRectF(rect()).adjusted(2, 2, -2, -2);
    paintBar(p, place, *device(), barLength(*device()), theme);
    p.setRenderHint(QPainter::Antialiasing);
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        const BarPiece &piece = m_pieces[i];
        QRectF part = pieceRect(piece);
        if (m_pieces.back().kind == BarPiece::Kind::Excess) // words stand where nothing is hatched
            part.setRight(std::min(part.right(), pieceRect(m_pieces.back()).left()));
        const QString words = QStringLiteral("%1 %2").arg(name(piece), text::bytesNumber(piece.bytes, m_state.unit));
        if (piece.kind != BarPiece::Kind::Part && piece.kind != BarPiece::Kind::Unused && piece.kind != BarPiece::Kind::Free)
            continue;
        if (fontMetrics().horizontalAdvance(words) + 12 <= part.width()) {
            p.setPen(piece.kind == BarPiece::Kind::Part   ? readableOn(theme.look(piece.part).fill)
                     : piece.kind == BarPiece::Kind::Free ? theme.muted
                                                          : theme.text);
            p.drawText(part, Qt::AlignCenter, words);
        }
    }
    if (hasFocus()) {
        p.setPen(QPen(theme.accent, 2));
        p.setBrush(Qt::NoBrush);
        p.drawRoundedRect(m_pointed ? pieceRect(m_pieces[*m_pointed]) : QRectF(rect()).adjusted(1, 1, -1, -1), corner, corner);
    }
}

QSize MemoryBar::sizeHint() const { return {320, std::max(barHeight, fontMetrics().height() + 8) + 4}; }

QSize MemoryBar::minimumSizeHint() const { return {160, sizeHint().height()}; }

MemoryLegend::MemoryLegend(QWidget *parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void MemoryLegend::showState(const ViewState &state)
{
    std::vector<Entry> entries;
    const Plan *plan = state.results ? state.results->selectedPlan() : nullptr;
    if (const DevicePlan *device = plan && plan->verdict != Verdict::Refused ? plan->binding() : nullptr) {
        for (const BarPiece &piece : barPieces(*device))
            entries.push_back({piece, QStringLiteral("%1 %2").arg(name(piece), text::bytes(piece.bytes, state.unit))});
    }
    const bool otherCount = entries.size() != m_entries.size();
    m_entries = std::move(entries);
    if (otherCount)
        updateGeometry();
    update();
}

int MemoryLegend::place(int room, QPainter *painter) const
{
    const int line = fontMetrics().height() + 2;
    int x = 0, y = 0;
    for (const Entry &entry : m_entries) {
        const int w = swatch + 5 + fontMetrics().horizontalAdvance(entry.text);
        if (x > 0 && x + w > room) {
            x = 0;
            y += line;
        }
        if (painter) {
            const Theme &theme = themeOf(palette());
            const QRectF box(x, y + (line - swatch) / 2.0, swatch, swatch);
            switch (entry.piece.kind) {
            case BarPiece::Kind::Part: fillPart(*painter, box, entry.piece.part, theme); break;
            case BarPiece::Kind::Unused: fillUnused(*painter, box, entry.piece.part, theme); break;
            case BarPiece::Kind::Excess: fillOutOfMemory(*painter, box, theme); break;
            case BarPiece::Kind::Free: painter->fillRect(box, theme.free); break;
            case BarPiece::Kind::Kept: painter->fillRect(box, theme.border); break;
            }
            painter->setPen(theme.muted);
            painter->drawText(QRect(x + swatch + 5, y, w, line), Qt::AlignVCenter | Qt::AlignLeft, entry.text);
        }
        x += w + entryGap;
    }
    return y + line;
}

int MemoryLegend::heightForWidth(int room) const { return place(room, nullptr); }

QSize MemoryLegend::sizeHint() const { return {320, fontMetrics().height() + 2}; }

QSize MemoryLegend::minimumSizeHint() const { return {160, fontMetrics().height() + 2}; }

void MemoryLegend::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    place(width(), &p);
}

} // namespace kvscope
