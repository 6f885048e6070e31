// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare.h"
#include "core/evaluate.h"
#include "core/plan.h"
#include "core/result.h"
#include "core/scenario.h"

#include <QString>
#include <QStringList>

/// Every sentence, unit and name for core's enums and numbers, in the language that is installed. The only place that knows words.
namespace kvscope::text {

enum class Unit { GB, GiB };

/// "17.18 GB": three significant decimals at the most, grouped by the locale, unit never translated. `exact`: "17.179869184 GB".
QString bytes(Bytes value, Unit unit, bool exact = false);
/// An explained figure: bytes, or a count where the figure's name speaks of tokens, blocks or sequences.
QString explained(const Explanation &line, Unit unit, bool exact);
/// The number alone, for axes and columns whose head names the unit.
QString bytesNumber(Bytes value, Unit unit);
QString unitName(Unit unit);
/// "32,768" by the locale.
QString tokens(TokenCount value);
/// "32K", "1M"; what is no round number of K stays digits.
QString tokensShort(TokenCount value);
QString count(std::int64_t value);
/// A figure of an engine's own report; one device's says which: "4,403,502 (GPU 0)".
QString reported(const ReportFigure &figure);
/// "8.03 B" parameters.
QString parameters(std::int64_t value);

/// One word: "Fits", "Tight", "Out of memory", "Refused".
QString name(Verdict verdict);
QString name(Part part);
QString name(Mixer mixer);
QString name(Recurrence recurrence);
QString name(Role role);
QString name(Confidence confidence);
/// The same for a line, with what a calibrated rule was held against: "calibrated, within 0.1 % in 57 runs".
QString confidence(const Explanation &line);
QString name(PoolKind kind);
/// The format as shown: "q8_0"; never translated.
QString name(Format format);
/// "K q8_0 · V q4_0", or one name where both are alike.
QString kvName(const Scenario &scenario);
QString name(EngineId engine);
/// With its version.
QString engineName(const Scenario &scenario);
QString engineName(const EngineChoice &engine);
/// "RTX 4090 x2"; a card known only by its size by that: "24 GB".
QString name(const Cluster &cluster, Unit unit);
/// "TP 4 · PP 2 · DCP 2"; empty where nothing is split.
QString name(const Split &split);
/// The split, the machines and what joins their GPUs, as far as they are not the usual: "TP 16 · 2 machines · NVLink".
QString layout(const Cluster &cluster);
/// Of which machine and engine a compared row speaks, as far as these differ: "vLLM 0.19.0", "RTX 4090 x2 (TP 2)", "vLLM 0.19.0 on RTX 4090".
QString name(const Scenario &scenario, const Compared &row, Unit unit);

/// "Fits, 3.1 GB free", "Out of memory by 2.4 GB", "Refused: ...".
QString verdictSentence(const Plan &plan, Unit unit);
/// "within the trained length", "memory", ...
QString reason(LimitReason reason);
/// A limit's figure; "∞" where there is none.
QString contextLimit(const Limits &limits);
QString contextLimitBeyondTraining(const Limits &limits);
QString batchLimit(const Limits &limits);
/// WHAT: WHY; HOW TO MEND. One line.
QString sentence(const Error &error);
QString sentence(const Warning &warning, Unit unit);
QString sentence(const Assumption &assumption);
/// "+1.2 GB: cells or blocks are handed out in whole steps".
QString sentence(const Difference &difference, Unit unit);
/// What an Explanation::rule means, in a sentence.
QString rule(const std::string &rule);
/// Where an Explanation was read: the citation itself, or words for the codes "given" and "computed".
QString source(const std::string &source);
/// "32 layers · 8 KV heads of 32 · head dim 128"; for MLA "latent 512 + 64".
QString shapeLine(const ModelSpec &model);
/// "By attention heads it would read 4x more"; empty where the wrong reading gives the same.
QString wrongReadingHint(const ModelSpec &model);

/// Installs the translators for "en", "zh_CN" or "" (the system's) into the application, replacing earlier ones.
void installLanguage(const QString &language);
/// "en" or "zh_CN": what is installed.
QString language();

} // namespace kvscope::text
