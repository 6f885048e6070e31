// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/axis.h"

#include <array>
#include <cmath>

namespace kvscope {

namespace {

// The smallest round end at or above `needed`.
double roundEnd(double needed, StickyEnd::Steps steps)
{
    if (steps == StickyEnd::Steps::Binary) {
        const double power = std::exp2(std::floor(std::log2(needed)));
        for (const double factor : {1.0, 1.25, 1.5, 1.75}) {
            if (power * factor >= needed)
                return power * factor;
        }
        return power * 2;
    }
    const double power = std::pow(10, std::floor(std::log10(needed)));
    for (const double factor : {1.0, 1.2, 1.6, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0}) {
        if (power * factor >= needed * (1 - 1e-12))
            return power * factor;
    }
    return power * 10;
}

} // namespace

double StickyEnd::update(double needed, Steps steps, double slack)
{
    if (!std::isfinite(needed) || needed <= 0)
        needed = 1;
    if (needed > m_end || needed < m_end * slack)
        m_end = roundEnd(needed, steps);
    return m_end;
}

double inUnit(Bytes bytes, text::Unit unit)
{
    return static_cast<double>(bytes.value) / static_cast<double>(unit == text::Unit::GB ? bytesPerGB : bytesPerGiB);
}

QList<double> binaryTicks(double high, int most)
{
    double step = 1;
    while (high / step > most)
        step *= 2;
    QList<double> result;
    for (double at = 0; at <= high * (1 + 1e-9); at += step)
        result.append(at);
    return result;
}

QList<double> decimalTicks(double high, int most)
{
    double power = std::pow(10, std::floor(std::log10(high)) - 1);
    for (;; power *= 10) {
        for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
            const double step = power * factor;
            if (high / step > most)
                continue;
            QList<double> result;
            for (int i = 0; i * step <= high * (1 + 1e-9); ++i)
                result.append(i * step);
            return result;
        }
    }
}

} // namespace kvscope
