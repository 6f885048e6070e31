// SPDX-License-Identifier: GPL-3.0-or-later
// vLLM's pools for recurrent models, drafting layers and DeepSeek V4: spec/serving-engines.md 2.7, 2.8 and 2.10.
#include "tests/core/vllmsetups.h"

#include <QRegularExpression>

using namespace kvscope;
using namespace kvscope::testing;

namespace {

using vllm::Setup;

Setup setupOf(const QByteArray &model, const char *version, int tensor, double poolGiB, std::optional<Format> kv = {})
{
    return vllmSetup(vllmScenario(catalogued(model.constData()), version, tensor, kv, 131'072_tokens), poolGiB);
}

} // namespace

class TestVllmHybrids : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    /// 2.7, table of hybrids: attention blocks that hold one state.
    void enlargesBlocks_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("tensor");
        QTest::addColumn<bool>("fp8");
        QTest::addColumn<qint64>("state");
        QTest::addColumn<qint64>("block");
        QTest::addColumn<int>("groups");
        QTest::addColumn<qint64>("blockBytes");
        QTest::addColumn<double>("trueMiB");
        QTest::addColumn<double>("chargedMiB");
        const auto row = [](const char *name, const char *model, int tensor, bool fp8, qint64 state, qint64 block, int groups, qint64 bytes,
                            double trueMiB, double charged) {
            QTest::newRow(name) << QByteArray(model) << tensor << fp8 << state << block << groups << bytes << trueMiB << charged;
        };
        row("Qwen3-Next", "qwen3-next-80b-a3b-instruct", 1, false, 1'097'728, 544, 4, 13'369'344, 37.7, 76.5);
        row("Qwen3-Next tp2", "qwen3-next-80b-a3b-instruct", 2, false, 548'864, 544, 4, 6'684'672, 18.8, 38.2);
        row("Qwen3-Next tp4", "qwen3-next-80b-a3b-instruct", 4, false, 274'432, 272, 4, 3'342'336, 9.4, 19.1);
        row("Qwen3.5-397B tp8", "qwen3.5-397b-a17b", 8, false, 533'504, 528, 4, 8'110'080, 22.9, 46.4);
        row("Qwen3.5-35B-A3B", "qwen3.5-35b-a3b", 1, false, 2'146'304, 1056, 4, 21'626'880, 61.4, 123.8);
        row("Qwen3.5-27B", "qwen3.5-27b", 1, false, 3'207'168, 784, 4, 51'380'224, 146.8, 294.0);
        row("Nemotron-3-Nano-30B", "nvidia-nemotron-3-nano-30b-a3b-bf16", 1, false, 2'134'016, 2096, 5, 12'877'824, 46.8, 98.2);
        row("Qwen3.6-27B tp2 fp8", "qwen3.6-27b", 2, true, 1'603'584, 1568, 4, 25'690'112, -1, -1);
        row("Qwen3.6-27B tp2", "qwen3.6-27b", 2, false, 1'603'584, 784, 4, 25'690'112, -1, -1);
        row("Qwen3.6-35B-A3B fp8", "qwen3.6-35b-a3b", 1, true, 2'146'304, 2096, 4, 21'463'040, -1, -1);
        row("Jamba-v0.1", "jamba-v0.1", 1, false, 311'296, 80, 8, 1'310'720, 8.3, 17.5);
        row("Kimi-Linear-48B", "kimi-linear-48b-a3b-instruct", 1, false, 2'170'880, 1920, 4, 15'482'880, 41.4, 88.6);
    }

    void enlargesBlocks()
    {
        QFETCH(QByteArray, model);
        QFETCH(int, tensor);
        QFETCH(bool, fp8);
        QFETCH(qint64, state);
        QFETCH(qint64, block);
        QFETCH(int, groups);
        QFETCH(qint64, blockBytes);
        QFETCH(double, trueMiB);
        QFETCH(double, chargedMiB);
        const Setup setup = setupOf(model, "0.29.0", tensor, 40, fp8 ? std::optional(Format::FP8) : std::nullopt);
        std::int64_t ofLayer = 0;
        std::int64_t ofRank = 0;
        const std::vector<int> counts = setup.run.model->groupCounts();
        for (std::size_t g = 0; g < counts.size(); ++g) {
            if (setup.run.model->groups[g].state.kind == Recurrence::None)
                continue;
            ofLayer = vllm::stateBytesOf(setup.run, setup.rules, setup.run.model->groups[g]).total();
            ofRank += ofLayer * counts[g];
        }
        QCOMPARE(ofLayer, state);
        std::int64_t charged = 0;
        for (const vllm::BlockGroup &group : setup.pool.groups) {
            if (group.kind == vllm::SpecKind::Full)
                QCOMPARE(group.block, block);
            else
                charged += setup.pool.holding.stateBlocks * setup.pool.blockBytes.front();
        }
        QCOMPARE(setup.pool.groups.size(), static_cast<std::size_t>(groups));
        QCOMPARE(setup.pool.blockBytes.front(), blockBytes);
        if (trueMiB < 0)
            return;
        QVERIFY2(std::abs(static_cast<double>(ofRank) / bytesPerMiB - trueMiB) <= 0.06, qPrintable(QString::number(ofRank)));
        QVERIFY2(std::abs(static_cast<double>(charged) / bytesPerMiB - chargedMiB) <= 0.06, qPrintable(QString::number(charged)));
    }

    /// 2.7: Qwen3-Next at 32,768 tokens with prefix caching: 61 + 6 blocks.
    void holdsTwoStatesWithPrefixCaching()
    {
        const auto blocksAt = [](const char *version, std::optional<bool> caching) {
            Scenario scenario = servingScenario(EngineId::Vllm, version, catalogued("qwen3-next-80b-a3b-instruct"));
            scenario.serving.prefixCaching = caching;
            return vllmSetup(scenario, 40).pool.blocksOf(32'768_tokens);
        };
        QCOMPARE(blocksAt("0.27.0", {}), 67);
        QCOMPARE(blocksAt("0.26.0", {}), 64);
        QCOMPARE(blocksAt("0.26.0", true), 67);
        QCOMPARE(blocksAt("0.27.0", false), 64);
    }

    /// 2.10: a drafting layer joins the full ones: gpt-oss-20b has 13 and 12, in groups of 13 since the largest may be 1.5 times as many.
    void countsDraftingLayers()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.29.0", catalogued("gpt-oss-20b"));
        scenario.serving.draftTokens = 3;
        const Setup setup = vllmSetup(scenario, 10);
        QCOMPARE(setup.pool.groups.size(), 2U);
        QCOMPARE(setup.pool.blockBytes.front(), 13 * 32'768);
    }

    /// 2.8: groups, stride, check bytes and the example at 131,072 tokens.
    void packsDeepSeekV4_data()
    {
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<qint64>("stride");
        QTest::addColumn<qint64>("check");
        QTest::addColumn<double>("need");
        QTest::addColumn<qint64>("blocks");
        QTest::addColumn<qint64>("tokens");
        QTest::newRow("Flash") << QByteArray("deepseek-v4-flash") << qint64{1'002'240} << qint64{1'051'776} << 7.05 << qint64{21'426}
                               << qint64{390'373};
        QTest::newRow("Pro") << QByteArray("deepseek-v4-pro") << qint64{1'435'968} << qint64{1'482'048} << 9.93 << qint64{14'954}
                             << qint64{272'456};
    }

    void packsDeepSeekV4()
    {
        QFETCH(QByteArray, model);
        QFETCH(qint64, stride);
        QFETCH(qint64, check);
        QFETCH(double, need);
        QFETCH(qint64, blocks);
        QFETCH(qint64, tokens);
        const Setup setup = setupOf(model, "2026-08-17", 8, 20);
        QCOMPARE(setup.pool.groups.size(), 5U);
        QCOMPARE(setup.pool.blockBytes.front(), stride);
        QCOMPARE(setup.pool.checkBytes.front(), check);
        QCOMPARE(setup.pool.blocksOf(131'072_tokens), 512 + 259 + 259 + 4099 + 2065);
        QCOMPARE(rounded(gibOf(static_cast<double>(setup.needed(131'072_tokens).value)), 2), need);
        QCOMPARE(setup.blocks, blocks);
        QCOMPARE(printedBy(setup, 131'072_tokens).tokens, tokens);
        const Setup later = setupOf(model, "2026-08-26", 8, 20);
        QCOMPARE(later.pool.checkBytes.front(), stride);
    }

    /// A run of 0.22 printed 6.66 GiB and 13,528 (these rules: 13,524).
    void checksDeepSeekV4By0_22()
    {
        Scenario scenario = servingScenario(EngineId::Vllm, "0.22.0", catalogued("deepseek-v4-flash"));
        scenario.context = 30'000_tokens;
        scenario.serving.batchedTokens = 16'384;
        const Setup setup = vllmSetup(scenario, 4);
        QCOMPARE(rounded(gibOf(static_cast<double>(setup.needed(30'000_tokens).value)), 2), 6.66);
        QCOMPARE(setup.pool.blockBytes.front(), 1'051'776);
    }
};

QTEST_GUILESS_MAIN(TestVllmHybrids)
#include "tst_vllmhybrids.moc"
