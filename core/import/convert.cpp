// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/import/convert.h"

#include "core/import/conversion.h"
#include "core/import/convertedblocks.h"

#include <memory>

namespace kvscope {

GgufPointer convertedModel(const Fields &fields, const Shape &shape, const LayerPlan &plan, const ModelSpec &model)
{
    const Conversion *row = conversionOf(model.family);
    if (!row)
        return {};
    ConvertedBlocks blocks(fields, shape, plan, model, *row);
    if (!blocks.covered())
        return {};
    GgufModel out;
    const bool experts = shape.experts > 0 && !row->expertArchitecture.empty();
    out.architecture = experts ? row->expertArchitecture : row->architecture;
    out.name = model.name;
    out.converted = true;
    convertTensors(blocks, out);
    convertKeys(blocks, out);
    if (blocks.fields().error())
        return {};
    return std::make_shared<const GgufModel>(std::move(out));
}

} // namespace kvscope
