// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme.h"
#include "ui/view.h"

#include <QPainter>
#include <QWidget>

#include <optional>
#include <vector>

namespace kvscope {

/// One device's memory as a bar: its parts, what does not fit (hatched), what is free.
struct BarPiece {
    enum class Kind { Part, Unused, Excess, Free, Kept };
    Kind kind;
    Part part; ///< Kind::Part, Unused
    Bytes bytes;
    Bytes begins; ///< from the bar's start
};

/// The pieces from left to right. Unused: cache that the engine sets aside and the sequences leave. Kept: what others hold, the reserve, and what no engine can take. The last, Excess, lies over the parts
/// that it is the end of.
std::vector<BarPiece> barPieces(const DevicePlan &device);
/// The whole length of the bar: the card's memory, or what is needed where that is more.
Bytes barLength(const DevicePlan &device);
/// Paints the pieces into `place`, scaled so that `length` fills it. `ghost`: fainter, for a pinned scenario.
void paintBar(QPainter &painter, const QRectF &place, const DevicePlan &device, Bytes length, const Theme &theme, bool ghost = false);

/// The selected machine's fullest device. Hover, or the arrow keys, tell what a part is and how its figure came about.
class MemoryBar : public QWidget {
    Q_OBJECT

public:
    explicit MemoryBar(QWidget *parent = nullptr);

    void showState(const ViewState &state);
    /// The words for one piece: name, bytes, share, formula.
    QString readout(std::size_t piece) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A click: show how this part's figure came about.
    void explanationWanted(kvscope::Part part);

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    const DevicePlan *device() const;
    QRectF pieceRect(const BarPiece &piece) const;
    std::optional<std::size_t> pieceAt(QPointF point) const;
    void point(std::optional<std::size_t> piece);

    ViewState m_state;
    std::vector<BarPiece> m_pieces;
    std::optional<std::size_t> m_pointed;
};

/// Whether a figure of the explanation (a path of the terminal contract) tells about a part.
bool tellsOf(const std::string &figure, Part part);
/// What a piece is called.
QString name(const BarPiece &piece);

/// The colours of the bar with their names and sizes, in as many lines as the width asks for.
class MemoryLegend : public QWidget {
    Q_OBJECT

public:
    explicit MemoryLegend(QWidget *parent = nullptr);

    void showState(const ViewState &state);

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Entry {
        BarPiece piece;
        QString text;
    };
    int place(int width, QPainter *painter) const;

    std::vector<Entry> m_entries;
};

} // namespace kvscope
