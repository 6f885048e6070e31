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
    Entry{"kv.none", QT_TRANSLATE_NOOP("text", "These layers keep no KV cache")},
    Entry{"kv.per_token", QT_TRANSLATE_NOOP("text", "What one more token adds")},
    Entry{"state.recurrent", QT_TRANSLATE_NOOP("text", "The recurrent state of a sequence, whatever its length")},
    Entry{"weights.measured", QT_TRANSLATE_NOOP("text", "Weights as measured")},
    Entry{"weights.format", QT_TRANSLATE_NOOP("text", "Parameters times the bytes of their format")},
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

QString sentence(const Assumption &assumption)
{
    const QString field = quoted(assumption.field), value = quoted(assumption.value);
    if (assumption.reason == "hidden_size_over_heads")
        return Words::tr("%1 is not in the file: %2 was taken, the hidden size divided by the attention heads").arg(field, value);
    if (assumption.reason == "attention_heads")
        return Words::tr("%1 is not in the file: %2 was taken, as many as attention heads").arg(field, value);
    if (assumption.reason == "family_default")
        return Words::tr("%1 is not in the file: %2 was taken, this model family's default").arg(field, value);
    return Words::tr("%1 is not in the file: %2 was taken (%3)").arg(field, value, quoted(assumption.reason));
}

} // namespace kvscope::text
