// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/opening.h"

#include "core/import/import.h"
#include "core/scenariofile.h"

#include <QFileInfo>

namespace kvscope {

Result<Opened> openPath(const QString &path)
{
    const std::filesystem::path file = QFileInfo(path).absoluteFilePath().toStdString();
    if (path.endsWith(QLatin1String(".kvscope"), Qt::CaseInsensitive)) {
        auto scenario = loadScenario(file);
        if (!scenario)
            return scenario.error();
        return Opened{*scenario, nullptr};
    }
    auto model = modelFromPath(file);
    if (!model)
        return model.error();
    return Opened{{}, std::make_shared<const ModelSpec>(*model)};
}

Scenario worthwhileScenario(const Catalog &catalog)
{
    Scenario scenario;
    if (const auto model = catalog.model("llama-3.1-8b-instruct"))
        scenario.model = std::make_shared<const ModelSpec>(*model);
    else
        scenario.model = std::make_shared<const ModelSpec>(
            modelByHand({.layers = 32, .kvHeads = 8, .headDim = 128, .heads = 32, .parameters = 8'030'261'248}));
    for (const char *name : {"rtx-4090", "rtx-5090", "l40s", "a100-sxm4-80gb"}) {
        if (const auto device = catalog.device(name))
            scenario.clusters.push_back(clusterOf(*device));
    }
    if (scenario.clusters.empty())
        scenario.clusters.push_back(clusterOf(deviceOfSize(24_GB)));
    scenario.context = 32768_tokens;
    return scenario;
}

} // namespace kvscope
