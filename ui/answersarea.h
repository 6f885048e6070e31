// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

class QVBoxLayout;

namespace kvscope {

class CardArea;
class VerdictStrip;

/// Verdict and cards, one above the other. Scrolls where the window is low; where it is narrow the cards stand in one column.
class AnswersArea : public QScrollArea {
    Q_OBJECT

public:
    explicit AnswersArea(QWidget *parent = nullptr);

    VerdictStrip *strip() const { return m_strip; }
    CardArea *cards() const { return m_cards; }

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    VerdictStrip *m_strip;
    CardArea *m_cards;
};

} // namespace kvscope
