// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSpinBox>

#include <functional>

namespace kvscope {

/// A number of ways to split. Its arrows pass over what is not accepted; what is typed is taken as it is, and the plan says why it can't be.
class SplitBox : public QSpinBox {
    Q_OBJECT

public:
    explicit SplitBox(QWidget *parent = nullptr) : QSpinBox(parent) {}

    void setAccepts(std::function<bool(int)> accepts) { m_accepts = std::move(accepts); }

    void stepBy(int steps) override
    {
        constexpr int furthest = 256; // values looked at: each is a plan begun
        const int direction = steps < 0 ? -1 : 1;
        int at = value(), left = steps * direction;
        for (int looked = 0, next = at + direction; left > 0 && looked < furthest && next >= minimum() && next <= maximum();
             ++looked, next += direction) {
            if (m_accepts && !m_accepts(next))
                continue;
            at = next;
            --left;
        }
        if (at == value() && at + direction >= minimum() && at + direction <= maximum())
            emit refused(at + direction);
        setValue(at);
    }

signals:
    /// Nothing that way is accepted; `value` is the first that was looked at.
    void refused(int value);

private:
    std::function<bool(int)> m_accepts;
};

} // namespace kvscope
