// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/gguf/model.h"
#include "core/scenario.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace kvscope::testing {

/// Does not compile once a type has a new field: it must be written, read, described in the schema and set in fullScenario().
[[maybe_unused]] inline void everyFieldIsKnown()
{
    [[maybe_unused]] const auto &[s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22] =
        Scenario{};
    [[maybe_unused]] const auto &[k1, k2, k3, k4, k5, k6, k7] = KvPrecision{};
    [[maybe_unused]] const auto &[w1, w2] = WeightChoice{};
    [[maybe_unused]] const auto &[e1, e2] = EngineChoice{};
    [[maybe_unused]] const auto &[t1, t2, t3, t4] = TransformersOptions{};
    [[maybe_unused]] const auto &[c1, c2, c3, c4] = Cluster{};
    [[maybe_unused]] const auto &[p1, p2, p3, p4, p5, p6] = Split{};
    [[maybe_unused]] const auto &[d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13, d14, d15] = Device{};
    [[maybe_unused]] const auto &[m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23,
                                  m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39] = ModelSpec{};
    [[maybe_unused]] const auto &[g1, g2, g3, g4, g5, g6, g7, g8, g9, g10, g11, g12, g13, g14, g15] = LayerGroup{};
    [[maybe_unused]] const auto &[r1, r2, r3, r4, r5, r6, r7, r8] = RecurrentState{};
    [[maybe_unused]] const auto &[q1, q2, q3, q4, q5, q6, q7] = Quantization{};
    [[maybe_unused]] const auto &[a1, a2, a3] = Assumption{};
    [[maybe_unused]] const auto &[h1, h2, h3, h4, h5, h6, h7, h8] = GgufModel{};
    [[maybe_unused]] const auto &[i1, i2, i3] = GgufTensor{};
}

/// Every field differs from its default.
inline ModelSpec fullModel()
{
    ModelSpec model;
    model.id = "hybrid-9b";
    model.name = "Hybrid 9B \xE6\xA8\xA1\xE5\x9E\x8B";
    model.family = "hybrid";
    model.origin = ModelOrigin::File;
    model.reference = "/models/hybrid/config.json";

    LayerGroup full;
    full.queryHeads = 32;
    full.kvHeads = 8;
    full.keyDim = 128;
    full.valueDim = 96;
    full.crossKvHeads = 4;
    full.crossHeadDim = 64;
    full.parameters[Role::Attention] = 41'943'040;
    full.parameters[Role::Experts] = 900'000'000;
    LayerGroup sliding = full;
    sliding.mixer = Mixer::Sliding;
    sliding.window = TokenCount{4096};
    LayerGroup chunked = full;
    chunked.mixer = Mixer::Chunked;
    chunked.window = TokenCount{8192};
    LayerGroup latent;
    latent.mixer = Mixer::Latent;
    latent.queryHeads = 128;
    latent.kvHeads = 1;
    latent.latentDim = 512;
    latent.ropeDim = 64;
    latent.queryLatentDim = 1536;
    latent.indexKeyDim = 128;
    latent.compression = TokenCount{4};
    LayerGroup shared = full;
    shared.mixer = Mixer::Shared;
    LayerGroup recurrent;
    recurrent.mixer = Mixer::None;
    recurrent.state = {Recurrence::Mamba2, 8192, 4, 524288, true, true, 8, 256};
    model.groups = {full, sliding, chunked, latent, shared, recurrent};
    model.layout = {5, 0, 1, 1, 2, 3, 4, 5, 0};

    model.outer[Role::Embedding] = 500'000'000;
    model.outer[Role::Mtp] = 7;
    model.parametersKnown = true;
    model.hidden = 4096;
    model.intermediate = 14336;
    model.gatedFfn = false;
    model.qkNorm = true;
    model.vocab = 128256;
    model.tiedEmbeddings = true;
    model.trainedContext = TokenCount{131072};
    model.experts = 64;
    model.expertsPerToken = 8;
    model.expertIntermediate = 1024;
    model.expertVectors = 123456;
    model.predictionLayers = 3;
    model.predictionWindowed = true;
    model.rotary = {{TokenCount{131072}, 64, true}, {TokenCount{8192}, 128, false}};
    model.encoderDecoder = true;
    model.encoderLength = TokenCount{1500};
    model.vision = VisionTower{27, 1152};
    model.nativeFormat = Format::F16;
    model.nativeFormatKnown = true;
    Quantization quantization;
    quantization.format = Format::MXFP4;
    quantization.method = "mxfp4";
    quantization.secondFormat = Format::FP8Block;
    quantization.secondQuantised[static_cast<std::size_t>(Role::Attention)] = true;
    quantization.quantised[static_cast<std::size_t>(Role::Experts)] = true;
    quantization.leftOut[static_cast<std::size_t>(Role::Attention)] = 0.375;
    quantization.bits = 4.3125;
    model.quantization = quantization;
    model.kvFormat = Format::FP8;
    model.measuredWeights = Bytes{5'123'456'789};
    model.measuredAsLoaded = true;
    model.measuredSource = "model.safetensors.index.json";
    model.publishedParameters = 9'000'000'001;
    model.publishedActive = 1'000'000'001;
    GgufModel gguf;
    gguf.architecture = "hybrid";
    gguf.name = "Hybrid";
    gguf.fileType = 15;
    gguf.keys = {{"block_count", {{2}, false}},
                 {"embedding_length", {{4096}, false}},
                 {"context_length", {{131072}, false}},
                 {"attention.head_count_kv", {{8, 0}, true}}};
    gguf.vocab = 128256;
    gguf.tensors = {{"token_embd.weight", {4096, 128256, 1, 1}, Format::Q4_K},
                    {"blk.0.attn_q.weight", {4096, 4096, 1, 1}, Format::Q4_K},
                    {"blk.0.attn_v.weight", {4096, 1024, 1, 1}, Format::Q6_K},
                    {"blk.1.attn_q.weight", {4096, 4096, 1, 1}, Format::Q4_K}};
    gguf.converted = gguf.incomplete = true;
    model.gguf = std::make_shared<const GgufModel>(gguf);
    model.assumptions = {{"head_dim", "128", "hidden_size_over_heads"}};
    model.unknownArchitecture = true;
    model.sources = {"https://example.org/config.json"};
    return model;
}

inline Scenario fullScenario()
{
    Scenario s;
    s.model = std::make_shared<const ModelSpec>(fullModel());
    s.weights = {Format::Q4_K, Bytes{4'000'000'000}};
    s.engine = {EngineId::Transformers, "4.45"};
    s.otherEngines = {{EngineId::Vllm, "0.19.0"}, {EngineId::LlamaCpp, "b9460"}};
    Device card;
    card.id = "rtx-4090";
    card.name = "RTX 4090";
    card.vendor = "NVIDIA";
    card.memory = Bytes{25'757'220'864};
    card.usable = Bytes{25'300'000'000};
    card.nominal = Bytes{24'000'000'000};
    card.memoryAssumed = card.usableAssumed = card.unified = true;
    card.bandwidthGBs = 1008.5;
    card.tflops16 = 165.2;
    card.architecture = "Ada";
    card.computeCapability = "8.9";
    card.fastLinks = true;
    card.sources = {"nvidia-smi"};
    s.draft = std::make_shared<const ModelSpec>(modelByHand({2, 8, 128, 32, 0}));
    s.clusters = {clusterOf(card, 2, {2, 1, 2, 1, 2, true}), clusterOf(deviceOfSize(80_GiB), 4, {1, 2, 1, 2})};
    s.clusters.front().nodes = 2;
    s.clusters.front().interconnect = Interconnect::Pcie;
    s.selected = 1;
    s.context = TokenCount{40000};
    s.batch = 12;
    s.kv = {Format::Q8_0, Format::Q4_0, KvScales::PerGroup, 32, true, 1, 2};
    s.sinks = TokenCount{4};
    s.streamWindow = TokenCount{1024};
    s.encoderLength = TokenCount{300};
    s.sharedPrefix = TokenCount{512};
    s.offloadKv = 2_GiB;
    s.inUse = Bytes{700'000'000};
    s.reservePercent = 12.5;
    s.hostMemory = 64_GiB;
    s.transformers = {AttentionKernel::Flash2, CacheClass::Quantized, 2, TokenCount{0}};
    s.local = {.pool = TokenCount{65536},
               .slotCount = 3,
               .automaticSlots = true,
               .unified = false,
               .batch = 1024,
               .ubatch = 256,
               .gpuLayers = 20,
               .flash = FlashAttention::Off,
               .fullWindows = true,
               .kvOnHost = true,
               .hostExperts = 7,
               .tensorSplit = {3, 1.5},
               .backend = Backend::Vulkan};
    s.serving = {.memoryFraction = 0.85,
                 .blockSize = 32,
                 .batchedTokens = 4096,
                 .maxSequences = 128,
                 .eager = true,
                 .prefixCaching = false,
                 .draftTokens = 2,
                 .givenKv = 5_GiB,
                 .givenActivation = 2_GiB,
                 .givenGraph = 1_GiB,
                 .givenRuntime = Bytes{300'000'000}};
    return s;
}

/// The least: a shape by hand on one card.
inline Scenario plainScenario()
{
    Scenario s;
    s.model = std::make_shared<const ModelSpec>(modelByHand({32, 8, 128, 32, 0}));
    s.clusters = {clusterOf(deviceOfSize(24_GB))};
    return s;
}

/// JSON pointers of every value in the tree, the root left out.
inline void collectPointers(const nlohmann::json &value, const nlohmann::json::json_pointer &at,
                            std::vector<nlohmann::json::json_pointer> &out)
{
    if (!at.empty())
        out.push_back(at);
    if (value.is_object()) {
        for (const auto &[key, inner] : value.items())
            collectPointers(inner, at / key, out);
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i)
            collectPointers(value[i], at / i, out);
    }
}

} // namespace kvscope::testing
