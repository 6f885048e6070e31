// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/quantization.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace kvscope {

namespace {

using RoleFlags = std::array<bool, roleCount>;

bool &at(RoleFlags &flags, Role role) { return flags[static_cast<std::size_t>(role)]; }

/// What the schemes quantise unless told otherwise: the matrices of the layers (4.2, "not quantised by default").
RoleFlags layerMatrices()
{
    RoleFlags flags{};
    for (const Role role : {Role::Attention, Role::Recurrent, Role::Ffn, Role::Experts, Role::SharedExperts})
        at(flags, role) = true;
    return flags;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The role of a module by its name in the checkpoint, or a pattern over such names; empty for vectors, routers and what is outside the layers.
std::optional<Role> roleOfModule(std::string_view name)
{
    if (contains(name, "norm") || contains(name, "bias") || contains(name, "indexer") || contains(name, "router") ||
        contains(name, "vision") || contains(name, "visual") || contains(name, "mtp") || name.ends_with(".gate") ||
        name.ends_with("gate$") || contains(name, "expert_gate"))
        return std::nullopt;
    if (contains(name, "lm_head"))
        return Role::OutputHead;
    if (contains(name, "embed_tokens"))
        return Role::Embedding;
    if (contains(name, "shared_expert"))
        return Role::SharedExperts;
    if (contains(name, "experts"))
        return Role::Experts;
    if (contains(name, "linear_attn") || contains(name, "mixer.in_proj") || contains(name, "mixer.out_proj") || contains(name, "mamba") ||
        contains(name, "conv."))
        return Role::Recurrent;
    if (contains(name, "attn") || contains(name, "attention") || contains(name, "mixer."))
        return Role::Attention;
    if (contains(name, "mlp") || contains(name, "ffn") || contains(name, "feed_forward"))
        return Role::Ffn;
    return std::nullopt;
}

/// The layer number in "model.layers.12.mlp"; -1 for a pattern over all layers.
int layerOfModule(std::string_view name)
{
    const std::size_t start = name.find("layers.");
    if (start == std::string_view::npos)
        return -1;
    int layer = -1;
    for (std::size_t i = start + 7; i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) && layer < largestLayerCount; ++i)
        layer = std::max(layer, 0) * 10 + (name[i] - '0');
    return layer;
}

/// How many layers have parameters of a role.
int layersWith(const ModelSpec &model, Role role)
{
    const std::vector<int> counts = model.groupCounts();
    int layers = 0;
    for (std::size_t g = 0; g < counts.size(); ++g)
        layers += model.groups[g].parameters[role] > 0 ? counts[g] : 0;
    return layers;
}

/// Takes the roles out that a list of module names or patterns leaves unquantised. A role goes as a whole: when a pattern over all layers names it,
/// or the names cover at least half of the layers that have it.
void exclude(const std::vector<std::string> &modules, const ModelSpec &model, RoleFlags &flags)
{
    // Kimi's linear layers go by the name of attention.
    const bool linearIsAttention =
        std::any_of(model.groups.begin(), model.groups.end(), [](const LayerGroup &group) { return group.state.kind == Recurrence::KDA; });
    std::map<Role, std::set<int>> layersOf;
    for (const std::string &module : modules) {
        const auto role = roleOfModule(module);
        if (!role)
            continue;
        const int layer = layerOfModule(module);
        if (layer < 0)
            at(flags, *role) = false;
        if (layer < 0 && *role == Role::Attention && linearIsAttention)
            at(flags, Role::Recurrent) = false;
        if (layer >= 0)
            layersOf[*role].insert(layer);
    }
    for (const auto &[role, layers] : layersOf)
        if (2 * static_cast<int>(layers.size()) >= layersWith(model, role))
            at(flags, role) = false;
}

std::vector<std::string> excludedModules(Fields &config)
{
    std::vector<std::string> all;
    for (const std::string_view list : {"modules_to_not_convert", "ignored_layers", "exclude_modules", "ignore", "llm_int8_skip_modules"}) {
        const std::vector<std::string> names = config.words(list);
        all.insert(all.end(), names.begin(), names.end());
    }
    return all;
}

/// A weight of `bits` with a scale for each `group` of them.
std::optional<Format> integerFormat(std::int64_t bits, std::int64_t group, Format fourBit)
{
    if (bits == 8)
        return Format::Int8;
    if (bits == 4)
        return group == 32 ? Format::Int4Group32 : fourBit;
    return std::nullopt;
}

/// ModelOpt's names.
std::optional<Format> formatOfAlgorithm(std::string_view algorithm)
{
    if (contains(algorithm, "NVFP4"))
        return Format::NVFP4;
    if (algorithm == "MXFP8")
        return Format::MXFP8;
    if (contains(algorithm, "MXFP4"))
        return Format::MXFP4;
    if (algorithm == "FP8_PB_WO" || algorithm == "FP8_PB_REAL")
        return Format::FP8Block;
    if (algorithm.starts_with("FP8"))
        return Format::FP8;
    if (contains(algorithm, "AWQ") || algorithm == "W4A16")
        return Format::AWQ;
    if (algorithm.starts_with("W8A8") || algorithm == "INT8_SQ" || algorithm == "W8A16")
        return Format::Int8;
    return std::nullopt;
}

/// compressed-tensors and ModelOpt's newer files: groups of modules, each with its scheme.
std::optional<Format> formatOfGroup(Fields &weights)
{
    const std::int64_t bits = weights.find({"num_bits"}, {1, 64}).value_or(0);
    const std::int64_t group = weights.find({"group_size"}, {-1, 1'000'000}).value_or(0);
    if (weights.text("type") == "float") {
        if (bits == 8)
            return weights.text("strategy") == "block" ? Format::FP8Block : group == 32 ? Format::MXFP8 : Format::FP8;
        if (bits == 4)
            return group == 16 ? Format::NVFP4 : Format::MXFP4;
        return std::nullopt;
    }
    return integerFormat(bits, group, Format::GPTQ);
}

/// Formats by role from names of modules: the commonest of each role.
class RoleVotes {
public:
    void add(Role role, Format format, int votes = 1) { m_votes[role][format] += votes; }

    /// The experts' format, or that of the largest dense role, becomes the main one; another format of other roles the second.
    std::optional<Quantization> result() const
    {
        std::optional<Quantization> quantization;
        for (const Role role :
             {Role::Experts, Role::Ffn, Role::Attention, Role::SharedExperts, Role::Recurrent, Role::OutputHead, Role::Embedding}) {
            const auto found = m_votes.find(role);
            if (found == m_votes.end())
                continue;
            const Format format = std::max_element(found->second.begin(), found->second.end(), [](const auto &a, const auto &b) {
                                      return a.second < b.second;
                                  })->first;
            if (!quantization)
                quantization = Quantization{format, {}, {}, {}, {}};
            if (format == quantization->format) {
                at(quantization->quantised, role) = true;
            } else if (!quantization->secondFormat || quantization->secondFormat == format) {
                quantization->secondFormat = format;
                at(quantization->secondQuantised, role) = true;
            }
        }
        return quantization;
    }

private:
    std::map<Role, std::map<Format, int>> m_votes;
};

/// Mixed precision: `quantized_layers` names each module with its algorithm.
std::optional<Quantization> fromQuantizedLayers(const Json &layers)
{
    RoleVotes votes;
    for (const auto &[module, scheme] : layers.items()) {
        if (!scheme.is_object())
            continue;
        const auto algorithm = scheme.find("quant_algo");
        const auto role = roleOfModule(module);
        if (!role || algorithm == scheme.end() || !algorithm->is_string())
            continue;
        if (const auto format = formatOfAlgorithm(algorithm->get_ref<const std::string &>()))
            votes.add(*role, *format);
    }
    return votes.result();
}

/// Groups with module names as targets ("Linear" stands for all).
std::optional<Quantization> fromGroups(Fields &config, const Json &groups, const ModelSpec &model)
{
    RoleVotes votes;
    for (const auto &[name, group] : groups.items()) {
        if (!group.is_object())
            continue;
        Fields reader(group, group, config.path("config_groups." + name + '.'));
        Fields weights = reader.nested("weights");
        const auto format = formatOfGroup(weights);
        if (!format)
            continue;
        for (const std::string &target : reader.words("targets")) {
            if (const auto role = roleOfModule(target)) {
                votes.add(*role, *format);
            } else {
                const RoleFlags all = layerMatrices();
                for (std::size_t r = 0; r < all.size(); ++r)
                    if (all[r])
                        votes.add(static_cast<Role>(r), *format);
            }
        }
    }
    auto quantization = votes.result();
    if (quantization) {
        const std::vector<std::string> excluded = excludedModules(config);
        exclude(excluded, model, quantization->quantised);
        exclude(excluded, model, quantization->secondQuantised);
    }
    return quantization;
}

std::optional<Format> formatOfMethod(Fields &config, const std::string &method)
{
    const std::int64_t bits = config.find({"bits", "w_bit"}, {1, 64}).value_or(4);
    const std::int64_t group = config.find({"group_size", "q_group_size"}, {-1, 1'000'000}).value_or(128);
    if (method == "awq")
        return integerFormat(bits, group, Format::AWQ);
    if (method == "gptq" || method == "auto-round" || method == "intel/auto-round" || method == "inc")
        return integerFormat(bits, group, Format::GPTQ);
    if (method == "fp8" || method == "fbgemm_fp8" || method == "deepseek_v4_fp8")
        return config.has("weight_block_size") ? Format::FP8Block : Format::FP8;
    if (method == "mxfp4")
        return Format::MXFP4;
    if (method == "mlx" && bits == 4 && group == 64) // with a 16-bit bias beside the scale: the same 4.5 bits
        return Format::Int4Group32;
    if (method == "bitsandbytes") {
        if (config.flag({"load_in_8bit", false}))
            return Format::Int8;
        return config.flag({"bnb_4bit_use_double_quant", false}) ? Format::NF4Double : Format::NF4;
    }
    return std::nullopt;
}

/// A scheme's whole description.
std::optional<Quantization> readScheme(Fields &config, const std::string &method, const ModelSpec &model)
{
    if (const Json *layers = config.raw("quantized_layers"); layers && layers->is_object() && !layers->empty())
        if (auto mixed = fromQuantizedLayers(*layers))
            return mixed;
    std::optional<Quantization> quantization;
    if (const Json *groups = config.raw("config_groups"); groups && groups->is_object())
        quantization = fromGroups(config, *groups, model);
    if (!quantization) {
        auto format = formatOfAlgorithm(config.text("quant_algo"));
        if (!format)
            format = formatOfMethod(config, method);
        if (!format)
            return std::nullopt;
        quantization = Quantization{*format, {}, layerMatrices(), {}, {}};
        exclude(excludedModules(config), model, quantization->quantised);
        at(quantization->quantised, Role::OutputHead) = method == "mlx" || config.flag({"lm_head", false});
        at(quantization->quantised, Role::Embedding) = method == "mlx";
    }
    return quantization;
}

/// Roles that the model has no parameters of are not quantised either; what is left must be something.
void keepOnlyPresent(const ModelSpec &model, Quantization &quantization)
{
    const RoleCounts counts = model.parameters();
    for (std::size_t r = 0; r < counts.count.size(); ++r)
        if (counts.count[r] == 0)
            quantization.quantised[r] = quantization.secondQuantised[r] = false;
}

std::optional<Format> kvFormatOf(const Fields &scheme)
{
    const std::string algorithm = scheme.text("kv_cache_quant_algo");
    if (algorithm.starts_with("NVFP4"))
        return Format::NVFP4;
    if (algorithm.starts_with("FP8"))
        return Format::FP8;
    const Json *declared = scheme.raw("kv_cache_scheme");
    if (!declared || !declared->is_object())
        return std::nullopt;
    Fields kv(*declared, *declared, scheme.path("kv_cache_scheme."));
    const std::int64_t bits = kv.find({"num_bits"}, {1, 64}).value_or(0);
    return kv.text("type") == "float" && bits == 8 ? std::optional(Format::FP8) : std::nullopt;
}

} // namespace

std::optional<Format> readKvFormat(const Fields &fields)
{
    for (const std::string_view name : {"quantization_config", "compression_config"}) {
        if (const Json *config = fields.rawAnywhere(name); config && config->is_object())
            return kvFormatOf(Fields(*config, *config, "quantization_config."));
    }
    return std::nullopt;
}

std::optional<Quantization> readQuantization(Fields &fields, const ModelSpec &model)
{
    const Json *config = fields.rawAnywhere("quantization_config");
    if (!config)
        config = fields.rawAnywhere("compression_config");
    if (!config)
        config = fields.rawAnywhere("quantization"); // MLX's own key
    if (!config)
        return std::nullopt;
    if (!config->is_object())
        return std::nullopt;
    Fields scheme(*config, *config, "quantization_config.");
    std::string method = scheme.text("quant_method");
    if (method.empty())
        method = scheme.text("quant_algo");
    if (method.empty() && scheme.has("bits"))
        method = "mlx";
    auto quantization = readScheme(scheme, method, model);
    if (!quantization) {
        fields.assume("quantization_config", method, "quantization_not_known");
        return std::nullopt;
    }
    quantization->method = method;
    const Json *expertType = fields.rawAnywhere("expert_dtype");
    if (expertType && *expertType == "fp4" && quantization->format == Format::FP8Block) {
        quantization->format = Format::MXFP4;
        quantization->quantised = {};
        at(quantization->quantised, Role::Experts) = true;
    }
    // DeepSeek V4: the method speaks of all but the experts, whose format stands elsewhere.
    const bool methodIsBlock = method == "fp8" && scheme.has("weight_block_size");
    if (methodIsBlock && quantization->format != Format::FP8Block && !quantization->secondFormat) {
        quantization->secondFormat = Format::FP8Block;
        const RoleFlags matrices = layerMatrices();
        for (std::size_t r = 0; r < matrices.size(); ++r)
            quantization->secondQuantised[r] = matrices[r] && !quantization->quantised[r];
    }
    keepOnlyPresent(model, *quantization);
    return quantization;
}

Result<ModelSpec> withModelOptConfig(ModelSpec model, std::string_view json, std::string_view name)
{
    const Result<Json> file = parseJson(json, name);
    if (!file)
        return file.error();
    const auto found = file->is_object() ? file->find("quantization") : file->end();
    if (!file->is_object() || found == file->end() || !found->is_object())
        return Error{ErrorCode::NotThisKind, std::string(name), "hf_quant_config", {}};
    Fields scheme(*found, *found, "quantization.");
    model.kvFormat = kvFormatOf(scheme);
    if (auto quantization = readScheme(scheme, "modelopt", model)) {
        quantization->method = "modelopt";
        keepOnlyPresent(model, *quantization);
        model.quantization = std::move(quantization);
    } else {
        model.assumptions.push_back({"quantization", scheme.text("quant_algo"), "quantization_not_known"});
    }
    return model;
}

} // namespace kvscope
