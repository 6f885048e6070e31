// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engines/ollamalaunch.h"

#include "core/engines/llamacppplace.h"
#include "core/engines/rulesdate.h"
#include "core/weights.h"

#include <algorithm>
#include <array>

namespace kvscope::ollama {

namespace {

constexpr std::int64_t standardBatch = 512;

/// Architectures that are never run with more than one slot (6.1).
constexpr std::array<std::string_view, 11> oneSlotArchitectures{"mllama",     "qwen3vl",        "qwen3vlmoe",     "qwen35",
                                                                "qwen35moe",  "qwen3next",      "lfm2",           "lfm2moe",
                                                                "nemotron_h", "nemotron_h_moe", "nemotron_h_omni"};
/// Architectures with flash attention on by themselves before llama-server decided (6.2).
constexpr std::array<std::string_view, 6> flashByDefault{"gemma3", "gpt-oss", "qwen3", "qwen3moe", "qwen3vl", "qwen3vlmoe"};

bool contains(std::span<const std::string_view> names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

Bytes freeOf(const Device &device, const Scenario &scenario) { return std::max(device.usable - scenario.inUse, Bytes{}); }

Bytes share(Bytes bytes, double of) { return {static_cast<std::int64_t>(static_cast<double>(bytes.value) * of)}; }

/// num_ctx by the cards' total (6.1): thresholds a little under 48 and 24 GiB, so that cards of those sizes count.
TokenCount automaticContext(const Rules &rules, const Cluster &cluster)
{
    if (!rules.contextByMemory())
        return {rules.context4096() ? 4096 : 2048};
    Bytes total;
    for (const Device &device : cluster.devices)
        total += device.memory;
    return {total >= 47_GiB ? 262144 : total >= 23_GiB ? 32768 : 4096};
}

void warnOfIgnored(const LocalOptions &local, std::vector<Warning> &warnings)
{
    const auto lacks = [&](bool asked, const char *option) {
        if (asked)
            warnings.push_back({WarningCode::EngineLacksOption, {option}});
    };
    lacks(local.unified.value_or(false), "--kv-unified");
    lacks(local.automaticSlots, "--parallel auto");
    lacks(local.fullWindows, "--swa-full");
    lacks(local.kvOnHost, "--no-kv-offload");
    lacks(local.hostExperts.value_or(0) > 0, "--n-cpu-moe");
    lacks(!local.tensorSplit.empty(), "--tensor-split");
    lacks(local.ubatch && local.batch && *local.ubatch != *local.batch, "--ubatch");
}

/// The scheduler's guess: the file and a plain cache of 16 bits, whatever the model really keeps (6.1).
Bytes predictedOf(Bytes file, const GgufLayers &layers, std::int64_t tokens)
{
    int mostHeads = 1;
    std::int64_t leastKvHeads = layers.layers.empty() ? 1 : layers.layers.front().kvHeads;
    for (const GgufLayer &layer : layers.layers) {
        mostHeads = std::max(mostHeads, layer.heads);
        leastKvHeads = std::min<std::int64_t>(leastKvHeads, layer.kvHeads);
    }
    const std::int64_t head = layers.embedding / mostHeads;
    return file + Bytes{2 * 2} * layers.blocks * std::max<std::int64_t>(leastKvHeads, 1) * head * tokens;
}

/// num_batch where nobody sets it (6.1): larger steps for longer contexts, as long as the guess leaves room.
std::int64_t automaticBatch(Bytes predicted, Bytes available, std::int64_t tokens, bool flash, bool cuda, Bytes smallestCard)
{
    if (!flash && cuda)
        return smallestCard <= 8_GiB && tokens > 4096 ? 256 : standardBatch;
    struct Step {
        std::int64_t batch, above; ///< tokens from which it is wanted
        double most;               ///< of what is available
        Bytes surcharge;
    };
    constexpr std::array steps{Step{2048, 32768, 0.60, 2_GiB}, Step{1024, 4096, 0.75, 768_MiB}};
    for (const Step &step : steps) {
        if (tokens > step.above && predicted <= share(available, step.most) && predicted + step.surcharge <= share(available, 0.80))
            return step.batch;
    }
    return standardBatch;
}

} // namespace

Result<Rules> rulesOf(const std::string &version, std::vector<Warning> &warnings)
{
    const Result<int> date = rulesDate(EngineId::Ollama, version, warnings);
    if (!date)
        return date.error();
    return Rules{*date};
}

Result<Launch> launchOf(const Scenario &scenario, const Cluster &cluster, std::vector<Warning> &warnings)
{
    const Result<Rules> rules = rulesOf(scenario.engine.version, warnings);
    if (!rules)
        return rules.error();
    if (scenario.kv.key && scenario.kv.value && scenario.kv.key != scenario.kv.value)
        return Error{
            ErrorCode::UnequalCacheTypes, std::string(infoOf(*scenario.kv.key).name), std::string(infoOf(*scenario.kv.value).name), {}};
    warnOfIgnored(scenario.local, warnings);

    Launch launch;
    Scenario &run = launch.run;
    run = scenario;
    const std::string digits = std::to_string(rules->date);
    run.engine = {EngineId::LlamaCpp,
                  rules->date == 0 ? std::string("2024-01-01") : digits.substr(0, 4) + '-' + digits.substr(4, 2) + '-' + digits.substr(6)};
    const GgufModel *gguf = scenario.model->gguf.get();
    const std::string_view architecture = gguf ? std::string_view(gguf->architecture) : std::string_view();
    launch.oneSlot = rules->runsServer() && contains(oneSlotArchitectures, architecture);
    const std::int64_t replicas = cluster.split.data;
    launch.parallel = launch.oneSlot ? 1 : scenario.local.slotCount.value_or(static_cast<int>(ceilDivide(scenario.batch, replicas)));
    if (launch.parallel < ceilDivide(scenario.batch, replicas)) {
        run.batch = launch.parallel * replicas;
        warnings.push_back({WarningCode::SequencesWait, {std::to_string(scenario.batch), std::to_string(run.batch)}});
    }
    const TokenCount trained = scenario.model->trainedContext;
    if (trained.value > 0 && run.context > trained)
        run.context = trained; // what is more than the model's own length is cut
    launch.defaultContext = automaticContext(*rules, cluster);
    if (trained.value > 0)
        launch.defaultContext = std::min(launch.defaultContext, trained);

    LocalOptions &local = run.local;
    local = {};
    local.pool = scenario.local.pool;
    local.slotCount = static_cast<int>(launch.parallel);
    local.unified = false;
    local.gpuLayers = scenario.local.gpuLayers;
    local.backend = scenario.local.backend;
    local.flash = scenario.local.flash;
    if (local.flash == FlashAttention::Automatic && !rules->runsServer())
        local.flash = contains(flashByDefault, architecture) ? FlashAttention::On : FlashAttention::Off;
    const bool quantised = infoOf(keyFormat(scenario)).blockElements > 1;
    if (quantised && local.flash == FlashAttention::Off && !rules->runsServer()) {
        warnings.push_back({WarningCode::CacheTypeIgnored, {std::string(infoOf(keyFormat(scenario)).name)}});
        run.kv.key = run.kv.value = Format::F16;
    }

    const std::int64_t tokens = local.pool ? local.pool->value : saturatingMultiply(run.context.value, launch.parallel);
    Bytes available, smallest{tooLargeValue}, largest;
    for (std::size_t d = 0; d < cluster.devices.size(); ++d) {
        const Bytes free = freeOf(cluster.devices[d], scenario);
        available += free;
        smallest = std::min(smallest, cluster.devices[d].memory);
        largest = std::max(largest, free);
    }
    std::vector<Warning> ignored;
    const Result<llamacpp::Run> layers = llamacpp::runOf(run, cluster, ignored);
    if (!layers)
        return layers.error();
    const Result<GgufModel> tensors = llamacpp::loadedTensors(*layers, run);
    if (!tensors)
        return tensors.error();
    const Bytes file = tensors->tensors.empty() ? weightBytes(*scenario.model, scenario.weights).total : tensors->tensorBytes();
    launch.predicted = predictedOf(file, layers->layers, tokens);
    if (rules->runsServer() && cluster.devices.size() > 1 && share(largest, 0.80) >= launch.predicted) {
        const auto fits = std::ranges::find_if(cluster.devices, [&](const Device &d) { return freeOf(d, scenario) == largest; });
        launch.onlyDevice = static_cast<int>(fits - cluster.devices.begin());
        local.tensorSplit.assign(cluster.devices.size(), 0.0);
        local.tensorSplit[static_cast<std::size_t>(launch.onlyDevice)] = 1;
        available = largest;
    }
    const bool cuda = layers->backend == Backend::Cuda;
    launch.batch = scenario.local.batch    ? *scenario.local.batch
                   : scenario.local.ubatch ? *scenario.local.ubatch
                   : !rules->runsServer()  ? standardBatch
                   : layers->causal        ? automaticBatch(launch.predicted, available, tokens, layers->flash, cuda, smallest)
                                           : std::min<std::int64_t>(2048, tokens);
    local.batch = local.ubatch = static_cast<int>(launch.batch);
    return launch;
}

} // namespace kvscope::ollama
