// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace kvscope::testing {

/// A figure or word that a run printed; a figure must come within abs + rel * value.
struct Expected {
    QString path;
    QJsonValue value;
    double relative = 0;
    double absolute = 0;
};

/// One measured run: the planner's arguments as `kvplan plan` takes them, and what was measured.
struct TruthCase {
    QString id;
    QString engine;
    QString what;
    QStringList arguments;
    std::vector<Expected> expected;
};

/// Cases of a .jsonl file, one JSON object a line; `error` says which line can't be used.
std::vector<TruthCase> truthCases(const QByteArray &lines, QString &error);

/// What `kvplan plan ... --json` answers, with `@configs/` and `@gguf/` standing for the folders of a shared folder.
QJsonObject answerTo(const TruthCase &truth, const QString &shared, QString &error);

/// The value at a path like `devices.0.weights_bytes`; undefined where the answer has none.
QJsonValue valueAt(const QJsonObject &answer, const QString &path);

/// How far a figure is off, of what was measured; empty for words.
std::optional<double> relativeError(const Expected &expected, const QJsonValue &found);
bool isWithin(const Expected &expected, const QJsonValue &found);

} // namespace kvscope::testing
