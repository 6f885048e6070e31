// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/planview.h"

#include <algorithm>
#include <array>

#include <QLocale>

#include "app/cli/table.h"
#include "app/cli/words.h"
#include "ui/text/enginelog.h"

namespace kvscope::cli {

namespace {

/// How a part looks: the letter carries the meaning, the colour (of 256, told apart by the colour-blind) helps.
struct Look {
    char16_t block;
    int colour;
};
constexpr std::array<Look, partCount> looks{Look{u'█', 32},  Look{u'▓', 208}, Look{u'▚', 36},
                                            Look{u'▒', 175}, Look{u'▞', 227}, Look{u'░', 244}};
constexpr char16_t freeBlock = u'·';
constexpr char16_t heldBlock = u'×';

QString coloured(const QString &text, int colour, bool wanted)
{
    return wanted && !text.isEmpty() ? QStringLiteral("\x1b[38;5;%1m%2\x1b[0m").arg(colour).arg(text) : text;
}

QString bold(const QString &text, bool wanted) { return wanted ? QStringLiteral("\x1b[1m%1\x1b[0m").arg(text) : text; }

int colourOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fits: return 35;
    case Verdict::Tight: return 214;
    case Verdict::OutOfMemory:
    case Verdict::Refused: return 203;
    }
    return 0;
}

/// Cells for each amount so that together they fill `width`: by largest remainder, none that is there at less than one cell where room allows.
std::vector<int> cells(const std::vector<std::int64_t> &amounts, int width)
{
    double sum = 0;
    for (const std::int64_t amount : amounts)
        sum += static_cast<double>(amount);
    std::vector<int> result(amounts.size(), 0);
    if (sum <= 0)
        return result;
    int used = 0;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
        const double share = static_cast<double>(amounts[i]) / sum * width;
        result[i] = amounts[i] > 0 ? std::max(1, static_cast<int>(share)) : 0;
        used += result[i];
    }
    while (used != width) {
        // The cell that is missing or too many goes where it changes the picture least.
        std::size_t best = 0;
        double largest = -1e300;
        for (std::size_t i = 0; i < amounts.size(); ++i) {
            const double off = static_cast<double>(amounts[i]) / sum * width - result[i];
            const double gain = used < width ? off : -off;
            if (amounts[i] > 0 && (used < width || result[i] > 1) && gain > largest) {
                largest = gain;
                best = i;
            }
        }
        if (largest == -1e300)
            break;
        result[best] += used < width ? 1 : -1;
        used += used < width ? 1 : -1;
    }
    return result;
}

/// The device as a bar. What is too much stands behind a mark at the end of what there is.
QString bar(const DevicePlan &device, const View &view)
{
    constexpr char16_t mark = u'┃';
    const int width = std::clamp(view.columns - 24, 20, 64);
    std::vector<std::int64_t> amounts;
    for (const Bytes part : device.used.part)
        amounts.push_back(std::max(std::int64_t{0}, part.value));
    amounts.push_back(std::max(std::int64_t{0}, device.free().value));
    const bool over = device.free().value < 0;
    if (!over)
        amounts.push_back((device.usable - device.budget).value);
    const std::vector<int> lengths = cells(amounts, width);
    const double share = over ? std::max(0.0, static_cast<double>(device.budget.value) / static_cast<double>(device.total.value)) : 2;
    const int end = static_cast<int>(share * width);
    QString text;
    int at = 0;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        const char16_t block = i < looks.size() ? looks[i].block : i == looks.size() ? freeBlock : heldBlock;
        QString run(lengths[i], QChar(block));
        if (end >= at && end < at + lengths[i])
            run[end - at] = QChar(mark);
        at += lengths[i];
        text += i < looks.size() ? coloured(run, looks[i].colour, view.colour) : run;
    }
    const QString size = over ? translate("Cli", "%1 of %2", "memory needed of memory there")
                                    .arg(text::bytes(device.total, view.unit), text::bytes(device.budget, view.unit))
                              : text::bytes(device.usable, view.unit);
    return QStringLiteral("  [%1] %2\n").arg(text, size);
}

QString percent(Bytes part, Bytes whole)
{
    if (whole.value <= 0)
        return {};
    return QLocale().toString(100.0 * static_cast<double>(part.value) / static_cast<double>(whole.value), 'f', 1) + QStringLiteral(" %");
}

QString partsText(const DevicePlan &device, const View &view)
{
    Table table({Table::Align::Left, Table::Align::Left, Table::Align::Right, Table::Align::Right});
    const auto add = [&](char16_t block, const QString &name, Bytes bytes) {
        table.add({QString(QChar(block)), name, text::bytes(bytes, view.unit), percent(bytes, device.usable)});
    };
    for (std::size_t i = 0; i < looks.size(); ++i) {
        if (device.used.part[i].value != 0)
            add(looks[i].block, text::name(static_cast<Part>(i)), device.used.part[i]);
    }
    if (device.budget < device.usable)
        add(heldBlock, translate("Cli", "Kept free or held by others"), device.usable - device.budget);
    if (device.free().value >= 0)
        add(freeBlock, translate("Cli", "Free"), device.free());
    else
        add(u'!', translate("Cli", "Missing"), Bytes{-device.free().value});
    QString text = table.text(QStringLiteral("  "));
    if (device.low != device.high)
        text += QStringLiteral("  ") +
                translate("Cli", "Total between %1 and %2").arg(text::bytes(device.low, view.unit), text::bytes(device.high, view.unit)) +
                QLatin1Char('\n');
    return text;
}

/// The devices apart, where they differ.
QString devicesText(const Plan &plan, const View &view)
{
    const auto same = [&](const DevicePlan &d) { return d.used == plan.devices.front().used && d.budget == plan.devices.front().budget; };
    if (plan.devices.size() < 2)
        return {};
    if (std::ranges::all_of(plan.devices, same))
        return QStringLiteral("  ") + translate("Cli", "All %1 GPUs hold the same").arg(plan.devices.size()) + QLatin1Char('\n');
    Table table(
        {Table::Align::Right, Table::Align::Left, Table::Align::Right, Table::Align::Right, Table::Align::Right, Table::Align::Right});
    table.head({QStringLiteral("#"), translate("Cli", "GPU"), text::name(Part::Weights), text::name(Part::Kv), translate("Cli", "Total"),
                translate("Cli", "Free")});
    for (const DevicePlan &d : plan.devices) {
        table.add({QString::number(d.index), toQString(d.name), text::bytes(d.used[Part::Weights], view.unit),
                   text::bytes(d.used[Part::Kv], view.unit), text::bytes(d.total, view.unit), text::bytes(d.free(), view.unit)});
    }
    return QLatin1Char('\n') + table.text(QStringLiteral("  "));
}

QString settingsLine(const Scenario &scenario)
{
    QStringList facts{text::engineName(scenario)};
    const ModelSpec &model = *scenario.model;
    if (model.parametersKnown || scenario.weights.measured || model.measuredWeights)
        facts += translate("Cli", "weights %1").arg(text::name(weightFormat(scenario)));
    facts += translate("Cli", "KV %1").arg(text::kvName(scenario));
    facts += translate("Cli", "%1 tokens").arg(text::tokens(scenario.context));
    facts += scenario.batch == 1 ? translate("Cli", "one sequence") : translate("Cli", "%1 sequences").arg(text::count(scenario.batch));
    return facts.join(QStringLiteral(" · "));
}

QString limitsText(const Plan &plan, const PlanExtras &extras, const View &view)
{
    Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left});
    const Limits &limits = plan.limits;
    const auto sure = [](std::int64_t most) { return most > 0 ? text::count(most) : translate("Cli", "none"); };
    table.add({translate("Cli", "Longest context"), text::contextLimit(limits), text::reason(limits.contextReason)});
    if (limits.maxContextBeyondTraining > limits.maxContext)
        table.add({translate("Cli", "beyond the trained length"), text::contextLimitBeyondTraining(limits), {}});
    if (limits.maxContextSure < limits.maxContext)
        table.add({translate("Cli", "surely up to"), sure(limits.maxContextSure.value), {}});
    table.add({translate("Cli", "Most sequences at once"), text::batchLimit(limits), text::reason(limits.batchReason)});
    if (limits.maxBatchSure < limits.maxBatch && !isUnlimited(limits.batchReason))
        table.add({translate("Cli", "surely up to"), sure(limits.maxBatchSure), {}});
    table.add({translate("Cli", "KV cache of one token"), text::bytes(plan.kv.perTokenAtContext, view.unit), {}});
    table.add({translate("Cli", "KV cache of all sequences"), text::bytes(plan.kv.total, view.unit), {}});
    if (plan.verdict == Verdict::OutOfMemory) {
        table.add({translate("Cli", "Widest KV type that fits"),
                   extras.smallestChange ? text::name(*extras.smallestChange) : translate("Cli", "none"),
                   {}});
    }
    if (extras.fewestDevices) {
        const Split &split = *extras.fewestDevices;
        table.add({translate("Cli", "Fewest of these GPUs"), text::count(split.devices()), text::name(split)});
    }
    return table.text(QStringLiteral("  "));
}

QString explanationsText(std::span<const Explanation> explanations, const View &view)
{
    QString out = QLatin1Char('\n') + bold(translate("Cli", "How each figure came about"), view.colour) + QLatin1Char('\n');
    for (const Explanation &e : explanations) {
        const QString value = text::explained(e, view.unit, true);
        out += QStringLiteral("  %1 = %2  (%3)\n").arg(toQString(e.figure), value, text::confidence(e));
        if (const QString rule = text::rule(e.rule); !rule.isEmpty())
            out += QStringLiteral("      %1\n").arg(rule);
        if (!e.formula.empty())
            out += QStringLiteral("      = %1\n").arg(toQString(e.formula));
        if (!e.source.empty())
            out += QStringLiteral("      %1: %2\n").arg(translate("Cli", "Source"), text::source(e.source));
    }
    return out;
}

QString reportText(const Scenario &scenario, const Cluster &cluster, const Plan &plan)
{
    const QStringList lines = text::engineLog(scenario, cluster, plan);
    if (lines.isEmpty())
        return {};
    return QStringLiteral("\n  ") + translate("Cli", "%1 itself would print:", "an engine").arg(text::engineName(scenario)) +
           QStringLiteral("\n    ") + lines.join(QStringLiteral("\n    ")) + QLatin1Char('\n');
}

} // namespace

QString modelName(const ModelSpec &model) { return model.name.empty() ? translate("Cli", "A model by hand") : toQString(model.name); }

QString clusterName(const Cluster &cluster, text::Unit unit)
{
    if (cluster.devices.empty())
        return {};
    if (!cluster.devices.front().name.empty())
        return toQString(cluster.label());
    const QString size = text::bytes(cluster.devices.front().memory, unit);
    return cluster.devices.size() == 1 ? size : QStringLiteral("%1 x%2").arg(size).arg(cluster.devices.size());
}

QString scenarioHead(const Scenario &scenario)
{
    return QStringLiteral("  ") + text::shapeLine(*scenario.model) + QStringLiteral("\n  ") + settingsLine(scenario) + QLatin1Char('\n');
}

QString planText(const Scenario &scenario, const Cluster &cluster, const Plan &plan, const PlanExtras &extras, const View &view)
{
    QString out =
        coloured(bold(text::verdictSentence(plan, view.unit), view.colour), colourOf(plan.verdict), view.colour) + QLatin1Char('\n');
    out += QStringLiteral("  ") +
           translate("Cli", "%1 on %2", "a model on a machine").arg(modelName(*scenario.model), clusterName(cluster, view.unit)) +
           QLatin1Char('\n');
    if (const QString layout = text::layout(cluster); !layout.isEmpty())
        out += QStringLiteral("  ") + layout + QLatin1Char('\n');
    out += scenarioHead(scenario);
    if (const DevicePlan *device = plan.binding()) {
        out += QLatin1Char('\n') + bar(*device, view) + QLatin1Char('\n') + partsText(*device, view) + devicesText(plan, view);
        out += QLatin1Char('\n') + limitsText(plan, extras, view);
        if (const QString hint = text::wrongReadingHint(*scenario.model); !hint.isEmpty())
            out += QStringLiteral("  ") + hint + QLatin1Char('\n');
    }
    out += reportText(scenario, cluster, plan);
    if (!plan.warnings.empty())
        out += QLatin1Char('\n');
    for (const Warning &warning : plan.warnings)
        out += QStringLiteral("  ! ") + text::sentence(warning, view.unit) + QLatin1Char('\n');
    if (!extras.explanations.empty())
        out += explanationsText(extras.explanations, view);
    return out;
}

} // namespace kvscope::cli
