// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSlider>
#include <QString>

#include <cstdint>
#include <vector>

namespace kvscope {

/// A mark below the groove: a tick with a label.
struct SliderMark {
    std::int64_t value;
    QString label;
    bool warns = false; ///< where the setting runs out of memory

    bool operator==(const SliderMark &) const = default;
};

/// A slider over a quantity. It stops gently at round values; arrow keys and wheel move to the next stop, with Shift finely.
/// The quantity is kept exactly and never derived from the handle's place.
class PowerSlider : public QAbstractSlider {
    Q_OBJECT

public:
    enum class Spacing {
        Logarithmic, ///< equal ratios take equal room; values between the stops can be set
        Even,        ///< stops alone, at equal distances, by their index
    };

    explicit PowerSlider(Spacing spacing, QWidget *parent = nullptr);

    /// Rising; the first and the last are the ends. `grain`: values between are multiples of it; 0: of 1/64 of their power of two.
    void setStops(std::vector<std::int64_t> stops, std::int64_t grain = 0);
    /// Shows a value; emits nothing.
    void setQuantity(std::int64_t value);
    std::int64_t quantity() const { return m_quantity; }
    void setMarks(std::vector<SliderMark> marks);
    /// Room for labelled marks is kept from the start, so that nothing jumps when they come.
    void setMarkRow(bool on);
    /// The value in words, for a screen reader.
    void setSpokenValue(const QString &words);
    /// As by an arrow key: the next stop, or finely.
    void step(int direction, bool fine);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A person moved it.
    void moved(std::int64_t quantity);
    void gestureEnded();

protected:
    void paintEvent(QPaintEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void leaveEvent(QEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    double fractionOf(std::int64_t value) const;
    std::int64_t valueAt(double fraction) const;
    std::int64_t stopNear(double x) const;
    std::int64_t grainAt(std::int64_t value) const;
    std::int64_t rounded(double value) const;
    double xOf(std::int64_t value) const;
    void follow(double x);
    void give(std::int64_t value);
    void paintMarks(QPainter &painter) const;

    Spacing m_spacing;
    std::vector<std::int64_t> m_stops{1, 2};
    std::int64_t m_grain = 0;
    std::int64_t m_quantity = 1;
    std::vector<SliderMark> m_marks;
    bool m_markRow = false;
    bool m_pointerMoved = false; ///< the pointer moved on the slider itself: then the wheel is meant for it, not for the page below
    int m_wheelRest = 0;
};

} // namespace kvscope
