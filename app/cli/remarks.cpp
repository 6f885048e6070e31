// SPDX-License-Identifier: GPL-3.0-or-later
// What is to be said of the words that were typed, beside what the plan itself says: options of another engine, and vLLM's own "k".
#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>

#include "app/cli/options.h"
#include "core/engine.h"
#include "core/parse.h"

namespace kvscope::cli {

namespace {

using Owners = std::initializer_list<EngineId>;
constexpr Owners transformersOnly{EngineId::Transformers}, local{EngineId::LlamaCpp, EngineId::Ollama},
    serving{EngineId::Vllm, EngineId::Sglang, EngineId::TensorRtLlm}, vllmOnly{EngineId::Vllm};

struct OwnedText {
    const char *option;
    ScenarioOptions::Text ScenarioOptions::*text;
    Owners owners;
};
struct OwnedFlag {
    const char *option;
    bool ScenarioOptions::*flag;
    Owners owners;
};

/// Options that only some engines have (spec/cli.md, "Scenario options"). A share of the card is another one on each engine, and replicas
/// within a tensor-parallel group change what machine it is: those are refused elsewhere, not passed over.
constexpr std::array ownedTexts{
    OwnedText{"--attention", &ScenarioOptions::attention, transformersOnly},
    OwnedText{"--cache", &ScenarioOptions::cache, transformersOnly},
    OwnedText{"--cache-bits", &ScenarioOptions::cacheBits, transformersOnly},
    OwnedText{"--prompt", &ScenarioOptions::prompt, transformersOnly},
    OwnedText{"--new-tokens", &ScenarioOptions::newTokens, transformersOnly},
    OwnedText{"--ctx-size", &ScenarioOptions::ctxSize, local},
    OwnedText{"--parallel", &ScenarioOptions::parallel, local},
    OwnedText{"--kv-unified", &ScenarioOptions::kvUnified, local},
    OwnedText{"--batch-size", &ScenarioOptions::batchSize, local},
    OwnedText{"--ubatch", &ScenarioOptions::ubatch, local},
    OwnedText{"--gpu-layers", &ScenarioOptions::gpuLayers, local},
    OwnedText{"--flash-attention", &ScenarioOptions::flashAttention, local},
    OwnedText{"--n-cpu-moe", &ScenarioOptions::nCpuMoe, local},
    OwnedText{"--tensor-split", &ScenarioOptions::tensorSplit, local},
    OwnedText{"--backend", &ScenarioOptions::backend, local},
    OwnedText{"--block-size", &ScenarioOptions::blockSize, serving},
    OwnedText{"--max-num-batched-tokens", &ScenarioOptions::maxNumBatchedTokens, serving},
    OwnedText{"--max-num-seqs", &ScenarioOptions::maxNumSeqs, serving},
    OwnedText{"--prefix-caching", &ScenarioOptions::prefixCaching, serving},
    OwnedText{"--draft-tokens", &ScenarioOptions::draftTokens, serving},
    OwnedText{"--draft-model", &ScenarioOptions::draftModel, serving},
    OwnedText{"--given-kv-bytes", &ScenarioOptions::givenKvBytes, serving},
    OwnedText{"--ep", &ScenarioOptions::expert, serving},
};
constexpr std::array ownedFlags{
    OwnedFlag{"--swa-full", &ScenarioOptions::swaFull, local},
    OwnedFlag{"--no-kv-offload", &ScenarioOptions::noKvOffload, local},
    OwnedFlag{"--cpu-moe", &ScenarioOptions::cpuMoe, local},
    OwnedFlag{"--enforce-eager", &ScenarioOptions::enforceEager, serving},
};

bool isAmong(Owners owners, std::span<const EngineChoice> engines)
{
    return std::ranges::any_of(engines, [&](const EngineChoice &e) { return std::ranges::find(owners, e.id) != owners.end(); });
}

/// The option whose value a foreign one gives all the same: lengths and numbers of sequences mean the same everywhere.
std::string insteadOf(std::string_view option, const ScenarioOptions &o)
{
    if (option == "--prompt" || (option == "--new-tokens" && o.prompt) || (option == "--ctx-size" && !o.context && !o.prompt))
        return "--context";
    if (option == "--parallel" && !o.batch && *o.parallel != "auto")
        return "--batch";
    return {};
}

void addForeign(const char *option, Owners owners, const ScenarioOptions &o, std::vector<Warning> &warnings)
{
    std::string names;
    for (const EngineId owner : owners)
        names += (names.empty() ? "" : ", ") + std::string(engineOf(owner).label());
    warnings.push_back({WarningCode::OptionOfOtherEngine, {option, names, insteadOf(option, o)}});
}

/// vLLM's k is 1000, its K 1024 (spec/serving-engines.md 7.1): said for the first count that it would read otherwise.
void addThousands(const ScenarioOptions &o, std::vector<Warning> &warnings)
{
    for (const auto &[option, text] : {std::pair{"--context", &o.context}, {"--max-num-batched-tokens", &o.maxNumBatchedTokens}}) {
        if (!*text || (*text)->empty() || !std::islower(static_cast<unsigned char>((*text)->back())))
            continue;
        const Result<TokenCount> ours = parseTokens(**text);
        const Result<std::int64_t> theirs = parseParameters(**text);
        if (ours && theirs && ours->value != *theirs) {
            warnings.push_back({WarningCode::ThousandsOfTokens,
                                {std::string(option) + ' ' + **text, std::to_string(ours->value), std::to_string(*theirs)}});
            return;
        }
    }
}

} // namespace

std::vector<Warning> remarksOn(const ScenarioOptions &o, std::span<const EngineChoice> engines)
{
    std::vector<Warning> warnings;
    for (const OwnedText &owned : ownedTexts) {
        if (o.*owned.text && !isAmong(owned.owners, engines))
            addForeign(owned.option, owned.owners, o, warnings);
    }
    for (const OwnedFlag &owned : ownedFlags) {
        if (o.*owned.flag && !isAmong(owned.owners, engines))
            addForeign(owned.option, owned.owners, o, warnings);
    }
    if (isAmong(vllmOnly, engines))
        addThousands(o, warnings);
    return warnings;
}

} // namespace kvscope::cli
