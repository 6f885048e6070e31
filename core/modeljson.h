// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jsonobject.h"
#include "core/model.h"

#include <array>
#include <string_view>

namespace kvscope {

/// Short leaves out what equals its default. Complete writes every key but optionals without a value: what is not in it, no reader knows.
enum class Extent : std::uint8_t { Short, Complete };

/// Names as stored; the order is that of the enums.
inline constexpr std::array<std::string_view, 6> mixerNames{"full", "sliding", "chunked", "latent", "shared", "none"};
inline constexpr std::array<std::string_view, 9> recurrenceNames{"none",       "mamba1", "mamba2", "gated_delta", "kda", "linear_attention",
                                                                 "short_conv", "rwkv",   "rglru"};
inline constexpr std::array<std::string_view, roleCount> roleNames{
    "embedding", "output_head", "attention", "recurrent", "ffn", "experts", "shared_experts", "router", "small", "vision", "mtp"};

/// One kind of layers, `count` of them. The same object in plan --json, inspect --json and scenario files.
OrderedJson groupToJson(const LayerGroup &group, int count, Extent extent);
/// Parameters by role, roles without any left out.
OrderedJson rolesToJson(const RoleCounts &counts, Extent extent);
/// A model whole, as in scenario files.
OrderedJson modelToJson(const ModelSpec &model, Extent extent);
/// The inverse of modelToJson. Errors go to the reader's sink.
ModelSpec modelFromJson(ObjectReader &reader);

/// Adds keys to an object, leaving out defaults where the extent says so.
class ObjectWriter {
public:
    explicit ObjectWriter(Extent extent) : m_extent(extent) {}

    template<typename T>
    void add(const char *key, const T &value, const T &standard)
    {
        if (m_extent == Extent::Complete || !(value == standard))
            put(key, value);
    }
    template<typename T>
    void add(const char *key, const std::optional<T> &value)
    {
        if (value)
            put(key, *value);
    }
    template<typename T>
    void put(const char *key, const T &value)
    {
        if constexpr (std::same_as<T, Bytes> || std::same_as<T, TokenCount>)
            object[key] = value.value;
        else if constexpr (std::same_as<T, Format>)
            object[key] = infoOf(value).name;
        else
            object[key] = value;
    }
    /// An object or list, left out when empty.
    void addNested(const char *key, OrderedJson value)
    {
        if (m_extent == Extent::Complete || !value.empty())
            object[key] = std::move(value);
    }
    template<typename Enum, std::size_t N>
    void addName(const char *key, Enum value, Enum standard, const std::array<std::string_view, N> &names)
    {
        if (m_extent == Extent::Complete || value != standard)
            object[key] = names[static_cast<std::size_t>(value)];
    }

    OrderedJson object = OrderedJson::object();

private:
    Extent m_extent;
};

} // namespace kvscope
