// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>

namespace kvscope::testing {

/// Random values from a fixed seed.
class Dice {
public:
    explicit Dice(unsigned seed) : m_engine(seed) {}

    std::int64_t whole(std::int64_t lowest, std::int64_t highest)
    {
        return std::uniform_int_distribution<std::int64_t>(lowest, highest)(m_engine);
    }
    bool chance(int percent) { return whole(1, 100) <= percent; }
    template<typename T>
    T oneOf(std::initializer_list<T> choices)
    {
        return *(choices.begin() + whole(0, static_cast<std::int64_t>(choices.size()) - 1));
    }

private:
    std::mt19937_64 m_engine;
};

} // namespace kvscope::testing
