// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/clampedlabel.h"

#include "ui/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QTextLayout>
#include <QToolTip>

#include <vector>

namespace kvscope {

ClampedLabel::ClampedLabel(int mostLines, QWidget *parent) : QWidget(parent), m_mostLines(mostLines)
{
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ClampedLabel::setText(const QString &text)
{
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    update();
}

QSize ClampedLabel::sizeHint() const { return {fontMetrics().averageCharWidth() * 30, fontMetrics().height() * m_mostLines}; }

bool ClampedLabel::lay(QPainter *painter) const
{
    QTextLayout layout(m_text, font());
    layout.beginLayout();
    std::vector<QTextLine> lines;
    while (static_cast<int>(lines.size()) < m_mostLines) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(width());
        lines.push_back(line);
    }
    layout.endLayout();
    bool whole = true;
    int y = (height() - static_cast<int>(lines.size()) * fontMetrics().height()) / 2;
    for (std::size_t i = 0; i < lines.size(); ++i, y += fontMetrics().height()) {
        const bool last = i + 1 == lines.size();
        const QString rest = m_text.mid(lines[i].textStart(), last ? -1 : lines[i].textLength());
        const QString words = fontMetrics().elidedText(rest.trimmed(), Qt::ElideRight, width());
        whole = whole && words == rest.trimmed();
        if (painter)
            painter->drawText(QRect(0, y, width(), fontMetrics().height()), Qt::AlignLeading | Qt::AlignVCenter | Qt::TextSingleLine,
                              words);
    }
    return whole;
}

bool ClampedLabel::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    if (lay(nullptr))
        QToolTip::hideText();
    else
        QToolTip::showText(static_cast<QHelpEvent *>(event)->globalPos(), m_text, this);
    return true;
}

void ClampedLabel::paintEvent(QPaintEvent *)
{
    QPainter p(this);
    p.setPen(themeOf(palette()).muted);
    lay(&p);
}

} // namespace kvscope
