// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/aboutdialog.h"

#include "core/catalog.h"
#include "ui/text/report.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QIcon>
#include <QLabel>
#include <QPushButton>
#include <QSysInfo>
#include <QVBoxLayout>

namespace kvscope {

AboutDialog::AboutDialog(QWidget *parent) : QDialog(parent)
{
    setObjectName(QStringLiteral("aboutDialog"));
    setWindowTitle(tr("About KVScope"));
    auto *title = new QLabel(text::programName(), this);
    title->setProperty("role", QStringLiteral("figure"));
    auto *what = new QLabel(tr("Where the GPU memory goes before a large language model is loaded."), this);
    what->setWordWrap(true);
    auto *licence = new QLabel(tr("Free software under the GNU General Public License, version 3 or later. No warranty."), this);
    licence->setProperty("role", QStringLiteral("muted"));
    licence->setWordWrap(true);
    auto *list = new QLabel(versions(), this);
    list->setObjectName(QStringLiteral("aboutVersions"));
    list->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto *box = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto *copy = box->addButton(tr("&Copy"), QDialogButtonBox::ActionRole);
    copy->setObjectName(QStringLiteral("aboutCopyButton"));
    auto *layout = new QVBoxLayout(this);
    layout->setSpacing(10);
    for (QWidget *widget : {static_cast<QWidget *>(title), static_cast<QWidget *>(what), static_cast<QWidget *>(list),
                            static_cast<QWidget *>(licence), static_cast<QWidget *>(box)})
        layout->addWidget(widget);
    connect(copy, &QPushButton::clicked, this, [] { QGuiApplication::clipboard()->setText(versions()); });
    connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
}

QString AboutDialog::versions()
{
    const Catalog catalog;
    return QStringList{text::programName(), QStringLiteral("Qt %1").arg(QLatin1String(qVersion())),
                       tr("Catalogue: %1 models, %2 GPUs").arg(catalog.models().size()).arg(catalog.devices().size()),
                       QStringLiteral("%1, %2").arg(QSysInfo::prettyProductName(), QSysInfo::currentCpuArchitecture()),
                       QGuiApplication::platformName()}
        .join(QLatin1Char('\n'));
}

} // namespace kvscope
