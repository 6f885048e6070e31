// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QTimer>

class QLabel;
class QToolButton;

namespace kvscope {

/// One quiet line on top of the window: what went wrong (stays until closed) or what was done (goes by itself).
class Banner : public QFrame {
    Q_OBJECT

public:
    explicit Banner(QWidget *parent = nullptr);

    void showError(const QString &sentence);
    void showDone(const QString &sentence);
    /// Stays until another message comes or a person closes it, which means "stop".
    void showWaiting(const QString &sentence);
    QString words() const;

signals:
    /// By a person.
    void closed();

protected:
    void changeEvent(QEvent *event) override;

private:
    void show(const QString &sentence, bool error, bool stays);
    void paintColours();

    QLabel *m_label;
    QToolButton *m_close;
    QTimer m_timer;
    bool m_error = false;
};

} // namespace kvscope
