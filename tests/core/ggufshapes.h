// SPDX-License-Identifier: GPL-3.0-or-later
// Models as a GGUF header tells them, with the shapes of spec/local-engines.md's worked examples, and short words for asking a plan.
#pragma once

#include "core/catalog.h"
#include "core/engine.h"
#include "core/gguf/model.h"
#include "core/plan.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace kvscope::testing {

using Keys = std::vector<std::pair<std::string_view, std::vector<std::int64_t>>>;

/// A header without tensors; a key with several numbers is an array.
inline GgufModel headerOf(std::string_view architecture, const Keys &keys, std::int64_t vocab = 0)
{
    GgufModel model;
    model.architecture = architecture;
    model.vocab = vocab;
    for (const auto &[key, values] : keys)
        model.keys[std::string(key)] = {values, values.size() > 1};
    return model;
}

inline GgufModel llama8B()
{
    return headerOf("llama",
                    {{"block_count", {32}},
                     {"context_length", {131072}},
                     {"embedding_length", {4096}},
                     {"feed_forward_length", {14336}},
                     {"attention.head_count", {32}},
                     {"attention.head_count_kv", {8}}},
                    128256);
}

/// 48 layers: every sixth dense, a window of 1024, K and V rows of 2048.
inline GgufModel gemma12B()
{
    return headerOf("gemma3",
                    {{"block_count", {48}},
                     {"context_length", {131072}},
                     {"embedding_length", {3840}},
                     {"feed_forward_length", {15360}},
                     {"attention.head_count", {16}},
                     {"attention.head_count_kv", {8}},
                     {"attention.key_length", {256}},
                     {"attention.value_length", {256}},
                     {"attention.sliding_window", {1024}}},
                    262144);
}

inline GgufModel deepSeekV3(std::string_view architecture = "deepseek2")
{
    return headerOf(architecture,
                    {{"block_count", {61}},
                     {"context_length", {163840}},
                     {"embedding_length", {7168}},
                     {"feed_forward_length", {18432}},
                     {"leading_dense_block_count", {3}},
                     {"expert_count", {256}},
                     {"expert_used_count", {8}},
                     {"expert_shared_count", {1}},
                     {"expert_feed_forward_length", {2048}},
                     {"attention.head_count", {128}},
                     {"attention.head_count_kv", {1}},
                     {"attention.kv_lora_rank", {512}},
                     {"attention.key_length", {576}},
                     {"attention.value_length", {512}},
                     {"attention.key_length_mla", {192}},
                     {"attention.value_length_mla", {128}},
                     {"attention.indexer.key_length", {128}},
                     {"attention.indexer.head_count", {64}}},
                    129280);
}

/// 36 of 48 layers are linear attention.
inline GgufModel qwenNext()
{
    return headerOf("qwen3next", {{"block_count", {48}},
                                  {"embedding_length", {2048}},
                                  {"attention.head_count", {16}},
                                  {"attention.head_count_kv", {2}},
                                  {"attention.key_length", {256}},
                                  {"attention.value_length", {256}},
                                  {"ssm.conv_kernel", {4}},
                                  {"ssm.inner_size", {4096}},
                                  {"ssm.state_size", {128}},
                                  {"ssm.group_count", {16}}});
}

/// On one card of 2 TiB that adds nothing of its own: RPC with a CPU behind it, as the measurements ran.
inline Scenario llamaCppOf(const GgufModel &model)
{
    auto spec = std::make_shared<ModelSpec>();
    spec->name = spec->family = model.architecture;
    spec->gguf = std::make_shared<const GgufModel>(model);
    spec->groups.resize(1);
    spec->layout.assign(static_cast<std::size_t>(model.blocks()), 0);
    spec->trainedContext = {model.number("context_length")};
    spec->vocab = model.vocab;
    spec->parametersKnown = true;
    Scenario scenario;
    scenario.model = spec;
    scenario.engine = {EngineId::LlamaCpp, "2026-08-18"};
    scenario.local.backend = Backend::Rpc;
    scenario.local.flash = FlashAttention::On;
    scenario.kv.key = scenario.kv.value = Format::F16;
    scenario.clusters = {clusterOf(deviceOfSize(2048_GiB))};
    return scenario;
}

/// The server's words `-c N -np S`.
inline Scenario withPool(Scenario scenario, std::int64_t cells, int slotCount = 1)
{
    scenario.local.pool = TokenCount{cells};
    scenario.batch = slotCount;
    scenario.context = TokenCount{std::max<std::int64_t>(1, cells / slotCount)};
    return scenario;
}

inline Plan planOf(const Scenario &scenario) { return plan(scenario, scenario.clusters.front()); }

inline double reported(const Plan &plan, std::string_view name)
{
    const auto found = std::ranges::find(plan.engineReport, name, &ReportFigure::name);
    return found == plan.engineReport.end() ? -1 : found->value;
}

/// In MiB, rounded to hundredths as the log prints it.
inline double mebibytes(double bytes) { return std::round(bytes / static_cast<double>(bytesPerMiB) * 100) / 100; }
inline double mebibytes(Bytes bytes) { return mebibytes(static_cast<double>(bytes.value)); }

} // namespace kvscope::testing
