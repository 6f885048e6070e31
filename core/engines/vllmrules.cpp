// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/vllmrules.h"

#include "core/engines/rulesdate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace kvscope::vllm {

namespace {

bool anyOf(std::span<const std::string_view> names, std::string_view family) { return std::ranges::find(names, family) != names.end(); }

bool nameHas(const Device &device, std::string_view word)
{
    const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
    std::string name;
    std::ranges::transform(device.name, std::back_inserter(name), lower);
    return name.find(word) != std::string::npos;
}

constexpr Bytes largeCard = 70_GiB;
constexpr Bytes largestCard = 160_GiB;

} // namespace

bool isTriedCard(const Device &device)
{
    const bool bySize = device.architecture.empty() && device.memory >= largeCard && device.memory < 90_GiB;
    return bySize || nameHas(device, "h100");
}

bool Rules::hasKvFormat(Format format) const
{
    switch (format) {
    case Format::FP8DsMla: return date >= 20251101;
    case Format::FP8PerTokenHead:
    case Format::Int8PerTokenHead: return date >= 20260402;
    case Format::TurboK8V4:
    case Format::Turbo4Bit:
    case Format::TurboK3V4:
    case Format::Turbo3Bit: return date >= 20260414;
    case Format::NVFP4: return date >= 20260417;
    case Format::Int4PerTokenHead: return date >= 20260624;
    case Format::NVFP4FourOverSix: return date >= 20260807;
    default: return true;
    }
}

Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings)
{
    const Result<int> date = rulesDate(EngineId::Vllm, version, warnings);
    if (!date)
        return date.error();
    return Rules{*date};
}

bool usesRunnerV2(const Run &run, const Rules &rules)
{
    static constexpr std::array<std::string_view, 3> first{"llama", "mistral", "qwen3"};
    static constexpr std::array<std::string_view, 5> experts{"deepseek_v2", "deepseek_v3", "kimi_k2", "qwen2_moe", "granitemoe"};
    static constexpr std::array<std::string_view, 3> newest{"deepseek_v4", "kimi_k3", "longcat_flash_ngram"};
    const ModelSpec &model = *run.model;
    if (!rules.runnerV2())
        return false;
    const bool unquantised = run.weights == run.dtype;
    if (anyOf(first, model.family) && (unquantised || rules.runnerV2Dense()))
        return true;
    if (anyOf(experts, model.family))
        return rules.runnerV2Experts();
    if (anyOf(newest, model.family))
        return rules.runnerV2Dense();
    return rules.runnerV2Dense() && model.experts == 0 && !run.hasStates();
}

bool chunkedPrefill(const Rules &rules, const Scenario &scenario) { return !rules.v0() || scenario.context.value > 32'768; }

BatchSizes batchSizes(const Rules &rules, const Scenario &scenario, const Device &device)
{
    const std::int64_t context = std::max<std::int64_t>(scenario.context.value, 1);
    BatchSizes sizes;
    if (rules.v0()) {
        sizes.tokens = chunkedPrefill(rules, scenario) ? 2048 : std::max<std::int64_t>(context, 2048);
    } else if (device.memory >= largestCard && rules.largestCardTier()) {
        sizes = {16'384, 1024};
    } else if (device.memory >= largeCard && (rules.a100HasLargeBatches() || !nameHas(device, "a100"))) {
        sizes = {8192, 1024};
    }
    const ServingOptions &options = scenario.serving;
    if (options.maxSequences)
        sizes.sequences = *options.maxSequences;
    if (options.batchedTokens)
        sizes.tokens = *options.batchedTokens;
    else
        sizes.tokens = std::min(sizes.tokens, saturatingMultiply(sizes.sequences, context));
    sizes.sequences = std::min(sizes.sequences, sizes.tokens);
    return sizes;
}

std::int64_t inFlightTokens(const Run &run, const Rules &rules, const BatchSizes &sizes)
{
    std::int64_t batches = 1;
    if (rules.inFlightDoubles())
        batches = usesRunnerV2(run, rules) ? run.split.pipeline + 1 : run.split.pipeline == 1 ? 2 : run.split.pipeline;
    return saturatingMultiply(batches, sizes.tokens);
}

bool prefixCaching(const Run &run, const Rules &rules, const Scenario &scenario)
{
    if (run.model->encoderDecoder)
        return false;
    return scenario.serving.prefixCaching.value_or(!rules.v0() && (!run.hasStates() || rules.hybridPrefixCaching()));
}

} // namespace kvscope::vllm
