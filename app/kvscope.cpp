// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/catalog.h"
#include "core/scenariofile.h"
#include "ui/applylanguage.h"
#include "ui/mainwindow.h"
#include "ui/opening.h"
#include "ui/report.h"
#include "ui/text/report.h"
#include "ui/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QTimer>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using namespace kvscope;

constexpr int exitDone = 0, exitBadWords = 2, exitBadFile = 3; // as spec/cli.md, Exit status

int complain(const QString &sentence, int exitCode)
{
    std::fprintf(stderr, "kvscope: %s\n", qUtf8Printable(sentence));
    return exitCode;
}

QString translated(const char *sentence) { return QCoreApplication::translate("kvscope", sentence); }

struct Options {
    QCommandLineOption language{QStringLiteral("lang"), {}, QStringLiteral("en|zh_CN")};
    QCommandLineOption theme{QStringLiteral("theme"), {}, QStringLiteral("system|light|dark")};
    QCommandLineOption render{QStringLiteral("render"), {}, QStringLiteral("OUT")};
    QCommandLineOption chart{QStringLiteral("chart"), {}, QStringLiteral("growth|boundary|compare")};
    QCommandLineOption by{QStringLiteral("by"), {}, QStringLiteral("precision|gpu")};
    QCommandLineOption size{QStringLiteral("size"), {}, QStringLiteral("WxH")};
    QCommandLineOption scale{QStringLiteral("scale"), {}, QStringLiteral("N")};
    QCommandLineOption unit{QStringLiteral("unit"), {}, QStringLiteral("GB|GiB")};
    QCommandLineOption quitAfterPaint{QStringLiteral("quit-after-paint")}; ///< for tests/bench: what a start costs

    void describe()
    {
        language.setDescription(translated("Language of the window and of reports."));
        theme.setDescription(translated("Light or dark; the system's where not given."));
        render.setDescription(
            translated("Write a chart or a report of SCENARIO to OUT (.pdf .html .md .csv; with --chart .svg .png .pdf .csv) and leave."));
        chart.setDescription(translated("With --render: this chart instead of a report."));
        by.setDescription(translated("With --chart: a line a KV precision or a GPU."));
        size.setDescription(translated("With --render: size of the picture, 960x600 where not given."));
        scale.setDescription(translated("With --render: pixels a unit of a PNG, 2 where not given."));
        unit.setDescription(translated("Unit of memory."));
        quitAfterPaint.setFlags(QCommandLineOption::HiddenFromHelp);
    }
};

/// The place of `value` among `names`; empty if it is none of them.
std::optional<int> placeOf(const QString &value, const char *names)
{
    const QStringList all = QString::fromLatin1(names).split(QLatin1Char('|'));
    const auto at = all.indexOf(value, 0);
    return at < 0 ? std::nullopt : std::optional(static_cast<int>(at));
}

/// An option's value among the few that it takes, or the complaint.
Result<std::optional<int>> choice(const QCommandLineParser &parser, const QCommandLineOption &option)
{
    if (!parser.isSet(option))
        return std::optional<int>{};
    const auto place = placeOf(parser.value(option), option.valueName().toLatin1().constData());
    if (!place)
        return Error{ErrorCode::BadOption, "--" + option.names().front().toStdString(), option.valueName().toStdString(), {}};
    return place;
}

int render(const QCommandLineParser &parser, const Options &options, const QString &scenarioPath, std::optional<int> theme,
           std::optional<int> unit)
{
    RenderOptions how;
    const auto chart = choice(parser, options.chart), by = choice(parser, options.by);
    for (const auto *one : {&chart, &by}) {
        if (!*one)
            return complain(text::sentence(one->error()), exitBadWords);
    }
    if (*chart)
        how.chart = static_cast<ChartKind>(**chart);
    how.mode = static_cast<ChartMode>((*by).value_or(0));
    how.unit = static_cast<text::Unit>(unit.value_or(0));
    how.picture.dark = theme == static_cast<int>(ThemeChoice::Dark);
    if (parser.isSet(options.size)) {
        const QStringList sides = parser.value(options.size).split(QLatin1Char('x'));
        how.picture.size = sides.size() == 2 ? QSize(sides.at(0).toInt(), sides.at(1).toInt()) : QSize();
    }
    if (parser.isSet(options.scale))
        how.picture.scale = parser.value(options.scale).toDouble();
    const auto scenario = loadScenario(scenarioPath.toStdString());
    if (!scenario)
        return complain(text::sentence(scenario.error()), exitBadFile);
    if (const auto error = renderTo(parser.value(options.render), *scenario, how))
        return complain(text::sentence(*error), error->code == ErrorCode::BadOption ? exitBadWords : exitBadFile);
    return exitDone;
}

/// Ends the program once its window has been painted; at once, since what is measured is a start.
class QuitAfterPaint : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject *, QEvent *event) override
    {
        if (event->type() == QEvent::Paint)
            QTimer::singleShot(0, qApp, [] { std::_Exit(exitDone); });
        return false;
    }
};

/// Pictures and help need no display; where there is none, Qt is told so before it looks for one.
void chooseHeadless(int argc, char **argv)
{
    bool noWindow = false;
    for (int i = 1; i < argc; ++i) {
        for (const char *word : {"--render", "--help", "--version", "-h", "-v"})
            noWindow = noWindow || std::strcmp(argv[i], word) == 0 || (std::strncmp(argv[i], "--render=", 9) == 0);
    }
    if (noWindow && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") && qEnvironmentVariableIsEmpty("DISPLAY") &&
        qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
}

} // namespace

int main(int argc, char **argv)
{
    chooseHeadless(argc, argv);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("KVScope"));
    QApplication::setApplicationVersion(text::programName().section(QLatin1Char(' '), -1));
    QApplication::setOrganizationName(QStringLiteral("KVScope"));
    QGuiApplication::setDesktopFileName(QStringLiteral("org.kvscope.KVScope"));

    Settings settings = loadSettings();
    applyLanguage(settings.language);
    Options options;
    options.describe();
    QCommandLineParser parser;
    parser.setApplicationDescription(translated("Where the GPU memory goes before a large language model is loaded."));
    parser.addHelpOption();
    parser.addVersionOption();
    parser.addPositionalArgument(QStringLiteral("FILE"),
                                 translated("A scenario, a config.json, a GGUF file, a model folder or a safetensors index to open."));
    parser.addOptions({options.language, options.theme, options.render, options.chart, options.by, options.size, options.scale,
                       options.unit, options.quitAfterPaint});
    if (!parser.parse(QApplication::arguments()))
        return complain(parser.errorText(), exitBadWords);
    if (parser.isSet(QStringLiteral("help")))
        parser.showHelp(exitDone);
    if (parser.isSet(QStringLiteral("version")))
        parser.showVersion();

    const auto language = choice(parser, options.language), theme = choice(parser, options.theme), unit = choice(parser, options.unit);
    for (const auto *one : {&language, &theme, &unit}) {
        if (!*one)
            return complain(text::sentence(one->error()), exitBadWords);
    }
    if (*language)
        applyLanguage(parser.value(options.language));
    const QStringList files = parser.positionalArguments();
    if (parser.isSet(options.render)) {
        if (files.size() != 1)
            return complain(translated("--render needs one scenario file"), exitBadWords);
        return render(parser, options, files.front(), *theme, *unit);
    }
    if (files.size() > 1)
        return complain(translated("one file can be opened at a time"), exitBadWords);

    // What the command line says holds for this run alone, so the window starts from a copy.
    Settings shown = settings;
    if (*language)
        shown.language = parser.value(options.language);
    if (*theme)
        shown.theme = static_cast<ThemeChoice>(**theme);
    if (*unit)
        shown.unit = static_cast<text::Unit>(**unit);
    applyTheme(application, shown.theme);

    Catalog catalog;
    QStringList troubles;
    for (const QString &path : settings.userCatalogues) {
        if (const auto error = catalog.addFile(path.toStdString()))
            troubles += text::sentence(*error);
    }
    Planner planner;
    Session session(Session::defaultPath(), [&planner] { return planner.scenario(); });
    const SessionReading last = settings.resumeSession ? session.read() : SessionReading{};
    if (last.damage)
        troubles += QCoreApplication::translate("kvscope", "The last session could not be read and was set aside as %1: %2")
                        .arg(last.setAside, text::sentence(*last.damage));
    planner.start(last.scenario ? *last.scenario : worthwhileScenario(catalog));
    planner.flush();

    MainWindow window(shown, catalog, planner, session);
    window.setSettingsStore([settings, shown](Settings kept) {
        if (kept.language == shown.language)
            kept.language = settings.language;
        if (kept.theme == shown.theme)
            kept.theme = settings.theme;
        if (kept.unit == shown.unit)
            kept.unit = settings.unit;
        saveSettings(kept);
    });
    window.show();
    QObject::connect(&window, &MainWindow::finished, &application,
                     [] { QApplication::setWindowIcon(QIcon(QStringLiteral(":/icons/kvscope.svg"))); });
    if (!files.isEmpty())
        window.openFile(files.front());
    if (!troubles.isEmpty())
        window.showError(troubles.join(QLatin1Char(' ')));
    if (parser.isSet(options.quitAfterPaint))
        window.installEventFilter(new QuitAfterPaint(&window));
    return QApplication::exec();
}
