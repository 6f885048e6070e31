// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/text/text.h"

#include <QList>
#include <QString>

namespace kvscope {

struct Tick {
    double at = 0;
    QString text;

    bool operator==(const Tick &) const = default;
};

/// One axis of a chart: range and the ticks to draw. A logarithmic axis is linear in log2: its values are exponents.
struct Axis {
    double low = 0;
    double high = 1;
    QList<Tick> ticks;
    QString title;

    double length() const { return high - low; }
    bool operator==(const Axis &) const = default;
};

/// Keeps the end of an axis where it is as long as what has to be shown fits it well: it moves in round steps, only when needed, so that a
/// drag does not make the axis swim.
class StickyEnd {
public:
    /// The end for `needed`: at once where the old one is too short; smaller only where less than `slack` of it would be used.
    /// Round ends are 1, 1.5, 2, 3, 4, 6, 8 ... times a power of two for Binary, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten for Decimal.
    enum class Steps { Binary, Decimal };
    double update(double needed, Steps steps, double slack = 0.4);
    double value() const { return m_end; }

private:
    double m_end = 0;
};

/// Bytes as an axis of memory has them.
double inUnit(Bytes bytes, text::Unit unit);
/// Round ticks from 0 to `high`, at most `most`, with a binary step (16K, 32K ...) for token counts.
QList<double> binaryTicks(double high, int most);
/// Round ticks from 0 to `high`, at most `most`, steps 1, 2, 2.5 or 5 times a power of ten.
QList<double> decimalTicks(double high, int most);

} // namespace kvscope
