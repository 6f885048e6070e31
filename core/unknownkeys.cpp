// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/unknownkeys.h"

#include <vector>

namespace kvscope {

namespace {

/// Where the element that an item stands for is now; target.size() if it is gone.
std::size_t placeOf(const Json &item, const OrderedJson &target, const std::vector<bool> &taken, bool sameLength)
{
    const auto old = item["at"].get<std::size_t>();
    const auto same = [&](std::size_t i) { return i < target.size() && !taken[i] && Json(target[i]) == item["of"]; };
    if (same(old))
        return old;
    for (std::size_t i = 0; i < target.size(); ++i) {
        if (same(i))
            return i;
    }
    return sameLength && !taken[old] ? old : target.size();
}

} // namespace

Json unknownKeys(const Json &file, const Json &known, const Json &written)
{
    static const Json nothing;
    Json node;
    if (file.is_object() && known.is_object()) {
        for (const auto &[key, value] : file.items()) {
            const auto found = known.find(key);
            if (found == known.end())
                node["keys"][key] = value;
            else if (Json inner = unknownKeys(value, *found, written.contains(key) ? written[key] : nothing); !inner.is_null())
                node["in"][key] = std::move(inner);
        }
    } else if (file.is_array() && known.is_array() && file.size() == known.size()) {
        for (std::size_t i = 0; i < file.size(); ++i) {
            const Json &element = i < written.size() ? written[i] : nothing;
            if (Json inner = unknownKeys(file[i], known[i], element); !inner.is_null())
                node["items"].push_back({{"at", i}, {"of", element}, {"node", std::move(inner)}});
        }
        if (!node.is_null())
            node["length"] = file.size();
    }
    return node;
}

void restoreUnknownKeys(OrderedJson &target, const Json &node)
{
    if (target.is_array() && node.contains("items")) {
        const bool sameLength = node["length"] == target.size();
        std::vector<bool> taken(target.size());
        for (const Json &item : node["items"]) {
            const std::size_t place = placeOf(item, target, taken, sameLength);
            if (place == target.size())
                continue;
            taken[place] = true;
            restoreUnknownKeys(target[place], item["node"]);
        }
        return;
    }
    if (!target.is_object())
        return;
    // Elements are told apart by their known keys, so what lies deeper comes first.
    if (node.contains("in")) {
        for (const auto &[key, inner] : node["in"].items()) {
            if (const auto found = target.find(key); found != target.end())
                restoreUnknownKeys(*found, inner);
        }
    }
    if (node.contains("keys")) {
        for (const auto &[key, value] : node["keys"].items()) {
            if (!target.contains(key))
                target[key] = value;
        }
    }
}

} // namespace kvscope
