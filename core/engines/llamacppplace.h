// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/llamacpprun.h"

#include <string_view>
#include <vector>

namespace kvscope::llamacpp {

inline constexpr int onHost = -1;

/// What one device of a replica, or the host, holds of the model.
struct Share {
    std::vector<std::size_t> layers; ///< that run here, indices into GgufLayers::layers
    bool output = false;             ///< the output layer runs here
    Bytes weights;                   ///< the model buffer
    Bytes largestMatrix;             ///< of the blocks' weights; host only
};

/// Where blocks, output layer and weights go (spec/local-engines.md 4.1 to 4.4).
struct Placement {
    std::vector<int> unitDevice; ///< of each block and the output layer: index of a device within the replica, or onHost
    std::vector<Share> devices;
    Share host;
    bool overrides = false; ///< experts were kept on the host

    int deviceOf(std::size_t layer) const;
    const Share &share(int device) const { return device == onHost ? host : devices[static_cast<std::size_t>(device)]; }
};

/// The model's weights as the engine loads them: a file's own tensors, a converted model's as the quantiser writes them; empty tensors where the
/// model has no GGUF. Errors: of quantised().
Result<GgufModel> loadedTensors(const Run &run, const Scenario &scenario);

Placement placementOf(const Run &run, const Scenario &scenario, const Cluster &cluster, const GgufModel &weights);

/// What a buffer of this back end takes for a tensor (4.4).
Bytes bufferBytes(Backend backend, const GgufTensor &tensor);

/// A routed expert's tensor, which -cmoe keeps on the host (4.3).
bool isExpert(std::string_view tensorName);

} // namespace kvscope::llamacpp
