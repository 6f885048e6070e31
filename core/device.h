// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/units.h"

#include <string>
#include <vector>

namespace kvscope {

/// One accelerator as its driver reports it.
struct Device {
    std::string id; ///< catalogue id, or "custom" for a card known only by its size
    std::string name;
    std::string vendor;
    Bytes memory;                  ///< the driver's total
    Bytes usable;                  ///< what an engine can see and take (CUDA through torch: about 0.3 to 0.6 GiB less)
    Bytes nominal;                 ///< as marketed, decimal GB; 0 = not known
    bool memoryAssumed = false;    ///< no driver figure: nominal GB x 2^30
    bool usableAssumed = false;    ///< estimated from `memory`
    bool unified = false;          ///< shares the host's memory
    double bandwidthGBs = 0;       ///< 0 = not known
    double tflops16 = 0;           ///< dense FP16, 0 = not known
    std::string architecture;      ///< "Hopper"; empty = not known
    std::string computeCapability; ///< as the vendor counts: "9.0", "gfx942"; empty = not known
    bool fastLinks = false;        ///< joined to its like by more than PCIe: NVLink, Infinity Fabric
    std::vector<std::string> sources;

    bool operator==(const Device &) const = default;
};

/// A card known only by its size, as the engine sees it: memory = usable = `size`.
Device deviceOfSize(Bytes size);
/// The same card with another memory, as the engine sees it (spec/cli.md, --gpu-memory with --gpu).
Device deviceOfSize(Bytes size, Device like);

/// How the model is split.
struct Split {
    int tensor = 1;
    int pipeline = 1;
    int expert = 1;
    int data = 1;          ///< replicas, each with requests of its own
    int decodeContext = 1; ///< DCP: ranks of a tensor-parallel group over which a sequence's tokens are spread; takes no cards of its own
    bool dataInTensor = false; ///< the replicas of attention lie within the tensor-parallel group (SGLang's DP attention)

    /// Groups of cards of which each holds the whole model.
    int cardGroups() const { return dataInTensor ? 1 : data; }
    /// Cards needed.
    std::int64_t devices() const { return std::int64_t{tensor} * pipeline * cardGroups(); }
    bool operator==(const Split &) const = default;
};

/// What joins the cards of one machine; automatic: what the card is known to have.
enum class Interconnect : std::uint8_t { Automatic, NvLink, Pcie };

/// One machine or several equal ones: the devices in order (mixed cards allowed) and how the model is split over them.
struct Cluster {
    std::vector<Device> devices;
    Split split;
    int nodes = 1; ///< machines; the devices are dealt out to them in order, equally many each
    Interconnect interconnect = Interconnect::Automatic;

    /// "RTX 4090", "H100 SXM5 80GB x8", "RTX 4090 + RTX 3090".
    std::string label() const;
    bool operator==(const Cluster &) const = default;
};

/// `count` equal devices.
Cluster clusterOf(const Device &device, int count = 1, Split split = {});

} // namespace kvscope
