// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/result.h"
#include "ui/text/text.h"

#include <QLineEdit>

#include <optional>

namespace kvscope {

/// A field for a quantity as a person writes it: `32k`, `32768`, `24GB`, `22.5 GiB`. What can't be read is said in one line and
/// never replaces the value.
class QuantityField : public QLineEdit {
    Q_OBJECT

public:
    enum class Kind {
        Tokens,     ///< k = 1024, m = 1048576
        Bytes,      ///< digits without a unit are in the unit that is shown
        Count,      ///< whole numbers
        Parameters, ///< `8.03B`, decimal
        Fraction,   ///< `0.92` or `92%`, kept in millionths
        Percent,    ///< `5` or `5 %`, kept in millionths
    };

    explicit QuantityField(Kind kind, QWidget *parent = nullptr);

    void setRange(std::int64_t lowest, std::int64_t highest);
    /// Empty text stands for "not set", shown as `placeholder`.
    void setOptional(const QString &placeholder);
    /// What the field is for; while its text can't be read, why stands in its place.
    void setHint(const QString &sentence);
    /// Shows a value; emits nothing. Leaves the text alone while a person is typing.
    void setQuantity(std::optional<std::int64_t> value);
    std::optional<std::int64_t> quantity() const { return m_value; }
    void setUnit(text::Unit unit);
    /// The words of the last text that was refused; empty: the text is good.
    const QString &complaint() const { return m_complaint; }

    /// Reads what is typed, as leaving the field does.
    void commit();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A person gave another value.
    void edited(std::optional<std::int64_t> value);
    /// A person asks for the next or the last stop by the arrow keys: +1 or -1.
    void stepped(int direction, bool fine);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void focusInEvent(QFocusEvent *event) override;
    void focusOutEvent(QFocusEvent *event) override;

private:
    Result<std::int64_t> read(const QString &text) const;
    QString written(std::optional<std::int64_t> value) const;
    void complain(const QString &sentence);

    Kind m_kind;
    std::int64_t m_lowest = 0;
    std::int64_t m_highest = tooLargeValue - 1;
    bool m_optional = false;
    std::optional<std::int64_t> m_value;
    text::Unit m_unit = text::Unit::GB;
    QString m_hint;
    QString m_complaint;
};

} // namespace kvscope
