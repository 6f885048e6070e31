// SPDX-License-Identifier: GPL-3.0-or-later
// Names of core's enums. No switch has a default, so that a new enumerator is a compiler warning here.
#include "ui/text/text.h"

#include "core/engine.h"
#include "ui/text/words.h"

#include <QLocale>

namespace kvscope::text {

namespace {

QString fromView(std::string_view view) { return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())); }

} // namespace

QString name(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fits: return Words::tr("Fits", "verdict");
    case Verdict::Tight: return Words::tr("Tight", "verdict");
    case Verdict::OutOfMemory: return Words::tr("Out of memory", "verdict");
    case Verdict::Refused: return Words::tr("Refused", "verdict");
    }
    return {};
}

QString name(Part part)
{
    switch (part) {
    case Part::Weights: return Words::tr("Weights", "part of the memory");
    case Part::Kv: return Words::tr("KV cache", "part of the memory");
    case Part::State: return Words::tr("Recurrent state", "part of the memory");
    case Part::Activation: return Words::tr("Activations", "part of the memory");
    case Part::Graph: return Words::tr("CUDA graphs", "part of the memory");
    case Part::Runtime: return Words::tr("Runtime", "part of the memory");
    }
    return {};
}

QString name(Mixer mixer)
{
    switch (mixer) {
    case Mixer::Full: return Words::tr("Full attention", "kind of layer");
    case Mixer::Sliding: return Words::tr("Sliding window", "kind of layer");
    case Mixer::Chunked: return Words::tr("Chunked window", "kind of layer");
    case Mixer::Latent: return Words::tr("Latent attention (MLA)", "kind of layer");
    case Mixer::Shared: return Words::tr("Shares an earlier layer's cache", "kind of layer");
    case Mixer::None: return Words::tr("No attention cache", "kind of layer");
    }
    return {};
}

QString name(Recurrence recurrence)
{
    switch (recurrence) {
    case Recurrence::None: return Words::tr("No recurrence", "kind of layer");
    case Recurrence::Mamba1: return QStringLiteral("Mamba");
    case Recurrence::Mamba2: return QStringLiteral("Mamba-2");
    case Recurrence::GatedDelta: return Words::tr("Gated delta net", "kind of layer");
    case Recurrence::KDA: return QStringLiteral("KDA");
    case Recurrence::LinearAttention: return Words::tr("Linear attention", "kind of layer");
    case Recurrence::ShortConv: return Words::tr("Short convolution", "kind of layer");
    case Recurrence::RWKV: return QStringLiteral("RWKV");
    case Recurrence::RGLRU: return QStringLiteral("RG-LRU");
    }
    return {};
}

QString name(Role role)
{
    switch (role) {
    case Role::Embedding: return Words::tr("Embeddings", "parameters");
    case Role::OutputHead: return Words::tr("Output head", "parameters");
    case Role::Attention: return Words::tr("Attention", "parameters");
    case Role::Recurrent: return Words::tr("Recurrent layers", "parameters");
    case Role::Ffn: return Words::tr("Feed-forward", "parameters");
    case Role::Experts: return Words::tr("Experts", "parameters");
    case Role::SharedExperts: return Words::tr("Shared experts", "parameters");
    case Role::Router: return Words::tr("Routers", "parameters");
    case Role::Small: return Words::tr("Norms and biases", "parameters");
    case Role::Vision: return Words::tr("Vision and audio", "parameters");
    case Role::Mtp: return Words::tr("Multi-token prediction", "parameters");
    }
    return {};
}

QString name(Confidence confidence)
{
    switch (confidence) {
    case Confidence::Exact: return Words::tr("exact", "confidence");
    case Confidence::Calibrated: return Words::tr("calibrated", "confidence");
    case Confidence::Assumed: return Words::tr("assumed", "confidence");
    }
    return {};
}

QString confidence(const Explanation &line)
{
    if (!line.trial)
        return name(line.confidence);
    const QString residual = QLocale().toString(line.trial->residual * 100, 'g', 2);
    return Words::tr("%1, within %2 % in %n run(s)", "confidence", line.trial->runs).arg(name(line.confidence), residual);
}

QString name(PoolKind kind)
{
    switch (kind) {
    case PoolKind::Full: return Words::tr("every token");
    case PoolKind::Sliding: return Words::tr("a window");
    case PoolKind::Chunked: return Words::tr("a chunk");
    case PoolKind::State: return Words::tr("a state");
    case PoolKind::Cross: return Words::tr("the encoder's tokens");
    }
    return {};
}

QString name(Format format) { return fromView(infoOf(format).name); }

QString kvName(const Scenario &scenario)
{
    const Format key = keyFormat(scenario), value = valueFormat(scenario);
    if (key == value)
        return name(key);
    return QStringLiteral("K %1 · V %2").arg(name(key), name(value));
}

QString name(EngineId engine)
{
    switch (engine) {
    case EngineId::Formula: return Words::tr("Formula", "engine");
    case EngineId::Transformers:
    case EngineId::LlamaCpp:
    case EngineId::Ollama:
    case EngineId::Vllm:
    case EngineId::Sglang:
    case EngineId::TensorRtLlm: break;
    }
    return fromView(engineOf(engine).label());
}

QString engineName(const Scenario &scenario) { return engineName(scenario.engine); }

QString engineName(const EngineChoice &choice)
{
    const Engine &engine = engineOf(choice.id);
    QString version = QString::fromStdString(choice.version);
    if (version.isEmpty() && !engine.versions().empty())
        version = fromView(engine.versions().front());
    return version.isEmpty() ? name(choice.id) : name(choice.id) + QLatin1Char(' ') + version;
}

QString name(const Cluster &cluster, Unit unit)
{
    Cluster named = cluster;
    for (Device &device : named.devices) {
        if (device.name.empty())
            device.name = bytes(device.memory, unit).toStdString();
    }
    return QString::fromStdString(named.label());
}

QString name(const Split &split)
{
    const QString data = split.dataInTensor ? QStringLiteral("DP attention") : QStringLiteral("DP");
    QStringList parts;
    for (const auto &[label, degree] : {std::pair{QStringLiteral("TP"), split.tensor},
                                        {QStringLiteral("PP"), split.pipeline},
                                        {QStringLiteral("EP"), split.expert},
                                        {QStringLiteral("DCP"), split.decodeContext},
                                        {data, split.data}}) {
        if (degree > 1)
            parts += label + QLatin1Char(' ') + QString::number(degree);
    }
    return parts.join(QStringLiteral(" · "));
}

QString layout(const Cluster &cluster)
{
    QStringList parts;
    if (const QString split = name(cluster.split); !split.isEmpty())
        parts += split;
    if (cluster.nodes > 1)
        parts += Words::tr("%n machine(s)", "", cluster.nodes);
    if (cluster.interconnect != Interconnect::Automatic)
        parts += cluster.interconnect == Interconnect::NvLink ? QStringLiteral("NVLink") : QStringLiteral("PCIe");
    return parts.join(QStringLiteral(" · "));
}

QString name(const Scenario &scenario, const Compared &row, Unit unit)
{
    Cluster cluster = scenario.clusters[static_cast<std::size_t>(row.cluster)];
    cluster.split = row.split;
    QString machine = name(cluster, unit);
    if (const QString how = layout(cluster); !how.isEmpty())
        machine += QStringLiteral(" (%1)").arg(how);
    if (scenario.otherEngines.empty())
        return machine;
    const QString engine = engineName(row.engine);
    return scenario.clusters.size() == 1 ? engine : Words::tr("%1 on %2", "an engine on a machine").arg(engine, machine);
}

QString contextLimit(const Limits &limits) { return isUnlimited(limits.contextReason) ? QStringLiteral("∞") : tokens(limits.maxContext); }

QString contextLimitBeyondTraining(const Limits &limits)
{
    return limits.maxContextBeyondTraining >= largestContext ? QStringLiteral("∞") : tokens(limits.maxContextBeyondTraining);
}

QString batchLimit(const Limits &limits) { return isUnlimited(limits.batchReason) ? QStringLiteral("∞") : count(limits.maxBatch); }

QString reason(LimitReason reason)
{
    switch (reason) {
    case LimitReason::Memory: return Words::tr("limited by memory", "what stops a limit");
    case LimitReason::TrainedLength: return Words::tr("limited by the trained length", "what stops a limit");
    case LimitReason::NoGrowth: return Words::tr("memory does not grow with it", "what stops a limit");
    case LimitReason::HostUnknown:
        return Words::tr("it grows in host memory alone, and how much there is was not said", "what stops a limit");
    case LimitReason::LargestCounted: return Words::tr("the largest number that is counted", "what stops a limit");
    case LimitReason::EngineLimit: return Words::tr("the most that the engine takes", "what stops a limit");
    case LimitReason::WeightsDoNotFit: return Words::tr("the weights alone do not fit", "what stops a limit");
    }
    return {};
}

QString shapeLine(const ModelSpec &model)
{
    QStringList facts{Words::tr("%n layer(s)", "", model.layerCount())};
    const std::vector<int> counts = model.groupCounts();
    int cached = 0;
    for (std::size_t g = 0; g < counts.size(); ++g)
        cached += model.groups[g].hasCache() ? counts[g] : 0;
    if (cached != model.layerCount())
        facts += Words::tr("%n with a KV cache", "layers", cached);
    if (const LayerGroup *main = model.mainGroup()) {
        if (main->mixer == Mixer::Latent) {
            facts += Words::tr("latent %1 + %2", "MLA: width of the latent and of the rotary part").arg(main->latentDim).arg(main->ropeDim);
        } else {
            facts += main->queryHeads == main->kvHeads
                         ? Words::tr("%n KV head(s), one for each attention head", "", main->kvHeads)
                         : Words::tr("%n KV head(s) of %1", "KV heads of so many attention heads", main->kvHeads).arg(main->queryHeads);
            facts += main->keyDim == main->valueDim ? Words::tr("head dim %1").arg(main->keyDim)
                                                    : Words::tr("head dim K %1, V %2").arg(main->keyDim).arg(main->valueDim);
        }
    }
    return facts.join(QStringLiteral(" · "));
}

QString wrongReadingHint(const ModelSpec &model)
{
    const LayerGroup *main = model.mainGroup();
    if (!main)
        return {};
    const double right =
        main->mixer == Mixer::Latent ? main->latentDim + main->ropeDim : double{1} * main->kvHeads * (main->keyDim + main->valueDim);
    const double wrong = double{1} * main->queryHeads * (main->keyDim + main->valueDim);
    if (right <= 0 || wrong <= right)
        return {};
    const double ratio = wrong / right;
    const QString times = QLocale().toString(ratio, 'f', ratio == static_cast<int>(ratio) || ratio >= 10 ? 0 : 1);
    return Words::tr("By attention heads it would read %1x more").arg(times);
}

} // namespace kvscope::text
