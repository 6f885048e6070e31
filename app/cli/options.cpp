// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options.h"

#include "app/cli/commandline.h"
#include "app/cli/words.h"

namespace kvscope::cli {

void ScenarioOptions::addTo(CommandLine &line)
{
    line.group(translate("Cli", "Scenario"));
    line.value("--scenario", "FILE", translate("Cli", "Start from a saved .kvscope file; the other options override it"), scenario);
    line.value("--save", "FILE", translate("Cli", "Write the resolved scenario into a .kvscope file"), save);

    line.group(translate("Cli", "Model"));
    line.value(
        "--model", "WHAT",
        translate("Cli",
                  "Catalogue id, Hugging Face id, config.json, GGUF file, model folder or safetensors index; - reads from standard input"),
        model);
    line.value("--layers", "N", translate("Cli", "A model by hand: layers"), layers);
    line.value("--kv-heads", "N", translate("Cli", "A model by hand: KV heads (not attention heads)"), kvHeads);
    line.value("--head-dim", "N", translate("Cli", "A model by hand: elements of one head"), headDim);
    line.value("--heads", "N", translate("Cli", "A model by hand: attention heads (default: as many as KV heads)"), heads);
    line.value("--params", "N",
               translate("Cli", "A model by hand: parameters, 30.53B or 135M; without them the verdict speaks of KV alone"), params);
    line.value(
        "--weights", "FORMAT",
        translate("Cli", "Format of the weights: auto, bf16, fp8, int4, awq, q4_k_m ... (default: auto, as the engine would load them)"),
        weights);
    line.value("--weights-bytes", "SIZE", translate("Cli", "Measured weights, summed over the devices of one replica"), weightsBytes);

    line.group(translate("Cli", "Engine"));
    line.values(
        "--engine", "NAME[@VERSION]",
        translate("Cli",
                  "formula (theory), transformers, vllm, sglang, llama.cpp, ollama or tensorrt-llm; VERSION is a release, a build or a "
                  "date; compare takes several (default: formula; newest version)"),
        engines);
    line.value("--attention", "KERNEL", translate("Cli", "transformers: eager, sdpa or flash_attention_2 (default: sdpa)"), attention);
    line.value("--cache", "CLASS", translate("Cli", "transformers: dynamic, static, quantized or offloaded (default: dynamic)"), cache);
    line.value("--cache-bits", "N", translate("Cli", "transformers: bits of the quantized cache (default: 4)"), cacheBits);
    line.value("--prompt", "N", translate("Cli", "transformers: tokens of the prompt; with --new-tokens instead of --context"), prompt);
    line.value("--new-tokens", "N", translate("Cli", "transformers: tokens to generate; 0 is one plain forward"), newTokens);

    line.group(translate("Cli", "llama.cpp and Ollama"));
    line.value("--ctx-size", "N", translate("Cli", "Cells of all slots together, as -c (default: context x slots)"), ctxSize);
    line.value("--parallel", "N", translate("Cli", "Slots; auto: four over one shared cache (default: as many as --batch)"), parallel);
    line.value("--kv-unified", "on|off", translate("Cli", "One cache for all slots (default: off, on with --parallel auto)"), kvUnified);
    line.value("--batch-size", "N", translate("Cli", "Logical batch, tokens (default: by engine and version)"), batchSize);
    line.value("--ubatch", "N", translate("Cli", "Physical batch, tokens (default: by engine and version)"), ubatch);
    line.value("--gpu-layers", "N", translate("Cli", "Layers on the GPUs, the output counts as one (default: all)"), gpuLayers);
    line.value("--flash-attention", "on|off|auto", translate("Cli", "Flash attention (default: by version)"), flashAttention);
    line.flag("--swa-full", translate("Cli", "Windowed layers keep every token"), swaFull);
    line.flag("--no-kv-offload", translate("Cli", "The cache stays in host memory"), noKvOffload);
    line.flag("--cpu-moe", translate("Cli", "All experts stay in host memory"), cpuMoe);
    line.value("--n-cpu-moe", "N", translate("Cli", "Experts of the first N layers stay in host memory"), nCpuMoe);
    line.value("--tensor-split", "A,B", translate("Cli", "Shares of the GPUs (default: by free memory)"), tensorSplit);
    line.value("--backend", "NAME", translate("Cli", "cuda, rocm, vulkan, metal, rpc or cpu (default: by the device's vendor)"), backend);

    line.group(translate("Cli", "vLLM, SGLang and TensorRT-LLM"));
    line.value("--gpu-memory-utilization", "F", translate("Cli", "vLLM: share of the card that it takes (default: by version)"),
               gpuMemoryUtilization);
    line.value("--mem-fraction-static", "F", translate("Cli", "SGLang: share for weights and pool (default: by card and version)"),
               memFractionStatic);
    line.value("--free-gpu-memory-fraction", "F",
               translate("Cli", "TensorRT-LLM: share of what is free for the pool (default: by version)"), freeGpuMemoryFraction);
    line.value("--block-size", "N", translate("Cli", "Tokens of a block (default: by engine, version and model)"), blockSize);
    line.value("--max-num-batched-tokens", "N", translate("Cli", "Tokens of one step; 32k is 32768 here, vLLM reads 32,000"),
               maxNumBatchedTokens);
    line.value("--max-num-seqs", "N", translate("Cli", "Sequences of one step (default: by card and version)"), maxNumSeqs);
    line.flag("--enforce-eager", translate("Cli", "No CUDA graphs"), enforceEager);
    line.value("--prefix-caching", "on|off", translate("Cli", "Prefix caching (default: by version and model)"), prefixCaching);
    line.value("--draft-tokens", "N", translate("Cli", "Tokens that speculation drafts (default: 0)"), draftTokens);
    line.value("--draft-model", "WHAT", translate("Cli", "A model that drafts them, as for --model (default: the model's own layers)"),
               draftModel);
    line.value("--given-kv-bytes", "SIZE", translate("Cli", "Measured KV budget of one rank, instead of the estimate"), givenKvBytes);

    line.group(translate("Cli", "GPU"));
    line.values("--gpu", "NAME[ xN]",
                translate("Cli", "Catalogue id, name or alias, xN for N of them, A + B for mixed cards; compare takes several"), gpus);
    line.value("--gpu-memory", "SIZE", translate("Cli", "A card known only by its size; with --gpu: overrides its memory"), gpuMemory);
    line.value("--gpu-bandwidth", "N", translate("Cli", "Memory bandwidth in GB/s"), gpuBandwidth);
    line.value("--gpu-tflops", "N", translate("Cli", "Dense 16-bit TFLOPS"), gpuTflops);
    line.value("--in-use", "SIZE", translate("Cli", "Memory on each card that others hold (default: 0)"), inUse);
    line.value("--reserve", "PERCENT", translate("Cli", "Of the card's memory, kept free (default: 0)"), reserve);
    line.value("--host-memory", "SIZE", translate("Cli", "Memory of the host, for what stays there (default: not judged)"), hostMemory);
    line.value("--tp", "N", translate("Cli", "Tensor parallel devices (default: 1)"), tensor);
    line.value("--pp", "N", translate("Cli", "Pipeline stages (default: 1)"), pipeline);
    line.value("--ep", "N", translate("Cli", "Expert parallel devices (default: 1)"), expert);
    line.value("--dp", "N", translate("Cli", "Replicas (default: 1)"), data);
    line.flag("--dp-attention", translate("Cli", "SGLang: the replicas of attention lie within the tensor-parallel group"), dpAttention);
    line.value("--dcp", "N", translate("Cli", "vLLM: tensor-parallel devices over which a sequence's tokens are spread (default: 1)"),
               decodeContext);
    line.value("--nodes", "N", translate("Cli", "Machines, with equally many of the GPUs each (default: 1)"), nodes);
    line.value("--interconnect", "auto|nvlink|pcie", translate("Cli", "What joins the GPUs of a machine (default: what the card has)"),
               interconnect);

    line.group(translate("Cli", "Workload"));
    line.value(
        "--context", "N",
        translate("Cli", "Tokens a sequence, prompt and answer together; 128k is 131072 (default: the model's limit, at most 32768)"),
        context);
    line.value("--batch", "N", translate("Cli", "Sequences held at once, over all replicas (default: 1)"), batch);
    line.value("--shared-prefix", "N", translate("Cli", "Tokens that all sequences share (default: 0)"), sharedPrefix);
    line.value("--encoder-length", "N", translate("Cli", "Tokens of the encoder (default: the model's)"), encoderLength);

    line.group(translate("Cli", "KV cache"));
    line.value("--kv-type", "TYPE", translate("Cli", "Format of K and V: f16, fp8, int8, q8_0 ... (default: the engine's; formula: f16)"),
               kvType);
    line.value("--kv-type-k", "TYPE", translate("Cli", "Format of K alone"), kvTypeKey);
    line.value("--kv-type-v", "TYPE", translate("Cli", "Format of V alone"), kvTypeValue);
    line.value(
        "--kv-scales", "HOW",
        translate("Cli", "formula: scales of INT8 and INT4 KV: none, per-tensor, per-token, per-channel or per-group:N (default: none)"),
        kvScales);
    line.flag("--kv-zero-points", translate("Cli", "formula: zero points beside the scales"), kvZeroPoints);
    line.value("--kv-keep", "first:N,last:M", translate("Cli", "Layers that stay at the model's precision"), kvKeep);
    line.value("--sinks", "N", translate("Cli", "formula: first tokens kept beside the window (StreamingLLM)"), sinks);
    line.value("--window", "N", translate("Cli", "formula: tokens of the window (StreamingLLM; default: off)"), window);
    line.value("--offload-kv", "SIZE", translate("Cli", "KV that may live in host memory (default: 0)"), offloadKv);
}

} // namespace kvscope::cli
