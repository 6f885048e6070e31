// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/engines/servingrun.h"

namespace kvscope::serving {

std::int64_t wholeBytes(double bytes);
/// Of figures in GiB, as measurements are given.
Spread spreadOf(double low, double middle, double high);
Spread exactly(Bytes bytes);
/// Both ends twice as far from the middle.
Spread twiceAsWide(const Spread &spread);

/// Tensors of the hidden size that stay beside the widest ones in a pass (5.1, vLLM's V1).
inline constexpr double keptTensors = 4.25;
/// Bytes of one forward pass over `tokens` (spec/serving-engines.md 5.1). `kept`: hidden-sized tensors that stay beside the widest ones.
double forwardBytes(const Run &run, double tokens, double kept);
/// The same with its numbers.
std::string forwardFormula(const Run &run, std::int64_t tokens, double kept, std::int64_t workspaces);
/// Workspaces of the fused expert kernels for `tokens`; 0 for dense models and for formats that were seen to take none (5.1).
double expertWorkspaceBytes(const Run &run, const Scenario &scenario, double tokens);

/// Driver context and libraries, and the communicators of more than one rank: in use before an engine looks at the card (5.4).
Spread contextOf(const Run &run);
/// False where PCIe alone joins the cards (5.4): as set, else by the card. One known by its size alone counts by that.
bool hasFastLinks(const Device &device, Interconnect interconnect);
/// B200, B300 and their like; GB10 and consumer cards are SM12x.
bool isSm100(const Device &device);
bool isSm120(const Device &device);

/// Batch sizes up to `largest` that graphs are captured for: 1, 2, 4, in steps of 8 below 256, of 16 beyond (5.3).
int captureSizes(std::int64_t largest);
inline constexpr int usualSizes = 51; ///< where 1,024 sequences are allowed
/// gpt-oss: graphs are captured up to 1,024 whatever is asked for (5.3).
bool capturesFar(const Run &run);
/// CUDA graphs of a rank with `layers` layers, captured for `sizes` batch sizes, GiB (5.3).
double graphGiB(const Run &run, int layers, int sizes);

} // namespace kvscope::serving
