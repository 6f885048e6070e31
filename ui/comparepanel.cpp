// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/comparepanel.h"

#include "core/engine.h"
#include "core/import/import.h"
#include "ui/bardelegate.h"
#include "ui/cardheader.h"
#include "ui/chartexport.h"
#include "ui/comparemodel.h"
#include "ui/comparetable.h"
#include "ui/text/report.h"

#include <QAction>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QMimeData>
#include <QPrintDialog>
#include <QPrinter>
#include <QTextDocument>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace kvscope {

ComparePanel::ComparePanel(const Prompts &prompts, QWidget *parent) :
    QFrame(parent),
    m_prompts(prompts),
    m_model(new CompareModel(this)),
    m_order(new CompareOrder(this)),
    m_table(new CompareTable(this)),
    m_menu(new QMenu(this)),
    m_header(new CardHeader(m_menu, this)),
    m_addGpu(new QToolButton(m_header)),
    m_addEngine(new QToolButton(m_header))
{
    setProperty("card", true);
    m_addGpu->setObjectName(QStringLiteral("compareGpuButton"));
    m_addEngine->setObjectName(QStringLiteral("compareEngineButton"));
    m_addEngine->setPopupMode(QToolButton::InstantPopup);
    for (QToolButton *button : {m_addGpu, m_addEngine}) {
        button->setProperty("chip", true);
        m_header->addControl(button);
    }
    connect(m_addGpu, &QToolButton::clicked, this, [this] { emit gpuWanted(m_addGpu); });
    m_menu->setObjectName(QStringLiteral("compareMenu"));
    m_order->setSourceModel(m_model);
    m_table->setObjectName(QStringLiteral("compareTable"));
    m_table->setModel(m_order);
    m_table->setItemDelegate(new BarDelegate(m_model, m_table));
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->horizontalHeader()->setSectionResizeMode(CompareModel::Bar, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSortIndicatorClearable(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setSortingEnabled(true);

    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 10);
    layout->setSpacing(4);
    layout->addWidget(m_header);
    layout->addWidget(m_table, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ComparePanel::choose);
    connect(m_table, &QWidget::customContextMenuRequested, this,
            [this](QPoint at) { m_menu->popup(m_table->viewport()->mapToGlobal(at)); });
    makeMenu();
    retranslate();
}

void ComparePanel::makeMenu()
{
    m_copy = m_menu->addAction(QString(), this, &ComparePanel::copy);
    m_copy->setObjectName(QStringLiteral("copyTableAction"));
    m_export = m_menu->addAction(QString(), this, &ComparePanel::askExport);
    m_export->setObjectName(QStringLiteral("exportTableAction"));
    m_print = m_menu->addAction(QString(), this, &ComparePanel::print);
    m_print->setObjectName(QStringLiteral("printTableAction"));
    m_menu->addSeparator();
    m_engines = m_menu->addMenu(QString());
    m_engines->setObjectName(QStringLiteral("comparedEnginesMenu"));
    m_addEngine->setMenu(m_engines);
    for (const Engine *engine : engines()) {
        QAction *action = m_engines->addAction(QString());
        action->setObjectName(QStringLiteral("compareEngineAction%1").arg(static_cast<int>(engine->id())));
        action->setCheckable(true);
        action->setData(static_cast<int>(engine->id()));
        connect(action, &QAction::triggered, this, [this, id = engine->id()](bool on) { compareEngine(id, on); });
    }
    m_remove =
        m_menu->addAction(QString(), this, [this] { emit edited([](Scenario &s) { removeCluster(s, s.selected); }, Field::Clusters); });
    m_remove->setObjectName(QStringLiteral("removeGpuAction"));
}

void ComparePanel::compareEngine(EngineId id, bool on)
{
    emit edited(
        [id, on](Scenario &s) {
            std::erase_if(s.otherEngines, [id](const EngineChoice &other) { return other.id == id; });
            if (on)
                s.otherEngines.push_back({id, {}});
        },
        Field::Clusters);
}

/// The scenario's own engine is always among them.
void ComparePanel::checkEngines()
{
    const Scenario &scenario = m_state.results->scenario;
    for (QAction *action : m_engines->actions()) {
        const auto id = static_cast<EngineId>(action->data().toInt());
        const bool own = id == scenario.engine.id;
        action->setEnabled(!own);
        action->setChecked(own || std::ranges::find(scenario.otherEngines, id, &EngineChoice::id) != scenario.otherEngines.end());
    }
}

void ComparePanel::showState(const ViewState &state)
{
    m_state = state;
    checkEngines();
    showSubtitle();
    const QSignalBlocker quiet(m_table->selectionModel());
    m_model->showState(state);
    m_remove->setEnabled(state.results->scenario.clusters.size() > 1);
    const QModelIndex chosen = m_order->mapFromSource(m_model->index(m_model->selectedRow(), 0));
    if (chosen.isValid() && chosen.row() != m_table->currentIndex().row()) {
        m_table->selectRow(chosen.row());
        m_table->viewport()->update();
    }
    widen();
    heighten();
}

void ComparePanel::showSubtitle()
{
    const bool engines = m_state.results && !m_state.results->compared.empty();
    m_header->setWords(tr("GPUs side by side"),
                       engines ? tr("same model, same load; below each engine what it takes beyond the theory")
                               : tr("same model, same load"),
                       tr("Copy, export or print the comparison"));
}

void ComparePanel::choose(const QModelIndex &index)
{
    const QVariant cluster = index.data(CompareModel::ClusterRole);
    if (!cluster.isValid() || cluster.toInt() < 0 || !m_state.results || cluster.toInt() == m_state.results->scenario.selected)
        return;
    emit edited([selected = cluster.toInt()](Scenario &s) { s.selected = std::min(selected, static_cast<int>(s.clusters.size()) - 1); },
                Field::Selection);
}

/// The widest line of a head, with room for the sort arrow. (QHeaderView's own hint counts the lines of a head as one.)
int ComparePanel::headWidth(int column) const
{
    constexpr int padding = 18;
    const QStringList lines = m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().split(QLatin1Char('\n'));
    int width = 0;
    for (const QString &line : lines)
        width = std::max(width, m_table->horizontalHeader()->fontMetrics().horizontalAdvance(line));
    return width + padding;
}

/// Columns only grow, so that the table keeps still during a drag; where there is no room, the columns whose words the bar shows too go first.
void ComparePanel::widen()
{
    constexpr int leastBar = 90;
    int sum = leastBar;
    for (int column = 0; column < CompareModel::columnTotal; ++column) {
        if (column == CompareModel::Bar)
            continue;
        int &width = m_widths[static_cast<std::size_t>(column)];
        const int head = headWidth(column);
        int cell = 0;
        for (int row = 0; row < m_order->rowCount(); ++row)
            cell = std::max(cell, m_table->sizeHintForIndex(m_order->index(row, column)).width());
        width = std::max({width, head, cell + 8});
        if (m_table->columnWidth(column) != width && !m_table->isColumnHidden(column))
            m_table->setColumnWidth(column, width);
        sum += width;
    }
    const int room = m_table->viewport()->width();
    const int verdict = m_widths[CompareModel::VerdictColumn], memory = m_widths[CompareModel::Memory];
    m_table->setColumnHidden(CompareModel::VerdictColumn, sum > room);
    m_table->setColumnHidden(CompareModel::Memory, sum - verdict > room);
    const int barHead = headWidth(CompareModel::Bar) - 6; // where room is short, its sort arrow has none
    const bool withoutBar = sum - verdict - memory - leastBar + barHead > room;
    m_table->setColumnHidden(CompareModel::Bar, withoutBar);
    m_table->horizontalHeader()->setSectionResizeMode(CompareModel::Gpu, withoutBar ? QHeaderView::Stretch : QHeaderView::Interactive);
    for (const auto &[column, width] : {std::pair<int, int>{CompareModel::VerdictColumn, verdict}, {CompareModel::Memory, memory}}) {
        if (!m_table->isColumnHidden(column) && m_table->columnWidth(column) != width)
            m_table->setColumnWidth(column, width);
    }
}

/// Few machines get high rows, so that the card is used; many get low ones.
void ComparePanel::heighten()
{
    const int line = m_table->fontMetrics().height();
    const bool notes = m_state.pinned || m_model->hasNotes();
    const int reasons = m_model->hasReasons() ? m_table->stripHeight() : 0;
    const int least = (notes ? line * 2 + 4 : line + 8) + reasons, most = line * 5 / 2 + reasons;
    const int rows = std::max(1, m_order->rowCount());
    const int height = std::clamp(m_table->viewport()->height() / rows, least, std::max(least, most));
    if (m_table->verticalHeader()->defaultSectionSize() != height)
        m_table->verticalHeader()->setDefaultSectionSize(height);
}

void ComparePanel::copy()
{
    auto *both = new QMimeData;
    both->setText(m_model->toMarkdown());
    both->setHtml(m_model->toHtml());
    QGuiApplication::clipboard()->setMimeData(both);
    emit done(tr("The comparison is copied"));
}

void ComparePanel::askExport()
{
    m_prompts.saveFile(this, tr("Export the comparison"), QStringLiteral("comparison.csv"),
                       tr("CSV (*.csv);;Markdown (*.md);;HTML (*.html);;Pictures (*.svg *.pdf *.png)"),
                       [this](const QString &path) { exportTo(path); });
}

void ComparePanel::exportTo(const QString &path)
{
    std::optional<Error> error;
    if (path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
        error = writeFile(path.toStdString(), text::csvReport(*m_state.results).toStdString());
    } else if (path.endsWith(QLatin1String(".md"), Qt::CaseInsensitive)) {
        error = writeFile(path.toStdString(), m_model->toMarkdown().toStdString());
    } else if (path.endsWith(QLatin1String(".html"), Qt::CaseInsensitive)) {
        error = writeFile(path.toStdString(), QStringLiteral("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>%1</title>\n%2")
                                                  .arg(tr("GPUs side by side"), m_model->toHtml())
                                                  .toStdString());
    } else {
        const std::unique_ptr<ChartView> chart = makeChart(ChartKind::Compare);
        chart->showResults(m_state);
        error = exportChart(path, *chart);
    }
    if (error)
        emit failed(text::sentence(*error));
    else
        emit done(tr("Saved %1").arg(path));
}

void ComparePanel::print()
{
    auto *printer = new QPrinter;
    auto *dialog = new QPrintDialog(printer, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, qOverload<>(&QDialog::accepted), this, [this, printer] {
        QTextDocument document;
        document.setHtml(
            QStringLiteral("<h2>%1</h2><p>%2</p>%3")
                .arg(tr("GPUs side by side"), settingsLine(*m_state.results, m_state.unit).toHtmlEscaped(), m_model->toHtml()));
        document.print(printer);
    });
    connect(dialog, &QObject::destroyed, this, [printer] { delete printer; });
    dialog->open();
}

void ComparePanel::retranslate()
{
    m_addGpu->setText(tr("+ GPU"));
    m_addGpu->setToolTip(tr("Add a GPU, or several alike, to the comparison"));
    m_addGpu->setAccessibleName(m_addGpu->toolTip());
    m_addEngine->setText(tr("+ Engine"));
    m_addEngine->setToolTip(tr("Choose the engines that are compared beside the scenario's own"));
    m_addEngine->setAccessibleName(m_addEngine->toolTip());
    showSubtitle();
    m_menu->setTitle(tr("GPUs side by side"));
    m_engines->setTitle(tr("Engines &side by side"));
    for (QAction *action : m_engines->actions())
        action->setText(text::name(static_cast<EngineId>(action->data().toInt())));
    m_copy->setText(tr("&Copy the table"));
    m_export->setText(tr("&Export…"));
    m_print->setText(tr("&Print…"));
    m_remove->setText(tr("&Remove the selected GPU"));
    m_table->setAccessibleName(tr("GPUs side by side"));
    m_widths.fill(0);
    m_model->retranslate();
    widen();
}

void ComparePanel::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        retranslate();
}

void ComparePanel::resizeEvent(QResizeEvent *event)
{
    QFrame::resizeEvent(event);
    layout()->activate(); // the table has its new size now, not after this event
    widen();
    heighten();
}

} // namespace kvscope
