// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/reach.h"

#include <algorithm>

namespace kvscope {

std::optional<Reach> reachOf(const Plan &plan)
{
    const DevicePlan *device = plan.verdict == Verdict::Refused ? nullptr : plan.binding();
    if (!device)
        return {};
    const Bytes pool = device->used[Part::Kv];
    if (!plan.pool && !(device->kvNeeded.value > 0 && pool > device->kvNeeded))
        return Reach{device->total, device->budget};
    return Reach{device->total - pool + device->kvNeeded, std::min(device->total, device->budget), true};
}

} // namespace kvscope
