// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/format.h"

#include <cstdint>
#include <optional>
#include <string_view>

/// The tables of llama.cpp's quantiser (spec/gguf-quantize.md 3 to 5).
namespace kvscope::quantiser {

/// In the table of file types: the mix's main type.
inline constexpr Format mainType = Format::F32;

/// When a tensor gets another type than the main one. "Block" is the i of section 1: for V-like tensors the number of those before it.
enum class When : std::uint8_t {
    Never,
    Always,
    Grouped,          ///< four or more heads a KV head
    GroupedOrExperts, ///< the same, or four or more experts
    FirstTwo,         ///< blocks
    FirstFour,        ///< blocks
    FirstSixteenth,   ///< of the blocks
    FirstEighth,      ///< of the blocks
    EighthWithMatrix, ///< the same, with an importance matrix
    EighthWithout,    ///< the same, without
    EighthOrMixture,  ///< the first eighth; with eight experts also More
    DownEighth,       ///< counted over all ffn_down tensors, shared experts' too
    More,             ///< both ends and every third between
    MiddleThreeQuarters,
};

struct Choice {
    When when = When::Never;
    Format type = mainType;
    Format otherwise = mainType;
};

/// A second choice where the first does not hold.
struct Ladder {
    Choice first;
    Choice second;
};

/// Section 4's table, a row a file type, with what section 3 and the special models say of it.
struct FileTypeRow {
    Format mix;
    int id;
    Format type;
    bool needsMatrix = false; ///< can't be made without an importance matrix
    bool lowBit = false;      ///< the branch of the lowest types: no special case for 70B, its own for eight experts
    Format output = Format::Q6_K;
    Format embedding = mainType; ///< untied
    Choice value{};              ///< V-like
    Format keyQuery = mainType;
    Format attnOutput = mainType;
    Choice down{};
    Choice gateUp{};
    Format eightOutput = mainType;  ///< attn_output with eight experts
    Format falconOutput = mainType; ///< attn_output of Falcon
    bool falconDownOwn = false;     ///< ffn_down of Falcon by `falconDown`
    Ladder falconDown{};
};

/// By the name under which the quantiser is asked; nullptr if it has no such file type.
const FileTypeRow *fileTypeRow(Format mix);

/// `type`, or what stands in for it where its blocks do not fit rows of `width` elements (section 5); empty if nothing does.
std::optional<Format> fittingType(Format type, std::int64_t width);

/// Models that the quantiser takes for Llama 2 70B: V-like q3_K and q4_K become q5_K.
bool isSeventyBillion(std::string_view architecture, std::int64_t blocks, bool groupedHeads);

} // namespace kvscope::quantiser
