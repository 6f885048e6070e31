// SPDX-License-Identifier: GPL-3.0-or-later
// kvplan inspect.
#include <algorithm>
#include <array>
#include <functional>
#include <ostream>
#include <vector>

#include <QLocale>

#include "app/cli/commands.h"
#include "app/cli/options.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/gguf/model.h"
#include "core/import/ggufspec.h"
#include "core/weights.h"

namespace kvscope::cli {

namespace {

QString heading(const QString &title) { return QLatin1Char('\n') + title + QLatin1Char('\n'); }

QString groupsText(const ModelSpec &model)
{
    using enum Table::Align;
    Table table({Right, Left, Right, Right, Right, Right, Right});
    table.head({translate("Cli", "Layers"), translate("Cli", "Kind"), translate("Cli", "Heads"), translate("Cli", "KV heads"),
                translate("Cli", "Head dim"), translate("Cli", "Window"), translate("Cli", "Parameters a layer")});
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < model.groups.size(); ++g) {
        const LayerGroup &group = model.groups[g];
        QString kind = text::name(group.mixer);
        if (group.state.kind != Recurrence::None)
            kind = group.mixer == Mixer::None ? text::name(group.state.kind) : kind + QStringLiteral(" + ") + text::name(group.state.kind);
        const bool heads = group.hasCache() || group.mixer == Mixer::Shared;
        const QString dim = group.mixer == Mixer::Latent     ? QStringLiteral("%1 + %2").arg(group.latentDim).arg(group.ropeDim)
                            : group.keyDim == group.valueDim ? QString::number(group.keyDim)
                                                             : QStringLiteral("%1 / %2").arg(group.keyDim).arg(group.valueDim);
        table.add({QString::number(counts[g]), kind, heads ? QString::number(group.queryHeads) : QString(),
                   heads ? QString::number(group.kvHeads) : QString(), heads ? dim : QString(),
                   group.window.value > 0 ? text::tokens(group.window) : QString(), text::parameters(group.parameters.total())});
    }
    return table.text(QStringLiteral("  "));
}

/// A file's own tensors, as they are.
bool isStoredGguf(const ModelSpec &model, const WeightBytes &weights)
{
    return model.gguf && !model.gguf->converted && weights.measured && weights.total == model.gguf->tensorBytes();
}

std::array<Bytes, roleCount> bytesByRole(const ModelSpec &model, const WeightBytes &weights)
{
    if (isStoredGguf(model, weights))
        return ggufBytesByRole(*model.gguf);
    std::array<Bytes, roleCount> bytes = weights.outer;
    const std::vector<int> counts = model.groupCounts();
    for (std::size_t g = 0; g < weights.perLayer.size(); ++g) {
        for (std::size_t r = 0; r < bytes.size(); ++r)
            bytes[r] += weights.perLayer[g][r] * counts[g];
    }
    return bytes;
}

QString bitsText(Bytes bytes, std::int64_t parameters)
{
    return QLocale().toString(8.0 * static_cast<double>(bytes.value) / static_cast<double>(std::max<std::int64_t>(1, parameters)), 'f', 2);
}

QString parametersText(const ModelSpec &model, const WeightBytes &weights, text::Unit unit)
{
    using enum Table::Align;
    Table table({Left, Right, Right});
    table.head({translate("Cli", "Parameters"), {}, translate("Cli", "Weights")});
    const RoleCounts roles = model.parameters();
    const std::array<Bytes, roleCount> bytes = bytesByRole(model, weights);
    for (int r = 0; r < roleCount; ++r) {
        const auto i = static_cast<std::size_t>(r);
        if (roles.count[i] > 0) // an engine does not load what predicts further tokens
            table.add({text::name(static_cast<Role>(r)), text::count(roles.count[i]),
                       bytes[i].value > 0 ? text::bytes(bytes[i], unit) : translate("Cli", "not loaded")});
    }
    table.add({translate("Cli", "Total"), text::count(roles.total()), text::bytes(weights.total, unit)});
    if (model.activeParameters() != roles.total())
        table.add({translate("Cli", "Active for one token"), text::count(model.activeParameters()), {}});
    return table.text(QStringLiteral("  "));
}

/// The weights in each format that the engine could be given.
QString formatsText(const ModelSpec &model, EngineId engine, text::Unit unit)
{
    using enum Table::Align;
    Table table({Left, Right, Right});
    table.head({translate("Cli", "Weights as"), translate("Cli", "Size"), translate("Cli", "Bits a parameter")});
    for (const Format format : engineOf(engine).weightFormats()) {
        const Bytes total = weightBytes(model, {format, {}}).total;
        const RoleCounts roles = model.parameters();
        table.add({text::name(format), text::bytes(total, unit), bitsText(total, roles.total() - roles[Role::Mtp])});
    }
    return table.text(QStringLiteral("  "));
}

/// What a GGUF's tensors are stored in, most bytes first.
QString tensorsText(const GgufModel &gguf, text::Unit unit)
{
    struct Stored {
        Format format{};
        std::int64_t tensors = 0, parameters = 0;
        Bytes bytes;
    };
    std::vector<Stored> types(formatCount);
    for (const GgufTensor &tensor : gguf.tensors) {
        Stored &stored = types[static_cast<std::size_t>(tensor.type)];
        stored = {tensor.type, stored.tensors + 1, stored.parameters + tensor.elements(), stored.bytes + tensor.bytes()};
    }
    std::erase_if(types, [](const Stored &stored) { return stored.tensors == 0; });
    std::ranges::stable_sort(types, std::ranges::greater(), &Stored::bytes);
    using enum Table::Align;
    Table table({Left, Right, Right, Right});
    table.head({translate("Cli", "Stored as"), translate("Cli", "Tensors"), translate("Cli", "Parameters"), translate("Cli", "Size")});
    for (const Stored &stored : types)
        table.add(
            {text::name(stored.format), text::count(stored.tensors), text::count(stored.parameters), text::bytes(stored.bytes, unit)});
    return table.text(QStringLiteral("  "));
}

QString inspectText(const ModelSpec &model, const WeightBytes &weights, EngineId engine, text::Unit unit,
                    const std::vector<Warning> &warnings)
{
    QString out = toQString(model.name) + QLatin1Char('\n') + QStringLiteral("  ") + text::shapeLine(model) + QLatin1Char('\n');
    if (model.trainedContext.value > 0)
        out += QStringLiteral("  ") + translate("Cli", "trained for %1 tokens").arg(text::tokens(model.trainedContext)) + QLatin1Char('\n');
    if (const QString hint = text::wrongReadingHint(model); !hint.isEmpty())
        out += QStringLiteral("  ") + hint + QLatin1Char('\n');
    out += heading(translate("Cli", "Layers")) + groupsText(model);
    if (model.parametersKnown) {
        out += heading(translate("Cli", "Parameters and weights as %1", "weights in a format").arg(text::name(weights.format))) +
               parametersText(model, weights, unit);
        out += isStoredGguf(model, weights) ? heading(translate("Cli", "Tensors")) + tensorsText(*model.gguf, unit)
                                            : heading(translate("Cli", "Weights by format")) + formatsText(model, engine, unit);
    }
    if (weights.measured && model.parametersKnown)
        out += QStringLiteral("  ") +
               translate("Cli", "Measured weights: %1, %2 bits a parameter")
                   .arg(text::bytes(weights.total, unit), bitsText(weights.total, model.parameters().total())) +
               QLatin1Char('\n');
    else if (weights.measured)
        out += QStringLiteral("  ") + translate("Cli", "Measured weights: %1").arg(text::bytes(weights.total, unit)) + QLatin1Char('\n');
    if (!model.assumptions.empty())
        out += heading(translate("Cli", "Assumptions"));
    for (const Assumption &assumption : model.assumptions)
        out += QStringLiteral("  ") + text::sentence(assumption) + QLatin1Char('\n');
    if (!warnings.empty())
        out += QLatin1Char('\n');
    for (const Warning &warning : warnings)
        out += QStringLiteral("  ! ") + text::sentence(warning, unit) + QLatin1Char('\n');
    return out;
}

} // namespace

int inspectCommand(Words words, const Context &context)
{
    CommandLine line("inspect", translate("Cli", "A model as it is understood, with each assumption made"));
    OutputOptions output;
    ScenarioOptions::Text what, weightsText, engineText;
    line.positional(
        "WHAT",
        translate("Cli",
                  "Catalogue id, Hugging Face id, config.json, GGUF file, model folder or safetensors index; - reads from standard input"),
        what);
    output.addCommon(line);
    output.addUnit(line);
    output.addJson(line);
    line.value("--model", "WHAT", translate("Cli", "The same as WHAT"), what);
    line.value("--weights", "FORMAT", translate("Cli", "Format that the weights are counted in (default: auto, as stored)"), weightsText);
    line.value("--engine", "NAME[@VERSION]", translate("Cli", "Engine whose formats are listed (default: formula)"), engineText);
    if (const std::optional<int> done = readWords(line, words, context))
        return *done;
    const Result<text::Unit> unit = output.readUnit();
    if (!unit)
        return fail(context, unit.error());
    if (!what)
        return fail(context, {ErrorCode::MissingModel, {}, {}, {}});
    const Result<EngineChoice> engine = engineNamed(engineText.value_or("formula"));
    if (!engine)
        return fail(context, engine.error());
    const Result<WeightChoice> choice = weightsNamed(weightsText.value_or("auto"), engine->id);
    if (!choice)
        return fail(context, choice.error());
    const Result<ModelSpec> model = modelNamed(*what, {context.catalog, context.terminal.in});
    if (!model)
        return fail(context, model.error());

    const WeightBytes weights = weightBytes(*model, *choice);
    const std::vector<Warning> warnings = modelWarnings(*model);
    if (output.json)
        context.terminal.out << inspectToJson(*model, weights, warnings, messages(*unit)) << '\n';
    else
        write(context, inspectText(*model, weights, engine->id, *unit, warnings));
    return 0;
}

} // namespace kvscope::cli
