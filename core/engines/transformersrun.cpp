// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/transformersrun.h"

#include "core/engines/rulesdate.h"

#include <algorithm>

namespace kvscope::transformers {

namespace {

bool isQuantised(Format kv) { return kv == Format::Int8 || kv == Format::Int4; }

/// quanto takes 2 and 4 bits, HQQ 1, 2, 3, 4 and 8 (spec/transformers.md 2.7).
bool isCacheBits(int bits) { return bits >= 1 && bits <= 8 && bits != 5 && bits != 6 && bits != 7; }

std::string names(std::initializer_list<std::string_view> list)
{
    std::string text;
    for (const std::string_view name : list) {
        if (name.empty())
            continue;
        text += text.empty() ? "" : ", ";
        text += name;
    }
    return text;
}

/// Full attention and nothing else: what QuantizedCache can hold (2.7).
bool isPlain(const ModelSpec &model)
{
    return !model.encoderDecoder && std::ranges::all_of(model.groups, [](const LayerGroup &g) {
        return g.mixer == Mixer::Full && g.state.kind == Recurrence::None && g.crossKvHeads == 0;
    });
}

std::string cachesOf(const Rules &rules, const ModelSpec &model)
{
    return names({"dynamic", rules.staticCache() ? "static" : "", rules.quantizedCache() && isPlain(model) ? "quantized" : "",
                  rules.offloadedCache() ? "offloaded" : ""});
}

std::string formatsOf(const Run &run)
{
    const bool quantised = run.rules.quantizedCache() && isPlain(*run.model);
    return names({infoOf(run.dtype).name, quantised ? "int8" : "", quantised ? "int4" : ""});
}

std::optional<Error> chooseCache(const Scenario &scenario, Run &run)
{
    const ModelSpec &model = *run.model;
    const Format key = scenario.kv.key.value_or(run.dtype);
    const Format value = scenario.kv.value.value_or(scenario.kv.key ? key : run.dtype);
    const auto unsupported = [&](Format format) {
        return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(format).name), formatsOf(run), {}};
    };
    for (const Format format : {key, value}) {
        if (!isQuantised(format) &&
            infoOf(format).bitsPerElement() != infoOf(run.dtype).bitsPerElement()) // a cache is in the activations' dtype
            return unsupported(format);
    }
    if (key != value) // one setting for both
        return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(value).name), std::string(infoOf(key).name), {}};

    run.cache = scenario.transformers.cache;
    run.bits = scenario.transformers.cacheBits;
    if (isQuantised(key)) {
        if (!run.rules.quantizedCache() || !isPlain(model))
            return unsupported(key);
        run.cache = CacheClass::Quantized;
        run.bits = key == Format::Int8 ? 8 : 4;
    } else if (scenario.kv.key && run.cache == CacheClass::Quantized) {
        run.cache = CacheClass::Dynamic; // the precision that was asked for wins over the cache's own bits
    }
    const Rules &rules = run.rules;
    const auto lacks = [&](const char *cache) {
        return Error{ErrorCode::BadOption, std::string("--cache ") + cache, cachesOf(rules, model), {}};
    };
    switch (run.cache) {
    case CacheClass::Dynamic: break;
    case CacheClass::Static:
        if (!rules.staticCache())
            return lacks("static");
        break;
    case CacheClass::Quantized:
        if (!rules.quantizedCache() || !isPlain(model))
            return lacks("quantized");
        if (!isCacheBits(run.bits))
            return Error{ErrorCode::BadOption, "--cache-bits", "1, 2, 3, 4, 8", {}};
        break;
    case CacheClass::Offloaded:
        if (!rules.offloadedCache())
            return lacks("offloaded");
        break;
    }
    const bool hubAsksForHybrid = model.family.starts_with("gemma2") || model.family.starts_with("gemma3");
    if (run.cache == CacheClass::Dynamic && rules.hybridDefault() && hubAsksForHybrid)
        run.cache = CacheClass::Static;
    return {};
}

void warnOfIgnored(const Scenario &scenario, const Run &run, std::vector<Warning> &warnings)
{
    const auto lacks = [&](bool asked, const char *option) {
        if (asked)
            warnings.push_back({WarningCode::EngineLacksOption, {option}});
    };
    lacks(scenario.kv.scales != KvScales::None || scenario.kv.zeroPoints, "--kv-scales");
    lacks(scenario.kv.keepFirst > 0 || scenario.kv.keepLast > 0, "--kv-keep");
    lacks(scenario.sharedPrefix.value > 0, "--shared-prefix");
    lacks(scenario.offloadKv.value > 0, "--offload-kv");
    lacks(scenario.streamWindow.value > 0 && run.sinkLimit == largestContext, "--sinks");
}

} // namespace

Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings)
{
    const Result<int> date = rulesDate(EngineId::Transformers, version, warnings);
    if (!date)
        return date.error();
    return Rules{*date};
}

bool Rules::rotaryInLayers(const std::string &family) const
{
    if (family == "llama")
        return date < 20240517;
    if (family == "mistral")
        return date < 20240520;
    return family == "qwen2" && date < 20240909;
}

Format activationFormat(const ModelSpec &model, Format weights)
{
    switch (weights) {
    case Format::F32:
    case Format::F16:
    case Format::BF16: return weights;
    case Format::AWQ:
    case Format::GPTQ: return Format::F16; // 6.4
    default: return model.nativeFormat == Format::BF16 ? Format::BF16 : Format::F16;
    }
}

Format loadedFormat(const ModelSpec &model, const Rules &rules)
{
    if (model.quantization)
        return model.quantization->format;
    return rules.automaticDtype() ? model.nativeFormat : Format::F32;
}

Result<Run> runOf(const Scenario &scenario, std::vector<Warning> &warnings)
{
    const Result<Rules> rules = rulesOf(scenario.engine.version, warnings);
    if (!rules)
        return rules.error();
    Run run;
    run.model = scenario.model.get();
    run.rules = *rules;
    run.weights = scenario.weights.format.value_or(loadedFormat(*run.model, run.rules));
    run.dtype = activationFormat(*run.model, run.weights);
    run.b = infoOf(run.dtype).blockBytes;
    run.attention = scenario.transformers.attention;
    if (run.attention == AttentionKernel::Sdpa && !run.rules.sdpa())
        run.attention = AttentionKernel::Eager;
    if (std::optional<Error> error = chooseCache(scenario, run))
        return *std::move(error);

    if (const std::optional<TokenCount> newTokens = scenario.transformers.newTokens) {
        run.promptOffset = *newTokens;
        run.forwardOnly = newTokens->value == 0;
        run.decodes = newTokens->value > 1;
        run.heldOffset = TokenCount{std::min<std::int64_t>(newTokens->value, 1)};
        run.behind = std::max<std::int64_t>(newTokens->value - 1, 0);
    }
    run.encoderTokens = scenario.encoderLength.value_or(run.model->encoderLength);
    if (scenario.streamWindow.value > 0 && run.rules.sinkCache() && run.cache == CacheClass::Dynamic)
        run.sinkLimit = scenario.sinks + scenario.streamWindow;
    warnOfIgnored(scenario, run, warnings);
    return run;
}

} // namespace kvscope::transformers
