// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/planjson.h"

#include "core/engine.h"
#include "core/modeljson.h"
#include "core/scenariofile.h"

#include <cmath>

namespace kvscope {

namespace {

constexpr int planSchema = 1;

/// Leaves a figure out where 0 stands for "not known".
template<typename T>
void addKnown(OrderedJson &object, const char *key, T value)
{
    if (value > 0)
        object[key] = value;
}

/// The "model" object (spec/cli.md): where layers differ, the figures are those of the full-attention layers.
OrderedJson modelSummary(const ModelSpec &model)
{
    OrderedJson groups = OrderedJson::array();
    int withKv = 0, full = 0, windowed = 0, recurrent = 0;
    std::int64_t window = 0;
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        const LayerGroup &group = model.groups[g];
        groups.push_back(groupToJson(group, counts[g], Extent::Short));
        // A latent layer may keep its last tokens alone too; beside compressed ones a window is no limit.
        const bool latentWindow = group.mixer == Mixer::Latent && group.window.value > 0 && group.compression.value == 1;
        const bool windows = group.mixer == Mixer::Sliding || group.mixer == Mixer::Chunked || latentWindow;
        withKv += group.hasCache() ? counts[g] : 0;
        full += !windows && (group.mixer == Mixer::Full || group.mixer == Mixer::Latent) ? counts[g] : 0;
        windowed += windows ? counts[g] : 0;
        recurrent += group.state.kind != Recurrence::None ? counts[g] : 0;
        if (windows && counts[g] > 0)
            window = group.window.value;
    }
    OrderedJson json{{"name", model.name.empty() ? model.id : model.name}};
    if (!model.family.empty())
        json["family"] = model.family;
    json["layers"] = model.layerCount();
    json["layers_with_kv"] = withKv;
    json["layers_full"] = full;
    json["layers_windowed"] = windowed;
    json["layers_recurrent"] = recurrent;
    if (const LayerGroup *main = model.mainGroup()) {
        addKnown(json, "attention_heads", main->queryHeads);
        addKnown(json, "kv_heads", main->kvHeads);
        addKnown(json, "head_dim_k", main->keyDim);
        addKnown(json, "head_dim_v", main->valueDim);
        addKnown(json, "kv_lora_rank", main->latentDim);
        addKnown(json, "qk_rope_head_dim", main->ropeDim);
    }
    addKnown(json, "sliding_window", window);
    addKnown(json, "hidden", model.hidden);
    addKnown(json, "vocab", model.vocab);
    addKnown(json, "max_context", model.trainedContext.value);
    if (model.origin != ModelOrigin::ByHand)
        json["tied_embeddings"] = model.tiedEmbeddings;
    if (model.parametersKnown) {
        json["parameters"] = model.parameters().total();
        json["active_parameters"] = model.activeParameters();
        json["parameters_by_role"] = rolesToJson(model.parameters(), Extent::Short);
    } else {
        if (model.publishedParameters)
            json["parameters"] = *model.publishedParameters;
        if (model.publishedActive)
            json["active_parameters"] = *model.publishedActive;
    }
    json["groups"] = groups;
    return json;
}

OrderedJson kvObject(const KvFigures &kv, const std::optional<PoolFigures> &pool)
{
    OrderedJson json{{"bytes_per_token", kv.perToken.value},
                     {"bytes_per_token_at_context", kv.perTokenAtContext.value},
                     {"bytes_per_token_per_device", kv.perTokenPerDevice.value},
                     {"bytes_per_sequence", kv.perSequence.value},
                     {"total_bytes", kv.total.value},
                     {"state_bytes_per_sequence", kv.statePerSequence.value}};
    if (pool) {
        json["block_tokens"] = pool->blockTokens.value;
        json["blocks"] = pool->blocks;
        json["capacity_tokens"] = pool->capacity.value;
        json["max_concurrency"] = pool->maxConcurrency;
    }
    return json;
}

/// The card itself: all that is known of it where the engine refuses.
OrderedJson cardObject(const Device &device, int index)
{
    return {{"name", device.name.empty() ? device.id : device.name},
            {"index", index},
            {"memory_bytes", device.memory.value},
            {"usable_bytes", device.usable.value}};
}

OrderedJson deviceObject(const DevicePlan &device, const Cluster &cluster)
{
    OrderedJson json = cardObject(cluster.devices[static_cast<std::size_t>(device.index)], device.index);
    json["weights_bytes"] = device.used[Part::Weights].value;
    json["kv_bytes"] = device.used[Part::Kv].value;
    json["kv_needed_bytes"] = device.kvNeeded.value;
    json["state_bytes"] = device.used[Part::State].value;
    json["activation_bytes"] = device.used[Part::Activation].value;
    json["graph_bytes"] = device.used[Part::Graph].value;
    json["runtime_bytes"] = device.used[Part::Runtime].value;
    json["total_bytes"] = device.total.value;
    json["free_bytes"] = device.free().value;
    return json;
}

/// The figures of all devices by name, those of one device under "devices".
OrderedJson reportObject(std::span<const ReportFigure> figures)
{
    OrderedJson json = OrderedJson::object();
    for (const ReportFigure &figure : figures) {
        OrderedJson *place = &json;
        if (figure.device >= 0) {
            OrderedJson &devices = json["devices"];
            while (devices.size() <= static_cast<std::size_t>(figure.device))
                devices.push_back(OrderedJson::object());
            place = &devices[static_cast<std::size_t>(figure.device)];
        }
        if (figure.value == std::floor(figure.value))
            (*place)[figure.name] = static_cast<std::int64_t>(figure.value);
        else
            (*place)[figure.name] = figure.value;
    }
    return json;
}

OrderedJson limitsObject(const Plan &plan, const PlanExtras &extras)
{
    const Limits &limits = plan.limits;
    const bool endless = isUnlimited(limits.contextReason); // no figure, but why
    OrderedJson json = OrderedJson::object();
    if (!endless)
        json["max_context"] = limits.maxContext.value;
    if (!endless && limits.maxContextBeyondTraining < largestContext)
        json["max_context_beyond_training"] = limits.maxContextBeyondTraining.value;
    if (!endless && limits.maxContextSure < limits.maxContextBeyondTraining)
        json["max_context_sure"] = limits.maxContextSure.value;
    json["max_context_reason"] = codeOf(limits.contextReason);
    if (!isUnlimited(limits.batchReason))
        json["max_batch"] = limits.maxBatch;
    if (!isUnlimited(limits.batchReason) && limits.maxBatchSure < limits.maxBatch)
        json["max_batch_sure"] = limits.maxBatchSure;
    json["max_batch_reason"] = codeOf(limits.batchReason);
    if (extras.smallestChange && plan.verdict == Verdict::OutOfMemory)
        json["smallest_change"] = {{"kv_type", infoOf(*extras.smallestChange).name}};
    if (extras.fewestDevices)
        json["min_devices"] = extras.fewestDevices->devices();
    return json;
}

OrderedJson explainList(const std::vector<Explanation> &explanations)
{
    OrderedJson list = OrderedJson::array();
    for (const Explanation &e : explanations)
        list.push_back({{"figure", e.figure},
                        {"rule", e.rule},
                        {"formula", e.formula},
                        {"value", e.value.value},
                        {"source", e.source},
                        {"confidence", codeOf(e.confidence)}});
    return list;
}

OrderedJson warningList(std::span<const Warning> warnings, const Messages &messages, const std::optional<Error> &refusal = {})
{
    OrderedJson list = OrderedJson::array();
    if (refusal)
        list.push_back({{"code", codeOf(refusal->code)}, {"message", messages.error ? messages.error(*refusal) : std::string()}});
    for (const Warning &warning : warnings)
        list.push_back({{"code", codeOf(warning.code)}, {"message", messages.warning ? messages.warning(warning) : std::string()}});
    return list;
}

} // namespace

const char *codeOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fits: return "fits";
    case Verdict::Tight: return "tight";
    case Verdict::OutOfMemory: return "oom";
    case Verdict::Refused: return "refused";
    }
    return "";
}

const char *codeOf(Confidence confidence)
{
    switch (confidence) {
    case Confidence::Exact: return "exact";
    case Confidence::Calibrated: return "calibrated";
    case Confidence::Assumed: return "assumed";
    }
    return "";
}

const char *codeOf(LimitReason reason)
{
    switch (reason) {
    case LimitReason::Memory: return "memory";
    case LimitReason::TrainedLength: return "trained_length";
    case LimitReason::NoGrowth: return "no_growth";
    case LimitReason::HostUnknown: return "host_unknown";
    case LimitReason::LargestCounted: return "largest_counted";
    case LimitReason::WeightsDoNotFit: return "weights_do_not_fit";
    case LimitReason::EngineLimit: return "engine_limit";
    }
    return "";
}

const char *codeOf(ErrorCode code)
{
    switch (code) {
    case ErrorCode::FileNotFound: return "file_not_found";
    case ErrorCode::NotAFile: return "not_a_file";
    case ErrorCode::NoPermission: return "no_permission";
    case ErrorCode::FileTooLarge: return "file_too_large";
    case ErrorCode::FileEmpty: return "file_empty";
    case ErrorCode::ReadFailed: return "read_failed";
    case ErrorCode::WriteFailed: return "write_failed";
    case ErrorCode::NotJson: return "not_json";
    case ErrorCode::NotThisKind: return "not_this_kind";
    case ErrorCode::MissingField: return "missing_field";
    case ErrorCode::WrongType: return "wrong_type";
    case ErrorCode::OutOfRange: return "out_of_range";
    case ErrorCode::NotDivisible: return "not_divisible";
    case ErrorCode::UnknownArchitecture: return "unknown_architecture";
    case ErrorCode::NewerVersion: return "newer_version";
    case ErrorCode::UnknownName: return "unknown_name";
    case ErrorCode::AmbiguousName: return "ambiguous_name";
    case ErrorCode::BadSize: return "bad_size";
    case ErrorCode::BadNumber: return "bad_number";
    case ErrorCode::BadOption: return "bad_option";
    case ErrorCode::UnsupportedFormat: return "unsupported_format";
    case ErrorCode::FlashAttentionNeeded: return "flash_attention_needed";
    case ErrorCode::UnequalCacheTypes: return "unequal_cache_types";
    case ErrorCode::HeadNotWholeBlocks: return "head_not_whole_blocks";
    case ErrorCode::UnevenMemory: return "uneven_memory";
    case ErrorCode::ImpossibleSplit: return "impossible_split";
    case ErrorCode::MissingModel: return "missing_model";
    case ErrorCode::MissingDevice: return "missing_device";
    case ErrorCode::UnsupportedVersion: return "unsupported_version";
    case ErrorCode::CutShort: return "cut_short";
    case ErrorCode::DamagedHeader: return "damaged_header";
    case ErrorCode::WrongLength: return "wrong_length";
    case ErrorCode::DuplicateName: return "duplicate_name";
    case ErrorCode::UnknownTensorType: return "unknown_tensor_type";
    case ErrorCode::SplitMismatch: return "split_mismatch";
    case ErrorCode::TooLarge: return "too_large";
    }
    return "";
}

Scenario resolved(Scenario scenario)
{
    const Engine &engine = engineOf(scenario.engine.id);
    if (scenario.engine.version.empty() && !engine.versions().empty())
        scenario.engine.version = engine.versions().front();
    if (!scenario.model)
        return scenario;
    const Format key = keyFormat(scenario), value = valueFormat(scenario);
    scenario.kv.key = key;
    scenario.kv.value = value;
    if (!scenario.encoderLength && scenario.model->encoderLength.value > 0)
        scenario.encoderLength = scenario.model->encoderLength;
    return scenario;
}

std::string planToJson(const Scenario &scenario, const Cluster &cluster, const Plan &plan, const PlanExtras &extras)
{
    Scenario whole = resolved(scenario);
    whole.clusters = {cluster};
    whole.selected = 0;
    OrderedJson json{{"schema", planSchema}, {"scenario", OrderedJson::parse(toJson(whole, -1))}};
    if (scenario.model)
        json["model"] = modelSummary(*scenario.model);
    // A refusal has no figures: they are absent, not 0. The machine is known all the same.
    OrderedJson devices = OrderedJson::array();
    const DevicePlan *fullest = plan.verdict == Verdict::Refused ? nullptr : plan.binding();
    if (!fullest) {
        for (std::size_t i = 0; i < cluster.devices.size(); ++i)
            devices.push_back(cardObject(cluster.devices[i], static_cast<int>(i)));
        if (!devices.empty())
            json["devices"] = devices;
    } else {
        json["kv"] = kvObject(plan.kv, plan.pool);
        for (const DevicePlan &device : plan.devices)
            devices.push_back(deviceObject(device, cluster));
        json["devices"] = devices;
        json["host"] = {
            {"weights_bytes", plan.hostWeights.value}, {"kv_bytes", plan.hostKv.value}, {"activation_bytes", plan.hostActivation.value}};
        json["range"] = {{"total_low_bytes", fullest->low.value}, {"total_high_bytes", fullest->high.value}};
        json["limits"] = limitsObject(plan, extras);
    }
    json["engine_report"] = reportObject(plan.engineReport);
    json["verdict"] = codeOf(plan.verdict);
    json["explain"] = plan.verdict == Verdict::Refused ? OrderedJson::array() : explainList(extras.explanations);
    json["warnings"] = warningList(plan.warnings, extras.messages, plan.refusal);
    return written(json, extras.indent);
}

std::string inspectToJson(const ModelSpec &model, const WeightBytes &weights, std::span<const Warning> warnings, const Messages &messages,
                          int indent)
{
    OrderedJson json{{"schema", planSchema}, {"model", modelSummary(model)}};
    const std::int64_t parameters = model.parametersKnown ? model.parameters().total() : model.publishedParameters.value_or(0);
    if (weights.total.value > 0) {
        json["weights"] = {{"format", infoOf(weights.format).name}, {"bytes", weights.total.value}};
        if (parameters > 0)
            json["weights"]["bits_per_parameter"] = 8.0 * static_cast<double>(weights.total.value) / static_cast<double>(parameters);
        json["weights"]["measured"] = weights.measured;
    }
    OrderedJson assumptions = OrderedJson::array();
    for (const Assumption &a : model.assumptions)
        assumptions.push_back({{"field", a.field}, {"value", a.value}, {"reason", a.reason}});
    json["assumptions"] = assumptions;
    json["warnings"] = warningList(warnings, messages);
    return written(json, indent);
}

} // namespace kvscope
