// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/truth/truthcase.h"

#include "app/cli/cli.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <cmath>
#include <sstream>

namespace kvscope::testing {

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
        truth.engine = object[QLatin1String("engine")].toString();
        truth.what = object[QLatin1String("why")].toString();
        for (const QJsonValue argument : object[QLatin1String("args")].toArray())
            truth.arguments.append(argument.toString());
        for (const QJsonValue value : object[QLatin1String("expect")].toArray()) {
            const QJsonObject e = value.toObject();
            truth.expected.push_back({e[QLatin1String("path")].toString(), e[QLatin1String("value")], e[QLatin1String("rel")].toDouble(),
                                      e[QLatin1String("abs")].toDouble()});
        }
        if (truth.id.isEmpty() || truth.arguments.isEmpty() || truth.expected.empty()) {
            error = QStringLiteral("line %1: %2").arg(cases.size() + 1).arg(wrong.errorString());
            return {};
        }
        cases.push_back(std::move(truth));
    }
    return cases;
}

QJsonObject answerTo(const TruthCase &truth, const QString &shared, QString &error)
{
    std::vector<std::string> words{"plan", "--json"};
    for (QString argument : truth.arguments) {
        argument.replace(QLatin1String("@configs/"), shared + QLatin1String("/data/configs/"));
        argument.replace(QLatin1String("@gguf/"), shared + QLatin1String("/truth/gguf/"));
        words.push_back(argument.toStdString());
    }
    static const Catalog catalog;
    std::istringstream in;
    std::ostringstream out, err;
    cli::run(words, {in, out, err}, catalog);
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(out.str()));
    if (!document.isObject())
        error = QString::fromStdString(err.str());
    return document.object();
}

QJsonValue valueAt(const QJsonObject &answer, const QString &path)
{
    QJsonValue value = answer;
    for (const QString &part : path.split(u'.'))
        value = value.isArray() ? value.toArray().at(part.toInt()) : value.toObject().value(part);
    return value;
}

std::optional<double> relativeError(const Expected &expected, const QJsonValue &found)
{
    if (!expected.value.isDouble())
        return {};
    const double off = std::abs(found.toDouble() - expected.value.toDouble());
    return expected.value.toDouble() != 0 ? off / std::abs(expected.value.toDouble()) : off > 0 ? 1 : 0;
}

bool isWithin(const Expected &expected, const QJsonValue &found)
{
    if (!expected.value.isDouble())
        return found == expected.value;
    const double value = expected.value.toDouble();
    return found.isDouble() && std::abs(found.toDouble() - value) <= expected.absolute + expected.relative * std::abs(value);
}

} // namespace kvscope::testing
