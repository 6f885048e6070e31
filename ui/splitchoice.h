// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QComboBox>

#include <functional>
#include <vector>

namespace kvscope {

/// A number of ways to split. Opened, it offers what model and engine accept; what they refuse stands there too, disabled, with the reason.
class SplitChoice : public QComboBox {
    Q_OBJECT

public:
    struct Offer {
        int value = 1;
        QString refusal; ///< empty: accepted
    };
    /// Asked whenever a person is about to choose.
    using Offers = std::function<std::vector<Offer>()>;

    /// `prefix`: "TP ", before each number.
    explicit SplitChoice(const QString &prefix, QWidget *parent = nullptr);

    void setOffers(Offers offers) { m_offers = std::move(offers); }
    /// Shows the number, whether or not it is offered; emits nothing.
    void setValue(int value);
    int value() const { return m_value; }
    /// Fills the list with what is offered now.
    void refill();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }
    void showPopup() override;

signals:
    void chosen(int value);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;

private:
    QString m_prefix;
    Offers m_offers;
    int m_value = 1;
};

} // namespace kvscope
