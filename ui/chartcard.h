// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"
#include "ui/prompts.h"

#include <QFrame>

class QAction;
class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace kvscope {

/// A chart with its title, subtitle, mode box and menu.
class ChartCard : public QFrame {
    Q_OBJECT
public:
    /// Takes over the chart.
    explicit ChartCard(ChartView *chart, QWidget *parent = nullptr);

    ChartView *chart() const { return m_chart; }
    QMenu *menu() const { return m_menu; }
    QComboBox *modeBox() const { return m_modeBox; }
    void showResults(const ViewState &state);
    /// Asks for a file name to export to (Prompts::saveFile). Without it there is no export.
    void setAskSavePath(decltype(Prompts::saveFile) ask) { m_askSavePath = std::move(ask); }

public slots:
    void copyPicture();
    void copyData();
    /// To any of the formats, by the ending chosen.
    void exportTo();
    /// `ending`: svg, pdf, png, csv; `scale`: pixels a unit of a PNG.
    void exportAs(const QString &ending, double scale = 2);
    void showTable();
    void print();

signals:
    void requested(const kvscope::Scenario &scenario);
    void gestureEnded();
    /// For the status bar: "Copied" and the like.
    void done(const QString &sentence);
    void failed(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;

private:
    class ElidedLabel;
    void makeMenu();
    void askAndExport(const QString &ending, const QString &filter, double scale);
    void retranslate();

    ChartView *m_chart;
    QLabel *m_title;
    ElidedLabel *m_subtitle;
    QComboBox *m_modeBox;
    QToolButton *m_menuButton;
    QMenu *m_menu;
    QMenu *m_exportMenu;
    QAction *m_copyPicture, *m_copyData, *m_showTable, *m_print;
    decltype(Prompts::saveFile) m_askSavePath;
};

} // namespace kvscope
