// SPDX-License-Identifier: GPL-3.0-or-later
#include "chartscenario.h"

#include "ui/chartcard.h"
#include "ui/chartexport.h"
#include "ui/growthchart.h"
#include "ui/report.h"
#include "ui/tabledialog.h"
#include "ui/text/report.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QMenu>
#include <QMimeData>
#include <QPainter>
#include <QPrinter>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSvgRenderer>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace kvscope;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// All character data of an XML text; empty if it is not well formed.
QString wordsOf(const QByteArray &xml)
{
    QXmlStreamReader reader(xml);
    QString words;
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::Characters)
            words += reader.text().toString() + u' ';
    }
    return reader.hasError() ? QString() : words.simplified();
}

} // namespace

class TestReport : public QObject {
    Q_OBJECT

private slots:
    void init() { QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support).*"))); }

    void pictureStandsAlone_data()
    {
        QTest::addColumn<int>("kind");
        for (const ChartKind kind : {ChartKind::Growth, ChartKind::Boundary, ChartKind::Compare})
            QTest::newRow(qPrintable(nameOf(kind))) << static_cast<int>(kind);
    }
    void pictureStandsAlone()
    {
        QFETCH(int, kind);
        const auto chart = makeChart(static_cast<ChartKind>(kind));
        chart->showResults(stateOf(eightCards()));
        QTemporaryDir folder;
        ExportOptions options;
        options.size = QSize(800, 500);

        const QString svg = folder.filePath(QStringLiteral("a.svg"));
        QVERIFY(!exportChart(svg, *chart, options));
        const QString words = wordsOf(contentOf(svg));
        QVERIFY(!words.isEmpty());
        for (const QString &expected :
             {chart->title(), QStringLiteral("Hand 8B"), QStringLiteral("65,536 tokens"), QStringLiteral("KV f16"),
              QStringLiteral("RTX 4090"), text::programName(), QLocale().toString(QDate::currentDate(), QLocale::LongFormat)})
            QVERIFY2(words.contains(expected), qPrintable(expected + QStringLiteral(" is not in ") + words));
        QVERIFY(words.contains(QStringLiteral("GB")));
        QSvgRenderer renderer(contentOf(svg));
        QVERIFY(renderer.isValid());
        QCOMPARE(renderer.viewBox(), QRect(0, 0, 800, 500));

        const QString png = folder.filePath(QStringLiteral("a.png"));
        for (const double scale : {1.0, 2.0, 3.0}) {
            options.scale = scale;
            QVERIFY(!exportChart(png, *chart, options));
            const QImage image(png);
            QCOMPARE(image.size(), QSize(800, 500) * scale);
            // A light page whatever the window's theme; not a blank one.
            QCOMPARE(image.pixelColor(1, 1), lightTheme().card);
            QCOMPARE(image.text(QStringLiteral("Title")), chart->title());
        }
        options.dark = true;
        QVERIFY(!exportChart(png, *chart, options));
        QCOMPARE(QImage(png).pixelColor(1, 1), darkTheme().card);

        const QString pdf = folder.filePath(QStringLiteral("a.pdf"));
        QVERIFY(!exportChart(pdf, *chart, options));
        QVERIFY(contentOf(pdf).startsWith("%PDF"));
        // 800 units of 1/96 inch are 600 points.
        QVERIFY(contentOf(pdf).contains("600"));

        const QString csv = folder.filePath(QStringLiteral("a.csv"));
        QVERIFY(!exportChart(csv, *chart, options));
        QCOMPARE(QString::fromUtf8(contentOf(csv)), text::csvOf(chart->table(CellStyle::Plain)));
    }

    // Series would run over title and edge in SVG, which has no clip paths (Qt before 6.5).
    void svgLinesStayInThePlot()
    {
        Scenario scenario = handScenario();
        scenario.context = TokenCount{120000};
        scenario.batch = 40;
        const auto chart = makeChart(ChartKind::Growth);
        chart->showResults(stateOf(scenario));
        ExportOptions options;
        options.size = QSize(800, 500);
        QSvgRenderer renderer(svgOf(*chart, options));
        QImage image(800, 500, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        renderer.render(&painter);
        painter.end();
        // The outermost pixels are margin on every side.
        for (int x = 0; x < 800; ++x) {
            QCOMPARE(image.pixelColor(x, 2), lightTheme().card);
            QCOMPARE(image.pixelColor(x, 497), lightTheme().card);
        }
        for (int y = 0; y < 500; ++y) {
            QCOMPARE(image.pixelColor(2, y), lightTheme().card);
            QCOMPARE(image.pixelColor(797, y), lightTheme().card);
        }
    }

    void failuresAreSaidAndLeaveTheOldFile()
    {
        const auto chart = makeChart(ChartKind::Growth);
        chart->showResults(stateOf(handScenario()));
        QTemporaryDir folder;
        for (const char *ending : {"svg", "png", "pdf", "csv"}) {
            const QString path = folder.filePath(QStringLiteral("no/such/folder/a.") + QLatin1String(ending));
            const std::optional<Error> error = exportChart(path, *chart);
            QVERIFY(error);
            QCOMPARE(error->code, ErrorCode::WriteFailed);
            QCOMPARE(error->where, path.toStdString());
        }
        QCOMPARE(exportChart(folder.filePath(QStringLiteral("a.bmp")), *chart)->code, ErrorCode::BadOption);
        for (const QSize size : {QSize(), QSize(0, 0), QSize(10, 10), QSize(100000, 400)}) {
            ExportOptions options;
            options.size = size;
            QCOMPARE(exportChart(folder.filePath(QStringLiteral("a.png")), *chart, options)->code, ErrorCode::BadOption);
        }
        ExportOptions wide;
        wide.scale = 1000;
        QCOMPARE(exportChart(folder.filePath(QStringLiteral("a.png")), *chart, wide)->code, ErrorCode::BadOption);
        QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("a.png"))));
        // A folder where the file should be.
        QVERIFY(QDir(folder.path()).mkdir(QStringLiteral("b.svg")));
        QCOMPARE(exportChart(folder.filePath(QStringLiteral("b.svg")), *chart)->code, ErrorCode::WriteFailed);
    }

    void exportIsTheShownChart()
    {
        GrowthChart chart;
        chart.resize(600, 400);
        chart.show();
        Scenario scenario = handScenario();
        scenario.context = TokenCount{120000};
        chart.showResults(stateOf(scenario));
        scenario.context = TokenCount{60000};
        chart.setMode(ChartMode::ByCluster);
        chart.showResults(stateOf(scenario));
        const auto copy = copyOf(chart);
        QImage image(600, 400, QImage::Format_RGB32);
        QPainter painter(&image);
        copy->paintInto(painter, QRectF(0, 0, 600, 400), lightTheme());
        QCOMPARE(copy->mode(), ChartMode::ByCluster);
        QCOMPARE(copy->xAxis().high, chart.xAxis().high);
        QCOMPARE(copy->yAxis().high, chart.yAxis().high);
        QCOMPARE(copy->lines().size(), chart.lines().size());
    }

    void clipboard()
    {
        const auto chart = makeChart(ChartKind::Growth);
        chart->showResults(stateOf(handScenario()));
        copyPicture(*chart);
        QCOMPARE(QGuiApplication::clipboard()->image().size(), QSize(1920, 1200));
        copyData(*chart);
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("\t17179869184")));
        QVERIFY(QGuiApplication::clipboard()->mimeData()->data(QStringLiteral("text/csv")).contains("17179869184"));
    }

    void prints()
    {
        QTemporaryDir folder;
        const auto chart = makeChart(ChartKind::Boundary);
        chart->showResults(stateOf(handScenario()));
        QPrinter printer;
        printer.setOutputFormat(QPrinter::PdfFormat);
        printer.setOutputFileName(folder.filePath(QStringLiteral("p.pdf")));
        QVERIFY(!printChart(printer, *chart));
        QVERIFY(contentOf(folder.filePath(QStringLiteral("p.pdf"))).startsWith("%PDF"));
    }

    void cardDrivesTheChart()
    {
        ChartCard card(new GrowthChart);
        card.resize(600, 400);
        card.show();
        card.showResults(stateOf(eightCards()));
        QCOMPARE(card.chart()->mode(), ChartMode::ByPrecision);
        card.modeBox()->setFocus();
        QTest::keyClick(card.modeBox(), Qt::Key_Down);
        QCOMPARE(card.chart()->mode(), ChartMode::ByCluster);

        QTemporaryDir folder;
        QString suggested;
        QString answer = folder.filePath(QStringLiteral("out"));
        card.setAskSavePath([&](QWidget *, const QString &, const QString &name, const QString &, const Prompts::Path &then) {
            suggested = name;
            then(answer);
        });
        QSignalSpy done(&card, &ChartCard::done);
        QSignalSpy failed(&card, &ChartCard::failed);
        card.exportAs(QStringLiteral("svg"));
        QCOMPARE(suggested, QStringLiteral("kvscope-growth.svg"));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("out.svg"))));
        QCOMPARE(done.size(), 1);
        answer = folder.filePath(QStringLiteral("out3.png"));
        card.exportAs(QStringLiteral("png"), 3);
        QCOMPARE(QImage(answer).width(), 2880);
        answer = folder.filePath(QStringLiteral("missing/out.pdf"));
        card.exportTo();
        QCOMPARE(failed.size(), 1);
        QVERIFY(failed.first().first().toString().contains(answer));

        card.showTable();
        auto *dialog = card.findChild<TableDialog *>();
        QVERIFY(dialog && dialog->isVisible());
        auto *table = dialog->findChild<QTableWidget *>();
        QCOMPARE(static_cast<std::size_t>(table->rowCount()), card.chart()->state().results->contexts.size());
        QTest::keyClick(dialog, Qt::Key_Escape);
        for (const QAction *action : card.menu()->actions())
            QVERIFY(action->isSeparator() || !action->text().isEmpty());
    }

    void wordsHoldTheFigures()
    {
        const ViewState state = stateOf(handScenario());
        text::ReportOptions options;
        options.written = QDateTime(QDate(2026, 5, 4), QTime(12, 0));
        const QString markdown = text::markdownReport(*state.results, options);
        // 131072 B a token; 65536 tokens x 2 sequences: 17179869184 B; 24e9 / 262144 = 91552 tokens; 24e9 / (131072 x 65536) = 2 sequences.
        for (const char *expected :
             {"# GPU memory report: Hand 8B", "131,072", "17,179,869,184", "91,552", "| f16 | 17.18 | 91,552 | 2 |", "2026", "KVScope"})
            QVERIFY2(markdown.contains(QLatin1String(expected)), qPrintable(QLatin1String(expected) + u'\n' + markdown));
        // The formula with its numbers put in.
        QVERIFY2(markdown.contains(QRegularExpression(QStringLiteral("32.*8.*128.*65536"))), qPrintable(markdown));
        const QString html = text::htmlReport(*state.results, options);
        const QString words = wordsOf(html.toUtf8());
        for (const char *expected : {"GPU memory report: Hand 8B", "17,179,869,184", "91,552"})
            QVERIFY2(words.contains(QLatin1String(expected)), qPrintable(words));
        const QString csv = text::csvReport(*state.results);
        QCOMPARE(csv.count(QStringLiteral("\r\n")), 2);
        QVERIFY(csv.contains(QStringLiteral("17179869184")));
        QVERIFY(csv.contains(QStringLiteral("91552")));
    }

    void namesFromOutsideAreHarmless()
    {
        Scenario scenario = handScenario();
        ModelSpec model = *scenario.model;
        model.name = "a|b <script>alert(1)</script> *c*";
        scenario.model = std::make_shared<const ModelSpec>(model);
        const ViewState state = stateOf(scenario);
        QVERIFY(!text::htmlReport(*state.results).contains(QStringLiteral("<script")));
        const QString markdown = text::markdownReport(*state.results);
        QVERIFY(!markdown.contains(QStringLiteral(" a|b")));
        QVERIFY(!markdown.contains(QStringLiteral(" <script")));
        const auto chart = makeChart(ChartKind::Growth);
        chart->showResults(state);
        QVERIFY(wordsOf(svgOf(*chart)).contains(QStringLiteral("a|b <script>alert(1)</script> *c*")));
    }

    void turnedTableSwapsRowsAndColumns()
    {
        const auto words = [](const char *text) { return QString::fromLatin1(text).split(u' '); };
        const text::Table turned = text::turned({words("gpu kv state"), {words("a 1 0"), words("b 2 0")}});
        QCOMPARE(turned.columns, words("gpu a b"));
        QCOMPARE(turned.rows.size(), std::size_t{1});
        QCOMPARE(turned.rows[0], words("kv 1 2"));
    }

    void writesReportsWithCharts()
    {
        QTemporaryDir folder;
        const ViewState state = stateOf(eightCards());
        const QString html = folder.filePath(QStringLiteral("r.html"));
        QVERIFY(!writeReport(html, state));
        QCOMPARE(contentOf(html).count("<svg"), 3);
        QVERIFY(!wordsOf(contentOf(html)).isEmpty());
        const QString markdown = folder.filePath(QStringLiteral("r.md"));
        QVERIFY(!writeReport(markdown, state));
        for (const char *name : {"r-growth.svg", "r-boundary.svg", "r-compare.svg"}) {
            QVERIFY(contentOf(markdown).contains(name));
            QVERIFY(!wordsOf(contentOf(folder.filePath(QLatin1String(name)))).isEmpty());
        }
        const QString pdf = folder.filePath(QStringLiteral("r.pdf"));
        QVERIFY(!writeReport(pdf, state));
        QVERIFY(contentOf(pdf).startsWith("%PDF"));
        // Vectors: no picture is embedded.
        QVERIFY(!contentOf(pdf).contains("/Subtype /Image"));
        const QString csv = folder.filePath(QStringLiteral("r.csv"));
        QVERIFY(!writeReport(csv, state));
        QCOMPARE(contentOf(csv).count('\n'), 9);
        QCOMPARE(writeReport(folder.filePath(QStringLiteral("r.doc")), state)->code, ErrorCode::BadOption);
        QCOMPARE(writeReport(folder.filePath(QStringLiteral("no/r.html")), state)->code, ErrorCode::WriteFailed);
    }

    void bothLanguages()
    {
        text::installLanguage(QStringLiteral("zh_CN"));
        const ViewState state = stateOf(handScenario());
        const QString html = text::htmlReport(*state.results);
        text::installLanguage(QStringLiteral("en"));
        QVERIFY(html.contains(QStringLiteral("lang=\"zh-CN\"")));
        QVERIFY(html.contains(QRegularExpression(QStringLiteral("[\\x{4e00}-\\x{9fff}]"))));
        QVERIFY(html.contains(QStringLiteral("17.18 GB")));
        QVERIFY(!text::htmlReport(*state.results).contains(QRegularExpression(QStringLiteral("[\\x{4e00}-\\x{9fff}]"))));
    }

    void rendersWithoutAWindow()
    {
        QTemporaryDir folder;
        RenderOptions options;
        QVERIFY(!renderTo(folder.filePath(QStringLiteral("a.pdf")), handScenario(), options));
        options.chart = ChartKind::Boundary;
        options.picture.size = QSize(400, 300);
        options.picture.scale = 1.5;
        QVERIFY(!renderTo(folder.filePath(QStringLiteral("a.png")), handScenario(), options));
        QCOMPARE(QImage(folder.filePath(QStringLiteral("a.png"))).size(), QSize(600, 450));
        QCOMPARE(renderTo(folder.filePath(QStringLiteral("a.md")), handScenario(), options)->code, ErrorCode::BadOption);
    }
};

QTEST_MAIN(TestReport)
#include "tst_report.moc"
