// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/view.h"

#include <QString>

namespace kvscope {

/// The uneven pool of the selected machine in words and a table, as rich text; empty where the pool is even.
QString poolHtml(const ViewState &state);

} // namespace kvscope
