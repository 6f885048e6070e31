// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chartview.h"

#include <QFrame>

#include <functional>

class QAction;
class QComboBox;
class QLabel;
class QMenu;
class QToolButton;

namespace kvscope {

/// Asks for a file name to save to and hands it on; not called back when the user thinks better of it. Tests put in an answer of their own.
using AskSavePath = std::function<void(QWidget *parent, const QString &caption, const QString &suggested, const QString &filter,
                                       std::function<void(const QString &)> then)>;
/// The system's dialog.
AskSavePath systemSaveDialog();

/// A chart with its title, subtitle, mode box and menu.
class ChartCard : public QFrame {
    Q_OBJECT
public:
    /// Takes over the chart.
    explicit ChartCard(ChartView *chart, QWidget *parent = nullptr);

    ChartView *chart() const { return m_chart; }
    QMenu *menu() const { return m_menu; }
    void showResults(const ViewState &state);
    void setAskSavePath(AskSavePath ask) { m_askSavePath = std::move(ask); }
    void retranslate();

public slots:
    void copyPicture();
    void copyData();
    void exportTo();
    void showTable();
    void print();

signals:
    void requested(const kvscope::Scenario &scenario);
    /// For the status bar: "Copied" and the like.
    void done(const QString &sentence);
    void failed(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;

private:
    void updateTexts();

    ChartView *m_chart;
    QLabel *m_title;
    QLabel *m_subtitle;
    QComboBox *m_modeBox;
    QToolButton *m_menuButton;
    QMenu *m_menu;
    QAction *m_copyPicture, *m_copyData, *m_export, *m_showTable, *m_print;
    AskSavePath m_askSavePath;
};

} // namespace kvscope
