// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QPushButton>

#include <vector>

namespace kvscope {

class FlowLayout;

/// High enough for round ends and a line of text.
int chipHeight(const QPushButton &chip);

/// The machine in a chip: click selects, the cross or Delete takes it out of the comparison.
class DeviceChip : public QPushButton {
    Q_OBJECT

public:
    explicit DeviceChip(QWidget *parent);
    void setRemovable(bool on);

    QSize sizeHint() const override;

signals:
    void removed();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    QRect crossRect() const;

    bool m_removable = false;
    bool m_pressedCross = false;
};

/// A chip for each machine that is compared, and a last button that adds one.
class DeviceChips : public QWidget {
    Q_OBJECT

public:
    /// `adder` becomes the last of the row.
    explicit DeviceChips(QWidget *adder, QWidget *parent = nullptr);

    void showState(const ViewState &state);
    const std::vector<DeviceChip *> &chips() const { return m_chips; }

signals:
    /// Other chips than before.
    void remade();
    void selected(int cluster);
    void removed(int cluster);

private:
    FlowLayout *m_layout;
    std::vector<DeviceChip *> m_chips;
};

} // namespace kvscope
