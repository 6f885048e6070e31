// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/curve.h"
#include "core/stages.h"

#include <vector>

namespace kvscope {

/// A stage's cache as curve terms; alike terms are one.
class CacheTerms {
public:
    explicit CacheTerms(TokenCount sharedPrefix) : m_prefix(sharedPrefix) {}

    /// Bytes for each token, up to `limit` of them, one entry per `every`. The shared prefix is there once.
    void perToken(Bytes bytes, TokenCount limit, std::int64_t every = 1);
    void perSequence(Part part, Bytes bytes);
    void once(Part part, Bytes bytes);

    const std::vector<CurveTerm> &terms() const { return m_terms; }
    /// The terms of one part alone.
    Phase only(Part part) const;
    /// What one more token adds at length 0.
    Bytes kvPerToken() const;

private:
    void add(const CurveTerm &term);

    TokenCount m_prefix;
    std::vector<CurveTerm> m_terms;
};

/// Tokens that a layer keeps at the most: its window, or StreamingLLM's sinks and window where the scenario asks for them.
TokenCount tokenLimit(const LayerGroup &group, const Scenario &scenario);

/// DeepSeek V4 keeps the latents of the last window as they are, beside one for each `compression` tokens (serving-engines.md 2.8).
bool hasCompressedWindow(const LayerGroup &group);

/// The token cache of `share` layers of one group, on one of `tensor` devices.
void addTokenCache(CacheTerms &terms, const Scenario &scenario, const LayerGroup &group, GroupShare share, int tensor);

/// A stage's whole cache and state on one of `tensor` devices: the tensors themselves, nothing rounded or padded.
CacheTerms cacheOf(const Scenario &scenario, Stage stage, int tensor, TokenCount sharedPrefix);

} // namespace kvscope
