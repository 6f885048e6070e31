// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chartexport.h"

#include "ui/boundarychart.h"
#include "ui/comparechart.h"
#include "ui/growthchart.h"
#include "ui/text/report.h"

#include <QBuffer>
#include <QClipboard>
#include <QCoreApplication>
#include <QDate>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QLocale>
#include <QMimeData>
#include <QPageLayout>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>

namespace kvscope {

namespace {

struct Picture {
    Q_DECLARE_TR_FUNCTIONS(chartexport)
};

constexpr int largestSide = 20000;
// A QImage beyond this would take over half a gigabyte.
constexpr double largestPixels = 1.5e8;
constexpr double unitsPerInch = 96;

Error badOption(const QString &option, const QString &accepted)
{
    return {ErrorCode::BadOption, option.toStdString(), accepted.toStdString(), {}};
}

Error writeFailed(const QString &path, const QString &why) { return {ErrorCode::WriteFailed, path.toStdString(), why.toStdString(), {}}; }

// A bar chart is as high as its rows need.
QSize sizeOf(const ChartView &chart, const ExportOptions &options)
{
    const QSize usual(960, chart.kind() == ChartKind::Compare ? 140 + chart.sizeHint().height() : 600);
    return options.size.value_or(usual);
}

std::optional<Error> checked(const ChartView &chart, const ExportOptions &options)
{
    const QSize size = sizeOf(chart, options);
    if (size.width() < 200 || size.height() < 150 || size.width() > largestSide || size.height() > largestSide)
        return badOption(QStringLiteral("--size"), QStringLiteral("200x150 - 20000x20000"));
    if (!(options.scale >= 0.25 && options.scale <= 16) || size.width() * options.scale * size.height() * options.scale > largestPixels)
        return badOption(QStringLiteral("--scale"), QStringLiteral("0.25 - 16"));
    return std::nullopt;
}

QFont sized(int pixels, QFont::Weight weight = QFont::Normal)
{
    QFont font = QGuiApplication::font();
    font.setPixelSize(pixels);
    font.setWeight(weight);
    return font;
}

// The lines of `text` at most `width` wide, broken between its parts ("a · b · c").
QStringList brokenAtDots(const QString &text, const QFontMetricsF &metrics, qreal width)
{
    const QString dot = QStringLiteral(" · ");
    QStringList lines;
    QString line;
    for (const QString &part : text.split(dot)) {
        const QString longer = line.isEmpty() ? part : line + dot + part;
        if (!line.isEmpty() && metrics.horizontalAdvance(longer) > width) {
            lines.append(line);
            line = part;
        } else {
            line = longer;
        }
    }
    lines.append(line);
    return lines;
}

QByteArray pdfOf(const ChartView &chart, const ExportOptions &options)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(chart.title());
    writer.setCreator(text::programName());
    writer.setResolution(300);
    writer.setPageSize(QPageSize(QSizeF(sizeOf(chart, options)) * 72 / unitsPerInch, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins({});
    QPainter painter;
    if (!painter.begin(&writer))
        return {};
    painter.scale(300 / unitsPerInch, 300 / unitsPerInch);
    paintPicture(painter, QRectF({}, QSizeF(sizeOf(chart, options))), *copyOf(chart), options.dark);
    painter.end();
    return bytes;
}

} // namespace

QString nameOf(ChartKind kind)
{
    switch (kind) {
    case ChartKind::Growth: return QStringLiteral("growth");
    case ChartKind::Boundary: return QStringLiteral("boundary");
    case ChartKind::Compare: return QStringLiteral("compare");
    }
    return {};
}

std::unique_ptr<ChartView> makeChart(ChartKind kind)
{
    switch (kind) {
    case ChartKind::Growth: return std::make_unique<GrowthChart>();
    case ChartKind::Boundary: return std::make_unique<BoundaryChart>();
    case ChartKind::Compare: return std::make_unique<CompareChart>();
    }
    return nullptr;
}

std::unique_ptr<ChartView> copyOf(const ChartView &chart)
{
    std::unique_ptr<ChartView> copy = makeChart(chart.kind());
    copy->copyFrom(chart);
    return copy;
}

QString settingsLine(const Results &results, text::Unit unit)
{
    const Scenario &s = results.scenario;
    const int sequences = static_cast<int>(std::min(s.batch, largestBatch));
    QStringList parts;
    if (s.model)
        parts.append(QString::fromStdString(s.model->name));
    parts.append(text::engineName(s));
    if (s.weights.measured)
        parts.append(Picture::tr("weights %1 (measured)").arg(text::bytes(*s.weights.measured, unit)));
    else if (s.model)
        parts.append(Picture::tr("weights %1").arg(text::name(weightFormat(s))));
    parts.append(Picture::tr("KV %1").arg(text::kvName(s)));
    parts.append(Picture::tr("%1 tokens").arg(text::tokens(s.context)));
    parts.append(Picture::tr("%n sequence(s)", nullptr, sequences));
    if (const Cluster *cluster = results.selectedCluster()) {
        parts.append(text::name(*cluster, unit));
        if (const QString layout = text::layout(*cluster); !layout.isEmpty())
            parts.append(layout);
    }
    return parts.join(QStringLiteral(" · "));
}

void paintPicture(QPainter &painter, const QRectF &page, ChartView &windowless, bool dark)
{
    const Theme &theme = dark ? darkTheme() : lightTheme();
    const Results *results = windowless.state().results.get();
    const qreal margin = std::min<qreal>(20, page.width() * 0.03);
    const QRectF inner = page.adjusted(margin, margin * 0.8, -margin, -margin * 0.6);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(page, theme.card);

    const auto line = [&painter, &inner](qreal &y, const QString &words, const QFont &font, const QColor &colour) {
        const QFontMetricsF metrics(font);
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(QRectF(inner.left(), y, inner.width(), metrics.height()), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                         metrics.elidedText(words, Qt::ElideRight, inner.width()));
        y += metrics.height() + 2;
    };
    const QFont small = sized(12);
    const QFontMetricsF smallMetrics(small);
    qreal y = inner.top();
    line(y, windowless.title(), sized(18, QFont::DemiBold), theme.text);
    line(y, windowless.subtitleOfPicture(), small, theme.muted);
    if (results) {
        for (const QString &words : brokenAtDots(settingsLine(*results, windowless.state().unit), smallMetrics, inner.width()))
            line(y, words, small, theme.text);
        if (const Plan *plan = results->selectedPlan())
            line(y, text::verdictSentence(*plan, windowless.state().unit), sized(12, QFont::DemiBold), theme.look(plan->verdict).text);
    }
    const QString date = QLocale().toString(QDate::currentDate(), QLocale::LongFormat);
    const QFont tiny = sized(11);
    const QFontMetricsF tinyMetrics(tiny);
    const QRectF footer(inner.left(), inner.bottom() - tinyMetrics.height(), inner.width(), tinyMetrics.height());
    painter.setFont(tiny);
    painter.setPen(theme.muted);
    painter.drawText(footer, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, text::programName());
    painter.drawText(footer, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, date);

    const QRectF area(inner.left(), y + 8, inner.width(), std::max<qreal>(40, footer.top() - 8 - (y + 8)));
    windowless.paintInto(painter, area, theme);
}

std::optional<Error> writeFile(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return writeFailed(path, file.errorString());
    return std::nullopt;
}

QByteArray svgOf(const ChartView &chart, const ExportOptions &options)
{
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setSize(sizeOf(chart, options));
    generator.setViewBox(QRect({}, sizeOf(chart, options)));
    generator.setResolution(static_cast<int>(unitsPerInch));
    generator.setTitle(chart.title());
    generator.setDescription(chart.description());
    QPainter painter;
    if (!painter.begin(&generator))
        return {};
    paintPicture(painter, QRectF({}, QSizeF(sizeOf(chart, options))), *copyOf(chart), options.dark);
    painter.end();
    return bytes;
}

QImage imageOf(const ChartView &chart, const ExportOptions &options)
{
    QImage image((QSizeF(sizeOf(chart, options)) * options.scale).toSize(), QImage::Format_ARGB32_Premultiplied);
    if (image.isNull())
        return image;
    image.setDevicePixelRatio(options.scale);
    image.setDotsPerMeterX(static_cast<int>(unitsPerInch * options.scale / 0.0254));
    image.setDotsPerMeterY(static_cast<int>(unitsPerInch * options.scale / 0.0254));
    image.setText(QStringLiteral("Title"), chart.title());
    image.setText(QStringLiteral("Description"), chart.description());
    image.setText(QStringLiteral("Software"), text::programName());
    QPainter painter(&image);
    paintPicture(painter, QRectF({}, QSizeF(sizeOf(chart, options))), *copyOf(chart), options.dark);
    return image;
}

std::optional<Error> exportChart(const QString &path, const ChartView &chart, const ExportOptions &options)
{
    if (const std::optional<Error> error = checked(chart, options))
        return error;
    const QString ending = QFileInfo(path).suffix().toLower();
    QByteArray bytes;
    if (ending == QLatin1String("svg")) {
        bytes = svgOf(chart, options);
    } else if (ending == QLatin1String("pdf")) {
        bytes = pdfOf(chart, options);
    } else if (ending == QLatin1String("png")) {
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        imageOf(chart, options).save(&buffer, "PNG");
    } else if (ending == QLatin1String("csv")) {
        bytes = text::csvOf(chart.table(CellStyle::Plain)).toUtf8();
    } else {
        return badOption(path, QStringLiteral(".svg .pdf .png .csv"));
    }
    if (bytes.isEmpty())
        return writeFailed(path, Picture::tr("the picture could not be drawn"));
    return writeFile(path, bytes);
}

void copyPicture(const ChartView &chart, const ExportOptions &options) { QGuiApplication::clipboard()->setImage(imageOf(chart, options)); }

void copyData(const ChartView &chart)
{
    // Tab separated pastes into cells everywhere; CSV for programs that ask for it.
    const ChartTable table = chart.table(CellStyle::Plain);
    QString tabbed = table.columns.join(u'\t') + u'\n';
    for (const QStringList &row : table.rows)
        tabbed += row.join(u'\t') + u'\n';
    auto *data = new QMimeData;
    data->setText(tabbed);
    data->setData(QStringLiteral("text/csv"), text::csvOf(table).toUtf8());
    QGuiApplication::clipboard()->setMimeData(data);
}

std::optional<Error> printChart(QPagedPaintDevice &device, const ChartView &chart)
{
    QPainter painter;
    if (!painter.begin(&device))
        return writeFailed(chart.title(), Picture::tr("the printer could not be started"));
    // A page of A4's shape at 96 units an inch is about 1100 wide: the picture keeps that scale on any paper.
    const QRectF page(0, 0, device.width(), device.height());
    const qreal scale = page.width() / 1100;
    const QSizeF size(1100, std::min(page.height() / scale, 1100 * 0.7));
    painter.scale(scale, scale);
    paintPicture(painter, QRectF({}, size), *copyOf(chart));
    return std::nullopt;
}

} // namespace kvscope
