// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/gguf/quantise.h"

#include "core/gguf/filetypes.h"
#include "core/gguf/layers.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace kvscope {

namespace {

using namespace quantiser;

static_assert(static_cast<int>(Format::IQ3_M) + 1 == formatCount, "isMix counts on the mixes being last");

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
    Chooser(const GgufModel &model, const std::vector<Surveyed> &surveyed, const FileTypeRow &row, const QuantiseOptions &options) :
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
        m_seventy = isSeventyBillion(model.architecture, m_blocks, heads != kvHeads);
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

    const FileTypeRow &m_row;
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
    const FileTypeRow *row = fileTypeRow(mix);
    return row ? std::optional(GgufFileType{row->id, row->type}) : std::nullopt;
}

Result<std::vector<Format>> quantisedTypes(const GgufModel &unquantised, Format mix, const QuantiseOptions &options)
{
    const FileTypeRow *row = fileTypeRow(mix);
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
        const std::optional<Format> type = fittingType(wanted, tensor.dims[0]);
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
    result.fileType = fileTypeRow(mix)->id;
    for (std::size_t i = 0; i < types->size(); ++i)
        result.tensors[i].type = (*types)[i];
    return result;
}

} // namespace kvscope
