// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/catalog.h"
#include "core/scenario.h"

#include <QString>

namespace kvscope {

/// What a path held.
struct Opened {
    std::optional<Scenario> scenario;
    std::shared_ptr<const ModelSpec> model; ///< of a config.json, a GGUF file, a model folder or a safetensors index; null: a scenario
};

/// Reads what a person opens or drops. Errors: those of the file and of its kind.
Result<Opened> openPath(const QString &path);

/// What a first start shows: a well-known model on a card that many have, beside others it is often weighed against. Cards or models that the
/// catalogue lacks are left out.
Scenario worthwhileScenario(const Catalog &catalog);

} // namespace kvscope
