// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "app/cli/cli.h"

namespace kvscope {

/// One run of kvplan with its streams.
struct CliRun {
    int status = 0;
    std::string out, err;

    QJsonDocument document() const { return QJsonDocument::fromJson(QByteArray::fromStdString(out)); }
    QJsonObject json() const { return document().object(); }
    QStringList lines() const { return QString::fromStdString(out).split(QLatin1Char('\n'), Qt::SkipEmptyParts); }
    QStringList errorLines() const { return QString::fromStdString(err).split(QLatin1Char('\n'), Qt::SkipEmptyParts); }
};

inline CliRun runCli(const std::vector<std::string> &words, const std::string &input = {})
{
    static const Catalog catalog;
    std::istringstream in(input);
    std::ostringstream out, err;
    CliRun run;
    run.status = cli::run(words, {in, out, err}, catalog);
    run.out = out.str();
    run.err = err.str();
    return run;
}

/// Words parted by single spaces.
inline CliRun runCliLine(const std::string &line)
{
    std::istringstream stream(line);
    std::vector<std::string> words;
    for (std::string word; stream >> word;)
        words.push_back(word);
    return runCli(words);
}

} // namespace kvscope
