// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quantityfield.h"

#include "core/parse.h"

#include <QKeyEvent>
#include <QLocale>
#include <QStyle>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace kvscope {

namespace {

constexpr double millionths = 1e6;

/// As short as it is exact.
QString writtenMillionths(std::int64_t value)
{
    return QLocale().toString(static_cast<double>(value) / millionths, 'f', QLocale::FloatingPointShortest);
}

/// `0.92`, `92%` or `92 %`; digits alone are percent where `percent` says so.
Result<std::int64_t> millionthsOf(QString typed, bool percent)
{
    const bool marked = typed.endsWith(QLatin1Char('%'));
    if (marked)
        typed.chop(1);
    constexpr double most = 1e9;
    const Result<double> value = parseDecimal(typed.trimmed().toStdString(), 0, most);
    if (!value)
        return value.error();
    return std::llround(*value * millionths / (marked && !percent ? 100 : 1));
}

} // namespace

QuantityField::QuantityField(Kind kind, QWidget *parent) : QLineEdit(parent), m_kind(kind)
{
    setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setMaxLength(64);
    connect(this, &QLineEdit::textEdited, this, [this] { complain({}); });
}

void QuantityField::setRange(std::int64_t lowest, std::int64_t highest)
{
    m_lowest = lowest;
    m_highest = highest;
}

void QuantityField::setOptional(const QString &placeholder)
{
    m_optional = true;
    setPlaceholderText(placeholder);
}

void QuantityField::setHint(const QString &sentence)
{
    m_hint = sentence;
    if (m_complaint.isEmpty())
        setToolTip(m_hint);
}

void QuantityField::setQuantity(std::optional<std::int64_t> value)
{
    m_value = value;
    if (isModified() && hasFocus())
        return;
    const QString shown = written(value);
    if (text() != shown)
        setText(shown);
    complain({});
}

void QuantityField::setUnit(text::Unit unit)
{
    if (m_unit == unit)
        return;
    m_unit = unit;
    setModified(false);
    setQuantity(m_value);
}

QString QuantityField::written(std::optional<std::int64_t> value) const
{
    if (!value)
        return {};
    switch (m_kind) {
    case Kind::Tokens: return text::tokensShort({*value});
    case Kind::Bytes: return text::bytes({*value}, m_unit);
    case Kind::Count: return text::count(*value);
    case Kind::Parameters: return *value == 0 ? QString() : text::parameters(*value);
    case Kind::Fraction: return writtenMillionths(*value);
    case Kind::Percent: return writtenMillionths(*value) + QStringLiteral(" %");
    }
    return {};
}

Result<std::int64_t> QuantityField::read(const QString &typed) const
{
    QString plain = typed;
    plain.replace(QChar(0x00a0), QLatin1Char(' ')).replace(QChar(0x202f), QLatin1Char(' '));
    plain = plain.trimmed();
    Result<std::int64_t> value{std::int64_t{0}};
    switch (m_kind) {
    case Kind::Tokens:
        if (const auto tokens = parseTokens(plain.toStdString()))
            value = tokens->value;
        else
            return tokens.error();
        break;
    case Kind::Bytes: {
        const bool bare = std::none_of(plain.cbegin(), plain.cend(), [](QChar c) { return c.isLetter(); });
        if (const auto bytes = parseBytes((bare ? plain + text::unitName(m_unit) : plain).toStdString()))
            value = bytes->value;
        else
            return Error{bytes.error().code, plain.toStdString(), bytes.error().detail, {}};
        break;
    }
    case Kind::Count: value = parseWhole(plain.toStdString(), m_lowest, m_highest); break;
    case Kind::Parameters: value = parseParameters(plain.remove(QLatin1Char(' ')).toStdString()); break;
    case Kind::Fraction:
    case Kind::Percent: value = millionthsOf(plain, m_kind == Kind::Percent); break;
    }
    if (value && (*value < m_lowest || *value > m_highest))
        return Error{ErrorCode::OutOfRange,
                     plain.toStdString(),
                     (written(m_lowest) + QStringLiteral(" .. ") + written(m_highest)).toStdString(),
                     {}};
    return value;
}

void QuantityField::commit()
{
    if (!isModified())
        return;
    std::optional<std::int64_t> value;
    if (!(m_optional && text().trimmed().isEmpty())) {
        const auto reading = read(text());
        if (!reading) {
            complain(text::sentence(reading.error()));
            return;
        }
        value = *reading;
    }
    setModified(false);
    if (value != m_value) {
        m_value = value;
        emit edited(value);
    }
    setQuantity(m_value);
}

void QuantityField::complain(const QString &sentence)
{
    if (m_complaint == sentence)
        return;
    m_complaint = sentence;
    setToolTip(sentence.isEmpty() ? m_hint : sentence);
    setAccessibleDescription(sentence);
    setProperty("invalid", !sentence.isEmpty());
    style()->unpolish(this);
    style()->polish(this);
    if (!sentence.isEmpty() && isVisible())
        QToolTip::showText(mapToGlobal(QPoint(0, height())), sentence, this);
}

void QuantityField::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        commit();
        selectAll();
        if (m_complaint.isEmpty())
            break; // on to the dialog's default button, where there is one
        return;
    case Qt::Key_Escape:
        if (isModified()) {
            setModified(false);
            setQuantity(m_value);
            return;
        }
        break;
    case Qt::Key_Up:
    case Qt::Key_Down:
        commit();
        emit stepped(event->key() == Qt::Key_Up ? 1 : -1, event->modifiers().testFlag(Qt::ShiftModifier));
        return;
    default: break;
    }
    QLineEdit::keyPressEvent(event);
}

void QuantityField::focusInEvent(QFocusEvent *event)
{
    QLineEdit::focusInEvent(event);
    if (event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason || event->reason() == Qt::ShortcutFocusReason)
        selectAll();
}

void QuantityField::focusOutEvent(QFocusEvent *event)
{
    commit();
    if (isModified()) { // the text could not be read: back to the value, which never changed
        setModified(false);
        setQuantity(m_value);
    }
    QLineEdit::focusOutEvent(event);
}

QSize QuantityField::sizeHint() const
{
    const QSize hint = QLineEdit::sizeHint();
    return {fontMetrics().horizontalAdvance(QStringLiteral("888,888,888")) + 2 * fontMetrics().averageCharWidth(), hint.height()};
}

QSize QuantityField::minimumSizeHint() const { return sizeHint(); }

} // namespace kvscope
