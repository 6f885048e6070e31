// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/modulenames.h"

#include "core/import/alternatives.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace kvscope {

namespace {

constexpr std::uint8_t whole = 0xff;

// Attention: projections. MLA has two down projections of its own.
constexpr std::uint8_t query = 1, key = 2, value = 4, output = 8, queryDown = 16, latentDown = 32, latentUp = 64;
// A feed-forward block's sides; of a recurrent mixer likewise.
constexpr std::uint8_t gate = 1, up = 2, down = 4;
constexpr std::uint8_t in = 1, out = 4;

std::size_t at(Role role) { return static_cast<std::size_t>(role); }

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool containsAny(std::string_view text, std::initializer_list<std::string_view> parts)
{
    return std::ranges::any_of(parts, [text](std::string_view part) { return contains(text, part); });
}

bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Vectors, routers, and what lies outside the language model's layers.
bool isNoMatrix(std::string_view name)
{
    if (containsAny(
            name, {"norm", "bias", "indexer", "index_", "router", "conv1d", "vision", "visual", "mtp", "expert_gate", "eh_proj", "sinks"}))
        return true;
    return name == "gate" || name.ends_with(".gate") || name.ends_with(".gate*");
}

std::string_view lastPart(std::string_view name)
{
    while (name.ends_with('*') || name.ends_with('.'))
        name.remove_suffix(1);
    if (name.ends_with(".weight"))
        name.remove_suffix(7);
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

/// Projections of attention by a module's last name; nothing for one that is not known.
std::uint8_t attentionParts(std::string_view last)
{
    if (containsAny(last, {"fused_qkv_a", "qkv_a"}))
        return queryDown | latentDown;
    if (containsAny(last, {"kv_a", "wkv_a"}))
        return latentDown;
    if (contains(last, "kv_b"))
        return latentUp;
    if (containsAny(last, {"q_a", "wq_a"}))
        return queryDown;
    if (containsAny(last, {"qkv", "c_attn", "query_key_value", "W_pack"}))
        return query | key | value;
    if (containsAny(last, {"q_proj", "q_b", "wq"}))
        return query;
    if (containsAny(last, {"k_proj", "wk"}))
        return key;
    if (containsAny(last, {"v_proj", "wv"}))
        return value;
    if (containsAny(last, {"o_proj", "out_proj", "wo", "dense", "c_proj"}))
        return output;
    return 0;
}

std::uint8_t feedForwardParts(std::string_view last)
{
    if (containsAny(last, {"gate_up", "w13", "gate_and_up"}))
        return gate | up;
    if (containsAny(last, {"gate_proj", "w1"}))
        return gate;
    if (containsAny(last, {"down_proj", "w2", "fc2", "dense_4h_to_h", "c_proj"}))
        return down;
    if (containsAny(last, {"up_proj", "w3", "fc1", "dense_h_to_4h", "c_fc"}))
        return up;
    return 0;
}

std::uint8_t recurrentParts(std::string_view last) { return contains(last, "out_proj") ? out : contains(last, "in_proj") ? in : 0; }

/// The parts that a name speaks of: all of them where it ends with what holds them ("self_attn", "mlp*", "experts.*").
std::uint8_t partsOf(std::string_view name, Role role)
{
    const std::string_view last = lastPart(name);
    const bool holder = last.empty() || std::ranges::all_of(last, isDigit) ||
                        containsAny(last, {"attn", "attention", "mlp", "ffn", "feed_forward", "expert", "moe", "mixer", "mamba"});
    switch (role) {
    case Role::Attention: return holder && !contains(last, "c_attn") ? whole : attentionParts(last);
    case Role::Recurrent: return holder ? whole : recurrentParts(last);
    case Role::Ffn:
    case Role::Experts:
    case Role::SharedExperts: return holder ? whole : feedForwardParts(last);
    default: return whole;
    }
}

std::optional<Role> roleOfModule(std::string_view name)
{
    if (contains(name, "lm_head") || name == "head" || contains(name, "output_layer"))
        return Role::OutputHead;
    if (containsAny(name, {"embed_tokens", "embeddings", "wte"}))
        return Role::Embedding;
    if (containsAny(name, {"shared_expert", "shared_mlp"}))
        return Role::SharedExperts;
    if (contains(name, "experts"))
        return Role::Experts;
    if (containsAny(name, {"linear_attn", "mixer.in_proj", "mixer.out_proj", "mamba", "conv."}))
        return Role::Recurrent;
    if (containsAny(name, {"attn", "attention", "mixer.", "q_proj", "k_proj", "v_proj", "o_proj", "qkv_proj"}))
        return Role::Attention;
    if (containsAny(name, {"mlp", "ffn", "feed_forward", "block_sparse_moe", "gate_proj", "up_proj", "down_proj"}))
        return Role::Ffn;
    return std::nullopt;
}

/// Which layers "layers.12" stands for: a wildcard behind the digits makes them the beginning of a number.
struct LayerName {
    std::string digits; ///< empty: all layers
    bool beginning = false;
    std::string_view rest; ///< behind the digits

    std::vector<int> of(int layers) const
    {
        std::vector<int> found;
        const int first = number();
        if (digits.empty()) {
            found.resize(static_cast<std::size_t>(layers));
            std::iota(found.begin(), found.end(), 0);
        } else if (!beginning || first == 0) {
            if (first < layers)
                found.push_back(first);
        } else {
            for (int start = first, count = 1; start < layers; start *= 10, count *= 10)
                for (int i = start; i < std::min(start + count, layers); ++i)
                    found.push_back(i);
        }
        return found;
    }
    /// Prediction layers are counted on from the last.
    bool isPast(int layers) const { return !digits.empty() && number() >= layers; }

private:
    int number() const { return digits.size() > 6 ? largestLayerCount : std::atoi(digits.c_str()); }
};

LayerName layerOf(std::string_view name)
{
    for (const std::string_view word : {"layers.", "blocks.", ".h."}) {
        const std::size_t start = name.find(word);
        if (start == std::string_view::npos)
            continue;
        std::size_t end = start + word.size();
        LayerName layer;
        while (end < name.size() && isDigit(name[end]))
            layer.digits += name[end++];
        layer.beginning = end < name.size() && name[end] == '*';
        layer.rest = name.substr(end);
        return layer;
    }
    return {{}, false, name};
}

/// "layers.3", "layers.3*", "layers.3.*": nothing but the layer.
bool isWholeLayer(const LayerName &layer)
{
    return !layer.digits.empty() && std::ranges::all_of(layer.rest, [](char c) { return c == '.' || c == '*'; });
}

/// "mtp*", "mtp.layers.0*": all of the prediction layers.
bool isPrediction(std::string_view name)
{
    const std::string_view last = lastPart(name);
    return last == "mtp" || (contains(name, "mtp.") && !last.empty() && std::ranges::all_of(last, isDigit));
}

constexpr std::array<Role, 5> layerRoles{Role::Attention, Role::Recurrent, Role::Ffn, Role::Experts, Role::SharedExperts};

} // namespace

ModuleCoverage::ModuleCoverage(const ModelSpec &model) : m_model(model), m_layers(model.layout.size()) {}

void ModuleCoverage::add(std::string_view pattern)
{
    if (!pattern.starts_with("re:")) {
        addPlain(pattern);
        return;
    }
    for (const std::string &name : alternativesOf(pattern.substr(3)))
        addPlain(name);
}

void ModuleCoverage::addRole(Role role)
{
    m_outer[at(role)] = true;
    for (auto &layer : m_layers)
        layer[at(role)] = whole;
}

void ModuleCoverage::addPlain(std::string_view name)
{
    if (!m_known.emplace(name).second)
        return;
    const LayerName layer = layerOf(name);
    const bool all = isWholeLayer(layer);
    if (isPrediction(name) || (all && layer.isPast(m_model.layerCount())))
        m_outer[at(Role::Mtp)] = true;
    if (isNoMatrix(name))
        return;
    const std::optional<Role> role = all ? std::nullopt : roleOfModule(name);
    if (role == Role::OutputHead || role == Role::Embedding) {
        m_outer[at(*role)] = true;
        return;
    }
    if (!all && !role)
        return;
    const std::uint8_t parts = all ? whole : partsOf(name, *role);
    for (const int i : layer.of(m_model.layerCount())) {
        if (role)
            addModule(i, *role, parts);
        else
            std::ranges::for_each(layerRoles, [this, i](Role each) { addModule(i, each, whole); });
    }
}

void ModuleCoverage::addModule(int layer, Role role, Parts parts)
{
    const auto index = static_cast<std::size_t>(layer);
    const RoleCounts &counts = m_model.groups[m_model.layout[index]].parameters;
    auto &flags = m_layers[index];
    flags[at(role)] |= parts;
    // What holds the experts where a layer has no block beside them; linear mixers that go by the name of attention (Kimi).
    if (role == Role::Ffn && parts == whole && counts[Role::Ffn] == 0)
        flags[at(Role::Experts)] = flags[at(Role::SharedExperts)] = whole;
    if (role == Role::Attention && counts[Role::Attention] == 0)
        flags[at(Role::Recurrent)] |= parts == output ? out : parts;
}

double ModuleCoverage::shareOf(const LayerGroup &group, Role role, Parts parts) const
{
    if (parts == 0 || parts == whole)
        return parts == 0 ? 0 : 1;
    const auto sum = [parts](std::initializer_list<std::pair<Parts, double>> sizes) {
        double covered = 0, all = 0;
        for (const auto &[part, size] : sizes) {
            covered += (parts & part) != 0 ? size : 0;
            all += size;
        }
        return all > 0 ? covered / all : 0;
    };
    if (role == Role::Recurrent)
        return sum({{in, 2}, {out, 1}});
    if (role != Role::Attention)
        return m_model.gatedFfn ? sum({{gate, 1}, {up, 1}, {down, 1}}) : sum({{up, 1}, {down, 1}});
    const double hidden = m_model.hidden, heads = group.queryHeads, keys = group.keyDim, values = group.valueDim;
    const double back = heads * values * hidden;
    if (group.mixer != Mixer::Latent)
        return sum({{query, hidden * heads * keys},
                    {key, hidden * group.kvHeads * keys},
                    {value, hidden * group.kvHeads * values},
                    {output, back}});
    const double latent = group.latentDim, rope = group.ropeDim, from = group.queryLatentDim;
    return sum({{queryDown, hidden * from},
                {query, (from > 0 ? from : hidden) * heads * keys},
                {latentDown, hidden * (latent + rope)},
                {latentUp, latent * heads * (keys - rope + values)},
                {output, back}});
}

RoleShares ModuleCoverage::shares() const
{
    RoleShares covered{}, all{};
    for (std::size_t r = 0; r < covered.size(); ++r) {
        const auto role = static_cast<Role>(r);
        for (std::size_t i = 0; i < m_layers.size(); ++i) {
            const LayerGroup &group = m_model.groups[m_model.layout[i]];
            const auto count = static_cast<double>(group.parameters[role]);
            covered[r] += count * shareOf(group, role, m_layers[i][r]);
            all[r] += count;
        }
        const auto outside = static_cast<double>(m_model.outer[role]);
        covered[r] += m_outer[r] ? outside : 0;
        all[r] += outside;
        covered[r] = all[r] > 0 ? covered[r] / all[r] : 0;
    }
    return covered;
}

} // namespace kvscope
