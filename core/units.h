// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace kvscope {

/// The value that stands for "larger than can be counted". It is sticky: what is computed from it stays too large.
inline constexpr std::int64_t tooLargeValue = std::numeric_limits<std::int64_t>::max();

/// a + b for values of either sign; saturates at +-tooLargeValue instead of wrapping.
constexpr std::int64_t saturatingAdd(std::int64_t a, std::int64_t b)
{
    if (a == tooLargeValue || b == tooLargeValue)
        return tooLargeValue;
    if (b > 0 && a > tooLargeValue - b)
        return tooLargeValue;
    if (b < 0 && a < -tooLargeValue - b)
        return -tooLargeValue;
    return a + b;
}

/// a * b for values of either sign; saturates at +-tooLargeValue instead of wrapping.
constexpr std::int64_t saturatingMultiply(std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t small = std::int64_t{1} << 31;
    if (a > -small && a < small && b > -small && b < small)
        return a * b;
    if (a == 0 || b == 0)
        return 0;
    const bool negative = (a < 0) != (b < 0);
    const std::int64_t x = a < 0 ? -a : a;
    const std::int64_t y = b < 0 ? -b : b;
    if (x > tooLargeValue / y)
        return negative ? -tooLargeValue : tooLargeValue;
    return a * b;
}

/// Ceiling division of a non-negative integer by a positive one.
constexpr std::int64_t ceilDivide(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0); }

/// A number of bytes. Arithmetic saturates; `tooLarge()` tells. Never converts by itself.
struct Bytes {
    std::int64_t value = 0;

    constexpr bool tooLarge() const { return value == tooLargeValue; }
    constexpr auto operator<=>(const Bytes &) const = default;
    constexpr Bytes &operator+=(Bytes b)
    {
        value = saturatingAdd(value, b.value);
        return *this;
    }
    constexpr Bytes &operator-=(Bytes b)
    {
        value = saturatingAdd(value, b.tooLarge() ? -tooLargeValue : -b.value);
        return *this;
    }
};

constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
constexpr Bytes operator-(Bytes a, Bytes b) { return a -= b; }
constexpr Bytes operator*(Bytes a, std::int64_t n) { return {saturatingMultiply(a.value, n)}; }
constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }

/// A number of tokens. Adding bytes to tokens does not compile.
struct TokenCount {
    std::int64_t value = 0;

    constexpr auto operator<=>(const TokenCount &) const = default;
};

constexpr TokenCount operator+(TokenCount a, TokenCount b) { return {saturatingAdd(a.value, b.value)}; }
constexpr TokenCount operator-(TokenCount a, TokenCount b) { return {saturatingAdd(a.value, -b.value)}; }
constexpr Bytes operator*(Bytes perToken, TokenCount n) { return perToken * n.value; }

inline constexpr std::int64_t bytesPerGB = 1'000'000'000;
inline constexpr std::int64_t bytesPerGiB = std::int64_t{1} << 30;
inline constexpr std::int64_t bytesPerMiB = std::int64_t{1} << 20;

constexpr Bytes operator""_GB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n)} * bytesPerGB; }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n)} * bytesPerGiB; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n)} * bytesPerMiB; }
constexpr TokenCount operator""_tokens(unsigned long long n) { return {static_cast<std::int64_t>(n)}; }

/// What every input is held to (design: right figure or a clear "too large", never a wrapped one).
inline constexpr TokenCount largestContext{1'000'000'000};
inline constexpr std::int64_t largestBatch = 1'000'000;
inline constexpr int largestLayerCount = 10'000;

} // namespace kvscope
