// SPDX-License-Identifier: GPL-3.0-or-later
// Figures: grouped and pointed by the locale of the chosen language; units are never translated.
#include "ui/text/text.h"

#include "ui/text/words.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace kvscope::text {

namespace {

constexpr int significantDigits = 4;
constexpr int mostDecimals = 3;

/// Four significant digits, at most `decimals` of them behind the point, no trailing zeros.
QString shortened(double value, int decimals = mostDecimals)
{
    const double size = std::fabs(value);
    const int before = size < 10 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
    decimals = std::clamp(significantDigits - before, 0, decimals);
    const double scale = std::pow(10.0, decimals);
    double rounded = std::round(value * scale) / scale;
    if (rounded == 0)
        rounded = 0; // no "-0"
    for (; decimals > 0; --decimals) {
        const double fewer = std::pow(10.0, decimals - 1);
        if (std::fabs(std::round(rounded * fewer) / fewer - rounded) > 1e-9)
            break;
    }
    return QLocale().toString(rounded, 'f', decimals);
}

struct Scale {
    std::int64_t size;
    QLatin1String name;
};
// From the unit that the user chose downwards: 131,072 bytes a token read better as 131.1 KB than as 0 GB.
constexpr std::array decimalScales{Scale{bytesPerGB, QLatin1String("GB")}, Scale{1'000'000, QLatin1String("MB")},
                                   Scale{1'000, QLatin1String("KB")}, Scale{1, QLatin1String("B")}};
constexpr std::array binaryScales{Scale{bytesPerGiB, QLatin1String("GiB")}, Scale{bytesPerMiB, QLatin1String("MiB")},
                                  Scale{1024, QLatin1String("KiB")}, Scale{1, QLatin1String("B")}};

const std::array<Scale, 4> &scalesOf(Unit unit) { return unit == Unit::GB ? decimalScales : binaryScales; }

QString tooLargeText() { return Words::tr("too large to count"); }

/// Every byte shows: nine decimals do for GB, ten for GiB (2^-30 is 9.3e-10).
QString exactNumber(Bytes value, Unit unit)
{
    const std::int64_t size = scalesOf(unit)[0].size;
    const bool negative = value.value < 0;
    const std::int64_t magnitude = negative ? -value.value : value.value;
    std::int64_t whole = magnitude / size;
    const std::int64_t rest = magnitude % size;
    const int digits = unit == Unit::GB ? 9 : 10;
    const auto power = static_cast<std::int64_t>(std::llround(std::pow(10.0, digits)));
    // rest < 2^30 and power <= 10^10: the product stays below 2^64.
    auto fraction = static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(rest) * static_cast<std::uint64_t>(power) + static_cast<std::uint64_t>(size / 2)) /
        static_cast<std::uint64_t>(size));
    if (fraction == power) {
        fraction = 0;
        ++whole;
    }
    QString text = QLocale().toString(static_cast<qlonglong>(whole));
    if (fraction != 0) {
        QString decimals = QString::number(fraction).rightJustified(digits, QLatin1Char('0'));
        while (decimals.endsWith(QLatin1Char('0')))
            decimals.chop(1);
        text += QLocale().decimalPoint() + decimals;
    }
    return negative ? QLocale().negativeSign() + text : text;
}

} // namespace

QString unitName(Unit unit) { return scalesOf(unit)[0].name; }

QString bytesNumber(Bytes value, Unit unit)
{
    if (value.tooLarge())
        return tooLargeText();
    return shortened(static_cast<double>(value.value) / static_cast<double>(scalesOf(unit)[0].size));
}

QString bytes(Bytes value, Unit unit, bool exact)
{
    if (value.tooLarge())
        return tooLargeText();
    const std::array<Scale, 4> &scales = scalesOf(unit);
    if (exact)
        return exactNumber(value, unit) + QLatin1Char(' ') + scales[0].name;
    const double size = std::fabs(static_cast<double>(value.value));
    std::size_t chosen = 0;
    if (value.value != 0) {
        // The next smaller unit only where four digits of it round to less than one of this.
        while (chosen + 1 < scales.size() && std::round(size / static_cast<double>(scales[chosen + 1].size)) <
                                                 static_cast<double>(scales[chosen].size / scales[chosen + 1].size))
            ++chosen;
    }
    return shortened(static_cast<double>(value.value) / static_cast<double>(scales[chosen].size)) + QLatin1Char(' ') + scales[chosen].name;
}

QString explained(const Explanation &line, Unit unit, bool exact)
{
    return line.quantity == Quantity::Count ? count(line.value.value) : bytes(line.value, unit, exact);
}

QString count(std::int64_t value) { return QLocale().toString(static_cast<qlonglong>(value)); }

QString reported(const ReportFigure &figure)
{
    const bool whole = figure.value == std::floor(figure.value);
    const QString value = whole ? count(static_cast<std::int64_t>(figure.value)) : QLocale().toString(figure.value, 'f', 2);
    return figure.device < 0 ? value : Words::tr("%1 (GPU %2)", "a figure of one device").arg(value).arg(figure.device);
}

QString tokens(TokenCount value) { return count(value.value); }

QString tokensShort(TokenCount value)
{
    constexpr std::int64_t k = 1024, m = k * k;
    if (value.value >= m && value.value % m == 0)
        return count(value.value / m) + QLatin1Char('M');
    if (value.value >= k && value.value % k == 0)
        return count(value.value / k) + QLatin1Char('K');
    return count(value.value);
}

QString parameters(std::int64_t value)
{
    static constexpr std::array scales{Scale{1'000'000'000'000, QLatin1String(" T")}, Scale{1'000'000'000, QLatin1String(" B")},
                                       Scale{1'000'000, QLatin1String(" M")}, Scale{1'000, QLatin1String(" K")}};
    if (value == tooLargeValue)
        return tooLargeText();
    for (std::size_t i = 0; i < scales.size(); ++i) {
        // One unit up where the digits shown would round to 1,000 of this one.
        const double threshold = 0.9995 * static_cast<double>(scales[i].size);
        if (static_cast<double>(value) >= threshold)
            return shortened(static_cast<double>(value) / static_cast<double>(scales[i].size), 2) + scales[i].name;
    }
    return count(value);
}

} // namespace kvscope::text
