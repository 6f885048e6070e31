// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/filetypes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kvscope::quantiser {

namespace {

using F = Format;
constexpr FileTypeRow rows[] = {
    {F::F32, 0, F::F32},
    {F::F16, 1, F::F16},
    {F::BF16, 32, F::BF16},
    {.mix = F::Q4_0, .id = 2, .type = F::Q4_0, .down = {When::EighthWithMatrix, F::Q4_1}},
    {F::Q4_1, 3, F::Q4_1},
    {.mix = F::Q5_0, .id = 8, .type = F::Q5_0, .down = {When::EighthWithMatrix, F::Q5_1}},
    {F::Q5_1, 9, F::Q5_1},
    {.mix = F::Q8_0, .id = 7, .type = F::Q8_0, .output = F::Q8_0},
    {.mix = F::Q2_K,
     .id = 10,
     .type = F::Q2_K,
     .value = {When::Grouped, F::Q4_K, F::Q3_K},
     .attnOutput = F::Q3_K,
     .down = {When::Always, F::Q3_K},
     .eightOutput = F::Q5_K},
    {.mix = F::Q2_K_S,
     .id = 21,
     .type = F::Q2_K,
     .needsMatrix = true,
     .value = {When::Grouped, F::Q4_K},
     .down = {When::FirstEighth, F::Q4_K}},
    {.mix = F::Q3_K_S, .id = 11, .type = F::Q3_K, .eightOutput = F::Q5_K},
    {.mix = F::Q3_K_M,
     .id = 12,
     .type = F::Q3_K,
     .value = {When::FirstTwo, F::Q5_K, F::Q4_K},
     .attnOutput = F::Q4_K,
     .down = {When::FirstSixteenth, F::Q5_K, F::Q4_K},
     .eightOutput = F::Q5_K,
     .falconDownOwn = true,
     .falconDown = {{When::FirstSixteenth, F::Q5_K}, {When::More, F::Q4_K}}},
    {.mix = F::Q3_K_L,
     .id = 13,
     .type = F::Q3_K,
     .value = {When::Always, F::Q5_K},
     .attnOutput = F::Q5_K,
     .down = {When::Always, F::Q5_K},
     .falconOutput = F::Q4_K,
     .falconDownOwn = true,
     .falconDown = {{When::Always, F::Q4_K}, {}}},
    {.mix = F::Q4_K_S,
     .id = 14,
     .type = F::Q4_K,
     .value = {When::FirstFour, F::Q5_K},
     .down = {When::FirstEighth, F::Q5_K},
     .eightOutput = F::Q5_K,
     .falconDownOwn = true},
    {.mix = F::Q4_K_M,
     .id = 15,
     .type = F::Q4_K,
     .value = {When::More, F::Q6_K},
     .down = {When::More, F::Q6_K},
     .eightOutput = F::Q5_K,
     .falconDownOwn = true,
     .falconDown = {{When::FirstSixteenth, F::Q6_K}, {When::More, F::Q5_K}}},
    {F::Q5_K_S, 16, F::Q5_K},
    {.mix = F::Q5_K_M, .id = 17, .type = F::Q5_K, .value = {When::More, F::Q6_K}, .down = {When::More, F::Q6_K}},
    {F::Q6_K, 18, F::Q6_K},
    {.mix = F::IQ2_XXS,
     .id = 19,
     .type = F::IQ2_XXS,
     .needsMatrix = true,
     .lowBit = true,
     .output = F::Q5_K,
     .embedding = F::Q2_K,
     .value = {When::GroupedOrExperts, F::Q4_K, F::Q2_K},
     .down = {When::DownEighth, F::Q2_K},
     .eightOutput = F::Q5_K},
    {.mix = F::IQ2_XS,
     .id = 20,
     .type = F::IQ2_XS,
     .needsMatrix = true,
     .lowBit = true,
     .output = F::Q5_K,
     .embedding = F::Q2_K,
     .value = {When::GroupedOrExperts, F::Q4_K, F::Q2_K},
     .down = {When::DownEighth, F::Q2_K},
     .eightOutput = F::Q5_K},
    {.mix = F::IQ1_S,
     .id = 24,
     .type = F::IQ1_S,
     .needsMatrix = true,
     .lowBit = true,
     .output = F::Q5_K,
     .embedding = F::Q2_K,
     .value = {When::GroupedOrExperts, F::Q4_K, F::Q2_K},
     .attnOutput = F::IQ2_XXS,
     .down = {When::DownEighth, F::Q2_K},
     .eightOutput = F::Q5_K,
     .falconOutput = F::IQ2_XXS},
    {.mix = F::IQ1_M,
     .id = 31,
     .type = F::IQ1_M,
     .needsMatrix = true,
     .lowBit = true,
     .output = F::Q5_K,
     .embedding = F::Q2_K,
     .value = {When::GroupedOrExperts, F::Q4_K, F::Q2_K},
     .attnOutput = F::IQ2_XXS,
     .down = {When::DownEighth, F::Q2_K},
     .eightOutput = F::Q5_K,
     .falconOutput = F::IQ2_XXS},
    {.mix = F::IQ2_S,
     .id = 28,
     .type = F::IQ2_XS,
     .needsMatrix = true,
     .lowBit = true,
     .output = F::Q5_K,
     .embedding = F::IQ3_S,
     .value = {When::GroupedOrExperts, F::Q4_K, F::IQ3_S},
     .attnOutput = F::IQ3_S,
     .down = {When::DownEighth, F::IQ3_S},
     .eightOutput = F::Q5_K,
     .falconOutput = F::IQ3_S},
    {.mix = F::IQ2_M,
     .id = 29,
     .type = F::IQ2_S,
     .needsMatrix = true,
     .lowBit = true,
     .output = F::Q5_K,
     .embedding = F::IQ3_S,
     .value = {When::GroupedOrExperts, F::Q4_K, F::IQ3_S},
     .attnOutput = F::IQ3_S,
     .down = {When::DownEighth, F::IQ3_S},
     .eightOutput = F::Q5_K,
     .falconOutput = F::IQ3_S},
    {.mix = F::IQ3_XS,
     .id = 22,
     .type = F::IQ3_S,
     .needsMatrix = true,
     .value = {When::Grouped, F::Q4_K},
     .keyQuery = F::IQ3_XXS,
     .gateUp = {When::MiddleThreeQuarters, F::IQ3_XXS},
     .eightOutput = F::Q5_K},
    {.mix = F::IQ3_XXS, // without a matrix the table has more, but then the quantiser refuses the mix
     .id = 23,
     .type = F::IQ3_XXS,
     .needsMatrix = true,
     .output = F::Q5_K,
     .embedding = F::IQ3_S,
     .value = {When::Grouped, F::Q4_K},
     .keyQuery = F::IQ2_S,
     .attnOutput = F::IQ3_S,
     .eightOutput = F::Q5_K},
    {.mix = F::IQ3_S, .id = 26, .type = F::IQ3_S, .value = {When::Grouped, F::Q4_K}, .eightOutput = F::Q5_K},
    {.mix = F::IQ3_M,
     .id = 27,
     .type = F::IQ3_S,
     .value = {When::Always, F::Q4_K},
     .attnOutput = F::Q4_K,
     .down = {When::EighthOrMixture, F::Q4_K},
     .eightOutput = F::Q5_K},
    {.mix = F::IQ4_NL,
     .id = 25,
     .type = F::IQ4_NL,
     .value = {When::Grouped, F::Q5_K},
     .down = {When::EighthWithout, F::Q5_K},
     .eightOutput = F::Q5_K},
    {.mix = F::IQ4_XS,
     .id = 30,
     .type = F::IQ4_XS,
     .value = {When::Grouped, F::Q5_K},
     .down = {When::EighthWithout, F::Q5_K},
     .eightOutput = F::Q5_K},
    {.mix = F::TQ1_0, .id = 36, .type = F::TQ1_0, .embedding = F::Q4_K},
    {.mix = F::TQ2_0, .id = 37, .type = F::TQ2_0, .embedding = F::Q4_K},
    {F::Q1_0, 40, F::Q1_0},
    {.mix = F::Q2_0, .id = 41, .type = F::Q2_0, .embedding = F::Q4_K},
    {.mix = F::MXFP4, .id = 38, .type = F::Q8_0, .output = F::Q8_0}, // the experts themselves: quantise.cpp
};

/// The names by which the quantiser asks for a mix.
constexpr std::pair<Format, Format> mixOfType[] = {{F::Q3_K, F::Q3_K_M}, {F::Q4_K, F::Q4_K_M}, {F::Q5_K, F::Q5_K_M}};

/// Section 5: what stands in for a type whose block does not fit a row.
constexpr std::pair<Format, Format> fallbacks[] = {
    {F::IQ1_S, F::IQ4_NL}, {F::IQ1_M, F::IQ4_NL},   {F::IQ2_XXS, F::IQ4_NL}, {F::IQ2_XS, F::IQ4_NL},
    {F::IQ2_S, F::IQ4_NL}, {F::IQ3_XXS, F::IQ4_NL}, {F::IQ3_S, F::IQ4_NL},   {F::IQ4_XS, F::IQ4_NL},
    {F::Q2_K, F::Q4_0},    {F::Q3_K, F::Q4_0},      {F::TQ1_0, F::Q4_0},     {F::TQ2_0, F::Q4_0},
    {F::Q2_0, F::Q4_0},    {F::Q4_K, F::Q5_0},      {F::Q5_K, F::Q5_1},      {F::Q6_K, F::Q8_0},
};

struct Seventy {
    std::string_view architecture;
    int blocks;
    bool groupedOnly;
};
constexpr Seventy seventies[] = {{"llama", 80, true}, {"qwen2", 80, false}, {"deci", 80, false}, {"olmo", 80, false}, {"jais2", 68, false}};

} // namespace

const FileTypeRow *fileTypeRow(Format mix)
{
    for (const auto &[type, named] : mixOfType)
        if (type == mix)
            mix = named;
    const auto found = std::ranges::find(rows, mix, &FileTypeRow::mix);
    return found == std::end(rows) ? nullptr : &*found;
}

std::optional<Format> fittingType(Format type, std::int64_t width)
{
    if (width % infoOf(type).blockElements == 0)
        return type;
    const auto found = std::ranges::find(fallbacks, type, &std::pair<Format, Format>::first);
    if (found == std::end(fallbacks))
        return {};
    return width % infoOf(found->second).blockElements == 0 ? found->second : Format::F16;
}

bool isSeventyBillion(std::string_view architecture, std::int64_t blocks, bool groupedHeads)
{
    return std::ranges::any_of(seventies, [&](const Seventy &s) {
        return s.architecture == architecture && s.blocks == blocks && (!s.groupedOnly || groupedHeads);
    });
}

} // namespace kvscope::quantiser
