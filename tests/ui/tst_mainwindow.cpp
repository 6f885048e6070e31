// SPDX-License-Identifier: GPL-3.0-or-later
// The whole window, by keyboard and by mouse, in both languages and themes.
// Figures: Llama 3.1 8B keeps 2 x 32 layers x 8 KV heads x 128 x 2 B = 131,072 B a token at f16.
#include "ui/mainwindow.h"

#include "core/engine.h"
#include "core/gguf/model.h"
#include "core/scenariofile.h"
#include "tests/core/ggufwriter.h"
#include "ui/applylanguage.h"
#include "ui/banner.h"
#include "ui/comparemodel.h"
#include "ui/explainpanel.h"
#include "ui/memorybar.h"
#include "ui/modelpicker.h"
#include "ui/opening.h"
#include "ui/powerslider.h"
#include "ui/quantityfield.h"
#include "ui/searchpopup.h"
#include "ui/splitchoice.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextEdit>

using namespace kvscope;

namespace {

/// A window with a home of its own; file names and answers are put in before they are asked for.
struct Bench {
    explicit Bench(const QString &language = QStringLiteral("en"))
    {
        applyLanguage(language);
        applyTheme(*qApp, ThemeChoice::Light);
        settings.language = language;
        settings.lastFolder = folder.path();
        prompts.openFile = [this](QWidget *, const QString &, const QString &, const QString &, const Prompts::Path &then) {
            then(nextFile);
        };
        prompts.saveFile = prompts.openFile;
        prompts.openFolder = [this](QWidget *, const QString &, const QString &, const Prompts::Path &then) { then(nextFile); };
        prompts.askSave = [this](QWidget *, const QString &, const std::function<void(SaveAnswer)> &then) {
            ++questions;
            then(nextAnswer);
        };
        planner.start(worthwhileScenario(catalog));
        planner.flush();
        window = std::make_unique<MainWindow>(settings, catalog, planner, session, prompts);
        window->setSettingsStore([this](const Settings &s) { stored = s; });
    }

    void show(QSize size = {1280, 720})
    {
        window->resize(size);
        window->show();
        window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        QTRY_VERIFY(window->findChild<QWidget *>(QStringLiteral("explainCard"))); // made right after the first paint
        QTest::qWait(10);                                                         // and laid out
    }

    template<typename T>
    T *find(const char *name) const
    {
        T *found = window->findChild<T *>(QLatin1String(name));
        if (!found)
            qFatal("there is no %s", name);
        return found;
    }

    void trigger(const char *name) const
    {
        auto *action = find<QAction>(name);
        if (!action->isEnabled())
            qFatal("%s is not enabled", name);
        action->trigger();
    }

    QString file(const QString &name, const QByteArray &bytes) const
    {
        QFile out(folder.filePath(name));
        if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size())
            qFatal("can't write %s", qPrintable(name));
        return out.fileName();
    }

    void drop(const QString &path) const
    {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent event(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
        QApplication::sendEvent(window.get(), &event);
    }

    QString complaint() const { return find<Banner>("banner")->words(); }

    QTemporaryDir folder;
    Settings settings, stored;
    Catalog catalog;
    Planner planner;
    Session session{folder.filePath(QStringLiteral("session.kvscope")), [this] { return planner.scenario(); }};
    Prompts prompts;
    QString nextFile;
    SaveAnswer nextAnswer = SaveAnswer::Cancel;
    int questions = 0;
    std::unique_ptr<MainWindow> window;
};

const QByteArray smallConfig =
    R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632,
    "num_hidden_layers": 22, "num_attention_heads": 32, "num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 2048, "torch_dtype": "bfloat16"})";

/// Every place that Tab stops at, once around.
QList<QWidget *> tabStops(QWidget *window)
{
    QList<QWidget *> stops;
    QWidget *at = window;
    do {
        at = at->nextInFocusChain();
        if (at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus) && !at->focusProxy() && at->window() == window)
            stops += at;
    } while (at != window);
    return stops;
}

} // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase_data()
    {
        QTest::addColumn<QString>("language");
        QTest::newRow("en") << QStringLiteral("en");
        QTest::newRow("zh_CN") << QStringLiteral("zh_CN");
    }
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void opensOnSomethingUseful()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        const Scenario &scenario = bench.planner.scenario();
        QCOMPARE(scenario.model->id, std::string("llama-3.1-8b-instruct"));
        QCOMPARE(scenario.clusters.size(), std::size_t{4});
        QVERIFY(!bench.find<QLabel>("verdictBadge")->text().isEmpty());
        QCOMPARE(bench.find<QTableView>("compareTable")->model()->rowCount(), 4);
        QVERIFY(bench.complaint().isEmpty());
    }

    void byKeyboardAlone()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        // A model: Ctrl+M, words, Enter.
        QTest::keyClick(bench.window.get(), Qt::Key_M, Qt::ControlModifier);
        auto *popup = bench.find<SearchPopup>("modelPopup");
        QVERIFY(popup->isVisible());
        QTest::keyClicks(popup->findChild<QLineEdit *>(QStringLiteral("searchField")), QStringLiteral("qwen2.5 7b instruct"));
        QTest::keyClick(popup->findChild<QLineEdit *>(QStringLiteral("searchField")), Qt::Key_Return);
        QVERIFY(!popup->isVisible());
        QCOMPARE(bench.planner.scenario().model->layerCount(), 28);
        // A machine: Ctrl+G, words, Down, Enter.
        QTest::keyClick(bench.window.get(), Qt::Key_G, Qt::ControlModifier);
        auto *devices = bench.find<SearchPopup>("devicePopup");
        QTest::keyClicks(devices->findChild<QLineEdit *>(QStringLiteral("searchField")), QStringLiteral("h100"));
        QTest::keyClick(devices->findChild<QLineEdit *>(QStringLiteral("searchField")), Qt::Key_Down);
        QTest::keyClick(devices->findChild<QLineEdit *>(QStringLiteral("searchField")), Qt::Key_Return);
        QCOMPARE(bench.planner.scenario().clusters.size(), std::size_t{5});
        QCOMPARE(bench.planner.scenario().selected, 4);
        // Context by its field, concurrency by its slider.
        auto *context = bench.find<QuantityField>("contextField");
        context->setFocus(Qt::TabFocusReason);
        QTest::keyClicks(context, QStringLiteral("16k"));
        QTest::keyClick(context, Qt::Key_Return);
        auto *concurrency = bench.find<PowerSlider>("concurrencySlider");
        QTest::keyClick(concurrency, Qt::Key_Right);
        QTest::keyClick(concurrency, Qt::Key_Right);
        bench.planner.flush();
        // Qwen2.5 7B: 2 x 28 x 4 x 128 x 2 B = 57,344 B a token.
        QCOMPARE(bench.planner.state().results->selectedPlan()->kv.total.value, std::int64_t{57'344} * 16'384 * 3);
        // Back: model, machine, context, and the two strokes as one.
        for (int i = 0; i < 4; ++i)
            QTest::keyClick(bench.window.get(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(bench.planner.scenario() == worthwhileScenario(bench.catalog));
        QVERIFY(!bench.find<QAction>("undoAction")->isEnabled());
        QTest::keyClick(bench.window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(bench.planner.scenario().model->layerCount(), 28);
        // Save as, then save.
        bench.nextFile = bench.folder.filePath(QStringLiteral("mine"));
        QTest::keyClick(bench.window.get(), Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
        const auto saved = loadScenario(bench.nextFile.toStdString() + ".kvscope");
        QVERIFY(saved);
        QVERIFY(*saved == bench.planner.scenario());
        QVERIFY(bench.window->windowTitle().startsWith(QLatin1String("mine.kvscope")));
    }

    void everyStopHasANameAndIsReached()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show({1600, 1000});
        const QList<QWidget *> stops = tabStops(bench.window.get());
        for (const QWidget *stop : stops) {
            const QString where =
                QStringLiteral("%1 in %2").arg(QLatin1String(stop->metaObject()->className()), stop->parentWidget()->objectName());
            QVERIFY2(!stop->objectName().isEmpty(), qPrintable(where));
            bool labelled = !stop->accessibleName().isEmpty();
            for (const QLabel *label : bench.window->findChildren<QLabel *>())
                labelled = labelled || (label->buddy() == stop && !label->text().isEmpty());
            if (const auto *button = qobject_cast<const QAbstractButton *>(stop))
                labelled = labelled || !button->text().isEmpty();
            QVERIFY2(labelled, qPrintable(stop->objectName()));
        }
        for (const char *name :
             {"modelButton",  "weightsBox", "engineBox",      "contextField", "contextSlider", "concurrencyField", "concurrencySlider",
              "keyBox",       "valueBox",   "kvSlider",       "memoryField",  "memorySlider",  "gpuChip0",         "gpuChip3",
              "addGpuButton", "tensorBox",  "advancedButton", "memoryBar",    "compareTable",  "explainList"})
            QVERIFY2(stops.contains(bench.find<QWidget>(name)), name);
        // In the order of the eye: from the model down to the split.
        const QStringList order{QStringLiteral("modelButton"),  QStringLiteral("contextField"), QStringLiteral("concurrencyField"),
                                QStringLiteral("keyBox"),       QStringLiteral("gpuChip0"),     QStringLiteral("gpuChip1"),
                                QStringLiteral("addGpuButton"), QStringLiteral("memoryField"),  QStringLiteral("tensorBox")};
        qsizetype last = -1;
        for (const QString &name : order) {
            const qsizetype at = stops.indexOf(bench.find<QWidget>(name.toLatin1().constData()));
            QVERIFY2(at > last, qPrintable(name));
            last = at;
        }
    }

    void everyAccessKeyIsOneThings()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        bench.planner.edit([](Scenario &s) { s.engine = {EngineId::LlamaCpp, {}}; }, Field::Engine); // shows all of the form
        bench.planner.flush();
        QStringList words;
        for (const QAction *action : bench.window->menuBar()->actions())
            words += action->text();
        for (const QLabel *label : bench.window->findChildren<QLabel *>()) {
            if (label->buddy() && label->isVisible())
                words += label->text();
        }
        for (const QAbstractButton *button : bench.window->findChildren<QAbstractButton *>()) {
            if (button->isVisible())
                words += button->text();
        }
        QHash<QString, QString> taken;
        for (const QString &text : words) {
            const QString key = QKeySequence::mnemonic(text).toString();
            if (key.isEmpty())
                continue;
            QVERIFY2(!taken.contains(key), qPrintable(QStringLiteral("%1: %2 and %3").arg(key, taken.value(key), text)));
            taken.insert(key, text);
        }
        QVERIFY(taken.size() > 10);
    }

    void byMouse()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        auto *slider = bench.find<PowerSlider>("contextSlider");
        QSignalSpy changed(&bench.planner, &Planner::changed);
        const QPoint from(slider->width() / 3, 11);
        QTest::mousePress(slider, Qt::LeftButton, {}, from);
        for (int x = from.x(); x < slider->width() - 10; x += 3)
            QTest::mouseMove(slider, QPoint(x, 11));
        QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(slider->width() - 10, 11));
        bench.planner.flush();
        QVERIFY(changed.count() >= 1);
        QCOMPARE(bench.planner.history().count(), 1);
        QCOMPARE(qint64{slider->quantity()}, qint64{bench.planner.scenario().context.value});
        QCOMPARE(qint64{bench.find<QuantityField>("contextField")->quantity().value()}, qint64{slider->quantity()});
        // A chip selects; its cross takes it out.
        auto *chip = bench.find<QAbstractButton>("gpuChip2");
        QTest::mouseClick(chip, Qt::LeftButton, {}, QPoint(12, chip->height() / 2));
        QCOMPARE(bench.planner.scenario().selected, 2);
        bench.planner.flush();
        QTest::mouseClick(chip, Qt::LeftButton, {}, QPoint(chip->width() - 12, chip->height() / 2));
        QTRY_COMPARE(bench.planner.scenario().clusters.size(), std::size_t{3});
        // A row of the table selects as well.
        bench.planner.flush();
        auto *table = bench.find<QTableView>("compareTable");
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(0, 0)).center());
        QCOMPARE(bench.planner.scenario().selected, 0);
    }

    void kvSliderWalksThePrecisions()
    {
        Bench bench;
        bench.show();
        auto *slider = bench.find<PowerSlider>("kvSlider");
        QTest::keyClick(slider, Qt::Key_Home);
        bench.planner.flush();
        const std::span<const Format> formats = engineOf(bench.planner.scenario().engine.id).kvFormats();
        QVERIFY(formats.size() >= 3);
        for (std::size_t i = 0; i < formats.size(); ++i) {
            QCOMPARE(keyFormat(bench.planner.scenario()), formats[i]);
            QCOMPARE(valueFormat(bench.planner.scenario()), formats[i]);
            QTest::keyClick(slider, Qt::Key_Right);
            bench.planner.flush();
        }
        // V apart: then the slider moves K alone.
        auto *values = bench.find<QComboBox>("valueBox");
        values->setCurrentIndex(1);
        emit values->activated(1);
        QTest::keyClick(slider, Qt::Key_End);
        bench.planner.flush();
        QCOMPARE(valueFormat(bench.planner.scenario()), formats.front());
        QCOMPARE(keyFormat(bench.planner.scenario()), formats.back());
    }

    void dropOpens()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        bench.drop(bench.file(QStringLiteral("config.json"), smallConfig));
        QVERIFY2(bench.complaint().isEmpty(), qPrintable(bench.complaint()));
        QCOMPARE(bench.planner.scenario().model->layerCount(), 22);
        QCOMPARE(bench.planner.scenario().model->mainGroup()->kvHeads, 4);
        QCOMPARE(bench.planner.history().count(), 1);
        Scenario other = bench.planner.scenario();
        other.batch = 17;
        const QString path = bench.folder.filePath(QStringLiteral("other.kvscope"));
        QVERIFY(!saveScenario(other, path.toStdString()));
        bench.drop(path);
        QCOMPARE(bench.planner.scenario().batch, std::int64_t{17});
        QCOMPARE(bench.planner.file(), path);
    }

    void ggufOpensByDropAndMenu()
    {
        QFETCH_GLOBAL(QString, language);
        using namespace kvscope::testing;
        Bench bench(language);
        bench.show();
        bench.drop(bench.file(QStringLiteral("small.gguf"), QByteArray::fromStdString(smallFile().whole())));
        QVERIFY2(bench.complaint().isEmpty(), qPrintable(bench.complaint()));
        QCOMPARE(bench.planner.scenario().model->layerCount(), 2);
        QCOMPARE(bench.planner.scenario().model->mainGroup()->kvHeads, 2);
        QCOMPARE(bench.planner.scenario().engine.id, EngineId::LlamaCpp); // the formula does not run such a file
        QCOMPARE(bench.planner.history().count(), 1);
        bench.planner.flush();
        QVERIFY(bench.planner.state().results->selectedPlan()->verdict != Verdict::Refused);

        // Any part of a split file stands for the whole.
        GgufFile first = smallKeys(), second;
        first.add<std::uint16_t>("split.no", U16, 0)
            .add<std::uint16_t>("split.count", U16, 2)
            .add<std::int32_t>("split.tensors.count", I32, 7);
        first.texts("tokenizer.ggml.tokens", std::vector<std::string>(100, "word"));
        smallTensors(first);
        second.add<std::uint16_t>("split.no", U16, 1)
            .add<std::uint16_t>("split.count", U16, 2)
            .add<std::int32_t>("split.tensors.count", I32, 7);
        second.tensor("blk.1.attn_k.weight", {64, 32}, 8, 64 / 32 * 34 * 32);
        bench.file(QStringLiteral("m-00001-of-00002.gguf"), QByteArray::fromStdString(first.whole()));
        bench.nextFile = bench.file(QStringLiteral("m-00002-of-00002.gguf"), QByteArray::fromStdString(second.whole()));
        bench.trigger("openAction");
        QVERIFY2(bench.complaint().isEmpty(), qPrintable(bench.complaint()));
        QCOMPARE(bench.planner.scenario().model->gguf->tensors.size(), std::size_t{7});
    }

    void badFilesAreOneLineAndChangeNothing_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("cut") << QStringLiteral("config.json") << smallConfig.left(100);
        QTest::newRow("empty") << QStringLiteral("config.json") << QByteArray();
        QTest::newRow("other JSON") << QStringLiteral("config.json") << QByteArray("[1, 2]");
        QTest::newRow("no heads") << QStringLiteral("config.json")
                                  << QByteArray(smallConfig).replace("\"num_attention_heads\": 32", "\"num_attention_heads\": 0");
        QTest::newRow("absurd") << QStringLiteral("config.json")
                                << QByteArray(smallConfig).replace("\"num_hidden_layers\": 22", "\"num_hidden_layers\": 1000000000000");
        QTest::newRow("a word for a number")
            << QStringLiteral("config.json")
            << QByteArray(smallConfig).replace("\"num_hidden_layers\": 22", "\"num_hidden_layers\": \"many\"");
        QTest::newRow("scenario of the future") << QStringLiteral("x.kvscope") << QByteArray("{\"kvscope\": 99}");
        QTest::newRow("cut scenario") << QStringLiteral("x.kvscope") << QByteArray("{\"kvscope\": 1, ");
        QTest::newRow("cut GGUF") << QStringLiteral("x.gguf") << QByteArray("GGUF\3\0\0\0", 8);
        QTest::newRow("binary") << QStringLiteral("weights.bin") << QByteArray("\0\1\2\3", 4);
    }
    void badFilesAreOneLineAndChangeNothing()
    {
        QFETCH_GLOBAL(QString, language);
        QFETCH(QString, name);
        QFETCH(QByteArray, bytes);
        Bench bench(language);
        const Scenario before = bench.planner.scenario();
        bench.show();
        bench.drop(bench.file(name, bytes));
        QVERIFY(!bench.complaint().isEmpty());
        QVERIFY(!bench.complaint().contains(QLatin1Char('\n')));
        QVERIFY(bench.planner.scenario() == before);
        QVERIFY(!bench.planner.history().canUndo());
        QVERIFY(bench.planner.file().isEmpty());
        // What works afterwards takes the complaint away.
        bench.drop(bench.file(QStringLiteral("good.json"), smallConfig));
        QVERIFY(bench.complaint().isEmpty());
    }

    void missingFileAndFolder()
    {
        Bench bench;
        bench.show();
        bench.window->openFile(bench.folder.filePath(QStringLiteral("nowhere.kvscope")));
        QVERIFY(bench.complaint().contains(QLatin1String("nowhere.kvscope")));
        bench.window->openFile(bench.folder.path());
        QVERIFY(!bench.complaint().isEmpty());
    }

    void recentFiles()
    {
        Bench bench;
        bench.show();
        const QString config = bench.file(QStringLiteral("config.json"), smallConfig);
        bench.nextFile = config;
        bench.trigger("openAction");
        QCOMPARE(bench.stored.recentFiles, QStringList{config});
        auto *recent = bench.find<QMenu>("recentMenu");
        emit recent->aboutToShow();
        QVERIFY(recent->actions().front()->text().endsWith(QLatin1String("config.json")));
        // One that is gone is dropped when it is chosen, not before.
        QFile::remove(config);
        emit recent->aboutToShow();
        recent->actions().front()->trigger();
        QVERIFY(!bench.complaint().isEmpty());
        QVERIFY(bench.stored.recentFiles.isEmpty());
    }

    void closingAsksForANamedFileOnly()
    {
        Bench bench;
        bench.show();
        bench.planner.edit([](Scenario &s) { s.batch = 5; }, Field::Concurrency);
        QVERIFY(bench.window->close());
        QCOMPARE(bench.questions, 0);
        QVERIFY(bench.session.read().scenario->batch == 5);

        bench.window->show();
        bench.nextFile = bench.folder.filePath(QStringLiteral("named.kvscope"));
        bench.trigger("saveAsAction");
        bench.planner.edit([](Scenario &s) { s.batch = 6; }, Field::Concurrency);
        QVERIFY(bench.window->isWindowModified());
        bench.nextAnswer = SaveAnswer::Cancel;
        QVERIFY(!bench.window->close());
        QVERIFY(bench.window->isVisible());
        bench.nextAnswer = SaveAnswer::Save;
        bench.window->close();
        QTRY_VERIFY(!bench.window->isVisible());
        QCOMPARE(bench.questions, 2);
        QCOMPARE(loadScenario(bench.nextFile.toStdString())->batch, std::int64_t{6});
    }

    void languageSwitchesWhileRunning()
    {
        Bench bench;
        bench.show();
        const QString caption = bench.find<QLabel>("modelCaption")->text(), badge = bench.find<QLabel>("verdictBadge")->text();
        const QString file = bench.find<QMenu>("fileMenu")->title();
        bench.trigger("languageChineseAction");
        static const QRegularExpression han(QStringLiteral("[\\x{4e00}-\\x{9fff}]"));
        QTRY_VERIFY(bench.find<QLabel>("verdictBadge")->text().contains(han));
        QVERIFY(bench.find<QMenu>("fileMenu")->title().contains(han));
        QVERIFY(bench.find<QLabel>("modelCaption")->text().contains(han));
        QCOMPARE(bench.stored.language, QStringLiteral("zh_CN"));
        // No label is left behind in the other language.
        static const QRegularExpression words(QStringLiteral("\\b(the|of|and|is|memory|context|free)\\b"));
        for (const QLabel *label : bench.window->findChildren<QLabel *>()) {
            if (label->isVisible())
                QVERIFY2(!label->text().contains(words), qPrintable(label->objectName() + QLatin1Char(' ') + label->text()));
        }
        bench.trigger("languageEnglishAction");
        QTRY_COMPARE(bench.find<QLabel>("verdictBadge")->text(), badge);
        QCOMPARE(bench.find<QLabel>("modelCaption")->text(), caption);
        QCOMPARE(bench.find<QMenu>("fileMenu")->title(), file);
    }

    void themeSwitchesWhileRunning()
    {
        Bench bench;
        bench.show();
        bench.trigger("themeDarkAction");
        QTRY_VERIFY(themeOf(bench.window->palette()).dark);
        QCOMPARE(bench.stored.theme, ThemeChoice::Dark);
        bench.trigger("themeLightAction");
        QTRY_VERIFY(!themeOf(bench.window->palette()).dark);
    }

    void unitSwitches()
    {
        Bench bench;
        bench.show();
        bench.trigger("unitGibAction");
        QVERIFY(bench.find<QuantityField>("memoryField")->text().endsWith(QLatin1String("GiB")));
        QCOMPARE(bench.stored.unit, text::Unit::GiB);
        QVERIFY(!bench.planner.history().canUndo());
    }

    void pinShowsGhostAndDifferences()
    {
        Bench bench;
        bench.show({1920, 1080});
        bench.trigger("pinAction");
        auto *table = bench.find<QTableView>("compareTable");
        QCOMPARE(table->model()->rowCount(), 5);
        bench.planner.edit([](Scenario &s) { s.context = {s.context.value * 2}; }, Field::Context);
        bench.planner.flush();
        // 32,768 tokens more of 131,072 B each: 4.294967296 GB less.
        QCOMPARE(table->model()->index(0, CompareModel::Free).data(CompareModel::NoteRole).toString(), QStringLiteral("−4.295"));
        QCOMPARE(table->model()->index(0, CompareModel::MaxContext).data(CompareModel::NoteRole).toString(), QStringLiteral("±0"));
        // The ghost stays last whatever is sorted by.
        for (int column = 0; column < CompareModel::columnTotal; ++column) {
            for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
                table->sortByColumn(column, order);
                QVERIFY(table->model()->index(4, 0).data(CompareModel::GhostRole).toBool());
            }
        }
        bench.trigger("pinAction");
        QCOMPARE(table->model()->rowCount(), 4);
    }

    void comparesEightAndMore()
    {
        Bench bench;
        bench.show();
        auto *table = bench.find<QTableView>("compareTable");
        CompareModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Warning);
        model.showState(bench.planner.state());
        for (const char *name : {"h100-sxm5-80gb", "h200-sxm-141gb", "rtx-3090", "mi300x", "rtx-4080"}) {
            bench.planner.edit(
                [&](Scenario &s) {
                    const auto device = bench.catalog.device(name);
                    s.clusters.push_back(clusterOf(device ? *device : deviceOfSize(80_GB)));
                },
                Field::Clusters);
            bench.planner.flush();
            model.showState(bench.planner.state());
        }
        QCOMPARE(table->model()->rowCount(), 9);
        QCOMPARE(model.rowCount(), 9);
        table->sortByColumn(CompareModel::Memory, Qt::DescendingOrder);
        double last = 1e300;
        for (int row = 0; row < 9; ++row) {
            const double memory = table->model()->index(row, CompareModel::Memory).data(CompareModel::SortRole).toDouble();
            QVERIFY(memory <= last);
            last = memory;
        }
        bench.planner.pin();
        model.showState(bench.planner.state());
        bench.planner.unpin();
        bench.planner.edit(
            [](Scenario &s) {
                s.clusters.resize(1);
                s.selected = 0;
            },
            Field::Clusters);
        bench.planner.flush();
        model.showState(bench.planner.state());
        QCOMPARE(model.rowCount(), 1);
    }

    void comparisonIsExported()
    {
        Bench bench;
        bench.show();
        for (const QString &ending : {QStringLiteral("csv"), QStringLiteral("md"), QStringLiteral("html")}) {
            bench.nextFile = bench.folder.filePath(QStringLiteral("table.") + ending);
            bench.trigger("exportTableAction");
            QFile file(bench.nextFile);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            for (const char *name : {"RTX 4090", "RTX 5090", "L40S", "A100"})
                QVERIFY2(text.contains(name), qPrintable(ending));
        }
        bench.nextFile = QStringLiteral("/proc/none/table.csv");
        bench.trigger("exportTableAction");
        QVERIFY(!bench.complaint().isEmpty());
    }

    void enginesAreChosenWithTheirVersions()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        auto *engines = bench.find<QComboBox>("engineBox");
        auto *version = bench.find<QComboBox>("versionBox");
        QCOMPARE(engines->count(), engineCount);
        for (int i = 0; i < engines->count(); ++i) {
            emit engines->activated(i);
            bench.planner.flush();
            const EngineId id = bench.planner.scenario().engine.id;
            QCOMPARE(static_cast<int>(id), engines->itemData(i).toInt());
            const auto versions = engineOf(id).versions();
            QCOMPARE(version->isVisible(), !versions.empty());
            if (!versions.empty())
                QVERIFY(version->currentText().contains(
                    QString::fromUtf8(versions.front().data(), static_cast<qsizetype>(versions.front().size()))));
            QVERIFY(bench.planner.state().results->selectedPlan()->verdict != Verdict::Refused);
        }
        // A build that no list has is typed, by whom it counts.
        emit engines->activated(engines->findData(static_cast<int>(EngineId::LlamaCpp)));
        bench.planner.flush();
        auto *field = bench.find<QLineEdit>("versionField");
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, QStringLiteral("b5912"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(bench.planner.scenario().engine.version, std::string("b5912"));
        bench.planner.flush();
        QCOMPARE(field->text(), QStringLiteral("b5912"));
        emit version->activated(0); // the newest again
        QVERIFY(bench.planner.scenario().engine.version.empty());
    }

    void theLogOfTheEngineIsShown()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show({1600, 1000});
        auto *dock = bench.find<QDockWidget>("engineLogDock");
        dock->raise();
        auto *lines = bench.find<QTextEdit>("engineLogLines");
        QTRY_VERIFY(lines->isVisible());
        QVERIFY(!lines->toPlainText().isEmpty()); // why there is nothing
        QVERIFY(!bench.find<QAction>("copyEngineLogAction")->isEnabled());
        bench.planner.edit(
            [](Scenario &s) {
                s.engine = {EngineId::LlamaCpp, {}};
                s.context = {8192};
            },
            Field::Engine);
        bench.planner.flush();
        // 2 x 32 x 8 x 128 x 8192 x 2 B = 1024 MiB
        QVERIFY2(lines->toPlainText().contains(QLatin1String("llama_kv_cache: size = 1024.00 MiB (  8192 cells,  32 layers,  1/1 seqs), "
                                                             "K (f16):  512.00 MiB, V (f16):  512.00 MiB")),
                 qPrintable(lines->toPlainText()));
        bench.trigger("copyEngineLogAction");
        QVERIFY(QGuiApplication::clipboard()->text().contains(QLatin1String("1024.00 MiB")));
    }

    void enginesAreComparedSideBySide()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show({1600, 1000});
        auto *table = bench.find<QTableView>("compareTable");
        bench.find<QAction>(qPrintable(QStringLiteral("compareEngineAction%1").arg(static_cast<int>(EngineId::Vllm))))->trigger();
        bench.planner.flush();
        QCOMPARE(table->model()->rowCount(), 8); // four machines, two engines
        const auto rowOf = [&](const QString &words) {
            for (int row = 0; row < table->model()->rowCount(); ++row) {
                if (table->model()->index(row, CompareModel::Gpu).data(Qt::AccessibleTextRole).toString().contains(words))
                    return row;
            }
            return -1;
        };
        const int row = rowOf(QStringLiteral("vLLM"));
        QVERIFY(row >= 0);
        // Why it takes more than the theory, a line each.
        QVERIFY(table->model()->index(row, 0).data(Qt::ToolTipRole).toString().count(QLatin1Char('\n')) > 4);
        QVERIFY(!table->model()->index(row, 0).data(CompareModel::SelectedRole).toBool());
        // In the window itself they stand in one line, each with its bytes.
        const QString reasons = table->model()->index(row, 0).data(CompareModel::ReasonsRole).toString();
        QVERIFY2(reasons.contains(QStringLiteral(" · ")) && reasons.contains(QLatin1String("GB")), qPrintable(reasons));
        QVERIFY(bench.find<QWidget>("compareEngineButton")->isVisible());
        // An engine that becomes the scenario's own is not compared with itself.
        auto *engines = bench.find<QComboBox>("engineBox");
        emit engines->activated(engines->findData(static_cast<int>(EngineId::Vllm)));
        bench.planner.flush();
        QCOMPARE(table->model()->rowCount(), 4);
    }

    void theSplitOffersWhatIsAccepted()
    {
        Bench bench;
        bench.show();
        bench.planner.edit([](Scenario &s) { s.engine = {EngineId::Vllm, {}}; }, Field::Engine);
        bench.planner.flush();
        auto *tensor = bench.find<SplitChoice>("tensorBox");
        for (const int next : {2, 4, 8}) { // 32 heads are not cut in three
            QTest::keyClick(tensor, Qt::Key_Down);
            bench.planner.flush();
            QCOMPARE(tensor->value(), next);
        }
        // What is refused stands there with its reason, and can't be taken.
        tensor->refill();
        const int three = tensor->findData(3);
        QVERIFY(three >= 0);
        QVERIFY(!(tensor->model()->index(three, 0).flags() & Qt::ItemIsEnabled));
        QVERIFY2(tensor->itemData(three, Qt::ToolTipRole).toString().contains(QLatin1String("tp = 3")),
                 qPrintable(tensor->itemText(three)));
        QVERIFY(tensor->itemText(three).contains(tensor->itemData(three, Qt::ToolTipRole).toString()));
        // An engine that lays whole layers takes its own way of splitting.
        auto *engines = bench.find<QComboBox>("engineBox");
        emit engines->activated(engines->findData(static_cast<int>(EngineId::LlamaCpp)));
        QCOMPARE(bench.planner.scenario().clusters.front().split.tensor, 1);
        QCOMPARE(bench.planner.scenario().clusters.front().devices.size(), std::size_t{8});
        bench.planner.flush();
        QTest::keyClick(tensor, Qt::Key_Down);
        QCOMPARE(tensor->value(), 1);
    }

    void onlyWhatTheEngineHasIsAsked()
    {
        Bench bench;
        bench.show();
        const auto shown = [&](const char *name) { return bench.find<QWidget>(name)->isVisible(); };
        bench.planner.edit(
            [](Scenario &s) {
                s.engine = {EngineId::Vllm, {}};
                s.clusters.front() = clusterOf(s.clusters.front().devices.front(), 8, {.tensor = 4, .data = 2});
            },
            Field::Split);
        bench.planner.flush();
        QVERIFY(shown("decodeContextBox") && shown("machinesBox") && shown("interconnectBox"));
        QVERIFY(!shown("dataInTensorBox"));
        emit bench.find<SplitChoice>("machinesBox")->chosen(2);
        bench.planner.flush();
        QCOMPARE(bench.planner.scenario().clusters.front().nodes, 2);
        bench.planner.edit([](Scenario &s) { s.engine = {EngineId::Sglang, {}}; }, Field::Engine);
        bench.planner.flush();
        QVERIFY(shown("dataInTensorBox") && !shown("decodeContextBox"));
        // The same eight cards: four by two become eight with two of attention inside.
        bench.find<QAbstractButton>("dataInTensorBox")->click();
        const Cluster &cluster = bench.planner.scenario().clusters.front();
        QCOMPARE(cluster.devices.size(), std::size_t{8});
        QCOMPARE(cluster.split.tensor, 8);
        QVERIFY(cluster.split.dataInTensor);
        bench.planner.flush();
        bench.find<QAbstractButton>("dataInTensorBox")->click();
        QCOMPARE(bench.planner.scenario().clusters.front().split.tensor, 4);
        bench.planner.edit([](Scenario &s) { s.clusters.front() = clusterOf(s.clusters.front().devices.front()); }, Field::Split);
        bench.planner.flush();
        QVERIFY(!shown("machinesBox")); // one card
    }

    void aGpuIsAddedFromTheComparison()
    {
        Bench bench;
        bench.show();
        bench.find<QAbstractButton>("compareGpuButton")->click();
        QTRY_VERIFY(bench.find<QWidget>("devicePopup")->isVisible());
    }

    void aDraftModelIsChosenAndTakenBack()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        bench.find<QAbstractButton>("advancedButton")->click();
        bench.planner.flush();
        QVERIFY(!bench.find<QWidget>("draftButton")->isVisible()); // the formula drafts nothing
        bench.planner.edit([](Scenario &s) { s.engine = {EngineId::Vllm, {}}; }, Field::Engine);
        bench.planner.flush();
        auto *picker = bench.find<ModelPicker>("draftButton");
        QVERIFY(picker->isVisible());
        QVERIFY(!bench.find<QWidget>("noDraftButton")->isVisible());
        emit picker->modelChosen(std::make_shared<const ModelSpec>(*bench.catalog.model("qwen3-0.6b")));
        bench.planner.flush();
        QVERIFY(bench.planner.scenario().draft);
        QCOMPARE(picker->text(), QString::fromStdString(bench.planner.scenario().draft->name));
        bench.find<QAbstractButton>("noDraftButton")->click();
        bench.planner.flush();
        QVERIFY(!bench.planner.scenario().draft);
        bench.planner.history().undo();
        QVERIFY(bench.planner.scenario().draft);
    }

    void expertsAreSpreadWhereThereAreSome()
    {
        Bench bench;
        bench.show();
        auto *spread = bench.find<QAbstractButton>("expertBox");
        QVERIFY(!spread->isVisible()); // the formula, and a dense model
        bench.planner.edit(
            [&](Scenario &s) {
                s.model = std::make_shared<const ModelSpec>(*bench.catalog.model("qwen3-30b-a3b"));
                s.engine = {EngineId::Vllm, {}};
            },
            Field::Model);
        bench.planner.flush();
        QVERIFY(spread->isVisible());
        QVERIFY(!spread->isEnabled()); // over one GPU there is nothing to spread
        emit bench.find<SplitChoice>("tensorBox")->chosen(4);
        bench.planner.flush();
        spread->click();
        bench.planner.flush();
        QCOMPARE(bench.planner.scenario().clusters.front().split.expert, 4);
        QVERIFY(bench.planner.state().results->selectedPlan()->verdict != Verdict::Refused);
        emit bench.find<SplitChoice>("tensorBox")->chosen(2); // they stay spread over all
        QCOMPARE(bench.planner.scenario().clusters.front().split.expert, 2);
    }

    void outOfMemorySaysWhatWouldMendIt()
    {
        Bench bench;
        bench.show({1920, 1080});
        bench.planner.edit([](Scenario &s) { s.context = {131'072}; }, Field::Context); // 16.06 GB of weights and 17.18 GB of KV on 25.3 GB
        bench.planner.flush();
        QCOMPARE(bench.planner.state().results->selectedPlan()->verdict, Verdict::OutOfMemory);
        QTRY_VERIFY(bench.find<QWidget>("fewestDevices")->isVisible());
        QVERIFY(bench.find<QLabel>("fewestDevicesValue")->text().contains(QLatin1Char('2')));
        bench.planner.edit([](Scenario &s) { s.context = {1024}; }, Field::Context);
        bench.planner.flush();
        QVERIFY(!bench.find<QWidget>("fewestDevices")->isVisible());
    }

    void theBarTellsAllThatIsNeeded()
    {
        DevicePlan device;
        device.memory = 24_GB;
        device.budget = 22_GB;
        device.used[Part::Weights] = 16_GB;
        device.used[Part::Kv] = 4_GB;
        device.total = 20_GB;
        std::vector<BarPiece> pieces = barPieces(device);
        QCOMPARE(pieces.size(), std::size_t{4});
        QCOMPARE(pieces[2].kind, BarPiece::Kind::Free);
        QCOMPARE(pieces[2].bytes, 2_GB);
        QCOMPARE(pieces[3].kind, BarPiece::Kind::Kept);
        QCOMPARE(pieces[3].bytes, 2_GB);
        QCOMPARE(barLength(device), 24_GB);
        device.used[Part::Kv] = 30_GB; // 46 GB where 22 may be taken
        device.total = 46_GB;
        pieces = barPieces(device);
        QCOMPARE(pieces[1].bytes, 30_GB);
        QCOMPARE(pieces.back().kind, BarPiece::Kind::Excess);
        QCOMPARE(pieces.back().begins, 22_GB);
        QCOMPARE(pieces.back().bytes, 24_GB);
        QCOMPARE(barLength(device), 48_GB);
    }

    void aRefusalIsSaid()
    {
        Bench bench;
        bench.show();
        bench.planner.edit([](Scenario &s) { s.clusters.front().split = {.tensor = 3}; }, Field::Split); // one card can't be cut in three
        bench.planner.flush();
        QCOMPARE(bench.planner.state().results->selectedPlan()->verdict, Verdict::Refused);
        QVERIFY(bench.find<QLabel>("refusal")->isVisible());
        QVERIFY(!bench.find<QLabel>("refusal")->text().isEmpty());
    }

    void splitAndMemoryChangeTheMachine()
    {
        Bench bench;
        bench.show();
        auto *tensor = bench.find<SplitChoice>("tensorBox");
        emit tensor->chosen(2);
        QCOMPARE(bench.planner.scenario().clusters.front().devices.size(), std::size_t{2});
        emit tensor->chosen(1);
        QCOMPARE(bench.planner.scenario().clusters.front().devices.size(), std::size_t{1});
        auto *memory = bench.find<QuantityField>("memoryField");
        memory->setFocus();
        memory->selectAll();
        QTest::keyClicks(memory, QStringLiteral("20GB"));
        QTest::keyClick(memory, Qt::Key_Return);
        bench.planner.flush();
        QCOMPARE(bench.planner.scenario().clusters.front().devices.front().memory, 20_GB);
        auto *reset = bench.find<QAbstractButton>("resetMemoryButton");
        QVERIFY(reset->isVisible());
        reset->click();
        QVERIFY(bench.planner.scenario().clusters.front() == worthwhileScenario(bench.catalog).clusters.front());
    }

    void modelByHand()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        bench.show();
        bench.trigger("enterModelAction");
        auto *dialog = bench.find<QDialog>("handModelDialog");
        const auto type = [&](const char *name, const QString &text) {
            auto *field = dialog->findChild<QuantityField *>(QLatin1String(name));
            field->selectAll();
            QTest::keyClicks(field, text);
            QTest::keyClick(field, Qt::Key_Tab); // what is typed is read when the field is left
        };
        dialog->activateWindow();
        QTRY_VERIFY(dialog->isActiveWindow());
        for (const auto &[name, text] :
             {std::pair{"handLayers", "80"}, {"handKvHeads", "8"}, {"handHeadDim", "128"}, {"handHeads", "64"}}) {
            dialog->findChild<QuantityField *>(QLatin1String(name))->setFocus();
            type(name, QLatin1String(text));
        }
        auto *parameters = dialog->findChild<QuantityField *>(QStringLiteral("handParameters"));
        parameters->setFocus();
        parameters->selectAll();
        QTest::keyClicks(parameters, QStringLiteral("70B"));
        QTest::keyClick(parameters, Qt::Key_Return); // reads the field and takes the dialog's OK
        QVERIFY(!dialog->isVisible());
        bench.planner.flush();
        QCOMPARE(bench.planner.scenario().model->layerCount(), 80);
        QCOMPARE(bench.planner.scenario().model->parameters().total(), std::int64_t{70'000'000'000});
        // 2 x 80 x 8 x 128 x 2 B
        QCOMPARE(bench.planner.state().results->selectedPlan()->kv.perToken.value, std::int64_t{327'680});
    }

    void panelsAreHiddenAndRestored()
    {
        Bench bench;
        bench.show();
        auto *dock = bench.find<QDockWidget>("explainDock");
        dock->toggleViewAction()->trigger();
        QVERIFY(!dock->isVisible());
        bench.trigger("showInputsAction");
        QVERIFY(!bench.find<QWidget>("inputsPanel")->isVisible());
        bench.trigger("arrangeAction");
        bench.trigger("resetLayoutAction");
        QVERIFY(dock->isVisible());
        QVERIFY(bench.find<QWidget>("inputsPanel")->isVisible());
        QVERIFY(!bench.find<QAction>("arrangeAction")->isChecked());
    }

    void partsLeadToTheirFormulas()
    {
        Bench bench;
        bench.show({1600, 1000});
        auto *bar = bench.find<MemoryBar>("memoryBar");
        bar->setFocus();
        QTest::keyClick(bar, Qt::Key_Right);
        QTest::keyClick(bar, Qt::Key_Right);
        QTest::keyClick(bar, Qt::Key_Return);
        auto *list = bench.find<QAbstractItemView>("explainList");
        QVERIFY(list->currentIndex().isValid());
        // 2 x 32 x 8 x 128 x 32768 tokens x 2 B
        QVERIFY2(list->currentIndex().data(Qt::AccessibleTextRole).toString().contains(QLatin1String("32 x 8 x 128")),
                 qPrintable(list->currentIndex().data(Qt::AccessibleTextRole).toString()));
    }

    void nothingIsCut()
    {
        QFETCH_GLOBAL(QString, language);
        Bench bench(language);
        for (const QSize size : {QSize(853, 480), QSize(1280, 720), QSize(1920, 1080)}) {
            bench.show(size);
            QVERIFY2(bench.window->width() <= size.width() && bench.window->height() <= size.height(), "the window fits the screen");
            QTest::qWait(30);
            for (const QLabel *label : bench.window->findChildren<QLabel *>()) {
                if (!label->isVisible() || label->text().isEmpty())
                    continue;
                const QSize needed = label->wordWrap() ? QSize(0, label->heightForWidth(label->width())) : label->sizeHint();
                // A subtitle gives way; then its whole text is in the tool tip.
                QVERIFY2(label->objectName() == QLatin1String("cardSubtitle") || label->toolTip() == label->text() ||
                             needed.width() <= label->width(),
                         qPrintable(label->objectName() + QLatin1Char(' ') + label->text()));
                QVERIFY2(needed.height() <= label->height() + 1, qPrintable(label->objectName() + QLatin1Char(' ') + label->text()));
            }
            const auto *inputs = bench.find<QScrollArea>("inputsPanel");
            QVERIFY(inputs->widget()->width() <= inputs->viewport()->width());
            const auto *answers = bench.find<QScrollArea>("answersArea");
            QVERIFY2(answers->widget()->width() <= answers->viewport()->width(), qPrintable(QString::number(answers->widget()->width())));
        }
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_mainwindow.moc"
