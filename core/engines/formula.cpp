// SPDX-License-Identifier: GPL-3.0-or-later
// The theory: what the tensors themselves take, with no rounding, padding or reserve. A lower bound for every engine.
#include "core/engines/engines.h"
#include "core/weights.h"

#include <algorithm>
#include <array>
#include <string>

namespace kvscope {

namespace {

constexpr std::array kvFormatsWidestFirst{Format::F32,     Format::F16,      Format::BF16,  Format::Q8_0, Format::FP8,  Format::FP8E4M3,
                                          Format::FP8E5M2, Format::FP8DsMla, Format::Int8,  Format::Q5_1, Format::Q5_0, Format::Q4_1,
                                          Format::Q4_0,    Format::IQ4_NL,   Format::NVFP4, Format::Int4};

constexpr std::array weightFormatsWidestFirst{
    Format::F32,   Format::BF16,      Format::F16,     Format::Q8_0,  Format::MXFP8,  Format::FP8Block, Format::FP8,
    Format::Int8,  Format::Q6_K,      Format::Q5_1,    Format::Q5_K,  Format::Q5_0,   Format::Q4_1,     Format::Q4_K,
    Format::Q4_0,  Format::IQ4_NL,    Format::NF4,     Format::NVFP4, Format::IQ4_XS, Format::MXFP4,    Format::AWQ,
    Format::GPTQ,  Format::NF4Double, Format::Int4,    Format::Q3_K,  Format::IQ3_S,  Format::IQ3_XXS,  Format::Q2_K,
    Format::IQ2_S, Format::IQ2_XS,    Format::IQ2_XXS, Format::TQ2_0, Format::IQ1_M,  Format::TQ1_0,    Format::IQ1_S};

/// Heads of one device: whole, and replicated once the devices outnumber them (serving-engines.md 2.1).
int headsOnDevice(int heads, int tensor) { return static_cast<int>(ceilDivide(heads, std::min(heads, tensor))); }

/// Layers [first, last) of one pipeline stage.
struct Stage {
    int first = 0;
    int last = 0;
};

/// Layers spread evenly; the remainder goes one each to the stages counted from the second last backwards (serving-engines.md 2.9).
std::vector<Stage> stagesOf(int layers, int pipeline)
{
    std::vector<int> sizes(static_cast<std::size_t>(pipeline), layers / pipeline);
    for (int r = 0; r < layers % pipeline; ++r)
        ++sizes[static_cast<std::size_t>(pipeline - 2 - r)];
    std::vector<Stage> stages;
    int first = 0;
    for (const int size : sizes) {
        stages.push_back({first, first + size});
        first += size;
    }
    return stages;
}

/// How many layers of a group a stage has, and how many of these keep the model's precision.
struct GroupShare {
    int layers = 0;
    int kept = 0;
};

std::vector<GroupShare> sharesOf(const Scenario &scenario, Stage stage)
{
    const ModelSpec &model = *scenario.model;
    std::vector<GroupShare> shares(model.groups.size());
    for (int i = stage.first; i < stage.last; ++i) {
        GroupShare &share = shares[model.layout[static_cast<std::size_t>(i)]];
        ++share.layers;
        share.kept += i < scenario.kv.keepFirst || i >= model.layerCount() - scenario.kv.keepLast;
    }
    return shares;
}

/// A stage's cache as curve terms; alike terms are one.
class CacheTerms {
public:
    explicit CacheTerms(TokenCount sharedPrefix) : m_prefix(sharedPrefix) {}

    /// Bytes for each token, up to `limit` of them, one entry per `every`. The shared prefix is there once.
    void perToken(Bytes bytes, TokenCount limit, std::int64_t every = 1)
    {
        add({Part::Kv, bytes, Growth::Linear, true, m_prefix, limit, every});
        if (m_prefix.value > 0)
            add({Part::Kv, bytes, Growth::Linear, false, {}, std::min(m_prefix, limit), every});
    }
    void perSequence(Part part, Bytes bytes) { add({part, bytes, Growth::Constant, true}); }
    void once(Part part, Bytes bytes) { add({part, bytes, Growth::Constant, false}); }

    const std::vector<CurveTerm> &terms() const { return m_terms; }

private:
    void add(const CurveTerm &term)
    {
        if (term.coefficient.value == 0)
            return;
        for (CurveTerm &t : m_terms) {
            if (t.part == term.part && t.growth == term.growth && t.perSequence == term.perSequence && t.offset == term.offset &&
                t.limit == term.limit && t.every == term.every) {
                t.coefficient += term.coefficient;
                return;
            }
        }
        m_terms.push_back(term);
    }

    TokenCount m_prefix;
    std::vector<CurveTerm> m_terms;
};

/// What INT8 and INT4 carry beside their bits, 2 bytes a scale and 2 a zero point, for one tensor (K or V) of one layer.
struct ScaleBytes {
    Bytes onceALayer, aToken, aSequence;
};

ScaleBytes scaleBytes(const KvPrecision &kv, Format format, std::int64_t elements)
{
    ScaleBytes bytes;
    if (format != Format::Int8 && format != Format::Int4)
        return bytes;
    const Bytes each{kv.zeroPoints ? 4 : 2};
    switch (kv.scales) {
    case KvScales::None: break;
    case KvScales::PerTensor: bytes.onceALayer = each; break;
    case KvScales::PerToken: bytes.aToken = each; break;
    case KvScales::PerChannel: bytes.aSequence = each * elements; break;
    case KvScales::PerGroup: bytes.aToken = each * ceilDivide(elements, kv.groupSize); break;
    }
    return bytes;
}

/// Elements that one layer keeps for a token on one device: K and V, or the latent once (MLA is not divided: serving-engines.md 2.1).
struct TokenElements {
    std::int64_t key = 0;
    std::int64_t value = 0;
    std::int64_t indexKey = 0;
};

TokenElements elementsOf(const LayerGroup &group, int tensor)
{
    if (group.mixer == Mixer::Latent)
        return {group.latentDim + group.ropeDim, 0, group.indexKeyDim};
    const std::int64_t heads = headsOnDevice(group.kvHeads, tensor);
    return {heads * group.keyDim, heads * group.valueDim, group.indexKeyDim};
}

/// DeepSeek V4 keeps the latents of the last window as they are, beside one for each `compression` tokens (serving-engines.md 2.8).
bool hasCompressedWindow(const LayerGroup &group)
{
    return group.mixer == Mixer::Latent && group.window.value > 0 && group.compression.value > 1;
}

TokenCount limitOf(const LayerGroup &group, const Scenario &scenario)
{
    const bool windowOnly = group.mixer == Mixer::Latent && group.window.value > 0 && !hasCompressedWindow(group);
    if (group.mixer == Mixer::Sliding || group.mixer == Mixer::Chunked || windowOnly)
        return group.window;
    if (scenario.streamWindow.value > 0) // StreamingLLM keeps the first tokens and a window
        return scenario.sinks + scenario.streamWindow;
    return largestContext;
}

/// State of one layer and sequence: k - 1 convolution columns and the recurrent matrix (serving-engines.md 2.7).
Bytes stateBytes(const LayerGroup &group, Format native, int tensor)
{
    const RecurrentState &state = group.state;
    const std::int64_t columns = std::max(0, state.convKernel - 1);
    return bytesOf(native, ceilDivide(state.convChannels, tensor) * columns) +
           bytesOf(state.alwaysF32 ? Format::F32 : native, ceilDivide(state.elements, tensor));
}

TokenCount encoderTokens(const Scenario &scenario) { return scenario.encoderLength.value_or(scenario.model->encoderLength); }

void addTokenCache(CacheTerms &terms, const Scenario &scenario, const LayerGroup &group, GroupShare share, int tensor)
{
    const Format native = scenario.model->nativeFormat;
    const TokenElements elements = elementsOf(group, tensor);
    const TokenCount limit = limitOf(group, scenario);
    const auto tensorOf = [&](Format format, std::int64_t count, int layers, bool windowed = false) {
        if (count == 0 || layers == 0)
            return;
        const ScaleBytes scales = scaleBytes(scenario.kv, format, count);
        terms.perToken((bytesOf(format, count) + scales.aToken) * layers, limit, group.compression.value);
        if (windowed)
            terms.perToken((bytesOf(format, count) + scales.aToken) * layers, group.window);
        terms.perSequence(Part::Kv, scales.aSequence * layers);
        terms.once(Part::Kv, scales.onceALayer * layers);
    };
    tensorOf(keyFormat(scenario), elements.key, share.layers - share.kept, hasCompressedWindow(group));
    tensorOf(valueFormat(scenario), elements.value, share.layers - share.kept);
    tensorOf(native, elements.key, share.kept, hasCompressedWindow(group));
    tensorOf(native, elements.value, share.kept);
    tensorOf(native, elements.indexKey, share.layers);
}

void addCrossCache(CacheTerms &terms, const Scenario &scenario, const LayerGroup &group, int layers, int tensor)
{
    const std::int64_t elements = std::int64_t{headsOnDevice(group.crossKvHeads, tensor)} * group.crossHeadDim;
    const Bytes perToken = (bytesOf(keyFormat(scenario), elements) + bytesOf(valueFormat(scenario), elements)) * layers;
    const TokenCount tokens = encoderTokens(scenario);
    if (tokens.value > 0)
        terms.perSequence(Part::Kv, perToken * tokens);
    else // no length of its own: the encoder's text is taken as long as the context
        terms.perToken(perToken, largestContext);
}

CacheTerms cacheOf(const Scenario &scenario, Stage stage, int tensor, TokenCount sharedPrefix)
{
    CacheTerms terms(sharedPrefix);
    const ModelSpec &model = *scenario.model;
    const std::vector<GroupShare> shares = sharesOf(scenario, stage);
    for (std::size_t g = 0; g < shares.size(); ++g) {
        const LayerGroup &group = model.groups[g];
        if (shares[g].layers == 0)
            continue;
        if (group.hasCache())
            addTokenCache(terms, scenario, group, shares[g], tensor);
        if (group.crossKvHeads > 0)
            addCrossCache(terms, scenario, group, shares[g].layers, tensor);
        if (group.state.kind != Recurrence::None)
            terms.perSequence(Part::State, stateBytes(group, model.nativeFormat, tensor) * shares[g].layers);
    }
    return terms;
}

/// The weights of a stage: its layers, the tables on the first, the head on the last (a tied table on both), each divided by TP.
Bytes stageWeights(const ModelSpec &model, const WeightBytes &weights, const std::vector<GroupShare> &shares, bool first, bool last,
                   int tensor)
{
    Bytes bytes;
    for (std::size_t g = 0; g < shares.size(); ++g)
        bytes += weights.layerTotal(g) * shares[g].layers;
    for (std::size_t r = 0; r < weights.outer.size(); ++r) {
        const auto role = static_cast<Role>(r);
        const bool atTheEnd = role == Role::OutputHead || role == Role::Small;
        const bool copied = role == Role::Embedding && model.tiedEmbeddings && last;
        if ((atTheEnd ? last : first) || copied)
            bytes += weights.outer[r];
    }
    return {ceilDivide(bytes.value, tensor)};
}

Bytes kvPerTokenAtStart(const std::vector<CurveTerm> &terms)
{
    Bytes sum;
    for (const CurveTerm &term : terms) {
        if (term.part == Part::Kv && term.growth == Growth::Linear && term.perSequence)
            sum += Bytes{term.coefficient.value / term.every};
    }
    return sum;
}

Phase onlyPart(const std::vector<CurveTerm> &terms, Part part)
{
    Phase phase;
    std::ranges::copy_if(terms, std::back_inserter(phase.terms), [part](const CurveTerm &t) { return t.part == part; });
    return phase;
}

std::vector<Warning> splitWarnings(const Scenario &scenario, const Cluster &cluster)
{
    std::vector<Warning> warnings;
    const int tensor = cluster.split.tensor;
    const LayerGroup *main = scenario.model->mainGroup();
    if (main && tensor > 1 && main->mixer != Mixer::Latent) {
        const std::vector<std::string> values{std::to_string(tensor), std::to_string(main->kvHeads)};
        if (std::max(tensor, main->kvHeads) % std::min(tensor, main->kvHeads) != 0)
            warnings.push_back({WarningCode::UnevenHeads, values});
        else if (tensor > main->kvHeads)
            warnings.push_back({WarningCode::ReplicatedKvHeads, values});
    }
    return warnings;
}

class FormulaEngine : public Engine {
public:
    EngineId id() const override { return EngineId::Formula; }
    std::string_view name() const override { return "formula"; }
    std::string_view label() const override { return "Formula"; }
    std::span<const std::string_view> versions() const override { return {}; }
    std::span<const Format> kvFormats() const override { return kvFormatsWidestFirst; }
    Format defaultKvFormat(const Scenario &) const override { return Format::F16; }
    std::span<const Format> weightFormats() const override { return weightFormatsWidestFirst; }

    Result<Compiled> compile(const Scenario &scenario, const Cluster &cluster) const override;
    std::vector<Explanation> explain(const Scenario &scenario, const Compiled &compiled, const Plan &plan) const override;
    std::vector<Split> splits(const ModelSpec &model, int devices) const override;
};

Result<Compiled> FormulaEngine::compile(const Scenario &scenario, const Cluster &cluster) const
{
    const ModelSpec &model = *scenario.model;
    const bool packedLatent = keyFormat(scenario) == Format::FP8DsMla || valueFormat(scenario) == Format::FP8DsMla;
    if (const LayerGroup *main = model.mainGroup();
        packedLatent && main && main->latentDim + main->ropeDim != infoOf(Format::FP8DsMla).blockElements)
        return Error{ErrorCode::UnsupportedFormat, std::string(infoOf(Format::FP8DsMla).name), "a latent of 576 elements", {}};
    const int tensor = cluster.split.tensor;
    const WeightBytes weights = weightBytes(model, scenario.weights);
    const Bytes offload{scenario.offloadKv.value / cluster.split.devices()};

    Compiled compiled;
    compiled.warnings = splitWarnings(scenario, cluster);
    const std::vector<Stage> stages = stagesOf(model.layerCount(), cluster.split.pipeline);
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const CacheTerms cache = cacheOf(scenario, stages[s], tensor, scenario.sharedPrefix);
        DeviceCurve device;
        device.device = static_cast<int>(s) * tensor;
        device.peers = tensor;
        device.kvPerToken = kvPerTokenAtStart(cache.terms());
        device.cache.phases = {onlyPart(cache.terms(), Part::Kv)};

        const Bytes share = stages.size() == 1
                                ? Bytes{ceilDivide(weights.total.value, tensor)}
                                : stageWeights(model, weights, sharesOf(scenario, stages[s]), s == 0, s + 1 == stages.size(), tensor);
        compiled.weights += share * tensor;
        Phase all{cache.terms()};
        all.terms.push_back({Part::Weights, share});
        if (offload.value > 0) { // what is above the host's part stays on the device: the larger of "no KV" and "KV less the host's part"
            Phase rest = onlyPart(all.terms, Part::State);
            rest.terms.push_back({Part::Weights, share});
            all.terms.push_back({Part::Kv, Bytes{} - offload});
            device.curve.phases = {std::move(all), std::move(rest)};
        } else {
            device.curve.phases = {std::move(all)};
        }
        compiled.devices.push_back(std::move(device));
    }

    const CacheTerms whole = cacheOf(scenario, {0, model.layerCount()}, 1, {});
    compiled.kvPerToken = kvPerTokenAtStart(whole.terms());
    compiled.sequence.phases = {onlyPart(whole.terms(), Part::Kv)};
    for (const CurveTerm &term : whole.terms()) {
        if (term.part == Part::State)
            compiled.statePerSequence += term.coefficient;
    }
    return compiled;
}

std::vector<Split> FormulaEngine::splits(const ModelSpec &model, int devices) const
{
    // Heads must divide, or be copied whole; what TP can't take goes to PP.
    std::vector<Split> result;
    const LayerGroup *main = model.mainGroup();
    for (int tensor = devices; tensor >= 1; --tensor) {
        if (devices % tensor != 0 || devices / tensor > model.layerCount())
            continue;
        const int heads = main ? main->kvHeads : tensor;
        const int queryHeads = main ? main->queryHeads : tensor;
        if (queryHeads % tensor == 0 && (heads % tensor == 0 || tensor % heads == 0))
            result.push_back({tensor, devices / tensor, 1, 1});
    }
    return result;
}

// ---- explanations ----

std::string number(std::int64_t n) { return std::to_string(n); }

/// "2 B" or "34/32 B": bytes an element.
std::string bytesAnElement(Format format)
{
    const TensorFormat &f = infoOf(format);
    return f.blockElements == 1 ? number(f.blockBytes) + " B" : number(f.blockBytes) + "/" + number(f.blockElements) + " B";
}

struct CitedRule {
    const char *rule;
    const char *source;
};

CitedRule ruleOf(const LayerGroup &group)
{
    if (group.indexKeyDim > 0)
        return {"kv.sparse", "DeepSeek-V3.2: latent and index key of every token (DeepSeek-AI 2025)"};
    switch (group.mixer) {
    case Mixer::Full: return {"kv.full", "K and V of every token: Vaswani et al. 2017; KV heads: Ainslie et al. 2023, arXiv:2305.13245"};
    case Mixer::Sliding: return {"kv.sliding", "K and V of the last window: Jiang et al. 2023, arXiv:2310.06825"};
    case Mixer::Chunked: return {"kv.chunked", "K and V of the running chunk: Llama 4 (Meta 2025)"};
    case Mixer::Latent: return {"kv.latent", "one latent a token: DeepSeek-V2, arXiv:2405.04434"};
    case Mixer::Shared:
    case Mixer::None: break;
    }
    return {"kv.none", ""};
}

std::string tokenFormula(const Scenario &scenario, const LayerGroup &group, int layers)
{
    const std::string head = number(layers) + " x ";
    if (group.mixer == Mixer::Latent) {
        std::string text =
            head + "(" + number(group.latentDim) + " + " + number(group.ropeDim) + ") x " + bytesAnElement(keyFormat(scenario));
        if (group.indexKeyDim > 0)
            text += " + " + head + number(group.indexKeyDim) + " x " + bytesAnElement(scenario.model->nativeFormat);
        return text;
    }
    if (group.keyDim == group.valueDim && keyFormat(scenario) == valueFormat(scenario))
        return "2 x " + head + number(group.kvHeads) + " x " + number(group.keyDim) + " x " + bytesAnElement(keyFormat(scenario));
    return head + number(group.kvHeads) + " x (" + number(group.keyDim) + " x " + bytesAnElement(keyFormat(scenario)) + " + " +
           number(group.valueDim) + " x " + bytesAnElement(valueFormat(scenario)) + ")";
}

std::vector<Explanation> FormulaEngine::explain(const Scenario &scenario, const Compiled &compiled, const Plan &plan) const
{
    const ModelSpec &model = *scenario.model;
    std::vector<Explanation> lines;
    const std::vector<int> counts = model.groupCounts();
    const std::string sequences = number(scenario.batch);
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        const LayerGroup &group = model.groups[g];
        if (!group.hasCache())
            continue;
        const TokenCount limit = limitOf(group, scenario);
        const TokenCount held = std::min(scenario.context, limit);
        CacheTerms terms({});
        addTokenCache(terms, scenario, group, {counts[g], 0}, 1);
        CacheCurve curve{{Phase{terms.terms()}}};
        const CitedRule cited = ruleOf(group);
        const std::string tokens =
            limit < largestContext ? "min(" + number(scenario.context.value) + ", " + number(limit.value) + ")" : number(held.value);
        const std::string every = group.compression.value > 1 ? " / " + number(group.compression.value) : "";
        std::string formula = tokenFormula(scenario, group, counts[g]) + " x " + tokens + every + " x " + sequences;
        if (hasCompressedWindow(group)) {
            LayerGroup window = group;
            window.indexKeyDim = 0;
            formula += " + " + tokenFormula(scenario, window, counts[g]) + " x min(" + number(scenario.context.value) + ", " +
                       number(group.window.value) + ") x " + sequences;
        }
        lines.push_back(
            {"kv.total_bytes", cited.rule, formula, curve.at(scenario.context, scenario.batch), cited.source, Confidence::Exact});
    }
    lines.push_back({"kv.bytes_per_token", "kv.per_token", "one more token at length 0", compiled.kvPerToken, "sum of the rules above",
                     Confidence::Exact});
    if (compiled.statePerSequence.value > 0) {
        std::string formula;
        for (std::size_t g = 0; g < model.groups.size(); ++g) {
            const RecurrentState &state = model.groups[g].state;
            if (state.kind == Recurrence::None)
                continue;
            if (!formula.empty())
                formula += " + ";
            formula += number(counts[g]) + " x (" + number(state.convChannels) + " x " + number(std::max(0, state.convKernel - 1)) + " x " +
                       bytesAnElement(model.nativeFormat) + " + " + number(state.elements) + " x " +
                       bytesAnElement(state.alwaysF32 ? Format::F32 : model.nativeFormat) + ")";
        }
        lines.push_back(
            {"kv.state_bytes_per_sequence", "state.recurrent", formula, compiled.statePerSequence,
             "k - 1 convolution columns and the recurrent matrix: Gu and Dao 2023, arXiv:2312.00752; Yang et al. 2024, arXiv:2412.06464",
             Confidence::Exact});
    }
    if (model.parametersKnown || scenario.weights.measured || model.measuredWeights) {
        const WeightBytes weights = weightBytes(model, scenario.weights);
        const TensorFormat &format = infoOf(weights.format);
        if (weights.measured) {
            lines.push_back({"weights", "weights.measured", number(weights.total.value) + " B", weights.total,
                             scenario.weights.measured ? "given" : model.measuredSource, Confidence::Exact});
        } else {
            lines.push_back({"weights", format.everyParameter || format.forKv ? "weights.every" : "weights.matrices",
                             number(model.parameters().total() - model.parameters()[Role::Mtp]) + " x " + bytesAnElement(weights.format),
                             weights.total, "bits a weight with its scales, by the format's definition", Confidence::Exact});
        }
    }
    if (const DevicePlan *device = plan.binding()) {
        lines.push_back({"devices.budget", "budget",
                         number(device->usable.value) + " - " + number(scenario.inUse.value) + " - " +
                             number((device->usable - scenario.inUse - device->budget).value) + " B",
                         device->budget, "what the device offers less what is held and kept free", Confidence::Exact});
        lines.push_back({"limits.max_context", "limit.context",
                         "largest context whose bytes stay within " + number(device->budget.value) + " B",
                         Bytes{plan.limits.maxContextBeyondTraining.value}, "the curve inverted", Confidence::Exact});
    }
    return lines;
}

} // namespace

const Engine &formulaEngine()
{
    static const FormulaEngine engine;
    return engine;
}

} // namespace kvscope
