// SPDX-License-Identifier: GPL-3.0-or-later
// How a report is written: Markdown, HTML, CSV. What it says stands in reportblocks.cpp.
#include "ui/text/report.h"

#include "ui/text/reportblocks.h"

namespace kvscope::text {

namespace {

QString markdownEscaped(const QString &text)
{
    QString result;
    for (const QChar c : text) {
        if (QStringLiteral("\\`*_[]<>|#").contains(c))
            result += u'\\';
        result += c == u'\n' ? u' ' : c;
    }
    return result;
}

QString markdownTable(const Block &block)
{
    const auto line = [](const QStringList &cells) {
        QStringList written;
        for (const QString &text : cells)
            written.append(markdownEscaped(text));
        return QStringLiteral("| ") + written.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
    };
    QString result = line(block.table.columns) + u'|';
    for (int i = 0; i < block.table.columns.size(); ++i)
        result += i >= block.numbers ? QStringLiteral(" ---: |") : QStringLiteral(" --- |");
    result += u'\n';
    for (const QStringList &row : block.table.rows)
        result += line(row);
    return result + u'\n';
}

QString htmlTable(const Block &block)
{
    const auto line = [&block](const QStringList &cells, const QString &tag) {
        QString result = QStringLiteral("<tr>");
        for (int i = 0; i < cells.size(); ++i)
            result += QStringLiteral("<%1%2>%3</%1>")
                          .arg(tag, i >= block.numbers ? QStringLiteral(" align=\"right\"") : QStringLiteral(" align=\"left\""),
                               cells[i].toHtmlEscaped());
        return result + QStringLiteral("</tr>\n");
    };
    QString result =
        QStringLiteral("<table cellspacing=\"0\" cellpadding=\"4\" width=\"100%\">\n") + line(block.table.columns, QStringLiteral("th"));
    for (const QStringList &row : block.table.rows)
        result += line(row, QStringLiteral("td"));
    return result + QStringLiteral("</table>\n");
}

QString verdictColour(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Fits: return QStringLiteral("#0b6b43");
    case Verdict::Tight: return QStringLiteral("#7a4e00");
    case Verdict::OutOfMemory: return QStringLiteral("#a3211a");
    case Verdict::Refused: break;
    }
    return QStringLiteral("#4a5463");
}

} // namespace

QString markdownReport(const Results &results, const ReportOptions &options)
{
    QString out;
    for (const Block &block : reportBlocks(results, options)) {
        switch (block.kind) {
        case Block::Kind::Title: out += QStringLiteral("# ") + markdownEscaped(block.text) + QStringLiteral("\n\n"); break;
        case Block::Kind::Heading: out += QStringLiteral("## ") + markdownEscaped(block.text) + QStringLiteral("\n\n"); break;
        case Block::Kind::Paragraph: out += markdownEscaped(block.text) + QStringLiteral("\n\n"); break;
        case Block::Kind::Verdict: out += QStringLiteral("**") + markdownEscaped(block.text) + QStringLiteral("**\n\n"); break;
        case Block::Kind::Table: out += markdownTable(block); break;
        case Block::Kind::List:
            for (const QString &item : block.items)
                out += QStringLiteral("- ") + markdownEscaped(item) + u'\n';
            out += u'\n';
            break;
        case Block::Kind::Figure: out += block.items.join(QString()) + QStringLiteral("\n\n"); break;
        }
    }
    return out;
}

QString htmlReport(const Results &results, const ReportOptions &options)
{
    QString body;
    QString title;
    for (const Block &block : reportBlocks(results, options)) {
        const QString words = block.text.toHtmlEscaped();
        switch (block.kind) {
        case Block::Kind::Title:
            title = words;
            body += QStringLiteral("<h1>%1</h1>\n").arg(words);
            break;
        case Block::Kind::Heading: body += QStringLiteral("<h2>%1</h2>\n").arg(words); break;
        case Block::Kind::Paragraph: body += QStringLiteral("<p class=\"quiet\">%1</p>\n").arg(words); break;
        case Block::Kind::Verdict:
            body += QStringLiteral("<p class=\"verdict\" style=\"color:%1\"><b>%2</b></p>\n").arg(verdictColour(block.verdict), words);
            break;
        case Block::Kind::Table: body += htmlTable(block); break;
        case Block::Kind::List:
            body += QStringLiteral("<ul>\n");
            for (const QString &item : block.items)
                body += QStringLiteral("<li>") + item.toHtmlEscaped() + QStringLiteral("</li>\n");
            body += QStringLiteral("</ul>\n");
            break;
        case Block::Kind::Figure:
            body +=
                QStringLiteral("<div class=\"figure\" title=\"%1\">").arg(words) + block.items.join(QString()) + QStringLiteral("</div>\n");
            break;
        }
    }
    const QString style = QStringLiteral(
        "body { font-family: sans-serif; color: #1a1f29; max-width: 62em; margin: 2em auto; padding: 0 1em; line-height: 1.45; }\n"
        "h1 { font-size: 1.6em; } h2 { font-size: 1.15em; margin-top: 1.6em; }\n"
        "table { border-collapse: collapse; font-size: 0.9em; }\n"
        "th { color: #596577; font-weight: 600; } th, td { border-bottom: 1px solid #dfe4ea; vertical-align: top; }\n"
        ".quiet { color: #596577; } .verdict { font-size: 1.25em; } .figure svg, .figure img { max-width: 100%; height: auto; }\n");
    return QStringLiteral("<!DOCTYPE html>\n<html lang=\"%1\">\n<head>\n<meta "
                          "charset=\"utf-8\"/>\n<title>%2</title>\n<style>\n%3</style>\n</head>\n<body>\n")
               .arg(language() == QLatin1String("zh_CN") ? QStringLiteral("zh-CN") : QStringLiteral("en"), title, style) +
           body + QStringLiteral("</body>\n</html>\n");
}

QString csvReport(const Results &results) { return csvOf(comparisonTable(results, Unit::GB, CellStyle::Plain)); }

QString programName() { return QStringLiteral("KVScope " KVSCOPE_VERSION); }

} // namespace kvscope::text
