// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/jsonobject.h"

namespace kvscope {

/// What `file` holds beyond `known` (every key that a reader knows), at any depth; null if there is nothing. A node is { "keys": what no reader knows,
/// "in": { known key: node }, "items": [ { "at": index, "of": the element as it is `written`, "node": node } ], "length": of the list }.
Json unknownKeys(const Json &file, const Json &known, const Json &written);

/// Puts the unknown keys back; no known key is touched. An element of a list is found by its content (first at its old place), so that keys follow
/// it when the list is reordered and go when it is removed; an element that was edited keeps them while the list is as long as before.
void restoreUnknownKeys(OrderedJson &target, const Json &node);

} // namespace kvscope
