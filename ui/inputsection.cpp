// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inputsection.h"

#include <QLabel>

namespace kvscope {

QLabel *makeCaption(QWidget *parent, const char *name)
{
    auto *label = new QLabel(parent);
    label->setObjectName(QLatin1String(name));
    label->setProperty("role", QStringLiteral("section"));
    return label;
}

QLabel *makeLabel(QWidget *parent, QWidget *buddy)
{
    auto *label = new QLabel(parent);
    label->setObjectName(buddy->objectName() + QStringLiteral("Label"));
    label->setBuddy(buddy);
    return label;
}

} // namespace kvscope
