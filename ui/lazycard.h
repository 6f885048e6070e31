// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QFrame>

namespace kvscope {

class CardHeader;

/// A card with a header that shows a state only while it is seen, and says its words anew when the language changes.
class LazyCard : public QFrame {
    Q_OBJECT

public:
    /// At once where the card is seen, else when it comes to be.
    void showState(const ViewState &state);

signals:
    void done(const QString &sentence);

protected:
    explicit LazyCard(QWidget *parent);

    /// The header above the card's content.
    void arrange(CardHeader *header, QWidget *content);
    void changeEvent(QEvent *event) override;
    void showEvent(QShowEvent *event) override;

private:
    virtual void fill(const ViewState &state) = 0;
    virtual void retranslate() = 0;

    ViewState m_state;
    bool m_stale = false;
};

} // namespace kvscope
