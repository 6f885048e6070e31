// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/keysdialog.h"

#include <QAction>
#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace kvscope {

KeysDialog::KeysDialog(const QList<QAction *> &actions, QWidget *parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("keysDialog"));
    setWindowTitle(tr("Keys and gestures"));
    QString html = QStringLiteral("<ul>");
    for (const QString &sentence :
         {tr("Drag a slider, turn the wheel over it, or press an arrow key: one stop. With Shift: finely."),
          tr("Fields read 32k, 32768, 24GB, 22.5 GiB. Up and Down move to the next stop."),
          tr("Drag the point of the fit boundary, or move it by the arrow keys and Enter, to set context and concurrency."),
          tr("Charts and the memory bar tell their exact figures under the pointer or by the arrow keys."),
          tr("Drop a config.json, a model folder, a safetensors index or a scenario on the window to open it."),
          tr("Delete takes the chip's GPU out of the comparison.")})
        html += QStringLiteral("<li>%1</li>").arg(sentence.toHtmlEscaped());
    html += QStringLiteral("</ul><table cellpadding=\"3\">");
    for (const QAction *action : actions) {
        if (!action->shortcut().isEmpty() && !action->text().isEmpty())
            html += QStringLiteral("<tr><td><b>%1</b></td><td>%2</td></tr>")
                        .arg(action->shortcut().toString(QKeySequence::NativeText).toHtmlEscaped(),
                             QString(action->text()).remove(QLatin1Char('&')).toHtmlEscaped());
    }
    html += QStringLiteral("</table>");
    auto *browser = new QTextBrowser(this);
    browser->setObjectName(QStringLiteral("keysText"));
    browser->setAccessibleName(windowTitle());
    browser->setHtml(html);
    auto *box = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(browser);
    layout->addWidget(box);
    resize(fontMetrics().averageCharWidth() * 78, fontMetrics().height() * 30);
}

} // namespace kvscope
