// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/shape.h"

namespace kvscope {

/// What single families have beyond the flags of their row; each is named in the table of family.cpp.

void adjustGemma3nLayer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustGemma3nOuter(Fields &, const Shape &, const LayerPlan &, ModelSpec &);
void adjustGemma4Layer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustGemma4Outer(Fields &, const Shape &, const LayerPlan &, ModelSpec &);
void adjustDeepSeekV4Layer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustDeepSeekV4Outer(Fields &, const Shape &, const LayerPlan &, ModelSpec &);
void adjustNemotronNasLayer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustMinimaxM3Layer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustMllamaLayer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustMllamaOuter(Fields &, const Shape &, const LayerPlan &, ModelSpec &);
void adjustT5Layer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustT5Outer(Fields &, const Shape &, const LayerPlan &, ModelSpec &);
void adjustWhisperLayer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustWhisperOuter(Fields &, const Shape &, const LayerPlan &, ModelSpec &);
void adjustZamba2Layer(Fields &, const Shape &, const LayerPlan &, std::size_t index, LayerGroup &);
void adjustZamba2Outer(Fields &, const Shape &, const LayerPlan &, ModelSpec &);
void adjustRwkvOuter(Fields &, const Shape &, const LayerPlan &, ModelSpec &);

} // namespace kvscope
