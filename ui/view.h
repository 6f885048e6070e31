// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/evaluate.h"
#include "ui/text/text.h"

#include <memory>

namespace kvscope {

/// All that a view draws from. Views keep no copy of a number and never talk to one another: a gesture on one emits
/// `requested(Scenario)`, and the answer comes back through showResults() like a slider's.
struct ViewState {
    std::shared_ptr<const Results> results;
    std::shared_ptr<const Results> pinned; ///< the dashed ghost; null: none
    text::Unit unit = text::Unit::GB;
};

} // namespace kvscope
