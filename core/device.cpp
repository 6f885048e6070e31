// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/device.h"

namespace kvscope {

Device deviceOfSize(Bytes size)
{
    Device device;
    device.id = "custom";
    device.memory = device.usable = size;
    return device;
}

Device deviceOfSize(Bytes size, Device like)
{
    like.memory = like.usable = size;
    like.nominal = {};
    like.memoryAssumed = like.usableAssumed = false;
    return like;
}

std::string Cluster::label() const
{
    std::string text;
    for (std::size_t i = 0; i < devices.size();) {
        std::size_t end = i + 1;
        while (end < devices.size() && devices[end].id == devices[i].id && devices[end].memory == devices[i].memory)
            ++end;
        if (!text.empty())
            text += " + ";
        text += devices[i].name;
        if (end - i > 1)
            text += " x" + std::to_string(end - i);
        i = end;
    }
    return text;
}

Cluster clusterOf(const Device &device, int count, Split split)
{
    return {std::vector<Device>(static_cast<std::size_t>(count), device), split};
}

} // namespace kvscope
