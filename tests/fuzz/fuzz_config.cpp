// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer: any bytes as a config.json, a safetensors index and a ModelOpt description. Must answer with a model or an error, never otherwise.
#include "core/import/import.h"
#include "core/import/quantization.h"

#include <cstdint>
#include <cstdlib>

using namespace kvscope;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char *>(data), size);
    const Result<ModelSpec> model = modelFromConfig(text, "fuzz");
    if (model) {
        require(model->layerCount() >= 1 && model->layerCount() <= largestLayerCount);
        require(model->parameters().total() > 0 && model->parameters().total() < tooLargeValue);
        for (const LayerGroup &group : model->groups)
            require(!group.hasCache() || group.latentDim > 0 || (group.kvHeads > 0 && group.keyDim > 0 && group.valueDim > 0));
    } else {
        require(!model.error().where.empty());
    }
    (void)withSafetensorsIndex(model ? *model : ModelSpec{}, text, "fuzz");
    (void)withModelOptConfig(model ? *model : ModelSpec{}, text, "fuzz");
    return 0;
}
