<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Cli</name>
    <message>
        <source>What one scenario takes on one machine, and whether it fits</source>
        <translation>一个方案在一台机器上占用多少显存、能否放下</translation>
    </message>
    <message>
        <source>The same scenario on several machines, side by side</source>
        <translation>同一方案在多台机器上并排比较</translation>
    </message>
    <message>
        <source>Every combination of lists, as CSV, JSON lines or Markdown</source>
        <translation>各列表的所有组合，输出为 CSV、JSON 行或 Markdown</translation>
    </message>
    <message>
        <source>A model as it is understood, with each assumption made</source>
        <translation>程序所理解的模型，以及所作的每项假设</translation>
    </message>
    <message>
        <source>Search the catalogue of models</source>
        <translation>搜索模型目录</translation>
    </message>
    <message>
        <source>Search the catalogue of GPUs</source>
        <translation>搜索 GPU 目录</translation>
    </message>
    <message>
        <source>The engines, their versions and formats</source>
        <translation>推理引擎及其版本与格式</translation>
    </message>
    <message>
        <source>Where GPU memory goes before a large language model is loaded.</source>
        <translation>在加载大语言模型之前，看清显存用在哪里。</translation>
    </message>
    <message>
        <source>Usage</source>
        <translation>用法</translation>
    </message>
    <message>
        <source>COMMAND [options]</source>
        <translation>命令 [选项]</translation>
    </message>
    <message>
        <source>kvplan COMMAND --help tells the options of a command; --version the version; --lang en or zh_CN sets the language.</source>
        <translation>kvplan 命令 --help 列出该命令的选项；--version 显示版本；--lang en 或 zh_CN 设定语言。</translation>
    </message>
    <message>
        <source>Example</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>options</source>
        <translation>选项</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>General</source>
        <translation>通用</translation>
    </message>
    <message>
        <source>Show this help</source>
        <translation>显示本帮助</translation>
    </message>
    <message>
        <source>Layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>种类</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>注意力头</translation>
    </message>
    <message>
        <source>KV heads</source>
        <translation>KV 头</translation>
    </message>
    <message>
        <source>Head dim</source>
        <translation>头维度</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Parameters a layer</source>
        <translation>每层参数量</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Active for one token</source>
        <translation>每个 token 激活</translation>
    </message>
    <message>
        <source>Weights as</source>
        <translation>权重格式</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Bits a parameter</source>
        <translation>每参数位数</translation>
    </message>
    <message>
        <source>trained for %1 tokens</source>
        <translation>训练长度 %1 个 token</translation>
    </message>
    <message>
        <source>Parameters and weights as %1</source>
        <comment>weights in a format</comment>
        <translation>参数与 %1 格式的权重</translation>
    </message>
    <message>
        <source>Weights by format</source>
        <translation>各格式的权重大小</translation>
    </message>
    <message>
        <source>Measured weights: %1</source>
        <translation>实测权重：%1</translation>
    </message>
    <message>
        <source>Assumptions</source>
        <translation>假设</translation>
    </message>
    <message>
        <source>The same as WHAT</source>
        <translation>与 WHAT 相同</translation>
    </message>
    <message>
        <source>Format that the weights are counted in (default: auto, as stored)</source>
        <translation>按何种格式计算权重（默认 auto，即存储时的格式）</translation>
    </message>
    <message>
        <source>Engine whose formats are listed (default: formula)</source>
        <translation>列出哪个引擎的格式（默认 formula）</translation>
    </message>
    <message>
        <source>All of them must occur in id, name or search words; none: the whole list</source>
        <translation>须全部出现在标识、名称或搜索词中；不写则列出全部</translation>
    </message>
    <message>
        <source>%1: nothing in the list matches; try fewer or shorter words</source>
        <translation>%1：列表中没有匹配项；请减少或缩短搜索词</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>标识</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Longest context</source>
        <translation>最长上下文</translation>
    </message>
    <message>
        <source>Maker</source>
        <translation>厂商</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Bandwidth GB/s</source>
        <translation>带宽 GB/s</translation>
    </message>
    <message>
        <source>Versions with rules of their own</source>
        <translation>规则各异的版本</translation>
    </message>
    <message>
        <source>KV types</source>
        <translation>KV 类型</translation>
    </message>
    <message>
        <source>Weight formats</source>
        <translation>权重格式</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Start from a saved .kvscope file; the other options override it</source>
        <translation>以保存的 .kvscope 文件为起点，其他选项优先</translation>
    </message>
    <message>
        <source>Write the resolved scenario into a .kvscope file</source>
        <translation>把补全后的方案写入 .kvscope 文件</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>A model by hand: layers</source>
        <translation>手填模型：层数</translation>
    </message>
    <message>
        <source>A model by hand: KV heads (not attention heads)</source>
        <translation>手填模型：KV 头数（不是注意力头数）</translation>
    </message>
    <message>
        <source>A model by hand: elements of one head</source>
        <translation>手填模型：每个头的元素数</translation>
    </message>
    <message>
        <source>A model by hand: attention heads (default: as many as KV heads)</source>
        <translation>手填模型：注意力头数（默认与 KV 头数相同）</translation>
    </message>
    <message>
        <source>A model by hand: parameters, 30.53B or 135M; without them the verdict speaks of KV alone</source>
        <translation>手填模型：参数量，如 30.53B 或 135M；不填则结论只针对 KV</translation>
    </message>
    <message>
        <source>Measured weights, summed over the devices of one replica</source>
        <translation>实测权重，一个副本内各设备之和</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>transformers: eager, sdpa or flash_attention_2 (default: sdpa)</source>
        <translation>transformers：eager、sdpa 或 flash_attention_2（默认 sdpa）</translation>
    </message>
    <message>
        <source>transformers: dynamic, static, quantized or offloaded (default: dynamic)</source>
        <translation>transformers：dynamic、static、quantized 或 offloaded（默认 dynamic）</translation>
    </message>
    <message>
        <source>transformers: bits of the quantized cache (default: 4)</source>
        <translation>transformers：量化缓存的位数（默认 4）</translation>
    </message>
    <message>
        <source>transformers: tokens of the prompt; with --new-tokens instead of --context</source>
        <translation>transformers：提示词的 token 数；与 --new-tokens 一起代替 --context</translation>
    </message>
    <message>
        <source>transformers: tokens to generate; 0 is one plain forward</source>
        <translation>transformers：要生成的 token 数；0 表示只做一次前向计算</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Catalogue id, name or alias, xN for N of them, A + B for mixed cards; compare takes several</source>
        <translation>目录标识、名称或别名，xN 表示 N 块，A + B 表示混插；compare 可写多个</translation>
    </message>
    <message>
        <source>A card known only by its size; with --gpu: overrides its memory</source>
        <translation>只知道显存大小的显卡；与 --gpu 同用时取代其显存</translation>
    </message>
    <message>
        <source>Memory bandwidth in GB/s</source>
        <translation>显存带宽，单位 GB/s</translation>
    </message>
    <message>
        <source>Dense 16-bit TFLOPS</source>
        <translation>16 位稠密 TFLOPS</translation>
    </message>
    <message>
        <source>Memory on each card that others hold (default: 0)</source>
        <translation>每块卡上被其他程序占用的显存（默认 0）</translation>
    </message>
    <message>
        <source>Of the card&apos;s memory, kept free (default: 0)</source>
        <translation>每块卡保留不用的显存百分比（默认 0）</translation>
    </message>
    <message>
        <source>Memory of the host, for what stays there (default: not judged)</source>
        <translation>主机内存，用于留在主机上的部分（默认不判断）</translation>
    </message>
    <message>
        <source>Tensor parallel devices (default: 1)</source>
        <translation>张量并行设备数（默认 1）</translation>
    </message>
    <message>
        <source>Pipeline stages (default: 1)</source>
        <translation>流水线级数（默认 1）</translation>
    </message>
    <message>
        <source>Expert parallel devices (default: 1)</source>
        <translation>专家并行设备数（默认 1）</translation>
    </message>
    <message>
        <source>Replicas (default: 1)</source>
        <translation>副本数（默认 1）</translation>
    </message>
    <message>
        <source>Workload</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Tokens a sequence, prompt and answer together; 128k is 131072 (default: the model&apos;s limit, at most 32768)</source>
        <translation>每个序列的 token 数，提示词与回答合计；128k 即 131072（默认取模型上限，至多 32768）</translation>
    </message>
    <message>
        <source>Sequences held at once, over all replicas (default: 1)</source>
        <translation>同时保留的序列数，所有副本合计（默认 1）</translation>
    </message>
    <message>
        <source>Tokens that all sequences share (default: 0)</source>
        <translation>所有序列共享的 token 数（默认 0）</translation>
    </message>
    <message>
        <source>Tokens of the encoder (default: the model&apos;s)</source>
        <translation>编码器的 token 数（默认取模型的）</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Format of K and V: f16, fp8, int8, q8_0 ... (default: the engine&apos;s; formula: f16)</source>
        <translation>K 与 V 的格式：f16、fp8、int8、q8_0 等（默认由引擎决定；formula 为 f16）</translation>
    </message>
    <message>
        <source>Format of K alone</source>
        <translation>仅 K 的格式</translation>
    </message>
    <message>
        <source>Format of V alone</source>
        <translation>仅 V 的格式</translation>
    </message>
    <message>
        <source>formula: scales of INT8 and INT4 KV: none, per-tensor, per-token, per-channel or per-group:N (default: none)</source>
        <translation>formula：INT8 与 INT4 KV 的缩放因子：none、per-tensor、per-token、per-channel 或 per-group:N（默认 none）</translation>
    </message>
    <message>
        <source>formula: zero points beside the scales</source>
        <translation>formula：缩放因子之外另存零点</translation>
    </message>
    <message>
        <source>Layers that stay at the model&apos;s precision</source>
        <translation>保持模型精度的层</translation>
    </message>
    <message>
        <source>formula: first tokens kept beside the window (StreamingLLM)</source>
        <translation>formula：窗口之外保留的开头 token 数（StreamingLLM）</translation>
    </message>
    <message>
        <source>formula: tokens of the window (StreamingLLM; default: off)</source>
        <translation>formula：窗口的 token 数（StreamingLLM；默认关闭）</translation>
    </message>
    <message>
        <source>KV that may live in host memory (default: 0)</source>
        <translation>可放在主机内存中的 KV（默认 0）</translation>
    </message>
    <message>
        <source>Language of the words; codes and JSON keys never change</source>
        <translation>文字的语言；代码与 JSON 键不变</translation>
    </message>
    <message>
        <source>Unit for people: 10^9 or 2^30 bytes (default: GB); JSON is always bytes</source>
        <translation>显示单位：10^9 或 2^30 字节（默认 GB）；JSON 一律为字节</translation>
    </message>
    <message>
        <source>Print JSON</source>
        <translation>输出 JSON</translation>
    </message>
    <message>
        <source>Print each figure&apos;s rule, formula and source</source>
        <translation>列出每个数字的规则、公式与出处</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>Most sequences</source>
        <translation>最多序列数</translation>
    </message>
    <message>
        <source>--gpu: plan takes one machine; use compare for several</source>
        <translation>--gpu：plan 只接受一台机器；多台请用 compare</translation>
    </message>
    <message>
        <source>Kept free or held by others</source>
        <translation>保留或被其他程序占用</translation>
    </message>
    <message>
        <source>Missing</source>
        <translation>缺少</translation>
    </message>
    <message>
        <source>Total between %1 and %2</source>
        <translation>合计介于 %1 与 %2 之间</translation>
    </message>
    <message>
        <source>weights %1</source>
        <translation>权重 %1</translation>
    </message>
    <message>
        <source>KV %1</source>
        <translation>KV %1</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 token</translation>
    </message>
    <message>
        <source>one sequence</source>
        <translation>1 个序列</translation>
    </message>
    <message>
        <source>%1 sequences</source>
        <translation>%1 个序列</translation>
    </message>
    <message>
        <source>beyond the trained length</source>
        <translation>超出训练长度</translation>
    </message>
    <message>
        <source>Most sequences at once</source>
        <translation>最多同时序列数</translation>
    </message>
    <message>
        <source>KV cache of one token</source>
        <translation>每个 token 的 KV 缓存</translation>
    </message>
    <message>
        <source>KV cache of all sequences</source>
        <translation>全部序列的 KV 缓存</translation>
    </message>
    <message>
        <source>Widest KV type that fits</source>
        <translation>放得下的最高 KV 精度</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Fewest of these GPUs</source>
        <translation>至少需要的 GPU 数</translation>
    </message>
    <message>
        <source>How each figure came about</source>
        <translation>各数值的由来</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>出处</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <comment>a model on a machine</comment>
        <translation>%1，运行于 %2</translation>
    </message>
    <message>
        <source>The answer as a file: Markdown, HTML or CSV</source>
        <translation>把结果写成文件：Markdown、HTML 或 CSV</translation>
    </message>
    <message>
        <source>not loaded</source>
        <translation>不加载</translation>
    </message>
    <message>
        <source>Models or GPUs of your own, in the form of the catalogue; repeatable</source>
        <translation>自备的模型或 GPU 目录文件，格式同内置目录；可重复</translation>
    </message>
    <message>
        <source>File to write; its ending chooses the form: .md, .html or .csv</source>
        <translation>要写入的文件；扩展名决定形式：.md、.html 或 .csv</translation>
    </message>
    <message>
        <source>Charts and PDF: kvscope --render FILE SCENARIO</source>
        <translation>图表与 PDF：kvscope --render FILE SCENARIO</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <comment>memory needed of memory there</comment>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>All %1 GPUs hold the same</source>
        <translation>%1 块 GPU 占用相同</translation>
    </message>
    <message>
        <source>A model by hand</source>
        <translation>手填模型</translation>
    </message>
    <message>
        <source>%1 of %2 rows, about %3 s left</source>
        <translation>%1 / %2 行，约剩 %3 秒</translation>
    </message>
    <message>
        <source>JSON lines instead of CSV: an object a row</source>
        <translation>输出 JSON 行而非 CSV：每行一个对象</translation>
    </message>
    <message>
        <source>A Markdown table for people instead of CSV</source>
        <translation>输出便于阅读的 Markdown 表格而非 CSV</translation>
    </message>
    <message>
        <source>Markdown: unit of the bytes (default: GB)</source>
        <translation>Markdown：字节的单位（默认 GB）</translation>
    </message>
    <message>
        <source>Markdown: the values of this column side by side</source>
        <translation>Markdown：把该列的各个值横向排开</translation>
    </message>
    <message>
        <source>Columns to print, in this order (default: all)</source>
        <translation>要输出的列及其次序（默认全部）</translation>
    </message>
    <message>
        <source>Without the line of names</source>
        <translation>不输出列名行</translation>
    </message>
    <message>
        <source>Threads (default: all cores)</source>
        <translation>线程数（默认用全部核心）</translation>
    </message>
    <message>
        <source>Only the I-th of N parts, I from 1; the parts joined in order are the whole, the first alone has the line of names</source>
        <translation>只算 N 份中的第 I 份，I 从 1 起；各份依次相接即为全部，只有第一份有列名行</translation>
    </message>
    <message>
        <source>Columns: %1</source>
        <translation>可用的列：%1</translation>
    </message>
    <message>
        <source>interrupted after %1 of %2 rows</source>
        <translation>已中断，完成 %1 / %2 行</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU 数</translation>
    </message>
    <message>
        <source>Kept free</source>
        <translation>保留空闲</translation>
    </message>
    <message>
        <source>KV type</source>
        <translation>KV 类型</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Sequences</source>
        <translation>序列数</translation>
    </message>
    <message>
        <source>Beyond the trained length</source>
        <translation>超出训练长度</translation>
    </message>
    <message>
        <source>What limits the context</source>
        <translation>上下文受限于</translation>
    </message>
    <message>
        <source>What limits the sequences</source>
        <translation>序列数受限于</translation>
    </message>
    <message>
        <source>Lists, each as A,B,... (the first changes slowest)</source>
        <translation>列表，写作 A,B,...（靠前者变化最慢）</translation>
    </message>
    <message>
        <source>Models as for --model, or by hand as [NAME=]LAYERSxKVHEADSxHEADDIM[@PARAMETERS]: 8B=32x8x128@8.03B</source>
        <translation>模型，写法同 --model；或手填为 [名称=]层数xKV头数x头维度[@参数量]：8B=32x8x128@8.03B</translation>
    </message>
    <message>
        <source>Formats of the weights</source>
        <translation>权重格式</translation>
    </message>
    <message>
        <source>Engines, as NAME[@VERSION]</source>
        <translation>引擎，写作 名称[@版本]</translation>
    </message>
    <message>
        <source>GPUs or machines, as for --gpu</source>
        <translation>GPU 或机器，写法同 --gpu</translation>
    </message>
    <message>
        <source>Sizes of memory, alone or instead of each GPU&apos;s own</source>
        <translation>显存大小，单独使用或取代各 GPU 自身的显存</translation>
    </message>
    <message>
        <source>Percent of the memory kept free</source>
        <translation>保留不用的显存百分比</translation>
    </message>
    <message>
        <source>Formats of K and V</source>
        <translation>K 与 V 的格式</translation>
    </message>
    <message>
        <source>Tokens a sequence</source>
        <translation>每个序列的 token 数</translation>
    </message>
    <message>
        <source>Sequences held at once</source>
        <translation>同时保留的序列数</translation>
    </message>
    <message>
        <source>Stored as</source>
        <translation>存储为</translation>
    </message>
    <message>
        <source>Tensors</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>Measured weights: %1, %2 bits a parameter</source>
        <translation>实测权重：%1，每参数 %2 位</translation>
    </message>
    <message>
        <source>Catalogue id, Hugging Face id, config.json, GGUF file, model folder or safetensors index; - reads from standard input</source>
        <translation>目录 id、Hugging Face id、config.json、GGUF 文件、模型文件夹或 safetensors 索引；- 表示从标准输入读取</translation>
    </message>
    <message>
        <source>Format of the weights: auto, bf16, fp8, int4, awq, q4_k_m ... (default: auto, as the engine would load them)</source>
        <translation>权重格式：auto、bf16、fp8、int4、awq、q4_k_m 等（默认：auto，即引擎加载时的格式）</translation>
    </message>
    <message>
        <source>formula (theory), transformers, vllm, sglang, llama.cpp, ollama or tensorrt-llm; VERSION is a release, a build or a date; compare takes several (default: formula; newest version)</source>
        <translation>formula（理论值）、transformers、vllm、sglang、llama.cpp、ollama 或 tensorrt-llm；VERSION 是发行版、构建号或日期；compare 可以给多个（默认：formula；最新版本）</translation>
    </message>
    <message>
        <source>llama.cpp and Ollama</source>
        <translation>llama.cpp 和 Ollama</translation>
    </message>
    <message>
        <source>Cells of all slots together, as -c (default: context x slots)</source>
        <translation>所有槽位合计的单元数，即 -c（默认：上下文 x 槽位数）</translation>
    </message>
    <message>
        <source>Slots; auto: four over one shared cache (default: as many as --batch)</source>
        <translation>槽位数；auto：四个共用一个缓存（默认：与 --batch 相同）</translation>
    </message>
    <message>
        <source>One cache for all slots (default: off, on with --parallel auto)</source>
        <translation>所有槽位共用一个缓存（默认：off；--parallel auto 时为 on）</translation>
    </message>
    <message>
        <source>Logical batch, tokens (default: by engine and version)</source>
        <translation>逻辑批，token 数（默认：由引擎和版本决定）</translation>
    </message>
    <message>
        <source>Physical batch, tokens (default: by engine and version)</source>
        <translation>物理批，token 数（默认：由引擎和版本决定）</translation>
    </message>
    <message>
        <source>Layers on the GPUs, the output counts as one (default: all)</source>
        <translation>放在 GPU 上的层数，输出层算一层（默认：全部）</translation>
    </message>
    <message>
        <source>Flash attention (default: by version)</source>
        <translation>FlashAttention（默认：由版本决定）</translation>
    </message>
    <message>
        <source>Windowed layers keep every token</source>
        <translation>滑动窗口层保留每个 token</translation>
    </message>
    <message>
        <source>The cache stays in host memory</source>
        <translation>缓存留在主机内存</translation>
    </message>
    <message>
        <source>All experts stay in host memory</source>
        <translation>所有专家留在主机内存</translation>
    </message>
    <message>
        <source>Experts of the first N layers stay in host memory</source>
        <translation>前 N 层的专家留在主机内存</translation>
    </message>
    <message>
        <source>Shares of the GPUs (default: by free memory)</source>
        <translation>各 GPU 的份额（默认：按空闲显存）</translation>
    </message>
    <message>
        <source>cuda, rocm, vulkan, metal, rpc or cpu (default: by the device&apos;s vendor)</source>
        <translation>cuda、rocm、vulkan、metal、rpc 或 cpu（默认：由设备厂商决定）</translation>
    </message>
    <message>
        <source>vLLM, SGLang and TensorRT-LLM</source>
        <translation>vLLM、SGLang 和 TensorRT-LLM</translation>
    </message>
    <message>
        <source>vLLM: share of the card that it takes (default: by version)</source>
        <translation>vLLM：占用显卡的比例（默认：由版本决定）</translation>
    </message>
    <message>
        <source>SGLang: share for weights and pool (default: by card and version)</source>
        <translation>SGLang：权重和缓存池的比例（默认：由显卡和版本决定）</translation>
    </message>
    <message>
        <source>TensorRT-LLM: share of what is free for the pool (default: by version)</source>
        <translation>TensorRT-LLM：空闲显存中用作缓存池的比例（默认：由版本决定）</translation>
    </message>
    <message>
        <source>Tokens of a block (default: by engine, version and model)</source>
        <translation>一个块的 token 数（默认：由引擎、版本和模型决定）</translation>
    </message>
    <message>
        <source>Tokens of one step; 32k is 32768 here, vLLM reads 32,000</source>
        <translation>一步的 token 数；这里 32k 是 32768，vLLM 读作 32,000</translation>
    </message>
    <message>
        <source>Sequences of one step (default: by card and version)</source>
        <translation>一步的序列数（默认：由显卡和版本决定）</translation>
    </message>
    <message>
        <source>No CUDA graphs</source>
        <translation>不用 CUDA graph</translation>
    </message>
    <message>
        <source>Prefix caching (default: by version and model)</source>
        <translation>前缀缓存（默认：由版本和模型决定）</translation>
    </message>
    <message>
        <source>Tokens that speculation drafts (default: 0)</source>
        <translation>投机解码的草稿 token 数（默认：0）</translation>
    </message>
    <message>
        <source>Measured KV budget of one rank, instead of the estimate</source>
        <translation>一个 rank 实测的 KV 预算，代替估计值</translation>
    </message>
    <message>
        <source>Rest</source>
        <translation>其余</translation>
    </message>
    <message>
        <source>%1 against the theory, on the device that binds:</source>
        <comment>an engine</comment>
        <translation>%1 与理论值相比，在起决定作用的设备上：</translation>
    </message>
    <message>
        <source>--engine: plan takes one engine; use compare for several</source>
        <translation>--engine：plan 只接受一个引擎；多个引擎请用 compare</translation>
    </message>
    <message>
        <source>The same scenario on several machines and engines, side by side</source>
        <translation>同一场景在多台机器、多个引擎上并列比较</translation>
    </message>
    <message>
        <source>%1 itself would print:</source>
        <comment>an engine</comment>
        <translation>%1 自身会输出：</translation>
    </message>
    <message>
        <source>surely up to</source>
        <translation>确定可到</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>切分</translation>
    </message>
    <message>
        <source>A model that drafts them, as for --model (default: the model&apos;s own layers)</source>
        <translation>起草 token 的模型，写法同 --model（默认：模型自带的层）</translation>
    </message>
    <message>
        <source>SGLang: the replicas of attention lie within the tensor-parallel group</source>
        <translation>SGLang：注意力副本位于张量并行组之内</translation>
    </message>
    <message>
        <source>vLLM: tensor-parallel devices over which a sequence&apos;s tokens are spread (default: 1)</source>
        <translation>vLLM：一个序列的 token 分布在多少个张量并行设备上（默认：1）</translation>
    </message>
    <message>
        <source>Machines, with equally many of the GPUs each (default: 1)</source>
        <translation>机器数，每台 GPU 数相同（默认：1）</translation>
    </message>
    <message>
        <source>What joins the GPUs of a machine (default: what the card has)</source>
        <translation>机器内 GPU 之间的互连（默认：按显卡）</translation>
    </message>
</context>
<context>
    <name>chartexport</name>
    <message>
        <source>weights %1 (measured)</source>
        <translation>权重 %1（实测）</translation>
    </message>
    <message>
        <source>weights %1</source>
        <translation>权重 %1</translation>
    </message>
    <message>
        <source>KV %1</source>
        <translation>KV %1</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 token</translation>
    </message>
    <message>
        <source>the picture could not be drawn</source>
        <translation>无法绘制图片</translation>
    </message>
    <message>
        <source>the printer could not be started</source>
        <translation>无法启动打印机</translation>
    </message>
    <message numerus="yes">
        <source>%n sequence(s)</source>
        <translation>
            <numerusform>%n 个序列</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvscope</name>
    <message>
        <source>The last session could not be read and was set aside as %1: %2</source>
        <translation>无法读取上次的会话，已另存为 %1：%2</translation>
    </message>
</context>
<context>
    <name>kvscope::AboutDialog</name>
    <message>
        <source>About KVScope</source>
        <translation>关于 KVScope</translation>
    </message>
    <message>
        <source>Where the GPU memory goes before a large language model is loaded.</source>
        <translation>在加载大语言模型之前，看清显存的去向。</translation>
    </message>
    <message>
        <source>Free software under the GNU General Public License, version 3 or later. No warranty.</source>
        <translation>自由软件，遵循 GNU 通用公共许可证第 3 版或更新版本。不提供任何担保。</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>Catalogue: %1 models, %2 GPUs</source>
        <translation>目录：%1 个模型，%2 种 GPU</translation>
    </message>
</context>
<context>
    <name>kvscope::AdvancedInputs</name>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Kept free</source>
        <translation>保留空闲</translation>
    </message>
    <message>
        <source>In use by others</source>
        <translation>其他程序占用</translation>
    </message>
    <message>
        <source>Host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>Measured weights</source>
        <translation>实测权重</translation>
    </message>
    <message>
        <source>KV in host memory</source>
        <translation>主机内存中的 KV</translation>
    </message>
    <message>
        <source>Shared prefix</source>
        <translation>共享前缀</translation>
    </message>
    <message>
        <source>Encoder length</source>
        <translation>编码器长度</translation>
    </message>
    <message>
        <source>First layers kept wide</source>
        <translation>保持高精度的前几层</translation>
    </message>
    <message>
        <source>Last layers kept wide</source>
        <translation>保持高精度的后几层</translation>
    </message>
    <message>
        <source>Scales of INT8 / INT4</source>
        <translation>INT8 / INT4 的缩放因子</translation>
    </message>
    <message>
        <source>Group size</source>
        <translation>分组大小</translation>
    </message>
    <message>
        <source>Attention sinks</source>
        <translation>注意力汇 (sinks)</translation>
    </message>
    <message>
        <source>Streaming window</source>
        <translation>流式窗口</translation>
    </message>
    <message>
        <source>Attention kernel</source>
        <translation>注意力内核</translation>
    </message>
    <message>
        <source>Cache class</source>
        <translation>缓存类型</translation>
    </message>
    <message>
        <source>Cache bits</source>
        <translation>缓存位数</translation>
    </message>
    <message>
        <source>New tokens</source>
        <translation>新生成的 token</translation>
    </message>
    <message>
        <source>not set</source>
        <translation>未设置</translation>
    </message>
    <message>
        <source>Zero points too</source>
        <translation>含零点</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>per tensor</source>
        <translation>按张量</translation>
    </message>
    <message>
        <source>per token</source>
        <translation>按 token</translation>
    </message>
    <message>
        <source>per channel</source>
        <translation>按通道</translation>
    </message>
    <message>
        <source>per group</source>
        <translation>按组</translation>
    </message>
    <message>
        <source>Share of the card&apos;s memory kept free on top of what the engine keeps</source>
        <translation>在引擎保留的部分之外，额外保持空闲的显存比例</translation>
    </message>
    <message>
        <source>The engine&apos;s own settings, reserve, host memory and shared prefix</source>
        <translation>引擎自身的设置、预留、主机内存和共享前缀</translation>
    </message>
    <message>
        <source>ALL ENGINES</source>
        <translation>所有引擎</translation>
    </message>
    <message>
        <source>default</source>
        <translation>默认</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>How attention is computed: decides what it needs beside the cache</source>
        <translation>注意力的计算方式：决定缓存之外还需要多少显存</translation>
    </message>
    <message>
        <source>Which cache object generate() makes</source>
        <translation>generate() 创建哪种缓存对象</translation>
    </message>
    <message>
        <source>Bits of each element of the quantized cache</source>
        <translation>量化缓存中每个元素的位数</translation>
    </message>
    <message>
        <source>Tokens generated, part of the context; 0 is one plain forward pass. Not set: the worse of both ends</source>
        <translation>生成的 token 数，包含在上下文内；0 表示单次前向计算。未设置：取两种极端中较差者</translation>
    </message>
    <message>
        <source>What a KV cache in INT8 or INT4 carries beside its bits</source>
        <translation>INT8 或 INT4 的 KV 缓存在数据位之外附带的内容</translation>
    </message>
    <message>
        <source>Elements that share a scale</source>
        <translation>共用一个缩放因子的元素个数</translation>
    </message>
    <message>
        <source>A zero point beside each scale</source>
        <translation>每个缩放因子附带一个零点</translation>
    </message>
    <message>
        <source>First tokens that a streaming window keeps</source>
        <translation>流式窗口始终保留的前几个 token</translation>
    </message>
    <message>
        <source>Only this many of the last tokens stay in the cache</source>
        <translation>缓存中只保留最近的这么多 token</translation>
    </message>
    <message>
        <source>GPU layers</source>
        <translation>GPU 层数</translation>
    </message>
    <message>
        <source>Layers on the GPU, the output layer counted last; the others and their cache stay in host memory</source>
        <translation>放在 GPU 上的层数，输出层计为最后一层；其余各层及其缓存留在主机内存</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>Experts on the host</source>
        <translation>主机上的专家层</translation>
    </message>
    <message>
        <source>Layers whose routed experts stay in host memory, counted from the first</source>
        <translation>从第一层数起，路由专家留在主机内存的层数</translation>
    </message>
    <message>
        <source>Tensor split</source>
        <translation>张量切分比例</translation>
    </message>
    <message>
        <source>How the layers are divided over the GPUs, a number for each, like 3,1. Not set: by free memory</source>
        <translation>各层在 GPU 之间的分配比例，每块 GPU 一个数，如 3,1。未设置：按空闲显存</translation>
    </message>
    <message>
        <source>by free memory</source>
        <translation>按空闲显存</translation>
    </message>
    <message>
        <source>KV cache on the host</source>
        <translation>KV 缓存放在主机</translation>
    </message>
    <message>
        <source>The whole cache stays in host memory</source>
        <translation>整个缓存留在主机内存</translation>
    </message>
    <message>
        <source>Context of all slots</source>
        <translation>所有槽位的上下文</translation>
    </message>
    <message>
        <source>Cells of the cache that all slots share out. Not set: context times slots</source>
        <translation>所有槽位共分的缓存单元数。未设置：上下文 × 槽位数</translation>
    </message>
    <message>
        <source>Automatic slots</source>
        <translation>自动槽位</translation>
    </message>
    <message>
        <source>Four slots over one unified cache</source>
        <translation>四个槽位共用一个统一缓存</translation>
    </message>
    <message>
        <source>Slots</source>
        <translation>槽位数</translation>
    </message>
    <message>
        <source>Sequences that memory is set aside for. Not set: the concurrency</source>
        <translation>预留内存的序列数。未设置：等于并发数</translation>
    </message>
    <message>
        <source>Unified KV cache</source>
        <translation>统一 KV 缓存</translation>
    </message>
    <message>
        <source>One cache for all slots instead of one each</source>
        <translation>所有槽位共用一个缓存，而不是各有一个</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Most tokens of a prompt that are submitted at once</source>
        <translation>一次提交的提示词 token 数上限</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批大小</translation>
    </message>
    <message>
        <source>Tokens that are computed at once: sets the size of the compute buffers</source>
        <translation>一次计算的 token 数：决定计算缓冲区的大小</translation>
    </message>
    <message>
        <source>Flash attention</source>
        <translation>FlashAttention</translation>
    </message>
    <message>
        <source>Off: larger compute buffers, and no quantised V</source>
        <translation>关闭时计算缓冲区更大，且 V 不能量化</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Full-size windowed cache</source>
        <translation>滑动窗口层完整缓存</translation>
    </message>
    <message>
        <source>Layers with a sliding window cache every token</source>
        <translation>滑动窗口层缓存每个 token</translation>
    </message>
    <message>
        <source>Backend</source>
        <translation>后端</translation>
    </message>
    <message>
        <source>What computes: decides how buffers are padded and what lies outside them</source>
        <translation>由什么计算：决定缓冲区如何对齐，以及缓冲区之外的占用</translation>
    </message>
    <message>
        <source>by the GPU</source>
        <translation>按 GPU</translation>
    </message>
    <message>
        <source>Memory fraction</source>
        <translation>显存比例</translation>
    </message>
    <message>
        <source>Share of the GPU&apos;s memory that the engine plans with</source>
        <translation>引擎可以使用的显存比例</translation>
    </message>
    <message>
        <source>Most sequences at once</source>
        <translation>同时运行的序列上限</translation>
    </message>
    <message>
        <source>What comes beyond waits in the queue</source>
        <translation>超出的请求在队列中等待</translation>
    </message>
    <message>
        <source>Batched tokens</source>
        <translation>每步 token 数</translation>
    </message>
    <message>
        <source>Most tokens of one step: sets the activation peak</source>
        <translation>单步处理的 token 上限：决定激活峰值</translation>
    </message>
    <message>
        <source>Block size</source>
        <translation>块大小</translation>
    </message>
    <message>
        <source>Tokens that the cache is handed out in</source>
        <translation>缓存按多少个 token 一块分配</translation>
    </message>
    <message>
        <source>Prefix caching</source>
        <translation>前缀缓存</translation>
    </message>
    <message>
        <source>Blocks of finished prompts are kept for others that begin alike</source>
        <translation>保留已处理提示词的块，供开头相同的请求复用</translation>
    </message>
    <message>
        <source>Draft tokens</source>
        <translation>草稿 token 数</translation>
    </message>
    <message>
        <source>Tokens that speculative decoding looks ahead</source>
        <translation>推测解码预先生成的 token 数</translation>
    </message>
    <message>
        <source>No CUDA graphs</source>
        <translation>不用 CUDA 图</translation>
    </message>
    <message>
        <source>Every step is launched kernel by kernel: slower, and no memory for graphs</source>
        <translation>每一步逐个启动内核：较慢，但不占用图的显存</translation>
    </message>
    <message>
        <source>Measured KV budget</source>
        <translation>实测 KV 预算</translation>
    </message>
    <message>
        <source>KV cache of one rank as the engine&apos;s log says; takes the place of the estimate</source>
        <translation>引擎日志中单个 rank 的 KV 缓存；取代估计值</translation>
    </message>
    <message>
        <source>estimated</source>
        <translation>估计值</translation>
    </message>
    <message>
        <source>Measured activations</source>
        <translation>实测激活</translation>
    </message>
    <message>
        <source>Activation peak of one rank as measured; takes the place of the estimate</source>
        <translation>单个 rank 的实测激活峰值；取代估计值</translation>
    </message>
    <message>
        <source>Measured CUDA graphs</source>
        <translation>实测 CUDA 图</translation>
    </message>
    <message>
        <source>CUDA graphs of one rank as measured; takes the place of the estimate</source>
        <translation>单个 rank 的实测 CUDA 图占用；取代估计值</translation>
    </message>
    <message>
        <source>Measured runtime</source>
        <translation>实测运行时占用</translation>
    </message>
    <message>
        <source>Driver context and libraries of one rank as measured; takes the place of the estimate</source>
        <translation>单个 rank 的驱动上下文和库的实测占用；取代估计值</translation>
    </message>
    <message>
        <source>Memory of each card that other programs hold</source>
        <translation>每块卡上被其他程序占用的显存</translation>
    </message>
    <message>
        <source>Memory of the machine beside its GPUs. Not set: not judged</source>
        <translation>机器除显存之外的内存。未设置：不参与判断</translation>
    </message>
    <message>
        <source>Weights of one replica as measured; takes the place of the estimate</source>
        <translation>单个副本的实测权重；取代估计值</translation>
    </message>
    <message>
        <source>KV cache that may live in host memory</source>
        <translation>可以放在主机内存的 KV 缓存</translation>
    </message>
    <message>
        <source>First tokens that all sequences share</source>
        <translation>所有序列共享的开头 token 数</translation>
    </message>
    <message>
        <source>Tokens that the encoder gives to cross attention</source>
        <translation>编码器提供给交叉注意力的 token 数</translation>
    </message>
    <message>
        <source>First layers whose cache stays at the model&apos;s precision</source>
        <translation>缓存保持模型精度的前几层</translation>
    </message>
    <message>
        <source>Last layers whose cache stays at the model&apos;s precision</source>
        <translation>缓存保持模型精度的后几层</translation>
    </message>
</context>
<context>
    <name>kvscope::Banner</name>
    <message>
        <source>Close the message</source>
        <translation>关闭消息</translation>
    </message>
</context>
<context>
    <name>kvscope::BoundaryChart</name>
    <message>
        <source>Fit / OOM boundary</source>
        <translation>放得下 / 溢出边界</translation>
    </message>
    <message>
        <source>drag the point to move context and concurrency</source>
        <translation>拖动圆点可调整上下文和并发数</translation>
    </message>
    <message>
        <source>most sequences that fit at each context</source>
        <translation>各上下文长度下最多能容纳的序列数</translation>
    </message>
    <message>
        <source>At %1 tokens and %2 sequences on %3: %4; at most %5 sequences at this context, at most %6 tokens at this concurrency.</source>
        <translation>%3 上 %1 token、%2 个序列：%4；此上下文下最多 %5 个序列，此并发数下最多 %6 token。</translation>
    </message>
    <message>
        <source>context (tokens)</source>
        <translation>上下文 (token)</translation>
    </message>
    <message>
        <source>%1 (most sequences)</source>
        <translation>%1（最多序列数）</translation>
    </message>
    <message>
        <source>context per sequence (tokens)</source>
        <translation>每个序列的上下文 (token)</translation>
    </message>
    <message>
        <source>concurrency (sequences at once)</source>
        <translation>并发数（同时的序列数）</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>显存溢出</translation>
    </message>
    <message>
        <source>fits on %1</source>
        <translation>%1 放得下</translation>
    </message>
    <message>
        <source>%1 tokens: at most</source>
        <translation>%1 token：最多</translation>
    </message>
    <message numerus="yes">
        <source>%n sequence(s)</source>
        <translation>
            <numerusform>%n 个序列</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>now: %n sequence(s)</source>
        <translation>
            <numerusform>当前：%n 个序列</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>kvscope::CardArea</name>
    <message>
        <source>Cards in one place</source>
        <translation>同一位置的卡片</translation>
    </message>
</context>
<context>
    <name>kvscope::ChartCard</name>
    <message>
        <source>by precision</source>
        <translation>按精度</translation>
    </message>
    <message>
        <source>by GPU</source>
        <translation>按 GPU</translation>
    </message>
    <message>
        <source>Lines of %1</source>
        <comment>title of a chart</comment>
        <translation>“%1”的曲线</translation>
    </message>
    <message>
        <source>Menu of %1</source>
        <comment>title of a chart</comment>
        <translation>“%1”的菜单</translation>
    </message>
    <message>
        <source>Copy, export, print</source>
        <translation>复制、导出、打印</translation>
    </message>
    <message>
        <source>Copy &amp;picture</source>
        <translation>复制图片(&amp;P)</translation>
    </message>
    <message>
        <source>Copy &amp;data</source>
        <translation>复制数据(&amp;D)</translation>
    </message>
    <message>
        <source>Show as &amp;table…</source>
        <translation>以表格显示(&amp;T)…</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
    <message>
        <source>P&amp;rint…</source>
        <translation>打印(&amp;R)…</translation>
    </message>
    <message>
        <source>Copied the picture.</source>
        <translation>已复制图片。</translation>
    </message>
    <message>
        <source>Copied the data.</source>
        <translation>已复制数据。</translation>
    </message>
    <message>
        <source>Export %1</source>
        <comment>title of a chart</comment>
        <translation>导出“%1”</translation>
    </message>
    <message>
        <source>Wrote %1.</source>
        <comment>path of a file</comment>
        <translation>已写入 %1。</translation>
    </message>
</context>
<context>
    <name>kvscope::CompareChart</name>
    <message>
        <source>GPUs side by side</source>
        <translation>GPU 对比</translation>
    </message>
    <message>
        <source>memory of the fullest GPU by part, same model, same load</source>
        <translation>占用最多的 GPU 的显存构成，模型与负载相同</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>a GPU and whether it fits</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>; </source>
        <comment>between GPUs in a list</comment>
        <translation>；</translation>
    </message>
    <message>
        <source>pinned: %1</source>
        <comment>name of a GPU</comment>
        <translation>已固定：%1</translation>
    </message>
    <message>
        <source>memory (%1)</source>
        <translation>显存 (%1)</translation>
    </message>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>usable</source>
        <translation>可用</translation>
    </message>
</context>
<context>
    <name>kvscope::CompareModel</name>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>free
%1</source>
        <comment>head of a column, %1 is a unit</comment>
        <translation>剩余
%1</translation>
    </message>
    <message>
        <source>max
context</source>
        <translation>最大
上下文</translation>
    </message>
    <message>
        <source>max
sequences</source>
        <translation>最大
序列数</translation>
    </message>
    <message>
        <source>memory
used</source>
        <translation>显存
占用</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>Against the formula:</source>
        <translation>与理论公式相比：</translation>
    </message>
    <message>
        <source>the theory, which the others are held against</source>
        <translation>理论值，其他引擎以此为参照</translation>
    </message>
    <message>
        <source>weights</source>
        <comment>why engines differ</comment>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV precision</source>
        <comment>why engines differ</comment>
        <translation>KV 精度</translation>
    </message>
    <message>
        <source>whole blocks</source>
        <comment>why engines differ</comment>
        <translation>整块取整</translation>
    </message>
    <message>
        <source>window rule and copies</source>
        <comment>why engines differ</comment>
        <translation>窗口规则与副本</translation>
    </message>
    <message>
        <source>state precision</source>
        <comment>why engines differ</comment>
        <translation>状态精度</translation>
    </message>
    <message>
        <source>activations</source>
        <comment>why engines differ</comment>
        <translation>激活</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <comment>why engines differ</comment>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>runtime</source>
        <comment>why engines differ</comment>
        <translation>运行时</translation>
    </message>
    <message>
        <source>reserved KV, unused</source>
        <comment>why engines differ</comment>
        <translation>预留未用的 KV</translation>
    </message>
    <message>
        <source>as the theory</source>
        <translation>与理论值相同</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>引擎</translation>
    </message>
</context>
<context>
    <name>kvscope::ComparePanel</name>
    <message>
        <source>The comparison is copied</source>
        <translation>已复制对比表</translation>
    </message>
    <message>
        <source>Export the comparison</source>
        <translation>导出对比</translation>
    </message>
    <message>
        <source>CSV (*.csv);;Markdown (*.md);;HTML (*.html);;Pictures (*.svg *.pdf *.png)</source>
        <translation>CSV (*.csv);;Markdown (*.md);;HTML (*.html);;图片 (*.svg *.pdf *.png)</translation>
    </message>
    <message>
        <source>GPUs side by side</source>
        <translation>GPU 对比</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>same model, same load</source>
        <translation>模型与负载相同</translation>
    </message>
    <message>
        <source>Copy, export or print the comparison</source>
        <translation>复制、导出或打印对比</translation>
    </message>
    <message>
        <source>&amp;Copy the table</source>
        <translation>复制表格(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation>打印(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Remove the selected GPU</source>
        <translation>移除所选 GPU(&amp;R)</translation>
    </message>
    <message>
        <source>Engines &amp;side by side</source>
        <translation>引擎对比(&amp;S)</translation>
    </message>
    <message>
        <source>same model, same load; below each engine what it takes beyond the theory</source>
        <translation>模型与负载相同；每个引擎下方为其超出理论值的部分</translation>
    </message>
    <message>
        <source>+ GPU</source>
        <translation>+ GPU</translation>
    </message>
    <message>
        <source>Add a GPU, or several alike, to the comparison</source>
        <translation>在对比中添加一块或多块相同的 GPU</translation>
    </message>
    <message>
        <source>+ Engine</source>
        <translation>+ 引擎</translation>
    </message>
    <message>
        <source>Choose the engines that are compared beside the scenario&apos;s own</source>
        <translation>选择与当前引擎并列对比的引擎</translation>
    </message>
</context>
<context>
    <name>kvscope::DevicePicker</name>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>Vendor</source>
        <translation>厂商</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Bandwidth</source>
        <translation>带宽</translation>
    </message>
    <message>
        <source>+ Add</source>
        <translation>+ 添加</translation>
    </message>
    <message>
        <source>Add a GPU</source>
        <translation>添加 GPU</translation>
    </message>
    <message>
        <source>Add a GPU, or several alike, to the comparison</source>
        <translation>在对比中添加一块或多块相同的 GPU</translation>
    </message>
    <message numerus="yes">
        <source>Search %n GPUs by name or maker</source>
        <translation>
            <numerusform>按名称或厂商搜索 %n 种 GPU</numerusform>
        </translation>
    </message>
    <message>
        <source>Search GPUs</source>
        <translation>搜索 GPU</translation>
    </message>
    <message>
        <source>GPUs found</source>
        <translation>找到的 GPU</translation>
    </message>
    <message>
        <source>How &amp;many:</source>
        <translation>数量(&amp;M)：</translation>
    </message>
    <message>
        <source>A card of any &amp;size:</source>
        <translation>任意大小的显卡(&amp;S)：</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add a card of this size</source>
        <translation>添加该大小的显卡</translation>
    </message>
</context>
<context>
    <name>kvscope::DeviceRows</name>
    <message>
        <source>Host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>Memory of each GPU and the host</source>
        <translation>各 GPU 与主机的内存</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>The verdict is decided here</source>
        <translation>结论由它决定</translation>
    </message>
    <message>
        <source>each holds the same, as the bar shows</source>
        <translation>每块占用相同，如上方条形所示</translation>
    </message>
    <message>
        <source>%1: each holds the same, as the bar shows</source>
        <translation>%1：每块占用相同，如上方条形所示</translation>
    </message>
</context>
<context>
    <name>kvscope::DraftField</name>
    <message>
        <source>Draft model %1</source>
        <translation>草稿模型 %1</translation>
    </message>
    <message>
        <source>none</source>
        <comment>no draft model</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>Draft with no other model</source>
        <translation>不使用其他模型起草</translation>
    </message>
</context>
<context>
    <name>kvscope::EngineLogPanel</name>
    <message>
        <source>The formula alone prints nothing: choose the engine that will run the model.</source>
        <translation>理论公式本身不输出日志：请选择要运行模型的引擎。</translation>
    </message>
    <message>
        <source>This engine has nothing to print for this setting.</source>
        <translation>在此设置下引擎没有可输出的内容。</translation>
    </message>
    <message>
        <source>As the engine prints it</source>
        <translation>引擎日志对照</translation>
    </message>
    <message>
        <source>Copy the lines</source>
        <translation>复制这些行</translation>
    </message>
    <message>
        <source>The lines are copied</source>
        <translation>已复制这些行</translation>
    </message>
    <message>
        <source>&amp;Copy all lines</source>
        <translation>复制所有行(&amp;C)</translation>
    </message>
    <message>
        <source>The plan in the lines of the engine&apos;s log</source>
        <translation>以引擎日志的格式显示的规划结果</translation>
    </message>
</context>
<context>
    <name>kvscope::ExplainPanel</name>
    <message>
        <source>The formula is copied</source>
        <translation>已复制公式</translation>
    </message>
    <message>
        <source>All formulas are copied</source>
        <translation>已复制全部公式</translation>
    </message>
    <message>
        <source>How it adds up</source>
        <translation>计算过程</translation>
    </message>
    <message>
        <source>each figure with its rule, formula and source</source>
        <translation>每个数值的规则、公式和出处</translation>
    </message>
    <message>
        <source>Copy formulas</source>
        <translation>复制公式</translation>
    </message>
    <message>
        <source>&amp;Copy this formula</source>
        <translation>复制此公式(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;all formulas</source>
        <translation>复制全部公式(&amp;A)</translation>
    </message>
    <message>
        <source>Formulas and sources</source>
        <translation>公式与出处</translation>
    </message>
</context>
<context>
    <name>kvscope::GrowthChart</name>
    <message>
        <source>KV growth</source>
        <translation>KV 增长</translation>
    </message>
    <message numerus="yes">
        <source>memory of the fullest GPU over context, %n sequence(s)</source>
        <translation>
            <numerusform>占用最多的 GPU 的显存随上下文的变化，%n 个序列</numerusform>
        </translation>
    </message>
    <message>
        <source>Memory over context on %1: %2 at %3 tokens of %4 usable; no context runs out of memory.</source>
        <translation>%1 上显存随上下文的变化：%3 token 时占用 %2，可用 %4；任何上下文都不会溢出。</translation>
    </message>
    <message>
        <source>Memory over context on %1: %2 at %3 tokens of %4 usable; out of memory beyond %5 tokens.</source>
        <translation>%1 上显存随上下文的变化：%3 token 时占用 %2，可用 %4；超过 %5 token 即溢出。</translation>
    </message>
    <message>
        <source>context (tokens)</source>
        <translation>上下文 (token)</translation>
    </message>
    <message>
        <source>needed</source>
        <translation>所需</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>context per sequence (tokens)</source>
        <translation>每个序列的上下文 (token)</translation>
    </message>
    <message>
        <source>memory (%1)</source>
        <translation>显存 (%1)</translation>
    </message>
    <message>
        <source>%1: %2 usable</source>
        <comment>name of a GPU, its memory</comment>
        <translation>%1：可用 %2</translation>
    </message>
    <message>
        <source>%1 tokens fit</source>
        <translation>可容纳 %1 token</translation>
    </message>
    <message>
        <source>out of memory</source>
        <translation>显存溢出</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 token</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <comment>name of a GPU</comment>
        <translation>
            <numerusform>%1 及另外 %n 个</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 usable</source>
        <translation>可用 %1</translation>
    </message>
    <message>
        <source>%1: KV pool full at %2</source>
        <comment>name of a GPU, its memory</comment>
        <translation>%1：占用 %2 时 KV 池用满</translation>
    </message>
    <message>
        <source>pool full at %1</source>
        <translation>%1 时 KV 池用满</translation>
    </message>
</context>
<context>
    <name>kvscope::HandModelDialog</name>
    <message>
        <source>A model from its numbers</source>
        <translation>按参数填写模型</translation>
    </message>
    <message>
        <source>&amp;Layers</source>
        <translation>层数(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;KV heads</source>
        <translation>KV 头(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Head dim</source>
        <translation>头维度(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Attention heads</source>
        <translation>注意力头(&amp;A)</translation>
    </message>
    <message>
        <source>same as KV heads</source>
        <translation>与 KV 头相同</translation>
    </message>
    <message>
        <source>&amp;Parameters</source>
        <translation>参数量(&amp;P)</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>Without them no weights are counted, and the verdict speaks of the KV cache alone</source>
        <translation>不填则不计权重，结论只针对 KV 缓存</translation>
    </message>
    <message>
        <source>Layers, KV heads and head dim are needed</source>
        <translation>需要填写层数、KV 头和头维度</translation>
    </message>
    <message>
        <source>%1 · %2 a token at %3</source>
        <translation>%1 · 每 token %2 (%3)</translation>
    </message>
</context>
<context>
    <name>kvscope::HardwareInputs</name>
    <message>
        <source>%1 has %2</source>
        <translation>%1 有 %2</translation>
    </message>
    <message>
        <source>as marketed; the driver&apos;s figure is not known</source>
        <translation>标称值；驱动报告的数值未知</translation>
    </message>
    <message>
        <source>as the driver reports; %1 usable</source>
        <translation>驱动报告值；可用 %1</translation>
    </message>
    <message>
        <source>as the driver reports</source>
        <translation>驱动报告值</translation>
    </message>
    <message>
        <source>HARDWARE</source>
        <translation>硬件</translation>
    </message>
    <message>
        <source>&amp;GPU memory</source>
        <translation>显存(&amp;G)</translation>
    </message>
    <message>
        <source>Memory of the selected GPU</source>
        <translation>所选 GPU 的显存</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Memory of the selected GPU, each card of it</source>
        <translation>所选 GPU 每块卡的显存</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reset the memory to the catalogue&apos;s figure</source>
        <translation>将显存重置为目录中的数值</translation>
    </message>
    <message>
        <source>GPUs compared</source>
        <translation>对比的 GPU</translation>
    </message>
</context>
<context>
    <name>kvscope::KeysDialog</name>
    <message>
        <source>Keys and gestures</source>
        <translation>按键与手势</translation>
    </message>
    <message>
        <source>Drag a slider, turn the wheel over it, or press an arrow key: one stop. With Shift: finely.</source>
        <translation>拖动滑块、在其上滚动滚轮或按方向键：移动一档。按住 Shift：微调。</translation>
    </message>
    <message>
        <source>Fields read 32k, 32768, 24GB, 22.5 GiB. Up and Down move to the next stop.</source>
        <translation>输入框可识别 32k、32768、24GB、22.5 GiB。上下方向键移到下一档。</translation>
    </message>
    <message>
        <source>Drag the point of the fit boundary, or move it by the arrow keys and Enter, to set context and concurrency.</source>
        <translation>拖动边界图上的圆点，或用方向键加 Enter 移动它，可设置上下文和并发数。</translation>
    </message>
    <message>
        <source>Charts and the memory bar tell their exact figures under the pointer or by the arrow keys.</source>
        <translation>将指针移到图表和显存条上，或用方向键，可查看精确数值。</translation>
    </message>
    <message>
        <source>Drop a config.json, a model folder, a safetensors index or a scenario on the window to open it.</source>
        <translation>将 config.json、模型文件夹、safetensors 索引或方案文件拖到窗口即可打开。</translation>
    </message>
    <message>
        <source>Delete takes the chip&apos;s GPU out of the comparison.</source>
        <translation>按 Delete 将所选标签的 GPU 移出对比。</translation>
    </message>
</context>
<context>
    <name>kvscope::LoadInputs</name>
    <message>
        <source>trained %1</source>
        <translation>训练长度 %1</translation>
    </message>
    <message>
        <source>= K</source>
        <translation>= K</translation>
    </message>
    <message>
        <source>LOAD</source>
        <translation>负载</translation>
    </message>
    <message>
        <source>Co&amp;ncurrency</source>
        <translation>并发数(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;KV precision</source>
        <translation>KV 精度(&amp;K)</translation>
    </message>
    <message>
        <source>V</source>
        <translation>V</translation>
    </message>
    <message>
        <source>Context, tokens a sequence</source>
        <translation>上下文，每个序列的 token 数</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>Tokens of one sequence, prompt and answer together</source>
        <translation>一个序列的 token 数，含提示词与回答</translation>
    </message>
    <message>
        <source>Concurrency, sequences at once</source>
        <translation>并发数，同时的序列数</translation>
    </message>
    <message>
        <source>Concurrency</source>
        <translation>并发数</translation>
    </message>
    <message>
        <source>Sequences held at the same time</source>
        <translation>同时保存的序列数</translation>
    </message>
    <message>
        <source>Precision of the keys</source>
        <translation>键 (K) 的精度</translation>
    </message>
    <message>
        <source>Precision of the values</source>
        <translation>值 (V) 的精度</translation>
    </message>
    <message>
        <source>“= K” keeps the values at the precision of the keys</source>
        <translation>“= K” 表示值的精度与键相同</translation>
    </message>
    <message>
        <source>KV precision, from widest to narrowest</source>
        <translation>KV 精度，从高到低</translation>
    </message>
    <message>
        <source>The precisions that the engine has, from widest to narrowest</source>
        <translation>引擎支持的精度，从高到低</translation>
    </message>
    <message>
        <source>fits to %1</source>
        <translation>可放下至 %1</translation>
    </message>
    <message>
        <source>C&amp;ontext</source>
        <translation>上下文(&amp;O)</translation>
    </message>
    <message>
        <source>32K is 32,768 tokens here; vLLM itself reads 32k as 32,000: give it plain digits</source>
        <translation>此处 32K 为 32,768 个 token；vLLM 自身把 32k 读作 32,000：请给它写完整数字</translation>
    </message>
</context>
<context>
    <name>kvscope::MainWindow</name>
    <message>
        <source>KV growth</source>
        <translation>KV 增长</translation>
    </message>
    <message>
        <source>Fit / OOM boundary</source>
        <translation>放得下 / 溢出边界</translation>
    </message>
    <message>
        <source>GPUs side by side</source>
        <translation>GPU 对比</translation>
    </message>
    <message>
        <source>How it adds up</source>
        <translation>计算过程</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>未命名</translation>
    </message>
    <message>
        <source>Open a model folder</source>
        <translation>打开模型文件夹</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>&amp;Clear the list</source>
        <translation>清空列表(&amp;C)</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>已保存 %1</translation>
    </message>
    <message>
        <source>Save the scenario</source>
        <translation>保存方案</translation>
    </message>
    <message>
        <source>Scenarios (*.kvscope)</source>
        <translation>方案 (*.kvscope)</translation>
    </message>
    <message>
        <source>Write a report</source>
        <translation>生成报告</translation>
    </message>
    <message>
        <source>PDF (*.pdf);;HTML (*.html);;Markdown (*.md);;CSV (*.csv)</source>
        <translation>PDF (*.pdf);;HTML (*.html);;Markdown (*.md);;CSV (*.csv)</translation>
    </message>
    <message>
        <source>Reading %1…</source>
        <translation>正在读取 %1…</translation>
    </message>
    <message>
        <source>As the engine prints it</source>
        <translation>引擎日志对照</translation>
    </message>
    <message>
        <source>Scenarios and models (*.kvscope *.json *.gguf);;All files (*)</source>
        <translation>方案与模型 (*.kvscope *.json *.gguf);;所有文件 (*)</translation>
    </message>
    <message>
        <source>As bars</source>
        <translation>条形图</translation>
    </message>
    <message>
        <source>KV pool</source>
        <translation>KV 池</translation>
    </message>
    <message>
        <source>Open a draft model</source>
        <translation>打开草稿模型</translation>
    </message>
    <message>
        <source>Models (*.json *.gguf);;All files (*)</source>
        <translation>模型 (*.json *.gguf);;所有文件 (*)</translation>
    </message>
</context>
<context>
    <name>kvscope::MemoryBar</name>
    <message>
        <source>does not fit</source>
        <translation>放不下</translation>
    </message>
    <message>
        <source>free</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>not usable</source>
        <comment>memory that the plan may not take</comment>
        <translation>不可用</translation>
    </message>
    <message>
        <source>Memory of the GPU by part</source>
        <translation>GPU 显存构成</translation>
    </message>
    <message>
        <source>KV pool, unused</source>
        <translation>KV 池未用</translation>
    </message>
</context>
<context>
    <name>kvscope::ModelInputs</name>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>%1 a token at %2</source>
        <translation>每 token %1 (%2)</translation>
    </message>
    <message>
        <source>auto (%1)</source>
        <translation>自动 (%1)</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>newest (%1)</source>
        <translation>最新 (%1)</translation>
    </message>
    <message>
        <source>MODEL</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>&amp;Weights</source>
        <translation>权重(&amp;W)</translation>
    </message>
    <message>
        <source>Ve&amp;rsion</source>
        <translation>版本(&amp;R)</translation>
    </message>
    <message>
        <source>Weight format</source>
        <translation>权重格式</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Engine version</source>
        <translation>引擎版本</translation>
    </message>
    <message>
        <source>How the weights are stored; auto is what the checkpoint itself holds</source>
        <translation>权重的存储格式；“自动”即检查点自身的格式</translation>
    </message>
    <message>
        <source>Whose rules the figures follow; the formula alone is a lower bound</source>
        <translation>数值遵循哪个引擎的规则；理论公式只是下限</translation>
    </message>
    <message>
        <source>A model by hand</source>
        <translation>手填模型</translation>
    </message>
    <message>
        <source>A release, a build like b5912, or a day like 2025-07-18: the rules in force then</source>
        <translation>发行版、构建号（如 b5912）或日期（如 2025-07-18）：采用当时生效的规则</translation>
    </message>
    <message>
        <source>Eng&amp;ine</source>
        <translation>引擎(&amp;I)</translation>
    </message>
</context>
<context>
    <name>kvscope::ModelPicker</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Family</source>
        <translation>系列</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>Trained context</source>
        <translation>训练长度</translation>
    </message>
    <message>
        <source>Choose a model from the catalogue, a file, or enter its numbers</source>
        <translation>从目录或文件中选择模型，或直接填写参数</translation>
    </message>
    <message numerus="yes">
        <source>Search %n models by name, maker or identifier</source>
        <translation>
            <numerusform>按名称、厂商或标识搜索 %n 个模型</numerusform>
        </translation>
    </message>
    <message>
        <source>Search models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Models found</source>
        <translation>找到的模型</translation>
    </message>
    <message>
        <source>Enter the numbers…</source>
        <translation>填写参数…</translation>
    </message>
    <message>
        <source>Open a model file…</source>
        <translation>打开模型文件…</translation>
    </message>
    <message>
        <source>Draft model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>A smaller model that drafts tokens for this one; from the catalogue or a file</source>
        <translation>为当前模型起草 token 的较小模型；来自目录或文件</translation>
    </message>
</context>
<context>
    <name>kvscope::PoolPanel</name>
    <message>
        <source>The pool&apos;s figures are copied</source>
        <translation>已复制 KV 池的数值</translation>
    </message>
    <message>
        <source>KV pool</source>
        <translation>KV 池</translation>
    </message>
    <message>
        <source>what is printed and what a user gets</source>
        <translation>引擎输出的数值与用户实际可用的数值</translation>
    </message>
    <message>
        <source>Copy the pool&apos;s figures</source>
        <translation>复制 KV 池的数值</translation>
    </message>
    <message>
        <source>&amp;Copy the figures</source>
        <translation>复制数值(&amp;C)</translation>
    </message>
    <message>
        <source>What the KV pool holds by length</source>
        <translation>KV 池在各长度下可容纳的内容</translation>
    </message>
</context>
<context>
    <name>kvscope::PoolView</name>
    <message>
        <source>layers that keep</source>
        <translation>各层保留</translation>
    </message>
    <message>
        <source>layers</source>
        <translation>层数</translation>
    </message>
    <message>
        <source>tokens a block</source>
        <translation>每块 token 数</translation>
    </message>
    <message>
        <source>blocks of one sequence</source>
        <translation>每个序列的块数</translation>
    </message>
    <message>
        <source>The pool is not one rate a token: %1 blocks of %2; a sequence takes %3 of them with its first token.</source>
        <translation>该 KV 池并非每 token 等量：共 %1 块，每块 %2；每个序列从第一个 token 起就占用 %3 块。</translation>
    </message>
    <message>
        <source>context</source>
        <translation>上下文</translation>
    </message>
    <message>
        <source>sequences</source>
        <translation>序列数</translation>
    </message>
    <message>
        <source>tokens held</source>
        <translation>可容纳 token</translation>
    </message>
    <message>
        <source>of those printed</source>
        <translation>占日志数值</translation>
    </message>
    <message>
        <source>tokens held; the line: as printed</source>
        <translation>可容纳的 token；竖线：引擎输出的数值</translation>
    </message>
    <message>
        <source>%1 sets no pool of blocks aside: its cache is what the sequences take.</source>
        <translation>%1 不预留块池：缓存即为各序列的占用。</translation>
    </message>
    <message>
        <source>One rate a token: %1 blocks of %2 tokens hold %3 tokens, whatever the context.</source>
        <translation>每个 token 占用固定：%1 个块，每块 %2 个 token，无论上下文多长都可容纳 %3 个 token。</translation>
    </message>
    <message>
        <source>%1 prints %2 tokens at this context and another number at another: it counts what sequences of that very length hold.</source>
        <translation>%1 在此上下文下输出 %2 个 token，换一个上下文则输出另一个数值：它统计的是恰为该长度的序列所能容纳的数量。</translation>
    </message>
    <message>
        <source>%1 prints %2 tokens, whatever the context.</source>
        <translation>无论上下文多长，%1 都输出 %2 个 token。</translation>
    </message>
    <message>
        <source>%1 %2</source>
        <comment>two sentences</comment>
        <translation>%1%2</translation>
    </message>
</context>
<context>
    <name>kvscope::Preferences</name>
    <message>
        <source>&amp;Go on where the last session ended</source>
        <translation>从上次会话结束处继续(&amp;G)</translation>
    </message>
    <message>
        <source>Preferences</source>
        <translation>首选项</translation>
    </message>
    <message>
        <source>The system&apos;s</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>GB (10⁹ bytes)</source>
        <translation>GB（10⁹ 字节）</translation>
    </message>
    <message>
        <source>GiB (2³⁰ bytes)</source>
        <translation>GiB（2³⁰ 字节）</translation>
    </message>
    <message>
        <source>&amp;Add a file…</source>
        <translation>添加文件(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Remove</source>
        <translation>移除(&amp;R)</translation>
    </message>
    <message>
        <source>Catalogue files of your own are read at the next start; an entry with a known identifier replaces it.</source>
        <translation>自定义目录文件在下次启动时读取；标识相同的条目会被替换。</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Unit</source>
        <translation>单位(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Catalogue files of your own</source>
        <translation>自定义目录文件(&amp;C)</translation>
    </message>
    <message>
        <source>A catalogue file of your own</source>
        <translation>自定义目录文件</translation>
    </message>
    <message>
        <source>JSON (*.json)</source>
        <translation>JSON (*.json)</translation>
    </message>
</context>
<context>
    <name>kvscope::Prompts</name>
    <message>
        <source>Save the changes to %1?</source>
        <translation>是否保存对 %1 的更改？</translation>
    </message>
</context>
<context>
    <name>kvscope::SplitInputs</name>
    <message>
        <source>&amp;Split</source>
        <translation>切分(&amp;S)</translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>Tensor parallel: each layer is cut over this many GPUs</source>
        <translation>张量并行：每一层切分到这么多块 GPU 上</translation>
    </message>
    <message>
        <source>Pipeline parallel</source>
        <translation>流水线并行</translation>
    </message>
    <message>
        <source>Pipeline parallel: the layers are spread over this many groups</source>
        <translation>流水线并行：各层分布到这么多组上</translation>
    </message>
    <message>
        <source>Data parallel</source>
        <translation>数据并行</translation>
    </message>
    <message>
        <source>Data parallel: this many whole copies share the sequences</source>
        <translation>数据并行：这么多个完整副本分担序列</translation>
    </message>
    <message>
        <source>E&amp;xpert parallel</source>
        <translation>专家并行(&amp;X)</translation>
    </message>
    <message>
        <source>Expert parallel (EP): whole experts are spread over all GPUs of a stage, instead of a slice of each</source>
        <translation>专家并行 (EP)：完整的专家分布到同一级的所有 GPU 上，而不是每块 GPU 各持一片</translation>
    </message>
    <message>
        <source>DP attention</source>
        <translation>DP 注意力</translation>
    </message>
    <message>
        <source>The copies of attention lie within the tensor-parallel GPUs: each keeps the cache of its own sequences
SGLang: --enable-dp-attention</source>
        <translation>注意力的各副本位于张量并行的 GPU 之内：每个副本只保存自己序列的缓存
SGLang：--enable-dp-attention</translation>
    </message>
    <message>
        <source>&amp;Decode context</source>
        <translation>解码上下文并行(&amp;D)</translation>
    </message>
    <message>
        <source>Decode context parallel</source>
        <translation>解码上下文并行</translation>
    </message>
    <message>
        <source>Decode context parallel: the tokens of a sequence are spread over this many of the GPUs that would hold copies
vLLM: --decode-context-parallel-size</source>
        <translation>解码上下文并行：一个序列的 token 分布到这么多块原本各持副本的 GPU 上
vLLM：--decode-context-parallel-size</translation>
    </message>
    <message>
        <source>M&amp;achines</source>
        <translation>机器(&amp;A)</translation>
    </message>
    <message>
        <source>Machines</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Machines that the GPUs are dealt out to, equally many each</source>
        <translation>GPU 平均分配到的机器数</translation>
    </message>
    <message>
        <source>&amp;joined by</source>
        <comment>what links the GPUs</comment>
        <translation>互连(&amp;J)</translation>
    </message>
    <message>
        <source>automatic</source>
        <comment>what links the GPUs</comment>
        <translation>自动</translation>
    </message>
    <message>
        <source>What joins the GPUs of a machine</source>
        <translation>同一台机器内 GPU 的互连方式</translation>
    </message>
    <message>
        <source>What joins the GPUs of a machine. Automatic: what the card is known to have</source>
        <translation>同一台机器内 GPU 的互连方式。自动：按显卡已知的互连</translation>
    </message>
</context>
<context>
    <name>kvscope::TableDialog</name>
    <message>
        <source>Copy &amp;data</source>
        <translation>复制数据(&amp;D)</translation>
    </message>
</context>
<context>
    <name>kvscope::VerdictStrip</name>
    <message>
        <source>memory would hold %1 tokens</source>
        <translation>显存可容纳 %1 token</translation>
    </message>
    <message>
        <source>max context</source>
        <translation>最大上下文</translation>
    </message>
    <message>
        <source>max concurrency</source>
        <translation>最大并发数</translation>
    </message>
    <message>
        <source>fits with KV</source>
        <translation>可放下的 KV 精度</translation>
    </message>
    <message>
        <source>The widest KV precision that fits with everything else as it is</source>
        <translation>其他条件不变时放得下的最高 KV 精度</translation>
    </message>
    <message>
        <source>or with GPUs</source>
        <translation>或所需 GPU 数</translation>
    </message>
    <message>
        <source>The fewest GPUs of this kind that hold it: TP %1, PP %2, DP %3</source>
        <translation>同型号 GPU 的最少数量：TP %1、PP %2、DP %3</translation>
    </message>
    <message>
        <source>%1: %2 (%3), of which the plan may take %4</source>
        <translation>%1：%2 (%3)，其中方案可用 %4</translation>
    </message>
    <message>
        <source>%1 (%2) of memory, of which the plan may take %3</source>
        <translation>显存 %1 (%2)，其中方案可用 %3</translation>
    </message>
</context>
<context>
    <name>kvscope::WindowMenus</name>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;New</source>
        <translation>新建(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Open…</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>A scenario, a config.json or a safetensors index</source>
        <translation>方案文件、config.json 或 safetensors 索引</translation>
    </message>
    <message>
        <source>Open a model &amp;folder…</source>
        <translation>打开模型文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>最近打开(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Save</source>
        <translation>保存(&amp;S)</translation>
    </message>
    <message>
        <source>Save &amp;as…</source>
        <translation>另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Report…</source>
        <translation>报告(&amp;R)…</translation>
    </message>
    <message>
        <source>&amp;Print…</source>
        <translation>打印(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Copy</source>
        <translation>复制(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Inputs</source>
        <translation>输入(&amp;I)</translation>
    </message>
    <message>
        <source>&amp;Move panels</source>
        <translation>移动面板(&amp;M)</translation>
    </message>
    <message>
        <source>Shows a bar on each panel to drag it by</source>
        <translation>在每个面板上显示可拖动的标题栏</translation>
    </message>
    <message>
        <source>&amp;Restore the layout</source>
        <translation>恢复布局(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;System</source>
        <translation>跟随系统(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>浅色(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>深色(&amp;D)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Unit</source>
        <translation>单位(&amp;U)</translation>
    </message>
    <message>
        <source>GB (10⁹ bytes)</source>
        <translation>GB（10⁹ 字节）</translation>
    </message>
    <message>
        <source>GiB (2³⁰ bytes)</source>
        <translation>GiB（2³⁰ 字节）</translation>
    </message>
    <message>
        <source>Unit of memory</source>
        <translation>显存单位</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>&amp;Compare</source>
        <translation>对比(&amp;C)</translation>
    </message>
    <message>
        <source>Choose a &amp;model…</source>
        <translation>选择模型(&amp;M)…</translation>
    </message>
    <message>
        <source>&amp;Enter a model&apos;s numbers…</source>
        <translation>填写模型参数(&amp;E)…</translation>
    </message>
    <message>
        <source>&amp;Add a GPU…</source>
        <translation>添加 GPU(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Remove the selected GPU</source>
        <translation>移除所选 GPU(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Next GPU</source>
        <translation>下一个 GPU(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Pin this scenario</source>
        <translation>固定此方案(&amp;P)</translation>
    </message>
    <message>
        <source>It stays in every chart as a dashed ghost</source>
        <translation>以虚线形式保留在每个图表中</translation>
    </message>
    <message>
        <source>&amp;Tools</source>
        <translation>工具(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Preferences…</source>
        <translation>首选项(&amp;P)…</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Keys and gestures</source>
        <translation>按键与手势(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;About KVScope</source>
        <translation>关于 KVScope(&amp;A)</translation>
    </message>
</context>
<context>
    <name>report</name>
    <message>
        <source>page %1 of %2</source>
        <translation>第 %1 页，共 %2 页</translation>
    </message>
</context>
<context>
    <name>text</name>
    <message>
        <source>Fits</source>
        <comment>verdict</comment>
        <translation>放得下</translation>
    </message>
    <message>
        <source>Tight</source>
        <comment>verdict</comment>
        <translation>勉强放得下</translation>
    </message>
    <message>
        <source>Out of memory</source>
        <comment>verdict</comment>
        <translation>显存溢出</translation>
    </message>
    <message>
        <source>Refused</source>
        <comment>verdict</comment>
        <translation>无法运行</translation>
    </message>
    <message>
        <source>Weights</source>
        <comment>part of the memory</comment>
        <translation>权重</translation>
    </message>
    <message>
        <source>KV cache</source>
        <comment>part of the memory</comment>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>Recurrent state</source>
        <comment>part of the memory</comment>
        <translation>循环状态</translation>
    </message>
    <message>
        <source>Activations</source>
        <comment>part of the memory</comment>
        <translation>激活</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <comment>part of the memory</comment>
        <translation>CUDA 图</translation>
    </message>
    <message>
        <source>Runtime</source>
        <comment>part of the memory</comment>
        <translation>运行时</translation>
    </message>
    <message>
        <source>Full attention</source>
        <comment>kind of layer</comment>
        <translation>全注意力</translation>
    </message>
    <message>
        <source>Sliding window</source>
        <comment>kind of layer</comment>
        <translation>滑动窗口</translation>
    </message>
    <message>
        <source>Chunked window</source>
        <comment>kind of layer</comment>
        <translation>分块窗口</translation>
    </message>
    <message>
        <source>Latent attention (MLA)</source>
        <comment>kind of layer</comment>
        <translation>潜在注意力 (MLA)</translation>
    </message>
    <message>
        <source>Shares an earlier layer&apos;s cache</source>
        <comment>kind of layer</comment>
        <translation>共用前面层的缓存</translation>
    </message>
    <message>
        <source>No attention cache</source>
        <comment>kind of layer</comment>
        <translation>无注意力缓存</translation>
    </message>
    <message>
        <source>No recurrence</source>
        <comment>kind of layer</comment>
        <translation>无循环结构</translation>
    </message>
    <message>
        <source>Gated delta net</source>
        <comment>kind of layer</comment>
        <translation>门控 Delta 网络</translation>
    </message>
    <message>
        <source>Linear attention</source>
        <comment>kind of layer</comment>
        <translation>线性注意力</translation>
    </message>
    <message>
        <source>Short convolution</source>
        <comment>kind of layer</comment>
        <translation>短卷积</translation>
    </message>
    <message>
        <source>Embeddings</source>
        <comment>parameters</comment>
        <translation>词嵌入</translation>
    </message>
    <message>
        <source>Output head</source>
        <comment>parameters</comment>
        <translation>输出头</translation>
    </message>
    <message>
        <source>Attention</source>
        <comment>parameters</comment>
        <translation>注意力</translation>
    </message>
    <message>
        <source>Recurrent layers</source>
        <comment>parameters</comment>
        <translation>循环层</translation>
    </message>
    <message>
        <source>Feed-forward</source>
        <comment>parameters</comment>
        <translation>前馈网络</translation>
    </message>
    <message>
        <source>Experts</source>
        <comment>parameters</comment>
        <translation>专家</translation>
    </message>
    <message>
        <source>Shared experts</source>
        <comment>parameters</comment>
        <translation>共享专家</translation>
    </message>
    <message>
        <source>Routers</source>
        <comment>parameters</comment>
        <translation>路由</translation>
    </message>
    <message>
        <source>Norms and biases</source>
        <comment>parameters</comment>
        <translation>归一化与偏置</translation>
    </message>
    <message>
        <source>Vision and audio</source>
        <comment>parameters</comment>
        <translation>视觉与音频</translation>
    </message>
    <message>
        <source>Multi-token prediction</source>
        <comment>parameters</comment>
        <translation>多 token 预测</translation>
    </message>
    <message>
        <source>exact</source>
        <comment>confidence</comment>
        <translation>精确</translation>
    </message>
    <message>
        <source>calibrated</source>
        <comment>confidence</comment>
        <translation>经校准</translation>
    </message>
    <message>
        <source>assumed</source>
        <comment>confidence</comment>
        <translation>假定</translation>
    </message>
    <message>
        <source>Formula</source>
        <comment>engine</comment>
        <translation>理论公式</translation>
    </message>
    <message>
        <source>limited by memory</source>
        <comment>what stops a limit</comment>
        <translation>受显存限制</translation>
    </message>
    <message>
        <source>limited by the trained length</source>
        <comment>what stops a limit</comment>
        <translation>受训练长度限制</translation>
    </message>
    <message>
        <source>memory does not grow with it</source>
        <comment>what stops a limit</comment>
        <translation>显存占用不随之增长</translation>
    </message>
    <message>
        <source>the largest number that is counted</source>
        <comment>what stops a limit</comment>
        <translation>已到可计算的最大值</translation>
    </message>
    <message>
        <source>the weights alone do not fit</source>
        <comment>what stops a limit</comment>
        <translation>仅权重就放不下</translation>
    </message>
    <message numerus="yes">
        <source>%n machine(s)</source>
        <translation>
            <numerusform>%n 台机器</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n layer(s)</source>
        <translation>
            <numerusform>%n 层</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n with a KV cache</source>
        <comment>layers</comment>
        <translation>
            <numerusform>其中 %n 层有 KV 缓存</numerusform>
        </translation>
    </message>
    <message>
        <source>latent %1 + %2</source>
        <comment>MLA: width of the latent and of the rotary part</comment>
        <translation>潜在向量 %1 + %2</translation>
    </message>
    <message numerus="yes">
        <source>%n KV head(s), one for each attention head</source>
        <translation>
            <numerusform>%n 个 KV 头，与注意力头一一对应</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n KV head(s) of %1</source>
        <comment>KV heads of so many attention heads</comment>
        <translation>
            <numerusform>%n 个 KV 头（注意力头 %1 个）</numerusform>
        </translation>
    </message>
    <message>
        <source>head dim %1</source>
        <translation>头维度 %1</translation>
    </message>
    <message>
        <source>head dim K %1, V %2</source>
        <translation>头维度 K %1、V %2</translation>
    </message>
    <message>
        <source>By attention heads it would read %1x more</source>
        <translation>若误按注意力头数计算，会大到 %1 倍</translation>
    </message>
    <message>
        <source>too large to count</source>
        <translation>过大，无法计算</translation>
    </message>
    <message>
        <source>K and V of every token are kept</source>
        <translation>保存每个 token 的 K 和 V</translation>
    </message>
    <message>
        <source>K and V of the last window of tokens are kept</source>
        <translation>只保存最近一个窗口内 token 的 K 和 V</translation>
    </message>
    <message>
        <source>K and V of the running chunk are kept</source>
        <translation>只保存当前分块的 K 和 V</translation>
    </message>
    <message>
        <source>One latent a token is kept for all heads (MLA)</source>
        <translation>每个 token 保存一个潜在向量，供所有头共用 (MLA)</translation>
    </message>
    <message>
        <source>The latent and an index key of every token are kept</source>
        <translation>保存每个 token 的潜在向量和索引键</translation>
    </message>
    <message>
        <source>These layers keep no KV cache</source>
        <translation>这些层不保存 KV 缓存</translation>
    </message>
    <message>
        <source>What one more token adds</source>
        <translation>每增加一个 token 的增量</translation>
    </message>
    <message>
        <source>The recurrent state of a sequence, whatever its length</source>
        <translation>每个序列的循环状态，与长度无关</translation>
    </message>
    <message>
        <source>Weights as measured</source>
        <translation>实测的权重大小</translation>
    </message>
    <message>
        <source>K and V grow by a token at each step; the cache is as wide as the activations</source>
        <translation>K 和 V 每步增长一个 token，缓存精度与激活相同</translation>
    </message>
    <message>
        <source>K and V of the longest sequence are allocated at the start</source>
        <translation>一开始就按最长序列分配 K 和 V</translation>
    </message>
    <message>
        <source>K and V are quantised in groups of 64; the last 127 tokens at the most stay in full</source>
        <translation>K 和 V 按 64 个元素一组量化，最后至多 127 个 token 保持原精度</translation>
    </message>
    <message>
        <source>Two layers of the cache are on the GPU, the others wait in host memory</source>
        <translation>GPU 上只留两层缓存，其余在主机内存中等待</translation>
    </message>
    <message>
        <source>Large tensors take whole blocks of 2 MiB</source>
        <translation>大张量占用整块的 2 MiB</translation>
    </message>
    <message>
        <source>Weights, cache, state and what the largest moment of the run needs</source>
        <translation>权重、缓存、状态，加上运行峰值时刻的需要</translation>
    </message>
    <message>
        <source>What libraries and tables hold all the time</source>
        <translation>库和查找表始终占用的内存</translation>
    </message>
    <message>
        <source>Activations of one feed-forward layer over the whole prompt</source>
        <translation>整个提示经过一个前馈层时的激活</translation>
    </message>
    <message>
        <source>Activations of one attention layer over the whole prompt</source>
        <translation>整个提示经过一个注意力层时的激活</translation>
    </message>
    <message>
        <source>Scores of every head, every token against every token</source>
        <translation>每个头、每对 token 的注意力分数</translation>
    </message>
    <message>
        <source>Masks, repeated heads and one row of logits at that moment</source>
        <translation>此刻的掩码、重复的头和一行 logits</translation>
    </message>
    <message>
        <source>Logits over the vocabulary, with their FP32 copy</source>
        <translation>词表上的 logits 及其 FP32 副本</translation>
    </message>
    <message>
        <source>The old cache lives on while the new one is made</source>
        <translation>建立新缓存时旧缓存仍在</translation>
    </message>
    <message>
        <source>One layer&apos;s tensor while a token is appended</source>
        <translation>追加一个 token 时一层的张量</translation>
    </message>
    <message>
        <source>Activations of one encoder layer</source>
        <translation>一个编码器层的激活</translation>
    </message>
    <message>
        <source>The driver&apos;s context, kernels, and holes that the allocator leaves</source>
        <translation>驱动上下文、内核，以及分配器留下的空洞</translation>
    </message>
    <message>
        <source>What live tensors take at the most, over all GPUs</source>
        <translation>存活张量在所有 GPU 上的最大占用</translation>
    </message>
    <message>
        <source>What the allocator may take from the driver, over all GPUs</source>
        <translation>分配器在所有 GPU 上可能向驱动索取的内存</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, the hidden size divided by the attention heads</source>
        <translation>文件中没有 %1：取 %2，即隐藏层维度除以注意力头数</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, as many as attention heads</source>
        <translation>文件中没有 %1：取 %2，与注意力头数相同</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, this model family&apos;s default</source>
        <translation>文件中没有 %1：取 %2，即该模型系列的默认值</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken (%3)</source>
        <translation>文件中没有 %1：取 %2（%3）</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <comment>a field in a file</comment>
        <translation>%2 中的 %1</translation>
    </message>
    <message>
        <source>an object { }</source>
        <comment>JSON type</comment>
        <translation>对象 { }</translation>
    </message>
    <message>
        <source>a list [ ]</source>
        <comment>JSON type</comment>
        <translation>列表 [ ]</translation>
    </message>
    <message>
        <source>text in quotes</source>
        <comment>JSON type</comment>
        <translation>带引号的文本</translation>
    </message>
    <message>
        <source>a number</source>
        <comment>JSON type</comment>
        <translation>数字</translation>
    </message>
    <message>
        <source>a whole number</source>
        <comment>JSON type</comment>
        <translation>整数</translation>
    </message>
    <message>
        <source>true or false</source>
        <comment>JSON type</comment>
        <translation>true 或 false</translation>
    </message>
    <message>
        <source>a KVScope scenario</source>
        <comment>kind of file</comment>
        <translation> KVScope 方案文件</translation>
    </message>
    <message>
        <source>a model&apos;s config.json</source>
        <comment>kind of file</comment>
        <translation>模型的 config.json</translation>
    </message>
    <message>
        <source>a safetensors index</source>
        <comment>kind of file</comment>
        <translation> safetensors 索引</translation>
    </message>
    <message>
        <source>a catalogue of models or devices</source>
        <comment>kind of file</comment>
        <translation>模型或设备目录</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the names of a list</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>%1: there is no such file; check the path</source>
        <translation>%1：文件不存在；请检查路径</translation>
    </message>
    <message>
        <source>%1: this is not a regular file; give a file</source>
        <translation>%1：不是普通文件；请指定一个文件</translation>
    </message>
    <message>
        <source>%1: no permission; change the file&apos;s permissions or choose another</source>
        <translation>%1：没有访问权限；请修改文件权限或换一个文件</translation>
    </message>
    <message>
        <source>%1: the file is larger than %2, the most that is read; check that it is the right file</source>
        <translation>%1：文件超过可读取的上限 %2；请确认选对了文件</translation>
    </message>
    <message>
        <source>%1: the file is empty; fetch or save it again</source>
        <translation>%1：文件为空；请重新下载或保存</translation>
    </message>
    <message>
        <source>%1: can&apos;t be read (%2); try again or use a copy</source>
        <translation>%1：无法读取（%2）；请重试或改用副本</translation>
    </message>
    <message>
        <source>%1: can&apos;t be written (%2); choose another place</source>
        <translation>%1：无法写入（%2）；请换一个位置</translation>
    </message>
    <message>
        <source>%1: not valid JSON from byte %2 on; mend it there or fetch the file again</source>
        <translation>%1：从第 %2 字节起不是有效的 JSON；请修正该处或重新下载文件</translation>
    </message>
    <message>
        <source>%1: not valid JSON; mend it or fetch the file again</source>
        <translation>%1：不是有效的 JSON；请修正或重新下载文件</translation>
    </message>
    <message>
        <source>%1: this is not %2; give a file of that kind</source>
        <translation>%1：不是%2；请提供这种文件</translation>
    </message>
    <message>
        <source>%1: the field is missing; add it</source>
        <translation>%1：缺少该字段；请补上</translation>
    </message>
    <message>
        <source>%1: the field is missing; add it under one of these names: %2</source>
        <translation>%1：缺少该字段；请用以下名称之一补上：%2</translation>
    </message>
    <message>
        <source>%1: wrong type of value; write %2</source>
        <translation>%1：值的类型不对；应为%2</translation>
    </message>
    <message>
        <source>%1: the value is out of range; accepted: %2</source>
        <translation>%1：值超出范围；可接受：%2</translation>
    </message>
    <message>
        <source>%1: %2 can&apos;t be divided evenly; check both numbers</source>
        <translation>%1：%2 不能整除；请检查这两个数</translation>
    </message>
    <message>
        <source>%1: saved by a newer version (file version %2); update KVScope to open it</source>
        <translation>%1：由更新的版本保存（文件版本 %2）；请升级 KVScope 后再打开</translation>
    </message>
    <message>
        <source>%1: no such name is known; did you mean %2?</source>
        <translation>%1：没有这个名称；是否想用 %2？</translation>
    </message>
    <message>
        <source>%1: the name fits several; choose one of %2</source>
        <translation>%1：名称对应多项；请选择其一：%2</translation>
    </message>
    <message>
        <source>%1: not a size; write it like 24GB, 22.5GiB or plain bytes</source>
        <translation>%1：不是有效的大小；请写成 24GB、22.5GiB 或字节数</translation>
    </message>
    <message>
        <source>%1: not accepted here; see --help</source>
        <translation>%1：此处不可用；请参阅 --help</translation>
    </message>
    <message>
        <source>%1: not accepted; it takes %2</source>
        <translation>%1：无效；可用值：%2</translation>
    </message>
    <message>
        <source>%1: the engine does not have this format; choose one of %2</source>
        <translation>%1：该引擎没有这种格式；请选择其一：%2</translation>
    </message>
    <message>
        <source>%1: the model can&apos;t be split this way; change the split</source>
        <translation>%1：模型不能这样切分；请调整切分方式</translation>
    </message>
    <message>
        <source>%1: the model can&apos;t be split this way; allowed: %2</source>
        <translation>%1：模型不能这样切分；允许：%2</translation>
    </message>
    <message>
        <source>model: none was given; name one with --model or give its shape</source>
        <translation>模型：未指定；请用 --model 指定或给出模型形状</translation>
    </message>
    <message>
        <source>GPU: none was given; name one with --gpu or give its size with --gpu-memory</source>
        <translation>GPU：未指定；请用 --gpu 指定或用 --gpu-memory 给出显存大小</translation>
    </message>
    <message>
        <source>%1: the figure is too large to count; use smaller numbers</source>
        <translation>%1：数值过大，无法计算；请改用较小的数</translation>
    </message>
    <message>
        <source>The context of %1 tokens is longer than the %2 that the model was trained for</source>
        <translation>上下文为 %1 个 token，超过模型的训练长度 %2</translation>
    </message>
    <message>
        <source>No rule knows the architecture %1: it was read by the standard field names</source>
        <translation>没有针对架构 %1 的规则：已按标准字段名读取</translation>
    </message>
    <message>
        <source>The number of parameters is not known: weights are left out, and the verdict speaks of the KV cache alone</source>
        <translation>参数量未知：未计入权重，结论只针对 KV 缓存</translation>
    </message>
    <message>
        <source>%1: the driver&apos;s memory figure is not known; the marketed GB are read as GiB</source>
        <translation>%1：驱动报告的显存大小未知；已把标称的 GB 按 GiB 计算</translation>
    </message>
    <message>
        <source>%1: the memory that an engine can use is estimated</source>
        <translation>%1：引擎可用的显存为估计值</translation>
    </message>
    <message>
        <source>%1 of %2 GPUs hold nothing: the split does not use them</source>
        <translation>%2 块 GPU 中有 %1 块未存放任何内容：切分方式没有用到它们</translation>
    </message>
    <message>
        <source>TP %1 is more than the %2 KV heads: heads are copied, so the KV cache takes more memory in all</source>
        <translation>TP %1 大于 KV 头数 %2：KV 头会被复制，KV 缓存的总占用因此增加</translation>
    </message>
    <message>
        <source>%1 KV heads do not divide evenly over TP %2</source>
        <translation>%1 个 KV 头不能被 TP %2 均分</translation>
    </message>
    <message>
        <source>The engine has no %1: the figures leave it out</source>
        <translation>该引擎没有 %1：结果中未计入</translation>
    </message>
    <message>
        <source>The host needs %1 of memory and has %2</source>
        <translation>主机需要 %1 内存，只有 %2</translation>
    </message>
    <message>
        <source>Version %1 is not listed: the rules before %2 are used</source>
        <translation>版本 %1 不在列表中：采用 %2 之前的规则</translation>
    </message>
    <message>
        <source>Version %1 is not listed: the rules of %2 are used</source>
        <translation>版本 %1 未收录：采用 %2 的规则</translation>
    </message>
    <message>
        <source>The machine has different GPUs: %1 decides</source>
        <translation>机器中的 GPU 不同：由 %1 决定结果</translation>
    </message>
    <message>
        <source>A figure is too large to count</source>
        <translation>有数值过大，无法计算</translation>
    </message>
    <message>
        <source>The size of the stored format is not known: %1 was taken instead</source>
        <translation>存储格式的大小未知：按 %1 计算</translation>
    </message>
    <message>
        <source>The recurrent state does not divide evenly over TP %1</source>
        <translation>循环状态不能被 TP %1 均分</translation>
    </message>
    <message>
        <source>Refused: %1</source>
        <comment>verdict</comment>
        <translation>无法运行：%1</translation>
    </message>
    <message>
        <source>Fits, %1 free</source>
        <translation>放得下，剩余 %1</translation>
    </message>
    <message>
        <source>Tight, up to %1 short</source>
        <translation>勉强放得下，最多可能缺 %1</translation>
    </message>
    <message>
        <source>Out of memory by %1</source>
        <translation>显存溢出，缺 %1</translation>
    </message>
    <message>
        <source>no model</source>
        <translation>无模型</translation>
    </message>
    <message>
        <source>GPU memory report: %1</source>
        <comment>name of a model</comment>
        <translation>显存报告：%1</translation>
    </message>
    <message>
        <source>Written by %1 on %2.</source>
        <translation>由 %1 于 %2 生成。</translation>
    </message>
    <message>
        <source>GPUs side by side</source>
        <translation>GPU 对比</translation>
    </message>
    <message>
        <source>Scenario</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>设置项</translation>
    </message>
    <message>
        <source>value</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数量</translation>
    </message>
    <message>
        <source>trained length</source>
        <translation>训练长度</translation>
    </message>
    <message>
        <source>%1 tokens</source>
        <translation>%1 token</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>%1, measured</source>
        <translation>%1（实测）</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>KV cache</source>
        <translation>KV 缓存</translation>
    </message>
    <message>
        <source>context per sequence</source>
        <translation>每个序列的上下文</translation>
    </message>
    <message>
        <source>sequences at once</source>
        <translation>同时的序列数</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>split</source>
        <translation>切分</translation>
    </message>
    <message>
        <source>in use by others</source>
        <translation>其他程序占用</translation>
    </message>
    <message>
        <source>kept free</source>
        <translation>保留空闲</translation>
    </message>
    <message>
        <source>prefix shared by all sequences</source>
        <translation>所有序列共享的前缀</translation>
    </message>
    <message>
        <source>KV that may live in host memory</source>
        <translation>可放在主机内存的 KV</translation>
    </message>
    <message>
        <source>host memory</source>
        <translation>主机内存</translation>
    </message>
    <message>
        <source>Memory by GPU</source>
        <translation>各 GPU 的显存</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>usable</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>total</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>at least</source>
        <translation>至少</translation>
    </message>
    <message>
        <source>at most</source>
        <translation>至多</translation>
    </message>
    <message>
        <source>free</source>
        <translation>剩余</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <comment>number of a GPU, its name</comment>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>figure</source>
        <translation>数值项</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>one more token, whole model</source>
        <translation>每增加一个 token，整个模型</translation>
    </message>
    <message>
        <source>one more token at this context</source>
        <translation>在此上下文每增加一个 token</translation>
    </message>
    <message>
        <source>one more token on the fullest GPU</source>
        <translation>占用最多的 GPU 上每增加一个 token</translation>
    </message>
    <message>
        <source>one sequence on the fullest GPU</source>
        <translation>占用最多的 GPU 上的一个序列</translation>
    </message>
    <message>
        <source>all sequences over all GPUs</source>
        <translation>所有 GPU 上的全部序列</translation>
    </message>
    <message>
        <source>recurrent state of one sequence</source>
        <translation>一个序列的循环状态</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>limit</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>held by</source>
        <translation>限制因素</translation>
    </message>
    <message>
        <source>largest context at this concurrency</source>
        <translation>此并发数下的最大上下文</translation>
    </message>
    <message>
        <source>the same without regard to the trained length</source>
        <translation>同上，不考虑训练长度</translation>
    </message>
    <message>
        <source>largest concurrency at this context</source>
        <translation>此上下文下的最大并发数</translation>
    </message>
    <message>
        <source>By KV precision</source>
        <translation>按 KV 精度</translation>
    </message>
    <message>
        <source>KV precision</source>
        <translation>KV 精度</translation>
    </message>
    <message>
        <source>largest context (tokens)</source>
        <translation>最大上下文 (token)</translation>
    </message>
    <message>
        <source>largest concurrency</source>
        <translation>最大并发数</translation>
    </message>
    <message>
        <source>How each figure came about</source>
        <translation>各数值的由来</translation>
    </message>
    <message>
        <source>rule</source>
        <translation>规则</translation>
    </message>
    <message>
        <source>formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>source</source>
        <translation>出处</translation>
    </message>
    <message>
        <source>confidence</source>
        <translation>可信度</translation>
    </message>
    <message>
        <source>The engine&apos;s own figures</source>
        <translation>引擎自身的数值</translation>
    </message>
    <message>
        <source>Read as defaults</source>
        <translation>按默认值读取的项</translation>
    </message>
    <message>
        <source>Where the facts about model and GPUs were read</source>
        <translation>模型与 GPU 数据的来源</translation>
    </message>
    <message>
        <source>Cross attention keeps K and V of the encoder&apos;s tokens</source>
        <translation>交叉注意力保存编码器 token 的 K 和 V</translation>
    </message>
    <message>
        <source>Scales and zero points of the quantised cache</source>
        <translation>量化缓存的缩放因子和零点</translation>
    </message>
    <message>
        <source>Heads, latents and index keys that several devices hold a copy of</source>
        <translation>多个设备各存一份的头、潜在向量和索引键</translation>
    </message>
    <message>
        <source>Every parameter times the bytes of the format</source>
        <translation>全部参数乘以该格式的字节数</translation>
    </message>
    <message>
        <source>Matrices in the format; tables, head, norms and routers stay in 16 bit</source>
        <translation>矩阵采用该格式；词表、输出头、归一化和路由保持 16 位</translation>
    </message>
    <message>
        <source>What the device offers, less what others hold and what is kept free</source>
        <translation>设备可用显存，减去其他程序占用和保留空闲的部分</translation>
    </message>
    <message>
        <source>given by you</source>
        <translation>由您指定</translation>
    </message>
    <message>
        <source>follows from the figures above</source>
        <translation>由上述数值推出</translation>
    </message>
    <message>
        <source>Out of memory on the host</source>
        <translation>主机内存不足</translation>
    </message>
    <message>
        <source>%1 (bytes)</source>
        <translation>%1（字节）</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <comment>what, its unit</comment>
        <translation>%1 (%2)</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>max context (tokens)</source>
        <translation>最大上下文 (token)</translation>
    </message>
    <message>
        <source>max concurrency</source>
        <translation>最大并发数</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, this model family&apos;s pattern</source>
        <translation>文件中没有 %1：取 %2，即该模型系列的排列规律</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, four times the hidden size</source>
        <translation>文件中没有 %1：取 %2，即隐藏层维度的四倍</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, as in the decoder</source>
        <translation>文件中没有 %1：取 %2，与解码器相同</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, the length of its list of layers</source>
        <translation>文件中没有 %1：取 %2，即层列表的长度</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, the least that is possible</source>
        <translation>文件中没有 %1：取 %2，即可能的最小值</translation>
    </message>
    <message>
        <source>%1 differs between layers: its first value, %2, was taken for all</source>
        <translation>各层的 %1 不同：统一取第一个值 %2</translation>
    </message>
    <message>
        <source>%1 is %2: the parameters of these layers are not counted</source>
        <translation>%1 为 %2：未计入这些层的参数</translation>
    </message>
    <message>
        <source>%1: the parameters of the audio tower are not counted</source>
        <translation>%1：未计入音频塔的参数</translation>
    </message>
    <message>
        <source>%1: the parameters of the vision tower are not counted</source>
        <translation>%1：未计入视觉塔的参数</translation>
    </message>
    <message>
        <source>%1: the method %2 is not known, weights are taken as not quantised</source>
        <translation>%1：量化方法 %2 未知，权重按未量化处理</translation>
    </message>
    <message>
        <source>%1: %2 by a general formula, which was not checked against a published count of this family</source>
        <translation>%1：%2 由通用公式得出，未与该系列公布的参数量核对</translation>
    </message>
    <message>
        <source>a hf_quant_config.json</source>
        <comment>kind of file</comment>
        <translation> hf_quant_config.json</translation>
    </message>
    <message>
        <source>lower-case letters, no spaces</source>
        <translation>小写字母，不含空格</translation>
    </message>
    <message>
        <source>letters or digits</source>
        <translation>字母或数字</translation>
    </message>
    <message>
        <source>text that is not empty</source>
        <translation>非空文本</translation>
    </message>
    <message>
        <source>no more than the memory</source>
        <translation>不超过显存大小</translation>
    </message>
    <message>
        <source>%1: no rule for this architecture, and standard fields are missing; give the shape by hand</source>
        <translation>%1：没有针对该架构的规则，也缺少标准字段；请手动填写模型形状</translation>
    </message>
    <message>
        <source>%1: no rule for this architecture, and %2 is missing; add it or give the shape by hand</source>
        <translation>%1：没有针对该架构的规则，且缺少 %2；请补上或手动填写模型形状</translation>
    </message>
    <message>
        <source>%1: not possible with this engine and model; choose another format</source>
        <translation>%1：该引擎和模型不支持；请换一种格式</translation>
    </message>
    <message>
        <source>The activations of %1 are not modelled: the figure is too low</source>
        <translation>未对 %1 的激活建模：结果偏低</translation>
    </message>
    <message>
        <source>%1 is not in the file: %2 was taken, the usual precision</source>
        <translation>文件中没有 %1：取 %2，即通常的精度</translation>
    </message>
    <message>
        <source>the most that the engine takes</source>
        <comment>what stops a limit</comment>
        <translation>引擎的上限</translation>
    </message>
    <message>
        <source>%1 (GPU %2)</source>
        <comment>a figure of one device</comment>
        <translation>%1（GPU %2）</translation>
    </message>
    <message>
        <source>Each tensor times the bytes of the type that the quantiser gives it</source>
        <translation>每个张量乘以量化器给它的类型的字节数</translation>
    </message>
    <message>
        <source>K and V of a layer for every cell of the cache, bytes of a cell&apos;s row</source>
        <translation>缓存每个单元存一层的 K 和 V，按一行的字节数计</translation>
    </message>
    <message>
        <source>One latent a cell for all heads, V is seen within it</source>
        <translation>每个单元存一个供所有头共用的潜向量，V 是其中一部分</translation>
    </message>
    <message>
        <source>Layers with a window have cells for the window and one micro-batch</source>
        <translation>窗口层的单元数等于窗口加一个微批</translation>
    </message>
    <message>
        <source>Compressed caches have one cell for several tokens</source>
        <translation>压缩缓存几个 token 才占一个单元</translation>
    </message>
    <message>
        <source>What the sequences need of the cells that are allocated</source>
        <translation>在已分配的单元中，序列实际需要的部分</translation>
    </message>
    <message>
        <source>Each tensor as the file stores it, padded as the buffers want it, copies counted</source>
        <translation>每个张量按文件中的存储计，按缓冲区要求补齐，副本计入</translation>
    </message>
    <message>
        <source>Blocks and output layer that run here, and their tensors</source>
        <translation>在此设备上运行的块和输出层及其张量</translation>
    </message>
    <message>
        <source>Tensors that stay in host memory: the token table, and blocks or experts that are not on a GPU</source>
        <translation>留在主机内存的张量：词表，以及不在 GPU 上的块或专家</translation>
    </message>
    <message>
        <source>Attention mask: every token of a micro-batch against every cell</source>
        <translation>注意力掩码：微批的每个 token 对每个单元</translation>
    </message>
    <message>
        <source>Where V of each token of a micro-batch goes, without flash attention</source>
        <translation>不用 FlashAttention 时，微批中每个 token 的 V 的写入位置</translation>
    </message>
    <message>
        <source>Activations of one feed-forward layer for a micro-batch</source>
        <translation>一个前馈层处理一个微批的激活值</translation>
    </message>
    <message>
        <source>Activations of the routed experts of one layer for a micro-batch</source>
        <translation>一层的路由专家处理一个微批的激活值</translation>
    </message>
    <message>
        <source>Activations of one attention layer for a micro-batch</source>
        <translation>一个注意力层处理一个微批的激活值</translation>
    </message>
    <message>
        <source>Scores of every head for every cell, without flash attention</source>
        <translation>不用 FlashAttention 时，每个头对每个单元的分数</translation>
    </message>
    <message>
        <source>16-bit copies of one layer&apos;s K and V for the flash attention kernel</source>
        <translation>供 FlashAttention 内核使用的一层 K 和 V 的 16 位副本</translation>
    </message>
    <message>
        <source>One layer&apos;s K and V, brought over from host memory</source>
        <translation>从主机内存取来的一层 K 和 V</translation>
    </message>
    <message>
        <source>Scores and choice of the sparse attention&apos;s indexer</source>
        <translation>稀疏注意力索引器的分数和选择</translation>
    </message>
    <message>
        <source>Activations of one recurrent layer for a micro-batch</source>
        <translation>一个循环层处理一个微批的激活值</translation>
    </message>
    <message>
        <source>Logits of the rows that are asked for</source>
        <translation>所需各行的 logits</translation>
    </message>
    <message>
        <source>Inputs of a micro-batch on their way to the layers</source>
        <translation>送往各层的微批输入</translation>
    </message>
    <message>
        <source>Inputs kept several times, for work that is pipelined over the GPUs</source>
        <translation>在多块 GPU 上流水执行时，输入保留多份</translation>
    </message>
    <message>
        <source>Room for the largest tensor that is brought over from host memory</source>
        <translation>从主机内存取来的最大张量所需的空间</translation>
    </message>
    <message>
        <source>Logits of one row a slot, handed out in host memory</source>
        <translation>每个槽位一行的 logits，放在主机内存中输出</translation>
    </message>
    <message>
        <source>Driver context, kernels and libraries, which no printed buffer counts</source>
        <translation>驱动上下文、内核和库，打印的缓冲区都不含它们</translation>
    </message>
    <message>
        <source>Weights, cache, state, compute buffer and what lies outside the buffers</source>
        <translation>权重、缓存、状态、计算缓冲区，以及缓冲区之外的部分</translation>
    </message>
    <message>
        <source>As measured and given</source>
        <translation>采用给出的实测值</translation>
    </message>
    <message>
        <source>Tables of the rotary positions, one for each distinct setting, on every GPU</source>
        <translation>旋转位置表，每种不同的设置一张，每块 GPU 都有</translation>
    </message>
    <message>
        <source>The latent&apos;s up projection is kept once more in 16 bit, for absorbed attention</source>
        <translation>潜向量的上投影另存一份 16 位副本，供吸收式注意力使用</translation>
    </message>
    <message>
        <source>Activations of one pass over the largest batch of tokens; this engine does not print them</source>
        <translation>最大一批 token 前向一次的激活值；这个引擎不打印它</translation>
    </message>
    <message>
        <source>Driver context, libraries and communicators</source>
        <translation>驱动上下文、库和通信器</translation>
    </message>
    <message>
        <source>Blocks of layers that keep every token</source>
        <translation>保留每个 token 的层的块</translation>
    </message>
    <message>
        <source>Blocks of windowed layers: the window, what is in flight, and one for where it starts</source>
        <translation>窗口层的块：窗口、处理中的 token，再加起点所在的一块</translation>
    </message>
    <message>
        <source>Blocks of chunked layers: the chunk and what is in flight</source>
        <translation>分块层的块：当前分块和处理中的 token</translation>
    </message>
    <message>
        <source>Blocks that hold recurrent states, whatever the length</source>
        <translation>存放循环状态的块，与长度无关</translation>
    </message>
    <message>
        <source>Blocks of cross attention over the encoder&apos;s tokens</source>
        <translation>对编码器 token 的交叉注意力的块</translation>
    </message>
    <message>
        <source>Blocks that the KV budget holds; one of them is the engine&apos;s own</source>
        <translation>KV 预算能放下的块数；其中一块归引擎自己</translation>
    </message>
    <message>
        <source>The larger of a forward pass and of the sampler, with what stays allocated beside it</source>
        <translation>前向传播和采样器两者中较大的一个，加上一直占用的部分</translation>
    </message>
    <message>
        <source>CUDA graphs, by the sizes captured and the layers</source>
        <translation>CUDA graph，由捕获的批大小个数和层数决定</translation>
    </message>
    <message>
        <source>In use before the engine looks at the card, and what grows outside torch after it</source>
        <translation>引擎查看显卡之前已占用的部分，以及之后在 torch 之外增长的部分</translation>
    </message>
    <message>
        <source>Requested memory less weights, the profile&apos;s peak and growth outside torch</source>
        <translation>申请的显存减去权重、试运行峰值和 torch 之外的增长</translation>
    </message>
    <message>
        <source>Requested memory less weights, peak and growth; not held against logs here, so the range is at least twice as wide</source>
        <translation>申请的显存减去权重、峰值和增长；这里没有日志可以对照，所以范围至少放宽一倍</translation>
    </message>
    <message>
        <source>Tokens as printed: blocks divided among the groups</source>
        <translation>打印的 token 数：块数在各组之间平分</translation>
    </message>
    <message>
        <source>Tokens as printed: sequences of the full length times that length</source>
        <translation>打印的 token 数：完整长度的序列数乘以该长度</translation>
    </message>
    <message>
        <source>What one sequence of the full length needs on a GPU, as checked at the start</source>
        <translation>一个完整长度的序列在一块 GPU 上的需要量，启动时按此检查</translation>
    </message>
    <message>
        <source>What one sequence of the full length needs; this version checks the whole model&apos;s need on each stage</source>
        <translation>一个完整长度的序列的需要量；这个版本在每个阶段都按整个模型检查</translation>
    </message>
    <message>
        <source>Tokens that the pool holds</source>
        <translation>缓存池能放下的 token 数</translation>
    </message>
    <message>
        <source>Tokens of the full pool; windowed layers have a pool of 0.8 as many</source>
        <translation>完整池的 token 数；窗口层另有一个 0.8 倍大小的池</translation>
    </message>
    <message>
        <source>Slots for recurrent states, in their share of the pool</source>
        <translation>循环状态的槽位，占缓存池中它们那一份</translation>
    </message>
    <message>
        <source>The static fraction of what is free before loading, less the weights</source>
        <translation>加载前空闲显存的固定比例，减去权重</translation>
    </message>
    <message>
        <source>The engine&apos;s default fraction of what is free before loading, less the weights</source>
        <translation>引擎默认的加载前空闲显存比例，减去权重</translation>
    </message>
    <message>
        <source>weights: formats, padding, copies, tables kept elsewhere</source>
        <translation>权重：格式、补齐、副本、放在别处的表</translation>
    </message>
    <message>
        <source>the engine&apos;s own KV precision</source>
        <translation>引擎自己的 KV 精度</translation>
    </message>
    <message>
        <source>cells or blocks are handed out in whole steps</source>
        <translation>单元或块按整步分配</translation>
    </message>
    <message>
        <source>what windowed, latent and copied layers keep of each token</source>
        <translation>窗口层、潜向量层和复制层对每个 token 的保留方式</translation>
    </message>
    <message>
        <source>precision and copies of recurrent states</source>
        <translation>循环状态的精度和副本</translation>
    </message>
    <message>
        <source>activations: the largest step&apos;s working memory</source>
        <translation>激活值：最大一步的工作内存</translation>
    </message>
    <message>
        <source>CUDA graphs</source>
        <translation>CUDA graph</translation>
    </message>
    <message>
        <source>driver context, libraries and allocator</source>
        <translation>驱动上下文、库和分配器</translation>
    </message>
    <message>
        <source>KV that is reserved and not needed at this load</source>
        <translation>已保留而当前负载用不到的 KV</translation>
    </message>
    <message>
        <source>%1%2: %3</source>
        <comment>sign, size, reason</comment>
        <translation>%1%2：%3</translation>
    </message>
    <message>
        <source>V in %1: not stored without flash attention; turn flash attention on or keep V in 16 bits</source>
        <translation>%1 的 V：不用 FlashAttention 时无法存储；请打开 FlashAttention，或让 V 保持 16 位</translation>
    </message>
    <message>
        <source>K in %1, V in %2: both must be one type here; choose the same type for K and V</source>
        <translation>K 为 %1、V 为 %2：这里两者必须相同；请为 K 和 V 选择同一类型</translation>
    </message>
    <message>
        <source>%1: its blocks do not divide heads of %2 elements; choose a 16-bit type or turn flash attention off</source>
        <translation>%1：它的块不能整除 %2 个元素的头；请选择 16 位类型，或关闭 FlashAttention</translation>
    </message>
    <message>
        <source>%1: GGUF version %2 can&apos;t be read; convert the model again (versions 2 and 3 are read)</source>
        <translation>%1：无法读取 GGUF 版本 %2；请重新转换模型（可读版本 2 和 3）</translation>
    </message>
    <message>
        <source>%1: the file ends here, at byte %2, within its header; fetch it again</source>
        <translation>%1：文件在第 %2 字节处中断，文件头不完整；请重新下载</translation>
    </message>
    <message>
        <source>%1: not valid at byte %2; fetch the file again</source>
        <translation>%1：第 %2 字节处无效；请重新下载文件</translation>
    </message>
    <message>
        <source>%1: the list must have %2 entries, one a layer; convert the model again</source>
        <translation>%1：列表必须有 %2 项，每层一项；请重新转换模型</translation>
    </message>
    <message>
        <source>%1: tensor type %2 is not known or no longer in use; convert the model again</source>
        <translation>%1：张量类型 %2 未知或已不再使用；请重新转换模型</translation>
    </message>
    <message>
        <source>%1: does not fit the other parts of the split file (%2); fetch all parts again under their own names</source>
        <translation>%1：与分卷文件的其他部分不符（%2）；请按原文件名重新下载所有分卷</translation>
    </message>
    <message>
        <source>%1: the header is whole, but the file ends before its tensors do; an engine will not load it</source>
        <translation>%1：文件头完整，但张量数据不完整；引擎无法加载</translation>
    </message>
    <message>
        <source>every token</source>
        <translation>每个 token</translation>
    </message>
    <message>
        <source>a window</source>
        <translation>一个窗口</translation>
    </message>
    <message>
        <source>a chunk</source>
        <translation>一个分块</translation>
    </message>
    <message>
        <source>a state</source>
        <translation>一个状态</translation>
    </message>
    <message>
        <source>the encoder&apos;s tokens</source>
        <translation>编码器的 token</translation>
    </message>
    <message>
        <source>%1: the engine does not run on this GPU</source>
        <translation>%1：引擎不能在这种 GPU 上运行</translation>
    </message>
    <message>
        <source>%1: macOS lets the GPU take %2 of the shared memory by default; newer versions take more, iogpu.wired_limit_mb sets it: enter your own figure as GPU memory</source>
        <translation>%1：macOS 默认允许 GPU 使用共享内存中的 %2；新版本更多，可用 iogpu.wired_limit_mb 设置：请把您自己的数值填为显存大小</translation>
    </message>
    <message>
        <source>On Windows the driver moves what does not fit into host memory without a word, and everything gets slow: choose &quot;Prefer No Sysmem Fallback&quot; and leave 1 GiB to the desktop</source>
        <translation>在 Windows 上，驱动会把放不下的部分悄悄移到主机内存，一切随之变慢：请选择“首选无系统内存回退”，并给桌面留出 1 GiB</translation>
    </message>
    <message>
        <source>KV in %1 is ignored without flash attention: the cache stays at 16 bits; turn flash attention on</source>
        <translation>不用 FlashAttention 时忽略 %1 的 KV 设置：缓存保持 16 位；请打开 FlashAttention</translation>
    </message>
    <message>
        <source>If no context were given, the engine itself would choose %1 tokens, so that 1 GiB stays free</source>
        <translation>若不指定上下文，引擎会自行选择 %1 个 token，以保留 1 GiB 空闲</translation>
    </message>
    <message>
        <source>The engine itself would keep the experts of %1 of %2 blocks in host memory, so that 1 GiB stays free</source>
        <translation>引擎会自行把 %2 个块中 %1 个块的专家留在主机内存，以保留 1 GiB 空闲</translation>
    </message>
    <message>
        <source>Left to itself the engine would place %1 of %2 layers on the GPU, the rest on the host</source>
        <translation>若由引擎自行决定，%2 层中会有 %1 层放在 GPU 上，其余放在主机</translation>
    </message>
    <message>
        <source>The engine&apos;s memory rules were not held against logs of this version, card or kind of model: the range of its KV budget is at least twice as wide</source>
        <translation>引擎的显存规则没有用这个版本、显卡或这类模型的日志对照过：KV 预算的范围至少放宽一倍</translation>
    </message>
    <message>
        <source>The engine would not start: one sequence of the full length needs %1 of KV cache and %2 are there; about %3 tokens would fit</source>
        <translation>引擎无法启动：一个完整长度的序列需要 %1 的 KV 缓存，而只有 %2；大约 %3 个 token 放得下</translation>
    </message>
    <message>
        <source>%1 sequences are asked for at once and the engine runs %2: the rest wait; raise the most sequences at once</source>
        <translation>同时请求 %1 个序列，而引擎只运行 %2 个：其余排队等待；请提高最大并发序列数</translation>
    </message>
    <message>
        <source>Tight, the KV pool may come out too small</source>
        <translation>偏紧，KV 缓存池可能不够大</translation>
    </message>
    <message>
        <source>The KV pool is %1 short</source>
        <translation>KV 缓存池还差 %1</translation>
    </message>
    <message>
        <source>Blocks that the KV budget holds; layers of different kinds share tensors of one page size, so a block takes as much whatever group it serves</source>
        <translation>KV 预算能放下的块数；不同种类的层共用同一页大小的张量，所以块不论归哪个组都一样大</translation>
    </message>
    <message>
        <source>%1: %2 is there twice; fetch or convert the file again</source>
        <translation>%1：%2 出现了两次；请重新下载或转换文件</translation>
    </message>
    <message>
        <source>The activations of a model by hand are not modelled: the figure is too low</source>
        <translation>手动输入的模型没有激活值模型：这个数字偏低</translation>
    </message>
    <message>
        <source>it grows in host memory alone, and how much there is was not said</source>
        <comment>what stops a limit</comment>
        <translation>只在主机内存中增长，而主机内存大小未给出</translation>
    </message>
    <message>
        <source>A TP group of %1 GPUs stands in more than one machine (%2 in each): every layer then waits for the network, which is slow; keep TP within a machine and split the layers (PP) over machines</source>
        <translation>由 %1 个 GPU 组成的 TP 组跨越多台机器（每台 %2 个）：每一层都要等待网络，很慢；请让 TP 留在一台机器内，按层（PP）跨机器切分</translation>
    </message>
    <message>
        <source>%1 is an option of %2; here its value counts as %3</source>
        <translation>%1 是 %2 的选项；它的值在这里当作 %3</translation>
    </message>
    <message>
        <source>%1 is an option of %2; it changes nothing here</source>
        <translation>%1 是 %2 的选项；在这里不起作用</translation>
    </message>
    <message>
        <source>%1 is %2 tokens here, and vLLM itself reads %3 in it: give vLLM plain digits</source>
        <translation>%1 在这里是 %2 个 token，而 vLLM 自己会读成 %3 个：请给 vLLM 写完整数字</translation>
    </message>
    <message>
        <source>A shared prefix of %1 tokens is longer than the context: %2 are counted as shared</source>
        <translation>%1 个 token 的共享前缀比上下文还长：按 %2 个共享 token 计算</translation>
    </message>
    <message>
        <source>%1: not a number of parameters; write it like 30.53B or 135M</source>
        <translation>%1：不是参数数量；请写成 30.53B 或 135M 的形式</translation>
    </message>
    <message>
        <source>%1: not a number of tokens; write it like 32768 or 32k</source>
        <translation>%1：不是 token 数；请写成 32768 或 32k 的形式</translation>
    </message>
    <message>
        <source>%1: not a number that is taken here; accepted: %2</source>
        <translation>%1：这里不接受这样的数字；可接受：%2</translation>
    </message>
    <message>
        <source>%1: there is no such option; --help lists those that there are</source>
        <translation>%1：没有这个选项；用 --help 列出全部选项</translation>
    </message>
    <message>
        <source>%1: no such name is known, and none is near; kvplan models, gpus and engines list those that are</source>
        <translation>%1：没有这个名称，也没有相近的；kvplan models、kvplan gpus 和 kvplan engines 可列出已知名称</translation>
    </message>
    <message>
        <source>a size above 0</source>
        <translation>大于 0 的大小</translation>
    </message>
    <message>
        <source>Engines side by side</source>
        <translation>引擎对比</translation>
    </message>
    <message>
        <source>compared with</source>
        <translation>对比引擎</translation>
    </message>
    <message>
        <source>drafting model</source>
        <translation>草稿模型</translation>
    </message>
    <message>
        <source>%1 against the theory, on the device that binds:</source>
        <comment>an engine</comment>
        <translation>%1 与理论值相比（起决定作用的设备）：</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <comment>an engine on a machine</comment>
        <translation>%2 上的 %1</translation>
    </message>
    <message>
        <source>The model that drafts, on the GPUs of the last stage</source>
        <translation>起草 token 的模型，位于最后一级的 GPU 上</translation>
    </message>
    <message>
        <source>%1: it has less than nine tenths of the free memory of %2, the engine does not start on both; choose cards alike</source>
        <translation>%1：其空闲显存不足 %2 的十分之九，引擎无法在两者上启动；请选择相同的显卡</translation>
    </message>
    <message>
        <source>The KV pool is too small for the engine to start</source>
        <translation>KV 缓存池太小，引擎无法启动</translation>
    </message>
    <message numerus="yes">
        <source>%1, within %2 % in %n run(s)</source>
        <comment>confidence</comment>
        <translation>
            <numerusform>%1，%n 次运行中误差在 %2 % 以内</numerusform>
        </translation>
    </message>
    <message>
        <source>What the GPUs hold for all sequences</source>
        <translation>各 GPU 为全部序列保存的内容</translation>
    </message>
    <message>
        <source>Slots for recurrent states, one for each request that was asked for</source>
        <translation>循环状态的槽位，所要求的每个请求一个</translation>
    </message>
    <message>
        <source>Tokens of the windowed layers&apos; pool, enough for the requests that were asked for</source>
        <translation>窗口层池的 token 数，足够容纳所要求的请求</translation>
    </message>
    <message>
        <source>Requests that run at once in one replica</source>
        <translation>一个副本中同时运行的请求数</translation>
    </message>
    <message>
        <source>Whole blocks for a sequence; windows are not made use of</source>
        <translation>每个序列占用整块；不利用窗口</translation>
    </message>
    <message>
        <source>A fraction of what weights and a dummy pass leave free, by the PyTorch back end of 2026: its releases are not told apart</source>
        <translation>权重与一次空跑之后剩余显存的一部分，按 2026 年的 PyTorch 后端计算：各发布版之间不作区分</translation>
    </message>
    <message>
        <source>%1: this engine has no such option; it goes with %2</source>
        <translation>%1：这个引擎没有该选项；它与 %2 一起使用</translation>
    </message>
    <message>
        <source>%1: it does not go together with %2; give one of them</source>
        <translation>%1：不能与 %2 同时使用；请只给其中一个</translation>
    </message>
    <message>
        <source>surely up to %1 tokens</source>
        <translation>确定可达 %1 个 token</translation>
    </message>
    <message>
        <source>surely none</source>
        <translation>确定可达：无</translation>
    </message>
    <message>
        <source>surely up to %1 sequences</source>
        <translation>确定可达 %1 个序列</translation>
    </message>
    <message>
        <source>What one sequence holds; of several pools the one that is first used up decides what fits</source>
        <translation>一个序列占用的显存；有多个池时，先用完的那个决定能放下多少</translation>
    </message>
    <message>
        <source>The engine would not start: weights and its profile leave nothing of the card for the KV cache</source>
        <translation>引擎无法启动：权重和启动时的试运行用掉了整张卡，KV 缓存没有剩余</translation>
    </message>
    <message>
        <source>The engine would not start: one sequence of the full length needs %1 of KV cache and %2 are there</source>
        <translation>引擎无法启动：一个满长度序列需要 %1 的 KV 缓存，现有 %2</translation>
    </message>
</context>
</TS>
