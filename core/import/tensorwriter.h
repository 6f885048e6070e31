// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/import/convertedblocks.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace kvscope {

/// Lists the tensors of a converted model. Names are those of spec/gguf-quantize.md 6, and of llama.cpp's own list where that page has none.
class TensorWriter {
public:
    /// Both must outlive it.
    TensorWriter(ConvertedBlocks &blocks, GgufModel &out);

    void write();

private:
    using Dims = std::initializer_list<std::int64_t>;

    void put(std::string_view name, std::string_view suffix, Dims dims, Format type);
    void matrix(std::string_view name, Dims dims) { put(name, ".weight", dims, m_matrix); }
    /// What the converter keeps in f32: vectors, norms, routers, convolutions.
    void wide(std::string_view name, Dims dims) { put(name, ".weight", dims, Format::F32); }
    void bias(std::string_view name, Dims dims) { put(name, ".bias", dims, Format::F32); }
    void norm(std::string_view name);

    void writeOuter();
    void writeRopeFactors();
    void writeBlock(std::size_t block);
    void writeNorms(std::size_t block);
    void writeFfn(std::int64_t width);
    void writeExperts(std::size_t block);
    void writeRouter(std::size_t block);
    void writeAltup();
    void writePrediction();

    // tensormixers.cpp
    void writeMixer(std::size_t block);
    void writeAttention(std::size_t block);
    void writeLatent();
    void writeCompressed(std::size_t block);
    void writeIndexer();
    void writeConvolution();
    void writeState();
    void writeMamba1();
    void writeMamba2();
    void writeGatedDelta();
    void writeKda();

    ConvertedBlocks &m_blocks;
    Fields &m_fields;
    const Shape &m_shape;
    const Conversion &m_row;
    GgufModel &m_out;
    Format m_matrix;
    Format m_expert;
    std::int64_t m_inputs;      ///< of Gemma 3n's AltUp; 0 in other models
    std::int64_t m_streams;     ///< of DeepSeek V4's hyper-connections; 0 in other models
    std::int64_t m_tableLayers; ///< DeepSeek V4: the first ones route by a table over the tokens
    std::string m_prefix;       ///< "blk.3."
};

} // namespace kvscope
