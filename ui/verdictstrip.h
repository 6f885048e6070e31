// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"
#include "ui/view.h"

#include <QFrame>
#include <QLabel>
#include <QTimer>

class QGridLayout;
class QScrollArea;

namespace kvscope {

class ClampedLabel;
class DeviceRows;
class FlowLayout;
class MemoryBar;
class MemoryLegend;

/// A small word above a large figure.
class Figure : public QWidget {
    Q_OBJECT

public:
    Figure(const char *name, QWidget *parent);
    void setWords(const QString &caption, const QString &figure, const QString &why);

private:
    QLabel *m_caption;
    QLabel *m_figure;
};

/// The answer: verdict, limits, and where the memory of the selected machine goes.
class VerdictStrip : public QFrame {
    Q_OBJECT

public:
    explicit VerdictStrip(QWidget *parent = nullptr);

    void showState(const ViewState &state);

signals:
    void explanationWanted(kvscope::Part part);

protected:
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void placeRemarks();
    void showBadge(const Plan &plan);
    void showLimits(const Plan &plan);
    void showMending();
    void showRemarks(const Plan &plan);

    ViewState m_state;
    QTimer m_rest;
    qint64 m_mendingTook = 0; ///< milliseconds
    FlowLayout *m_figures;
    QGridLayout *m_top;
    QLabel *m_badge;
    Figure *m_context;
    Figure *m_concurrency;
    Figure *m_narrower; ///< widest precision that fits, when this one does not
    Figure *m_devices;  ///< fewest GPUs that hold it, when this many do not
    MemoryBar *m_bar;
    MemoryLegend *m_legend;
    DeviceRows *m_rows; ///< the other devices and the host
    QScrollArea *m_rowsArea;
    QLabel *m_refusal;
    ClampedLabel *m_remarks; ///< what the card reports, and warnings
};

} // namespace kvscope
