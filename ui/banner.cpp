// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/banner.h"

#include "ui/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace kvscope {

Banner::Banner(QWidget *parent) : QFrame(parent), m_label(new QLabel(this)), m_close(new QToolButton(this))
{
    setProperty("card", true);
    m_label->setObjectName(QStringLiteral("bannerText"));
    m_label->setWordWrap(true);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_close->setObjectName(QStringLiteral("bannerCloseButton"));
    m_close->setText(QStringLiteral("✕"));
    m_close->setProperty("quiet", true);
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(14, 4, 6, 4);
    layout->addWidget(m_label, 1);
    layout->addWidget(m_close, 0, Qt::AlignTop);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(m_close, &QToolButton::clicked, this, &Banner::closed);
    m_timer.setSingleShot(true);
    m_timer.setInterval(4000);
    connect(&m_timer, &QTimer::timeout, this, &QWidget::hide);
    hide();
}

void Banner::showError(const QString &sentence) { show(sentence, true, true); }

void Banner::showDone(const QString &sentence)
{
    if (!(m_error && isVisible())) // what went wrong is not hidden by what went well
        show(sentence, false, false);
}

void Banner::showWaiting(const QString &sentence) { show(sentence, false, true); }

QString Banner::words() const { return isHidden() ? QString() : m_label->text(); }

void Banner::show(const QString &sentence, bool error, bool stays)
{
    m_error = error;
    m_label->setText(error ? QStringLiteral("⚠ ") + sentence : sentence);
    m_close->setAccessibleName(tr("Close the message"));
    m_close->setToolTip(tr("Close the message"));
    paintColours();
    setVisible(true);
    if (stays)
        m_timer.stop();
    else
        m_timer.start();
    QAccessibleEvent alert(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

void Banner::paintColours()
{
    const Theme &theme = themeOf(palette());
    const VerdictLook &look = theme.look(m_error ? Verdict::OutOfMemory : Verdict::Fits);
    const QString sheet = QStringLiteral("#bannerText { color: %1; }").arg(look.text.name());
    if (styleSheet() != sheet)
        setStyleSheet(sheet);
}

void Banner::changeEvent(QEvent *event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        paintColours();
}

} // namespace kvscope
