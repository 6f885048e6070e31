// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/applylanguage.h"

#include "ui/text/text.h"

#include <QApplication>
#include <QFont>

namespace kvscope {

void applyLanguage(const QString &language)
{
    text::installLanguage(language);
    static const QStringList simplified{QStringLiteral("Noto Sans CJK SC"), QStringLiteral("Source Han Sans SC"),
                                        QStringLiteral("PingFang SC"), QStringLiteral("Microsoft YaHei"),
                                        QStringLiteral("WenQuanYi Micro Hei")};
    QFont font = QApplication::font();
    QStringList families = font.families();
    for (const QString &family : simplified)
        families.removeAll(family);
    if (text::language() == QLatin1String("zh_CN"))
        families += simplified;
    if (families != font.families()) {
        font.setFamilies(families);
        QApplication::setFont(font);
    }
}

} // namespace kvscope
