// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chartcard.h"

#include "ui/chartexport.h"
#include "ui/tabledialog.h"

#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPrintPreviewDialog>
#include <QPrinter>
#include <QToolButton>

namespace kvscope {

/// Gives way instead of pushing the card wider; the whole text stays in the tool tip.
class ChartCard::ElidedLabel : public QLabel {
public:
    using QLabel::QLabel;

    QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        painter.setPen(themeOf(palette()).muted);
        const QString words = fontMetrics().elidedText(text(), Qt::ElideRight, width());
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, words);
    }
};

ChartCard::ChartCard(ChartView *chart, QWidget *parent) :
    QFrame(parent),
    m_chart(chart),
    m_title(new QLabel(this)),
    m_subtitle(new ElidedLabel(this)),
    m_modeBox(new QComboBox(this)),
    m_menuButton(new QToolButton(this)),
    m_menu(new QMenu(this))
{
    setProperty("card", true);
    setObjectName(chart->objectName() + QStringLiteral("Card"));
    m_title->setProperty("role", QStringLiteral("title"));
    m_title->setBuddy(chart);
    m_subtitle->setTextFormat(Qt::PlainText);
    m_subtitle->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    m_modeBox->setProperty("quiet", true);
    m_modeBox->setObjectName(QStringLiteral("modeBox"));
    m_modeBox->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_modeBox->addItems({QString(), QString()});
    m_modeBox->setVisible(chart->hasModes());
    m_menuButton->setProperty("quiet", true);
    m_menuButton->setObjectName(QStringLiteral("menuButton"));
    m_menuButton->setText(QStringLiteral("⋯"));
    m_menuButton->setPopupMode(QToolButton::InstantPopup);
    m_menuButton->setMenu(m_menu);
    makeMenu();

    auto *header = new QHBoxLayout;
    header->setSpacing(8);
    header->addWidget(m_title);
    header->addWidget(m_subtitle, 1);
    header->addWidget(m_modeBox);
    header->addWidget(m_menuButton);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 10, 10);
    layout->setSpacing(6);
    layout->addLayout(header);
    layout->addWidget(chart, 1);

    connect(m_modeBox, &QComboBox::activated, this,
            [this](int index) { m_chart->setMode(index == 0 ? ChartMode::ByPrecision : ChartMode::ByCluster); });
    connect(chart, &ChartView::requested, this, &ChartCard::requested);
    connect(chart, &ChartView::gestureEnded, this, &ChartCard::gestureEnded);
    chart->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(chart, &QWidget::customContextMenuRequested, this, [this](const QPoint &at) { m_menu->popup(m_chart->mapToGlobal(at)); });
    retranslate();
}

void ChartCard::makeMenu()
{
    m_copyPicture = m_menu->addAction(QString(), this, &ChartCard::copyPicture);
    m_copyData = m_menu->addAction(QString(), this, &ChartCard::copyData);
    m_showTable = m_menu->addAction(QString(), this, &ChartCard::showTable);
    m_menu->addSeparator();
    m_exportMenu = m_menu->addMenu(QString());
    // Names of formats are the same in every language.
    const auto add = [this](const QString &name, const QString &ending, double scale) {
        m_exportMenu->addAction(name, this, [this, ending, scale] { exportAs(ending, scale); });
    };
    add(QStringLiteral("SVG…"), QStringLiteral("svg"), 1);
    add(QStringLiteral("PDF…"), QStringLiteral("pdf"), 1);
    add(QStringLiteral("PNG 1×…"), QStringLiteral("png"), 1);
    add(QStringLiteral("PNG 2×…"), QStringLiteral("png"), 2);
    add(QStringLiteral("PNG 3×…"), QStringLiteral("png"), 3);
    add(QStringLiteral("CSV…"), QStringLiteral("csv"), 1);
    m_print = m_menu->addAction(QString(), this, &ChartCard::print);
}

void ChartCard::retranslate()
{
    m_title->setText(m_chart->title());
    m_subtitle->setText(m_chart->subtitle());
    m_subtitle->setToolTip(m_chart->subtitle());
    m_modeBox->setItemText(0, tr("by precision"));
    m_modeBox->setItemText(1, tr("by GPU"));
    m_modeBox->setAccessibleName(tr("Lines of %1", "title of a chart").arg(m_chart->title()));
    m_menuButton->setAccessibleName(tr("Menu of %1", "title of a chart").arg(m_chart->title()));
    m_menuButton->setToolTip(tr("Copy, export, print"));
    m_copyPicture->setText(tr("Copy &picture"));
    m_copyData->setText(tr("Copy &data"));
    m_showTable->setText(tr("Show as &table…"));
    m_exportMenu->setTitle(tr("&Export"));
    m_print->setText(tr("P&rint…"));
}

void ChartCard::showResults(const ViewState &state)
{
    m_chart->showResults(state);
    const QString subtitle = m_chart->subtitle();
    if (m_subtitle->text() != subtitle) {
        m_subtitle->setText(subtitle);
        m_subtitle->setToolTip(subtitle);
    }
}

void ChartCard::copyPicture()
{
    kvscope::copyPicture(*m_chart);
    emit done(tr("Copied the picture."));
}

void ChartCard::copyData()
{
    kvscope::copyData(*m_chart);
    emit done(tr("Copied the data."));
}

void ChartCard::exportTo() { askAndExport(QStringLiteral("svg"), QStringLiteral("SVG (*.svg);;PDF (*.pdf);;PNG (*.png);;CSV (*.csv)"), 2); }

void ChartCard::exportAs(const QString &ending, double scale)
{
    askAndExport(ending, QStringLiteral("%1 (*.%2)").arg(ending.toUpper(), ending), scale);
}

void ChartCard::askAndExport(const QString &ending, const QString &filter, double scale)
{
    if (!m_askSavePath)
        return;
    const QString suggested = QStringLiteral("kvscope-%1.%2").arg(nameOf(m_chart->kind()), ending);
    m_askSavePath(this, tr("Export %1", "title of a chart").arg(m_chart->title()), suggested, filter,
                  [this, ending, scale](const QString &chosen) {
                      if (chosen.isEmpty())
                          return;
                      const QString path = QFileInfo(chosen).suffix().isEmpty() ? chosen + u'.' + ending : chosen;
                      ExportOptions options;
                      options.scale = scale;
                      if (const std::optional<Error> error = exportChart(path, *m_chart, options))
                          emit failed(text::sentence(*error));
                      else
                          emit done(tr("Wrote %1.", "path of a file").arg(path));
                  });
}

void ChartCard::showTable()
{
    auto *dialog = new TableDialog(m_chart->title(), m_chart->table(CellStyle::Read), this);
    connect(dialog, &TableDialog::copyRequested, this, &ChartCard::copyData);
    dialog->open();
}

void ChartCard::print()
{
    auto *dialog = new QPrintPreviewDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QPrintPreviewDialog::paintRequested, this, [this](QPrinter *printer) {
        printer->setPageOrientation(QPageLayout::Landscape);
        if (const std::optional<Error> error = printChart(*printer, *m_chart))
            emit failed(text::sentence(*error));
    });
    dialog->open();
}

void ChartCard::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

} // namespace kvscope
