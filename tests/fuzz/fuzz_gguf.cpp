// SPDX-License-Identifier: GPL-3.0-or-later
// libFuzzer: any bytes as a GGUF file. (What takes longest is asked of some sizes only.) Must answer with a model or an error, the same whether mapped or read through a window; a model must have
// possible layers and come back from a scenario file unchanged.
#include "core/ggufjson.h"
#include "core/import/gguf.h"
#include "core/import/ggufspec.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

using namespace kvscope;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

/// Bytes in memory, as a mapped file or a regular one that can't be mapped.
class MemoryInput final : public ByteInput {
public:
    MemoryInput(std::span<const unsigned char> bytes, bool mapped) : m_bytes(bytes), m_mapped(mapped) {}

    bool skip(std::uint64_t bytes) override
    {
        require(bytes <= m_bytes.size() - m_at); // a reader asks for nothing beyond the size
        m_at += static_cast<std::size_t>(bytes);
        return true;
    }
    std::uint64_t size() const override { return m_bytes.size(); }
    std::span<const unsigned char> mapped() const override { return m_mapped ? m_bytes : std::span<const unsigned char>(); }

private:
    std::size_t fetch(unsigned char *to, std::size_t most) override
    {
        const std::size_t got = std::min(most, m_bytes.size() - m_at);
        std::copy_n(m_bytes.begin() + static_cast<std::ptrdiff_t>(m_at), got, to);
        m_at += got;
        return got;
    }

    std::span<const unsigned char> m_bytes;
    bool m_mapped;
    std::size_t m_at = 0;
};

Result<GgufModel> read(std::span<const unsigned char> bytes, bool mapped)
{
    MemoryInput input(bytes, mapped);
    return ggufFromInput(input, "fuzz");
}

void checkRoundTrip(const GgufModel &model)
{
    // Text that is no UTF-8 is replaced when written.
    const Json json = Json::parse(written(ggufToJson(model, Extent::Short), -1));
    if (json["architecture"] != model.architecture || json.value("name", std::string()) != model.name)
        return;
    std::optional<Error> error;
    ObjectReader reader(json, "gguf", error);
    const GgufModel back = ggufFromJson(reader);
    const auto whole = [](const std::string &text) {
        return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) > 0; });
    };
    const bool plain = std::ranges::all_of(model.tensors, whole, &GgufTensor::name) &&
                       std::ranges::all_of(model.keys, [&whole](const auto &entry) { return whole(entry.first); });
    const bool named = std::ranges::none_of(model.tensors, &std::string::empty, &GgufTensor::name);
    require(!plain || !named || (!error && back == model));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::span<const unsigned char> bytes(data, size);
    Result<GgufModel> model = read(bytes, true);
    if (size % 4 == 0) {
        const Result<GgufModel> windowed = read(bytes, false);
        require(static_cast<bool>(windowed) == static_cast<bool>(model));
        require(model ? *windowed == *model : windowed.error() == model.error());
    }
    if (!model) {
        require(!model.error().where.empty() && !model.error().file.empty());
        return 0;
    }
    if (size % 4 == 1)
        checkRoundTrip(*model);
    const Result<ModelSpec> spec = modelFromGguf(std::move(*model), "fuzz");
    if (!spec) {
        require(!spec.error().where.empty());
        return 0;
    }
    require(spec->layerCount() >= 1 && spec->layerCount() <= largestLayerCount);
    for (const LayerGroup &group : spec->groups)
        require(!group.hasCache() || group.latentDim > 0 || (group.kvHeads > 0 && group.keyDim > 0 && group.valueDim > 0));
    if (size % 16 != 2)
        return 0;
    // A scenario file holds it.
    std::optional<Error> error;
    const Json json = Json::parse(written(modelToJson(*spec, Extent::Complete), -1));
    ObjectReader reader(json, "model", error);
    (void)modelFromJson(reader);
    require(!error || error->where.starts_with("model.gguf"));
    return 0;
}
