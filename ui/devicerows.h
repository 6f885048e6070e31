// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"
#include "ui/view.h"

#include <QWidget>

#include <vector>

namespace kvscope {

/// A row of the machine: equal devices together, or the host.
struct DeviceRow {
    QString name;
    DevicePlan share;     ///< of one device
    bool decides = false; ///< the verdict is this one's
    bool host = false;
    bool alike = false; ///< all devices of the machine hold the same: the one bar tells it
};

/// What each device and the host hold, where there is more than one device or anything on the host.
std::vector<DeviceRow> deviceRows(const Scenario &scenario, const Plan &plan, text::Unit unit);

/// The rows as name, bar and figure; empty where there are none. The pointer on a row, or its description, tells its parts.
class DeviceRows : public QWidget {
    Q_OBJECT

public:
    explicit DeviceRows(QWidget *parent = nullptr);

    void showState(const ViewState &state);
    int rowCount() const { return static_cast<int>(m_rows.size()); }
    int rowHeight() const;
    /// Name, total and parts of one row.
    QString readout(std::size_t row) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    QString figure(const DeviceRow &row) const;

    std::vector<DeviceRow> m_rows;
    text::Unit m_unit = text::Unit::GB;
};

} // namespace kvscope
