// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/import/conversion.h"
#include "core/import/shape.h"
#include "core/model.h"

namespace kvscope {

/// A config as llama.cpp's converter sees it, block by block: its layers, and behind them the prediction layers that it keeps.
class ConvertedBlocks {
public:
    /// All but `fields` must outlive it. The fields are copied: what is assumed here is no matter of the model's.
    ConvertedBlocks(const Fields &fields, const Shape &shape, const LayerPlan &plan, const ModelSpec &model, const Conversion &row);

    /// Whether the rules cover what the config asks for.
    bool covered();

    std::int64_t count() const { return m_shape.layers + m_nextn; }
    std::int64_t nextn() const { return m_nextn; }
    bool predicts(std::size_t block) const { return block >= static_cast<std::size_t>(m_shape.layers); }
    LayerKind kindOf(std::size_t block) const;
    bool hasExperts(std::size_t block) const;
    bool hasIndexer(std::size_t block) const { return predicts(block) ? m_shape.indexDim > 0 : m_plan.indexed[block]; }
    bool ownsKv(std::size_t block) const { return predicts(block) || m_plan.ownsKv[block]; }
    bool hasAttention(std::size_t block) const;
    bool hasState(std::size_t block) const;
    bool hasFfn(std::size_t block) const;
    HeadShape headsOf(std::size_t block) const;
    /// Width of the dense FFN, 0 where there is none; elements.
    std::int64_t denseWidth(std::size_t block);
    /// Width of Gemma's per-layer embeddings, elements; 0 = none.
    std::int64_t perLayerWidth() const { return m_perLayerWidth; }

    Fields &fields() { return m_fields; }
    const Shape &shape() const { return m_shape; }
    const LayerPlan &plan() const { return m_plan; }
    const ModelSpec &model() const { return m_model; }
    const Conversion &row() const { return m_row; }
    /// Of a layer; prediction blocks have none.
    const LayerGroup &group(std::size_t block) const { return m_model.groups[m_model.layout[block]]; }

private:
    Fields m_fields;
    const Shape &m_shape;
    const LayerPlan &m_plan;
    const ModelSpec &m_model;
    const Conversion &m_row;
    std::int64_t m_nextn;
    std::int64_t m_perLayerWidth;
};

/// The tensors of a model, tables first, then block by block, and how many tokens they hold. Names are those of spec/gguf-quantize.md 6, and
/// of llama.cpp's own list where that page has none.
void convertTensors(ConvertedBlocks &blocks, GgufModel &out);

/// The metadata that decides memory (spec/local-engines.md 2.1).
void convertKeys(ConvertedBlocks &blocks, GgufModel &out);

} // namespace kvscope
