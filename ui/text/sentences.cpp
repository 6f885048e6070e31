// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences for errors, warnings, verdicts and assumptions. An error reads WHAT: WHY; HOW TO MEND (spec/cli.md).
#include "ui/text/text.h"

#include "ui/text/words.h"

#include <QStringList>

#include <algorithm>
#include <charconv>

namespace kvscope::text {

namespace {

/// A whole number of core's own making, or nothing.
std::optional<std::int64_t> wholeOf(const std::string &text)
{
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return status == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional(value) : std::nullopt;
}

/// What the error is about: the JSON path in its file, or either of them.
QString placeOf(const Error &error)
{
    const QString where = quoted(error.where), file = quoted(error.file);
    if (file.isEmpty() || file == where)
        return where;
    return where.isEmpty() ? file : Words::tr("%1 in %2", "a field in a file").arg(where, file);
}

QString sizeLimit(const std::string &detail)
{
    const std::optional<std::int64_t> limit = wholeOf(detail);
    return limit ? bytes({*limit}, Unit::GiB) : quoted(detail);
}

/// The JSON types that core names.
QString typeName(const std::string &type)
{
    if (type == "object")
        return Words::tr("an object { }", "JSON type");
    if (type == "array")
        return Words::tr("a list [ ]", "JSON type");
    if (type == "string")
        return Words::tr("text in quotes", "JSON type");
    if (type == "number")
        return Words::tr("a number", "JSON type");
    if (type == "integer")
        return Words::tr("a whole number", "JSON type");
    if (type == "boolean")
        return Words::tr("true or false", "JSON type");
    return quoted(type);
}

/// The kinds of files that core names.
QString kindName(const std::string &kind)
{
    if (kind == "scenario")
        return Words::tr("a KVScope scenario", "kind of file");
    if (kind == "config")
        return Words::tr("a model's config.json", "kind of file");
    if (kind == "safetensors_index")
        return Words::tr("a safetensors index", "kind of file");
    if (kind == "hf_quant_config")
        return Words::tr("a hf_quant_config.json", "kind of file");
    if (kind == "models or devices")
        return Words::tr("a catalogue of models or devices", "kind of file");
    return quoted(kind);
}

/// What a field accepts: a range or list as it stands, or one of core's few words.
QString accepted(const std::string &detail)
{
    if (detail == "lower case, no spaces")
        return Words::tr("lower-case letters, no spaces");
    if (detail == "letters or digits")
        return Words::tr("letters or digits");
    if (detail == "not empty")
        return Words::tr("text that is not empty");
    if (detail == "above 0")
        return Words::tr("a size above 0");
    if (detail == "usable at most the memory")
        return Words::tr("no more than the memory");
    return listed(detail);
}

QString valueAt(const Warning &warning, std::size_t i) { return i < warning.values.size() ? quoted(warning.values[i]) : QString(); }

QString countAt(const Warning &warning, std::size_t i)
{
    const std::optional<std::int64_t> value = i < warning.values.size() ? wholeOf(warning.values[i]) : std::nullopt;
    return value ? count(*value) : valueAt(warning, i);
}

QString bytesAt(const Warning &warning, std::size_t i, Unit unit)
{
    const std::optional<std::int64_t> value = i < warning.values.size() ? wholeOf(warning.values[i]) : std::nullopt;
    return value ? bytes({*value}, unit) : valueAt(warning, i);
}

} // namespace

QString quoted(std::string_view outside, int most)
{
    QString text = QString::fromUtf8(outside.data(), static_cast<qsizetype>(outside.size()));
    for (QChar &c : text) {
        if (c.category() == QChar::Other_Control || c.category() == QChar::Other_Format || c.category() == QChar::Separator_Line ||
            c.category() == QChar::Separator_Paragraph)
            c = QLatin1Char(' ');
    }
    if (text.size() > most)
        text = text.left(most / 2 - 1) + QChar(0x2026) + text.right(most / 2);
    return text;
}

QString listed(std::string_view commaSeparated)
{
    QStringList names = quoted(commaSeparated, 400).split(QLatin1Char(','), Qt::SkipEmptyParts);
    for (QString &name : names)
        name = name.trimmed();
    return names.join(Words::tr(", ", "between the names of a list"));
}

QString sentence(const Error &error)
{
    const QString place = placeOf(error), detail = quoted(error.detail);
    switch (error.code) {
    case ErrorCode::FileNotFound: return Words::tr("%1: there is no such file; check the path").arg(place);
    case ErrorCode::NotAFile: return Words::tr("%1: this is not a regular file; give a file").arg(place);
    case ErrorCode::NoPermission: return Words::tr("%1: no permission; change the file's permissions or choose another").arg(place);
    case ErrorCode::FileTooLarge:
        return Words::tr("%1: the file is larger than %2, the most that is read; check that it is the right file")
            .arg(place, sizeLimit(error.detail));
    case ErrorCode::FileEmpty: return Words::tr("%1: the file is empty; fetch or save it again").arg(place);
    case ErrorCode::ReadFailed: return Words::tr("%1: can't be read (%2); try again or use a copy").arg(place, detail);
    case ErrorCode::WriteFailed: return Words::tr("%1: can't be written (%2); choose another place").arg(place, detail);
    case ErrorCode::NotJson:
        if (wholeOf(error.detail)) // an offset is for tools: no grouping
            return Words::tr("%1: not valid JSON from byte %2 on; mend it there or fetch the file again").arg(place, detail);
        return Words::tr("%1: not valid JSON; mend it or fetch the file again").arg(place);
    case ErrorCode::NotThisKind: return Words::tr("%1: this is not %2; give a file of that kind").arg(place, kindName(error.detail));
    case ErrorCode::MissingField:
        if (error.detail.empty())
            return Words::tr("%1: the field is missing; add it").arg(place);
        return Words::tr("%1: the field is missing; add it under one of these names: %2").arg(place, listed(error.detail));
    case ErrorCode::WrongType: return Words::tr("%1: wrong type of value; write %2").arg(place, typeName(error.detail));
    case ErrorCode::OutOfRange: return Words::tr("%1: the value is out of range; accepted: %2").arg(place, accepted(error.detail));
    case ErrorCode::NotDivisible: return Words::tr("%1: %2 can't be divided evenly; check both numbers").arg(place, detail);
    case ErrorCode::UnknownArchitecture:
        if (error.detail.empty())
            return Words::tr("%1: no rule for this architecture, and standard fields are missing; give the shape by hand").arg(place);
        return Words::tr("%1: no rule for this architecture, and %2 is missing; add it or give the shape by hand").arg(place, detail);
    case ErrorCode::NewerVersion:
        return Words::tr("%1: saved by a newer version (file version %2); update KVScope to open it").arg(place, detail);
    case ErrorCode::UnknownName:
        if (error.detail.empty() && error.where.starts_with('-'))
            return Words::tr("%1: there is no such option; --help lists those that there are").arg(place);
        if (error.detail.empty())
            return Words::tr("%1: no such name is known, and none is near; kvplan models, gpus and engines list those that are").arg(place);
        return Words::tr("%1: no such name is known; did you mean %2?").arg(place, listed(error.detail));
    case ErrorCode::AmbiguousName: return Words::tr("%1: the name fits several; choose one of %2").arg(place, listed(error.detail));
    case ErrorCode::BadSize: return Words::tr("%1: not a size; write it like 24GB, 22.5GiB or plain bytes").arg(place);
    case ErrorCode::BadNumber:
        if (error.detail == "parameters")
            return Words::tr("%1: not a number of parameters; write it like 30.53B or 135M").arg(place);
        if (error.detail.empty() || error.detail == "tokens")
            return Words::tr("%1: not a number of tokens; write it like 32768 or 32k").arg(place);
        return Words::tr("%1: not a number that is taken here; accepted: %2").arg(place, accepted(error.detail));
    case ErrorCode::BadOption:
        if (error.detail.empty())
            return Words::tr("%1: not accepted here; see --help").arg(place);
        if (error.detail.starts_with("--engine "))
            return Words::tr("%1: this engine has no such option; it goes with %2").arg(place, detail);
        if (error.detail.starts_with("--"))
            return Words::tr("%1: it does not go together with %2; give one of them").arg(place, detail);
        return Words::tr("%1: not accepted; it takes %2").arg(place, listed(error.detail));
    case ErrorCode::UnsupportedFormat:
        if (error.detail.empty())
            return Words::tr("%1: not possible with this engine and model; choose another format").arg(place);
        return Words::tr("%1: the engine does not have this format; choose one of %2").arg(place, listed(error.detail));
    case ErrorCode::FlashAttentionNeeded:
        return Words::tr("V in %1: not stored without flash attention; turn flash attention on or keep V in 16 bits").arg(place);
    case ErrorCode::UnequalCacheTypes:
        return Words::tr("K in %1, V in %2: both must be one type here; choose the same type for K and V").arg(place, detail);
    case ErrorCode::HeadNotWholeBlocks:
        return Words::tr("%1: its blocks do not divide heads of %2 elements; choose a 16-bit type or turn flash attention off")
            .arg(place, detail);
    case ErrorCode::UnevenMemory:
        return Words::tr("%1: it has less than nine tenths of the free memory of %2, the engine does not start on both; choose cards alike")
            .arg(place, detail);
    case ErrorCode::ImpossibleSplit:
        if (error.detail.empty())
            return Words::tr("%1: the model can't be split this way; change the split").arg(place);
        return Words::tr("%1: the model can't be split this way; allowed: %2").arg(place, listed(error.detail));
    case ErrorCode::MissingModel: return Words::tr("model: none was given; name one with --model or give its shape");
    case ErrorCode::MissingDevice: return Words::tr("GPU: none was given; name one with --gpu or give its size with --gpu-memory");
    case ErrorCode::UnsupportedVersion:
        return Words::tr("%1: GGUF version %2 can't be read; convert the model again (versions 2 and 3 are read)").arg(place, detail);
    case ErrorCode::CutShort: return Words::tr("%1: the file ends here, at byte %2, within its header; fetch it again").arg(place, detail);
    case ErrorCode::DamagedHeader: return Words::tr("%1: not valid at byte %2; fetch the file again").arg(place, detail);
    case ErrorCode::WrongLength:
        return Words::tr("%1: the list must have %2 entries, one a layer; convert the model again").arg(place, detail);
    case ErrorCode::DuplicateName: return Words::tr("%1: %2 is there twice; fetch or convert the file again").arg(place, detail);
    case ErrorCode::UnknownTensorType:
        return Words::tr("%1: tensor type %2 is not known or no longer in use; convert the model again").arg(place, detail);
    case ErrorCode::SplitMismatch:
        return Words::tr("%1: does not fit the other parts of the split file (%2); fetch all parts again under their own names")
            .arg(place, detail);
    case ErrorCode::TooLarge: return Words::tr("%1: the figure is too large to count; use smaller numbers").arg(place);
    }
    return {};
}

QString sentence(const Warning &warning, Unit unit)
{
    const QString first = valueAt(warning, 0), second = valueAt(warning, 1);
    switch (warning.code) {
    case WarningCode::BeyondTrainedLength:
        return Words::tr("The context of %1 tokens is longer than the %2 that the model was trained for")
            .arg(countAt(warning, 0), countAt(warning, 1));
    case WarningCode::UnknownArchitecture:
        return Words::tr("No rule knows the architecture %1: it was read by the standard field names").arg(first);
    case WarningCode::IncompleteFile:
        return Words::tr("%1: the header is whole, but the file ends before its tensors do; an engine will not load it").arg(first);
    case WarningCode::NoWeights:
        return Words::tr("The number of parameters is not known: weights are left out, and the verdict speaks of the KV cache alone");
    case WarningCode::AssumedMemory:
        return Words::tr("%1: the driver's memory figure is not known; the marketed GB are read as GiB").arg(first);
    case WarningCode::AssumedUsable: return Words::tr("%1: the memory that an engine can use is estimated").arg(first);
    case WarningCode::UnusedDevices:
        return Words::tr("%1 of %2 GPUs hold nothing: the split does not use them").arg(countAt(warning, 0), countAt(warning, 1));
    case WarningCode::ReplicatedKvHeads:
        return Words::tr("TP %1 is more than the %2 KV heads: heads are copied, so the KV cache takes more memory in all")
            .arg(countAt(warning, 0), countAt(warning, 1));
    case WarningCode::UnevenHeads:
        return Words::tr("%1 KV heads do not divide evenly over TP %2").arg(countAt(warning, 0), countAt(warning, 1));
    case WarningCode::EngineLacksOption: return Words::tr("The engine has no %1: the figures leave it out").arg(first);
    case WarningCode::HostMemoryShort:
        return Words::tr("The host needs %1 of memory and has %2").arg(bytesAt(warning, 0, unit), bytesAt(warning, 1, unit));
    case WarningCode::OlderThanListed: return Words::tr("Version %1 is not listed: the rules before %2 are used").arg(first, second);
    case WarningCode::UnknownVersion: return Words::tr("Version %1 is not listed: the rules of %2 are used").arg(first, second);
    case WarningCode::EngineNotForDevice: return Words::tr("%1: the engine does not run on this GPU").arg(first);
    case WarningCode::UnifiedLimit:
        return Words::tr(
                   "%1: macOS lets the GPU take %2 of the shared memory by default; newer versions take more, iogpu.wired_limit_mb sets "
                   "it: enter your own figure as GPU memory")
            .arg(first, bytesAt(warning, 1, unit));
    case WarningCode::SilentSpill:
        return Words::tr("On Windows the driver moves what does not fit into host memory without a word, and everything gets slow: choose "
                         "\"Prefer No Sysmem Fallback\" and leave 1 GiB to the desktop");
    case WarningCode::CacheTypeIgnored:
        return Words::tr("KV in %1 is ignored without flash attention: the cache stays at 16 bits; turn flash attention on").arg(first);
    case WarningCode::FitContext:
        return Words::tr("If no context were given, the engine itself would choose %1 tokens, so that 1 GiB stays free")
            .arg(countAt(warning, 0));
    case WarningCode::FitExperts:
        return Words::tr("The engine itself would keep the experts of %1 of %2 blocks in host memory, so that 1 GiB stays free")
            .arg(countAt(warning, 0), countAt(warning, 1));
    case WarningCode::EngineOffloadsLess:
        return Words::tr("Left to itself the engine would place %1 of %2 layers on the GPU, the rest on the host").arg(first, second);
    case WarningCode::ActivationsNotModelled:
        return first.isEmpty() ? Words::tr("The activations of a model by hand are not modelled: the figure is too low")
                               : Words::tr("The activations of %1 are not modelled: the figure is too low").arg(first);
    case WarningCode::MixedDevices: return Words::tr("The machine has different GPUs: %1 decides").arg(first);
    case WarningCode::TooLarge: return Words::tr("A figure is too large to count");
    case WarningCode::UnknownFormatSize: return Words::tr("The size of the stored format is not known: %1 was taken instead").arg(first);
    case WarningCode::RecurrentSplit: return Words::tr("The recurrent state does not divide evenly over TP %1").arg(countAt(warning, 0));
    case WarningCode::BudgetNotTried:
        return Words::tr("The engine's memory rules were not held against logs of this version, card or kind of model: "
                         "the range of its KV budget is at least twice as wide");
    case WarningCode::StartRefused:
        if (valueAt(warning, 1) == u"0")
            return Words::tr("The engine would not start: weights and its profile leave nothing of the card for the KV cache");
        if (valueAt(warning, 2) == u"0")
            return Words::tr("The engine would not start: one sequence of the full length needs %1 of KV cache and %2 are there")
                .arg(bytesAt(warning, 0, unit), bytesAt(warning, 1, unit));
        return Words::tr("The engine would not start: one sequence of the full length needs %1 of KV cache and %2 are there; "
                         "about %3 tokens would fit")
            .arg(bytesAt(warning, 0, unit), bytesAt(warning, 1, unit), countAt(warning, 2));
    case WarningCode::SequencesWait:
        return Words::tr("%1 sequences are asked for at once and the engine runs %2: the rest wait; raise the most sequences at once")
            .arg(countAt(warning, 0), countAt(warning, 1));
    case WarningCode::TensorAcrossMachines:
        return Words::tr(
                   "A TP group of %1 GPUs stands in more than one machine (%2 in each): every layer then waits for the network, which "
                   "is slow; keep TP within a machine and split the layers (PP) over machines")
            .arg(countAt(warning, 0), countAt(warning, 1));
    case WarningCode::OptionOfOtherEngine:
        if (const QString instead = valueAt(warning, 2); !instead.isEmpty())
            return Words::tr("%1 is an option of %2; here its value counts as %3").arg(first, listed(second.toStdString()), instead);
        return Words::tr("%1 is an option of %2; it changes nothing here").arg(first, listed(second.toStdString()));
    case WarningCode::ThousandsOfTokens:
        return Words::tr("%1 is %2 tokens here, and vLLM itself reads %3 in it: give vLLM plain digits")
            .arg(first, countAt(warning, 1), countAt(warning, 2));
    case WarningCode::PrefixClipped:
        return Words::tr("A shared prefix of %1 tokens is longer than the context: %2 are counted as shared")
            .arg(countAt(warning, 0), countAt(warning, 1));
    }
    return {};
}

QString verdictSentence(const Plan &plan, Unit unit)
{
    if (plan.verdict == Verdict::Refused)
        return plan.refusal ? Words::tr("Refused: %1", "verdict").arg(sentence(*plan.refusal)) : name(plan.verdict);
    const DevicePlan *device = plan.binding();
    if (!device)
        return name(plan.verdict);
    switch (plan.verdict) {
    case Verdict::Fits: return Words::tr("Fits, %1 free").arg(bytes(device->free(), unit));
    case Verdict::Tight:
        if (plan.pool && device->high <= device->budget)
            return Words::tr("Tight, the KV pool may come out too small");
        return Words::tr("Tight, up to %1 short").arg(bytes(device->high - device->budget, unit));
    case Verdict::OutOfMemory:
        if (device->total > device->budget)
            return Words::tr("Out of memory by %1").arg(bytes(device->total - device->budget, unit));
        if (device->kvNeeded > device->used[Part::Kv])
            return Words::tr("The KV pool is %1 short").arg(bytes(device->kvNeeded - device->used[Part::Kv], unit));
        if (std::ranges::count(plan.warnings, WarningCode::StartRefused, &Warning::code) > 0)
            return Words::tr("The KV pool is too small for the engine to start");
        return Words::tr("Out of memory on the host");
    case Verdict::Refused: break;
    }
    return name(plan.verdict);
}

} // namespace kvscope::text
