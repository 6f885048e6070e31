// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules' ids of an Explanation and the reasons' codes of an Assumption mean.
#include "ui/text/text.h"

#include "ui/text/words.h"

#include <algorithm>
#include <array>

namespace kvscope::text {

namespace {

struct Entry {
    std::string_view code;
    const char *sentence;
};

constexpr std::array rules{
    Entry{"kv.full", QT_TRANSLATE_NOOP("text", "K and V of every token are kept")},
    Entry{"kv.sliding", QT_TRANSLATE_NOOP("text", "K and V of the last window of tokens are kept")},
    Entry{"kv.chunked", QT_TRANSLATE_NOOP("text", "K and V of the running chunk are kept")},
    Entry{"kv.latent", QT_TRANSLATE_NOOP("text", "One latent a token is kept for all heads (MLA)")},
    Entry{"kv.sparse", QT_TRANSLATE_NOOP("text", "The latent and an index key of every token are kept")},
    Entry{"kv.cross", QT_TRANSLATE_NOOP("text", "Cross attention keeps K and V of the encoder's tokens")},
    Entry{"kv.scales", QT_TRANSLATE_NOOP("text", "Scales and zero points of the quantised cache")},
    Entry{"kv.copies", QT_TRANSLATE_NOOP("text", "Heads, latents and index keys that several devices hold a copy of")},
    Entry{"kv.none", QT_TRANSLATE_NOOP("text", "These layers keep no KV cache")},
    Entry{"kv.per_token", QT_TRANSLATE_NOOP("text", "What one more token adds")},
    Entry{"state.recurrent", QT_TRANSLATE_NOOP("text", "The recurrent state of a sequence, whatever its length")},
    Entry{"weights.measured", QT_TRANSLATE_NOOP("text", "Weights as measured")},
    Entry{"weights.every", QT_TRANSLATE_NOOP("text", "Every parameter times the bytes of the format")},
    Entry{"weights.tensors", QT_TRANSLATE_NOOP("text", "Each tensor times the bytes of the type that the quantiser gives it")},
    Entry{"weights.matrices", QT_TRANSLATE_NOOP("text", "Matrices in the format; tables, head, norms and routers stay in 16 bit")},
    Entry{"budget", QT_TRANSLATE_NOOP("text", "What the device offers, less what others hold and what is kept free")},
    Entry{"llamacpp.cells", QT_TRANSLATE_NOOP("text", "K and V of a layer for every cell of the cache, bytes of a cell's row")},
    Entry{"llamacpp.latent", QT_TRANSLATE_NOOP("text", "One latent a cell for all heads, V is seen within it")},
    Entry{"llamacpp.window_cells", QT_TRANSLATE_NOOP("text", "Layers with a window have cells for the window and one micro-batch")},
    Entry{"llamacpp.compressed_cells", QT_TRANSLATE_NOOP("text", "Compressed caches have one cell for several tokens")},
    Entry{"llamacpp.needed", QT_TRANSLATE_NOOP("text", "What the sequences need of the cells that are allocated")},
    Entry{"llamacpp.tensors",
          QT_TRANSLATE_NOOP("text", "Each tensor as the file stores it, padded as the buffers want it, copies counted")},
    Entry{"llamacpp.placed", QT_TRANSLATE_NOOP("text", "Blocks and output layer that run here, and their tensors")},
    Entry{"llamacpp.host_weights",
          QT_TRANSLATE_NOOP("text", "Tensors that stay in host memory: the token table, and blocks or experts that are not on a GPU")},
    Entry{"llamacpp.mask", QT_TRANSLATE_NOOP("text", "Attention mask: every token of a micro-batch against every cell")},
    Entry{"llamacpp.places", QT_TRANSLATE_NOOP("text", "Where V of each token of a micro-batch goes, without flash attention")},
    Entry{"llamacpp.ffn", QT_TRANSLATE_NOOP("text", "Activations of one feed-forward layer for a micro-batch")},
    Entry{"llamacpp.experts", QT_TRANSLATE_NOOP("text", "Activations of the routed experts of one layer for a micro-batch")},
    Entry{"llamacpp.attention", QT_TRANSLATE_NOOP("text", "Activations of one attention layer for a micro-batch")},
    Entry{"llamacpp.scores", QT_TRANSLATE_NOOP("text", "Scores of every head for every cell, without flash attention")},
    Entry{"llamacpp.kv_copies", QT_TRANSLATE_NOOP("text", "16-bit copies of one layer's K and V for the flash attention kernel")},
    Entry{"llamacpp.kv_from_host", QT_TRANSLATE_NOOP("text", "One layer's K and V, brought over from host memory")},
    Entry{"llamacpp.indexer", QT_TRANSLATE_NOOP("text", "Scores and choice of the sparse attention's indexer")},
    Entry{"llamacpp.recurrence", QT_TRANSLATE_NOOP("text", "Activations of one recurrent layer for a micro-batch")},
    Entry{"llamacpp.logits", QT_TRANSLATE_NOOP("text", "Logits of the rows that are asked for")},
    Entry{"llamacpp.inputs", QT_TRANSLATE_NOOP("text", "Inputs of a micro-batch on their way to the layers")},
    Entry{"llamacpp.pipeline", QT_TRANSLATE_NOOP("text", "Inputs kept several times, for work that is pipelined over the GPUs")},
    Entry{"llamacpp.host_tensor", QT_TRANSLATE_NOOP("text", "Room for the largest tensor that is brought over from host memory")},
    Entry{"llamacpp.output", QT_TRANSLATE_NOOP("text", "Logits of one row a slot, handed out in host memory")},
    Entry{"llamacpp.outside", QT_TRANSLATE_NOOP("text", "Driver context, kernels and libraries, which no printed buffer counts")},
    Entry{"llamacpp.sum", QT_TRANSLATE_NOOP("text", "Weights, cache, state, compute buffer and what lies outside the buffers")},
    Entry{"serving.given", QT_TRANSLATE_NOOP("text", "As measured and given")},
    Entry{"serving.draft", QT_TRANSLATE_NOOP("text", "The model that drafts, on the GPUs of the last stage")},
    Entry{"serving.rotary", QT_TRANSLATE_NOOP("text", "Tables of the rotary positions, one for each distinct setting, on every GPU")},
    Entry{"serving.latent_copies",
          QT_TRANSLATE_NOOP("text", "The latent's up projection is kept once more in 16 bit, for absorbed attention")},
    Entry{"serving.rounding", QT_TRANSLATE_NOOP("text", "Large tensors take whole blocks of 2 MiB")},
    Entry{"serving.forward",
          QT_TRANSLATE_NOOP("text", "Activations of one pass over the largest batch of tokens; this engine does not print them")},
    Entry{"serving.context", QT_TRANSLATE_NOOP("text", "Driver context, libraries and communicators")},
    Entry{"vllm.group_full", QT_TRANSLATE_NOOP("text", "Blocks of layers that keep every token")},
    Entry{"vllm.group_sliding",
          QT_TRANSLATE_NOOP("text", "Blocks of windowed layers: the window, what is in flight, and one for where it starts")},
    Entry{"vllm.group_chunked", QT_TRANSLATE_NOOP("text", "Blocks of chunked layers: the chunk and what is in flight")},
    Entry{"vllm.group_state", QT_TRANSLATE_NOOP("text", "Blocks that hold recurrent states, whatever the length")},
    Entry{"vllm.group_cross", QT_TRANSLATE_NOOP("text", "Blocks of cross attention over the encoder's tokens")},
    Entry{"vllm.shared_page", QT_TRANSLATE_NOOP("text", "Blocks that the KV budget holds; layers of different kinds share tensors of one "
                                                        "page size, so a block takes as much whatever group it serves")},
    Entry{"vllm.block_count", QT_TRANSLATE_NOOP("text", "Blocks that the KV budget holds; one of them is the engine's own")},
    Entry{"vllm.peak", QT_TRANSLATE_NOOP("text", "The larger of a forward pass and of the sampler, with what stays allocated beside it")},
    Entry{"vllm.graphs", QT_TRANSLATE_NOOP("text", "CUDA graphs, by the sizes captured and the layers")},
    Entry{"vllm.outside_torch",
          QT_TRANSLATE_NOOP("text", "In use before the engine looks at the card, and what grows outside torch after it")},
    Entry{"vllm.budget", QT_TRANSLATE_NOOP("text", "Requested memory less weights, the profile's peak and growth outside torch")},
    Entry{
        "vllm.budget_untried",
        QT_TRANSLATE_NOOP(
            "text", "Requested memory less weights, peak and growth; not held against logs here, so the range is at least twice as wide")},
    Entry{"vllm.tokens_by_groups", QT_TRANSLATE_NOOP("text", "Tokens as printed: blocks divided among the groups")},
    Entry{"vllm.tokens_by_concurrency", QT_TRANSLATE_NOOP("text", "Tokens as printed: sequences of the full length times that length")},
    Entry{"vllm.need", QT_TRANSLATE_NOOP("text", "What one sequence of the full length needs on a GPU, as checked at the start")},
    Entry{
        "vllm.need_whole",
        QT_TRANSLATE_NOOP("text", "What one sequence of the full length needs; this version checks the whole model's need on each stage")},
    Entry{"serving.total", QT_TRANSLATE_NOOP("text", "What the GPUs hold for all sequences")},
    Entry{"sglang.need",
          QT_TRANSLATE_NOOP("text", "What one sequence holds; of several pools the one that is first used up decides what fits")},
    Entry{"sglang.tokens", QT_TRANSLATE_NOOP("text", "Tokens that the pool holds")},
    Entry{"sglang.two_pools", QT_TRANSLATE_NOOP("text", "Tokens of the full pool; windowed layers have a pool of 0.8 as many")},
    Entry{"sglang.states", QT_TRANSLATE_NOOP("text", "Slots for recurrent states, in their share of the pool")},
    Entry{"sglang.states_by_requests", QT_TRANSLATE_NOOP("text", "Slots for recurrent states, one for each request that was asked for")},
    Entry{"sglang.sliding_by_requests",
          QT_TRANSLATE_NOOP("text", "Tokens of the windowed layers' pool, enough for the requests that were asked for")},
    Entry{"sglang.requests", QT_TRANSLATE_NOOP("text", "Requests that run at once in one replica")},
    Entry{"sglang.rest", QT_TRANSLATE_NOOP("text", "The static fraction of what is free before loading, less the weights")},
    Entry{"sglang.rest_by_default",
          QT_TRANSLATE_NOOP("text", "The engine's default fraction of what is free before loading, less the weights")},
    Entry{"tensorrt.need", QT_TRANSLATE_NOOP("text", "Whole blocks for a sequence; windows are not made use of")},
    Entry{"tensorrt.tokens", QT_TRANSLATE_NOOP("text", "Tokens that the pool holds")},
    Entry{"tensorrt.budget",
          QT_TRANSLATE_NOOP(
              "text",
              "A fraction of what weights and a dummy pass leave free, by the PyTorch back end of 2026: its releases are not told apart")},
    Entry{"transformers.dynamic_cache",
          QT_TRANSLATE_NOOP("text", "K and V grow by a token at each step; the cache is as wide as the activations")},
    Entry{"transformers.static_cache", QT_TRANSLATE_NOOP("text", "K and V of the longest sequence are allocated at the start")},
    Entry{"transformers.quantized_cache",
          QT_TRANSLATE_NOOP("text", "K and V are quantised in groups of 64; the last 127 tokens at the most stay in full")},
    Entry{"transformers.offloaded_cache",
          QT_TRANSLATE_NOOP("text", "Two layers of the cache are on the GPU, the others wait in host memory")},
    Entry{"transformers.rounding", QT_TRANSLATE_NOOP("text", "Large tensors take whole blocks of 2 MiB")},
    Entry{"transformers.peak", QT_TRANSLATE_NOOP("text", "Weights, cache, state and what the largest moment of the run needs")},
    Entry{"transformers.fixed", QT_TRANSLATE_NOOP("text", "What libraries and tables hold all the time")},
    Entry{"transformers.ffn", QT_TRANSLATE_NOOP("text", "Activations of one feed-forward layer over the whole prompt")},
    Entry{"transformers.attention_side", QT_TRANSLATE_NOOP("text", "Activations of one attention layer over the whole prompt")},
    Entry{"transformers.scores", QT_TRANSLATE_NOOP("text", "Scores of every head, every token against every token")},
    Entry{"transformers.rest", QT_TRANSLATE_NOOP("text", "Masks, repeated heads and one row of logits at that moment")},
    Entry{"transformers.logits", QT_TRANSLATE_NOOP("text", "Logits over the vocabulary, with their FP32 copy")},
    Entry{"transformers.two_copies", QT_TRANSLATE_NOOP("text", "The old cache lives on while the new one is made")},
    Entry{"transformers.step", QT_TRANSLATE_NOOP("text", "One layer's tensor while a token is appended")},
    Entry{"transformers.encoder", QT_TRANSLATE_NOOP("text", "Activations of one encoder layer")},
    Entry{"transformers.context", QT_TRANSLATE_NOOP("text", "The driver's context, kernels, and holes that the allocator leaves")},
    Entry{"transformers.allocated", QT_TRANSLATE_NOOP("text", "What live tensors take at the most, over all GPUs")},
    Entry{"transformers.reserved", QT_TRANSLATE_NOOP("text", "What the allocator may take from the driver, over all GPUs")},
};

// %1 is the field, %2 the value where it says something.
constexpr std::array reasons{
    Entry{"hidden_size_over_heads",
          QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, the hidden size divided by the attention heads")},
    Entry{"attention_heads", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, as many as attention heads")},
    Entry{"family_default", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, this model family's default")},
    Entry{"family_pattern", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, this model family's pattern")},
    Entry{"four_times_hidden", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, four times the hidden size")},
    Entry{"same_as_decoder", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, as in the decoder")},
    Entry{"list_length", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, the length of its list of layers")},
    Entry{"unknown_active_experts", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, the least that is possible")},
    Entry{"dtype_not_stated", QT_TRANSLATE_NOOP("text", "%1 is not in the file: %2 was taken, the usual precision")},
    Entry{"first_of_list", QT_TRANSLATE_NOOP("text", "%1 differs between layers: its first value, %2, was taken for all")},
    Entry{"mtp_not_counted", QT_TRANSLATE_NOOP("text", "%1 is %2: the parameters of these layers are not counted")},
    Entry{"audio_not_counted", QT_TRANSLATE_NOOP("text", "%1: the parameters of the audio tower are not counted")},
    Entry{"vision_not_counted", QT_TRANSLATE_NOOP("text", "%1: the parameters of the vision tower are not counted")},
    Entry{"quantization_not_known", QT_TRANSLATE_NOOP("text", "%1: the method %2 is not known, weights are taken as not quantised")},
    Entry{"formula_unchecked",
          QT_TRANSLATE_NOOP("text", "%1: %2 by a general formula, which was not checked against a published count of this family")},
};

template<std::size_t N>
const Entry *find(const std::array<Entry, N> &entries, std::string_view code)
{
    const auto found = std::ranges::find(entries, code, &Entry::code);
    return found == entries.end() ? nullptr : &*found;
}

} // namespace

QString rule(const std::string &rule)
{
    const Entry *entry = find(rules, rule);
    return entry ? Words::tr(entry->sentence) : quoted(rule);
}

QString source(const std::string &source)
{
    if (source == "given")
        return Words::tr("given by you");
    if (source == "computed")
        return Words::tr("follows from the figures above");
    return quoted(source);
}

namespace {

QString reasonOf(DifferenceReason reason)
{
    switch (reason) {
    case DifferenceReason::Weights: return Words::tr("weights: formats, padding, copies, tables kept elsewhere");
    case DifferenceReason::CacheFormat: return Words::tr("the engine's own KV precision");
    case DifferenceReason::Rounding: return Words::tr("cells or blocks are handed out in whole steps");
    case DifferenceReason::WindowRule: return Words::tr("what windowed, latent and copied layers keep of each token");
    case DifferenceReason::StatePrecision: return Words::tr("precision and copies of recurrent states");
    case DifferenceReason::Activations: return Words::tr("activations: the largest step's working memory");
    case DifferenceReason::Graphs: return Words::tr("CUDA graphs");
    case DifferenceReason::Runtime: return Words::tr("driver context, libraries and allocator");
    case DifferenceReason::UnusedPool: return Words::tr("KV that is reserved and not needed at this load");
    }
    return {};
}

} // namespace

QString sentence(const Difference &difference, Unit unit)
{
    const bool more = difference.bytes.value > 0;
    const Bytes size{more ? difference.bytes.value : -difference.bytes.value};
    const QString sign = more ? QStringLiteral("+") : QStringLiteral("\u2212");
    return Words::tr("%1%2: %3", "sign, size, reason").arg(sign, bytes(size, unit), reasonOf(difference.reason));
}

QString sentence(const Assumption &assumption)
{
    const QString field = quoted(assumption.field), value = quoted(assumption.value);
    const Entry *entry = find(reasons, assumption.reason);
    if (!entry)
        return Words::tr("%1 is not in the file: %2 was taken (%3)").arg(field, value, quoted(assumption.reason));
    const QString sentence = Words::tr(entry->sentence);
    return sentence.contains(QLatin1String("%2")) ? sentence.arg(field, value) : sentence.arg(field);
}

} // namespace kvscope::text
