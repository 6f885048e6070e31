// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"
#include "core/scenario.h"

#include <QStringList>

namespace kvscope::text {

/// The plan's figures as the scenario's engine prints them at start: its own lines, units and rounding, to be laid beside its log. Never
/// translated, never by the locale. Empty for an engine that prints nothing (the formula), or where it has nothing to say of a refused plan.
QStringList engineLog(const Scenario &scenario, const Cluster &cluster, const Plan &plan);

} // namespace kvscope::text
