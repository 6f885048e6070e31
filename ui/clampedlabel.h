// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

namespace kvscope {

/// Muted words in at most so many lines. What does not fit is elided and stands whole in the tool tip; it never pushes its neighbours.
class ClampedLabel : public QWidget {
    Q_OBJECT

public:
    explicit ClampedLabel(int mostLines, QWidget *parent);

    void setText(const QString &text);
    const QString &text() const { return m_text; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, 0}; }

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    /// Lays out, and paints where there is a painter; false: something had to be elided.
    bool lay(QPainter *painter) const;

    int m_mostLines;
    QString m_text;
};

} // namespace kvscope
