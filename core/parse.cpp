// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/parse.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace kvscope {

namespace {

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
        text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
        text.remove_suffix(1);
    return text;
}

/// A number and the unit behind it (one space allowed between); the unit in lower case. Digits may be grouped by `,` or `_`.
struct Quantity {
    std::string digits;
    std::string unit;
};

std::optional<Quantity> split(std::string_view text)
{
    text = trimmed(text);
    Quantity q;
    std::size_t i = 0;
    bool point = false;
    for (; i < text.size(); ++i) {
        const char c = text[i];
        if (std::isdigit(static_cast<unsigned char>(c))) {
            q.digits += c;
        } else if (c == '.' && !point) {
            point = true;
            q.digits += c;
        } else if ((c == ',' || c == '_') && !point && i > 0 && i + 1 < text.size() &&
                   std::isdigit(static_cast<unsigned char>(text[i + 1]))) {
            continue;
        } else {
            break;
        }
    }
    if (q.digits.empty() || q.digits.front() == '.' || q.digits.back() == '.')
        return {};
    if (i < text.size() && text[i] == ' ')
        ++i;
    for (; i < text.size(); ++i) {
        if (!std::isalpha(static_cast<unsigned char>(text[i])))
            return {};
        q.unit += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
    }
    return q;
}

/// A decimal text taken apart: 22.5 = 22 + 5 / 10. No locale is asked: std::stod would read a decimal comma in some.
struct Decimal {
    std::int64_t whole = 0;
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;
};

std::optional<Decimal> decimalOf(std::string_view digits)
{
    Decimal d;
    const std::size_t point = digits.find('.');
    const std::string_view head = digits.substr(0, point);
    if (std::from_chars(head.data(), head.data() + head.size(), d.whole).ec != std::errc{})
        return {};
    if (point != std::string_view::npos) {
        for (const char c : digits.substr(point + 1, 15)) { // 15 digits are what a byte count of 63 bits can tell apart
            d.numerator = d.numerator * 10 + (c - '0');
            d.denominator *= 10;
        }
    }
    return d;
}

/// digits * factor, rounded to the nearest; empty where it overflows.
std::optional<std::int64_t> scaled(const std::string &digits, std::int64_t factor)
{
    const std::optional<Decimal> d = decimalOf(digits);
    if (!d)
        return {};
    const long double fraction =
        static_cast<long double>(d->numerator) * static_cast<long double>(factor) / static_cast<long double>(d->denominator);
    const std::int64_t result = saturatingAdd(saturatingMultiply(d->whole, factor), static_cast<std::int64_t>(std::llroundl(fraction)));
    if (result == tooLargeValue)
        return {};
    return result;
}

struct Unit {
    std::string_view name;
    std::int64_t factor;
};

/// A quantity in one of these units; tooLargeValue where it can't be counted, empty where it is none.
template<std::size_t n>
std::optional<std::int64_t> valueIn(const std::array<Unit, n> &units, std::string_view text)
{
    const std::optional<Quantity> q = split(text);
    if (!q)
        return {};
    for (const Unit &unit : units) {
        if (unit.name == q->unit)
            return scaled(q->digits, unit.factor).value_or(tooLargeValue);
    }
    return {};
}

Error tooLarge(std::string_view text) { return {ErrorCode::TooLarge, std::string(text), {}, {}}; }

constexpr std::int64_t thousand = 1000, kibi = 1024;
constexpr std::array byteUnits{Unit{"", 1},
                               Unit{"b", 1},
                               Unit{"kb", thousand},
                               Unit{"mb", thousand *thousand},
                               Unit{"gb", bytesPerGB},
                               Unit{"tb", bytesPerGB *thousand},
                               Unit{"kib", kibi},
                               Unit{"mib", bytesPerMiB},
                               Unit{"gib", bytesPerGiB},
                               Unit{"tib", bytesPerGiB *kibi}};
constexpr std::array tokenUnits{Unit{"", 1}, Unit{"k", kibi}, Unit{"m", bytesPerMiB}};
constexpr std::array parameterUnits{Unit{"", 1}, Unit{"k", thousand}, Unit{"m", thousand *thousand}, Unit{"b", bytesPerGB},
                                    Unit{"t", bytesPerGB *thousand}};

std::string range(const std::string &lowest, const std::string &highest) { return lowest + ".." + highest; }

Error outOfRange(std::string_view text, const std::string &lowest, const std::string &highest)
{
    return {ErrorCode::OutOfRange, std::string(text), range(lowest, highest), {}};
}

std::string shortest(double value)
{
    std::string text = std::to_string(static_cast<std::int64_t>(value));
    const auto hundredths = static_cast<int>(std::lround((value - std::floor(value)) * 100));
    if (hundredths > 0)
        text += (hundredths < 10 ? ".0" : ".") + std::to_string(hundredths);
    return text;
}

} // namespace

Result<Bytes> parseBytes(std::string_view text)
{
    if (const auto value = valueIn(byteUnits, text); value == tooLargeValue)
        return tooLarge(text);
    else if (value)
        return Bytes{*value};
    return Error{ErrorCode::BadSize, std::string(text), {}, {}};
}

Result<TokenCount> parseTokens(std::string_view text)
{
    const auto value = valueIn(tokenUnits, text);
    if (!value)
        return Error{ErrorCode::BadNumber, std::string(text), "tokens", {}};
    if (*value > largestContext.value)
        return outOfRange(text, "0", std::to_string(largestContext.value));
    return TokenCount{*value};
}

Result<std::int64_t> parseParameters(std::string_view text)
{
    if (const auto value = valueIn(parameterUnits, text); value == tooLargeValue)
        return tooLarge(text);
    else if (value)
        return *value;
    return Error{ErrorCode::BadNumber, std::string(text), "parameters", {}};
}

Result<std::int64_t> parseWhole(std::string_view text, std::int64_t lowest, std::int64_t highest)
{
    const std::string_view plain = trimmed(text);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    if (error == std::errc::result_out_of_range)
        return outOfRange(text, std::to_string(lowest), std::to_string(highest));
    if (plain.empty() || error != std::errc{} || end != plain.data() + plain.size())
        return Error{ErrorCode::BadNumber, std::string(text), range(std::to_string(lowest), std::to_string(highest)), {}};
    if (value < lowest || value > highest)
        return outOfRange(text, std::to_string(lowest), std::to_string(highest));
    return value;
}

Result<double> parseDecimal(std::string_view text, double lowest, double highest)
{
    const std::optional<Quantity> q = split(text);
    const std::optional<Decimal> d = q && q->unit.empty() ? decimalOf(q->digits) : std::nullopt;
    if (!d)
        return Error{ErrorCode::BadNumber, std::string(text), range(shortest(lowest), shortest(highest)), {}};
    const double value = static_cast<double>(d->whole) + static_cast<double>(d->numerator) / static_cast<double>(d->denominator);
    if (value < lowest || value > highest)
        return outOfRange(text, shortest(lowest), shortest(highest));
    return value;
}

} // namespace kvscope
