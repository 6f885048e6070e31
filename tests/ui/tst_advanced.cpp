// SPDX-License-Identifier: GPL-3.0-or-later
// The settings under Advanced: which engines have them, and that what is typed stands in the scenario.
#include "ui/advancedinputs.h"
#include "ui/devicerows.h"
#include "ui/memorybar.h"
#include "ui/powerslider.h"
#include "ui/quantityfield.h"
#include "ui/scenariosettings.h"

#include <QAbstractButton>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTest>

using namespace kvscope;

namespace {

/// A form over a scenario, unfolded.
struct Form {
    explicit Form(EngineId engine)
    {
        ModelSpec model = modelByHand({.layers = 32, .kvHeads = 8, .headDim = 128, .heads = 32, .parameters = 8'030'261'248});
        scenario.model = std::make_shared<const ModelSpec>(model);
        scenario.engine.id = engine;
        scenario.clusters.push_back(clusterOf(deviceOfSize(24_GB)));
        QObject::connect(&inputs, &AdvancedInputs::edited, &inputs, [this](const ScenarioEdit &change, Field) {
            change(scenario);
            show();
        });
        inputs.setUnfolded(true);
        inputs.show();
        show();
    }
    void show()
    {
        auto results = std::make_shared<Results>();
        results->scenario = scenario;
        inputs.showState({results, nullptr, text::Unit::GB});
    }
    void change(const std::function<void(ModelSpec &)> &edit)
    {
        ModelSpec model = *scenario.model;
        edit(model);
        scenario.model = std::make_shared<const ModelSpec>(model);
        show();
    }
    bool shows(const char *name) const
    {
        auto *field = inputs.findChild<QWidget *>(QLatin1String(name));
        return field && field->isVisibleTo(&inputs);
    }
    template<typename T>
    T *find(const char *name) const
    {
        T *found = inputs.findChild<T *>(QLatin1String(name));
        if (!found)
            qFatal("there is no %s", name);
        return found;
    }
    void type(const char *name, const QString &text) const
    {
        auto *field = find<QLineEdit>(name);
        field->selectAll();
        QTest::keyClick(field, Qt::Key_Delete);
        QTest::keyClicks(field, text);
        QTest::keyClick(field, Qt::Key_Return);
    }

    Scenario scenario;
    Catalog catalog;
    AdvancedInputs inputs{catalog};
};

} // namespace

class TestAdvanced : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void eachEngineShowsItsOwn_data()
    {
        QTest::addColumn<int>("engine");
        QTest::addColumn<QStringList>("own");
        const auto row = [](const char *name, EngineId engine, const QString &own) {
            QTest::newRow(name) << static_cast<int>(engine) << own.split(QLatin1Char(' '));
        };
        row("formula", EngineId::Formula,
            QStringLiteral("scalesBox sinksField windowField offloadField prefixField keepFirstBox keepLastBox"));
        row("transformers", EngineId::Transformers, QStringLiteral("attentionBox cacheBox newTokensField"));
        row("llama.cpp", EngineId::LlamaCpp,
            QStringLiteral(
                "gpuLayersField kvOnHostBox poolField automaticSlotsBox slotsField unifiedBox batchField ubatchField flashBox backendBox"));
        row("ollama", EngineId::Ollama, QStringLiteral("gpuLayersField slotsField batchField flashBox backendBox"));
        for (const auto &[name, engine] :
             {std::pair{"vllm", EngineId::Vllm}, {"sglang", EngineId::Sglang}, {"tensorrt-llm", EngineId::TensorRtLlm}})
            row(name, engine,
                (engine == EngineId::Vllm ? QStringLiteral("keepFirstBox keepLastBox ") : QString()) +
                    QStringLiteral("prefixField memoryFractionField maxSequencesField batchedTokensField blockSizeField prefixCachingBox "
                                   "draftTokensField "
                                   "eagerBox givenKvField givenActivationField givenGraphField givenRuntimeField"));
    }
    void eachEngineShowsItsOwn()
    {
        QFETCH(int, engine);
        QFETCH(QStringList, own);
        const Form form(static_cast<EngineId>(engine));
        for (const ScenarioSetting &setting : scenarioSettings()) {
            if (!setting.engines.empty())
                QCOMPARE((std::pair{setting.name, form.shows(setting.name)}),
                         (std::pair{setting.name, own.contains(QLatin1String(setting.name))}));
        }
        QVERIFY(form.shows("reserveBox"));
        QVERIFY(form.shows("engineCaption"));
    }

    void whatMeansNothingIsHidden()
    {
        Form form(EngineId::LlamaCpp);
        QVERIFY(!form.shows("hostExpertsField"));
        form.change([](ModelSpec &m) { m.experts = 8; });
        QVERIFY(form.shows("hostExpertsField"));
        QVERIFY(!form.shows("fullWindowsBox"));
        form.change([](ModelSpec &m) { m.groups.front().mixer = Mixer::Sliding; });
        QVERIFY(form.shows("fullWindowsBox"));
        QVERIFY(!form.shows("tensorSplitField"));
        form.scenario.clusters.front() = clusterOf(deviceOfSize(24_GB), 2);
        form.show();
        QVERIFY(form.shows("tensorSplitField"));
        QVERIFY(!form.shows("prefixField"));
        form.scenario.sharedPrefix = {100}; // set under another engine: the plan says that this one lacks it
        form.show();
        QVERIFY(form.shows("prefixField"));
        form.scenario.local.automaticSlots = true; // then there are four
        form.show();
        QVERIFY(!form.shows("slotsField"));
    }

    void whatIsTypedStandsInTheScenario()
    {
        Form llama(EngineId::LlamaCpp);
        llama.scenario.clusters.front() = clusterOf(deviceOfSize(24_GB), 2);
        llama.show();
        llama.type("gpuLayersField", QStringLiteral("20"));
        llama.type("poolField", QStringLiteral("64k"));
        llama.type("slotsField", QStringLiteral("3"));
        llama.type("batchField", QStringLiteral("1024"));
        llama.type("ubatchField", QStringLiteral("256"));
        llama.type("tensorSplitField", QStringLiteral("3, 1"));
        llama.find<QAbstractButton>("kvOnHostBox")->click();
        const LocalOptions &local = llama.scenario.local;
        QCOMPARE(local.gpuLayers, std::optional(20));
        QCOMPARE(local.pool->value, std::int64_t{65'536});
        QCOMPARE(local.slotCount, std::optional(3));
        QCOMPARE(local.batch, std::optional(1024));
        QCOMPARE(local.ubatch, std::optional(256));
        QCOMPARE(local.tensorSplit, (std::vector<double>{3, 1}));
        QVERIFY(local.kvOnHost);
        auto *flash = llama.find<QComboBox>("flashBox");
        emit flash->activated(2);
        QCOMPARE(local.flash, FlashAttention::Off);
        auto *unified = llama.find<QComboBox>("unifiedBox");
        emit unified->activated(2);
        QCOMPARE(local.unified, std::optional(false));
        emit unified->activated(0);
        QVERIFY(!local.unified);

        Form vllm(EngineId::Vllm);
        vllm.type("memoryFractionField", QStringLiteral("0.95"));
        vllm.type("givenKvField", QStringLiteral("58.11 GiB"));
        vllm.type("blockSizeField", QStringLiteral("32"));
        vllm.type("reserveBox", QStringLiteral("5"));
        QCOMPARE(vllm.scenario.serving.memoryFraction, std::optional(0.95));
        QCOMPARE(vllm.scenario.serving.givenKv->value, std::int64_t{62'395'137'393}); // 58.11 x 2^30, rounded to a byte
        QCOMPARE(vllm.scenario.serving.blockSize, std::optional(32));
        QCOMPARE(vllm.scenario.reservePercent, 5.0);
        vllm.type("memoryFractionField", QStringLiteral("92%"));
        QCOMPARE(vllm.scenario.serving.memoryFraction, std::optional(0.92));
        vllm.type("memoryFractionField", QStringLiteral("1.2")); // more than all
        QCOMPARE(vllm.scenario.serving.memoryFraction, std::optional(0.92));
        QVERIFY(!vllm.find<QuantityField>("memoryFractionField")->complaint().isEmpty());
    }

    void emptyIsTheEnginesDefault()
    {
        Form form(EngineId::LlamaCpp);
        const Scenario before = form.scenario;
        for (const char *name : {"batchField", "gpuLayersField", "poolField"}) {
            form.type(name, QStringLiteral("7"));
            QVERIFY(!(form.scenario == before));
            form.type(name, QString());
            QVERIFY2(form.scenario == before, name);
            QVERIFY(!form.find<QuantityField>(name)->placeholderText().isEmpty());
        }
    }

    void layersHaveASlider()
    {
        Form form(EngineId::LlamaCpp);
        auto *slider = form.find<PowerSlider>("gpuLayersFieldSlider");
        QCOMPARE(slider->quantity(), std::int64_t{33}); // 32 and the output layer
        QTest::keyClick(slider, Qt::Key_Left);
        QCOMPARE(form.scenario.local.gpuLayers, std::optional(32));
        QTest::keyClick(slider, Qt::Key_Home);
        QCOMPARE(form.scenario.local.gpuLayers, std::optional(0));
        QTest::keyClick(slider, Qt::Key_End);
        QVERIFY(!form.scenario.local.gpuLayers);

        form.change([](ModelSpec &m) { m.experts = 8; });
        auto *experts = form.find<PowerSlider>("hostExpertsFieldSlider");
        QCOMPARE(experts->quantity(), std::int64_t{0});
        QTest::keyClick(experts, Qt::Key_End); // -cmoe
        QCOMPARE(form.scenario.local.hostExperts, std::optional(largestLayerCount));
        QTest::keyClick(experts, Qt::Key_Left);
        QCOMPARE(form.scenario.local.hostExperts, std::optional(31));
        QTest::keyClick(experts, Qt::Key_Home);
        QVERIFY(!form.scenario.local.hostExperts);
    }

    void theToolTipNamesTheEnginesOwnFlag()
    {
        Form form(EngineId::LlamaCpp);
        QVERIFY(form.find<QWidget>("gpuLayersField")->toolTip().contains(QLatin1String("-ngl")));
        form.scenario.engine.id = EngineId::Ollama;
        form.show();
        QVERIFY(form.find<QWidget>("gpuLayersField")->toolTip().contains(QLatin1String("num_gpu")));
        form.scenario.engine.id = EngineId::Sglang;
        form.show();
        QVERIFY(form.find<QWidget>("memoryFractionField")->toolTip().contains(QLatin1String("--mem-fraction-static")));
    }

    void foldedItTellsWhatIsSet()
    {
        Form form(EngineId::LlamaCpp);
        form.scenario.local.gpuLayers = 20;
        form.scenario.local.kvOnHost = true;
        form.scenario.serving.eager = true; // not this engine's
        form.scenario.reservePercent = 2.5;
        form.inputs.setUnfolded(false);
        form.show();
        QCOMPARE(form.find<QLabel>("advancedSummary")->text(), QStringLiteral("GPU layers 20 · KV cache on the host · Kept free 2.5 %"));
    }

    /// What a row sets, it gets; unset, the scenario is as it was.
    void everySettingIsReadAsItWasSet()
    {
        Scenario scenario;
        scenario.model = std::make_shared<const ModelSpec>(modelByHand({.layers = 32, .kvHeads = 8, .headDim = 128}));
        const Scenario before = scenario;
        for (const ScenarioSetting &setting : scenarioSettings()) {
            if (!setting.set)
                continue;
            std::vector<ScenarioSetting::Number> values{std::max<std::int64_t>(setting.lowest, 1)};
            for (const ScenarioSetting::Option &option : setting.options)
                values = {option.value};
            for (const ScenarioSetting::Number value : values) {
                setting.set(scenario, value);
                QCOMPARE((std::pair{setting.name, setting.get(scenario)}), (std::pair{setting.name, value}));
                QVERIFY2(!(scenario == before), setting.name);
                setting.set(scenario, std::nullopt);
                QVERIFY2(scenario == before, setting.name);
            }
        }
    }

    void thePoolIsToldFromWhatIsNeededOfIt()
    {
        DevicePlan device;
        device.memory = device.budget = 80_GB;
        device.used[Part::Weights] = 16_GB;
        device.used[Part::Kv] = 50_GB;
        device.kvNeeded = 12_GB;
        device.total = 66_GB;
        const std::vector<BarPiece> pieces = barPieces(device);
        QCOMPARE(pieces.size(), std::size_t{4});
        QCOMPARE(pieces[1].bytes, 12_GB);
        QCOMPARE(pieces[2].kind, BarPiece::Kind::Unused);
        QCOMPARE(pieces[2].part, Part::Kv);
        QCOMPARE(pieces[2].bytes, 38_GB);
        QCOMPARE(pieces[3].kind, BarPiece::Kind::Free);
        QCOMPARE(pieces[3].bytes, 14_GB);
    }

    void devicesThatDifferAndTheHostHaveRows()
    {
        Scenario scenario;
        Plan plan;
        plan.verdict = Verdict::Fits;
        plan.devices.resize(3);
        for (int i = 0; i < 3; ++i) {
            plan.devices[static_cast<std::size_t>(i)].index = i;
            plan.devices[static_cast<std::size_t>(i)].name = "RTX 4090";
            plan.devices[static_cast<std::size_t>(i)].total = 10_GB;
        }
        std::vector<DeviceRow> rows = deviceRows(scenario, plan, text::Unit::GB);
        QCOMPARE(rows.size(), std::size_t{1});
        QVERIFY(rows[0].alike); // the bar tells it
        QCOMPARE(rows[0].name, QStringLiteral("GPU 0–2 · RTX 4090"));
        plan.hostWeights = 2_GB;
        plan.hostActivation = 1_GB;
        rows = deviceRows(scenario, plan, text::Unit::GB);
        QCOMPARE(rows.size(), std::size_t{2});
        QVERIFY(rows[1].host);
        QCOMPARE(rows[1].share.total, 3_GB);
        plan.devices[2].used[Part::Kv] = 1_GB;
        plan.devices[2].name.clear();
        plan.devices[2].memory = 16_GB;
        plan.fullest = 2;
        rows = deviceRows(scenario, plan, text::Unit::GB);
        QCOMPARE(rows.size(), std::size_t{3});
        QCOMPARE(rows[0].name, QStringLiteral("GPU 0–1 · RTX 4090"));
        QCOMPARE(rows[1].name, QStringLiteral("GPU 2 · 16 GB"));
        QVERIFY(rows[1].decides && !rows[0].decides);
    }
};

QTEST_MAIN(TestAdvanced)
#include "tst_advanced.moc"
