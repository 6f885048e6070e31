// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/truth/truthcase.h"

#include "core/catalog.h"
#include "core/engine.h"
#include "core/import/import.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <map>

namespace kvscope::testing {

namespace {

/// Importing a config takes longer than planning; many cases share one.
Result<std::shared_ptr<const ModelSpec>> modelAt(const std::string &path)
{
    static std::map<std::string, std::shared_ptr<const ModelSpec>> read;
    if (const auto found = read.find(path); found != read.end())
        return found->second;
    Result<ModelSpec> model = modelFromPath(path);
    if (!model)
        return model.error();
    return read[path] = std::make_shared<ModelSpec>(*std::move(model));
}

std::optional<AttentionKernel> kernelOf(const QString &name)
{
    if (name == QLatin1String("eager"))
        return AttentionKernel::Eager;
    if (name == QLatin1String("sdpa"))
        return AttentionKernel::Sdpa;
    if (name == QLatin1String("flash_attention_2"))
        return AttentionKernel::Flash2;
    return {};
}

std::optional<CacheClass> cacheOf(const QString &name)
{
    const QStringList names{QStringLiteral("dynamic"), QStringLiteral("static"), QStringLiteral("quantized"), QStringLiteral("offloaded")};
    const auto index = names.indexOf(name);
    return index < 0 ? std::nullopt : std::optional(static_cast<CacheClass>(index));
}

/// The scenario that the arguments describe; false where one is not understood.
class Reader {
public:
    explicit Reader(QString configs) : m_configs(std::move(configs)) {}

    bool read(const QStringList &arguments)
    {
        for (qsizetype i = 0; i + 1 < arguments.size(); i += 2) {
            if (!option(arguments[i], arguments[i + 1])) {
                error = QStringLiteral("%1 %2").arg(arguments[i], arguments[i + 1]);
                return false;
            }
        }
        if (m_newTokens)
            scenario.transformers.newTokens = TokenCount{*m_newTokens};
        if (m_prompt)
            scenario.context = TokenCount{*m_prompt + m_newTokens.value_or(0)};
        return true;
    }

    Scenario scenario;
    QString error;

private:
    bool option(const QString &name, QString value)
    {
        const auto given = [&name](const char *option) { return name == QLatin1String(option); };
        if (given("--model")) {
            value.replace(QLatin1String("@configs/"), m_configs + u'/');
            Result<std::shared_ptr<const ModelSpec>> model = modelAt(value.toStdString());
            if (model)
                scenario.model = *std::move(model);
            return bool(model);
        }
        if (given("--engine")) {
            const QStringList parts = value.split(u'@');
            const Engine *engine = engineByName(parts[0].toStdString());
            if (engine)
                scenario.engine = {engine->id(), parts.value(1).toStdString()};
            return engine;
        }
        if (given("--gpu")) {
            Result<std::vector<Device>> devices = Catalog().machine(value.toStdString());
            if (devices)
                scenario.clusters = {Cluster{*std::move(devices), {}}};
            return bool(devices);
        }
        if (given("--weights"))
            return bool(scenario.weights.format = formatByName(value.toStdString()));
        if (given("--kv-type"))
            return bool(scenario.kv.key = scenario.kv.value = formatByName(value.toStdString()));
        if (given("--attention")) {
            const std::optional<AttentionKernel> kernel = kernelOf(value);
            scenario.transformers.attention = kernel.value_or(AttentionKernel::Sdpa);
            return bool(kernel);
        }
        if (given("--cache")) {
            const std::optional<CacheClass> cache = cacheOf(value);
            scenario.transformers.cache = cache.value_or(CacheClass::Dynamic);
            return bool(cache);
        }
        bool whole = false;
        const qlonglong number = value.toLongLong(&whole);
        if (given("--cache-bits"))
            scenario.transformers.cacheBits = static_cast<int>(number);
        else if (given("--batch"))
            scenario.batch = number;
        else if (given("--context"))
            scenario.context = TokenCount{number};
        else if (given("--prompt"))
            m_prompt = number;
        else if (given("--new-tokens"))
            m_newTokens = number;
        else
            return false;
        return whole;
    }

    QString m_configs;
    std::optional<std::int64_t> m_prompt, m_newTokens;
};

} // namespace

std::vector<TruthCase> truthCases(const QByteArray &lines, QString &error)
{
    std::vector<TruthCase> cases;
    for (const QByteArray &line : lines.split('\n')) {
        if (line.trimmed().isEmpty())
            continue;
        QJsonParseError wrong;
        const QJsonObject object = QJsonDocument::fromJson(line, &wrong).object();
        TruthCase truth;
        truth.id = object[QLatin1String("id")].toString();
        truth.what = object[QLatin1String("why")].toString();
        for (const QJsonValue argument : object[QLatin1String("args")].toArray())
            truth.arguments.append(argument.toString());
        for (const QJsonValue value : object[QLatin1String("expect")].toArray()) {
            const QJsonObject e = value.toObject();
            truth.expected.push_back({e[QLatin1String("path")].toString(), e[QLatin1String("value")].toDouble(),
                                      e[QLatin1String("rel")].toDouble(), e[QLatin1String("abs")].toDouble()});
        }
        if (truth.id.isEmpty() || truth.arguments.isEmpty() || truth.expected.empty()) {
            error = QStringLiteral("line %1: %2").arg(cases.size() + 1).arg(wrong.errorString());
            return {};
        }
        cases.push_back(std::move(truth));
    }
    return cases;
}

std::optional<Plan> planOf(const TruthCase &truth, const QString &configs, QString &error)
{
    Reader reader(configs);
    if (!reader.read(truth.arguments)) {
        error = reader.error;
        return {};
    }
    return plan(reader.scenario, reader.scenario.clusters.empty() ? Cluster{} : reader.scenario.clusters[0]);
}

std::optional<double> figureAt(const Plan &plan, const QString &path)
{
    for (const ReportFigure &figure : plan.engineReport) {
        if (path == QLatin1String("engine_report.") + QString::fromStdString(figure.name))
            return figure.value;
    }
    if (path == QLatin1String("kv.total_bytes"))
        return static_cast<double>(plan.kv.total.value);
    return {};
}

} // namespace kvscope::testing
