// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/quantization.h"

#include "core/import/quantizationscheme.h"

namespace kvscope {

namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// A weight of `bits` with a scale, and a zero point where there are any, for each `group` of them; no group: for each output row (4.2).
std::optional<Stored> integers(std::int64_t bits, std::int64_t group, bool zeroPoints, Format fewBits)
{
    if (bits < 2 || bits > 8)
        return std::nullopt;
    const auto width = static_cast<double>(bits);
    const double beside = group > 0 ? (16.0 + (zeroPoints ? width : 0.0)) / static_cast<double>(group) : 0.0;
    if (bits == 8)
        return stored(Format::Int8, width + beside);
    if (bits == 4 && group == 32 && !zeroPoints)
        return stored(Format::Int4Group32, 0);
    return stored(fewBits, width + beside);
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
std::optional<Stored> formatOfGroup(Fields &weights)
{
    const std::int64_t bits = weights.find({"num_bits"}, {1, 64}).value_or(0);
    const std::int64_t group = weights.find({"group_size"}, {-1, 1'000'000}).value_or(0);
    if (weights.text("type") == "float") {
        if (bits == 8)
            return stored(weights.text("strategy") == "block" ? Format::FP8Block : group == 32 ? Format::MXFP8 : Format::FP8, 0);
        if (bits == 4)
            return stored(group == 16 ? Format::NVFP4 : Format::MXFP4, 0);
        return std::nullopt;
    }
    return integers(bits, group, !weights.flag({"symmetric", true}), Format::GPTQ);
}

/// The lists of what is left out, by all their names; GPTQ's rules for single modules, of which those with a minus leave out; auto-round's.
void exclude(Fields &config, ModuleCoverage &excluded)
{
    for (const std::string_view list :
         {"modules_to_not_convert", "ignored_layers", "exclude_modules", "ignore", "llm_int8_skip_modules", "exclude"}) {
        for (const std::string &name : config.words(list))
            excluded.add(name);
    }
    if (const Json *rules = config.raw("dynamic"); rules && rules->is_object()) {
        for (const auto &[pattern, rule] : rules->items())
            if (pattern.starts_with("-:"))
                excluded.add("re:" + pattern.substr(2));
    }
    if (const Json *extra = config.raw("extra_config"); extra && extra->is_object()) {
        for (const auto &[name, rule] : extra->items())
            if (rule.is_object() && rule.value("bits", Json()) == 16)
                excluded.add(name);
    }
}

/// ModelOpt without a list: with experts in 4 bit it is nearly always the experts alone that are (4.2).
void excludeByDefault(Fields &config, const Stored &format, const ModelSpec &model, ModuleCoverage &excluded)
{
    const bool listed = config.mentions("exclude_modules") || config.mentions("ignore");
    if (listed || model.experts == 0 || format.format != Format::NVFP4)
        return;
    for (const Role role : {Role::Attention, Role::Recurrent, Role::Ffn, Role::SharedExperts, Role::Mtp})
        excluded.addRole(role);
    config.assume("exclude_modules", "experts", "family_default");
}

/// Mixed precision: `quantized_layers` names each module with its algorithm; the rest is in what the method itself says, if anything.
std::optional<Quantization> fromQuantizedLayers(const Json &layers, const std::optional<Stored> &rest, const ModelSpec &model)
{
    Scheme scheme(model);
    for (const auto &[module, entry] : layers.items()) {
        const auto algorithm = entry.is_object() ? entry.find("quant_algo") : entry.end();
        if (!entry.is_object() || algorithm == entry.end() || !algorithm->is_string())
            continue;
        if (const auto format = formatOfAlgorithm(algorithm->get_ref<const std::string &>()))
            scheme.in(stored(*format, 0)).add(module);
    }
    if (rest)
        scheme.takeRest(*rest);
    return scheme.result();
}

/// Groups with module names as targets ("Linear" stands for all).
std::optional<Quantization> fromGroups(Fields &config, const Json &groups, const ModelSpec &model)
{
    Scheme scheme(model);
    for (const auto &[name, group] : groups.items()) {
        if (!group.is_object())
            continue;
        Fields reader(group, group, config.path("config_groups." + name + '.'));
        Fields weights = reader.nested("weights");
        const auto format = formatOfGroup(weights);
        if (!format)
            continue;
        for (const std::string &target : reader.words("targets")) {
            const bool isClass = target.find_first_of(".*:") == std::string::npos && target != "lm_head"; // "Linear"
            if (isClass)
                scheme.takeRest(*format);
            else
                scheme.in(*format).add(target);
        }
    }
    exclude(config, scheme.excluded());
    return scheme.result();
}

std::optional<Stored> formatOfQuark(Fields weights)
{
    const std::string type = weights.text("dtype");
    const std::int64_t group = weights.find({"group_size"}, {-1, 1'000'000}).value_or(0);
    if (type.starts_with("fp8"))
        return stored(group == 32 ? Format::MXFP8 : Format::FP8, 0);
    if (type == "fp4" || type == "mxfp4")
        return stored(Format::MXFP4, 0);
    if (type == "int8" || type == "uint8")
        return integers(8, group, false, Format::AWQ);
    if (type == "int4" || type == "uint4")
        return integers(4, group, type == "uint4", Format::AWQ);
    return std::nullopt;
}

/// Quark: one scheme for all, and others for modules by name.
std::optional<Quantization> fromQuark(Fields &config, const ModelSpec &model)
{
    Scheme scheme(model);
    if (const auto all = formatOfQuark(config.nested("global_quant_config").nested("weight")))
        scheme.takeRest(*all);
    if (const Json *layers = config.raw("layer_quant_config"); layers && layers->is_object()) {
        for (const auto &[name, entry] : layers->items()) {
            if (!entry.is_object())
                continue;
            const Fields rule(entry, entry, config.path("layer_quant_config." + name + '.'));
            if (const auto format = formatOfQuark(rule.nested("weight")))
                scheme.in(*format).add(name);
        }
    }
    exclude(config, scheme.excluded());
    return scheme.result();
}

std::optional<Stored> formatOfMethod(Fields &config, const std::string &method)
{
    const std::int64_t bits = config.find({"bits", "w_bit"}, {1, 64}).value_or(4);
    const std::int64_t group = config.find({"group_size", "q_group_size"}, {-1, 1'000'000}).value_or(128);
    if (method == "awq")
        return integers(bits, group, config.flag({"zero_point", true}), Format::AWQ);
    if (method == "gptq" || method == "auto-round" || method == "intel/auto-round" || method == "inc")
        return integers(bits, group, true, Format::GPTQ);
    if (method == "fp8" || method == "fbgemm_fp8" || method == "deepseek_v4_fp8")
        return stored(config.has("weight_block_size") ? Format::FP8Block : Format::FP8, 0);
    if (method == "mxfp4")
        return stored(Format::MXFP4, 0);
    if (method == "mlx" && bits == 4 && group == 64) // with a 16-bit bias beside the scale: the same 4.5 bits
        return stored(Format::Int4Group32, 0);
    if (method == "bitsandbytes") {
        if (config.flag({"load_in_8bit", false}))
            return stored(Format::Int8, 0);
        return stored(config.flag({"bnb_4bit_use_double_quant", false}) ? Format::NF4Double : Format::NF4, 0);
    }
    return std::nullopt;
}

/// A scheme's whole description. `expertType`: what a DeepSeek V4 config says of its experts, apart from the method.
std::optional<Quantization> readScheme(Fields &config, const std::string &method, const ModelSpec &model, const Json *expertType = nullptr)
{
    const std::optional<Format> algorithm = formatOfAlgorithm(config.text("quant_algo"));
    const std::optional<Stored> format = algorithm ? stored(*algorithm, 0) : formatOfMethod(config, method);
    if (const Json *layers = config.raw("quantized_layers"); layers && layers->is_object() && !layers->empty())
        if (auto mixed = fromQuantizedLayers(*layers, format, model))
            return mixed;
    if (const Json *groups = config.raw("config_groups"); groups && groups->is_object())
        if (auto grouped = fromGroups(config, *groups, model))
            return grouped;
    if (method == "quark")
        return fromQuark(config, model);
    if (!format)
        return std::nullopt;
    Scheme scheme(model);
    scheme.takeRest(*format);
    if (method == "mlx" || config.flag({"lm_head", false}))
        scheme.in(*format).addRole(Role::OutputHead);
    if (method == "mlx")
        scheme.in(*format).addRole(Role::Embedding);
    if (expertType && *expertType == "fp4" && format->format == Format::FP8Block)
        scheme.in(stored(Format::MXFP4, 0)).addRole(Role::Experts);
    if (algorithm)
        excludeByDefault(config, *format, model, scheme.excluded());
    exclude(config, scheme.excluded());
    return scheme.result();
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
    auto quantization = readScheme(scheme, method, model, fields.rawAnywhere("expert_dtype"));
    if (!quantization) {
        fields.assume("quantization_config", method, "quantization_not_known");
        return std::nullopt;
    }
    for (const Assumption &assumption : scheme.assumptions())
        fields.assume(assumption.field, assumption.value, assumption.reason);
    quantization->method = method;
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
        model.quantization = std::move(quantization);
        model.assumptions.insert(model.assumptions.end(), scheme.assumptions().begin(), scheme.assumptions().end());
    } else {
        model.assumptions.push_back({"quantization", scheme.text("quant_algo"), "quantization_not_known"});
    }
    return model;
}

} // namespace kvscope
