// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/answersarea.h"

#include "ui/cardarea.h"
#include "ui/verdictstrip.h"

#include <QResizeEvent>
#include <QVBoxLayout>

namespace kvscope {

namespace {

/// A scroll area asks for the height at its width: the least one, so that nothing scrolls that could be lower.
class Page : public QWidget {
public:
    using QWidget::QWidget;
    int heightForWidth(int width) const override { return layout()->minimumHeightForWidth(width); }
};

} // namespace

AnswersArea::AnswersArea(QWidget *parent) : QScrollArea(parent)
{
    constexpr int gap = 10;
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setMinimumWidth(fontMetrics().horizontalAdvance(QLatin1Char('0')) * 50);
    auto *page = new Page(this);
    page->setObjectName(QStringLiteral("answersPage"));
    m_strip = new VerdictStrip(page);
    m_strip->setObjectName(QStringLiteral("verdictStrip"));
    m_cards = new CardArea(page);
    m_cards->setObjectName(QStringLiteral("cards"));
    auto *column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(gap);
    column->addWidget(m_strip);
    column->addWidget(m_cards, 1);
    setWidget(page);
}

void AnswersArea::resizeEvent(QResizeEvent *event)
{
    m_cards->setRoom(event->size().width());
    QScrollArea::resizeEvent(event);
}

} // namespace kvscope
