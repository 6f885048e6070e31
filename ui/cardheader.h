// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QLabel;
class QMenu;
class QToolButton;

namespace kvscope {

class ClampedLabel;

/// Title, subtitle and menu button on top of a card that is no chart.
class CardHeader : public QWidget {
    Q_OBJECT

public:
    /// `menu` is what the button opens; the header does not own it.
    CardHeader(QMenu *menu, QWidget *parent);

    /// A further control before the menu button, which the header takes over.
    void addControl(QWidget *control);
    void setWords(const QString &title, const QString &subtitle, const QString &menuName);

private:
    QLabel *m_title;
    ClampedLabel *m_subtitle;
    QToolButton *m_button;
};

} // namespace kvscope
