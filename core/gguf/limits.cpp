// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/limits.h"

#include "core/import/fields.h"

#include <algorithm>
#include <array>

namespace kvscope {

namespace {

constexpr std::int64_t mostParameters = 1'000'000'000'000'000; ///< far more than any model has, so that bytes can be counted
constexpr Range blockRange{1, 512};
constexpr Range expertRange{0, 1024};

/// Keys behind `<arch>.` and what their numbers may be, a scalar's or each of an array's.
struct KeyRange {
    std::string_view key;
    Range range;
};
constexpr Range dimOrNone{0, headDimRange.highest};
constexpr Range widthOrNone{0, widthRange.highest};
constexpr Range blocksOrNone{0, blockRange.highest};
constexpr std::array keyRanges{
    KeyRange{"attention.head_count", dimOrNone},
    KeyRange{"attention.head_count_kv", dimOrNone},
    KeyRange{"attention.key_length", dimOrNone},
    KeyRange{"attention.value_length", dimOrNone},
    KeyRange{"attention.key_length_swa", dimOrNone},
    KeyRange{"attention.value_length_swa", dimOrNone},
    KeyRange{"attention.key_length_mla", dimOrNone},
    KeyRange{"attention.value_length_mla", dimOrNone},
    KeyRange{"attention.kv_lora_rank", dimOrNone},
    KeyRange{"attention.q_lora_rank", dimOrNone},
    KeyRange{"attention.indexer.key_length", dimOrNone},
    KeyRange{"attention.indexer.head_count", dimOrNone},
    KeyRange{"attention.shared_kv_layers", blocksOrNone},
    KeyRange{"rope.dimension_count", dimOrNone},
    KeyRange{"feed_forward_length", widthOrNone},
    KeyRange{"expert_count", expertRange},
    KeyRange{"expert_used_count", expertRange},
    KeyRange{"expert_feed_forward_length", widthOrNone},
    KeyRange{"expert_shared_feed_forward_length", widthOrNone},
    KeyRange{"expert_shared_count", expertRange},
    KeyRange{"embedding_length_per_layer_input", widthOrNone},
    KeyRange{"leading_dense_block_count", blocksOrNone},
    KeyRange{"nextn_predict_layers", blocksOrNone},
    KeyRange{"num_loops", blocksOrNone},
    KeyRange{"ssm.conv_kernel", dimOrNone},
    KeyRange{"ssm.inner_size", widthOrNone},
    KeyRange{"ssm.state_size", widthOrNone},
    KeyRange{"ssm.time_step_rank", widthOrNone},
    KeyRange{"ssm.group_count", dimOrNone},
    KeyRange{"wkv.head_size", dimOrNone},
    KeyRange{"token_shift_count", dimOrNone},
    KeyRange{"shortconv.l_cache", dimOrNone},
    KeyRange{"kda.head_dim", dimOrNone},
};
/// Of these an array has an entry for each block, or the file is refused (2.1).
constexpr std::array<std::string_view, 3> blockArrays{"attention.head_count", "attention.head_count_kv", "feed_forward_length"};
/// Without these a file is no language model (2.1).
constexpr std::array needed{
    KeyRange{"block_count", blockRange},
    KeyRange{"embedding_length", widthRange},
    KeyRange{"context_length", tokenRange},
};

std::string worded(Range range) { return std::to_string(range.lowest) + ".." + std::to_string(range.highest); }

/// The first number out of its range.
std::optional<Error> rangeProblem(const GgufModel &model, const KeyRange &row, const std::string &prefix)
{
    const auto found = model.keys.find(row.key);
    if (found == model.keys.end())
        return std::nullopt;
    const auto outside = [&row](std::int64_t number) { return number < row.range.lowest || number > row.range.highest; };
    if (found->second.values.empty() || std::ranges::any_of(found->second.values, outside))
        return Error{ErrorCode::OutOfRange, prefix + std::string(row.key), worded(row.range), {}};
    return std::nullopt;
}

std::optional<Error> keyProblem(const GgufModel &model, const std::string &prefix)
{
    for (const KeyRange &row : needed) {
        if (!model.has(row.key))
            return Error{ErrorCode::MissingField, prefix + std::string(row.key), {}, {}};
        if (const std::optional<Error> problem = rangeProblem(model, row, prefix))
            return problem;
    }
    for (const KeyRange &row : keyRanges) {
        if (const std::optional<Error> problem = rangeProblem(model, row, prefix))
            return problem;
    }
    for (const std::string_view key : blockArrays) {
        const auto found = model.keys.find(key);
        if (found != model.keys.end() && found->second.array && std::ssize(found->second.values) != model.blocks())
            return Error{ErrorCode::WrongLength, prefix + std::string(key), std::to_string(model.blocks()), {}};
    }
    return rangeProblem(model, {"expert_used_count", {0, model.number("expert_count")}}, prefix);
}

} // namespace

bool isGgufNumber(std::string_view key)
{
    return std::ranges::find(needed, key, &KeyRange::key) != needed.end() ||
           std::ranges::find(keyRanges, key, &KeyRange::key) != keyRanges.end();
}

std::optional<Error> ggufProblem(const GgufModel &model, const std::string &keyPrefix)
{
    if (const std::optional<Error> problem = keyProblem(model, keyPrefix))
        return problem;
    if (model.vocab < 0 || model.vocab > vocabularyRange.highest)
        return Error{ErrorCode::OutOfRange, "tokenizer.ggml.tokens", worded({0, vocabularyRange.highest}), {}};
    std::vector<std::string_view> names;
    names.reserve(model.tensors.size());
    for (const GgufTensor &tensor : model.tensors)
        names.push_back(tensor.name);
    std::ranges::sort(names);
    if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
        return Error{ErrorCode::DuplicateName, "tensors", std::string(*twice), {}};
    std::int64_t elements = 0;
    for (const GgufTensor &tensor : model.tensors)
        elements = saturatingAdd(elements, tensor.elements());
    if (elements > mostParameters)
        return Error{ErrorCode::TooLarge, "tensors", {}, {}};
    return std::nullopt;
}

} // namespace kvscope
