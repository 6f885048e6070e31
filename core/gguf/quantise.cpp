// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/quantise.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

namespace kvscope {

namespace {

/// In the table: the mix's main type.
constexpr Format mainType = Format::F32;

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
struct Row {
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

using F = Format;
constexpr Row rows[] = {
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
    {.mix = F::MXFP4, .id = 38, .type = F::Q8_0, .output = F::Q8_0}, // experts: see typeOf
};

/// The names by which the quantiser asks for a mix.
constexpr std::pair<Format, Format> mixOfType[] = {{F::Q3_K, F::Q3_K_M}, {F::Q4_K, F::Q4_K_M}, {F::Q5_K, F::Q5_K_M}};

const Row *rowOf(Format mix)
{
    for (const auto &[type, named] : mixOfType)
        if (type == mix)
            mix = named;
    const auto found = std::ranges::find(rows, mix, &Row::mix);
    return found == std::end(rows) ? nullptr : &*found;
}

/// Section 5: what stands in for a type whose block does not fit a row; mainType: nothing does.
constexpr std::pair<Format, Format> fallbacks[] = {
    {F::IQ1_S, F::IQ4_NL}, {F::IQ1_M, F::IQ4_NL},   {F::IQ2_XXS, F::IQ4_NL}, {F::IQ2_XS, F::IQ4_NL},
    {F::IQ2_S, F::IQ4_NL}, {F::IQ3_XXS, F::IQ4_NL}, {F::IQ3_S, F::IQ4_NL},   {F::IQ4_XS, F::IQ4_NL},
    {F::Q2_K, F::Q4_0},    {F::Q3_K, F::Q4_0},      {F::TQ1_0, F::Q4_0},     {F::TQ2_0, F::Q4_0},
    {F::Q2_0, F::Q4_0},    {F::Q4_K, F::Q5_0},      {F::Q5_K, F::Q5_1},      {F::Q6_K, F::Q8_0},
};

/// Models that the quantiser takes for Llama 2 70B: V-like q3_K and q4_K become q5_K.
struct Seventy {
    std::string_view architecture;
    int blocks;
    bool groupedOnly;
};
constexpr Seventy seventies[] = {{"llama", 80, true}, {"qwen2", 80, false}, {"deci", 80, false}, {"olmo", 80, false}, {"jais2", 68, false}};

/// Section 2: parts of names that are never quantised.
constexpr std::string_view keptParts[] = {
    "_norm.weight",
    "ffn_gate_inp.weight",
    "ffn_gate_tid2eid.weight",
    "ssm_conv1d",
    "shortconv.conv.weight",
    "altup",
    "laurel",
    "per_layer_model_proj",
    "indexer.k_proj.weight",
    "indexer.q_proj.weight",
    "attn_rel_b.weight",
    "time_mix_first.weight",
    "time_mix_w0.weight",
    "time_mix_w1.weight",
    "time_mix_w2.weight",
    "time_mix_v0.weight",
    "time_mix_v1.weight",
    "time_mix_v2.weight",
    "time_mix_a0.weight",
    "time_mix_a1.weight",
    "time_mix_a2.weight",
    "time_mix_g1.weight",
    "time_mix_g2.weight",
    "time_mix_decay_w1.weight",
    "time_mix_decay_w2.weight",
    "time_mix_lerp_fused.weight",
    ".position_embd",
    ".patch_embd",
    ".patch_merger",
    ".rel_pos",
    "sam.",
};
constexpr std::string_view keptNames[] = {"position_embd.weight", "token_types.weight"};

enum class Kind : std::uint8_t { Other, Output, Embedding, Value, Key, Query, AttnOutput, Up, Gate, Down };

/// Section 1: the first match decides.
constexpr std::pair<std::string_view, Kind> kindParts[] = {
    {"attn_qkv.weight", Kind::Value},
    {"attn_kv_b.weight", Kind::Value},
    {"attn_v.weight", Kind::Value},
    {"attn_k.weight", Kind::Key},
    {"attn_q.weight", Kind::Query},
    {"attn_output.weight", Kind::AttnOutput},
    {"ffn_up", Kind::Up},
    {"ffn_gate", Kind::Gate},
    {"ffn_down", Kind::Down},
};

Kind kindOf(std::string_view name)
{
    if (name == "output.weight")
        return Kind::Output;
    if (name == "token_embd.weight" || name == "per_layer_token_embd.weight")
        return Kind::Embedding;
    for (const auto &[part, kind] : kindParts)
        if (name.find(part) != std::string_view::npos)
            return kind;
    return Kind::Other;
}

/// Section 2: whether the name lets a matrix be quantised.
bool nameAllows(std::string_view name)
{
    return name.ends_with("weight") &&
           std::ranges::none_of(keptParts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; }) &&
           std::ranges::find(keptNames, name) == std::end(keptNames);
}

constexpr int outside = -1; ///< the blocks

/// The number in "blk.N.".
int blockOf(std::string_view name)
{
    int block = outside;
    if (!name.starts_with("blk."))
        return outside;
    const char *const end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + 4, end, block);
    return error == std::errc() && rest != end && *rest == '.' && block >= 0 ? block : outside;
}

/// Section 1, more(a, m).
bool more(std::int64_t a, std::int64_t m) { return a < m / 8 || a >= 7 * m / 8 || (a - m / 8) % 3 == 2; }

/// What the rules ask of a tensor's name and shape.
struct Surveyed {
    int block = outside;
    Kind kind = Kind::Other;
    bool quantisable = false;
};

/// Blocks have the same names over and over: each is looked at once.
std::vector<Surveyed> survey(const std::vector<GgufTensor> &tensors)
{
    struct Known {
        std::string_view local; ///< behind "blk.N."
        Surveyed as;
    };
    std::vector<Known> known;
    std::vector<Surveyed> result;
    result.reserve(tensors.size());
    for (const GgufTensor &tensor : tensors) {
        const std::string_view name = tensor.name;
        const int block = blockOf(name);
        const std::string_view local = block == outside ? name : name.substr(name.find('.', 4));
        auto found = std::ranges::find(known, local, &Known::local);
        if (found == known.end())
            found = known.insert(known.end(), {local, {outside, kindOf(name), nameAllows(name)}});
        const bool matrix = tensor.dims[1] > 1 || tensor.dims[2] > 1 || tensor.dims[3] > 1;
        result.push_back({block, found->as.kind, found->as.quantisable && matrix});
    }
    return result;
}

/// Section 4 with the counters of section 1.
class Chooser {
public:
    Chooser(const GgufModel &model, const std::vector<Surveyed> &surveyed, const Row &row, const QuantiseOptions &options) :
        m_row(row),
        m_options(options),
        m_matrix(options.importanceMatrix || row.needsMatrix),
        m_blocks(model.blocks()),
        m_experts(model.number("expert_count")),
        m_tied(!model.tensor("output.weight")),
        m_falcon(model.architecture == "falcon"),
        m_onlyFfnExperts(model.architecture == "bailingmoe3")
    {
        const std::int64_t heads = model.number("attention.head_count");
        const std::int64_t kvHeads = model.number("attention.head_count_kv", heads);
        m_grouped = kvHeads > 0 && heads / kvHeads >= 4;
        m_seventy = std::ranges::any_of(seventies, [&](const Seventy &s) {
            return s.architecture == model.architecture && s.blocks == m_blocks && (!s.groupedOnly || heads != kvHeads);
        });
        m_valueTensors = std::ranges::count(surveyed, Kind::Value, &Surveyed::kind);
    }

    /// The type of the next tensor in the order of section 1, before any fallback.
    Format next(const GgufTensor &tensor, const Surveyed &as)
    {
        const Format chosen = choose(tensor, as);
        ++seen(as.kind);
        return chosen == mainType ? m_row.type : chosen;
    }

private:
    bool is(Kind kind, Kind wanted) const { return kind == wanted || (wanted == Kind::Output && kind == Kind::Embedding && m_tied); }

    std::int64_t &seen(Kind kind) { return m_seen[static_cast<std::size_t>(kind)]; }

    /// Options and the tables at both ends come before the rules by kind.
    Format choose(const GgufTensor &tensor, const Surveyed &as)
    {
        const Kind kind = as.kind;
        if (m_options.leaveOutput && kind == Kind::Output)
            return tensor.type;
        if (m_options.embedding && kind == Kind::Embedding)
            return *m_options.embedding;
        if (m_options.output && is(kind, Kind::Output))
            return *m_options.output;
        if (m_options.pure)
            return mainType;
        if (is(kind, Kind::Output)) {
            const bool fits = tensor.dims[0] % infoOf(m_row.type).blockElements == 0;
            return m_falcon || !fits ? Format::Q8_0 : m_row.output;
        }
        if (m_row.mix == Format::MXFP4)
            return tensor.dims[2] > 1 && (!m_onlyFfnExperts || tensor.name.find("ffn_") != std::string::npos) ? Format::MXFP4 : mainType;
        if (kind == Kind::Embedding)
            return m_row.embedding;
        return byKind(as);
    }

    Format byKind(const Surveyed &as)
    {
        const bool eight = m_experts == 8;
        const std::int64_t block = m_experts > 1 ? as.block : seen(as.kind);
        switch (as.kind) {
        case Kind::Value: {
            if (eight && !m_row.lowBit)
                return Format::Q8_0;
            Format type = pick(m_row.value, seen(as.kind), m_valueTensors);
            type = type == mainType ? m_row.type : type;
            const bool raised = m_seventy && !m_row.lowBit && (type == Format::Q3_K || type == Format::Q4_K);
            return raised ? Format::Q5_K : type;
        }
        case Kind::Key:
            if (eight)
                return m_row.lowBit ? Format::Q4_K : Format::Q8_0;
            return m_row.keyQuery;
        case Kind::Query: return m_row.keyQuery;
        case Kind::AttnOutput:
            if (m_falcon)
                return m_row.falconOutput;
            return eight ? m_row.eightOutput : m_row.attnOutput;
        case Kind::Down:
            if (m_falcon && m_row.falconDownOwn) {
                const Format first = pick(m_row.falconDown.first, block, m_blocks);
                return first == mainType ? pick(m_row.falconDown.second, block, m_blocks) : first;
            }
            return pick(m_row.down, block, m_blocks);
        case Kind::Up:
        case Kind::Gate: return pick(m_row.gateUp, block, m_blocks);
        default: return mainType;
        }
    }

    /// `i` of `n`.
    Format pick(const Choice &choice, std::int64_t i, std::int64_t n) const
    {
        return holds(choice.when, i, n) ? choice.type : choice.otherwise;
    }

    bool holds(When when, std::int64_t i, std::int64_t n) const
    {
        switch (when) {
        case When::Never: return false;
        case When::Always: return true;
        case When::Grouped: return m_grouped;
        case When::GroupedOrExperts: return m_grouped || m_experts >= 4;
        case When::FirstTwo: return i < 2;
        case When::FirstFour: return i < 4;
        case When::FirstSixteenth: return i < n / 16;
        case When::FirstEighth: return i < n / 8;
        case When::EighthWithMatrix: return m_matrix && i < n / 8;
        case When::EighthWithout: return !m_matrix && i < n / 8;
        case When::EighthOrMixture: return i < n / 8 || (m_experts == 8 && more(i, n));
        case When::DownEighth: return m_seen[static_cast<std::size_t>(Kind::Down)] < n / 8;
        case When::More: return more(i, n);
        case When::MiddleThreeQuarters: return i >= n / 8 && i < 7 * n / 8;
        }
        return false;
    }

    const Row &m_row;
    const QuantiseOptions &m_options;
    bool m_matrix;
    std::int64_t m_blocks;
    std::int64_t m_experts;
    bool m_tied;
    bool m_falcon;
    bool m_onlyFfnExperts;
    bool m_grouped = false;
    bool m_seventy = false;
    std::int64_t m_valueTensors = 0;
    std::array<std::int64_t, static_cast<std::size_t>(Kind::Down) + 1> m_seen{}; ///< tensors of each kind so far
};

/// `type`, or what stands in for it where its blocks do not fit rows of `width`; empty if nothing does.
std::optional<Format> fitting(Format type, std::int64_t width)
{
    if (width % infoOf(type).blockElements == 0)
        return type;
    const auto found = std::ranges::find(fallbacks, type, &std::pair<Format, Format>::first);
    if (found == std::end(fallbacks))
        return {};
    return width % infoOf(found->second).blockElements == 0 ? found->second : Format::F16;
}

/// The order in which the quantiser goes: outside the blocks, then block by block, by name within. Names matter only among tensors of a kind,
/// since each kind is counted by itself.
std::vector<std::size_t> quantiserOrder(const std::vector<GgufTensor> &tensors, const std::vector<Surveyed> &surveyed)
{
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        const Surveyed &x = surveyed[a];
        const Surveyed &y = surveyed[b];
        return x.block != y.block ? x.block < y.block : x.kind != y.kind ? x.kind < y.kind : tensors[a].name < tensors[b].name;
    });
    return order;
}

} // namespace

std::optional<GgufFileType> ggufFileType(Format mix)
{
    const Row *row = rowOf(mix);
    return row ? std::optional(GgufFileType{row->id, row->type}) : std::nullopt;
}

Result<std::vector<Format>> quantisedTypes(const GgufModel &unquantised, Format mix, const QuantiseOptions &options)
{
    const Row *row = rowOf(mix);
    if (!row)
        return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(mix).name), {}, {}};
    const std::vector<GgufTensor> &tensors = unquantised.tensors;
    const std::vector<Surveyed> surveyed = survey(tensors);
    std::vector<Format> types(tensors.size());
    std::ranges::transform(tensors, types.begin(), &GgufTensor::type);
    const bool plain = infoOf(row->type).blockElements == 1;
    Chooser chooser(unquantised, surveyed, *row, options);
    for (const std::size_t index : quantiserOrder(tensors, surveyed)) {
        if (!surveyed[index].quantisable)
            continue;
        const GgufTensor &tensor = tensors[index];
        const Format wanted = plain ? row->type : chooser.next(tensor, surveyed[index]);
        const std::optional<Format> type = fitting(wanted, tensor.dims[0]);
        if (!type)
            return Error{ErrorCode::NotDivisible,
                         tensor.name,
                         std::to_string(tensor.dims[0]) + " by " + std::to_string(infoOf(wanted).blockElements),
                         {}};
        types[index] = *type;
    }
    return types;
}

Result<GgufModel> quantised(const GgufModel &unquantised, Format mix, const QuantiseOptions &options)
{
    const Result<std::vector<Format>> types = quantisedTypes(unquantised, mix, options);
    if (!types)
        return types.error();
    GgufModel result = unquantised;
    result.fileType = rowOf(mix)->id;
    for (std::size_t i = 0; i < types->size(); ++i)
        result.tensors[i].type = (*types)[i];
    return result;
}

} // namespace kvscope
