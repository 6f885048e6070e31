// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include <QString>

#include "core/plan.h"
#include "core/planjson.h"
#include "ui/text/text.h"

namespace kvscope::cli {

/// How a plan is shown on a terminal.
struct View {
    text::Unit unit = text::Unit::GB;
    bool colour = false;
    int columns = 80;
};

/// The answer for a person: verdict, bar, parts, limits, what would mend it, warnings; and the rules, where `extras` has them.
QString planText(const Scenario &scenario, const Cluster &cluster, const Plan &plan, const PlanExtras &extras, const View &view);

/// "RTX 4090", "H100 SXM5 80GB x8", "24 GB" for a card known only by its size.
QString clusterName(const Cluster &cluster, text::Unit unit);

/// The model's name; one by hand may have none.
QString modelName(const ModelSpec &model);

/// What is planned, in lines: the model's shape, engine, formats and workload.
QString scenarioHead(const Scenario &scenario);

} // namespace kvscope::cli
