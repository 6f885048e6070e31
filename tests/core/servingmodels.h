// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "core/engine.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>

namespace kvscope::testing {

inline double gibOf(double bytes) { return bytes / static_cast<double>(bytesPerGiB); }
inline double rounded(double value, int digits) { return std::round(value * std::pow(10, digits)) / std::pow(10, digits); }

/// A model of the catalogue; fails the test where it is not there.
inline std::shared_ptr<const ModelSpec> catalogued(const char *id)
{
    const Result<ModelSpec> model = Catalog().model(id);
    if (!model) {
        QTest::qFail(id, __FILE__, __LINE__);
        return std::make_shared<const ModelSpec>(modelByHand({1, 1, 64, 1, 0}));
    }
    return std::make_shared<const ModelSpec>(*model);
}

/// An H100 as its driver reports it in the worked examples: 79.19 GiB.
inline Device h100()
{
    Device device = deviceOfSize(Bytes{static_cast<std::int64_t>(79.19 * static_cast<double>(bytesPerGiB))});
    device.name = "H100 SXM5 80GB";
    device.architecture = "Hopper";
    device.computeCapability = "9.0";
    device.fastLinks = true;
    return device;
}

inline Scenario servingScenario(EngineId engine, const char *version, std::shared_ptr<const ModelSpec> model, Split split = {})
{
    Scenario scenario;
    scenario.engine = {engine, version};
    scenario.model = std::move(model);
    scenario.context = 131'072_tokens;
    scenario.clusters = {clusterOf(h100(), static_cast<int>(split.devices()), split)};
    return scenario;
}

inline double reported(const Plan &plan, std::string_view name)
{
    for (const ReportFigure &figure : plan.engineReport) {
        if (figure.name == name)
            return figure.value;
    }
    return -1;
}

/// Formulas speak in numbers: no words but those of arithmetic and units.
inline bool isArithmetic(const std::string &formula)
{
    static const QRegularExpression allowed(
        QStringLiteral("^(?:[0-9 .,()+/;-]|\\bx\\b|\\bB\\b|\\bGiB\\b|\\bceil\\b|\\bfloor\\b|\\bround\\b|\\bmin\\b|\\bmax\\b)*$"));
    return allowed.match(QString::fromStdString(formula)).hasMatch();
}

/// The line of a plan's explanation that tells of this figure.
inline Explanation explained(const Scenario &scenario, const Plan &planned, std::string_view figure)
{
    for (const Explanation &line : explain(scenario, scenario.clusters.front(), planned)) {
        if (line.figure == figure)
            return line;
    }
    return {};
}

} // namespace kvscope::testing
