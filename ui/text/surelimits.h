// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/plan.h"

#include <QString>

namespace kvscope::text {

/// "surely up to 83,168 tokens", where the limit itself may fit only tightly; else empty.
QString sureContext(const Limits &limits);
/// The same of sequences.
QString sureBatch(const Limits &limits);

} // namespace kvscope::text
