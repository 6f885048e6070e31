// SPDX-License-Identifier: GPL-3.0-or-later
// What of SGLang depends on its version, the card and the back end: spec/serving-engines.md 1.4 and 2.11.
#include "core/engines/sglangrules.h"

#include "core/engines/rulesdate.h"
#include "core/engines/servingmemory.h"

#include <algorithm>
#include <cmath>

namespace kvscope::sglang {

namespace {

constexpr std::int64_t sparsePage = 64;
constexpr std::int64_t tensorRtPage = 64; ///< trtllm_mha
constexpr std::int64_t fourthPage = 128;  ///< FA4
constexpr std::int64_t compressedPage = 256;

/// Before mid-2025 (1.4 names one and four GPUs; the others from SGLang).
double tableFraction(int tensor)
{
    if (tensor >= 16)
        return 0.79;
    if (tensor >= 8)
        return 0.81;
    if (tensor >= 4)
        return 0.85;
    return tensor >= 2 ? 0.87 : 0.88;
}

/// Vision towers take more of the card than the reserve knows of. Their size by the names that SGLang looks for, its own defaults else.
double visionFactor(const VisionTower &tower)
{
    constexpr double usualLayers = 24, usualWidth = 1024; // ViT-L/14
    const double layers = tower.layers > 0 ? tower.layers : usualLayers;
    const double width = tower.width > 0 ? tower.width : usualWidth;
    const double ratio = layers * width * width / (usualLayers * usualWidth * usualWidth);
    return 0.95 * std::clamp(1 - 0.1 * (ratio - 1), 0.8, 1.05);
}

bool usesAiter(const Device &device) { return device.architecture == "CDNA 3.0" || device.architecture == "CDNA 4.0"; }

} // namespace

Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings)
{
    const Result<int> date = rulesDate(EngineId::Sglang, version, warnings);
    if (!date)
        return date.error();
    return Rules{*date};
}

std::optional<Error> checkRun(const Run &run, const Rules &rules)
{
    if (run.kv == Format::MXFP8 && !rules.mxfp8())
        return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(run.kv).name), "fp8", {}};
    if (run.tensor() % run.split.expert != 0)
        return Error{
            ErrorCode::ImpossibleSplit, "ep = " + std::to_string(run.split.expert), "tp = " + std::to_string(run.tensor()) + " / ep", {}};
    return {};
}

Tier tierOf(const Rules &rules, std::int64_t mebibytes, int tensor)
{
    const bool wide = tensor >= 4;
    constexpr std::int64_t gib = 1024;
    Tier tier{16'384, 512};
    if (mebibytes < 20 * gib)
        tier = {2048, 8};
    else if (mebibytes < 35 * gib)
        tier = rules.newPools() ? Tier{4096, wide ? 160 : 48} : Tier{2048, wide ? 80 : 24};
    else if (mebibytes < 60 * gib)
        tier = {4096, wide ? 160 : 32};
    else if (mebibytes < 160 * gib)
        tier = {8192, wide ? 512 : 256};
    if (!rules.computedFraction())
        tier.chunk = mebibytes < 25'000 ? 2048 : 8192; // SGLang
    return tier;
}

double reservedMebibytes(const Run &run, const Rules &rules, const Scenario &scenario, std::int64_t card, const Tier &tier)
{
    double reserved = 512 + 1.5 * static_cast<double>(std::max<std::int64_t>(tier.chunk, 2048)) +
                      static_cast<double>(run.tensor() * run.split.pipeline) / 8 * 1024;
    if (!scenario.serving.eager) {
        const auto largest = static_cast<double>(tier.graphBatch);
        reserved += 2 * largest;
        if (run.split.dataInTensor)
            reserved += (tier.graphBatch > 300 ? 4.5 : 3) * largest * run.split.data;
    }
    if (card > 60 * 1024)
        reserved = std::max(reserved, 10.0 * 1024);
    if (rules.reservesForDrafts()) // STANDALONE, EAGLE
        reserved += scenario.draft ? 6 * 1024 : run.drafts > 0 ? 2 * 1024 : 0;
    return reserved;
}

double defaultFraction(const Run &run, const Rules &rules, const Scenario &scenario, std::int64_t mebibytes, const Tier &tier)
{
    if (!rules.computedFraction())
        return tableFraction(run.tensor());
    const double reserved = reservedMebibytes(run, rules, scenario, mebibytes, tier);
    const double fraction = std::round((1 - reserved / static_cast<double>(mebibytes)) * 1000) / 1000;
    return run.model->vision ? fraction * visionFactor(*run.model->vision) : fraction;
}

double fractionOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device, const Tier &tier)
{
    const std::optional<double> &asked = scenario.serving.memoryFraction;
    const double fraction = asked ? *asked : defaultFraction(run, rules, scenario, device.memory.value / bytesPerMiB, tier);
    constexpr TokenCount shortContext{8192};
    return usesAiter(device) && scenario.context > shortContext ? fraction * 0.85 : fraction;
}

std::int64_t pageOf(const Run &run, const Rules &rules, const Scenario &scenario, const Device &device)
{
    if (scenario.serving.blockSize)
        return *scenario.serving.blockSize;
    if (isCompressed(*run.model))
        return compressedPage;
    if (run.isSparse())
        return sparsePage;
    if (!serving::isSm100(device) || !rules.tensorRtAttention() || run.hasMixer(Mixer::Latent))
        return 1;
    const bool uneven = std::ranges::any_of(run.model->groups, [](const LayerGroup &g) { return g.hasCache() && g.keyDim != g.valueDim; });
    return uneven ? fourthPage : tensorRtPage;
}

bool isCompressed(const ModelSpec &model)
{
    return std::ranges::any_of(model.groups, [](const LayerGroup &g) { return g.compression.value > 1; });
}

} // namespace kvscope::sglang
