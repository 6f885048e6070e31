// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/planner.h"
#include "ui/prompts.h"

#include <QFrame>

#include <array>

class QAction;
class QMenu;
class QToolButton;

namespace kvscope {

class CardHeader;
class CompareModel;
class CompareOrder;
class CompareTable;

/// The machines side by side. Choosing a row makes it the one that the verdict and the growth chart speak of.
class ComparePanel : public QFrame {
    Q_OBJECT

public:
    explicit ComparePanel(const Prompts &prompts, QWidget *parent = nullptr);

    void showState(const ViewState &state);
    QMenu *menu() const { return m_menu; }
    /// Which engines are compared beside the scenario's own.
    QMenu *enginesMenu() const { return m_engines; }

    /// CSV, Markdown, HTML by the path's ending, or a picture of the bars: SVG, PDF, PNG.
    void exportTo(const QString &path);

public slots:
    void copy();
    void askExport();
    void print();

signals:
    void edited(const kvscope::ScenarioEdit &change, kvscope::Field field);
    /// Another GPU is to be chosen, in a popup below `anchor`.
    void gpuWanted(const QWidget *anchor);
    void done(const QString &sentence);
    void failed(const QString &sentence);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void makeMenu();
    void retranslate();
    void compareEngine(EngineId id, bool on);
    void checkEngines();
    void showSubtitle();
    void choose(const QModelIndex &index);
    int headWidth(int column) const;
    void widen();
    void heighten();

    const Prompts &m_prompts;
    ViewState m_state;
    CompareModel *m_model;
    CompareOrder *m_order;
    CompareTable *m_table;
    QMenu *m_menu;
    QMenu *m_engines = nullptr;
    CardHeader *m_header;
    QToolButton *m_addGpu;
    QToolButton *m_addEngine;
    QAction *m_copy, *m_export, *m_print, *m_remove;
    std::array<int, 7> m_widths{};
};

} // namespace kvscope
