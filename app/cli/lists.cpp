// SPDX-License-Identifier: GPL-3.0-or-later
// kvplan models, gpus, engines.
#include <ostream>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocale>

#include "app/cli/commands.h"
#include "app/cli/table.h"
#include "app/cli/words.h"
#include "core/engine.h"

namespace kvscope::cli {

namespace {

/// The words of one of the lists: what to search for, and how to print it.
struct ListOptions {
    std::vector<std::string> search;
    OutputOptions output;
    text::Unit unit = text::Unit::GB;

    std::string searched() const
    {
        std::string all;
        for (const std::string &word : search)
            all += (all.empty() ? "" : " ") + word;
        return all;
    }
};

std::optional<int> read(CommandLine &line, ListOptions &options, bool searchable, Words words, const Context &context)
{
    if (searchable)
        line.positionals("WORDS", translate("Cli", "All of them must occur in id, name or search words; none: the whole list"),
                         options.search);
    options.output.addCommon(line);
    options.output.addUnit(line);
    options.output.addJson(line);
    if (const std::optional<int> done = readWords(line, words, context))
        return done;
    const Result<text::Unit> unit = options.output.readUnit();
    if (!unit)
        return fail(context, unit.error());
    options.unit = *unit;
    return {};
}

void writeJson(const Context &context, const QJsonArray &array) { context.terminal.out << QJsonDocument(array).toJson().toStdString(); }

/// A list without a hit is an answer, but one that a person wants to be told.
int finish(const Context &context, const ListOptions &options, const Table &table)
{
    if (table.empty())
        return failWith(context,
                        translate("Cli", "%1: nothing in the list matches; try fewer or shorter words").arg(toQString(options.searched())));
    write(context, table.text());
    return 0;
}

QJsonArray namesOf(std::span<const Format> formats)
{
    QJsonArray names;
    for (const Format format : formats)
        names.append(toQString(infoOf(format).name));
    return names;
}

QString joinedNames(std::span<const Format> formats)
{
    QStringList names;
    for (const Format format : formats)
        names += text::name(format);
    return names.join(QLatin1Char(' '));
}

} // namespace

int modelsCommand(Words words, const Context &context)
{
    CommandLine line("models", translate("Cli", "Search the catalogue of models"));
    ListOptions options;
    if (const std::optional<int> done = read(line, options, true, words, context))
        return *done;
    using enum Table::Align;
    Table table({Left, Left, Right, Right});
    table.head({translate("Cli", "Id"), translate("Cli", "Name"), translate("Cli", "Parameters"), translate("Cli", "Longest context")});
    QJsonArray array;
    for (const int index : context.catalog.findModels(options.searched())) {
        const ModelListing &model = context.catalog.models()[static_cast<std::size_t>(index)];
        table.add({toQString(model.id), toQString(model.name), model.parameters > 0 ? text::parameters(model.parameters) : QString(),
                   model.maxContext > 0 ? text::tokens({model.maxContext}) : QString()});
        QJsonObject object{{QStringLiteral("id"), toQString(model.id)},
                           {QStringLiteral("hub_id"), toQString(model.hubId)},
                           {QStringLiteral("name"), toQString(model.name)},
                           {QStringLiteral("family"), toQString(model.family)}};
        if (model.parameters > 0)
            object.insert(QStringLiteral("parameters"), static_cast<qint64>(model.parameters));
        if (model.maxContext > 0)
            object.insert(QStringLiteral("max_context"), model.maxContext);
        array.append(object);
    }
    if (!options.output.json)
        return finish(context, options, table);
    writeJson(context, array);
    return 0;
}

int gpusCommand(Words words, const Context &context)
{
    CommandLine line("gpus", translate("Cli", "Search the catalogue of GPUs"));
    ListOptions options;
    if (const std::optional<int> done = read(line, options, true, words, context))
        return *done;
    using enum Table::Align;
    Table table({Left, Left, Left, Right, Right});
    table.head({translate("Cli", "Id"), translate("Cli", "Name"), translate("Cli", "Maker"), translate("Cli", "Memory"),
                translate("Cli", "Bandwidth GB/s")});
    QJsonArray array;
    for (const int index : context.catalog.findDevices(options.searched())) {
        const DeviceListing &device = context.catalog.devices()[static_cast<std::size_t>(index)];
        table.add({toQString(device.id), toQString(device.name), toQString(device.vendor), text::bytes({device.memoryBytes}, options.unit),
                   device.bandwidthGBs > 0 ? QLocale().toString(device.bandwidthGBs, 'f', QLocale::FloatingPointShortest) : QString()});
        QJsonObject object{{QStringLiteral("id"), toQString(device.id)},
                           {QStringLiteral("name"), toQString(device.name)},
                           {QStringLiteral("vendor"), toQString(device.vendor)},
                           {QStringLiteral("memory_bytes"), static_cast<qint64>(device.memoryBytes)}};
        if (device.bandwidthGBs > 0)
            object.insert(QStringLiteral("bandwidth_gbs"), device.bandwidthGBs);
        array.append(object);
    }
    if (!options.output.json)
        return finish(context, options, table);
    writeJson(context, array);
    return 0;
}

int enginesCommand(Words words, const Context &context)
{
    CommandLine line("engines", translate("Cli", "The engines, their versions and formats"));
    ListOptions options;
    if (const std::optional<int> done = read(line, options, false, words, context))
        return *done;
    QString out;
    QJsonArray array;
    for (const Engine *engine : engines()) {
        QStringList versions;
        for (const std::string_view version : engine->versions())
            versions += toQString(version);
        Table table({Table::Align::Left, Table::Align::Left});
        if (!versions.isEmpty())
            table.add({translate("Cli", "Versions with rules of their own"), versions.join(QLatin1Char(' '))});
        table.add({translate("Cli", "KV types"), joinedNames(engine->kvFormats())});
        table.add({translate("Cli", "Weight formats"), joinedNames(engine->weightFormats())});
        out += (out.isEmpty() ? QString() : QStringLiteral("\n")) + toQString(engine->name()) + QLatin1Char('\n') +
               table.text(QStringLiteral("  "));
        array.append(QJsonObject{{QStringLiteral("name"), toQString(engine->name())},
                                 {QStringLiteral("versions"), QJsonArray::fromStringList(versions)},
                                 {QStringLiteral("kv_types"), namesOf(engine->kvFormats())},
                                 {QStringLiteral("weight_formats"), namesOf(engine->weightFormats())}});
    }
    if (options.output.json)
        writeJson(context, array);
    else
        write(context, out);
    return 0;
}

} // namespace kvscope::cli
