// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/report.h"

#include "ui/chartobject.h"
#include "ui/text/report.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QCoreApplication>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QPainter>
#include <QPdfWriter>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

#include <cmath>

namespace kvscope {

namespace {

Charts chartsOf(const ViewState &state)
{
    Charts charts;
    const auto add = [&](ChartKind kind, ChartMode mode) {
        charts.push_back(makeChart(kind));
        charts.back()->setMode(mode);
        charts.back()->showResults(state);
    };
    const bool several = state.results->scenario.clusters.size() > 1;
    add(ChartKind::Growth, ChartMode::ByPrecision);
    add(ChartKind::Boundary, several ? ChartMode::ByCluster : ChartMode::ByPrecision);
    add(ChartKind::Compare, ChartMode::ByPrecision);
    return charts;
}

// No heading stands alone at the foot of a page: it goes over to the next with what it heads.
void keepHeadingsWithText(QTextDocument &document)
{
    const qreal page = document.pageSize().height();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() == 0)
            continue;
        const QRectF box = document.documentLayout()->blockBoundingRect(block);
        const qreal below = page - std::fmod(box.top(), page);
        if (below > box.height() * 5)
            continue;
        QTextBlockFormat format = block.blockFormat();
        format.setPageBreakPolicy(QTextFormat::PageBreak_AlwaysBefore);
        QTextCursor(block).setBlockFormat(format);
        // Else only the block itself is laid out again, and what follows stays where it was.
        document.markContentsDirty(0, document.characterCount());
    }
}

QByteArray pdfReport(const ViewState &state, const ExportOptions &options)
{
    const Charts charts = chartsOf(state);
    text::ReportOptions words;
    words.unit = state.unit;
    const auto placeholder = [](std::size_t i) { return QStringLiteral("{chart %1}").arg(i); };
    for (std::size_t i = 0; i < charts.size(); ++i)
        words.figures.push_back({charts[i]->title(), placeholder(i)});
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setResolution(300);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setPageMargins(QMarginsF(15, 14, 15, 12), QPageLayout::Millimeter);
    writer.setCreator(text::programName());

    QTextDocument document;
    document.documentLayout()->setPaintDevice(&writer);
    document.documentLayout()->registerHandler(ChartObject::type, new ChartObject(charts, options, &document));
    document.setDocumentMargin(0);
    document.setDefaultStyleSheet(
        QStringLiteral("body { font-size: 9pt; color: #1a1f29; } h1 { font-size: 16pt; } h2 { font-size: 11pt; } "
                       "th, td { font-size: 8pt; } th { color: #596577; } .quiet { color: #596577; } .verdict { font-size: 12pt; }"));
    document.setHtml(text::htmlReport(*state.results, words));
    writer.setTitle(document.metaInformation(QTextDocument::DocumentTitle));
    for (std::size_t i = 0; i < charts.size(); ++i) {
        QTextCursor found = document.find(placeholder(i));
        QTextCharFormat format;
        format.setObjectType(ChartObject::type);
        format.setProperty(ChartObject::index, static_cast<int>(i));
        if (found.isNull())
            continue;
        // The page's line height is for words.
        QTextBlockFormat block = found.blockFormat();
        block.setLineHeight(100, QTextBlockFormat::ProportionalHeight);
        found.setBlockFormat(block);
        found.insertText(QString(QChar::ObjectReplacementCharacter), format);
    }
    QFont small = document.defaultFont();
    small.setPointSize(8);
    const qreal footer = QFontMetricsF(small, &writer).height() * 1.6;
    const QSizeF page(writer.width(), writer.height() - footer);
    document.setPageSize(page);
    keepHeadingsWithText(document);
    QPainter painter;
    if (!painter.begin(&writer))
        return {};
    for (int i = 0; i < document.pageCount(); ++i) {
        if (i > 0)
            writer.newPage();
        painter.save();
        painter.translate(0, -i * page.height());
        document.drawContents(&painter, QRectF(0, i * page.height(), page.width(), page.height()));
        painter.restore();
        painter.setFont(small);
        painter.setPen(lightTheme().muted);
        painter.drawText(QRectF(0, page.height(), page.width(), footer), Qt::AlignRight | Qt::AlignBottom,
                         QCoreApplication::translate("report", "page %1 of %2").arg(i + 1).arg(document.pageCount()));
    }
    painter.end();
    return bytes;
}

} // namespace

std::optional<Error> writeReport(const QString &path, const ViewState &state, const ExportOptions &options)
{
    const QFileInfo file(path);
    const QString ending = file.suffix().toLower();
    text::ReportOptions words;
    words.unit = state.unit;
    if (ending == QLatin1String("csv"))
        return writeFile(path, text::csvReport(*state.results).toUtf8());
    if (ending == QLatin1String("pdf"))
        return writeFile(path, pdfReport(state, options));
    const bool markdown = ending == QLatin1String("md") || ending == QLatin1String("markdown");
    if (!markdown && ending != QLatin1String("html") && ending != QLatin1String("htm"))
        return Error{ErrorCode::BadOption, path.toStdString(), ".md .html .pdf .csv", {}};
    for (const std::unique_ptr<ChartView> &chart : chartsOf(state)) {
        ExportOptions picture = options;
        picture.size = pictureSize(*chart, options);
        const QByteArray svg = svgOf(*chart, picture);
        if (markdown) {
            // Markdown can't hold a picture: it stands beside it.
            const QString name = QStringLiteral("%1-%2.svg").arg(file.completeBaseName(), nameOf(chart->kind()));
            if (const std::optional<Error> error = writeFile(file.path() + u'/' + name, svg))
                return error;
            words.figures.push_back(
                {chart->title(), QStringLiteral("![%1](<%2>)").arg(chart->description().remove(u'[').remove(u']'), name)});
        } else {
            // Without the XML prologue, which has no place inside HTML.
            words.figures.push_back({chart->title(), QString::fromUtf8(svg.mid(svg.indexOf("<svg")))});
        }
    }
    return writeFile(path, (markdown ? text::markdownReport(*state.results, words) : text::htmlReport(*state.results, words)).toUtf8());
}

std::optional<Error> renderTo(const QString &path, const Scenario &scenario, const RenderOptions &options)
{
    ViewState state;
    state.results = std::make_shared<const Results>(evaluate(scenario));
    state.unit = options.unit;
    if (!options.chart)
        return writeReport(path, state, options.picture);
    const std::unique_ptr<ChartView> chart = makeChart(*options.chart);
    chart->setMode(options.mode);
    chart->showResults(state);
    return exportChart(path, *chart, options.picture);
}

} // namespace kvscope
