// SPDX-License-Identifier: GPL-3.0-or-later
// Lines as the engines print them: llama.cpp b10488 (load_tensors, llama_kv_cache, llama_context), Ollama 0.33 (`ollama ps`),
// vLLM (spec/serving-engines.md 3.2, 3.3), SGLang (2.11), TensorRT-LLM (3.5).
#include "ui/text/enginelog.h"

#include "core/engine.h"
#include "core/engines/llamacpplog.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>

namespace kvscope::text {

namespace {

constexpr double mib = static_cast<double>(bytesPerMiB), gib = static_cast<double>(bytesPerGiB);

double inMiB(Bytes bytes) { return static_cast<double>(bytes.value) / mib; }

QString withCommas(double whole) { return QLocale(QLocale::English, QLocale::UnitedStates).toString(static_cast<qlonglong>(whole)); }

/// C rounds an exact half to the even digit, Qt away from zero; at two decimals they differ at .125 and .625.
double halvesToEven(double value) { return std::fmod(value * 8, 4) == 1 ? std::nextafter(value, 0) : value; }
template<typename Value>
Value printable(Value value)
{
    if constexpr (std::is_floating_point_v<Value>)
        return halvesToEven(value);
    else
        return value;
}

/// A number as Python's round(x, 2) shows it: at most two decimals, at least one.
QString pythonRounded(double value)
{
    QString text = QString::number(halvesToEven(value), 'f', 2);
    if (text.endsWith(QLatin1Char('0')))
        text.chop(1);
    return text;
}

class Log {
public:
    Log(const Scenario &scenario, const Cluster &cluster, const Plan &plan) : m_scenario(scenario), m_cluster(cluster), m_plan(plan) {}

    QStringList lines()
    {
        switch (m_scenario.engine.id) {
        case EngineId::Formula: break;
        case EngineId::Transformers: transformers(); break;
        case EngineId::LlamaCpp: llamaCpp(); break;
        case EngineId::Ollama:
            ollama();
            llamaCpp();
            break;
        case EngineId::Vllm: vllm(); break;
        case EngineId::Sglang: sglang(); break;
        case EngineId::TensorRtLlm: tensorRtLlm(); break;
        }
        return m_lines;
    }

private:
    std::optional<double> find(const char *name) const
    {
        const auto at = std::ranges::find(m_plan.engineReport, name, &ReportFigure::name);
        return at == m_plan.engineReport.end() ? std::nullopt : std::optional(at->value);
    }
    double value(const char *name) const { return find(name).value_or(0); }
    template<typename... Values>
    void print(const char *format, Values... values)
    {
        m_lines += QString::asprintf(format, printable(values)...);
    }

    /// "CUDA", as the names of buffers begin with; empty: none but the CPU.
    const char *backendName() const
    {
        switch (m_facts.backend) {
        case Backend::Automatic:
        case Backend::Cuda: return "CUDA";
        case Backend::Rocm: return "ROCm";
        case Backend::Vulkan: return "Vulkan";
        case Backend::Metal: return "MTL";
        case Backend::Rpc: return "RPC";
        case Backend::Cpu: return "";
        }
        return "";
    }
    QByteArray deviceName(const DevicePlan &device) const { return QByteArray(backendName()) + QByteArray::number(device.index); }
    /// Pinned where the back end has it.
    QByteArray hostName() const
    {
        const QByteArray backend = backendName();
        return backend.isEmpty() || backend == "MTL" || backend == "RPC" ? QByteArray("CPU") : backend + "_Host";
    }
    template<typename Of>
    void buffers(const char *format, Of of, const QByteArray &host, Bytes onHost)
    {
        for (const DevicePlan &device : m_plan.devices) {
            if (const Bytes bytes = of(device); bytes.value > 0)
                print(format, deviceName(device).constData(), inMiB(bytes));
        }
        if (onHost.value > 0)
            print(format, host.constData(), inMiB(onHost));
    }

    void cacheLine(double bytes, double key, double cells, int layers)
    {
        print("llama_kv_cache: size = %7.2f MiB (%6lld cells, %3d layers, %2lld/%lld seqs), K (%s): %7.2f MiB, V (%s): %7.2f MiB",
              bytes / mib, static_cast<long long>(cells), layers, static_cast<long long>(m_facts.slotCount),
              static_cast<long long>(m_facts.streams), infoOf(m_facts.key).name.data(), key / mib, infoOf(m_facts.value).name.data(),
              (bytes - key) / mib);
    }

    /// Each cache with its buffers. Where dense and windowed layers lie on several devices, a device's two buffers stand as one.
    void printCaches()
    {
        constexpr const char *line = "llama_kv_cache: %10s KV buffer size = %8.2f MiB";
        const auto ofDevice = [](const DevicePlan &d) { return d.used[Part::Kv]; };
        const double all = value("kv_bytes"), windowed = value("swa_kv_bytes"), dense = all - windowed;
        const double keys = all > 0 ? value("k_bytes") / all : 0;
        const auto holder =
            std::ranges::find_if(m_plan.devices, [&](const DevicePlan &d) { return static_cast<double>(ofDevice(d).value) == all; });
        const bool apart = windowed > 0 && holder != m_plan.devices.end();
        if (!apart)
            buffers(line, ofDevice, "CPU", m_plan.hostKv);
        for (const auto &[bytes, cells, isWindow] : {std::tuple{dense, "kv_cells", false}, std::tuple{windowed, "swa_cells", true}}) {
            if (bytes <= 0)
                continue;
            if (apart)
                print(line, deviceName(*holder).constData(), bytes / mib);
            cacheLine(bytes, bytes * keys, value(cells), isWindow ? m_facts.windowedLayers : m_facts.denseLayers);
        }
    }

    void llamaCpp()
    {
        const std::optional<llamacpp::LogFacts> facts = llamacpp::logFacts(m_scenario, m_cluster);
        if (m_plan.devices.empty() || !find("kv_bytes") || !facts)
            return;
        m_facts = *facts;
        const Bytes output{static_cast<std::int64_t>(value("output_buffer_bytes"))};
        buffers(
            "load_tensors: %12s model buffer size = %8.2f MiB", [](const DevicePlan &d) { return d.used[Part::Weights]; }, "CPU_Mapped",
            m_plan.hostWeights);
        if (output.value > 0)
            print("llama_context: %10s  output buffer size = %8.2f MiB", hostName().constData(), inMiB(output));
        printCaches();
        if (const double state = value("recurrent_bytes"); state > 0) {
            buffers(
                "llama_memory_recurrent: %10s RS buffer size = %8.2f MiB", [](const DevicePlan &d) { return d.used[Part::State]; }, "CPU",
                Bytes{});
            print("llama_memory_recurrent: size = %7.2f MiB (%6lld cells, %3d layers, %2lld seqs)", state / mib,
                  static_cast<long long>(m_facts.slotCount), m_facts.recurrentLayers, static_cast<long long>(m_facts.slotCount));
        }
        buffers(
            "sched_reserve: %10s compute buffer size = %8.2f MiB", [](const DevicePlan &d) { return d.used[Part::Activation]; }, hostName(),
            m_plan.hostActivation - output);
    }

    /// `ollama ps`; sizes are decimal, whole from ten of a unit on.
    void ollama()
    {
        const double size = value("size"), cards = value("size_vram");
        if (size <= 0)
            return;
        const std::array units{std::pair{1e12, "TB"}, std::pair{1e9, "GB"}, std::pair{1e6, "MB"}, std::pair{1e3, "KB"},
                               std::pair{1.0, "B"}};
        const auto unit = std::ranges::find_if(units, [size](const auto &u) { return size >= u.first; });
        const double shown = size / unit->first;
        const bool whole = shown >= 10 || shown == std::floor(shown);
        const QString human = QStringLiteral("%1 %2").arg(whole ? QString::number(std::floor(shown)) : QString::number(shown, 'f', 1),
                                                          QLatin1String(unit->second));
        const int onHost = static_cast<int>(std::round((size - cards) / size * 100));
        const QString processor = cards <= 0      ? QStringLiteral("100% CPU")
                                  : cards >= size ? QStringLiteral("100% GPU")
                                                  : QStringLiteral("%1%/%2% CPU/GPU").arg(onHost).arg(100 - onHost);
        const QString context = QString::number(value("num_ctx"), 'f', 0);
        const auto column = [](const char *head, const QString &cell) {
            const qsizetype width = std::max<qsizetype>(cell.size(), qstrlen(head)) + 4;
            return std::pair(QString::fromLatin1(head).leftJustified(width), cell.leftJustified(width));
        };
        const auto first = column("SIZE", human), second = column("PROCESSOR", processor);
        m_lines += first.first + second.first + QStringLiteral("CONTEXT");
        m_lines += first.second + second.second + QString::number(value("num_ctx"), 'f', 0);
    }

    void vllm()
    {
        const DevicePlan *device = m_plan.binding();
        if (device && device->used[Part::Weights].value > 0)
            print("Model loading took %.2f GiB memory", static_cast<double>(device->used[Part::Weights].value) / gib);
        const std::optional<double> available = find("available_kv_cache_bytes");
        if (!available)
            return;
        print("Available KV cache memory: %.2f GiB", *available / gib);
        const QByteArray length = withCommas(static_cast<double>(m_scenario.context.value)).toLatin1();
        const double needed = value("bytes_needed_for_max_model_len");
        if (*available <= 0) {
            print("No available memory for the cache blocks.");
            return;
        }
        if (needed > *available) {
            QString refusal = QStringLiteral("To serve at least one request with the model's max seq len (%1), %2 GiB KV cache is needed, "
                                             "which is larger than the available KV cache memory (%3 GiB).")
                                  .arg(m_scenario.context.value)
                                  .arg(pythonRounded(needed / gib), pythonRounded(*available / gib));
            if (const double longest = value("estimated_max_model_len"); longest > 0)
                refusal +=
                    QStringLiteral(" Based on the available memory, the estimated maximum model length is %1.").arg(longest, 0, 'f', 0);
            m_lines += refusal;
            return;
        }
        print("GPU KV cache size: %s tokens", withCommas(value("kv_cache_tokens")).toLatin1().constData());
        print("Maximum concurrency for %s tokens per request: %.2fx", length.constData(), value("max_concurrency"));
    }

    void sglang()
    {
        const std::optional<double> tokens = find("max_total_num_tokens");
        if (!tokens)
            return;
        const double key = value("k_bytes"), values = value("v_bytes");
        if (values > 0)
            print("KV Cache is allocated. #tokens: %.0f, K size: %.2f GB, V size: %.2f GB", *tokens, key / gib, values / gib);
        else
            print("KV Cache is allocated. #tokens: %.0f, KV size: %.2f GB", *tokens, key / gib);
        for (const char *other : {"swa_max_total_num_tokens", "max_mamba_cache_size"}) {
            if (find(other))
                print("%s=%.0f", other, value(other));
        }
        QString last = QString::asprintf("max_total_num_tokens=%.0f", *tokens);
        if (find("max_running_requests"))
            last += QString::asprintf(", max_running_requests=%.0f", value("max_running_requests"));
        m_lines += last + QStringLiteral(", context_len=%1").arg(m_scenario.context.value);
    }

    void tensorRtLlm()
    {
        if (m_plan.pool)
            print("Number of tokens per block: %lld.", static_cast<long long>(m_plan.pool->blockTokens.value));
        if (find("max_tokens_in_paged_kv_cache"))
            print("[MemUsageChange] Allocated %.2f GiB for max tokens in paged KV cache (%.0f).", value("allocated_kv_cache_bytes") / gib,
                  value("max_tokens_in_paged_kv_cache"));
    }

    /// It prints nothing by itself: the figures by the functions that tell them.
    void transformers()
    {
        if (!find("allocated_peak_bytes"))
            return;
        print("torch.cuda.max_memory_allocated() = %.0f (%.2f GiB)", value("allocated_peak_bytes"), value("allocated_peak_bytes") / gib);
        print("torch.cuda.max_memory_reserved() = %.0f .. %.0f (%.2f .. %.2f GiB)", value("reserved_low_bytes"),
              value("reserved_high_bytes"), value("reserved_low_bytes") / gib, value("reserved_high_bytes") / gib);
        print("past_key_values = %.0f (%.2f GiB)", value("kv_bytes"), value("kv_bytes") / gib);
    }

    const Scenario &m_scenario;
    const Cluster &m_cluster;
    const Plan &m_plan;
    llamacpp::LogFacts m_facts; ///< once llama.cpp's lines are printed
    QStringList m_lines;
};

} // namespace

QStringList engineLog(const Scenario &scenario, const Cluster &cluster, const Plan &plan)
{
    return scenario.model ? Log(scenario, cluster, plan).lines() : QStringList();
}

} // namespace kvscope::text
