// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <optional>
#include <vector>

namespace kvscope::testing {

/// A figure that a run printed, and how near it must come: within abs + rel * value.
struct Expected {
    QString path;
    double value = 0;
    double relative = 0;
    double absolute = 0;
};

/// One measured run: the planner's arguments as `kvplan plan` takes them, and what was measured.
struct TruthCase {
    QString id;
    QString what;
    QStringList arguments;
    std::vector<Expected> expected;
};

/// Cases of a .jsonl file, one JSON object a line; `error` says which line can't be used.
std::vector<TruthCase> truthCases(const QByteArray &lines, QString &error);

/// The plan that a case asks for, with `@configs/` standing for a folder of config.json files. `error` names what is not understood.
std::optional<Plan> planOf(const TruthCase &truth, const QString &configs, QString &error);

/// The figure at a path like `engine_report.allocated_peak_bytes`; empty where the plan has none.
std::optional<double> figureAt(const Plan &plan, const QString &path);

} // namespace kvscope::testing
